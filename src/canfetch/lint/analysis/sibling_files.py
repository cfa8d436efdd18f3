"""Files of the same service under other schemes and hosts: which say something else."""

from collections.abc import Iterator

from canfetch.core.equivalence import meaning_of
from canfetch.core.origin import Origin, find_origin
from canfetch.lint.analysis.deliveries import governed_origin
from canfetch.lint.linted_file import LintedFile

_PROFILE = "rfc9309"


def differing_schemes(file: LintedFile) -> Iterator[str]:
    """Give the URLs of the same host under another scheme where the file says something else."""
    for own, url, other in _siblings(file):
        if other.host == own.host and other.scheme != own.scheme:
            yield from _differing(file, url)


def differing_hosts(file: LintedFile) -> Iterator[str]:
    """Give the URLs of the host with or without www where the file says something else."""
    for own, url, other in _siblings(file):
        if other.host != own.host and other.host.removeprefix("www.") == own.host.removeprefix("www."):
            yield from _differing(file, url)


def _siblings(file: LintedFile) -> Iterator[tuple[Origin, str, Origin]]:
    own = governed_origin(file) if file.input.siblings else None
    if own is not None:
        for url in file.input.siblings:
            other = find_origin(url)
            if other is not None:
                yield own, url, other


def _differing(file: LintedFile, url: str) -> Iterator[str]:
    octets = file.input.siblings[url] or b""
    if octets != file.input.content and meaning_of(octets, _PROFILE) != meaning_of(file.input.content, _PROFILE):
        yield url
