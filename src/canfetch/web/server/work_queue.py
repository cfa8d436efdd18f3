"""Computations in threads, so that the event loop keeps answering. Their number and their time are bounded."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

from canfetch.errors import CanfetchError
from canfetch.web.server.stoppable_call import StoppableCall, Stopped

ResultT = TypeVar("ResultT")
# Between attempts to stop a computation: a finalizer may ignore one.
_STOP_SECONDS: Final = 0.05


class QueueFull(CanfetchError, RuntimeError):
    """Raised when too many computations are waiting."""


class WorkQueue:
    """Runs computations in threads.

    Args:
        threads: The number of threads.
        max_waiting: The number of computations that may wait for a thread.
    """

    def __init__(self, *, threads: int, max_waiting: int) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="canfetch-work")
        self._limit = threads + max_waiting
        self._lock = threading.Lock()
        self._count = 0
        self._stopped = 0

    @property
    def stopped(self) -> int:
        """The number of computations that were stopped before their end."""
        return self._stopped

    @property
    def count(self) -> int:
        """The number of computations that run or wait."""
        return self._count

    async def run(self, compute: Callable[[], ResultT]) -> ResultT:
        """Run a computation and return its result.

        If the task is cancelled, for example at the end of the time of a request, the computation is stopped, too. Its
        place stays taken until it ends.

        Raises: QueueFull.
        """
        with self._lock:
            if self._count >= self._limit:
                raise QueueFull(f"{self._limit} computations are running or waiting: try again in a second")
            self._count += 1
        call = StoppableCall(compute)
        future = self._executor.submit(call)
        future.add_done_callback(self._release)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            _stop(call)
            raise

    def _release(self, future: Future[Any]) -> None:
        with self._lock:
            if not future.cancelled() and isinstance(future.exception(), Stopped):
                self._stopped += 1
            self._count -= 1

    def close(self) -> None:
        """Stop after the computations that run. Those that wait are cancelled."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def _stop(call: StoppableCall[Any]) -> None:
    if call.stop():
        asyncio.get_running_loop().call_later(_STOP_SECONDS, _stop, call)
