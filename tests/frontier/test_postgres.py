"""Frontiers on a real PostgreSQL server: several processes, kills, stops, restarts of the server, and its errors."""

import asyncio
import json
import os
import re
import signal
import socket
import threading
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import psycopg
import pytest
from tests.frontier.crawl_processes import (
    DELAY,
    SLACK,
    Sites,
    Worker,
    check_delays,
    start_workers,
    wait_for,
    write_seeds,
)
from tests.frontier.crawls import USER_AGENT, Hosts, end_all_turns
from tests.postgres import PostgresServer, start_postgres

import canfetch
from canfetch.cli.main import run
from canfetch.client.frontier import FailedURL, PostgresQueue, export_frontier, import_frontier
from canfetch.client.frontier import postgres_statements as sql
from canfetch.client.frontier.postgres_connection import _SCHEMA_LOCK, PostgresConnection
from canfetch.client.frontier.postgres_worker import PostgresWorker
from canfetch.client.frontier.queue_values import NewURLs, QueuedOrigin
from canfetch.client.frontier.report import read_report
from canfetch.client.frontier.requeue import queue_failed_urls
from canfetch.client.frontier.url_identity import identify_url
from canfetch.client.frontier.url_queue import QueueOptions
from canfetch.errors import InvalidOption, StoreError

pytestmark = pytest.mark.service


def test_four_workers_share_a_crawl_exactly(postgres: PostgresServer, sites: Sites, tmp_path: Path) -> None:
    database = postgres.create_database("four")
    urls = sites.urls(origins=250, pages=4)
    seeds = write_seeds(tmp_path, urls)
    workers = start_workers(database, sites, seeds)
    done = [worker.end() for worker in workers]

    assert sorted(url for part in done for _, url, _ in part) == sorted(urls)
    assert {word for part in done for word, _, _ in part} == {"done"}
    assert all(done), "a worker had no turn"
    check_delays(sites)
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT added, done, failed FROM canfetch_crawls").fetchall() == [(1000, 1000, 0)]
        assert connection.execute("SELECT count(*) FROM canfetch_workers").fetchall() == [(0,)]
        assert connection.execute("SELECT count(*) FROM canfetch_urls").fetchall() == [(0,)]


def test_four_workers_share_groups_although_one_is_killed(postgres: PostgresServer, tmp_path: Path) -> None:
    sites = Sites(ports=3)
    database = postgres.create_database("groups")
    urls = sites.urls(origins=20, pages=3)
    seeds = write_seeds(tmp_path, urls)
    workers = start_workers(database, sites, seeds, GROUP_BY="host")
    wait_for(lambda: len(sites.requests) > 80)
    workers[1].send(signal.SIGKILL)
    killed = workers[1].end(-signal.SIGKILL)
    done = [*killed, *(line for index in (0, 2, 3) for line in workers[index].end())]
    sites.close()

    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT added, done, failed FROM canfetch_crawls").fetchall() == [(180, 180, 0)]
    assert len(set(urls) - {url for _, url, _ in done}) <= 8
    # All requests to an address, for files and pages of all its ports.
    times = defaultdict(list)
    for at, host, _ in sites.requests:
        times[host].append(at)
    gaps = [later - earlier for each in times.values() for earlier, later in pairwise(sorted(each))]
    assert min(gaps) >= DELAY - SLACK


def test_a_group_stays_with_the_process_that_requests_its_robots_txt(postgres: PostgresServer) -> None:
    options: dict[str, Any] = {
        "backend": PostgresQueue(postgres.create_database("checking"), crawl="x"),
        "group_by": "host",
        "concurrency_per_origin": 2,
        "min_delay": 0.0,
    }
    hosts = Hosts(delays={"a.example:8080": 2.0})
    urls = ["https://a.example/1", "https://a.example:8080/1"]

    async def main() -> None:
        async with (
            canfetch.AsyncClient(user_agent=USER_AGENT, transport=hosts) as client,
            canfetch.AsyncClient(user_agent=USER_AGENT, transport=hosts) as other_client,
            canfetch.Frontier(client, urls, **options) as frontier,
            canfetch.Frontier(other_client, **options) as other,
        ):
            turn = await anext(frontier)
            waiting = [asyncio.ensure_future(anext(each, None)) for each in (frontier, other)]
            await asyncio.sleep(0.3)
            turn.done()
            # Before the first one can claim it again.
            assert isinstance(other._queue, PostgresWorker)
            assert other._queue._claim_origins() == []
            await asyncio.sleep(1.2)
            assert [request.url for request in hosts.requests] == [
                "https://a.example/robots.txt",
                "https://a.example:8080/robots.txt",
            ]
            last = await waiting[0]
            assert last is not None
            assert last.done()
            assert await waiting[1] is None

    asyncio.run(main())


def test_tables_of_the_first_version_are_migrated(postgres: PostgresServer) -> None:
    database = postgres.create_database("migrated")
    backend = PostgresQueue(database, crawl="x")
    urls = ["https://a.example/1", "https://a.example/2"]

    async def crawl(number: int, **options: Any) -> list[str]:
        async with open_client() as client, canfetch.Frontier(client, urls, backend=backend, **options) as frontier:
            turns = [await anext(frontier) for _ in range(number)]
            return [turn.url for turn in turns if turn.done()]

    assert asyncio.run(crawl(1)) == urls[:1]
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP TABLE canfetch_members")
        connection.execute("ALTER TABLE canfetch_origins DROP COLUMN delay")
        connection.execute("ALTER TABLE canfetch_crawls DROP COLUMN group_by")
        connection.execute("ALTER TABLE canfetch_urls DROP COLUMN depth, DROP COLUMN metadata, DROP COLUMN visit")
        connection.execute("ALTER TABLE canfetch_urls DROP COLUMN ended")
        connection.execute("ALTER TABLE canfetch_origins DROP COLUMN added")
        connection.execute("UPDATE canfetch_schema SET version = 1")
        connection.execute(
            "INSERT INTO canfetch_workers (crawl, name, alive_until) "
            "SELECT id, 'old', extract(epoch FROM clock_timestamp()) + 1000 FROM canfetch_crawls"
        )
        with pytest.raises(
            StoreError, match=r"an older canfetch use the tables, which have version 1: stop them.* end in \d+ s$"
        ):
            asyncio.run(crawl(0))
        assert connection.execute("SELECT version FROM canfetch_schema").fetchone() == (1,)
        connection.execute("UPDATE canfetch_workers SET alive_until = 0")
    with pytest.raises(
        StoreError, match="'x': the crawl groups its URLs by origin, not by host: pass group_by='origin'"
    ):
        asyncio.run(crawl(0, group_by="host"))
    assert asyncio.run(crawl(1)) == urls[1:]
    urls.append("https://a.example/3")
    assert asyncio.run(crawl(0, max_urls_per_origin=2)) == []

    async def over() -> int:
        async with open_client() as client, canfetch.Frontier(client, backend=backend, max_urls_per_origin=2) as found:
            return found.add_many(urls)

    assert asyncio.run(over()) == 0


