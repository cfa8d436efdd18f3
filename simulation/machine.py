"""A simulated machine: its disk, its clocks, and the identity and the connections of its processes.

What the library takes from the operating system without an argument is replaced for the block: the monotonic clock of
deadlines, sleeping, the numbers of processes and random bytes in names, and the module `sqlite3`, whose connections
count statements.
"""

import hashlib
import os
import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self
from unittest.mock import patch

from canfetch import AsyncClient, Client
from simulation.disk import Disk
from simulation.processes import PROCESS, DeathPlan, Killed, Process

EPOCH: Final = 1_790_000_000.0
_SQLITE_USERS: Final = (
    "canfetch.client.sqlite_files",
    "canfetch.client.frontier.database",
    "canfetch.client.stores.sqlite",
    "canfetch.client.watch.history",
)


class Suspension(NamedTuple):
    """The machine sleeps.

    Attributes:
        at: When, by its monotonic clock.
        seconds: For how long.
        counts: Whether its monotonic clock counts that time. On Linux it does not.
    """

    at: float
    seconds: float
    counts: bool


class ClockPlan(NamedTuple):
    """What happens to the clocks.

    Attributes:
        steps: When the wall clock is set, in true time, and how wrong it is from then on. In order.
        suspensions: When the machine sleeps. In order.
    """

    steps: tuple[tuple[float, float], ...] = ()
    suspensions: tuple[Suspension, ...] = ()

    @property
    def jumps(self) -> list[tuple[float, float]]:
        """The jumps of the monotonic clock."""
        return [(each.at, each.seconds) for each in self.suspensions if each.counts]

    @property
    def wakes(self) -> list[float]:
        """When the machine wakes, in true time."""
        wakes = []
        monotonic = uncounted = 0.0
        for each in self.suspensions:
            monotonic = max(each.at, monotonic)
            if each.counts:
                monotonic += each.seconds
            else:
                uncounted += each.seconds
            wakes.append(monotonic + uncounted)
        return wakes


class Trace:
    """A hash of all events. Two runs of a seed have the same.

    Args: is_on: Whether events are added.
    """

    def __init__(self, *, is_on: bool) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self._is_on = is_on

    def note(self, *parts: object) -> None:
        """Add an event."""
        if not self._is_on:
            return
        for part in parts:
            self._hash.update(part if isinstance(part, bytes) else repr(part).encode())
            self._hash.update(b"\0")

    def hexdigest(self) -> str:
        """Return the hash."""
        return self._hash.hexdigest()


