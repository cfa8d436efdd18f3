"""A PostgreSQL server in simulated time: a real server, whose clock, connections and outages are simulated.

The server resolves `clock_timestamp()` in the first schema of the search path, which has one that returns the simulated
time. The sessions of the real server are used again, so a connection costs nothing, and one that breaks is rolled back.

A statement that waits for a lock blocks its thread. After each statement, all that waited go on or wait again before
anything else happens, so that the order of events is always the same.
"""

import asyncio
import os
import random
import select
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType
from typing import Any, Final, Self
from unittest.mock import patch

import psycopg
from psycopg.pq import TransactionStatus
from tests.postgres import start_postgres

from canfetch.client.frontier import postgres_statements as sql
from canfetch.client.frontier.postgres_connection import PostgresConnection
from simulation import threads
from simulation.machine import EPOCH, Machine, Replaced
from simulation.plans import Shared
from simulation.processes import PROCESS, Killed, Kind, Process
from simulation.rules import BrokenRule
from simulation.virtual_time import virtual_now

# What the library sets for its connections.
_IDLE_IN_TRANSACTION: Final = 5.0
# Seconds of real time after which a statement is asked whether it waits for a lock. The server finds deadlocks before.
_LOCK_SECONDS: Final = 0.03
_OPTIONS: Final = (
    "-c search_path=simulated,pg_catalog -c synchronous_commit=off -c deadlock_timeout=10ms -c jit=off "
    "-c client_min_messages=error"
)
_SETUP: Final = (
    "CREATE SCHEMA simulated",
    """CREATE FUNCTION simulated.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS $$ SELECT pg_catalog.to_timestamp(pg_catalog.current_setting('simulated.now')::float8) $$""",
)
_TABLES: Final = "canfetch_crawls, canfetch_workers, canfetch_origins, canfetch_urls, canfetch_known, canfetch_members"
_BLOCKERS: Final = "SELECT cardinality(pg_blocking_pids(%s))"


class _Session(psycopg.Connection[tuple[Any, ...]]):
    """A session of the real server.

    Attributes: database: Where it is, once it is used.
    """

    database: "Database | None" = None
    _clock: float | None = None

    def set_clock(self, now: float) -> None:
        """Set the clock that its statements read."""
        if self._clock != now or self.info.transaction_status is not TransactionStatus.IDLE:
            self.execute("SELECT set_config('simulated.now', %s, false)", (repr(now),))
        # A transaction that is rolled back sets it back.
        self._clock = now if self.info.transaction_status is TransactionStatus.IDLE else None

    def wait(self, gen: Any, interval: float = 0.0, timeout: float | None = None) -> Any:  # noqa: ARG002
        """Run an operation. If it waits for a lock, the thread is blocked."""
        poller = select.poll()
        try:
            state = next(gen)
            while True:
                poller.register(self.pgconn.socket, select.POLLIN | (select.POLLOUT if state & 2 else 0))
                found = poller.poll(_LOCK_SECONDS * 1000)
                if not found:
                    if self.database is not None and self.database.waits(self):
                        self.database.wait_for_lock(self)
                    continue
                events = found[0][1]
                state = gen.send((1 if events & ~select.POLLOUT else 0) | (2 if events & select.POLLOUT else 0))
        except StopIteration as end:
            return end.value
        except Killed:
            with suppress(psycopg.Error):
                super().wait(gen, 0.1)
            raise