def test_killed_worker_and_killed_server_lose_nothing(sites: Sites, tmp_path: Path) -> None:
    with start_postgres() as server:
        database = server.create_database("kills")
        urls = sites.urls(origins=60, pages=12)
        seeds = write_seeds(tmp_path, urls)
        workers = start_workers(database, sites, seeds)
        wait_for(lambda: len(sites.requests) > 350)
        workers[0].send(signal.SIGKILL)
        wait_for(lambda: len(sites.requests) > 450)
        server.kill()
        time.sleep(0.5)
        server.start()
        killed = workers[0].end(-signal.SIGKILL)
        done = [*killed, *(line for worker in workers[1:] for line in worker.end())]
        with psycopg.connect(database) as connection:
            assert connection.execute("SELECT added, done, failed FROM canfetch_crawls").fetchall() == [(720, 720, 0)]

    requested = Counter((host, path) for _, host, path in sites.requests if path != "/robots.txt")
    assert len(requested) == len(urls)
    # What the killed process had ended and not yet written.
    assert len(set(urls) - {url for _, url, _ in done}) <= 8
    repeated = sum(requested.values()) - len(requested)
    # Only what the killed process had in flight.
    assert repeated <= 8
    check_delays(sites)


@pytest.mark.parametrize("is_async", [False, True])
def test_no_url_of_a_source_is_lost_in_an_outage(*, is_async: bool) -> None:
    urls = [f"https://site{number % 5}.example/{number}" for number in range(250)]

    async def later() -> AsyncIterator[str]:
        for url in urls:
            yield url

    async def main() -> tuple[list[str], list[str]]:
        backend = PostgresQueue(database, crawl="x", outage_seconds=0.2)
        source = later() if is_async else urls
        async with (
            open_client() as client,
            canfetch.Frontier(client, source, backend=backend, min_delay=0.0) as frontier,
        ):
            server.kill()
            for _ in range(2):
                with pytest.raises(StoreError, match="cannot be used for"):
                    await anext(frontier)
            server.start()
            return await end_all_turns(frontier, StoreError)

    with start_postgres() as server:
        database = server.create_database("outage")
        taken, _ = asyncio.run(asyncio.wait_for(main(), 60))
    assert sorted(taken) == sorted(urls)


def test_an_origin_is_not_given_back_while_the_server_is_slow_to_take_it(postgres: PostgresServer) -> None:
    database = postgres.create_database("slow")
    locked, waited = threading.Event(), threading.Event()

    def hold_urls() -> None:
        with psycopg.connect(database) as connection, psycopg.connect(database, autocommit=True) as other:
            connection.execute("SELECT 1 FROM canfetch_urls FOR UPDATE")
            locked.set()
            waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = 'slow' AND wait_event_type = 'Lock'"
            wait_for(lambda: other.execute(waiting).fetchone() is not None)
            # Claims are given back after a second.
            time.sleep(2.5)
            waited.set()

    async def crawl() -> list[str]:
        async with (
            open_client() as client,
            canfetch.Frontier(client, backend=PostgresQueue(database, crawl="x")) as frontier,
        ):
            frontier.add("https://a.example/1")
            thread = threading.Thread(target=hold_urls)
            thread.start()
            assert locked.wait(60)
            turn = await anext(frontier)
            assert waited.is_set()
            # The heartbeat gives back what it has taken.
            time.sleep(1.0)  # noqa: ASYNC251 - it is another thread
            assert turn.done()
            thread.join()
            return [turn.url async for turn in frontier]

    assert asyncio.run(asyncio.wait_for(crawl(), 60)) == []


def test_suspended_worker_cannot_end_what_another_has(postgres: PostgresServer, sites: Sites, tmp_path: Path) -> None:
    database = postgres.create_database("suspended")
    urls = sites.urls(origins=3, pages=3)
    seeds = write_seeds(tmp_path, urls)
    # With one turn at a time, it has no request to send when it goes on.
    first = Worker(database, "news", seeds, STOP_AT="/1", TASKS="1")
    wait_for(first.is_stopped)
    second = Worker(database, "news")
    others = second.end()
    first.send(signal.SIGCONT)
    ended = first.end()

    lost = [url for word, url, _ in ended if word == "lost"]
    assert lost
    assert set(lost) <= {url for word, url, _ in others if word == "done"}
    done = Counter(url for word, url, _ in [*ended, *others] if word == "done")
    assert done == Counter(urls)
    check_delays(sites)


def open_client() -> canfetch.AsyncClient:
    return canfetch.AsyncClient(user_agent=USER_AGENT, transport=Hosts())


