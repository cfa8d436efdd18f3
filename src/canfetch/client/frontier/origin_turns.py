"""The turns of origins, for frontiers that group URLs by origin. Those of other groups are in `group_turns.py`."""

import asyncio
from collections.abc import Callable, Collection, Iterable
from math import inf
from typing import Final, NamedTuple

from canfetch.access.pacing import Pace
from canfetch.client.frontier.awaited_files import CheckedOrigin
from canfetch.client.frontier.clocks import FrontierClocks, Moment
from canfetch.client.frontier.origin_checks import CheckResult, OriginChecks, recheck_delay
from canfetch.client.frontier.queue_values import Phase, QueuedOrigin, QueuedURL, TurnStart
from canfetch.client.frontier.turn import SkippedURL
from canfetch.client.frontier.url_queue import URLQueue
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin, find_origin
from canfetch.core.verdict import ClientVerdict
from canfetch.errors import InvalidURL, RequestNotSent

# The number of queued URLs of an origin or group that are decided for one turn.
DECIDED_URLS: Final = 50


class NextTurn(NamedTuple):
    """The next turn of an origin or group, which is to be started."""

    origin: QueuedOrigin
    queued: QueuedURL
    verdict: ClientVerdict
    pace: Pace
    start: TurnStart


class AllowedURL(NamedTuple):
    """The first queued URL of an origin or group that may be fetched."""

    queued: QueuedURL
    verdict: ClientVerdict
    state: OriginState
    pace: Pace


