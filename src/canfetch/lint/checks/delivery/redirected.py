"""A redirected robots.txt."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.origin import DEFAULT_PORTS, find_origin
from canfetch.core.redaction import redacted_url
from canfetch.core.text import encode_text
from canfetch.core.urls import split_url
from canfetch.lint.analysis.deliveries import example_delivery
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_USUAL_PORTS: Final = (DEFAULT_PORTS["http"], DEFAULT_PORTS["https"])


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report redirects.

    A single redirect from http to https, or between the hosts with and without www, is common and fine.
    """
    entry = file.input.delivery
    if entry is None or not entry.hops:
        return
    if len(entry.hops) > 1 or not _is_harmless(entry.hops[0].url, entry.hops[0].location):
        yield Occurrence((0, 0), {"count": str(len(entry.hops)), "url": redacted_url(entry.hops[-1].location)})


def _is_harmless(source: str, target: str) -> bool:
    first, last = find_origin(source), find_origin(target)
    if (
        first is None
        or last is None
        or _without_www(first.host) != _without_www(last.host)
        or _path(source) != _path(target)
    ):
        return False
    if first.scheme == last.scheme:
        return first.port == last.port
    return (first.scheme, last.scheme) == ("http", "https") and (first.port, last.port) == _USUAL_PORTS


def _path(url: str) -> bytes:
    encoded = encode_text(url)
    split = split_url(encoded)
    return b"" if split is None else encoded[split.rest_start :]


def _without_www(host: str) -> str:
    return host.removeprefix("www.")


CHECK = Check(
    code="CF805",
    name="redirected",
    severities=Severities(rfc=Severity.WARNING, google=Severity.INFO, bing=Severity.WARNING, yandex=Severity.INFO),
    title="A redirected robots.txt",
    message="the request for the file is redirected {count|time|times}, to `{url}`",
    why="Crawlers should follow five redirects, even to other hosts. After that they may stop, and treat the site as "
    "one without rules. The rules of the final file apply to the host that was requested first.",
    how_to_fix="Serve the file at the URL that crawlers request.",
    source="RFC 9309 section 2.3.1.2; Google, handling of errors and HTTP status codes",
    bad=lambda: LintInput(
        b"User-agent: *\nDisallow:\n",
        delivery=example_delivery(
            hops=(("https://example.com/robots.txt", 301, "https://cdn.example.net/robots.txt"),)
        ),
    ),
    good=lambda: LintInput(b"User-agent: *\nDisallow:\n", delivery=example_delivery()),
    find=find,
    requires="delivery",
)