def test_two_crawls_in_one_database_know_nothing_of_each_other(postgres: PostgresServer) -> None:
    database = postgres.create_database("crawls")

    async def crawl(name: str) -> list[str]:
        async with (
            open_client() as client,
            canfetch.Frontier(
                client, ["https://a.example/1"], backend=PostgresQueue(database, crawl=name), min_delay=0.0
            ) as frontier,
        ):
            return [turn.url async for turn in frontier if turn.done()]

    assert asyncio.run(crawl("first")) == asyncio.run(crawl("second")) == ["https://a.example/1"]
    assert asyncio.run(crawl("first")) == []


def test_a_worker_waits_for_the_urls_of_one_that_reads_sources(postgres: PostgresServer) -> None:
    database = postgres.create_database("sources")

    async def slow() -> Any:
        await asyncio.sleep(1.5)
        yield "https://a.example/1"

    async def main() -> list[str]:
        async with (
            open_client() as client,
            canfetch.Frontier(client, slow(), backend=PostgresQueue(database, crawl="x")) as reading,
            canfetch.Frontier(client, backend=PostgresQueue(database, crawl="x")) as other,
        ):
            turns = []

            async def work(frontier: canfetch.Frontier) -> None:
                async for turn in frontier:
                    turn.done()
                    turns.append(turn.url)

            await asyncio.gather(work(reading), work(other))
            return turns

    assert asyncio.run(main()) == ["https://a.example/1"]


def test_a_lost_turn_does_not_end_another_one_of_its_origin(postgres: PostgresServer) -> None:
    database = postgres.create_database("lost")
    options: dict[str, Any] = {"backend": PostgresQueue(database, crawl="x"), "min_delay": 0.0}
    urls = [f"https://a.example/{number}" for number in range(3)]

    async def main() -> None:
        async with open_client() as client, canfetch.Frontier(client, urls, **options) as frontier:
            lost = await anext(frontier)
            with psycopg.connect(database, autocommit=True) as connection:
                # As if it had been suspended.
                connection.execute("UPDATE canfetch_workers SET alive_until = 0")
            async with canfetch.Frontier(client, **options) as other:
                assert (await anext(other)).done()
            turn = await anext(frontier)
            assert turn.url != lost.url
            assert not lost.done()
            assert turn.done()
            assert [turn.url async for turn in frontier if turn.done()] == urls[2:]
            assert frontier.counts.done == 3

    asyncio.run(main())


def test_a_worker_with_one_connection_keeps_its_lease(postgres: PostgresServer) -> None:
    database = postgres.create_database("limited")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE ROLE limited LOGIN CONNECTION LIMIT 1")
        connection.execute("GRANT ALL ON SCHEMA public TO limited")
    limited = PostgresQueue(database.replace("postgres@", "limited@"), crawl="x", lease=1.0)
    other_queue = PostgresQueue(database, crawl="x", lease=1.0)

    async def main() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(client, ["https://a.example/"], backend=limited) as frontier,
        ):
            turn = await anext(frontier)
            async with canfetch.Frontier(client, backend=other_queue) as other:
                # The task is busy with the page for longer than the lease.
                waiting = asyncio.ensure_future(anext(other, None))
                await asyncio.sleep(3.0)
                assert turn.attempt == 1
                assert turn.done()
                assert await anext(frontier, None) is await waiting is None

    asyncio.run(main())


def test_a_worker_renews_its_lease_before_it_hands_out_a_turn(postgres: PostgresServer) -> None:
    queue = PostgresQueue(postgres.create_database("late"), crawl="x")

    async def main() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(client, ["https://a.example/"], backend=queue) as frontier,
        ):
            worker = frontier._queue
            assert isinstance(worker, PostgresWorker)
            worker._heartbeat.stop()
            # As if it had been suspended.
            worker._renewed_at -= 1000.0
            with psycopg.connect(queue._conninfo, autocommit=True) as connection:
                connection.execute("UPDATE canfetch_workers SET alive_until = 0")
            turn = await anext(frontier)
            async with canfetch.Frontier(client, backend=queue):
                assert turn.done()

    asyncio.run(main())


def test_server_that_is_away_is_waited_for_and_then_named_without_its_password() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    backend = PostgresQueue(f"postgresql://me:secret@127.0.0.1:{port}/crawls", crawl="x", outage_seconds=0.5)

    async def main() -> None:
        async with open_client() as client:
            canfetch.Frontier(client, backend=backend)

    with pytest.raises(StoreError, match=rf"^postgresql://127.0.0.1:{port}/crawls: .* cannot be used") as caught:
        asyncio.run(main())
    assert "secret" not in f"{caught.value}{caught.value!r}{backend!r}"


@pytest.mark.parametrize("command", ["show", "show --urls", "export", "retry"])
def test_commands_create_and_convert_no_tables(
    postgres: PostgresServer, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    database = postgres.create_database(f"unchanged {command}").replace(" ", "%20")
    name, *options = command.split()
    arguments = ["frontier", name, database, *options, "--crawl", "x"]
    assert run(arguments) == 2
    assert "the database has no crawl" in capsys.readouterr().err
    with psycopg.connect(database, autocommit=True) as connection:
        assert connection.execute("SELECT 1 FROM pg_class WHERE relname LIKE 'canfetch%'").fetchall() == []
        PostgresWorker(database, "x", QueueOptions(1, 3, time.time), lease=30.0, outage_seconds=5.0).close()
        connection.execute("UPDATE canfetch_schema SET version = 2")
        assert run(arguments) == 2
        assert "the tables have version 2, expected 3: a canfetch.Frontier that opens" in capsys.readouterr().err
        assert connection.execute("SELECT version FROM canfetch_schema").fetchall() == [(2,)]


@pytest.mark.parametrize(
    "statement, message",
    [
        ("UPDATE canfetch_schema SET version = -1", "the table canfetch_schema has no valid version"),
        ("UPDATE canfetch_schema SET version = 0", "the table canfetch_schema has no valid version"),
        ("DELETE FROM canfetch_schema", "the table canfetch_schema has no valid version"),
        ("UPDATE canfetch_schema SET version = 99", "the tables have version 99, expected 3: use a newer canfetch"),
        ("ALTER TABLE canfetch_urls RENAME TO other", 'relation "canfetch_urls" does not exist'),
    ],
)
def test_tables_of_another_version_are_named(postgres: PostgresServer, statement: str, message: str) -> None:
    database = postgres.create_database(re.sub(r"\W+", "_", statement))

    async def crawl() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(client, ["https://a.example/"], backend=PostgresQueue(database, crawl="x")) as frontier,
        ):
            async for turn in frontier:
                turn.done()

    asyncio.run(crawl())
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(statement)
    with pytest.raises(StoreError, match=message):
        asyncio.run(crawl())


