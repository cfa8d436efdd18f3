"""Computations in threads, so that the event loop keeps answering. Their number and their time are bounded."""

import asyncio
import ctypes
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, Generic, TypeVar

from canfetch.errors import CanfetchError

ResultT = TypeVar("ResultT")
# PyPy does not have this function. Computations run to their end there.
_raise_in_thread: Final[Callable[[Any, Any], int] | None] = getattr(
    getattr(ctypes, "pythonapi", None), "PyThreadState_SetAsyncExc", None
)


# Not an Exception, because `except Exception` must not catch it.
class Stopped(BaseException):
    """Raised inside a computation that is stopped."""


class StoppableCall(Generic[ResultT]):
    """Calls a function, once. `stop` ends the call at its next Python instruction.

    A call of the native engine ends first. Each of them takes a bounded time.

    Args: compute: The function.
    """

    def __init__(self, compute: Callable[[], ResultT]) -> None:
        self._compute = compute
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._is_stopped = False

    def __call__(self) -> ResultT:
        """Return the result of the function.

        Raises: Stopped: `stop` was called before the end.
        """
        with self._lock:
            if self._is_stopped:
                raise Stopped
            self._thread = threading.get_ident()
        try:
            try:
                return self._compute()
            finally:
                self._end()
        except Stopped:
            # It may have been raised before the end was recorded.
            self._end()
            raise

    def _end(self) -> None:
        """Record the end. After that, nothing is raised in this thread."""
        while True:
            try:
                with self._lock:
                    if self._is_stopped:
                        _set_exception(threading.get_ident(), None)
                    self._thread = None
            except Stopped:
                continue
            return

    def stop(self) -> bool:
        """Stop the call.

        Returns: Whether it still runs. A finalizer may swallow the exception, so call this again after a while.
        """
        with self._lock:
            self._is_stopped = True
            return self._thread is not None and _set_exception(self._thread, Stopped)


def _set_exception(thread: int, exception: type[BaseException] | None) -> bool:
    if _raise_in_thread is None:
        return False
    return _raise_in_thread(ctypes.c_ulong(thread), None if exception is None else ctypes.py_object(exception)) > 0


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
