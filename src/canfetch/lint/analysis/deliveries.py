"""What is known of the delivery of a file, as checks ask for it; and deliveries for their examples."""

from canfetch.access.entries import CachedCopy, CacheEntry
from canfetch.access.fetch_plan import Hop, Validators
from canfetch.access.outcomes import Access, Cell, evaluate_failure, evaluate_response, make_outcome
from canfetch.access.policies import get_policy
from canfetch.access.responses import Failure, FailureKind, Headers, Response
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.origin import Origin, find_origin
from canfetch.lint.linted_file import LintedFile

AMBIGUOUS_STATUSES = (401, 403, 429)
_URL = "https://example.com/robots.txt"
_POLICY = "rfc9309"


def successful_delivery(file: LintedFile) -> CacheEntry | None:
    """Give the delivery if it brought the file."""
    entry = file.input.delivery
    return entry if entry is not None and entry.outcome.access is Access.SUCCESSFUL else None


def header_value(entry: CacheEntry, name: str) -> str | None:
    """Give a header's value; names have no letter case."""
    return next((value for field, value in entry.headers if field.lower() == name), None)


def media_type(entry: CacheEntry) -> str | None:
    """Give the media type that was declared, in lower case and without parameters."""
    value = header_value(entry, "content-type")
    return None if value is None else value.partition(";")[0].strip().lower()


def cache_directives(entry: CacheEntry) -> dict[str, str]:
    """Give the directives of Cache-Control, in lower case; of two, the first counts."""
    found: dict[str, str] = {}
    for part in (header_value(entry, "cache-control") or "").split(","):
        name, _, value = part.strip().partition("=")
        found.setdefault(name.strip().lower(), value.strip().strip('"'))
    return found


def parse_delta_seconds(text: str | None) -> int | None:
    """Read a number of seconds, or None where it is none."""
    digits = (text or "").strip()
    return int(digits[:10]) if digits.isascii() and digits.isdigit() else None


def governed_origin(file: LintedFile) -> Origin | None:
    """Give what the file rules over, if its URL is known."""
    entry = file.input.delivery
    url = file.input.url or (None if entry is None else entry.origin)
    return None if url is None else find_origin(url)


def example_delivery(
    status: int = 200, headers: Headers = (("content-type", "text/plain"),), hops: tuple[Hop, ...] = ()
) -> CacheEntry:
    """Make a delivery, for an example: an answer of that status."""
    policy = get_policy(_POLICY)
    url = hops[-1].location if hops else _URL
    if len(hops) > policy.redirect_limit:
        outcome = make_outcome(policy, Cell.REDIRECT_OVERFLOW, f"more than {policy.redirect_limit} redirects")
    else:
        response = Response(url, status, headers, b"")
        outcome = evaluate_response(response, policy, max_bytes=DEFAULT_MAX_BYTES)
    copy = (
        CachedCopy(b"", url, status, 0.0, Validators(url, None, None)) if outcome.access is Access.SUCCESSFUL else None
    )
    return CacheEntry("https://example.com", _POLICY, outcome, url, status, headers, hops, 0.0, 0.0, copy, 0, None)


def example_failure(kind: FailureKind, detail: str) -> CacheEntry:
    """Make a delivery, for an example: no answer."""
    outcome = evaluate_failure(Failure(_URL, kind, detail), get_policy(_POLICY))
    return CacheEntry("https://example.com", _POLICY, outcome, _URL, None, (), (), 0.0, 0.0, None, 1, 0.0)
