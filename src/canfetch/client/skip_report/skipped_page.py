"""A line of a skip report: a URL that a crawl did not fetch, and the reason.

The first line of a file is its header, and each other line is a page. These are the names and the order of Browsertrix:

    {"format": "json-pages-1.0", "id": "pages", "title": "Skipped Pages", "hasText": "false"}
    {"url": "https://...", "seedUrl": "", "depth": 1, "seed": false, "reason": "robotsTxt",
     "ts": "2026-11-22T01:32:00.000Z"}

canfetch adds `agent` and `explanation` at the end of a line. Values that a crawl does not know are an empty `seedUrl`,
as Browsertrix writes it, and a `depth` of null.

Source: Browsertrix Crawler 1.13.0-beta.0, commit 1430fee7, src/crawler.ts, `initPages` and `writeSkippedPage`.
"""

import json
from enum import StrEnum
from typing import Any, Final, NamedTuple

from canfetch.core.redaction import redact_credentials_in, redacted_url
from canfetch.core.urls import AnyURL, plain_url
from canfetch.core.verdict import Verdict

PAGES_FORMAT: Final = "json-pages-"
"""How the format of a header starts. Its version follows."""
MAX_URL_CHARACTERS: Final = 16_384
_MAX_TEXT_CHARACTERS: Final = 1_000


class SkipReason(StrEnum):
    """The reasons that canfetch writes. Reports of Browsertrix have further ones."""

    ROBOTS_TXT = "robotsTxt"  # robots.txt disallows the URL, or could not be fetched
    OUT_OF_SCOPE = "outOfScope"  # the URL is invalid, so that no crawl can fetch it


class SkippedPage(NamedTuple):
    """A URL that a crawl did not fetch.

    Attributes:
        url: The URL. canfetch writes its user information as `***`.
        reason: One of `SkipReason`, or another reason of Browsertrix, such as `pageLimit`.
        at: When it was skipped, in seconds since the epoch, or None if the report has no valid time.
        seed_url: The start of the crawl that led to it, or an empty string.
        depth: The number of links from there, or None if it is not known.
        is_seed: Whether it is itself a start of the crawl.
        agent: The product tokens for which robots.txt was decided, separated by spaces, or None.
        explanation: The line that disallows the URL, or why it is invalid, or None.
        is_cut: Whether the URL was longer than a report keeps, so that only its beginning is known.
    """

    url: str
    reason: str
    at: float | None
    seed_url: str = ""
    depth: int | None = None
    is_seed: bool = False
    agent: str | None = None
    explanation: str | None = None
    is_cut: bool = False


def skipped_page(
    url: AnyURL,
    verdict: Verdict | None,
    *,
    at: float,
    error: str | None = None,
    seed_url: str = "",
    depth: int | None = None,
) -> SkippedPage:
    """Return the record of a URL that is not fetched, without credentials, and with bounded fields.

    Args:
        url: The URL.
        verdict: The verdict that disallows it, or None if the URL is invalid.
        at: When it is skipped, in seconds since the epoch.
        error: Why the URL is invalid.
        seed_url: The start of the crawl, if it is known.
        depth: The number of links from there, if it is known.
    """
    text = redacted_url(plain_url(url))
    reason = SkipReason.OUT_OF_SCOPE if verdict is None else SkipReason.ROBOTS_TXT
    explanation = error if verdict is None else verdict.explanation
    return SkippedPage(
        url=text[:MAX_URL_CHARACTERS],
        reason=reason,
        at=at,
        seed_url=redacted_url(seed_url)[:MAX_URL_CHARACTERS],
        depth=depth,
        is_seed=depth == 0,
        agent=None if verdict is None else " ".join(verdict.agent.tokens)[:_MAX_TEXT_CHARACTERS],
        # The explanation can contain the target of a redirect, and an error the URL itself.
        explanation=None if explanation is None else redact_credentials_in(explanation)[:_MAX_TEXT_CHARACTERS],
        is_cut=len(text) > MAX_URL_CHARACTERS,
    )


def encode_header() -> bytes:
    """Return the first line of a report."""
    return _encode({"format": f"{PAGES_FORMAT}1.0", "id": "pages", "title": "Skipped Pages", "hasText": "false"})


def encode_page(page: SkippedPage) -> bytes:
    """Return the line of a page."""
    fields: dict[str, Any] = {
        "url": page.url,
        "seedUrl": page.seed_url,
        "depth": page.depth,
        "seed": page.is_seed,
        "reason": page.reason,
        "ts": None if page.at is None else _milliseconds(page.at),
        "agent": page.agent,
        "explanation": page.explanation,
    }
    if page.is_cut:
        fields["cut"] = True
    return _encode(fields)


def _encode(fields: dict[str, Any]) -> bytes:
    # ASCII, because URLs can contain bytes that are not UTF-8.
    return json.dumps(fields, separators=(",", ":")).encode("ascii") + b"\n"


def _milliseconds(seconds: float) -> str:
    """Return a time as `Date.toISOString` of JavaScript writes it."""
    from datetime import UTC, datetime  # noqa: PLC0415 - slow to import

    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
