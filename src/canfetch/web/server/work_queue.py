"""Computations in threads, so that the event loop keeps answering. The number that waits is bounded."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from canfetch.errors import CanfetchError

ResultT = TypeVar("ResultT")


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

    @property
    def count(self) -> int:
        """The number of computations that run or wait."""
        return self._count

    async def run(self, compute: Callable[[], ResultT]) -> ResultT:
        """Run a computation and return its result.

        A computation that runs cannot be cancelled: its place stays taken until it ends.

        Raises: QueueFull.
        """
        with self._lock:
            if self._count >= self._limit:
                raise QueueFull(f"{self._limit} computations are running or waiting: try again in a second")
            self._count += 1
        future = self._executor.submit(compute)
        future.add_done_callback(self._release)
        return await asyncio.wrap_future(future)

    def _release(self, _future: object) -> None:
        with self._lock:
            self._count -= 1

    def close(self) -> None:
        """Stop after the computations that run. Those that wait are cancelled."""
        self._executor.shutdown(wait=False, cancel_futures=True)
