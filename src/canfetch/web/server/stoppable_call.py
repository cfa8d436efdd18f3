"""A computation in a thread that another thread can stop."""

import ctypes
import threading
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

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
