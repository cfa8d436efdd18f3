"""An event loop whose time advances only when every task waits, so that hours of waiting take no time.

A deadlock fails at once: no callback is ready, and none is scheduled.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class _VirtualSelector(selectors.SelectSelector):
    """A selector that advances the time of its loop instead of waiting."""

    loop: "VirtualTimeLoop"

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("deadlock: every task waits for another one")
        self.loop.now += max(0.0, timeout)
        return super().select(0)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop with a time of its own, in seconds."""

    def __init__(self, start: float) -> None:
        self.now = start
        selector = _VirtualSelector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now


def run_in_virtual_time(main: Callable[[], Coroutine[Any, Any, Result]], *, start: float = 0.0) -> Result:
    """Run a coroutine function with a loop whose time begins at `start`."""
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(start)) as runner:
        return runner.run(main())


def virtual_now() -> float:
    """Return the time of the running loop."""
    return asyncio.get_running_loop().time()
