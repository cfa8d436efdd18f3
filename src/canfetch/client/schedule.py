"""Polite crawling without a framework: URLs are yielded when their origins may be requested.

Each origin has a queue of its own. The queue whose next request is due first is served first, so a slow origin delays
no other, and a long queue gets no more than its share.
"""

import asyncio
import heapq
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from typing import Any, Final, NamedTuple

from canfetch.access.effective_access import FetchNeed
from canfetch.access.outcomes import Effect
from canfetch.access.pacing import DelayMode, Pace, next_request_at, parse_delay_mode
from canfetch.access.retries import MAX_RETRY_AFTER, parse_retry_after
from canfetch.client.async_client import AsyncClient
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent, as_agent
from canfetch.core.origin import Origin
from canfetch.core.verdict import ClientVerdict
from canfetch.errors import InvalidURL

MAX_QUEUED_URLS: Final = 100_000
MAX_CONCURRENT_FETCHES: Final = 256
MAX_PENDING_REPORTS: Final = 1000


class ScheduledURL(NamedTuple):
    """A URL that may be fetched now, or one that may not be fetched at all.

    Attributes:
        url: The URL, as it was passed to the schedule.
        verdict: The verdict, or None if `url` is invalid.
        error: The reason why `url` is invalid, or None.
    """

    url: str
    verdict: ClientVerdict | None
    error: str | None = None

    @property
    def allowed(self) -> bool:
        """Whether to fetch the URL now."""
        return self.verdict is not None and self.verdict.allowed


class _OriginQueue:
    """The queued URLs of one origin, its state and limits, and the times of its last and its next request."""

    __slots__ = ("last_request_at", "pace", "retry_at", "state", "urls")

    def __init__(self) -> None:
        self.urls: deque[str] = deque()
        self.state: OriginState | None = None
        self.pace = Pace()
        self.last_request_at: float | None = None
        self.retry_at: float | None = None


class _DueOrigin(NamedTuple):
    """An origin with queued URLs, ordered by the time of its next request, and by `sequence` at equal times."""

    at: float
    sequence: int
    origin: Origin


class _IdleOrigin(NamedTuple):
    """An origin without queued URLs, and the time of its last request."""

    last_request_at: float
    origin: Origin


