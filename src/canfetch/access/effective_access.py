"""What holds for an origin at a time: the state machine read off an entry.

Source: RFC 9309 sections 2.3.1.4 and 2.4; Google's 12 hours and 30 days.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from canfetch.access.entries import Copy, Entry
from canfetch.access.outcomes import Access, Effect
from canfetch.access.policies import AccessPolicy

# The clocks of workers that share a store may differ by so much.
MAX_CLOCK_SKEW: Final = 300.0


_SITE_ANSWERS: Final = {
    True: ", the site answers",
    False: ", the site does not answer",
    None: ", whether the site answers was not said",
}


class FetchNeed(StrEnum):
    """Whether the robots.txt should be fetched now."""

    NO = "no"  # what is known is fresh, or the wait after a failure is not over
    SOON = "soon"  # stale, but good enough to answer with while somebody fetches
    NOW = "now"  # nothing known answers


class EffectiveAccess(NamedTuple):
    """What holds now: the effect, which rule of access decided, and the copy whose rules count, if any."""

    access: Access
    effect: Effect
    explanation: str
    copy: Copy | None


def is_from_future(entry: Entry, *, now: float) -> bool:
    """Say whether an entry was made later than now, by more than the clocks of a fleet differ.

    Such an entry is that of a clock that was wrong, then or now; how old it is nobody knows, and so it is due.
    """
    return entry.fetched_at > now + MAX_CLOCK_SKEW


def fetch_need(entry: Entry | None, *, now: float, stale_while_revalidate: float = 0.0) -> FetchNeed:
    """Say whether to fetch.

    Args: stale_while_revalidate: seconds for which an expired answer may still be used during a refresh.
    """
    if entry is None or is_from_future(entry, now=now):
        return FetchNeed.NOW
    if now < entry.next_fetch_at:
        return FetchNeed.NO
    if entry.outcome.access is not Access.UNREACHABLE and now < entry.next_fetch_at + stale_while_revalidate:
        return FetchNeed.SOON
    return FetchNeed.NOW


def effective_access(
    entry: Entry, policy: AccessPolicy, *, now: float, site_answers: bool | None = None
) -> EffectiveAccess:
    """Say what holds.

    Args:
        site_answers: whether the site's other pages can be fetched, where somebody knows; for a policy that
            asks, None is no permission.
    """
    outcome = entry.outcome
    if outcome.effect is Effect.CONDITIONAL_ALLOW and entry.copy is None:
        # Only a hand-made entry has rules without a file; no file is no permission.
        return EffectiveAccess(Access.UNREACHABLE, Effect.FULL_DISALLOW, "the copy is missing", None)
    if outcome.effect is not None:
        copy = entry.copy if outcome.effect is Effect.CONDITIONAL_ALLOW else None
        return EffectiveAccess(outcome.access, outcome.effect, outcome.detail, copy)
    return _while_unreachable(entry, policy, now, site_answers=site_answers)


def _while_unreachable(entry: Entry, policy: AccessPolicy, now: float, *, site_answers: bool | None) -> EffectiveAccess:
    since = entry.fetched_at if entry.first_failure_at is None else entry.first_failure_at
    down_seconds = max(0.0, now - since)
    phase = [phase for phase in policy.while_unreachable if phase.from_seconds <= down_seconds][-1]
    value = phase.without_copy if entry.copy is None else phase.with_copy
    detail = entry.outcome.detail
    if down_seconds >= 1:
        detail += f", for {_span(down_seconds)} now"
    if value == "site-decides":
        value = "full-allow" if site_answers else "full-disallow"
        detail += _SITE_ANSWERS[site_answers]
    if value == "copy" and entry.copy is not None:
        return EffectiveAccess(
            Access.UNREACHABLE, Effect.CONDITIONAL_ALLOW, f"{detail}: the last good copy counts", entry.copy
        )
    return EffectiveAccess(Access.UNREACHABLE, Effect(value), detail, None)


def _span(seconds: float) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
