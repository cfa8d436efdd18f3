"""Effective access: what a cache entry permits at a given time, and whether it is compatible with a client.

Clients that share a store may have other parsing limits, or know other misconfigured sites. If this client would make a
different entry from the same response, the entry is treated as expired. Its copy stays in use as the last good copy if
the next fetch fails, unless this client does not read rules in it, because of its limit.

Source: RFC 9309 sections 2.3.1.4 and 2.4; Google's specification for its limits of 12 hours and 30 days.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from canfetch.access.entries import CachedCopy, CacheEntry
from canfetch.access.outcomes import Outcome, OutcomeKind, classify_status, evaluate_response
from canfetch.access.policies import AccessPolicy
from canfetch.access.responses import Response
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.verdict import Access, Effect

# The largest difference between the clocks of workers that share a store.
MAX_CLOCK_SKEW: Final = 300.0

_COPY: Final = "copy"
_SITE_DECIDES: Final = "site-decides"
_SITE_DETAIL: Final = {
    True: "; the site is reachable",
    False: "; the site is unreachable",
    None: "; it is unknown whether the site is reachable",
}
_SERVER_ERROR: Final = 500
_SERVER_ERRORS: Final = (OutcomeKind.SERVER_ERROR, OutcomeKind.MISCONFIGURED_SERVER_ERROR)
# The parsing limit decides whether a body has this kind. Records can follow a page, past the limit.
_CUT_BODIES: Final = (OutcomeKind.OVERSIZE, OutcomeKind.NOT_ROBOTS)


class FetchNeed(StrEnum):
    """Whether to fetch a robots.txt."""

    NO = "no"  # the entry is fresh, or the delay after a failure has not passed
    SOON = "soon"  # the entry is stale, but may be used while it is fetched again
    NOW = "now"  # no usable entry


class EffectiveAccess(NamedTuple):
    """What an origin permits at a given time.

    Attributes:
        access: The result of fetching robots.txt.
        effect: What is permitted.
        explanation: Why, as a sentence.
        copy: The copy whose rules apply, or None.
    """

    access: Access
    effect: Effect
    explanation: str
    copy: CachedCopy | None


def is_from_future(entry: CacheEntry, *, now: float) -> bool:
    """Return whether an entry is stamped more than `MAX_CLOCK_SKEW` in the future.

    A clock was wrong when the entry was made, or is wrong now. Its age is unknown, so it is treated as expired.
    """
    return entry.fetched_at > now + MAX_CLOCK_SKEW


def fetch_need(entry: CacheEntry | None, *, now: float, stale_while_revalidate: float = 0.0) -> FetchNeed:
    """Return whether to fetch the robots.txt of an entry again.

    Args:
        stale_while_revalidate: Seconds for which an expired entry may be used while it is fetched again.
    """
    if entry is None or is_from_future(entry, now=now):
        return FetchNeed.NOW
    if now < entry.next_fetch_at:
        return FetchNeed.NO
    if entry.outcome.access is not Access.UNREACHABLE and now < entry.next_fetch_at + stale_while_revalidate:
        return FetchNeed.SOON
    return FetchNeed.NOW


def effective_access(
    entry: CacheEntry, policy: AccessPolicy, *, now: float, site_reachable: bool | None = None
) -> EffectiveAccess:
    """Return what an entry permits now.

    Args:
        entry: The entry, as `readable_entry` returns it for the client.
        site_reachable: Whether other pages of the site can be fetched, or None if unknown. Under a policy that
            depends on it, None disallows everything.
    """
    outcome = entry.outcome
    if outcome.effect is Effect.CONDITIONAL_ALLOW and entry.copy is None:
        # Only possible in an entry made by hand. Rules without a file permit nothing.
        return EffectiveAccess(Access.UNREACHABLE, Effect.FULL_DISALLOW, "the cached copy is missing", None)
    if outcome.effect is not None:
        copy = entry.copy if outcome.effect is Effect.CONDITIONAL_ALLOW else None
        return EffectiveAccess(outcome.access, outcome.effect, outcome.detail, copy)
    return _access_while_unreachable(entry, policy, now, site_reachable=site_reachable)


def expire_if_incompatible(
    entry: CacheEntry, policy: AccessPolicy, *, max_bytes: int = DEFAULT_MAX_BYTES, misconfigured: bool = False
) -> CacheEntry:
    """Return `entry`, or mark it as expired if this client would make another entry from the same response.

    Args:
        policy: The policy of the client and of the entry.
        max_bytes: The parsing limit of the client.
        misconfigured: Whether the client knows that the site responds with 5xx for every missing page.
    Source: RFC 9309 section 2.5; Google's specification of 2019.
    """
    if _has_other_limit(entry, policy, max_bytes) or _has_other_kind(entry, policy, misconfigured=misconfigured):
        return entry._replace(next_fetch_at=min(entry.next_fetch_at, entry.fetched_at))
    return entry


def readable_entry(entry: CacheEntry, policy: AccessPolicy, max_bytes: int) -> CacheEntry:
    """Return an entry as a client with a parsing limit reads it: without a copy in which it reads no rules.

    Cost: O(bytes) for a copy that is longer than the limit and does not start like text.
    """
    unread = None if entry.copy is None else unread_outcome(entry.copy, policy, max_bytes)
    if unread is None:
        return entry
    is_current = entry.outcome.effect is Effect.CONDITIONAL_ALLOW
    return entry._replace(copy=None, outcome=unread if is_current else entry.outcome)


def unread_outcome(copy: CachedCopy, policy: AccessPolicy, max_bytes: int) -> Outcome | None:
    """Return how a client interprets a copy that was fetched under a higher limit, or None if it reads the rules.

    A copy can be too long for the policy, or look like a page as far as the client reads it.
    """
    if len(copy.content) <= max_bytes:
        return None
    response = Response(copy.url, copy.status, (), copy.content[: max_bytes + 1])
    outcome = evaluate_response(response, policy, max_bytes=max_bytes)
    return None if outcome.effect is Effect.CONDITIONAL_ALLOW else outcome


def is_truncated_for(copy: CachedCopy, max_bytes: int) -> bool:
    """Return whether a copy was truncated at a lower limit than `max_bytes`."""
    return copy.truncated_at is not None and copy.truncated_at < max_bytes


def _has_other_kind(entry: CacheEntry, policy: AccessPolicy, *, misconfigured: bool) -> bool:
    if policy.server_error == policy.misconfigured_server_error or entry.outcome.kind not in _SERVER_ERRORS:
        return False
    return entry.outcome.kind is not classify_status(_SERVER_ERROR, misconfigured=misconfigured)


def _has_other_limit(entry: CacheEntry, policy: AccessPolicy, max_bytes: int) -> bool:
    if entry.outcome.kind in _CUT_BODIES and entry.outcome.access is not Access.SUCCESSFUL:
        if entry.outcome.kind is OutcomeKind.NOT_ROBOTS and policy.oversize != "truncate":
            # The whole page is shorter than the limit of the fetch, but perhaps not than that of the client.
            return entry.max_bytes > max_bytes
        return entry.max_bytes < max_bytes
    if entry.copy is None or entry.outcome.access is Access.UNREACHABLE:
        return False
    return unread_outcome(entry.copy, policy, max_bytes) is not None or is_truncated_for(entry.copy, max_bytes)


def _access_while_unreachable(
    entry: CacheEntry, policy: AccessPolicy, now: float, *, site_reachable: bool | None
) -> EffectiveAccess:
    since = entry.fetched_at if entry.first_failure_at is None else entry.first_failure_at
    down_seconds = max(0.0, now - since)
    phase = [phase for phase in policy.while_unreachable if phase.from_seconds <= down_seconds][-1]
    value: str = phase.without_copy if entry.copy is None else phase.with_copy
    explanation = entry.outcome.detail
    if down_seconds >= 1:
        explanation += f" (unreachable for {_format_duration(down_seconds)})"
    if value == _SITE_DECIDES:
        value = Effect.FULL_ALLOW if site_reachable else Effect.FULL_DISALLOW
        explanation += _SITE_DETAIL[site_reachable]
    if value == _COPY and entry.copy is not None:
        explanation += "; using the last good copy"
        return EffectiveAccess(Access.UNREACHABLE, Effect.CONDITIONAL_ALLOW, explanation, entry.copy)
    return EffectiveAccess(Access.UNREACHABLE, Effect(value), explanation, None)


def _format_duration(seconds: float) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