def test_a_url_is_reported_that_fails_while_the_iteration_ends(postgres: PostgresServer) -> None:
    database = postgres.create_database("reported")
    reported: list[str] = []

    def open_frontier(client: canfetch.AsyncClient, *urls: str) -> canfetch.Frontier:
        backend = PostgresQueue(database, crawl="x")
        return canfetch.Frontier(
            client, urls, backend=backend, max_attempts=1, on_failure=lambda failed: reported.append(failed.url)
        )

    async def main() -> None:
        async with (
            open_client() as client,
            open_frontier(client, "https://a.example/1") as killed,
            open_frontier(client) as frontier,
            asyncio.timeout(60),
        ):
            turn = await anext(killed)
            worker, ended = killed._queue, frontier._queue
            assert isinstance(worker, PostgresWorker)
            assert isinstance(ended, PostgresWorker)
            worker._heartbeat.stop()

            class LateList(list[FailedURL]):
                def __iadd__(self, urls: Iterable[FailedURL]) -> Self:  # type: ignore[misc,override]
                    # The transaction is committed, and the thread has not gone on.
                    time.sleep(1.0)
                    ended.killed.extend(urls)
                    return self

            def next_ready(_: int) -> list[QueuedOrigin]:
                # The killed URLs were reported before this step of the iteration.
                with psycopg.connect(database, autocommit=True) as connection:
                    connection.execute("UPDATE canfetch_workers SET alive_until = 0 WHERE id = %s", (worker._worker,))
                ended._heartbeat._next_beat = 0.0
                wait_for(lambda: ended.counts().failed)
                return []

            ended._heartbeat._killed = LateList()
            ended.next_ready = next_ready  # type: ignore[assignment,method-assign]
            assert [turn.url async for turn in frontier] == []
            assert reported == [turn.url]

    asyncio.run(main())


def test_a_login_that_is_refused_is_not_repeated(postgres: PostgresServer) -> None:
    backend = PostgresQueue(postgres.url("nothing"), crawl="x", outage_seconds=600.0)

    async def main() -> None:
        async with open_client() as client:
            canfetch.Frontier(client, backend=backend)

    with pytest.raises(StoreError, match='database "nothing" does not exist'):
        asyncio.run(main())


