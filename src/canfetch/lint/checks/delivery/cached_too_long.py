"""A robots.txt that may be cached for more than a day."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from canfetch.lint.analysis.deliveries import (
    cache_directives,
    example_delivery,
    header_value,
    successful_delivery,
)
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

if TYPE_CHECKING:
    from canfetch.access.entries import CacheEntry

_DAY_SECONDS: Final = 86_400
_HOUR_SECONDS: Final = 3600


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report a `max-age` of more than a day, or such an `Expires` without a `max-age`."""
    entry = successful_delivery(file)
    seconds = None if entry is None else _fresh_seconds(entry)
    if seconds is not None and seconds > _DAY_SECONDS:
        yield Occurrence((0, 0), {"hours": str(round(seconds / _HOUR_SECONDS))})


def _fresh_seconds(entry: "CacheEntry") -> float | None:
    from canfetch.access.freshness import parse_delta_seconds, parse_http_date  # noqa: PLC0415 - only with a delivery

    directives = cache_directives(entry)
    if "no-store" in directives or "no-cache" in directives:
        return None
    if "max-age" in directives:
        return parse_delta_seconds(directives["max-age"])
    expires = parse_http_date(header_value(entry, "expires") or "")
    date = parse_http_date(header_value(entry, "date") or "")
    return None if expires is None or date is None else expires - date


CHECK = Check(
    code="CF806",
    name="cached-too-long",
    severities=Severities(rfc=Severity.WARNING, google=Severity.WARNING, bing=Severity.INFO, yandex=Severity.INFO),
    title="A robots.txt that may be cached for more than a day",
    message="the response may be cached for {hours} hours",
    why="Crawlers should not use a copy for more than 24 hours, but Google may use it longer because of `max-age`. A "
    "change of the file takes that long to reach crawlers, and a mistake in it lasts that long.",
    how_to_fix="Allow caching for at most one day.",
    source="RFC 9309 section 2.4; Google, caching",
    bad=lambda: LintInput(
        b"User-agent: *\nDisallow:\n",
        delivery=example_delivery(
            headers=(("content-type", "text/plain"), ("cache-control", "public, max-age=2592000"))
        ),
    ),
    good=lambda: LintInput(
        b"User-agent: *\nDisallow:\n",
        delivery=example_delivery(headers=(("content-type", "text/plain"), ("cache-control", "public, max-age=3600"))),
    ),
    find=find,
    requires="delivery",
)
