"""The robots.txt files of the same site under other schemes and hosts that have different rules."""

from collections.abc import Iterator

from canfetch.core.equivalence import comparison_key
from canfetch.core.origin import Origin, find_origin
from canfetch.lint.analysis.site_urls import governed_origin
from canfetch.lint.linted_file import LintedFile

_PROFILE = "rfc9309"


def differing_schemes(file: LintedFile) -> Iterator[str]:
    """Yield the URLs of the same host under another scheme that have different rules."""
    for own, url, other in _siblings(file):
        if other.host == own.host and other.scheme != own.scheme:
            yield from _if_different(file, url)


def differing_hosts(file: LintedFile) -> Iterator[str]:
    """Yield the URLs of the host with or without `www.` that have different rules."""
    for own, url, other in _siblings(file):
        if other.host != own.host and other.host.removeprefix("www.") == own.host.removeprefix("www."):
            yield from _if_different(file, url)


def _siblings(file: LintedFile) -> Iterator[tuple[Origin, str, Origin]]:
    own = governed_origin(file) if file.input.siblings else None
    if own is not None:
        for url in file.input.siblings:
            other = find_origin(url)
            if other is not None:
                yield own, url, other


def _if_different(file: LintedFile, url: str) -> Iterator[str]:
    own, other = file.input.content, file.input.siblings[url] or b""
    if other != own and comparison_key(other, _PROFILE) != comparison_key(own, _PROFILE):
        yield url
