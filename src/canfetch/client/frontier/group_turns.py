"""The turns of groups of origins, for frontiers that do not group by origin.

A row of the queue is a group then, with the URLs of all its origins, so that the group has one request at a time and
one delay, also over several processes. Each origin has its own robots.txt, whose request is one of the group. URLs of
an origin that cannot be requested now are delayed, and the other origins of the group have turns.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Final, NamedTuple

from canfetch.access.pacing import DelayMode, Pace
from canfetch.client.frontier.clocks import OUTSIDE_VISIT_TIME, Moment
from canfetch.client.frontier.grouping import Resolver, resolved_group, unresolved_host
from canfetch.client.frontier.origin_checks import CheckResult, OriginChecks, RequestPermission, recheck_delay
from canfetch.client.frontier.origin_turns import DECIDED_URLS, AllowedURL, NextTurn
from canfetch.client.frontier.queue_values import Phase, QueuedOrigin, QueuedURL, TurnStart
from canfetch.client.frontier.turn import SkippedURL
from canfetch.client.frontier.url_queue import URLQueue
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.verdict import ClientVerdict
from canfetch.errors import InvalidURL, RequestNotSent

# The number of origins and hosts that are remembered as uncheckable.
_MAX_UNCHECKABLE: Final = 2000
# The number of groups for which it is known that files of them have been obtained.
_MAX_CHECKED: Final = 100_000
# No crawl delay is longer, and sums with it are exact.
_LONGEST: Final = 1e9


class _Uncheckable(NamedTuple):
    """An origin whose robots.txt cannot be obtained until a time, or a host whose lookup failed.

    Its URLs wait, or are dropped.
    """

    until: float
    problem: str
    is_given_up: bool
    newest_url: float


class _Check(NamedTuple):
    """The check of an origin of a group with a delay. `requested` is not empty once its robots.txt is requested."""

    name: str
    delay: float
    requested: list[bool]


class _Pass:
    """The URLs that are looked at for one turn, and have none."""

    def __init__(self) -> None:
        self.skipped: list[int] = []
        self.delayed: dict[tuple[float, str | None], list[int]] = {}

    def delay(self, queued: QueuedURL, until: float, error: str | None) -> None:
        """Let a URL wait until a time."""
        self.delayed.setdefault((until, error), []).append(queued.id)


class GroupTurns:
    """Decides which URL of a group is next.

    Args:
        queue: The queue, whose origins are groups.
        checks: The checks.
        bounds: The crawler's own limits.
        agent: The agent that the rules are for.
        max_unreachable: Seconds after which the URLs of an unreachable origin are skipped, and those of a host whose
            lookups raise exceptions.
        is_given_up: Returns whether the URLs of a group are skipped because its turns have failed.
        report: Called with each URL before it is dropped.
        record: Records the decision about a URL.
        resolver: Returns the addresses of a host. Only for crawls that are grouped by address.
        notify: Called after each lookup of addresses.
        now: Returns the present moment.
    """

    def __init__(
        self,
        queue: URLQueue,
        checks: OriginChecks,
        *,
        bounds: Pace,
        agent: Agent,
        max_unreachable: float,
        is_given_up: Callable[[QueuedOrigin], bool],
        report: Callable[[SkippedURL], None],
        record: Callable[[str, ClientVerdict, OriginState], None],
        resolver: Resolver,
        notify: Callable[[], None],
        now: Callable[[], Moment],
    ) -> None:
        self._queue = queue
        self._checks = checks
        self._bounds = bounds
        # A request rate is not the length of a window, so it is not part of the delay of a group then.
        self._has_windows = bounds.delay_mode is DelayMode.WINDOW
        self._agent = agent
        self._max_unreachable = max_unreachable
        self._is_given_up = is_given_up
        self._report = report
        self._record = record
        self._resolver = resolver
        self._notify = notify
        self._now = now
        # The checks that run.
        self._running: dict[int, _Check] = {}
        # The groups whose addresses are looked up, and the IDs of their newest URLs before that.
        self._lookups: dict[asyncio.Task[str], tuple[QueuedOrigin, float]] = {}
        self._uncheckable: OrderedDict[str, _Uncheckable] = OrderedDict()
        # The groups that have had a check, or whose hosts are given up. In the order of the last one.
        self._checked: OrderedDict[int, None] = OrderedDict()

    def is_ready(self, group: int, now: float) -> bool:  # noqa: ARG002 - origins need the time
        """Return whether a group that is due has had a check. `choose` finds whether its next URL needs another one."""
        return group in self._checked

    def choose(self, group: QueuedOrigin, now: Moment) -> NextTurn | None:
        """Return the next turn of a ready group. If it has none now, let it wait for a check or a time."""
        if unresolved_host(group.name) is not None and self._given_up(group.name, now) is None:
            self._queue.set_phases([(Phase.UNCHECKED, group.id)])
            return None
        pace = self._pace(group.delay)
        at = _next_request_at(group, pace, now)
        if at > now.at:
            self._queue.wait(group.id, at)
            return None
        self._queue.queue_due_urls(group.id, now.at)
        seen = _Pass()
        try:
            first = self._choose(group, now, seen)
        except BaseException:
            # The URLs that were reported are dropped, so that the iteration can go on after the exception.
            self._queue.wait(group.id, now.at, skipped=seen.skipped)
            raise
        for (until, error), urls in seen.delayed.items():
            self._queue.delay_urls(group.id, urls, until, error=error)
        if isinstance(first, str):
            if seen.skipped:
                self._queue.skip(group.id, seen.skipped)
            self._queue.set_phases([(Phase.UNCHECKED, group.id)])
            return None
        if first is None:
            # There may be more URLs than those that were looked at.
            self._queue.wait(group.id, now.at, skipped=seen.skipped)
            return None
        self._record(first.queued.url, first.verdict, first.state)
        due_at = now.next_request_at(first.pace, last_request_at=now.at)
        start = TurnStart(group.id, first.queued.id, due_at, seen.skipped)
        return NextTurn(group, first.queued, first.verdict, first.pace, start)

    def start_checks(self, limit: int) -> int:
        """Obtain the robots.txt files or addresses that groups need for their next turns. Return how many groups do.

        Args: limit: The largest number.
        """
        groups = self._queue.next_unchecked(limit)
        now = self._now()
        for group in groups:
            if self._given_up(group.name, now) is not None or self._is_given_up(group):
                # Its next turn skips its URLs.
                self._queue.set_phases([(Phase.READY, group.id)])
                continue
            host = unresolved_host(group.name)
            if host is not None:
                self._queue.set_phases([(Phase.CHECKING, group.id)])
                lookup = asyncio.create_task(resolved_group(host, self._resolver), name=f"canfetch address {host}")
                self._lookups[lookup] = group, self._queue.newest_url(group.id)
                lookup.add_done_callback(lambda _: self._notify())
                continue
            name = self._needed(group)
            at = _next_request_at(group, self._pace(group.delay), now)
            if at > now.at:
                # Another turn of the group has ended since.
                self._queue.wait(group.id, at)
                continue
            if name is None or self._needs_no_check(name, now):
                self._queue.set_phases([(Phase.READY, group.id)])
                continue
            self._queue.set_phases([(Phase.CHECKING, group.id)])
            check = self._running[group.id] = _Check(name, group.delay, [])
            newest_url = self._queue.newest_url(group.id)
            permission = RequestPermission(
                partial(self._request, group, check), partial(self._queue.has_origin, group.id)
            )
            self._checks.start(group._replace(name=name), newest_url, permission)
        return len(groups)

    def _needs_no_check(self, name: str, now: Moment) -> bool:
        """Return whether `take` can decide about the URLs of an origin as it is."""
        uncheckable = self._uncheckable.get(name)
        if uncheckable is not None and now.at < uncheckable.until:
            return True
        return self._checks.is_known(name, now.wall)

    def _needed(self, group: QueuedOrigin) -> str | None:
        """Return the origin whose robots.txt the next turn needs: that of the first URL, which `take` has left."""
        for queued in self._queue.first_urls(group.id, 1):
            try:
                return str(Origin.from_url(queued.url))
            except InvalidURL:
                # It was added since, and `take` drops it.
                return None
        return None

    async def end_checks(self, results: list[CheckResult]) -> BaseException | None:
        """Use the results of lookups and checks that have ended. Return an unexpected exception of one of them.

        Args: results: Those that have been used are removed, also if this raises.
        """
        unexpected = self._end_lookups()
        while results:
            result = results[0]
            group, name = result.origin.id, result.origin.name
            now = self._now()
            if not result.is_known and not isinstance(result.error, RequestNotSent):
                unexpected = unexpected or result.error
            check = self._running.get(group)
            if check is None or check.name != name:
                # The group was lost during the check.
                self._checks.release([group])
                del results[0]
                continue
            if not result.is_known:
                self._note_uncheckable(name, result, now)
            delay = None if result.pace is None else self._longest_delay(result.pace)
            requested_at = now.at if check.requested else None
            longest = self._pace(max(result.origin.delay, delay or 0.0), result.pace)
            due_at = now.next_request_at(longest, last_request_at=requested_at)
            group_delay = self._queue.note_check(group, name, requested_at=requested_at, due_at=due_at, delay=delay)
            if group_delay is not None:
                due_at = now.next_request_at(self._pace(group_delay, result.pace), last_request_at=requested_at)
                self._checks.set_due(group, due_at)
                self._note_checked(group)
                self._queue.wait(group, due_at, keeps=True)
            else:
                self._checks.release([group])
            for target in result.targets:
                self._queue.note_request(target, now.at)
            del self._running[group], results[0]
        return unexpected

    def release(self, groups: Iterable[int]) -> None:
        """Forget what is under way for groups that this frontier has lost."""
        lost = list(groups)
        for group in lost:
            self._running.pop(group, None)
            self._checked.pop(group, None)
        self._checks.release(lost)

    def _note_checked(self, group: int) -> None:
        self._checked.pop(group, None)
        self._checked[group] = None
        if len(self._checked) > _MAX_CHECKED:
            self._checked.popitem(last=False)

    def _end_lookups(self) -> BaseException | None:
        unexpected: BaseException | None = None
        for lookup, (group, newest_url) in [each for each in self._lookups.items() if each[0].done()]:
            error = None if lookup.cancelled() else lookup.exception()
            if error is None and not lookup.cancelled():
                self._queue.resolve(group.id, lookup.result())
            else:
                result = self._checks.note_failure(group, error, newest_url)
                failed = self._note_uncheckable(group.name, result, self._now())
                # The next turn skips the URLs of a host that was given up.
                at = self._now().at if failed.is_given_up else failed.until
                if failed.is_given_up:
                    self._note_checked(group.id)
                self._queue.wait(group.id, at, problem=result.problem, keeps=failed.is_given_up)
                unexpected = unexpected or (None if isinstance(error, RequestNotSent) else error)
            del self._lookups[lookup]
        return unexpected

    @property
    def free_slots(self) -> int:
        """The number of checks and lookups that can be started."""
        return max(0, self._checks.free_slots - len(self._lookups))

    def end_requests(self) -> None:
        """Count requests for robots.txt files that have not ended as ended now, before the queue is closed."""
        now = self._now()
        for group, check in self._running.items():
            if check.requested:
                due_at = now.next_request_at(self._pace(check.delay), last_request_at=now.at)
                self._queue.note_check(group, check.name, requested_at=now.at, due_at=due_at)

    @property
    def tasks(self) -> Collection[asyncio.Task[str]]:
        """The lookups that run."""
        return self._lookups.keys()

    def _request(self, group: QueuedOrigin, check: _Check) -> bool:
        """Note that a robots.txt is requested now. Return whether it may be: this frontier still has the group."""
        if self._running.get(group.id) is not check:
            return False
        now = self._now()
        due_at = now.next_request_at(self._pace(group.delay), last_request_at=now.at)
        if self._queue.note_check(group.id, check.name, requested_at=now.at, due_at=due_at) is None:
            # Another process has it.
            del self._running[group.id]
            return False
        check.requested.append(True)
        return True

    def _choose(self, group: QueuedOrigin, now: Moment, seen: _Pass) -> AllowedURL | str | None:
        """Return the next URL of a group, or the origin whose robots.txt it needs, or None if it has no URL now.

        The disallowed URLs are reported. Those that follow are decided as well, so that a group without allowed URLs
        does not wait for its next turn.
        """
        first: AllowedURL | None = None
        used = self._checks.use_awaited(group.id, now.wall)
        unresolved = self._given_up(group.name, now)
        for queued in self._queue.first_urls(group.id, DECIDED_URLS):
            try:
                name = str(Origin.from_url(queued.url))
            except InvalidURL as error:
                # An older version accepted it.
                self._skip(queued, None, seen, str(error))
                continue
            if self._waits_for_check(queued, unresolved or self._uncheckable.get(name), now, seen):
                continue
            checked = used.get(name) or self._checks.use(name, now.wall)
            if checked is None:
                # The file of a site that cannot be visited now is not requested again for each of its URLs.
                if _waits_for_visit(queued, self._checks.last_pace(name, now.wall), now, seen):
                    continue
                return first or name
            used[name] = checked
            again_at = self._checks.retry_at(name, checked.state, now)
            if again_at is not None and not self._checks.is_given_up(name, queued.id):
                seen.delay(queued, again_at, checked.state.entry.outcome.detail)
                continue
            if first is not None and checked.state.allows(queued.url, self._agent, now.wall):
                break
            verdict = checked.state.decide(queued.url, self._agent, now.wall)
            if not verdict.allowed:
                self._record(queued.url, verdict, checked.state)
                self._skip(queued, verdict, seen)
                continue
            if _waits_for_visit(queued, checked.pace, now, seen):
                continue
            pace = self._pace(max(group.delay, self._longest_delay(checked.pace)), checked.pace)
            first = AllowedURL(queued, verdict, checked.state, pace)
        return first

    def _waits_for_check(self, queued: QueuedURL, uncheckable: _Uncheckable | None, now: Moment, seen: _Pass) -> bool:
        """Let a URL wait, or skip it, if its robots.txt or its host cannot be checked. Return whether that is so."""
        if uncheckable is None or now.at >= uncheckable.until:
            return False
        if uncheckable.is_given_up and queued.id <= uncheckable.newest_url:
            self._skip(queued, None, seen, uncheckable.problem)
        else:
            seen.delay(queued, uncheckable.until, uncheckable.problem)
        return True

    def _skip(self, queued: QueuedURL, verdict: ClientVerdict | None, seen: _Pass, error: str | None = None) -> None:
        # Reported before it is dropped: a crawl that is killed in between reports it again.
        seen.skipped.append(queued.id)
        self._report(SkippedURL(queued.url, verdict, error))

    def _note_uncheckable(self, name: str, result: CheckResult, now: Moment) -> _Uncheckable:
        is_given_up = (result.failing_seconds or 0.0) > self._max_unreachable
        until = now.at + recheck_delay(result)
        self._uncheckable.pop(name, None)
        noted = self._uncheckable[name] = _Uncheckable(until, result.problem, is_given_up, result.newest_url)
        if len(self._uncheckable) > _MAX_UNCHECKABLE:
            self._uncheckable.popitem(last=False)
        return noted

    def _given_up(self, name: str, now: Moment) -> _Uncheckable | None:
        """Return why the URLs of a host without a known address are skipped now, if they are."""
        noted = self._uncheckable.get(name)
        return noted if noted is not None and noted.is_given_up and now.at < noted.until else None

    def _pace(self, delay: float, declared: Pace | None = None) -> Pace:
        """Return the limits of a group.

        Args:
            delay: Its delay.
            declared: The limits that the file of the requested origin sets.
        """
        pace = self._bounds._replace(crawl_delay=delay)
        return pace._replace(request_rates=declared.request_rates) if declared and self._has_windows else pace

    def _longest_delay(self, pace: Pace) -> float:
        """Return the longest delay that a file declares. Request rates count, whatever their time of day."""
        rates = () if self._has_windows else pace.request_rates
        return min(max([pace.crawl_delay or 0.0, *(rate.interval for rate in rates)]), _LONGEST)


def _next_request_at(group: QueuedOrigin, pace: Pace, now: Moment) -> float:
    return now.next_request_at(pace, last_request_at=group.last_request_at, retry_at=group.retry_at)


def _waits_for_visit(queued: QueuedURL, pace: Pace | None, now: Moment, seen: _Pass) -> bool:
    """Let a URL wait if it is outside the Visit-time of its site, as far as that is known. Return whether it is."""
    visits = Pace() if pace is None else Pace(visit_times=pace.visit_times)
    visit_at = now.next_request_at(visits, last_request_at=None)
    if visit_at <= now.at:
        return False
    seen.delay(queued, visit_at, OUTSIDE_VISIT_TIME)
    return True
