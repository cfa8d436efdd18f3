"""What a fetch makes of what was known.

Source: RFC 9309 sections 2.3.1 and 2.4.
"""

from canfetch.access.answers import Response
from canfetch.access.entries import Copy, Entry, kept_headers
from canfetch.access.fetch_plan import Fetched, Validators
from canfetch.access.freshness import fresh_seconds
from canfetch.access.outcomes import Access
from canfetch.access.policies import AccessPolicy
from canfetch.access.retrying import retry_seconds
from canfetch.core._tables import PARSE_OCTETS_LIMIT
from canfetch.core.origin import Origin


def entry_after(
    previous: Entry | None,
    origin: Origin,
    fetched: Fetched,
    policy: AccessPolicy,
    *,
    now_seconds: float,
    seed: int,
    limit_octets: int = PARSE_OCTETS_LIMIT,
) -> Entry:
    """Give what is known after a fetch.

    A good copy outlives failures, not answers: an origin that says that it has no robots.txt has none.

    Args:
        previous: what was known before, or None at the first contact.
        seed: makes the jitter of the next attempt after a failure; the origin is mixed in.
        limit_octets: how far the fetch read.
    """
    response = fetched.response
    unreachable = fetched.outcome.access is Access.UNREACHABLE
    failures = (0 if previous is None else previous.failures) + 1 if unreachable else 0
    first_failure = None
    if unreachable:
        first_failure = now_seconds
        if previous is not None and previous.first_failure_at_seconds is not None:
            # A clock that was wrong once makes no time in which nobody counts.
            first_failure = min(previous.first_failure_at_seconds, now_seconds)
        wait = retry_seconds(response, failures, now_seconds=now_seconds, seed=f"{seed}:{origin}")
    else:
        wait = fresh_seconds(response, policy, now_seconds=now_seconds)
    return Entry(
        origin=str(origin),
        policy=policy.name,
        outcome=fetched.outcome,
        url=fetched.url,
        status=None if response is None else response.status,
        headers=() if response is None else kept_headers(response.headers),
        hops=fetched.hops,
        fetched_at_seconds=now_seconds,
        due_at_seconds=now_seconds + wait,
        copy=_copy_after(previous, fetched, now_seconds, limit_octets),
        failures=failures,
        first_failure_at_seconds=first_failure,
        limit_octets=limit_octets,
    )


def _copy_after(previous: Entry | None, fetched: Fetched, now_seconds: float, limit_octets: int) -> Copy | None:
    known = None if previous is None else previous.copy
    if fetched.outcome.access is Access.UNREACHABLE:
        return known
    if fetched.outcome.access is Access.UNAVAILABLE or fetched.response is None:
        return None
    if fetched.not_modified and known is not None:
        return known._replace(fetched_at_seconds=now_seconds)
    return _copy_of(fetched.response, now_seconds, limit_octets)


def _copy_of(response: Response, now_seconds: float, limit_octets: int) -> Copy:
    kept = dict(kept_headers(response.headers))
    validators = Validators(response.url, kept.get("etag"), kept.get("last-modified"))
    cut_at = limit_octets if len(response.body) > limit_octets else None
    return Copy(response.body, response.url, response.status, now_seconds, validators, cut_at)
