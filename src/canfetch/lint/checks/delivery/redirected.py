"""A file that is somewhere else."""

from collections.abc import Iterator
from typing import Final

from canfetch.access.fetch_plan import Hop
from canfetch.core.origin import DEFAULT_PORTS
from canfetch.core.text import encode_text
from canfetch.core.urls import split_url
from canfetch.lint.analysis.deliveries import answered, origin_of
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_USUAL_PORTS: Final = (DEFAULT_PORTS["http"], DEFAULT_PORTS["https"])


def find(file: LintedFile) -> Iterator[Found]:
    """Look at redirects; a single one from http to https, or to the host with or without www, is what many want.

    The other way round, from https to http, nobody wants.
    """
    entry = file.given.delivery
    if entry is None or not entry.hops:
        return
    if len(entry.hops) > 1 or not _is_near(entry.hops[0].url, entry.hops[0].location):
        yield Found((0, 0), {"count": str(len(entry.hops)), "url": entry.hops[-1].location})


def _is_near(asked: str, place: str) -> bool:
    first, last = origin_of(asked), origin_of(place)
    if first is None or last is None or _bare(first.host) != _bare(last.host) or _path(asked) != _path(place):
        return False
    if first.scheme == last.scheme:
        return first.port == last.port
    return (first.scheme, last.scheme) == ("http", "https") and (first.port, last.port) == _USUAL_PORTS


def _path(url: str) -> bytes:
    octets = encode_text(url)
    split = split_url(octets)
    return b"" if split is None else octets[split.rest_start :]


def _bare(host: str) -> str:
    return host.removeprefix("www.")


CHECK = Check(
    code="CF805",
    name="redirected",
    severities=Severities(
        rfc=Severity.WARNING, google=Severity.INFO, bing=Severity.WARNING, yandex=Severity.INFO, lighthouse=None
    ),
    title="A file that is somewhere else",
    message="the way to the file leads over redirects to `{url}`: {count}",
    why="Crawlers should follow five redirects, also to other hosts, and may follow no more: the site is then read as "
    "one without rules. The rules that are found rule over the host that was asked first.",
    mend="Serve the file where crawlers ask for it.",
    source="RFC 9309 section 2.3.1.2; Google, handling of errors and HTTP status codes",
    bad=Given(
        b"User-agent: *\nDisallow:\n",
        delivery=answered(hops=(Hop("https://example.com/robots.txt", 301, "https://cdn.example.net/robots.txt"),)),
    ),
    good=Given(b"User-agent: *\nDisallow:\n", delivery=answered()),
    find=find,
)
