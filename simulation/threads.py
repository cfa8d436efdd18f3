"""Simulated threads of processes, of which one runs at a time. When one blocks, the others go on in simulated time.

A thread is a greenlet for each of its steps. So code that blocks, such as a statement that waits for a lock or a pause
between two attempts, is the real one, and no switch happens anywhere else. A process that is suspended takes no step.
"""

import asyncio
import contextvars
from asyncio import tasks
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Self

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]  # its stubs are another package

from simulation.processes import PROCESS, Killed, Process

# The steps of the loop itself belong to no process.
_OUTSIDE: Final = contextvars.Context()
_running: list["SimulatedThread"] = []


class SimulatedThread:
    """A thread of a process.

    Args: process: The process. Its first thread is the one that runs its tasks.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self._waiting: deque[Callable[[], object]] = deque()
        self._blocked: greenlet | None = None
        self._blocks = 0
        self._is_woken = False
        process.threads.append(self)

    def run(self, step: Callable[[], object]) -> None:
        """Run a step, after those that wait."""
        self._waiting.append(step)
        self.go_on()

    def go_on(self) -> None:
        """Run what waits, unless the thread is blocked or the process is suspended."""
        process = self._process
        if self._blocked is not None and self._is_woken and process.can_run:
            self._enter(self._blocked)
        while self._waiting and self._blocked is None and process.can_run:
            self._enter(greenlet(self._waiting.popleft()))
        if not process.is_alive:
            process.bury()

    def block(self) -> None:
        """Let others run until `wake` is called with the number of this block, which is `blocks`.

        Raises: Killed.
        """
        if not self._process.is_alive:
            raise Killed
        hub = getcurrent().parent
        assert hub is not None
        with _no_task():
            hub.switch()

    def next_block(self) -> int:
        """Return the number of the next block."""
        self._blocks += 1
        self._is_woken = False
        return self._blocks

    def wake(self, number: int) -> None:
        """End a block in a step of the loop, unless it has ended."""
        if number == self._blocks and not self._is_woken:
            self._is_woken = True
            asyncio.get_running_loop().call_soon(self.go_on, context=_OUTSIDE)

    def kill(self) -> None:
        """End the thread with its process."""
        self._waiting.clear()
        if self._blocked is not None:
            self._enter(self._blocked, Killed)

    def _enter(self, step: greenlet, *error: type[BaseException]) -> None:
        self._blocked = None
        _running.append(self)
        try:
            with _no_task():
                if error:
                    step.throw(*error)
                else:
                    step.switch()
        except Killed:
            pass
        finally:
            _running.pop()
        if not step.dead:
            self._blocked = step


@contextmanager
def _no_task() -> Iterator[None]:
    """Leave the current task of the loop for a block, in which those of other threads run."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task(loop)
    if task is not None:
        tasks._leave_task(loop, task)
    try:
        yield
    finally:
        if task is not None:
            tasks._enter_task(loop, task)


def current_thread() -> SimulatedThread:
    """Return the thread that runs now."""
    return _running[-1]


def block_until(begin: Callable[[Callable[[], None]], object]) -> None:
    """Block the current thread until a function is called that `begin` gets."""
    thread = current_thread()
    number = thread.next_block()
    begin(lambda: thread.wake(number))
    thread.block()


def sleep(seconds: float) -> None:
    """Block the current thread for some time."""
    if seconds > 0:
        block_until(lambda wake: asyncio.get_running_loop().call_later(seconds, wake))


class Event:
    """What `threading.Event` is."""

    def __init__(self) -> None:
        self._is_set = False
        self._wakes: list[Callable[[], None]] = []

    def is_set(self) -> bool:
        """Return whether it was set."""
        return self._is_set

    def set(self) -> None:
        """Wake all threads that wait for it."""
        self._is_set = True
        while self._wakes:
            self._wakes.pop(0)()

    def wait(self, timeout: float) -> bool:
        """Wait until it is set, for a time."""
        if not self._is_set:
            handles: list[asyncio.TimerHandle] = []

            def begin(wake: Callable[[], None]) -> None:
                self._wakes.append(wake)
                handles.append(asyncio.get_running_loop().call_later(timeout, wake))

            block_until(begin)
            handles[0].cancel()
        return self._is_set


class Lock:
    """What `threading.Lock` is, as a context manager."""

    def __init__(self) -> None:
        self._is_free = Event()
        self._is_free.set()

    def __enter__(self) -> Self:
        while not self._is_free.is_set():
            self._is_free.wait(1e9)
        self._is_free = Event()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_free.set()


class Thread:
    """What `threading.Thread` is."""

    def __init__(self, target: Callable[[], object], **_: Any) -> None:
        self._target = target
        self._has_ended = Event()

    def start(self) -> None:
        """Start the thread in the next step of the loop."""
        process = PROCESS.get()
        assert process is not None
        context = contextvars.copy_context()
        thread = SimulatedThread(process)
        asyncio.get_running_loop().call_soon(thread.run, lambda: context.run(self._run), context=_OUTSIDE)

    def join(self, timeout: float = 1e9) -> None:
        """Wait for its end, for a time."""
        self._has_ended.wait(timeout)

    def _run(self) -> None:
        self._target()
        self._has_ended.set()
