"""The rule of delays: a group of origins, or one origin, is never requested before its delay has passed."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import Any, Final
from weakref import WeakKeyDictionary

from canfetch.access.responses import Failure, Response
from canfetch.client.transports import TransportRequest
from simulation.plans import MAX_DELAY, Plan
from simulation.processes import Hold, current_hold
from simulation.rules import BrokenRule
from simulation.sites import AGENT, AsyncNetwork, Network, origin_of
from simulation.virtual_time import virtual_now

_TOLERANCE: Final = 0.001


class Pacing:
    """When groups were requested, and how long each of them has to be left alone.

    Args:
        plan: What happens.
        network: The sites.
        group_of: Returns the group of an origin that is requested.
    """

    def __init__(self, plan: Plan, network: Network, group_of: Callable[[str], str]) -> None:
        self._min_delay: float = plan.options["min_delay"]
        # With more, requests that were planned together come together.
        is_set_forward = plan.shared is not None and plan.shared.is_set_forward
        self._is_checked = plan.options["concurrency_per_origin"] == 1 and not is_set_forward
        # Times before a kill say nothing about the next life if the clock was set in between, or writes were lost.
        has_steps = bool(plan.clocks.steps) and plan.shared is None
        self._is_forgotten = has_steps or bool(plan.clocks.suspensions) or plan.loses_power
        self._loses_power = plan.loses_power
        self._network = network
        self._group_of = group_of
        # By group: its last request, or the end of the last one, with the turn.
        self._last: dict[str, tuple[float, Hold]] = {}
        # The same for robots.txt files. A process that is killed may have sent the request later than it noted.
        self._last_check: dict[str, tuple[float, Hold]] = {}
        # By group: until when its responses forbid requests.
        self._not_before: dict[str, float] = {}
        # The requests of each group that have not ended.
        self._open: defaultdict[str, list[Hold]] = defaultdict(list)
        # The delays of origins that have had a turn, by group. The crawl knows them, also after a kill.
        self._known: dict[str, dict[str, float]] = {}

    def begin_life(self) -> None:
        """Note that a process starts after another one has died."""
        self._open.clear()
        self._last_check.clear()
        if self._is_forgotten:
            self._last.clear()
            self._not_before.clear()
        if self._loses_power:
            self._known.clear()

    def forget(self, group: str) -> None:
        """Note that the requests to a group until now no longer delay those after them."""
        self._last.pop(group, None)
        self._last_check.pop(group, None)
        self._not_before.pop(group, None)

    def begin_turn(self, url: str, hold: Hold) -> None:
        """Check that the turn of a URL may begin now, and note it.

        Args: hold: The turn.
        Raises: BrokenRule.
        """
        origin = origin_of(url)
        group = self._group_of(origin)
        # Its robots.txt is known before the turn.
        self._known.setdefault(group, {})[origin] = self._lowest_delay(origin)
        self._begin(group, url, "handed out", "another page", hold)
        self._last[group] = virtual_now(), hold

    def release_turn(self, url: str, hold: Hold) -> None:
        """Note that a turn is about to end."""
        with suppress(ValueError):
            self._open[self._group_of(origin_of(url))].remove(hold)

    def end_turn(self, url: str, hold: Hold, at: float, retry_after: float | None) -> None:
        """Note that a turn has ended.

        Args: at: When.
        """
        self.release_turn(url, hold)
        group = self._group_of(origin_of(url))
        if not hold.is_lost():
            self._last[group] = at, hold.process.hold(group)._replace(at=at)
            self._not_before[group] = max(self._not_before.get(group, -inf), at + (retry_after or 0.0))

    def begin_check(self, url: str) -> tuple[str, Hold]:
        """Check that a robots.txt may be requested now, note it, and return its group with what the process has.

        Raises: BrokenRule.
        """
        group = self._group_of(origin_of(url))
        hold = current_hold(group)
        self._begin(group, url, "requested", "another request", hold)
        self._last_check[group] = virtual_now(), hold
        return group, hold

    def follow(self, group: str, hold: Hold) -> None:
        """Note that the request for a robots.txt of a group was redirected, and the target is requested."""
        self._open[group].append(hold)

    def end_check(self, group: str, hold: Hold) -> None:
        """Note that a request for a robots.txt has ended."""
        with suppress(ValueError):
            self._open[group].remove(hold)
        if not hold.is_lost():
            self._last_check[group] = virtual_now(), hold

    def _begin(self, group: str, url: str, event: str, other: str, hold: Hold) -> None:
        now = virtual_now()
        at = f"at {now:.3f} s: {url}"
        if self._is_checked and not hold.is_late:
            self._open[group] = [each for each in self._open[group] if not each.is_lost()]
            if self._open[group]:
                raise BrokenRule(f"{at} is requested during another request of {group}")
            passed = now - self._last_request(group)
            delay = self._delay(group)
            if passed < delay - _TOLERANCE:
                raise BrokenRule(f"{at} is {event} {passed:.3f} s after {other}, and the delay is {delay} s")
            early = self._not_before.get(group, -inf) - now
            if early > _TOLERANCE:
                raise BrokenRule(f"{at} is requested {early:.3f} s before the end of a Retry-After")
        self._open[group].append(hold)

    def _last_request(self, group: str) -> float:
        """Return when a group was requested last, as far as the crawl has to know it."""
        at = -inf
        if group in self._last:
            last_at, hold = self._last[group]
            at = hold.at if hold.is_lost() else last_at
        if group in self._last_check:
            last_at, hold = self._last_check[group]
            at = at if hold.is_lost() else max(at, last_at)
        return at

    def _delay(self, group: str) -> float:
        """Return the longest delay that the crawl has to know, of the origins of a group."""
        known = self._known.get(group, {})
        for origin, delay in known.items():
            known[origin] = min(delay, self._lowest_delay(origin))
        return max(self._min_delay, min(max(known.values(), default=0.0), MAX_DELAY))

    def _lowest_delay(self, origin: str) -> float:
        files = [delivery.robots for delivery in self._network.last_known(origin)]
        return min((0.0 if robots is None else robots.crawl_delay(agent=AGENT) or 0.0 for robots in files), default=0.0)


class PacedNetwork(AsyncNetwork):
    """The transport of a crawl whose requests for robots.txt files are requests to groups, too.

    A request after a redirect is one to the group that was redirected, whatever its target is.
    """

    def __init__(self, network: Network, pacing: Pacing) -> None:
        super().__init__(network)
        self._pacing = pacing
        # The targets of redirects, with the groups that were asked, by the tasks that follow them.
        self._targets = WeakKeyDictionary[asyncio.Task[Any], tuple[str, tuple[str, Hold]]]()

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Answer a request."""
        task = asyncio.current_task()
        assert task is not None
        target, check = self._targets.pop(task, ("", None))
        if target == request.url and check is not None:
            self._pacing.follow(*check)
        else:
            check = self._pacing.begin_check(request.url)
        answer = await super().send(request)
        self._pacing.end_check(*check)
        if isinstance(answer, Response) and 300 <= answer.status < 400:
            self._targets[task] = answer.header("location") or "", check
        return answer
