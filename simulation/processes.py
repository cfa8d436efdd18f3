"""Simulated processes: tasks and connections that die together, at any step, statement or write.

A process that is killed takes no further step: its tasks stay where they wait, and none of their `finally` blocks has
an effect on a file or on the network. Its statements and writes fail from then on, and its locks are released, as the
operating system does it.
"""

import asyncio
import contextvars
import weakref
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from simulation.threads import SimulatedThread

Kind = Literal["step", "statement", "answer", "write"]
PROCESS: Final[contextvars.ContextVar["Process | None"]] = contextvars.ContextVar("PROCESS", default=None)


class Killed(BaseException):
    """Raised in place of the death of the process, in the step in which it dies."""


class DeathPlan(NamedTuple):
    """When a process dies.

    Attributes:
        kind: What is counted: steps of the event loop, that is, every await that waits; statements of SQLite and
            PostgreSQL and calls of URLFrontier; answers of PostgreSQL and URLFrontier, after the statement, commit or
            call; or writes, truncations and synchronisations of files.
        number: It dies before this one, from 0.
        loses_power: Whether the machine loses its power at that moment.
    """

    kind: Kind
    number: int
    loses_power: bool = False


class Interruption(NamedTuple):
    """What happens to a process that goes on.

    Attributes:
        kind: What is counted, as for `DeathPlan`.
        number: It happens before this one, from 0.
        seconds: How long the process is suspended. Without, its connections to the server break.
    """

    kind: Kind
    number: int
    seconds: float


class Hold(NamedTuple):
    """What a process was given, and can lose to others.

    Attributes:
        process: The process.
        registration: Its lease.
        at: When it was given.
        is_late: Whether the process learned that so late that it can have lost it before.
        queue: The group of the URL or origin.
    """

    process: "Process"
    registration: int
    at: float
    is_late: bool
    queue: str = ""

    def is_lost(self) -> bool:
        """Return whether it may belong to another process now."""
        process = self.process
        if process.leases is not None:
            return process.leases.is_lost(self)
        is_silent = asyncio.get_running_loop().time() > process.renewed_at + process.lease
        return self.is_late or not process.is_alive or process.registration != self.registration or is_silent


class Leases(Protocol):
    """What knows the leases of processes that have one for each queue."""

    def is_lost(self, hold: Hold) -> bool:
        """Return whether what a process was given may belong to another one now."""
        ...


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
        self.connections: list[Any] = []
        # Only if it has threads that block. The first one runs its tasks.
        self.threads: list[SimulatedThread] = []
        self._interruptions: list[Interruption] = []
        self._counts: Counter[Kind] = Counter()
        self._suspensions = 0
        # When a statement of its tasks was run last.
        self.heard_at: float | None = None
        # Whether it knows that it has a lease, how often it has got one, and when that was renewed last.
        self.has_lease = False
        self.registration = 0
        self.lease = inf
        self.renewed_at = 0.0
        # Only if it has a lease for each queue.
        self.leases: Leases | None = None
        self._over: asyncio.Future[None] | None = None
        self._context = contextvars.copy_context()
        self._context.run(PROCESS.set, self)

    def arm(self, death: DeathPlan) -> None:
        """Let the process die, with the events counted from now."""
        self._kind, self._left = death.kind, death.number

    def interrupt(self, interruptions: Iterable[Interruption]) -> None:
        """Let interruptions happen, with the events counted from now."""
        self._interruptions += interruptions

    @property
    def can_run(self) -> bool:
        """Whether it is alive and not suspended."""
        return self.is_alive and self._suspensions == 0

    def due_interruption(self, kind: Kind) -> Interruption | None:
        """Count an event before it happens. Return what happens to the process first, or None."""
        number = self._counts[kind]
        self._counts[kind] += 1
        for each in self._interruptions:
            if (each.kind, each.number) == (kind, number):
                return each
        return None

    def suspend(self, seconds: float) -> None:
        """Let no thread run for some time."""
        self._note("suspended", self.name, seconds)
        self._suspensions += 1
        asyncio.get_running_loop().call_later(seconds, self._go_on, context=contextvars.Context())

    def register(self, now: float) -> None:
        """Note that it gets a lease, after it may have lost another one."""
        self.has_lease = False
        self.registration += 1
        self.renewed_at = now

    def keep_lease(self, until: float) -> None:
        """Note that the server cannot renew the lease until a time, and does so then."""
        if asyncio.get_running_loop().time() <= self.renewed_at + self.lease:
            self.renewed_at = max(self.renewed_at, until)

    def is_late(self) -> bool:
        """Whether it has not been heard for so long that what it was given then may belong to another one."""
        now = asyncio.get_running_loop().time()
        return self.heard_at is not None and now - self.heard_at > self.lease / 2

    def hold(self, queue: str = "") -> "Hold":
        """Return what the process has been given now: an origin or a URL.

        Args: queue: Its group.
        """
        now = asyncio.get_running_loop().time()
        return Hold(self, self.registration, now if self.heard_at is None else self.heard_at, self.is_late(), queue)

    def _go_on(self) -> None:
        self._suspensions -= 1
        for thread in list(self.threads):
            thread.go_on()

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
        for thread in self.threads:
            thread.kill()
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


def current_hold(queue: str) -> Hold:
    """Return what the current process has been given now.

    Args: queue: Its group.
    """
    process = PROCESS.get()
    assert process is not None
    return process.hold(queue)
