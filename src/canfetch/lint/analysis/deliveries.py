"""Deliveries of the file: response headers as checks need them, files of the same site, and deliveries for examples.

Most files are linted without a delivery. So what belongs to one is imported when it is used.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from canfetch.core.equivalence import comparison_key
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.origin import Origin, find_origin
from canfetch.core.verdict import Access
from canfetch.lint.analysis.site_urls import governed_origin
from canfetch.lint.linted_file import LintedFile

if TYPE_CHECKING:
    from canfetch.access.entries import CacheEntry
    from canfetch.access.responses import Headers
    from canfetch.pages.page_rules import PageRules

# Crawlers disagree about these statuses.
AMBIGUOUS_STATUSES = (401, 403, 429)
_URL = "https://example.com/robots.txt"
_POLICY = "rfc9309"
_PROFILE = "rfc9309"


def successful_delivery(file: LintedFile) -> "CacheEntry | None":
    """Return the delivery if it succeeded, or None."""
    entry = file.input.delivery
    return entry if entry is not None and entry.outcome.access is Access.SUCCESSFUL else None


def is_refused_for_size(file: LintedFile) -> bool:
    """Return whether the access policy ignores the delivered file because of its size."""
    entry = file.input.delivery
    if entry is None or entry.outcome.access is not Access.UNAVAILABLE:
        return False
    from canfetch.access.outcomes import OutcomeKind  # noqa: PLC0415 - only with a delivery

    return entry.outcome.kind is OutcomeKind.OVERSIZE


def header_value(entry: "CacheEntry", name: str) -> str | None:
    """Return the value of a header, or None. `name` is in lower case."""
    return next((value for field, value in entry.headers if field.lower() == name), None)


def media_type(entry: "CacheEntry") -> str | None:
    """Return the declared media type, in lower case and without parameters, or None."""
    value = header_value(entry, "content-type")
    return None if value is None else value.partition(";")[0].strip().lower()


def cache_directives(entry: "CacheEntry") -> dict[str, str]:
    """Return the directives of Cache-Control by name, in lower case."""
    from canfetch.access.freshness import parse_cache_control  # noqa: PLC0415 - only with a delivery

    return parse_cache_control(header_value(entry, "cache-control") or "")


def example_delivery(
    status: int = 200,
    headers: "Headers" = (("content-type", "text/plain"),),
    hops: tuple[tuple[str, int, str], ...] = (),
) -> "CacheEntry":
    """Return the delivery of a response, for an example.

    Args:
        status: The status code.
        headers: The headers.
        hops: The URL, the status code and the location of each redirect.
    """
    from canfetch.access.entries import CachedCopy, CacheEntry  # noqa: PLC0415 - only for examples
    from canfetch.access.fetch_plan import Hop, Validators  # noqa: PLC0415
    from canfetch.access.outcomes import OutcomeKind, evaluate_response, make_outcome  # noqa: PLC0415
    from canfetch.access.policies import get_policy  # noqa: PLC0415
    from canfetch.access.responses import Response  # noqa: PLC0415

    policy = get_policy(_POLICY)
    redirects = tuple(Hop(*hop) for hop in hops)
    url = redirects[-1].location if redirects else _URL
    if len(redirects) > policy.redirect_limit:
        outcome = make_outcome(policy, OutcomeKind.REDIRECT_OVERFLOW, f"more than {policy.redirect_limit} redirects")
    else:
        response = Response(url, status, headers, b"")
        outcome = evaluate_response(response, policy, max_bytes=DEFAULT_MAX_BYTES)
    copy = (
        CachedCopy(b"", url, status, 0.0, Validators(url, None, None)) if outcome.access is Access.SUCCESSFUL else None
    )
    return CacheEntry("https://example.com", _POLICY, outcome, url, status, headers, redirects, 0.0, 0.0, copy, 0, None)


def example_timeout(detail: str) -> "CacheEntry":
    """Return the delivery of a request that timed out, for an example."""
    from canfetch.access.entries import CacheEntry  # noqa: PLC0415 - only for examples
    from canfetch.access.outcomes import evaluate_failure  # noqa: PLC0415
    from canfetch.access.policies import get_policy  # noqa: PLC0415
    from canfetch.access.responses import Failure, FailureKind  # noqa: PLC0415

    outcome = evaluate_failure(Failure(_URL, FailureKind.TIMEOUT, detail), get_policy(_POLICY))
    return CacheEntry("https://example.com", _POLICY, outcome, _URL, None, (), (), 0.0, 0.0, None, 1, 0.0)


def example_page(headers: "Headers" = ()) -> "PageRules":
    """Return the rules of a page with these headers, for an example."""
    from canfetch.pages.page_rules import parse_page  # noqa: PLC0415 - only for examples

    return parse_page(headers=headers)


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
