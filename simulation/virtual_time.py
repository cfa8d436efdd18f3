"""An event loop whose time advances only when every task waits, so that hours of waiting take no time.

A deadlock fails at once: no callback is ready, and none is scheduled. So does a livelock, after many steps. Calls in
threads run at once, in the only thread there is.

Each step belongs to the simulated process that started its task, and a dead process takes no further step.
"""

import asyncio
import contextvars
import selectors
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar

from simulation.processes import PROCESS

Result = TypeVar("Result")
# The rounds of the loop at one moment of its time.
_MAX_ROUNDS: Final = 50_000


class Stuck(AssertionError):
    """Raised if a loop can never go on."""


class _VirtualSelector(selectors.SelectSelector):
    """A selector that advances the time of its loop instead of waiting."""

    loop: "VirtualTimeLoop"
    max_rounds = _MAX_ROUNDS
    _rounds = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise Stuck("deadlock: every task waits for another one")
        if timeout > 0:
            self.loop.advance(timeout)
            self._rounds = 0
        self._rounds += 1
        if self._rounds > self.max_rounds:
            raise Stuck("livelock: tasks run, and no time passes")
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop with a time of its own, in seconds.

    Attributes:
        now: The time.
        jumps: Moments at which the time jumps, and by how many seconds: the machine was suspended, and its monotonic
            clock counts that. In order.
    """

    def __init__(
        self, start: float, jumps: list[tuple[float, float]] | None = None, max_rounds: int = _MAX_ROUNDS
    ) -> None:
        self.now = start
        self.jumps = jumps or []
        selector = _VirtualSelector()
        selector.loop = self
        selector.max_rounds = max_rounds
        super().__init__(selector)

    def time(self) -> float:
        """Return the virtual time."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now = later(self.now, seconds, self.jumps)

    def call_soon(  # type: ignore[override]  # the types of the arguments are those of the callback
        self, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """Schedule a step of the process in whose context it runs."""
        context = contextvars.copy_context() if context is None else context
        process = context.get(PROCESS)
        if process is None or not process.threads:
            return super().call_soon(_run_step, callback, args, context=context)
        # Its context belongs to the step, which can block.
        step = partial(context.run, _run_step, callback, args)
        return super().call_soon(process.threads[0].run, step, context=contextvars.Context())

    def create_future(self) -> asyncio.Future[Any]:
        """Create a future of the current process."""
        future = super().create_future()
        process = PROCESS.get()
        if process is not None:
            process.add_future(future)
        return future

    def create_task(self, coro: Any, **options: Any) -> Any:
        """Create a task of the current process."""
        task = super().create_task(coro, **options)
        process = PROCESS.get()
        if process is not None:
            process.add_task(task)
        return task

    def run_in_executor(self, executor: object, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]  # noqa: ARG002
        """Call a function now, and return its result as a future."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - raised where the future is awaited
            future.set_exception(error)
        return future


def later(now: float, seconds: float, jumps: list[tuple[float, float]]) -> float:
    """Return the time after some seconds. A jump in between comes on top of what has passed until then, and is removed.

    Args: jumps: Moments and seconds, in order. A jump to which another one leads comes after it.
    """
    end = now + seconds
    while jumps and jumps[0][0] <= end:
        at, jump = jumps.pop(0)
        now = max(at, now) + jump
        end = max(end, now)
    return end


def _run_step(callback: Callable[..., object], args: tuple[Any, ...]) -> None:
    process = PROCESS.get()
    if process is None:
        callback(*args)
        return
    if process.happens("step"):
        callback(*args)
    if not process.is_alive and not process.threads:
        process.bury()


def run_in_virtual_time(
    main: Callable[[], Coroutine[Any, Any, Result]],
    *,
    start: float = 0.0,
    jumps: list[tuple[float, float]] | None = None,
    max_rounds: int = _MAX_ROUNDS,
) -> Result:
    """Run a coroutine function with a loop whose time begins at `start`.

    Args:
        jumps: See `VirtualTimeLoop`.
        max_rounds: The rounds of the loop without time that passes, after which it is stuck.
    Raises: Stuck.
    """
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(start, jumps, max_rounds)) as runner:
        return runner.run(main())


def virtual_now() -> float:
    """Return the time of the running loop."""
    return asyncio.get_running_loop().time()