class Database:
    """A database of a real server, in which one plan runs at a time.

    Args: url: The database, which is empty.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._admin = psycopg.connect(url, autocommit=True)
        for statement in _SETUP:
            self._admin.execute(statement.encode())
        self._free: list[_Session] = []
        # What waits for locks, with the functions that end it, in the order in which it began.
        self._waiting: dict[_Session, Callable[[], None]] = {}

    def clear(self, *, has_tables: bool) -> None:
        """Remove all rows, or all tables."""
        if not has_tables:
            self._admin.execute("DROP SCHEMA simulated CASCADE")
            for statement in _SETUP:
                self._admin.execute(statement.encode())
            return
        session = self.take(0.0)
        PostgresConnection(self._url, outage_seconds=0.0, creates_tables=True)._prepare(session)
        session.execute(f"TRUNCATE {_TABLES} RESTART IDENTITY".encode())
        session.execute("ALTER SEQUENCE canfetch_url_ids RESTART")
        self.give_back(session)

    def take(self, seed: float) -> _Session:
        """Return a session with its own random numbers."""
        if not self._free:
            session = _Session.connect(self._url, autocommit=True, prepare_threshold=1, options=_OPTIONS)
            session.database = self
            self._free.append(session)
        session = self._free.pop()
        session.execute("SELECT setseed(%s)", (seed,))
        return session

    def give_back(self, session: _Session) -> None:
        """Take a session back, without its transaction."""
        if session.info.transaction_status is not TransactionStatus.IDLE:
            session.execute("ROLLBACK")
        self._free.append(session)

    def waits(self, session: _Session) -> bool:
        """Return whether a session waits for a lock."""
        row = self._admin.execute(_BLOCKERS, (session.pgconn.backend_pid,)).fetchone()
        return row is not None and row[0] > 0

    def wait_for_lock(self, session: _Session) -> None:
        """Block the thread of a session that waits for a lock until it has it.

        Raises: Killed.
        """
        try:
            threads.block_until(lambda wake: self._waiting.__setitem__(session, wake))
        except Killed:
            session.cancel_safe()
            raise
        finally:
            self._waiting.pop(session, None)

    def cancel(self, session: _Session) -> None:
        """End the statement of a session that waits for a lock."""
        wake = self._waiting.pop(session, None)
        if wake is not None:
            session.cancel_safe()
            select.select([session.pgconn.socket], [], [])
            wake()

    def settle(self) -> None:
        """Let those that have got their locks go on, and wait until the others wait again."""
        for session, wake in list(self._waiting.items()):
            poller = select.poll()
            poller.register(session.pgconn.socket, select.POLLIN)
            while not poller.poll(1):
                if self.waits(session):
                    break
            else:
                self._waiting.pop(session, None)
                wake()


class _Connection:
    """A connection of a process."""

    def __init__(self, server: "Server", process: Process, session: _Session) -> None:
        self._server = server
        self._process = process
        self._session: _Session | None = session
        self._is_running = False
        # When the transaction has renewed the lease of the process.
        self._renewed_at = 0.0
        self.info = session.info

    @property
    def closed(self) -> bool:
        """Whether it cannot be used."""
        return self._session is None

    def execute(self, statement: str | bytes, values: Any = None, **options: Any) -> Any:
        """Run a statement. Parameters that are None are unknown values."""
        self._server.reach("statement", self)
        session = self._check()
        session.set_clock(self._server.clock())
        self._is_running = True
        try:
            cursor = session.execute(statement, values, **options)
        except psycopg.errors.DeadlockDetected as error:
            raise BrokenRule(f"at {virtual_now():.3f} s: deadlock of transactions: {statement!r}") from error
        except psycopg.Error:
            self._is_running = False
            self._check()
            raise
        finally:
            self._is_running = False
            if self._session is None:
                self._server.database.give_back(session)
            self._server.database.settle()
        self._note(statement, cursor.rowcount)
        self._server.reach("answer", self)
        self._check()
        self._process.has_lease = self._process.has_lease or statement == sql.REGISTER
        return cursor

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run a block as a transaction."""
        self.execute("BEGIN")
        try:
            yield
        except BaseException:
            if self._session is not None and self._process.is_alive:
                with suppress(psycopg.Error):
                    self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    @property
    def is_in_transaction(self) -> bool:
        """Whether it is in a transaction."""
        return self._session is not None and self.info.transaction_status is not TransactionStatus.IDLE

    def close(self) -> None:
        """Break, and release the locks."""
        session, self._session = self._session, None
        if session is None:
            return
        if self._is_running:
            self._server.database.cancel(session)
        else:
            self._server.database.give_back(session)
        self._server.database.settle()

    def _note(self, statement: str | bytes, rows: int) -> None:
        """Note a statement that was run."""
        process, now = self._process, virtual_now()
        if threads.current_thread() is process.threads[0]:
            process.heard_at = now
        if statement == sql.REGISTER:
            if process.has_lease and now < process.renewed_at + process.lease:
                raise BrokenRule(f"at {now:.3f} s: {process.name} has lost its lease, and renewed it in time")
            process.register(now)
        elif statement == sql.RENEW and rows:
            self._renewed_at = now
            if not self.is_in_transaction:
                process.renewed_at = max(process.renewed_at, now)
        elif statement == "COMMIT":
            process.renewed_at = max(process.renewed_at, self._renewed_at)
        self._server.note(now, process.name, statement)

    def _check(self) -> _Session:
        if self._session is None:
            raise psycopg.OperationalError("the connection is broken")
        return self._session


