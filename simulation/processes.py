"""Simulated processes: tasks and connections that die together, at any step, statement or write.

A process that is killed takes no further step: its tasks stay where they wait, and none of their `finally` blocks has
an effect on a file or on the network. Its statements and writes fail from then on, and its locks are released, as the
operating system does it.
"""

import asyncio
import contextvars
import sqlite3
import weakref
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple

Kind = Literal["step", "statement", "write"]
PROCESS: Final[contextvars.ContextVar["Process | None"]] = contextvars.ContextVar("PROCESS", default=None)


class Killed(BaseException):
    """Raised in place of the death of the process, in the step in which it dies."""


class DeathPlan(NamedTuple):
    """When a process dies.

    Attributes:
        kind: What is counted: steps of the event loop, that is, every await that waits; statements of SQLite; or
            writes, truncations and synchronisations of files.
        number: It dies before this one, from 0.
        loses_power: Whether the machine loses its power at that moment.
    """

    kind: Kind
    number: int
    loses_power: bool = False


class Process:
    """A process.

    Args:
        name: Its name in the trace.
        death: When it dies, or None.
        note: Called with each event.
    """

    def __init__(self, name: str, death: DeathPlan | None, note: Callable[..., object]) -> None:
        self.name = name
        self.is_alive = True
        self._note = note
        self._left = 0
        self._kind: Kind | None = None
        if death is not None:
            self.arm(death)
        self._is_buried = False
        self._tasks: list[weakref.ref[asyncio.Task[Any]]] = []
        self._futures = weakref.WeakSet[asyncio.Future[Any]]()
        self.connections: list[sqlite3.Connection] = []
        self._over: asyncio.Future[None] | None = None
        self._context = contextvars.copy_context()
        self._context.run(PROCESS.set, self)

    def arm(self, death: DeathPlan) -> None:
        """Let the process die, with the events counted from now."""
        self._kind, self._left = death.kind, death.number

    def happens(self, kind: Kind) -> bool:
        """Count an event before it happens. Return whether the process is alive, and the event may happen."""
        if self.is_alive and kind == self._kind:
            self._left -= 1
            if self._left < 0:
                self.is_alive = False
                self._note("death", self.name, kind)
        return self.is_alive

    def kill(self) -> None:
        """Let the process die now, between two steps."""
        if self.is_alive:
            self.is_alive = False
            self._note("death", self.name)
        self.bury()

    def must_happen(self, kind: Kind) -> None:
        """Count an event before it happens.

        Raises: Killed: The process is dead.
        """
        if not self.happens(kind):
            raise Killed

    def call(self, function: Callable[[], Any]) -> Any:
        """Call a function as part of this process."""
        return self._context.run(function)

    async def run(self, main: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        """Run a coroutine function until it ends or the process dies.

        Raises: What `main` raises, unless the process died.
        """
        loop = asyncio.get_running_loop()
        self._over = loop.create_future()
        task: asyncio.Task[Any] = self.call(lambda: loop.create_task(main()))
        await asyncio.wait([task, self._over], return_when=asyncio.FIRST_COMPLETED)
        if self.is_alive:
            self._over.cancel()
            task.result()
        elif not self._is_buried:
            self.bury()

    def add_task(self, task: asyncio.Task[Any]) -> None:
        """Add a task, which takes no step after the death of the process."""
        self._tasks.append(weakref.ref(task))
        if len(self._tasks) > 1000:
            self._tasks = [ref for ref in self._tasks if (each := ref()) is not None and not each.done()]

    def add_future(self, future: asyncio.Future[Any]) -> None:
        """Add a future whose result is not read after the death of the process."""
        self._futures.add(future)

    def bury(self) -> None:
        """Release what the dead process holds: its tasks and the locks of its files."""
        if self._is_buried:
            return
        self._is_buried = True
        self.call(self._release)
        if self._over is not None and not self._over.done():
            self._over.set_result(None)

    def _release(self) -> None:
        tasks = [task for ref in self._tasks if (task := ref()) is not None]
        # asyncio logs exceptions that are not retrieved.
        for future in (*tasks, *self._futures):
            if future.done() and not future.cancelled():
                future.exception()
        for task in tasks:
            if task.done():
                continue
            # The end of the loop must not wait for it.
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            asyncio.tasks._unregister_task(task)
            with suppress(BaseException):
                task.get_coro().close()
        for connection in self.connections:
            with suppress(BaseException):
                connection.close()
        self.connections.clear()