def test_a_missing_password_is_not_waited_for(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("PGPASSFILE", os.devnull)
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE secretive LOGIN PASSWORD 'secret'")
        ((name,),) = connection.execute("SHOW hba_file").fetchall()
        rules = Path(name)
        rules.write_text(f"host all secretive 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
        connection.execute("SELECT pg_reload_conf()")
    database = postgres.url().replace("postgres@", "secretive@")
    wait_for(lambda: is_refused(database))
    for conninfo, message in ((database, "no password"), (database + "?sslmode=require", "does not support SSL")):
        with pytest.raises(StoreError, match=f"the frontier cannot be used: .*{message}"):
            PostgresQueue(conninfo, crawl="x", outage_seconds=1.0).open_queue(QueueOptions(1, 3, time.time))


def is_refused(database: str) -> bool:
    try:
        psycopg.connect(database).close()
    except psycopg.OperationalError:
        return True
    return False


def crawl_texts(database: str) -> tuple[list[str], list[str | None]]:
    """Crawl URLs of which one fails. Return the URLs that had a turn, and the errors of those that failed."""
    urls = ["https://a.example/\\a'b", "https://a.example/ü\u2603"]

    async def main() -> tuple[list[str], list[str | None]]:
        async with (
            open_client() as client,
            canfetch.Frontier(
                client, urls, backend=PostgresQueue(database, crawl="\u2603"), min_delay=0.0, max_attempts=1
            ) as frontier,
        ):
            found = []
            async for turn in frontier:
                found.append(turn.url)
                turn.retry(error="Seite \u2603 kaputt\\")
            return found, [failed.error for failed in frontier.failed()]

    found, errors = asyncio.run(main())
    assert found == urls
    return found, errors


@pytest.mark.parametrize(
    "settings, options",
    [
        ({"standard_conforming_strings": "off"}, ""),
        ({"client_encoding": "LATIN1"}, ""),
        ({}, "?client_encoding=LATIN1&options=-cstandard_conforming_strings%3Doff"),
    ],
)
def test_settings_of_the_database_change_no_text(
    postgres: PostgresServer, settings: dict[str, str], options: str
) -> None:
    name = f"settings {len(options)} {'-'.join(settings)}"
    database = postgres.create_database(name).replace(" ", "%20")
    with psycopg.connect(database, autocommit=True) as connection:
        for setting, value in settings.items():
            connection.execute(f'ALTER DATABASE "{name}" SET {setting} = {value}'.encode())
    assert crawl_texts(database + options)[1] == ["Seite \u2603 kaputt\\"] * 2


def test_temporary_tables_are_refused(postgres: PostgresServer) -> None:
    database = f"{postgres.create_database('temporary')}?options=-csearch_path%3Dpg_temp,public"
    with pytest.raises(StoreError, match="temporary: the search_path begins with pg_temp"):
        PostgresQueue(database, crawl="x").open_queue(QueueOptions(1, 3, time.time))


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_processes_that_open_a_new_database_at_once_create_the_tables_once(
    postgres: PostgresServer, level: str
) -> None:
    name = f"isolation {level}"
    database = postgres.create_database(name).replace(" ", "%20")
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"

    def open_queue() -> None:
        PostgresQueue(database, crawl="x").open_queue(QueueOptions(1, 3, time.time)).close()

    with psycopg.connect(database, autocommit=True) as connection, ThreadPoolExecutor() as threads:
        connection.execute(f"ALTER DATABASE \"{name}\" SET default_transaction_isolation = '{level}'".encode())
        connection.execute("SELECT pg_advisory_lock(%s)", (_SCHEMA_LOCK,))
        opened = [threads.submit(open_queue) for _ in range(2)]
        wait_for(lambda: connection.execute(waiting).fetchone() == (2,))
        connection.execute("SELECT pg_advisory_unlock(%s)", (_SCHEMA_LOCK,))
        for one in opened:
            one.result(30)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1", "MULE_INTERNAL"])
def test_a_database_with_another_encoding_is_refused(postgres: PostgresServer, encoding: str) -> None:
    name = f"encoding_{encoding}"
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'".encode())
    message = (
        "conversion between UTF8 and MULE_INTERNAL is not supported"
        if encoding == "MULE_INTERNAL"
        else f"{name}: the database has the encoding {encoding}, which cannot store all texts: create it with ENCODING "
        "'UTF8'"
    )
    with pytest.raises(StoreError, match=message):
        crawl_texts(postgres.url(name))


def test_a_read_only_server_is_waited_for(postgres: PostgresServer) -> None:
    database = postgres.create_database("readonly")
    backend = PostgresQueue(database, crawl="x", lease=1.0)
    has_lease = "SELECT alive_until > extract(epoch FROM clock_timestamp()) FROM canfetch_workers"

    def set_read_only(value: str) -> None:
        with psycopg.connect(postgres.url(), autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE readonly SET default_transaction_read_only = {value}".encode())
            if value == "on":
                connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'readonly'")

    async def main() -> list[str]:
        async with (
            open_client() as client,
            canfetch.Frontier(client, ["https://a.example/1"], backend=backend, min_delay=0.0) as frontier,
        ):
            turn = await anext(frontier)
            set_read_only("on")
            # The sessions that are opened meanwhile stay read-only.
            threading.Timer(2.0, set_read_only, ["off"]).start()
            assert frontier.add("https://a.example/2")
            assert turn.done()
            with psycopg.connect(database, autocommit=True) as connection:
                wait_for(lambda: connection.execute(has_lease).fetchone() == (True,))
            return [turn.url async for turn in frontier if turn.done()]

    assert asyncio.run(main()) == ["https://a.example/2"]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"crawl": ""}, "invalid crawl ''"),
        ({"crawl": "x" * 201}, "invalid crawl"),
        ({"crawl": "x", "lease": 0}, "invalid lease 0"),
        ({"crawl": "x", "outage_seconds": float("nan")}, "invalid outage_seconds nan"),
        ({"crawl": "\ud800"}, "invalid crawl '.ud800': expected a name of 1 to 200 characters"),
        ({"crawl": "x", "lease": 1e10}, "invalid lease 10000000000.0: expected at most 1e.09 seconds"),
        ({"crawl": "x", "outage_seconds": 1e10}, "invalid outage_seconds 10000000000.0: expected at most 1e.09"),
        ({"crawl": "x", "conninfo": "host='a@b@c"}, "invalid conninfo: expected a URL"),
        ({"crawl": "x", "conninfo": "postgresql://me:a@b@c/crawls"}, "in the password written as %40"),
        ({"crawl": "x", "conninfo": "postgresql://me:secret/a@b@c/crawls"}, "in the password written as %40"),
        ({"crawl": "x", "conninfo": "postgres://me:secret/x@c/crawls"}, "in the password written as %40"),
        ({"crawl": "x", "conninfo": "postgresql://\ud800/crawls"}, "invalid conninfo: expected a URL"),
        ({"crawl": "x", "conninfo": "postgresql://me:secret?a=b@b@c/crawls"}, "in the password written as %40"),
        ({"crawl": "x", "conninfo": "postgresql://me:/x?secret=b@c/crawls"}, "in the password written as %40"),
        (
            {"crawl": "x", "conninfo": "postgresql://me:secret@c/crawls?sslmode=require&options=-c%20a=b"},
            "invalid conninfo: the value of the parameter 'options' has an unescaped '=': write it as %3D",
        ),
        (
            {"crawl": "x", "conninfo": "postgresql://c/crawls?user=me&pasword=secret"},
            "invalid conninfo: the parameter 'pasword' is unknown or has an invalid value: expected parameters of",
        ),
        ({"crawl": "x", "conninfo": "postgresql://c/crawls?password=%zz"}, "the parameter 'password' is unknown or"),
        ({"crawl": "x", "conninfo": 5}, "invalid conninfo 5"),
    ],
)
def test_options_are_validated(options: dict[str, Any], message: str) -> None:
    options = {"conninfo": "postgresql://localhost/crawls", **options}
    with pytest.raises(InvalidOption, match=message) as caught:
        PostgresQueue(options.pop("conninfo"), **options)
    assert "b@c" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_the_scheme_can_be_in_any_case(postgres: PostgresServer) -> None:
    database = postgres.create_database("scheme").replace("postgresql://", "PostgreSQL://")
    assert len(crawl_texts(database)[0]) == 2
    assert repr(PostgresQueue("POSTGRES://me:x@host/crawls", crawl="y")) == (
        "<PostgresQueue postgresql://host/crawls crawl='y'>"
    )