class Machine:
    """A machine, for the block.

    Args:
        seed: What its random numbers are derived from.
        clocks: What happens to its clocks.
        monotonic: Returns the time of its monotonic clock.
        sleep: Lets time pass, for code without an event loop.
        records: Whether its power may fail.
        traces: Whether its events are hashed.
    """

    def __init__(
        self,
        seed: object,
        clocks: ClockPlan,
        *,
        monotonic: Callable[[], float],
        sleep: Callable[[float], None] | None = None,
        records: bool = True,
        traces: bool = True,
    ) -> None:
        self.trace = Trace(is_on=traces)
        self.monotonic = monotonic
        self._clocks = clocks
        self._sleep = sleep
        self._chance = random.Random(f"{seed} machine")
        self.disk = Disk(random.Random(f"{seed} disk"), self.trace.note, records=records)
        self.files = _FileCalls(self)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        stack = self._stack
        stack.enter_context(self.disk)
        module = _SQLite(self)
        for user in _SQLITE_USERS:
            stack.enter_context(patch(f"{user}.sqlite3", module))
        identity = {"getpid": lambda: 1000, "urandom": self._chance.randbytes}
        client = "canfetch.client"
        stack.enter_context(patch(f"{client}.resilient_store.monotonic", self.monotonic))
        stack.enter_context(patch(f"{client}.stores.sqlite.monotonic", self.monotonic))
        clock = Replaced(time, monotonic=self.monotonic, sleep=self._sleep)
        for user in ("procedure", "sync_client", "sqlite_files"):
            stack.enter_context(patch(f"{client}.{user}.time", clock))
        # The locks of SQLite instead, which end with a process that is killed.
        stack.enter_context(patch(f"{client}.sqlite_files.FileLock._lock", return_value=False))
        calls = {name: getattr(self.files, name) for name in ("open", "close", "write", "fsync", "ftruncate")}
        recorder = f"{client}.evidence.recorder.os"
        stack.enter_context(patch(recorder, Replaced(os, **identity, **calls)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def world(self) -> float:
        """Return the true time since the beginning, in which the sites live."""
        now = self.monotonic()
        return now + sum(each.seconds for each in self._clocks.suspensions if each.at <= now and not each.counts)

    def wall(self) -> float:
        """Return what the wall clock shows."""
        world, wrong = self.world(), 0.0
        for at, error in self._clocks.steps:
            if at <= world:
                wrong = error
        return EPOCH + world + wrong

    def start_process(self, name: str, death: DeathPlan | None) -> Process:
        """Start a process."""
        self.trace.note("start", name)
        return Process(name, death, self.trace.note)

    def lose_power(self) -> None:
        """Lose what is not synchronised, after all processes have died."""
        self.trace.note("power")
        self.disk.lose_power()
        self.files.lose_power()


class Replaced:
    """A module with some of its functions replaced."""

    def __init__(self, module: object, **functions: object) -> None:
        self._module = module
        self.__dict__.update(functions)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


class _FileCalls:
    """The calls with which evidence is written. A process that is killed may have written a part of a line."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._paths: dict[int, Path] = {}
        self._certain: dict[Path, int] = {}

    def open(self, path: Any, flags: int, *mode: int) -> int:
        self._count()
        descriptor = os.open(path, flags, *mode)
        if flags & os.O_WRONLY:
            self._paths[descriptor] = Path(path)
            self._certain.setdefault(Path(path), 0)
        return descriptor

    def close(self, descriptor: int) -> None:
        self._paths.pop(descriptor, None)
        os.close(descriptor)

    def write(self, descriptor: int, data: bytes) -> int:
        process = PROCESS.get()
        was_alive = process is None or process.is_alive
        try:
            self._count()
        except Killed:
            if was_alive:
                os.write(descriptor, data[: self._machine._chance.choice((0, 1, len(data) // 2, len(data)))])
            raise
        self._machine.trace.note("line", data)
        return os.write(descriptor, data)

    def fsync(self, descriptor: int) -> None:
        self._count()
        if descriptor in self._paths:
            self._certain[self._paths[descriptor]] = os.fstat(descriptor).st_size

    def ftruncate(self, descriptor: int, size: int) -> None:
        self._count()
        os.ftruncate(descriptor, size)

    def lose_power(self) -> None:
        """Cut each file somewhere after what was synchronised. Evidence is appended, and its file has one length."""
        for path, certain in sorted(self._certain.items()):
            size = path.stat().st_size
            left = self._machine._chance.randint(min(certain, size), size)
            os.truncate(path, left)
            self._certain[path] = left

    def _count(self) -> None:
        process = PROCESS.get()
        if process is not None:
            process.must_happen("write")


class _Connection:
    """A connection of a process, which counts its statements."""

    def __init__(self, connection: sqlite3.Connection, process: Process, trace: Trace) -> None:
        self._connection = connection
        self._process = process
        self._trace = trace

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, statement: str, values: Any = ()) -> sqlite3.Cursor:
        """Run a statement."""
        return self._run(self._connection.execute, statement, values)

    def executemany(self, statement: str, values: Any) -> sqlite3.Cursor:
        """Run a statement with several values."""
        return self._run(self._connection.executemany, statement, values)

    def _run(self, execute: Callable[[str, Any], sqlite3.Cursor], statement: str, values: Any) -> sqlite3.Cursor:
        self._process.must_happen("statement")
        self._trace.note(statement)
        try:
            return execute(statement, values)
        except sqlite3.Error:
            if not self._process.is_alive:
                raise Killed from None
            raise


class _SQLite:
    """The module `sqlite3`, with connections that belong to processes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> Any:
        return getattr(sqlite3, name)

    def connect(self, path: Any, **options: Any) -> Any:
        """Open a file."""
        process = PROCESS.get()
        if process is None:
            return sqlite3.connect(path, **options)
        process.must_happen("statement")
        connection = sqlite3.connect(path, **options)
        process.connections.append(connection)
        return _Connection(connection, process, self._machine.trace)


def name_holder(client: Client | AsyncClient, process: Process) -> None:
    """Let the leases of a client belong to its simulated process, and not to this one."""
    client._resilient_store._holder = process.name
