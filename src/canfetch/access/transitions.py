"""What a fetch makes of what was known.

Source: RFC 9309 sections 2.3.1 and 2.4.
"""

from canfetch.access.entries import Copy, Entry, kept_headers
from canfetch.access.fetch_plan import Fetched, Validators
from canfetch.access.freshness import freshness_lifetime
from canfetch.access.outcomes import Access
from canfetch.access.policies import AccessPolicy
from canfetch.access.responses import Response
from canfetch.access.retrying import retry_delay
from canfetch.core._tables import DEFAULT_MAX_BYTES
from canfetch.core.origin import Origin


def entry_after(
    previous: Entry | None,
    origin: Origin,
    fetched: Fetched,
    policy: AccessPolicy,
    *,
    now: float,
    seed: int,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Entry:
    """Give what is known after a fetch.

    A good copy outlives failures, not answers: an origin that says that it has no robots.txt has none.

    Args:
        previous: what was known before, or None at the first contact.
        seed: makes the jitter of the next attempt after a failure; the origin is mixed in.
        max_bytes: how far the fetch read.
    """
    response = fetched.response
    unreachable = fetched.outcome.access is Access.UNREACHABLE
    failures = (0 if previous is None else previous.failures) + 1 if unreachable else 0
    first_failure = None
    if unreachable:
        first_failure = now
        if previous is not None and previous.first_failure_at is not None:
            # A clock that was wrong once makes no time in which nobody counts.
            first_failure = min(previous.first_failure_at, now)
        wait = retry_delay(response, failures, now=now, seed=f"{seed}:{origin}")
    else:
        wait = freshness_lifetime(response, policy, now=now)
    return Entry(
        origin=str(origin),
        policy=policy.name,
        outcome=fetched.outcome,
        url=fetched.url,
        status=None if response is None else response.status,
        headers=() if response is None else kept_headers(response.headers),
        hops=fetched.hops,
        fetched_at=now,
        next_fetch_at=now + wait,
        copy=_copy_after(previous, fetched, now, max_bytes),
        failures=failures,
        first_failure_at=first_failure,
        max_bytes=max_bytes,
    )


def _copy_after(previous: Entry | None, fetched: Fetched, now: float, max_bytes: int) -> Copy | None:
    known = None if previous is None else previous.copy
    if fetched.outcome.access is Access.UNREACHABLE:
        return known
    if fetched.outcome.access is Access.UNAVAILABLE or fetched.response is None:
        return None
    if fetched.not_modified and known is not None:
        return known._replace(fetched_at=now)
    return _copy_of(fetched.response, now, max_bytes)


def _copy_of(response: Response, now: float, max_bytes: int) -> Copy:
    kept = dict(kept_headers(response.headers))
    validators = Validators(response.url, kept.get("etag"), kept.get("last-modified"))
    cut_at = max_bytes if len(response.body) > max_bytes else None
    return Copy(response.body, response.url, response.status, now, validators, cut_at)
