"""Deliveries of the file: response headers as checks need them, and deliveries for the examples of checks."""

from canfetch.access.entries import CachedCopy, CacheEntry
from canfetch.access.fetch_plan import Hop, Validators
from canfetch.access.freshness import parse_cache_control
from canfetch.access.outcomes import OutcomeKind, evaluate_failure, evaluate_response, make_outcome
from canfetch.access.policies import get_policy
from canfetch.access.responses import Failure, FailureKind, Headers, Response
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.verdict import Access
from canfetch.lint.linted_file import LintedFile

# Crawlers disagree about these statuses.
AMBIGUOUS_STATUSES = (401, 403, 429)
_URL = "https://example.com/robots.txt"
_POLICY = "rfc9309"


def successful_delivery(file: LintedFile) -> CacheEntry | None:
    """Return the delivery if it succeeded, or None."""
    entry = file.input.delivery
    return entry if entry is not None and entry.outcome.access is Access.SUCCESSFUL else None


def header_value(entry: CacheEntry, name: str) -> str | None:
    """Return the value of a header, or None. `name` is in lower case."""
    return next((value for field, value in entry.headers if field.lower() == name), None)


def media_type(entry: CacheEntry) -> str | None:
    """Return the declared media type, in lower case and without parameters, or None."""
    value = header_value(entry, "content-type")
    return None if value is None else value.partition(";")[0].strip().lower()


def cache_directives(entry: CacheEntry) -> dict[str, str]:
    """Return the directives of Cache-Control by name, in lower case."""
    return parse_cache_control(header_value(entry, "cache-control") or "")


def example_delivery(
    status: int = 200, headers: Headers = (("content-type", "text/plain"),), hops: tuple[Hop, ...] = ()
) -> CacheEntry:
    """Return the delivery of a response, for an example."""
    policy = get_policy(_POLICY)
    url = hops[-1].location if hops else _URL
    if len(hops) > policy.redirect_limit:
        outcome = make_outcome(policy, OutcomeKind.REDIRECT_OVERFLOW, f"more than {policy.redirect_limit} redirects")
    else:
        response = Response(url, status, headers, b"")
        outcome = evaluate_response(response, policy, max_bytes=DEFAULT_MAX_BYTES)
    copy = (
        CachedCopy(b"", url, status, 0.0, Validators(url, None, None)) if outcome.access is Access.SUCCESSFUL else None
    )
    return CacheEntry("https://example.com", _POLICY, outcome, url, status, headers, hops, 0.0, 0.0, copy, 0, None)


def example_failure(kind: FailureKind, detail: str) -> CacheEntry:
    """Return the delivery of a failed request, for an example."""
    outcome = evaluate_failure(Failure(_URL, kind, detail), get_policy(_POLICY))
    return CacheEntry("https://example.com", _POLICY, outcome, _URL, None, (), (), 0.0, 0.0, None, 1, 0.0)