class OriginTurns:
    """Decides which URL of an origin is next.

    Args:
        queue: The queue.
        checks: The checks.
        clocks: The clocks of the frontier.
        agent: The agent that the rules are for.
        max_unreachable: Seconds after which the URLs of an unreachable origin are skipped.
        is_given_up: Returns whether the URLs of an origin are skipped because its turns have failed.
        report: Called with each URL before it is dropped.
        record: Records the decision about a URL.
    """

    def __init__(
        self,
        queue: URLQueue,
        checks: OriginChecks,
        clocks: FrontierClocks,
        *,
        agent: Agent,
        max_unreachable: float,
        is_given_up: Callable[[QueuedOrigin], bool],
        report: Callable[[SkippedURL], None],
        record: Callable[[str, ClientVerdict, OriginState], None],
    ) -> None:
        self._queue = queue
        self._checks = checks
        self._clocks = clocks
        self._agent = agent
        self._max_unreachable = max_unreachable
        self._is_given_up = is_given_up
        self._report = report
        self._record = record

    @property
    def free_slots(self) -> int:
        """The number of checks that can be started."""
        return self._checks.free_slots

    def is_ready(self, origin: int, now: float) -> bool:
        """Return whether an origin that is due needs no check.

        Args: now: The epoch time by the wall clock.
        """
        return self._checks.is_known(origin, now)

    def choose(self, origin: QueuedOrigin, now: Moment) -> NextTurn | None:
        """Return the next turn of a ready origin. If it has none now, let it wait for a check or a time."""
        checked = self._checks.use(origin.id, now.wall)
        if checked is None:
            if origin.retry_at is not None and now.at < origin.retry_at:
                # It was deferred during its check.
                self._queue.wait(origin.id, origin.retry_at)
            else:
                self._queue.set_phases([(Phase.UNCHECKED, origin.id)])
            return None
        skipped: list[int] = []
        self._queue.queue_due_urls(origin.id, now.at)
        again_at = self._checks.retry_at(origin.id, checked.state, now)
        newer: list[int] = []
        try:
            first = self._decide_first(origin, checked, now.wall, skipped, None if again_at is None else newer)
        except BaseException:
            # The URLs that were reported are dropped, so that the iteration can go on after the exception.
            self._queue.wait(origin.id, now.at, skipped=skipped)
            raise
        if again_at is not None and first is None:
            detail = checked.state.entry.outcome.detail
            if skipped and newer:
                # So that the next ones are looked at now.
                self._queue.delay_urls(origin.id, newer, again_at, error=detail)
            self._queue.wait(origin.id, now.at if skipped else again_at, skipped=skipped, problem=detail)
            return None
        at = now.next_request_at(checked.pace, last_request_at=origin.last_request_at, retry_at=origin.retry_at)
        if first is None or at > now.at:
            problem = now.visit_problem(checked.pace, last_request_at=origin.last_request_at, retry_at=origin.retry_at)
            self._queue.wait(origin.id, at, skipped=skipped, problem=problem)
            return None
        self._record(first.queued.url, first.verdict, first.state)
        due_at = now.next_request_at(checked.pace, last_request_at=now.at)
        start = TurnStart(origin.id, first.queued.id, due_at, skipped)
        return NextTurn(origin, first.queued, first.verdict, checked.pace, start)

    def start_checks(self, limit: int) -> int:
        """Obtain the next robots.txt files. Return their number.

        Args: limit: The largest number.
        """
        origins = self._queue.next_unchecked(limit)
        # The next turn of one that is given up skips its URLs, and needs no file.
        checked = [origin for origin in origins if not self._is_given_up(origin)]
        needed = {origin.id for origin in checked}
        self._queue.set_phases(
            (Phase.CHECKING if origin.id in needed else Phase.READY, origin.id) for origin in origins
        )
        for origin in checked:
            self._checks.start(origin, self._queue.newest_url(origin.id))
        return len(origins)

    async def end_checks(self, results: list[CheckResult]) -> BaseException | None:
        """Use the results of checks that have ended. Return an unexpected exception of one of them.

        Args: results: Those that have been used are removed, also if this raises.
        """
        self._queue.set_phases(
            (Phase.READY if result.is_known else Phase.UNCHECKED, result.origin.id) for result in results
        )
        failed = [result for result in results if not result.is_known]
        results.clear()
        unexpected: BaseException | None = None
        dropped: list[CheckResult] = []
        for result in failed:
            if find_origin(f"{result.origin.name}/") is None:
                dropped.append(result._replace(newest_url=inf))
                continue
            if (result.failing_seconds or 0.0) > self._max_unreachable:
                dropped.append(result)
                continue
            self._queue.wait(result.origin.id, self._clocks.at() + recheck_delay(result), problem=result.problem)
            if not isinstance(result.error, RequestNotSent):
                unexpected = unexpected or result.error
        for result in dropped:
            await self._drop_all(result)
        return unexpected

    def release(self, origins: Iterable[int]) -> None:
        """Release origins that this frontier has lost. Their robots.txt files are held for a next turn."""
        self._checks.release(origins)

    def end_requests(self) -> None:
        """Do nothing: requests for robots.txt files do not count."""

    @property
    def tasks(self) -> Collection[asyncio.Task[str]]:
        """The lookups that run: none, because the names of origins are not looked up."""
        return ()

    async def _drop_all(self, result: CheckResult) -> None:
        """Report and drop the URLs of an origin from before its check. The next check continues if this is interrupted.

        Args: result: The check, which says why they cannot be fetched.
        """
        origin = result.origin.id
        again_at = self._clocks.at() + recheck_delay(result)
        self._queue.queue_due_urls(origin, inf)
        try:
            while self._queue.is_open and (urls := list(self._queue.first_urls(origin, DECIDED_URLS))):
                skipped: list[int] = []
                newer = [queued.id for queued in urls if queued.id > result.newest_url]
                if newer:
                    self._queue.delay_urls(origin, newer, again_at, error=result.problem)
                try:
                    for queued in urls:
                        if queued.id <= result.newest_url:
                            skipped.append(queued.id)
                            self._report(SkippedURL(queued.url, None, result.problem))
                finally:
                    self._queue.skip(origin, skipped)
                await asyncio.sleep(0)
        finally:
            if self._queue.is_open:
                self._queue.wait(origin, again_at, problem=result.problem)

    def _decide_first(
        self, origin: QueuedOrigin, checked: CheckedOrigin, now: float, skipped: list[int], newer: list[int] | None
    ) -> AllowedURL | None:
        """Return the first allowed URL of an origin, and add the disallowed URLs to `skipped`.

        The disallowed URLs are reported. Those that follow are decided as well, so that an origin without allowed URLs
        does not wait for its next turn.

        Args: newer: The URLs for which an unreachable origin is requested again are added here. None for others.
        """
        first: AllowedURL | None = None
        for queued in self._queue.first_urls(origin.id, DECIDED_URLS):
            if newer is not None and not self._checks.is_given_up(origin.id, queued.id):
                newer.append(queued.id)
                continue
            problem = _problem_of(queued.url, origin.name)
            if problem is not None:
                skipped.append(queued.id)
                self._report(SkippedURL(queued.url, None, problem))
                continue
            if first is not None and checked.state.allows(queued.url, self._agent, now):
                break
            verdict = checked.state.decide(queued.url, self._agent, now)
            if verdict.allowed:
                first = AllowedURL(queued, verdict, checked.state, checked.pace)
                continue
            # Reported before it is dropped: a crawl that is killed in between reports it again.
            self._record(queued.url, verdict, checked.state)
            skipped.append(queued.id)
            self._report(SkippedURL(queued.url, verdict))
        return first


def _problem_of(url: str, origin: str) -> str | None:
    """Return why a stored URL is not one of its origin: an older version accepted it, or it is damaged."""
    if url.startswith(f"{origin}/"):
        return None
    try:
        found = Origin.from_url(url)
    except InvalidURL as error:
        return str(error)
    return None if str(found) == origin else f"damaged: stored as a URL of {origin}"
