"""Requests that time out because the event loop is blocked: a callback takes long, or the process is suspended.

The answer may have arrived in time, so the timeout says nothing about the site.
"""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Final, Self
from weakref import WeakKeyDictionary

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import TransportRequest

Send = Callable[[TransportRequest], Awaitable[Response | Failure]]
_MAX_REPEATS: Final = 2
_TICK_SECONDS: Final = 0.1
# A loop with many ready tasks is late by less. Each block that is longer than both together is noticed.
_LATE_SECONDS: Final = 0.1


class _Ticker:
    """Finds out when an event loop was blocked, by a timer that runs while requests are open.

    Its methods are given the loop: a reference to it would keep a closed loop in `_TICKERS`.

    Attributes:
        blocked: The seconds for which it was blocked until now.
        resumed_at: When it last resumed.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.blocked = 0.0
        self.resumed_at = float("-inf")
        self._due = loop.time()
        self._requests = 0
        self._timer: asyncio.TimerHandle | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Count one more open request."""
        self._requests += 1
        if self._timer is None:
            self._wait(loop)
        else:
            # What was before the request does not count for it.
            self._count(loop)

    def stop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Count the end of a request."""
        self._count(loop)
        self._requests -= 1
        if not self._requests and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self, loop: asyncio.AbstractEventLoop) -> None:
        self._due = loop.time() + _TICK_SECONDS
        self._timer = loop.call_later(_TICK_SECONDS, self._tick, loop)

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        self._count(loop)
        self._wait(loop)

    def _count(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        late = now - self._due
        if late > _LATE_SECONDS:
            self.blocked += late
            self.resumed_at = self._due = now


_TICKERS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Ticker]] = WeakKeyDictionary()


class _BlockingMeter:
    """Measures for how long the event loop is blocked while a block of code waits.

    Cost: One timer for all requests of an event loop.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        ticker = _TICKERS.get(self._loop)
        if ticker is None:
            ticker = _TICKERS[self._loop] = _Ticker(self._loop)
        self._ticker = ticker

    def __enter__(self) -> Self:
        self._ticker.start(self._loop)
        self._started, self._blocked = self._loop.time(), self._ticker.blocked
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ticker.stop(self._loop)
        self._ended, self._blocked = self._loop.time(), self._ticker.blocked - self._blocked

    def has_caused(self, answer: Response | Failure) -> bool:
        """Return whether a timeout in the block says nothing about the site.

        That is so if the loop was blocked as the timeout passed, or for more than half of the time.
        """
        if isinstance(answer, Response) or answer.kind is not FailureKind.TIMEOUT:
            return False
        was_blocked = self._ended - self._ticker.resumed_at <= _LATE_SECONDS
        return was_blocked or self._blocked > (self._ended - self._started) / 2


async def send_with_repeats(send: Send, request: TransportRequest) -> Response | Failure:
    """Send a request, and return the answer.

    If the event loop is blocked until a timeout, the request is sent again with doubled timeouts. The third timeout is
    returned, so that a site that does not answer holds no task forever.
    """
    for _ in range(_MAX_REPEATS):
        with _BlockingMeter() as meter:
            answer = await send(request)
        if not meter.has_caused(answer):
            return answer
        request = request._replace(
            connect_timeout=2 * request.connect_timeout,
            read_timeout=2 * request.read_timeout,
            timeout=2 * request.timeout,
        )
    return await send(request)