class Schedule:
    """An asynchronous iterator that yields each URL as a `ScheduledURL` when its origin may be requested.

    Invalid URLs and network errors raise no exception. They are yielded with an `error` or a verdict.

    Args:
        client: The client that fetches robots.txt files and decides.
        urls: Absolute URLs of any origins in any order. The iterable is read as the queues have space.
        agent: The agent, if it is not the agent of the client.
        min_delay: Shortest time between two requests to one origin in seconds, whatever the file declares.
        max_delay: Longest time between two requests to one origin in seconds, whatever the file declares.
        delay_mode: What a crawl delay means, as a `DelayMode` or its name: the time between two requests, or the length
            of Bing's time windows with one request in each.
        include_disallowed: Whether to yield URLs that may not be fetched, with their verdicts. They are yielded at
            once. If False, they are dropped.
        clock: Returns seconds since the epoch. For tests.
        sleep: Sleeps for a number of seconds. For tests.
    Raises: InvalidOption, InvalidProductToken.
        EvidenceError: While iterating: the client has an evidence recorder, and a decision cannot be recorded.
    Cost: One robots.txt fetch for each origin, and O(log origins) for each URL.
    """

    def __init__(
        self,
        client: AsyncClient,
        urls: Iterable[str],
        *,
        agent: str | Agent | None = None,
        min_delay: float = 1.0,
        max_delay: float = 60.0,
        delay_mode: DelayMode | str = DelayMode.INTERVAL,
        include_disallowed: bool = True,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Coroutine[object, object, None]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._urls: Iterator[str] = iter(urls)
        self._agent = client.options.agent if agent is None else as_agent(agent)
        self._bounds = Pace(min_delay=min_delay, max_delay=max_delay, delay_mode=parse_delay_mode(delay_mode))
        self._include_disallowed = include_disallowed
        self._clock = clock
        self._sleep = sleep
        self._queues: dict[Origin, _OriginQueue] = {}
        # A heap of the origins whose state is known.
        self._due: list[_DueOrigin] = []
        # By the time of the last request.
        self._idle: deque[_IdleOrigin] = deque()
        self._sequence = 0
        self._queued_urls = 0
        self._is_exhausted = False
        # Origins whose state is needed and not being fetched yet.
        self._unknown: deque[Origin] = deque()
        self._reports: deque[ScheduledURL] = deque()
        self._fetches: dict[asyncio.Task[OriginState], Origin] = {}

    def defer(self, url: str | bytes, retry_after: str | float | None) -> None:
        """Send no request to the origin of `url` for a time, for example after a response with status 429 or 503.

        Args:
            url: The URL that was fetched, or the URL that it redirected to.
            retry_after: The `Retry-After` header of the response, or a number of seconds. A missing or invalid header
                has no effect. The maximum is one day, regardless of `max_delay`.
        Raises: InvalidURL.
        Source: RFC 9110 section 10.2.3.
        """
        now = self._clock()
        seconds = parse_retry_after(retry_after, now=now) if isinstance(retry_after, str | None) else retry_after
        if seconds is None or not seconds > 0:
            return
        origin = Origin.from_url(url)
        queue = self._queues.get(origin)
        if queue is None:
            queue = self._queues[origin] = _OriginQueue()
        if not queue.urls and queue.last_request_at is None:
            # The response shows that a request was sent.
            queue.last_request_at = now
            self._idle.append(_IdleOrigin(now, origin))
        queue.retry_at = max(queue.retry_at or 0.0, now + min(seconds, MAX_RETRY_AFTER))

    async def __aiter__(self) -> AsyncIterator[ScheduledURL]:
        try:
            while True:
                self._read_urls()
                while self._reports:
                    yield self._reports.popleft()
                self._start_fetches()
                scheduled = self._next_due()
                if scheduled is not None:
                    yield scheduled
                elif not self._is_exhausted and self._queued_urls < MAX_QUEUED_URLS:
                    # Reading stopped to yield reports. Continue to read without waiting for a due time or a fetch.
                    await asyncio.sleep(0)
                    self._collect_fetches()
                elif self._due or self._fetches:
                    await self._wait()
                else:
                    return
        finally:
            for task in self._fetches:
                task.cancel()
            await asyncio.gather(*self._fetches, return_exceptions=True)

    def _read_urls(self) -> None:
        self._drop_idle()
        while (
            self._queued_urls < MAX_QUEUED_URLS and len(self._reports) < MAX_PENDING_REPORTS and not self._is_exhausted
        ):
            try:
                url = next(self._urls)
            except StopIteration:
                self._is_exhausted = True
                return
            try:
                origin = Origin.from_url(url)
            except (InvalidURL, TypeError) as error:
                # A value of another type is reported like an invalid URL, and the URLs after it are still read.
                self._reports.append(ScheduledURL(url, None, str(error)))
                continue
            queue = self._queues.get(origin)
            if queue is None:
                queue = self._queues[origin] = _OriginQueue()
            if queue.state is not None and not self._is_allowed(queue.state, url):
                continue
            queue.urls.append(url)
            self._queued_urls += 1
            if len(queue.urls) == 1:
                # An origin with queued URLs is in exactly one of `_unknown`, `_fetches` and `_due`.
                self._unknown.append(origin)

    def _push_due(self, origin: Origin, queue: _OriginQueue) -> None:
        at = next_request_at(
            queue.pace,
            now=self._clock(),
            last_request_at=queue.last_request_at,
            retry_at=queue.retry_at,
        )
        self._sequence += 1
        heapq.heappush(self._due, _DueOrigin(at, self._sequence, origin))

    def _start_fetches(self) -> None:
        while self._unknown and len(self._fetches) < MAX_CONCURRENT_FETCHES:
            origin = self._unknown.popleft()
            self._fetches[asyncio.create_task(self._client.origin_state(f"{origin}/"))] = origin

    def _next_due(self) -> ScheduledURL | None:
        while self._due and self._due[0].at <= self._clock():
            origin = heapq.heappop(self._due).origin
            queue = self._queues[origin]
            now = self._clock()
            if queue.retry_at is not None and queue.retry_at > now:
                # The origin was deferred after it was pushed.
                self._push_due(origin, queue)
                continue
            if queue.state is None or queue.state.fetch_need(now) is not FetchNeed.NO:
                queue.state = None
                self._unknown.append(origin)
                self._start_fetches()
                continue
            url = queue.urls.popleft()
            self._queued_urls -= 1
            queue.last_request_at = now
            verdict = queue.state.decide(url, self._agent, now)
            self._client.record(url, verdict, queue.state)
            self._push_or_idle(origin, queue)
            return ScheduledURL(url, verdict)
        return None

    def _push_or_idle(self, origin: Origin, queue: _OriginQueue) -> None:
        if queue.urls:
            self._push_due(origin, queue)
        elif queue.last_request_at is None:
            del self._queues[origin]
        else:
            # The client caches the state. The time of the last request matters until the longest delay has passed.
            queue.state = None
            self._idle.append(_IdleOrigin(queue.last_request_at, origin))

    def _drop_idle(self) -> None:
        now = self._clock()
        deferred: list[_IdleOrigin] = []
        while self._idle and self._idle[0].last_request_at + 2 * self._bounds.max_delay <= now:
            idle = self._idle.popleft()
            queue = self._queues.get(idle.origin)
            if queue is None or queue.urls or queue.last_request_at != idle.last_request_at:
                continue
            if queue.retry_at is not None and queue.retry_at > now:
                deferred.append(idle)
            else:
                del self._queues[idle.origin]
        self._idle.extend(deferred)

    def _is_allowed(self, state: OriginState, url: str) -> bool:
        """Return whether to queue a URL. Report a disallowed URL, because no request will be sent for it."""
        verdict = state.decide(url, self._agent, self._clock())
        if not verdict.allowed:
            self._client.record(url, verdict, state)
            if self._include_disallowed:
                self._reports.append(ScheduledURL(url, verdict))
        return verdict.allowed

    async def _wait(self) -> None:
        pause: asyncio.Task[None] | None = None
        if self._due:
            delay = max(0.0, self._due[0].at - self._clock())
            pause = asyncio.create_task(self._sleep(delay))
        waits: list[asyncio.Task[Any]] = [*self._fetches, *([] if pause is None else [pause])]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if pause is not None:
                pause.cancel()
        self._collect_fetches()

    def _collect_fetches(self) -> None:
        for task in [task for task in self._fetches if task.done()]:
            origin = self._fetches.pop(task)
            self._set_state(origin, task.result())

    def _set_state(self, origin: Origin, state: OriginState) -> None:
        queue = self._queues[origin]
        queue.state = state
        queue.pace = self._compute_pace(state)
        before = len(queue.urls)
        queue.urls = deque(url for url in queue.urls if self._is_allowed(state, url))
        self._queued_urls -= before - len(queue.urls)
        self._push_or_idle(origin, queue)

    def _compute_pace(self, state: OriginState) -> Pace:
        access = state.effective_access(self._clock())
        if access.effect is not Effect.CONDITIONAL_ALLOW or access.copy is None:
            return self._bounds
        robots = state.parse_copy(access.copy)
        return self._bounds._replace(
            crawl_delay=robots.crawl_delay(agent=self._agent),
            request_rates=robots.request_rates(agent=self._agent),
            visit_times=robots.visit_times(agent=self._agent),
        )