class Server:
    """The server of a plan, for the block.

    Args:
        database: Where the URLs are.
        machine: The machine of the processes.
        shared: What happens.
        chance: What its delays are derived from.
        processes: The processes that have started.
    """

    def __init__(
        self, database: Database, machine: Machine, shared: Shared, chance: random.Random, processes: list[Process]
    ) -> None:
        self.database = database
        self.note = machine.trace.note
        self._shared = shared
        self._chance = chance
        self._processes = processes
        self._connections: list[_Connection] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self.database.clear(has_tables=self._shared.has_tables)
        loop = asyncio.get_running_loop()
        for at, seconds in self._shared.outages:
            loop.call_at(at, self._begin_outage, at + seconds)
        frontier = "canfetch.client.frontier"
        clock = Replaced(time, monotonic=virtual_now, sleep=threads.sleep)
        for user in ("postgres_connection", "postgres_worker", "heartbeat", "claimed_origins"):
            self._stack.enter_context(patch(f"{frontier}.{user}.time", clock))
        replaced = Replaced(threading, Thread=threads.Thread, Event=threads.Event, Lock=threads.Lock)
        for user in ("heartbeat", "postgres_connection"):
            self._stack.enter_context(patch(f"{frontier}.{user}.threading", replaced))
        self._stack.enter_context(patch(f"{frontier}.postgres_connection._open", self._connect))
        # Hours of simulated time have too many half seconds.
        self._stack.enter_context(patch(f"{frontier}.postgres_worker._POLL_SECONDS", 20.0))
        for user in ("postgres_worker", "heartbeat"):
            self._stack.enter_context(patch(f"{frontier}.{user}.IDLE_SECONDS", self._shared.lease / 8))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._break_all()
        self._stack.close()

    def clock(self) -> float:
        """Return what the clock of the server shows."""
        now, wrong = virtual_now(), 0.0
        for at, error in self._shared.steps:
            if at <= now:
                wrong = error
        return EPOCH + now + wrong

    def reach(self, kind: Kind, connection: _Connection) -> None:
        """Let happen what happens before a statement or its answer.

        Raises: Killed.
        """
        process = connection._process
        interruption = process.due_interruption(kind)
        seconds = self._chance.choice(self._shared.latencies)
        if interruption is not None and interruption.seconds:
            process.suspend(interruption.seconds)
            seconds = max(seconds, interruption.seconds)
        elif interruption is not None:
            for each in [each for each in self._connections if each._process is process]:
                each.close()
        if seconds:
            timer = None
            if connection.is_in_transaction:
                timer = asyncio.get_running_loop().call_later(_IDLE_IN_TRANSACTION, connection.close)
            threads.sleep(seconds)
            if timer is not None:
                timer.cancel()
        process.must_happen(kind)

    def _connect(self, _: str, __: float) -> _Connection:
        process = PROCESS.get()
        assert process is not None
        process.must_happen("statement")
        now = virtual_now()
        if any(at <= now < at + seconds for at, seconds in self._shared.outages):
            raise psycopg.OperationalError("connection refused")
        connection = _Connection(self, process, self.database.take(self._chance.random()))
        process.connections.append(connection)
        self._connections = [each for each in self._connections if not each.closed]
        self._connections.append(connection)
        return connection

    def _begin_outage(self, end: float) -> None:
        self._break_all()
        # After a shorter outage, the processes that are not suspended renew their leases in time.
        if end - virtual_now() > self._shared.lease / 2:
            for process in self._processes:
                process.keep_lease(end)

    def _break_all(self) -> None:
        for connection in self._connections:
            connection.close()


@contextmanager
def start_server() -> Iterator[str]:
    """Start a server for a block, and yield its URL.

    Raises: pytest.skip.Exception: It is not installed; pytest.fail.Exception: The same in CI.
    """
    with start_postgres() as server:
        with psycopg.connect(server.url(), autocommit=True) as connection:
            # Vacuum changes the order of rows at any time.
            for setting in ("autovacuum", "fsync", "full_page_writes"):
                connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())
            connection.execute("SELECT pg_reload_conf()")
        yield server.url()


_databases: list[Database] = []


def use_database(server_url: str) -> None:
    """Let the plans of this process run in a new database of a server."""
    name = f"simulation{os.getpid()}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    _databases.append(Database(f"{server_url.rpartition('/')[0]}/{name}"))


def current_database() -> Database:
    """Return the database of this process."""
    return _databases[-1]
