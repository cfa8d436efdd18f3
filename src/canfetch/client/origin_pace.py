"""The limits on a crawler's requests that the robots.txt of an origin declares."""

from typing import Final

from canfetch.access.pacing import Pace
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.verdict import Access, Effect

# The number of rates and windows of a file that count. A file can declare thousands.
_MAX_LIMITS: Final = 50


def declared_pace(state: OriginState, agent: Agent, bounds: Pace) -> Pace:
    """Return `bounds` with the limits that the file of an origin declares for `agent`.

    Args: bounds: The bounds and the delay mode.
    Cost: O(records other than rules and user-agent lines).
    """
    # The rules of a copy can apply to an unreachable origin.
    if state.file is None or (
        state.entry.outcome.access is not Access.UNREACHABLE
        and state.entry.outcome.effect is not Effect.CONDITIONAL_ALLOW
    ):
        return bounds
    robots = state.file.parse()
    rates = sorted(dict.fromkeys(robots.request_rates(agent=agent)), key=lambda rate: rate.interval, reverse=True)
    windows = dict.fromkeys(robots.visit_times(agent=agent))
    return bounds._replace(
        crawl_delay=robots.crawl_delay(agent=agent),
        request_rates=tuple(rates[:_MAX_LIMITS]),
        visit_times=tuple(windows)[:_MAX_LIMITS],
    )
