"""Polite crawling without a framework: URLs come out when their origins may be asked, and no sooner.

Each origin has a line of its own; whichever line may move first is served first, so that a slow origin
holds nobody up and a long line gets no more than its turn.
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
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidURL

# URLs that wait in lines at the same time, and origins whose files are fetched at the same time.
MAX_QUEUED_URLS: Final = 100_000
MAX_CONCURRENT_FETCHES: Final = 256
MAX_PENDING_REPORTS: Final = 1000


class ScheduledURL(NamedTuple):
    """A URL whose turn it is, or one that has none: `verdict` says why not, `error` that the text is no URL."""

    url: str
    verdict: Verdict | None
    error: str | None = None

    @property
    def allowed(self) -> bool:
        """Whether to fetch it now."""
        return self.verdict is not None and self.verdict.allowed


class _Line:
    # The URLs of one origin that wait, what is known of it, when it was asked last, and when it wants to be again.
    __slots__ = ("known", "last_seconds", "pace", "retry_at", "urls")

    def __init__(self) -> None:
        self.urls: deque[str] = deque()
        self.known: OriginState | None = None
        self.pace = Pace()
        self.last_seconds: float | None = None
        self.retry_at: float | None = None


class Schedule:
    """An asynchronous iterator over URLs; each comes as a `ScheduledURL`, when its origin may be asked.

    Args:
        client: says what may be fetched, and fetches robots.txt for it, once for each origin.
        urls: absolute URLs, of any origins in any order; read as lines have room.
        agent: who asks; the client's own by default.
        min_delay, max_delay: bounds on the time between two requests to one origin, whatever it asks.
        delay_mode: what a crawl delay means, a `DelayMode` or its name: so many seconds between two requests, or
            Bing's windows of so many seconds with one request in each.
        include_disallowed: give what may not be fetched too, with its verdict, at once; else drop it.
        clock, sleep: seconds since the epoch, and how to wait; for tests.
    Raises: InvalidOption: there is no such reading. Nothing for a bad URL or a bad network; both come as turns.
        While it gives turns, EvidenceError: the client keeps a record, and a decision could not be put there.
    Cost: one robots.txt request for each origin, and O(log origins) for each URL.
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
        self._report_forbidden = include_disallowed
        self._clock = clock
        self._sleep = sleep
        self._lines: dict[Origin, _Line] = {}
        self._due: list[tuple[float, int, Origin]] = []
        self._idle: deque[tuple[float, Origin]] = deque()
        self._sequence = 0
        self._waiting = 0
        self._read_all = False
        self._unknown: deque[Origin] = deque()
        self._reports: deque[ScheduledURL] = deque()
        self._learning: dict[asyncio.Task[OriginState], Origin] = {}

    def defer(self, url: str | bytes, said: str | float | None) -> None:
        """Leave an origin alone for as long as its answer asks, such as a 429 or a 503.

        Args:
            url: the one that was fetched, or that a redirect led to.
            said: the answer's Retry-After as it stands, seconds or a date, or seconds; what is neither says nothing.
        Raises: InvalidURL.
        Source: RFC 9110 section 10.2.3. A day is the most that counts: `max_delay` bounds delays, not this.
        """
        now = self._clock()
        seconds = parse_retry_after(said, now=now) if isinstance(said, str | None) else said
        if seconds is None or not seconds > 0:
            return
        origin = Origin.from_url(url)
        line = self._lines.get(origin)
        if line is None:
            line = self._lines[origin] = _Line()
        if not line.urls and line.last_seconds is None:
            # Somebody did ask it, or there would be no answer.
            line.last_seconds = now
            self._idle.append((now, origin))
        line.retry_at = max(line.retry_at or 0.0, now + min(seconds, MAX_RETRY_AFTER))

    async def __aiter__(self) -> AsyncIterator[ScheduledURL]:
        try:
            while True:
                self._read_ahead()
                while self._reports:
                    yield self._reports.popleft()
                self._start_learning()
                turn_now = self._next_turn()
                if turn_now is not None:
                    yield turn_now
                elif not self._read_all and self._waiting < MAX_QUEUED_URLS:
                    # Reading stopped to report: what is unread waits for nobody's turn, nor does what is being fetched.
                    await asyncio.sleep(0)
                    self._take_in()
                elif self._due or self._learning:
                    await self._wait()
                else:
                    return
        finally:
            for task in self._learning:
                task.cancel()
            await asyncio.gather(*self._learning, return_exceptions=True)

    def _read_ahead(self) -> None:
        self._forget_idle()
        while self._waiting < MAX_QUEUED_URLS and len(self._reports) < MAX_PENDING_REPORTS and not self._read_all:
            try:
                url = next(self._urls)
            except StopIteration:
                self._read_all = True
                return
            try:
                origin = Origin.from_url(url)
            except (InvalidURL, TypeError) as error:
                # What is no text is no URL either, and costs none of those behind it.
                self._reports.append(ScheduledURL(url, None, str(error)))
                continue
            line = self._lines.get(origin)
            if line is None:
                line = self._lines[origin] = _Line()
            if line.known is not None and not self._may_wait(line.known, url):
                continue
            line.urls.append(url)
            self._waiting += 1
            if len(line.urls) == 1:
                # An origin whose URLs wait stands either among those to learn about or among those that are due, once.
                self._unknown.append(origin)

    def _put_in_order(self, origin: Origin, line: _Line) -> None:
        at = next_request_at(
            line.pace,
            now=self._clock(),
            last_request_at=line.last_seconds,
            retry_at=line.retry_at,
        )
        self._sequence += 1
        heapq.heappush(self._due, (at, self._sequence, origin))

    def _start_learning(self) -> None:
        while self._unknown and len(self._learning) < MAX_CONCURRENT_FETCHES:
            origin = self._unknown.popleft()
            self._learning[asyncio.create_task(self._client.origin_state(f"{origin}/"))] = origin

    def _next_turn(self) -> ScheduledURL | None:
        while self._due and self._due[0][0] <= self._clock():
            _, _, origin = heapq.heappop(self._due)
            line = self._lines[origin]
            now = self._clock()
            if line.retry_at is not None and line.retry_at > now:
                # It said so after it had its place.
                self._put_in_order(origin, line)
                continue
            if line.known is None or line.known.need(now) is not FetchNeed.NO:
                line.known = None
                self._unknown.append(origin)
                self._start_learning()
                continue
            url = line.urls.popleft()
            self._waiting -= 1
            line.last_seconds = now
            verdict = line.known.decide(url, self._agent, now)
            self._client.record(url, verdict, line.known)
            self._go_on(origin, line)
            return ScheduledURL(url, verdict)
        return None

    def _go_on(self, origin: Origin, line: _Line) -> None:
        if line.urls:
            self._put_in_order(origin, line)
        elif line.last_seconds is None:
            del self._lines[origin]
        else:
            # What is known is the client's to keep; when the origin was asked counts until nothing can follow from it.
            line.known = None
            self._idle.append((line.last_seconds, origin))

    def _forget_idle(self) -> None:
        now = self._clock()
        waiting: list[tuple[float, Origin]] = []
        while self._idle and self._idle[0][0] + 2 * self._bounds.max_delay <= now:
            asked_seconds, origin = self._idle.popleft()
            line = self._lines.get(origin)
            if line is None or line.urls or line.last_seconds != asked_seconds:
                continue
            if line.retry_at is not None and line.retry_at > now:
                waiting.append((asked_seconds, origin))
            else:
                del self._lines[origin]
        self._idle.extend(waiting)

    def _may_wait(self, known: OriginState, url: str) -> bool:
        # What may not be fetched has no turn to wait for.
        verdict = known.decide(url, self._agent, self._clock())
        if not verdict.allowed:
            self._client.record(url, verdict, known)
            if self._report_forbidden:
                self._reports.append(ScheduledURL(url, verdict))
        return verdict.allowed

    async def _wait(self) -> None:
        pause: asyncio.Task[None] | None = None
        if self._due:
            delay = max(0.0, self._due[0][0] - self._clock())
            pause = asyncio.create_task(self._sleep(delay))
        waits: list[asyncio.Task[Any]] = [*self._learning, *([] if pause is None else [pause])]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if pause is not None:
                pause.cancel()
        self._take_in()

    def _take_in(self) -> None:
        for task in [task for task in self._learning if task.done()]:
            origin = self._learning.pop(task)
            self._learned(origin, task.result())

    def _learned(self, origin: Origin, known: OriginState) -> None:
        line = self._lines[origin]
        line.known = known
        line.pace = self._pace(known)
        before = len(line.urls)
        line.urls = deque(url for url in line.urls if self._may_wait(known, url))
        self._waiting -= before - len(line.urls)
        self._go_on(origin, line)

    def _pace(self, known: OriginState) -> Pace:
        standing = known.effective_access(self._clock())
        if standing.effect is not Effect.CONDITIONAL_ALLOW or standing.copy is None:
            return self._bounds
        robots = known.robots(standing.copy)
        return self._bounds._replace(
            crawl_delay=robots.crawl_delay(agent=self._agent),
            request_rates=robots.request_rates(agent=self._agent),
            visit_times=robots.visit_times(agent=self._agent),
        )
