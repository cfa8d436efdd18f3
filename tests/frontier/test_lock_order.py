"""The order in which transactions on PostgreSQL lock rows: none waits for a row while it has one that comes later."""

import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from tests.frontier.crawl_processes import wait_for
from tests.postgres import PostgresServer

from canfetch.client.frontier import PostgresQueue
from canfetch.client.frontier import postgres_statements as sql
from canfetch.client.frontier.grouping import GroupBy
from canfetch.client.frontier.postgres_worker import PostgresWorker
from canfetch.client.frontier.url_queue import QueueOptions

pytestmark = pytest.mark.service
Connection = psycopg.Connection[tuple[Any, ...]]
Act = Callable[[], object]
# In the order of their rows on the disk. The first one to be locked is the last one.
ORIGINS = [40, 30, 20, 10]
SET_BACK = "UPDATE canfetch_crawls SET seen_at = seen_at + 3600"


@pytest.fixture
def database(postgres: PostgresServer) -> str:
    return postgres.create_database(uuid.uuid4().hex)


@contextmanager
def open_worker(database: str, group_by: GroupBy = GroupBy.HOST) -> Iterator[PostgresWorker]:
    """Open a worker of a crawl that has only origins."""
    worker = PostgresQueue(database, crawl="test").open_queue(QueueOptions(1, 3, time.time, group_by))
    # Its thread does nothing during the test.
    worker._heartbeat._next_beat = float("inf")
    try:
        yield worker
    finally:
        worker.close()


def add_origins(connection: Connection) -> None:
    for number in ORIGINS:
        connection.execute(
            "INSERT INTO canfetch_origins (id, crawl, name) OVERRIDING SYSTEM VALUE "
            "VALUES (%s, (SELECT id FROM canfetch_crawls), %s)",
            (number, f"host{number}.example"),
        )


def own_all(worker: PostgresWorker, connection: Connection) -> None:
    connection.execute("UPDATE canfetch_origins SET state = 3, worker = %s", (worker._worker,))


def end_dead_workers(worker: PostgresWorker, connection: Connection) -> Act:
    """End two workers whose leases have expired. The first one has the origins that have to be locked last."""
    rows = connection.execute(
        "INSERT INTO canfetch_workers (crawl, name, alive_until) SELECT id, 'dead', 0 FROM canfetch_crawls, "
        "generate_series(1, 2) RETURNING id"
    ).fetchall()
    for (dead,), low in zip(rows, (30, 10), strict=True):
        connection.execute(
            "UPDATE canfetch_origins SET state = 3, worker = %s WHERE id BETWEEN %s AND %s", (dead, low, low + 10)
        )
    return worker._heartbeat._beat_with_any


def give_back(worker: PostgresWorker, connection: Connection) -> Act:
    own_all(worker, connection)
    return lambda: worker._connection.run(sql.GIVE_BACK, {"origins": ORIGINS, "worker": worker._worker})


def give_back_others(worker: PostgresWorker, connection: Connection) -> Act:
    own_all(worker, connection)
    values = {"origins": [], "worker": worker._worker}
    return lambda: worker._connection.run(sql.GIVE_BACK_OTHERS, values)


def close(worker: PostgresWorker, connection: Connection) -> Act:
    own_all(worker, connection)
    return worker.close


def add_members(worker: PostgresWorker, _: Connection) -> Act:
    groups = [f"host{number}.example" for number in ORIGINS]
    values = {"crawl": worker._crawl, "names": [f"http://{group}" for group in groups], "groups": groups}
    return lambda: worker._connection.run(sql.ADD_MEMBERS, values)


def drop_resolved(worker: PostgresWorker, connection: Connection) -> Act:
    """Drop the groups of hosts that have joined another group."""
    connection.execute(
        "INSERT INTO canfetch_members (crawl, name, origin) SELECT crawl, name, id + 1000 FROM canfetch_origins"
    )
    names = [f"host{number}.example" for number in ORIGINS]
    values = {"crawl": worker._crawl, "worker": worker._worker, "names": names}
    return lambda: worker._connection.run(sql.DROP_RESOLVED, values, before=sql.ADD_ORIGINS)


@pytest.mark.parametrize("prepare", [end_dead_workers, give_back, give_back_others, close, add_members, drop_resolved])
def test_a_transaction_that_waits_for_an_origin_has_none_that_comes_later(
    database: str, prepare: Callable[[PostgresWorker, Connection], Act]
) -> None:
    with open_worker(database) as worker, psycopg.connect(database, autocommit=True) as setup:
        add_origins(setup)
        act = prepare(worker, setup)
        with psycopg.connect(database) as other:
            other.execute("SELECT 1 FROM canfetch_origins WHERE id = 10 FOR UPDATE")
            with waiting(act, other):
                # It would be a deadlock if the other transaction had one of them.
                other.execute("SELECT 1 FROM canfetch_origins FOR UPDATE NOWAIT")


def test_origins_are_dropped_after_a_lock_of_the_worker(database: str) -> None:
    with open_worker(database) as worker, psycopg.connect(database, autocommit=True) as setup:
        add_origins(setup)
        act = drop_resolved(worker, setup)
        with psycopg.connect(database) as other:
            # As the transaction that moves all times begins.
            other.execute("SELECT 1 FROM canfetch_workers FOR NO KEY UPDATE")
            with waiting(act, other):
                other.execute("SELECT 1 FROM canfetch_origins FOR UPDATE NOWAIT")
        assert setup.execute("SELECT count(*) FROM canfetch_origins").fetchone() == (0,)


def test_a_worker_that_lost_its_lease_registers_again_before_it_drops_origins(database: str) -> None:
    with open_worker(database, GroupBy.ADDRESS) as worker, psycopg.connect(database, autocommit=True) as setup:
        add_origins(setup)
        drop_resolved(worker, setup)
        setup.execute("UPDATE canfetch_members SET name = '?' || name, origin = 40")
        setup.execute("UPDATE canfetch_origins SET name = '?' || name")
        setup.execute("DELETE FROM canfetch_workers")
        worker._find_origins({"http://host10.example"})
        assert setup.execute("SELECT count(*) FROM canfetch_workers").fetchone() == (1,)
        rows = setup.execute("SELECT id FROM canfetch_origins ORDER BY id").fetchall()
        assert rows == [(20,), (30,), (40,)]


def test_a_transaction_that_waits_for_a_worker_has_no_origin(database: str) -> None:
    with open_worker(database) as worker, psycopg.connect(database, autocommit=True) as setup, open_worker(database):
        add_origins(setup)
        setup.execute(SET_BACK)
        with psycopg.connect(database) as other:
            # As the statements of a worker begin.
            other.execute("SELECT 1 FROM canfetch_workers WHERE id <> %s FOR NO KEY UPDATE", (worker._worker,))
            with waiting(worker._heartbeat._beat_with_any, other):
                other.execute("SELECT 1 FROM canfetch_origins FOR NO KEY UPDATE NOWAIT")


@contextmanager
def waiting(act: Act, holder: Connection) -> Iterator[None]:
    """Call a function in a thread for a block, which begins when it waits for a lock, and ends the lock after it."""
    waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with ThreadPoolExecutor() as threads, psycopg.connect(holder.info.dsn, autocommit=True) as connection:
        acting = threads.submit(act)
        try:
            wait_for(lambda: acting.done() or connection.execute(waits).fetchone() is not None)
            assert not acting.done(), acting.result()
            yield
        finally:
            holder.rollback()
        acting.result(60)
