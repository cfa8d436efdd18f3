"""Wait until the next request to an origin may be sent, in threads or on an event loop.

Requests to one origin are sent in the order in which they started to wait. The limits are those that the robots.txt
declares. Visit-time is one of them only on request, because it can block a request for hours.

A request whose turn has come can wait for a free connection of its HTTP client. The delay counts from the time when it
is sent, and the next turn does not start before.

Delays are measured with a monotonic clock, so a change of the system clock does not affect them. If the caller passes a
clock, they are measured with that one.
"""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import wait as wait_for_futures
from contextlib import contextmanager, nullcontext, suppress
from time import monotonic
from types import TracebackType
from typing import Final, Generic, Self, TypeVar
from weakref import ref

from canfetch.access.pacing import Pace, next_request_at, request_interval
from canfetch.client.forking import reset_on_fork
from canfetch.client.origin_pace import declared_pace
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.errors import ClientClosed

# With more origins than this, those whose next request may be sent now are dropped.
_MIN_ORIGINS: Final = 1024
# About 24 MB. With more origins whose next request has to wait, those with the oldest requests are dropped.
_MAX_ORIGINS: Final = 16_384
# Windows does not interrupt a wait for an event. Ctrl-C ends it after this time.
_MAX_WAIT_SECONDS: Final = 1.0
# How long the next request waits for one that waits for its connection. Without a limit, both could wait forever: the
# connection can be that of a response that is read after the next request only.
_MAX_PENDING_SECONDS: Final = 300.0
_Lock = TypeVar("_Lock")