@pytest.mark.parametrize(
    "conninfo, name",
    [
        ("postgresql://me@db1,db2/crawls", "postgresql://db1,db2/crawls"),
        ("postgresql://me@db1,db2:6504/crawls", "postgresql://db1,db2:6504/crawls"),
        ("postgresql://me@127.0.0.1:6503,[::1]:6504/crawls", "postgresql://127.0.0.1:6503,[::1]:6504/crawls"),
        ("host=db1,db2 port=6503", "postgresql://db1:6503,db2:6503/"),
    ],
)
def test_messages_name_a_server_by_its_url(conninfo: str, name: str) -> None:
    assert repr(PostgresQueue(conninfo, crawl="x")) == f"<PostgresQueue {name} crawl='x'>"


def test_the_url_of_a_database_is_not_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    url = "PostgreSQL://me:secret@localhost/crawls"
    lines = [
        '{"format": "canfetch frontier 2", "group_by": "origin", "done": 0, "failed": 0, "skipped": 0, "refused": 0}',
        '{"end": true, "origins": 0, "urls": 0, "known": 0}',
    ]

    async def main() -> None:
        async with open_client() as client:
            canfetch.Frontier(client, path=url)

    for call in (
        lambda: asyncio.run(main()),
        lambda: list(export_frontier(url)),
        lambda: import_frontier(lines, url),
        lambda: queue_failed_urls(url),
        lambda: read_report(url),
    ):
        with pytest.raises(InvalidOption, match=r"pass PostgresQueue\(url, crawl=...\) as `backend`") as caught:
            call()
        assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_and_a_backend_exclude_each_other(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_client() as client:
            backend = PostgresQueue("postgresql://localhost/crawls", crawl="x")
            with pytest.raises(InvalidOption, match="a frontier has a path or a backend, not both"):
                canfetch.Frontier(client, path=tmp_path / "crawl", backend=backend)
            with pytest.raises(
                TypeError, match="invalid backend of type str: expected a PostgresQueue, a URLFrontier, or None"
            ):
                canfetch.Frontier(client, backend="postgresql://localhost/crawls")  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="invalid backend PostgresQueue: pass an object, PostgresQueue"):
                canfetch.Frontier(client, backend=PostgresQueue)  # type: ignore[arg-type]

    asyncio.run(main())


def test_frontier_show_reads_a_database_while_a_crawl_uses_it(
    postgres: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    database = postgres.create_database("show")
    arguments = ["frontier", "show", database, "--crawl", "news"]

    async def main() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(
                client,
                [f"https://{host}.example/{page}" for page in (1, 2) for host in "abc"],
                backend=PostgresQueue(database, crawl="news"),
                max_attempts=1,
            ) as frontier,
        ):
            (await anext(frontier)).done()
            (await anext(frontier)).retry(error="status 500")
            open_turn = await anext(frontier)
            assert run([*arguments, "--format", "json"]) == 0
            report = json.loads(capsys.readouterr().out)
            assert run(arguments) == 0
            text = capsys.readouterr().out
            assert report["is_in_use"]
            assert report["counts"] == {
                "queued": 3,
                "in_flight": 1,
                "done": 1,
                "failed": 1,
                "skipped": 0,
                "refused": 0,
            }
            assert [failed["error"] for failed in report["last_failed"]] == ["status 500"]
            assert len(report["next_origins"]) == report["origins"] == 3
            assert "queued 3  in flight 1  done 1  failed 1" in text
            assert f"worker {socket.gethostname()} {os.getpid()} has a turn" in text
            assert "the delay between two requests" in text
            open_turn.release()

    asyncio.run(main())
    assert run([*arguments[:-1], "other"]) == 2
    assert "the database has no crawl 'other'" in capsys.readouterr().err
    assert run(arguments[:-2]) == 2
    assert "name one with --crawl" in capsys.readouterr().err


def test_a_host_joins_its_address_while_another_worker_adds_urls_of_it(postgres: PostgresServer) -> None:
    queue = PostgresQueue(postgres.create_database("joining"), crawl="x")
    sites = [f"https://{name}.example" for name in "abcd"]
    known = {"a.example", "b.example"}

    async def resolve(host: str) -> list[str]:
        if host not in known:
            await asyncio.sleep(60.0)
        return ["192.0.2.1"]

    async def main() -> tuple[list[str], list[canfetch.FrontierCounts]]:
        options: dict[str, Any] = {"backend": queue, "group_by": "address", "resolver": resolve, "min_delay": 0.0}
        taken: list[str] = []
        async with (
            canfetch.AsyncClient(user_agent=USER_AGENT, transport=Hosts()) as client,
            canfetch.Frontier(client, **options) as first,
            canfetch.Frontier(client, **options) as second,
        ):
            assert second.add_many(f"{site}/{page}" for page in (1, 2) for site in sites[:2]) == 4
            while len(taken) < 4:
                with await anext(first) as turn:
                    taken.append(turn.url)
            # The second worker still takes the hosts for groups of their own.
            assert second.add_many(f"{site}/{page}" for page in (2, 3) for site in sites[:2]) == 2
            second.defer(f"{sites[1]}/", 1.0)
            with psycopg.connect(queue._conninfo) as connection:
                retry_at = connection.execute("SELECT retry_at IS NOT NULL FROM canfetch_origins").fetchall()
            assert retry_at == [(True,)]
            known.update(("c.example", "d.example"))
            second.add_many(f"{site}/1" for site in sites[2:])
            counts = second.counts
            async for turn in second:
                taken.append(turn.url)
                turn.done()
            return taken, [counts, first.counts]

    taken, counts = asyncio.run(main())
    assert sorted(taken) == [f"{site}/{page}" for site in sites for page in range(1, 4 if site in sites[:2] else 2)]
    assert counts == [(4, 0, 4, 0, 0, 0), (0, 0, 8, 0, 0, 0)]
    with psycopg.connect(queue._conninfo) as connection:
        groups = connection.execute("SELECT name, added FROM canfetch_origins").fetchall()
        members = connection.execute("SELECT count(*), count(DISTINCT origin) FROM canfetch_members").fetchall()
    assert (groups, members) == ([("192.0.2.1", 8)], [(8, 1)])


