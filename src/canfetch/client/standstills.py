"""The detection of an event loop that stands still: a callback takes long, or the process is suspended.

The time limit of a request then passes although its answer has arrived. That says nothing about the site.
"""

import asyncio
from types import TracebackType
from typing import Final, Self

from canfetch.access.responses import Failure, FailureKind, Response

# The loop is late by less than this when many tasks are ready.
_TICK_SECONDS: Final = 0.5


class StandstillMeter:
    """Measures in a block for how long the event loop stands still.

    Cost: A timer each half second.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._still = 0.0

    def __enter__(self) -> Self:
        self._started = self._loop.time()
        self._wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._count()
        self._ended = self._loop.time()

    def without_standstill(self, url: str, answer: Response | Failure) -> Response | Failure:
        """Return the answer of the block, or a failure of this machine in place of a timeout to which it led.

        It did if the site had less than half of the time.
        """
        took = self._ended - self._started
        if isinstance(answer, Response) or answer.kind is not FailureKind.TIMEOUT or self._still < took / 2:
            return answer
        return Failure(url, FailureKind.LOCAL, f"the event loop stood still for {self._still:.3g} of {took:.3g} s")

    def _wait(self) -> None:
        self._due = self._loop.time() + _TICK_SECONDS
        self._timer = self._loop.call_later(_TICK_SECONDS, self._tick)

    def _tick(self) -> None:
        self._count()
        self._wait()

    def _count(self) -> None:
        self._still += max(self._loop.time() - self._due, 0.0)