class RequestTurn:
    """The turn of a request to an origin, until the request is sent. Use it as a context manager.

    The delay of the next request counts from `sent`, which the HTTP client reports. Without a report, the request
    counts as sent at the end of the block.

    Args:
        record_sent: Records that a request to the origin is sent now.

    Attributes:
        waited_seconds: For how long the request waited for its turn.
        ended: Done after the request was sent, or if the pacer was closed.
    """

    def __init__(self, record_sent: Callable[[], object]) -> None:
        self._record_sent = record_sent
        self._pending_until = monotonic() + _MAX_PENDING_SECONDS
        self.waited_seconds = 0.0
        self.ended: Future[None] = Future()

    @property
    def is_pending(self) -> bool:
        """Whether the next request waits until this one is sent."""
        return not self.ended.done() and monotonic() < self._pending_until

    def sent(self) -> None:
        """Record that the request is sent now. HTTP clients can repeat it."""
        self._record_sent()
        self.end()

    def close(self) -> None:
        """Count the request as sent, unless that was recorded."""
        if not self.ended.done():
            self.sent()

    def end(self) -> None:
        """Let the next request wait for the delay only."""
        with suppress(InvalidStateError):
            self.ended.set_result(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class _OriginTurns(Generic[_Lock]):
    """The requests to one origin.

    Attributes:
        lock: Held by the request whose turn is next.
        last_request_at: When the last request was sent, by the clock for delays, or None.
        state: A weak reference to the state from which `pace` was computed, which contains the whole file, or None.
        pace: The limits.
        turn: A weak reference to the last turn, or None.
        users: The number of requests that wait.
    """

    __slots__ = ("last_request_at", "lock", "pace", "state", "turn", "users")

    def __init__(self, lock: _Lock, pace: Pace) -> None:
        self.lock = lock
        self.last_request_at: float | None = None
        self.state: ref[OriginState] | None = None
        self.pace = pace
        self.turn: ref[RequestTurn] | None = None
        self.users = 0

    @property
    def pending(self) -> RequestTurn | None:
        """The turn of a request that was not sent yet, or None."""
        turn = None if self.turn is None else self.turn()
        return turn if turn is not None and turn.is_pending else None

    @property
    def is_used(self) -> bool:
        """Whether requests wait for their turn or for their connection."""
        return self.users > 0 or self.pending is not None

    def is_limited(self, now: float, at: float) -> bool:
        """Return whether the last request delays one that is sent now.

        Args:
            now: In seconds since the epoch.
            at: By the clock for delays.
        """
        last = self.last_request_at
        return last is not None and last + request_interval(self.pace, now=now) > at


class _BasePacer(Generic[_Lock]):
    """The requests to all origins."""

    def __init__(self, agent: Agent, bounds: Pace, clock: Callable[[], float], *, visit_times: bool) -> None:
        self._agent = agent
        self._bounds = bounds
        self._clock = clock
        # For delays.
        self._timer = monotonic if clock is time.time else clock
        self._visit_times = visit_times
        self._is_closed = False
        self._origins: dict[str, _OriginTurns[_Lock]] = {}
        self._drop_at = _MIN_ORIGINS
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Take new locks in a forked process: the threads and tasks that hold the old ones do not exist there."""
        self._mutex = threading.Lock()
        previous, self._origins = self._origins, {}
        for name, turns in previous.items():
            renewed = self._origins[name] = _OriginTurns(self._new_lock(), turns.pace)
            renewed.last_request_at = turns.last_request_at

    def _new_lock(self) -> _Lock:
        raise NotImplementedError

    @contextmanager
    def _turns(self, state: OriginState) -> Iterator[_OriginTurns[_Lock]]:
        """Yield the requests to an origin, which are not dropped meanwhile."""
        with self._mutex:
            turns = self._origins.get(state.entry.origin)
            if turns is None:
                self._drop_idle_origins()
                turns = self._origins[state.entry.origin] = _OriginTurns(self._new_lock(), self._bounds)
            turns.users += 1
        try:
            yield turns
        finally:
            with self._mutex:
                turns.users -= 1

    def _next_turn(
        self, turns: _OriginTurns[_Lock], state: OriginState, *, has_connection: bool = False
    ) -> "RequestTurn | Future[None] | float":
        """Return the turn of the next request, or what it waits for: until another one is sent, or some seconds.

        Args: has_connection: See `Pacer.start`.
        Raises: ClientClosed.
        """
        # Another loop or a request with a connection can ask for a turn at the same time.
        with self._mutex:
            if self._is_closed:
                raise ClientClosed
            if turns.state is None or turns.state() is not state:
                turns.state = ref(state)
                pace = declared_pace(state, self._agent, self._bounds)
                turns.pace = pace if self._visit_times else pace._replace(visit_times=())
            now = self._clock()
            pending = None if has_connection else turns.pending
            if pending is not None and request_interval(turns.pace, now=now) > 0:
                return pending.ended
            at, last_request_at = self._timer(), None
            if turns.last_request_at is not None:
                # If a clock of the caller was set back, wait no longer than the delay.
                turns.last_request_at = min(turns.last_request_at, at)
                last_request_at = now - (at - turns.last_request_at)
            left = next_request_at(turns.pace, now=now, last_request_at=last_request_at) - now
            if left > 0:
                return left

            def record_sent() -> None:
                turns.last_request_at = self._timer()

            turns.last_request_at = at
            turn = RequestTurn(record_sent)
            turns.turn = ref(turn)
            return turn

    def _end_turns(self) -> None:
        """Wake the requests that wait for another one. They raise ClientClosed."""
        self._is_closed = True
        with self._mutex:
            pending = [turns.pending for turns in self._origins.values()]
        for turn in pending:
            if turn is not None:
                turn.end()

    def _drop_idle_origins(self) -> None:
        if len(self._origins) < self._drop_at:
            return
        now, at = self._clock(), self._timer()
        self._origins = {
            name: turns for name, turns in self._origins.items() if turns.is_used or turns.is_limited(now, at)
        }
        if len(self._origins) > _MAX_ORIGINS // 2:
            by_request = sorted(self._origins.items(), key=lambda item: item[1].last_request_at or at)
            surplus = {name for name, turns in by_request[: -_MAX_ORIGINS // 2] if not turns.is_used}
            self._origins = {name: turns for name, turns in self._origins.items() if name not in surplus}
        self._drop_at = max(_MIN_ORIGINS, 2 * len(self._origins))


class Pacer(_BasePacer["_FairLock"]):
    """Blocks a thread until its request may be sent. Ctrl-C ends the wait of the main thread.

    Args:
        agent: The agent whose limits count.
        bounds: The bounds of the delay.
        clock: Returns seconds since the epoch.
        sleep: Blocks for a number of seconds. By default, `close` ends it.
        visit_times: Whether to wait for a Visit-time.
    """

    def __init__(
        self,
        agent: Agent,
        bounds: Pace,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], object] | None = None,
        visit_times: bool = False,
    ) -> None:
        super().__init__(agent, bounds, clock, visit_times=visit_times)
        self._sleep = self._wait_for_close if sleep is None else sleep

    def reset_after_fork(self) -> None:
        """Take new locks in a forked process."""
        super().reset_after_fork()
        self._closing = threading.Event()
        if self._is_closed:
            self._closing.set()

    def close(self) -> None:
        """End all waits. Their threads raise ClientClosed."""
        self._end_turns()
        self._closing.set()

    def wait(self, state: OriginState) -> float:
        """Wait for the turn of a request that is sent at once, and return for how many seconds. See `start`."""
        with self.start(state) as turn:
            return turn.waited_seconds

    def start(self, state: OriginState, *, has_connection: bool = False) -> RequestTurn:
        """Wait for the turn of a request to the origin of `state`, and return it.

        Args: has_connection: Whether the request keeps a connection meanwhile. Then it is the next one, and does not
            wait for a request that waits for a connection: it can be this one.
        Raises: ClientClosed: The pacer is closed, or was closed during the wait.
        """
        started_at = self._timer()
        with self._turns(state) as turns, nullcontext() if has_connection else turns.lock:
            while not isinstance(turn := self._next_turn(turns, state, has_connection=has_connection), RequestTurn):
                if isinstance(turn, Future):
                    wait_for_futures([turn], _MAX_WAIT_SECONDS)
                else:
                    self._sleep(turn)
        turn.waited_seconds = max(0.0, self._timer() - started_at)
        return turn

    def _wait_for_close(self, seconds: float) -> None:
        self._closing.wait(min(seconds, _MAX_WAIT_SECONDS))

    def _new_lock(self) -> "_FairLock":
        return _FairLock()


class AsyncPacer(_BasePacer["_LoopLocks"]):
    """Suspends a task until its request may be sent. A cancelled task gives its turn to the next one.

    The delay of an origin counts over all event loops. Requests are sent in the order of their waits on each loop.

    Args: The same as Pacer, except that `sleep` is an async function.
    """

    def __init__(
        self,
        agent: Agent,
        bounds: Pace,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]],
        visit_times: bool = False,
    ) -> None:
        super().__init__(agent, bounds, clock, visit_times=visit_times)
        self._sleep = sleep

    def reset_after_fork(self) -> None:
        """Take new locks in a forked process."""
        super().reset_after_fork()
        # Those of the tasks whose turns are next.
        self._pauses: dict[asyncio.Timeout, asyncio.AbstractEventLoop] = {}

    def close(self) -> None:
        """End all waits. Their tasks raise ClientClosed."""
        self._end_turns()
        for pause, loop in list(self._pauses.items()):
            # Another loop may have ended.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._end, pause)

    async def wait(self, state: OriginState) -> float:
        """Wait for the turn of a request that is sent at once, and return for how many seconds. See `start`."""
        with await self.start(state) as turn:
            return turn.waited_seconds

    async def start(self, state: OriginState) -> RequestTurn:
        """Wait for the turn of a request to the origin of `state`, and return it.

        Raises: ClientClosed: The pacer is closed, or was closed during the wait.
        """
        started_at = self._timer()
        with self._turns(state) as turns:
            async with turns.lock.of_running_loop():
                while not isinstance(turn := self._next_turn(turns, state), RequestTurn):
                    if isinstance(turn, Future):
                        await asyncio.wait([asyncio.wrap_future(turn)], timeout=_MAX_WAIT_SECONDS)
                    else:
                        await self._pause(turn)
        turn.waited_seconds = max(0.0, self._timer() - started_at)
        return turn

    async def _pause(self, seconds: float) -> None:
        """Sleep. `close` ends it."""
        pause = asyncio.timeout(None)
        try:
            async with pause:
                self._pauses[pause] = asyncio.get_running_loop()
                if not self._is_closed:
                    await self._sleep(seconds)
        except TimeoutError:
            if not pause.expired():
                raise
        finally:
            self._pauses.pop(pause, None)

    def _end(self, pause: asyncio.Timeout) -> None:
        loop = self._pauses.pop(pause, None)
        if loop is not None:
            pause.reschedule(loop.time())

    def _new_lock(self) -> "_LoopLocks":
        return _LoopLocks()


class _LoopLocks:
    """A lock for each event loop, whose tasks acquire it in the order in which they started to wait."""

    def __init__(self) -> None:
        self._locks: dict[asyncio.AbstractEventLoop, asyncio.Lock] = {}

    def of_running_loop(self) -> asyncio.Lock:
        """Return the lock of the running event loop."""
        loop = asyncio.get_running_loop()
        lock = self._locks.get(loop)
        if lock is None:
            for known in list(self._locks):
                if known.is_closed():
                    self._locks.pop(known, None)
            lock = self._locks.setdefault(loop, asyncio.Lock())
        return lock


class _FairLock:
    """A lock that threads acquire in the order in which they started to wait."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._is_held = False
        # One closed gate for each waiting thread. The holder opens the first. An empty deque would take 600 bytes.
        self._gates: list[threading.Lock] = []

    def __enter__(self) -> None:
        with self._mutex:
            if not self._is_held:
                self._is_held = True
                return
            gate = threading.Lock()
            gate.acquire()
            self._gates.append(gate)
        try:
            gate.acquire()
        except BaseException:
            self._leave(gate)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._pass_on()

    def _leave(self, gate: threading.Lock) -> None:
        """Stop waiting, after Ctrl-C."""
        with self._mutex:
            if gate in self._gates:
                self._gates.remove(gate)
                return
        # The holder has just opened the gate, so this thread has the turn and passes it on.
        self._pass_on()

    def _pass_on(self) -> None:
        with self._mutex:
            if self._gates:
                self._gates.pop(0).release()
            else:
                self._is_held = False