@contextmanager
def open_transaction(database: str, *statements: str, values: dict[str, Any] | None = None) -> Iterator[None]:
    """Run statements before the block, and commit them as soon as the block waits for one of their locks."""
    waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

    def commit_when_waiting() -> None:
        with psycopg.connect(database, autocommit=True) as other:
            wait_for(lambda: other.execute(waiting).fetchone() is not None)
        connection.commit()

    with psycopg.connect(database) as connection, ThreadPoolExecutor() as threads:
        for statement in statements:
            connection.execute(statement.encode(), values)
        committed = threads.submit(commit_when_waiting)
        yield
        committed.result(60)


async def resolve_to_one_address(_host: str) -> list[str]:
    return ["192.0.2.1"]


@asynccontextmanager
async def open_by_address(
    database: str, urls: Iterable[str] = (), resolver: Any = resolve_to_one_address
) -> AsyncIterator[canfetch.Frontier]:
    """Open a frontier that is grouped by address, whose hosts have all the same one by default."""
    options: dict[str, Any] = {"group_by": "address", "resolver": resolver, "min_delay": 0.0}
    backend = PostgresQueue(database, crawl="x")
    async with open_client() as client, canfetch.Frontier(client, urls, backend=backend, **options) as frontier:
        yield frontier


def test_a_host_gets_the_address_that_another_worker_adds_in_this_moment(postgres: PostgresServer) -> None:
    database = postgres.create_database("literal")

    async def main() -> list[str]:
        async with open_by_address(database, ["https://a.example/"]) as frontier:
            with open_transaction(database, "INSERT INTO canfetch_origins (crawl, name) VALUES (1, '192.0.2.1')"):
                return [turn.url async for turn in frontier if turn.done()]

    assert asyncio.run(main()) == ["https://a.example/"]
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT name, added FROM canfetch_origins").fetchall() == [("192.0.2.1", 1)]


def test_a_host_that_gets_its_address_while_urls_are_added_leaves_no_empty_group(postgres: PostgresServer) -> None:
    database = postgres.create_database("leaving")
    resolved = (
        "UPDATE canfetch_origins SET name = '192.0.2.1'",
        "INSERT INTO canfetch_members (crawl, name, origin) SELECT crawl, '?a.example', id FROM canfetch_origins",
    )

    async def main() -> list[str]:
        async with open_by_address(database) as frontier:
            frontier.add("https://a.example/")
            with open_transaction(database, *resolved):
                # Another origin of the host.
                frontier.add("http://a.example/")
            return sorted([turn.url async for turn in frontier if turn.done()])

    assert asyncio.run(main()) == ["http://a.example/", "https://a.example/"]
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT name, added FROM canfetch_origins").fetchall() == [("192.0.2.1", 2)]


def test_a_host_joins_a_group_whose_turn_ends_in_this_moment(postgres: PostgresServer) -> None:
    database = postgres.create_database("ending")
    groups = "SELECT id, name, state, priority FROM canfetch_origins ORDER BY id"

    async def main() -> list[str]:
        is_resolving = asyncio.Event()

        async def resolve(_host: str) -> list[str]:
            is_resolving.set()
            await asyncio.sleep(5.0)
            return []

        async with open_by_address(database) as first:
            first.add("http://192.0.2.1/")
            turn = await anext(first)
            async with open_by_address(database, resolver=resolve) as second:
                second.add("https://slow.example/", priority=7.0)
                waiting = asyncio.ensure_future(anext(second))
                await is_resolving.wait()
                with psycopg.connect(database, autocommit=True) as connection:
                    assert isinstance(second._queue, PostgresWorker)
                    ((origin, *_),) = connection.execute(f"{groups} OFFSET 1").fetchall()
                    values = {"worker": second._queue._worker, "crawl": 1, "origin": origin}
                    values |= {"host": "?slow.example", "name": "192.0.2.1"}
                    with open_transaction(database, sql.LOCK_RESOLVED, sql.RESOLVE, values=values):
                        assert turn.done()
                    assert [row[1:] for row in connection.execute(groups)] == [("192.0.2.1", 1, 7.0)]
                waiting.cancel()
            # The other frontier could have sources of URLs as long as it is open.
            return [turn.url async for turn in first if turn.done()]

    assert asyncio.run(main()) == ["https://slow.example/"]


def test_workers_that_resolve_hosts_of_one_address_make_one_group(postgres: PostgresServer) -> None:
    queue = PostgresQueue(postgres.create_database("resolving"), crawl="x")
    pages = [f"https://host{number}.example/{page}" for number in range(200) for page in range(2)]

    async def resolve(host: str) -> list[str]:
        await asyncio.sleep(0.001)
        return [f"192.0.2.{int(host[4:].partition('.')[0]) % 3}"]

    async def work(taken: list[str]) -> None:
        options: dict[str, Any] = {"backend": queue, "group_by": "address", "resolver": resolve, "min_delay": 0.0}
        async with (
            canfetch.AsyncClient(user_agent=USER_AGENT, transport=Hosts()) as client,
            canfetch.Frontier(client, pages, **options) as frontier,
        ):
            async for turn in frontier:
                taken.append(turn.url)
                turn.done()

    taken: list[str] = []
    with ThreadPoolExecutor() as threads:
        workers = [threads.submit(asyncio.run, asyncio.wait_for(work(taken), 120)) for _ in range(3)]
        for worker in workers:
            worker.result(150)
    assert sorted(taken) == sorted(pages)
    with psycopg.connect(queue._conninfo) as connection:
        groups = connection.execute("SELECT name, added FROM canfetch_origins ORDER BY name").fetchall()
        counted = connection.execute("SELECT added, done FROM canfetch_crawls").fetchall()
    assert groups == [("192.0.2.0", 134), ("192.0.2.1", 134), ("192.0.2.2", 132)]
    assert counted == [(400, 400)]


