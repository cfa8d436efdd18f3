"""An event loop whose time advances only when every task waits, so that hours of waiting take no time.

A deadlock fails at once: no callback is ready, and none is scheduled. So does a livelock, after many steps.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

Result = TypeVar("Result")
# The steps of the loop at one moment of its time.
_MAX_STEPS: Final = 50_000


class _VirtualSelector(selectors.SelectSelector):
    """A selector that advances the time of its loop instead of waiting."""

    loop: "VirtualTimeLoop"
    _steps = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("deadlock: every task waits for another one")
        if timeout > 0:
            self.loop.now += timeout
            self._steps = 0
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise AssertionError("livelock: tasks run, and no time passes")
        return super().select(0)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop with a time of its own, in seconds."""

    def __init__(self, start: float) -> None:
        self.now = start
        selector = _VirtualSelector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        """Return the virtual time."""
        return self.now


def run_in_virtual_time(main: Callable[[], Coroutine[Any, Any, Result]], *, start: float = 0.0) -> Result:
    """Run a coroutine function with a loop whose time begins at `start`."""
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(start)) as runner:
        return runner.run(main())


def virtual_now() -> float:
    """Return the time of the running loop."""
    return asyncio.get_running_loop().time()
