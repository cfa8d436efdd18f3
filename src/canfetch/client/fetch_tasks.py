"""Fetches of an asynchronous client: tasks of one event loop, for whose result tasks of every event loop can wait."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from contextvars import ContextVar
from time import monotonic
from typing import Any, Final, Generic, TypeVar

from canfetch.client.transports.daemon_threads import wait_until_done

ResultT = TypeVar("ResultT")

# An event loop that was stopped reports nothing, so tasks of other event loops look now and then.
_POLL_SECONDS: Final = 0.25

# Asked before each request of a fetch that the current task starts: why it must no longer be sent, or None. Between the
# decision to fetch and a request, the event loop can be blocked for long.
send_refusal: Final[ContextVar[Callable[[], str | None] | None]] = ContextVar("send_refusal", default=None)


class FetchAbandoned(Exception):
    """Raised when a fetch of another event loop gives no result: it was cancelled, or its event loop does not run."""


class FetchTask(Generic[ResultT]):
    """A fetch that runs as a task of the current event loop. Its task is the only thing that belongs to that loop.

    Args:
        fetching: The coroutine that fetches.
        name: The name of the task.
        max_seconds: The time after which the tasks of other event loops no longer wait, because the event loop of the
            fetch is blocked.
    """

    __slots__ = ("_ended", "_gives_up_at", "_is_cancelled", "_loop", "task")

    def __init__(self, fetching: Coroutine[Any, Any, ResultT], *, name: str, max_seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._ended: Future[ResultT] = Future()
        self._gives_up_at = monotonic() + max_seconds
        self._is_cancelled = False
        if self._loop.get_task_factory() is None:
            self.task = self._loop.create_task(fetching, name=name)
        else:
            # An eager factory would fetch at once, while the client holds its lock.
            self.task = asyncio.Task(fetching, loop=self._loop, name=name)
        self.task.add_done_callback(self._end)

    @property
    def is_alive(self) -> bool:
        """Whether the fetch has a result, or is expected to have one."""
        if self.task.cancelled():
            return False
        return self._ended.done() or self._is_own or (self._loop.is_running() and monotonic() < self._gives_up_at)

    async def result(self) -> ResultT:
        """Wait for the result. If the waiting task is cancelled, the fetch continues.

        Raises:
            CancelledError: The waiting task was cancelled, or the fetch, if it belongs to the same event loop.
            FetchAbandoned: The fetch belongs to another event loop and has no result.
            Exception: The fetch raised it.
        """
        if self._is_own:
            return await asyncio.shield(self.task)
        await self.wait()
        try:
            return self._ended.result(timeout=0)
        except (CancelledError, TimeoutError):
            raise FetchAbandoned from None

    async def wait(self) -> None:
        """Wait until the fetch has ended, or is no longer alive."""
        if self._is_own:
            await asyncio.wait([self.task])
            return
        waiting = asyncio.create_task(wait_until_done(self._ended))
        try:
            while not self._ended.done() and self.is_alive:
                await asyncio.wait([waiting], timeout=_POLL_SECONDS)
        finally:
            waiting.cancel()

    def cancel(self) -> None:
        """Cancel the fetch, once: a second time would interrupt the release of its lease."""
        if self._is_own:
            self._cancel_once()
        elif self._loop.is_closed():
            self.close_if_dead()
        else:
            # RuntimeError: the event loop was closed just now.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._cancel_once)

    def _cancel_once(self) -> None:
        if not self._is_cancelled:
            self._is_cancelled = True
            self.task.cancel()

    def close_if_dead(self) -> None:
        """Close the connection of a fetch whose event loop was closed, because the fetch never runs again."""
        coroutine = self.task.get_coro()
        if self._loop.is_closed() and not self.task.done() and coroutine is not None:
            # HTTP libraries raise exceptions of their own, because their event loop is closed.
            with suppress(Exception):
                coroutine.close()

    @property
    def _is_own(self) -> bool:
        return self._loop is asyncio.get_running_loop()

    def _end(self, task: "asyncio.Task[ResultT]") -> None:
        if task.cancelled():
            self._ended.cancel()
        elif (error := task.exception()) is not None:
            self._ended.set_exception(error)
        else:
            self._ended.set_result(task.result())