def test_a_turn_reads_nothing_else_that_its_worker_has_or_had(postgres: PostgresServer) -> None:
    database = postgres.create_database("reading")

    async def crawl(name: str) -> None:
        async with (
            canfetch.AsyncClient(user_agent=USER_AGENT, transport=Hosts()) as client,
            canfetch.Frontier(client, backend=PostgresQueue(database, crawl=name), min_delay=0.0) as frontier,
        ):
            frontier.add_many(f"https://host{number}.example/{page}" for page in range(2) for number in range(100))
            async for turn in frontier:
                turn.done()

    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'reading' AND application_name = 'canfetch'"
    scans = (
        "SELECT sum(idx_scan) FILTER (WHERE indexrelname IN ('canfetch_origins_claimed', 'canfetch_urls_in_flight'))"
        "::int, sum(idx_scan)::int FROM pg_stat_user_indexes"
    )
    with psycopg.connect(database, autocommit=True) as connection:
        for name in ("first", "second"):
            asyncio.run(crawl(name))
            # Now the server knows that there are few rows in these states.
            connection.execute("VACUUM ANALYZE")
        # A session writes its statistics before it disappears.
        wait_for(lambda: connection.execute(others).fetchone() == (0,))
        ((number, total),) = connection.execute(scans).fetchall()
    # The statistics of both crawls: each turn reads the worker, the origin and the URL at its start and at its end.
    assert total > 6 * 400
    # Only when a worker looks whether the crawl is over, and ends.
    assert number < 100


def test_adding_urls_compares_no_origin_with_all_others(postgres: PostgresServer) -> None:
    database = postgres.create_database("adding")
    PostgresWorker(database, "x", QueueOptions(1, 3, time.time), lease=30.0, outage_seconds=5.0).close()
    names: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    statement = re.sub(r"%\((\w+)\)s", numbered, sql.ADD)
    hosts = range(1, 1001)
    arrays = {
        "origins": map(str, hosts),
        "identities": (f"decode('{host:032x}', 'hex')" for host in hosts),
        "urls": ("'x'::bytea" for _ in hosts),
    }
    values = dict.fromkeys(("crawl", "priority", "depth", "refused"), "1") | {"metadata": "NULL"}
    values |= {name: f"ARRAY[{', '.join(items)}]" for name, items in arrays.items()}
    with psycopg.connect(database, autocommit=True) as connection:
        ((worker,),) = connection.execute(
            "INSERT INTO canfetch_workers (crawl, name, alive_until) VALUES (1, 'x', 0) RETURNING id"
        ).fetchall()
        values["worker"] = str(worker)
        connection.execute("INSERT INTO canfetch_origins (crawl, name) SELECT 1, n FROM generate_series(1, 1000) AS n")
        connection.execute("SET plan_cache_mode = force_generic_plan")
        connection.execute(f"PREPARE adding AS {statement}".encode())
        given = ", ".join(values[name] for name in names)
        rows = connection.execute(f"EXPLAIN (ANALYZE, TIMING OFF) EXECUTE adding({given})".encode()).fetchall()
    plan = "\n".join(row[0] for row in rows)
    assert "Tuples Inserted: 1000" in plan
    assert [number for number in re.findall(r"Rows Removed by .*?: (\d+)", plan) if int(number) > 1000] == []


def test_claims_that_a_failed_statement_leaves_are_given_back(postgres: PostgresServer) -> None:
    database = postgres.create_database("failed_statement")
    worker = PostgresQueue(database, crawl="x").open_queue(QueueOptions(1, 3, time.time))
    urls = [f"https://site{number}.example/" for number in range(3)]
    worker.add(NewURLs([identify_url(url) for url in urls], 0.0))
    with psycopg.connect(database, autocommit=True) as connection:
        # The server has the claims, but the worker cannot read the URLs.
        connection.execute("ALTER TABLE canfetch_urls RENAME TO hidden")
        with pytest.raises(StoreError, match="does not exist"):
            worker.find_due(time.time())
        connection.execute("ALTER TABLE hidden RENAME TO canfetch_urls")
    assert len(worker.find_due(time.time())) == len(urls)
    worker.close()


@pytest.mark.parametrize("statement", ["DEALLOCATE ALL", "PREPARE _pg3_{} AS SELECT 1"])
def test_a_session_of_another_process_is_reported_as_that_of_a_pooler(postgres: PostgresServer, statement: str) -> None:
    database = postgres.create_database(f"pooler{len(statement)}")
    connection = PostgresConnection(database, outage_seconds=1.0, creates_tables=True)

    def read(statement: str) -> None:
        for _ in range(2):
            connection.run(statement)

    read("SELECT 1")
    session = connection._connection
    assert session is not None
    # The library does not notice these statements, as it does not notice that a pooler gives it another session.
    for number in range(9):
        session.pgconn.exec_(statement.format(number).encode())
    with pytest.raises(StoreError, match=r'prepared statement "_pg3_\d+" .*: a pooler must have the session mode$'):
        read("SELECT 1" if statement == "DEALLOCATE ALL" else "SELECT 2")
    connection.close()


class SilentServer:
    """A proxy of a server that can fall silent, as a host does that loses its power: it closes no connection."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.is_silent = False
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                server = socket.create_connection(("127.0.0.1", self._target))
                self._sockets += [client, server]
                for source, target in ((client, server), (server, client)):
                    threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not self.is_silent:
                    target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        for one in (self._listener, *self._sockets):
            one.close()


def test_a_server_that_falls_silent_is_away(postgres: PostgresServer) -> None:
    database = postgres.create_database("silent")
    server = SilentServer(int(re.findall(r":(\d+)/", database)[0]))
    conninfo = re.sub(r":\d+/", f":{server.port}/", database)
    worker = PostgresQueue(conninfo, crawl="x", lease=1.0, outage_seconds=0.5).open_queue(QueueOptions(1, 3, time.time))
    server.is_silent = True
    with pytest.raises(StoreError, match=r"cannot be used for \d+ s: no answer for 1 s"):
        worker.counts()
    server.close()
    worker.close()
