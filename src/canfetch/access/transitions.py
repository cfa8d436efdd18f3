"""How a fetch changes the cache entry of an origin.

Source: RFC 9309 sections 2.3.1 and 2.4.
"""

from typing import Final

from canfetch.access.entries import CachedCopy, CacheEntry, select_stored_headers, update_stored_headers
from canfetch.access.fetch_plan import FetchResult, Validators
from canfetch.access.freshness import freshness_lifetime
from canfetch.access.outcomes import evaluate_content
from canfetch.access.policies import AccessPolicy
from canfetch.access.responses import Headers, Response
from canfetch.access.retries import retry_delay
from canfetch.access.vary import SentHeaders, VaryField, merge_vary
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.origin import Origin
from canfetch.core.verdict import Access

_TIME_DIGITS: Final = 6


def next_entry(
    previous: CacheEntry | None,
    origin: Origin,
    fetched: FetchResult,
    policy: AccessPolicy,
    *,
    now: float,
    seed: int,
    max_bytes: int = DEFAULT_MAX_BYTES,
    request_headers: Headers = (),
    requested_at: float | None = None,
) -> CacheEntry:
    """Return the cache entry of `origin` after a fetch.

    The last good copy survives failures, but not a response that the file does not exist.

    Args:
        previous: The previous entry, or None before the first fetch. It must serve the client.
        fetched: The result of the fetch.
        seed: Seed of the jitter of the next retry. The origin is mixed in.
        max_bytes: The parsing limit of the fetch.
        request_headers: The headers that the client sent, without those of conditional requests.
        requested_at: When the robots.txt of `origin` was requested, if that is known.
    """
    name = str(origin)
    # Stores keep times to the microsecond.
    now = round(now, _TIME_DIGITS)
    if fetched.not_modified and previous is not None and previous.copy is not None:
        # The copy can be a page, if the policy reads pages as files without rules.
        kind, detail = fetched.outcome.kind, fetched.outcome.detail
        fetched = fetched._replace(outcome=evaluate_content(previous.copy.content, policy, kind, detail))
    response = fetched.response
    headers = _stored_headers(previous, fetched)
    vary = _next_vary(previous, fetched, name, request_headers)
    unreachable = fetched.outcome.access is Access.UNREACHABLE
    failures = (0 if previous is None else previous.failures) + 1 if unreachable else 0
    first_failure = None
    if unreachable:
        first_failure = now
        if previous is not None and previous.first_failure_at is not None:
            # A clock that once ran ahead must not put the first failure in the future.
            first_failure = min(previous.first_failure_at, now)
        wait = retry_delay(response, failures, now=now, seed=f"{seed}:{name}")
        if fetched.retry_at is not None:
            wait = max(wait, fetched.retry_at - now)
    else:
        if response is not None and fetched.not_modified:
            response = response._replace(headers=headers)
        wait = freshness_lifetime(response, policy, now=now)
    copy = _next_copy(previous, fetched, headers, now, max_bytes)
    if copy is not None and not unreachable:
        copy = copy._replace(vary=vary)
    return CacheEntry(
        origin=name,
        policy=policy.name,
        outcome=fetched.outcome,
        url=fetched.url,
        status=None if response is None else response.status,
        headers=headers,
        hops=fetched.hops,
        fetched_at=now,
        next_fetch_at=round(now + wait, _TIME_DIGITS),
        copy=copy,
        failures=failures,
        first_failure_at=first_failure,
        max_bytes=max_bytes,
        vary=vary,
        responded_at=_responded_at(previous, fetched, now),
        requested_at=requested_at,
    )


def _responded_at(previous: CacheEntry | None, fetched: FetchResult, now: float) -> float | None:
    if fetched.response is not None and fetched.outcome.access is not Access.UNREACHABLE:
        return now
    return None if previous is None else previous.responded_at


def _next_vary(
    previous: CacheEntry | None, fetched: FetchResult, origin: str, request_headers: Headers
) -> tuple[VaryField, ...]:
    """Return what the next entry varies by.

    A new file has its own `Vary`. Like other headers, that of a 304 replaces the stored one, which otherwise stays.
    Error pages often lack the `Vary` of the file, so an error only adds names: an entry must not serve more clients
    because of an error.

    Source: RFC 9111 section 4.3.4.
    """
    stored: tuple[VaryField, ...] = ()
    if fetched.outcome.access is not Access.SUCCESSFUL:
        stored = () if previous is None else previous.vary
    elif fetched.not_modified and fetched.response is not None and fetched.response.header("vary") is None:
        stored = () if previous is None or previous.copy is None else previous.copy.vary
    if not stored and not fetched.vary_names:
        return ()
    return merge_vary(SentHeaders(origin, request_headers), stored, fetched.vary_names)


def _stored_headers(previous: CacheEntry | None, fetched: FetchResult) -> Headers:
    if fetched.response is None:
        return ()
    headers = select_stored_headers(fetched.response.headers)
    if fetched.not_modified and previous is not None and previous.copy is not None:
        return update_stored_headers(previous.copy.headers, headers)
    return headers


def _next_copy(
    previous: CacheEntry | None, fetched: FetchResult, headers: Headers, now: float, max_bytes: int
) -> CachedCopy | None:
    last_good = None if previous is None else previous.copy
    if fetched.outcome.access is Access.UNREACHABLE:
        # After a 304, the copy is one that the policy does not accept as a robots.txt, such as a page.
        return None if fetched.not_modified else last_good
    if fetched.outcome.access is Access.UNAVAILABLE or fetched.response is None:
        return None
    if fetched.not_modified and last_good is not None:
        return last_good._replace(fetched_at=now, headers=headers)
    copy = _copy_response(fetched.response, headers, now, max_bytes)
    if copy.truncated_at is not None and last_good is not None and last_good.content.startswith(copy.content):
        # Clients with higher limits fetch the file again. If that fails, they still have its end.
        return copy._replace(content=last_good.content)
    return copy


def _copy_response(response: Response, headers: Headers, now: float, max_bytes: int) -> CachedCopy:
    values = dict(headers)
    validators = Validators(response.url, values.get("etag"), values.get("last-modified"))
    truncated_at = max_bytes if len(response.body) > max_bytes else None
    return CachedCopy(response.body, response.url, response.status, now, validators, truncated_at, headers)
