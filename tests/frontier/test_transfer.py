"""A crawl that moves: what an export has, what an import refuses, and moves in the middle of a run."""

import asyncio
import json
import os
import re
import signal
import sqlite3
import time
import tracemalloc
from collections import Counter
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg.sql
import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawl_processes import Sites, Worker, check_delays, wait_for, write_seeds
from tests.frontier.crawls import USER_AGENT, Hosts, crawl, open_frontier
from tests.frontier.test_resuming import copy_file
from tests.postgres import PostgresServer

import canfetch
from canfetch.cli.main import run
from canfetch.client.frontier import (
    Frontier,
    FrontierCounts,
    PostgresQueue,
    Recrawl,
    Turn,
    export_frontier,
    import_frontier,
    postgres_connection,
)
from canfetch.client.frontier.database import FrontierDatabase
from canfetch.client.frontier.grouping import GroupBy
from canfetch.client.frontier.postgres_report import list_postgres_urls, read_postgres_report
from canfetch.client.frontier.queue_values import KILLED, URLState
from canfetch.client.frontier.report import FrontierReport, list_urls, read_report
from canfetch.client.frontier.requeue import queue_failed_urls
from canfetch.client.frontier.url_queue import QueueOptions
from canfetch.client.sqlite_files import FileLock
from canfetch.errors import StoreError

HOSTS = {"a.example": b"User-agent: *\nDisallow: /private"}
URLS = [
    "https://a.example/done",
    "https://a.example/private",
    "https://a.example/open",
    "https://a.example/\ud800",
    "https://a.example/last",
    "https://again.example/",
    "https://busy.example/1",
    "https://busy.example/2",
    "https://failed.example/",
    "mailto:fish@example.com",
]
START = 1_000_000.0


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Return the file of a crawl that was killed, with a URL in each state."""
    path = tmp_path / "crawl.sqlite3"

    async def main() -> Path:
        async with open_frontier(
            Hosts(HOSTS), path=path, min_delay=10.0, max_attempts=2, retry_delay=1000.0
        ) as frontier:
            frontier.add_many(URLS)
            frontier.add("https://a.example/first", priority=1.5)
            frontier.add("https://a.example/deep", depth=3, metadata={"from": "https://a.example/\u00e9"})
            held: list[Turn] = []
            async for turn in frontier:
                if "open" in turn.url:
                    held.append(turn)
                elif "again" in turn.url or "failed" in turn.url:
                    turn.retry(error="status 500", retry_after=5000 if "again" in turn.url else None)
                    if turn.attempt == 2:
                        break
                else:
                    turn.done(retry_after=5000 if "busy" in turn.url else None)
            copied = copy_file(path)
            assert held
            return copied

    return run_in_virtual_time(main, start=START)


def rows(lines: list[str], key: str) -> list[dict[str, Any]]:
    return [row for row in map(json.loads, lines) if key in row]


def test_an_export_has_everything_of_a_killed_crawl(killed: Path) -> None:
    lines = list(export_frontier(killed))

    first, *_, last = map(json.loads, lines)
    assert first == {
        "format": "canfetch frontier 3",
        "group_by": "origin",
        "done": 3,
        "failed": 1,
        "skipped": 1,
        "refused": 1,
    }
    assert last == {"end": True, "origins": 4, "urls": 7, "known": 11}
    assert {row["url"]: (row["state"], row["attempts"], row["error"]) for row in rows(lines, "url")} == {
        "https://a.example/open": ("in_flight", 1, None),
        "https://a.example/%ED%A0%80": ("queued", 0, None),
        "https://a.example/last": ("queued", 0, None),
        "https://a.example/deep": ("queued", 0, None),
        "https://again.example/": ("delayed", 1, "status 500"),
        "https://busy.example/2": ("queued", 0, None),
        "https://failed.example/": ("failed", 2, "status 500"),
    }
    assert sum(len(row["known"]) for row in rows(lines[:-1], "known")) == 11
    (deep,) = [row for row in rows(lines, "url") if row["depth"]]
    assert (deep["url"], deep["depth"]) == ("https://a.example/deep", 3)
    assert deep["metadata"] == {"from": "https://a.example/\u00e9"}
    origins = {row["origin"]: row for row in rows(lines, "origin")}
    assert origins["https://busy.example"]["retry_at"] > START + 4000
    assert origins["https://failed.example"]["failures"] == 2
    # The export did not change the crawl.
    assert list(export_frontier(killed)) == lines


def test_an_imported_crawl_goes_on_where_the_other_stopped(killed: Path, tmp_path: Path) -> None:
    moved = tmp_path / "new" / "moved.sqlite3"
    lines = list(export_frontier(killed))
    counts = import_frontier((line.encode() for line in lines), moved)

    assert counts == FrontierCounts(queued=5, in_flight=1, done=3, failed=1, skipped=1, refused=1)
    assert list(export_frontier(moved)) == lines
    assert read_report(moved).counts == read_report(killed).counts
    expected = crawl(HOSTS, URLS, path=killed, start=START + 2000.0, max_attempts=2)
    assert crawl(HOSTS, URLS, path=moved, start=START + 2000.0, max_attempts=2)[:3] == expected[:3]
    assert sorted(expected.urls) == sorted(
        ["https://a.example/open", "https://a.example/%ED%A0%80", "https://a.example/last", "https://again.example/"]
        + ["https://busy.example/2", "https://a.example/deep"]
    )
    # No delay became shorter.
    assert min(expected.times("https://busy.example")) > START + 4000


def test_turns_that_were_open_count_as_attempts(killed: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved.sqlite3"
    import_frontier(export_frontier(killed), moved)

    async def main() -> list[Any]:
        async with open_frontier(path=moved, max_attempts=1) as frontier:
            return list(frontier.failed())

    failed = run_in_virtual_time(main, start=START + 2000.0)
    assert ("https://a.example/open", KILLED) in {(url.url, url.error) for url in failed}


GROUPED = [
    "https://a.example/1",
    "http://a.example/1",
    "http://a.example/2",
    "https://b.example/1",
    "https://c.example/1",
]


@pytest.fixture
def grouped(tmp_path: Path) -> Path:
    """Return the file of a crawl that groups by host, with failed, queued, finished and delayed URLs."""
    path = tmp_path / "grouped.sqlite3"

    async def main() -> None:
        hosts = Hosts({"a.example": b"User-agent: *\nCrawl-delay: 5"})
        async with open_frontier(
            hosts, GROUPED, path=path, group_by="host", max_attempts=1, recrawl=Recrawl(every=1000.0)
        ) as frontier:
            for _ in range(4):
                turn = await anext(frontier)
                turn.done(etag="x")
        async with open_frontier(hosts, path=path, group_by="host", max_attempts=1) as frontier:
            frontier.add_many(["https://a.example/failed", "http://a.example/failed"])
            async for turn in frontier:
                turn.retry(error="status 500")

    run_in_virtual_time(main, start=START)
    return path


def test_groups_are_moved(grouped: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved.sqlite3"
    lines = list(export_frontier(grouped))
    assert json.loads(lines[0])["group_by"] == "host"
    members = {name: delay for row in rows(lines, "members") for name, delay in row["members"]}
    assert members == {
        "https://a.example": 5.0,
        "http://a.example": 5.0,
        "https://b.example": 0.0,
        "https://c.example": 0.0,
    }
    visits = [(row["ended"], row["visit"]) for row in rows(lines, "url") if row["visit"]]
    assert visits == [("done", {"interval": 1000.0, "etag": "x", "last_modified": None})] * 4
    counts = import_frontier(lines, moved)
    assert (counts.done, counts.failed) == (4, 3)
    assert list(export_frontier(moved)) == lines
    with pytest.raises(StoreError, match="the crawl groups its URLs by host, not by origin"):
        crawl({}, [], path=moved)
    options: dict[str, Any] = {"group_by": "host", "start": START + 5000.0, "max_urls_per_origin": 5}
    urls = ["http://a.example/new", "https://c.example/2", *GROUPED]
    expected = crawl({}, urls, path=grouped, **options)
    assert sorted(crawl({}, urls, path=moved, **options).taken) == sorted(expected.taken)
    # The host has its five URLs, and keeps the delay that its file had.
    assert [skipped.url for skipped in expected.skipped] == ["http://a.example/new"]


def test_an_empty_file_with_groups_is_imported_into(grouped: Path, tmp_path: Path) -> None:
    lines = list(export_frontier(grouped))
    for name, group_by in (("same", "host"), ("other", "origin")):
        path = tmp_path / name
        assert crawl({}, [], path=path, group_by=group_by).urls == []
        import_frontier(lines, path)
        assert list(export_frontier(path)) == lines
    (tmp_path / "empty").touch()
    import_frontier(lines, tmp_path / "empty")
    with pytest.raises(StoreError, match="the frontier is not empty"):
        import_frontier(lines, tmp_path / "empty")


@pytest.mark.service
def test_urls_that_are_visited_again_are_reported_on_their_own(
    postgres: PostgresServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "crawl.sqlite3"
    urls = [f"https://a.example/{page}" for page in range(4)]

    async def main() -> None:
        async with open_frontier(urls=urls, path=path, recrawl=Recrawl(every=5000.0)) as frontier:
            for _ in range(2):
                (await anext(frontier)).done()
            (await anext(frontier)).retry(error="status 500")

    run_in_virtual_time(main, start=START)
    queue = PostgresQueue(postgres.create_database("visits"), crawl="x")
    import_frontier(export_frontier(path), queue)
    for report in (read_report(path), read_postgres_report(queue._conninfo, "x")):
        assert (report.counts.queued, report.counts.done) == (2, 2)
        assert [(each.queued, each.visits) for each in report.next_origins] == [(2, 2)]
        assert (report.delayed_urls, report.waiting_visits) == (1, 2)
        assert [(each.url, each.error) for each in report.next_delayed] == [(urls[2], "status 500")]
        assert [(each.url, round(each.next_at - START)) for each in report.next_visits] == [
            (urls[0], 5000),
            (urls[1], 5001),
        ]
    assert run(["frontier", "show", str(path)]) == 0
    text = capsys.readouterr().out
    assert "https://a.example  2 URLs, 2 to be visited again: " in text
    assert "URLs to be tried again: 1\n" in text
    assert "URLs to be visited again: 2\n" in text


@pytest.mark.service
def test_failed_urls_that_wait_for_their_next_visit_are_named(
    postgres: PostgresServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "crawl.sqlite3"
    urls = [f"https://a.example/{page}" for page in range(3)]

    async def main(number: int, **options: Any) -> None:
        async with open_frontier(urls=urls[:number], path=path, max_attempts=1, **options) as frontier:
            (await anext(frontier)).retry(error="status 500")

    run_in_virtual_time(lambda: main(1), start=START)
    run_in_virtual_time(lambda: main(2, recrawl=Recrawl(every=5000.0)), start=START + 100)
    database = postgres.create_database("failedvisits")
    import_frontier(export_frontier(path), PostgresQueue(database, crawl="x"))
    for place in ([str(path)], [database, "--crawl", "x"]):
        assert run(["frontier", "show", *place]) == 0
        text = capsys.readouterr().out
        assert "  failed 2  " in text
        assert "URLs to be visited again: 1, 1 of them failed\n" in text
        assert "failed URLs: 1\n" in text
        assert run(["frontier", "show", *place, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["failed_visits"] == 1
        assert run(["frontier", "retry", place[0], urls[1], urls[2], *place[1:]]) == 1
        assert capsys.readouterr().out == (
            f"queued 0 failed URLs again\nnot a failed URL: {urls[2]}\n"
            f"failed, and waits for its next visit: {urls[1]}\n"
        )


@pytest.mark.service
def test_groups_are_moved_to_a_database_and_back(postgres: PostgresServer, grouped: Path, tmp_path: Path) -> None:
    queue = PostgresQueue(postgres.create_database("grouped"), crawl="x")
    lines = list(export_frontier(grouped))
    counts = import_frontier(lines, queue)
    assert list(export_frontier(queue)) == lines
    assert read_postgres_report(queue._conninfo, "x").counts == counts == read_report(grouped).counts
    back = tmp_path / "back.sqlite3"
    import_frontier(export_frontier(queue), back)
    assert list(export_frontier(back)) == lines
    with psycopg.connect(queue._conninfo) as connection:
        found = connection.execute("SELECT name, delay, added FROM canfetch_origins ORDER BY name").fetchall()
    assert found == [("a.example", 5.0, 5), ("b.example", 0.0, 1), ("c.example", 0.0, 1)]

    async def next_turn() -> tuple[str, str | None]:
        async with (
            canfetch.AsyncClient(user_agent=USER_AGENT, transport=Hosts()) as client,
            Frontier(client, backend=queue, group_by="host", recrawl=Recrawl(every=5.0)) as frontier,
        ):
            with await anext(frontier) as turn:
                return turn.url, turn.etag

    url, etag = asyncio.run(next_turn())
    assert (url in GROUPED, etag) == (True, "x")


@pytest.mark.service
def test_groups_by_address_are_moved_and_hosts_without_a_known_address(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    path, back = tmp_path / "crawl.sqlite3", tmp_path / "back.sqlite3"
    asked: list[str] = []

    async def resolve(host: str) -> list[str]:
        asked.append(host)
        return ["192.0.2.1"]

    hosts = {"a.example": b"User-agent: *\nCrawl-delay: 9"}
    options: dict[str, Any] = {"group_by": "address", "resolver": resolve}
    crawl(hosts, ["https://a.example/1"], path=path, **options)

    async def add() -> None:
        async with open_frontier(path=path, **options) as frontier:
            frontier.add_many(["https://a.example/2", "http://a.example/1", "https://b.example/1"])

    run_in_virtual_time(add, start=START)
    lines = list(export_frontier(path))
    queue = PostgresQueue(postgres.create_database("addresses"), crawl="x")
    import_frontier(lines, queue)
    assert list(export_frontier(queue)) == lines
    import_frontier(export_frontier(queue), back)
    assert [origin.origin for origin in read_report(back).next_origins] == ["192.0.2.1", "?b.example"]
    result = crawl(hosts, [], path=back, start=START, **options)
    assert sorted(result.urls) == ["http://a.example/1", "https://a.example/2", "https://b.example/1"]
    assert [later.at - earlier.at for earlier, later in pairwise(result.taken)] == [18.0, 18.0]
    assert asked == ["a.example", "b.example"]


def test_lines_of_the_first_format_are_imported(tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite3"
    first = [HEAD, ORIGIN, {**URL, "state": "failed", "due_at": 1.0}, KNOWN, END]
    assert import_frontier(encoded(first), path).failed == 1
    assert crawl({}, ["https://a.example/1"], path=path).urls == []


def test_a_failing_import_leaves_the_crawl_of_another_process(killed: Path, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "moved.sqlite3"
    lines = list(export_frontier(killed))
    exists = Path.exists

    def filled_afterwards(self: Path) -> bool:
        if self == path and not exists(path):
            monkeypatch.undo()
            import_frontier(lines, path)
            return False
        return exists(self)

    monkeypatch.setattr(Path, "exists", filled_afterwards)
    with pytest.raises(StoreError, match="the frontier is not empty"):
        import_frontier(lines, path)
    assert list(export_frontier(path)) == lines


@pytest.mark.service
def test_an_import_into_a_crawl_without_urls_sets_its_grouping(postgres: PostgresServer, killed: Path) -> None:
    queue = PostgresQueue(postgres.create_database("regrouped"), crawl="x")

    async def main() -> None:
        async with open_frontier(group_by="host", backend=queue):
            pass

    run_in_virtual_time(main)
    lines = list(export_frontier(killed))
    import_frontier(lines, queue)
    assert list(export_frontier(queue)) == lines


def test_origins_of_groups_are_named(grouped: Path) -> None:
    failed = ["http://a.example/2", "http://a.example/failed"]
    assert [url.url for url in list_urls(grouped, origin="http://a.example", state=URLState.FAILED)] == failed
    assert len(list(list_urls(grouped, origin="http://a.example"))) == 3
    assert len(list(list_urls(grouped, origin="http://a.example", limit=2))) == 2
    assert list(list_urls(grouped, origin="https://unknown.example")) == []
    assert queue_failed_urls(grouped, origin="https://unknown.example").number == 0
    assert queue_failed_urls(grouped, origin="http://a.example", urls=["https://a.example/failed"]).number == 0
    assert queue_failed_urls(grouped, urls=["https://a.example/2", "http://a.example/failed/", "x"]) == (
        0,
        ["https://a.example/2", "http://a.example/failed/", "x"],
        [],
    )
    assert queue_failed_urls(grouped, urls=[failed[0], "HTTP://A.example:80/%32#top", failed[0]]) == (1, [], [])
    assert queue_failed_urls(grouped, origin="http://a.example") == (1, [], [])
    assert [url.url for url in list_urls(grouped, state=URLState.QUEUED)] == failed
    assert queue_failed_urls(grouped).number == 1


@pytest.mark.service
def test_origins_of_groups_in_a_database_are_named(postgres: PostgresServer, grouped: Path) -> None:
    url = postgres.create_database("named")
    queue = PostgresQueue(url, crawl="x")
    import_frontier(export_frontier(grouped), queue)
    failed = ["http://a.example/2", "http://a.example/failed"]
    found = list_postgres_urls(url, "x", origin="http://a.example", state=URLState.FAILED)
    assert [each.url for each in found] == failed
    assert len(list(list_postgres_urls(url, "x", origin="http://a.example"))) == 3
    assert len(list(list_postgres_urls(url, "x", origin="http://a.example", limit=2))) == 2
    assert list(list_postgres_urls(url, "x", origin="https://unknown.example")) == []
    assert queue_failed_urls(queue, origin="https://unknown.example").number == 0
    assert queue_failed_urls(queue, origin="http://a.example", urls=["https://a.example/failed"]).number == 0
    assert queue_failed_urls(queue, urls=["HTTP://A.example:80/%32#top"]) == (1, [], [])
    assert queue_failed_urls(queue, origin="http://a.example").number == 1
    assert [each.url for each in list_postgres_urls(url, "x", state=URLState.QUEUED)] == failed
    assert queue_failed_urls(queue).number == 1


def test_export_from_a_read_only_file_system(killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = list(export_frontier(killed))
    lock = Path(f"{killed}-lock")
    lock.unlink()
    statvfs = os.statvfs

    def read_only(path: Any) -> Any:
        values = list(statvfs(path))
        values[8] |= os.ST_RDONLY
        return os.statvfs_result(values)

    monkeypatch.setattr(os, "statvfs", read_only)
    assert list(export_frontier(killed)) == lines
    assert not lock.exists()
    with closing(FileLock(str(lock), timeout=0.0)), pytest.raises(StoreError, match="a crawl uses the file: stop it"):
        next(export_frontier(killed))


def test_an_empty_file_is_no_frontier(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.touch()
    with pytest.raises(StoreError, match="the file is empty: expected the file of"):
        list(export_frontier(path))
    assert path.stat().st_size == 0


def test_an_import_that_was_killed_can_be_repeated(tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    assert path.stat().st_size > 0
    source = tmp_path / "source.sqlite3"
    crawl({}, ["https://a.example/1"], path=source, group_by="host")
    lines = list(export_frontier(source))
    assert import_frontier(lines, path).done == 1
    assert list(export_frontier(path)) == lines


@pytest.mark.parametrize("stored", [0.0, -0.3])
def test_no_wait_becomes_a_time_when_the_clock_was_set(tmp_path: Path, stored: float) -> None:
    path = tmp_path / "crawl.sqlite3"
    crawl({}, ["https://a.example/1"], path=path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute("SELECT retry_at FROM origins").fetchall() == [(0.0,)]
        connection.execute("UPDATE origins SET retry_at = ?", (stored,))
        connection.execute("UPDATE totals SET clock_shift = -100.0")
    lines = list(export_frontier(path))
    assert json.loads(lines[1])["retry_at"] is None
    import_frontier(lines, tmp_path / "moved.sqlite3")


def test_surrogates_and_urls_that_are_no_longer_valid_are_moved(tmp_path: Path) -> None:
    zone = "http://[::1%25a..b]"
    old, moved = tmp_path / "old.sqlite3", tmp_path / "moved.sqlite3"
    FrontierDatabase(old).close()
    lines = [
        {"format": "canfetch frontier 1", "done": 0, "failed": 0, "skipped": 0, "refused": 0},
        {"origin": zone, "last_request_at": None, "retry_at": None, "failures": 0},
        *({**URL, "url": f"{zone}/{number}"} for number in range(2)),
        ORIGIN,
        {**URL, "url": "https://a.example/\ud800"},
        {"end": True, "origins": 2, "urls": 3, "known": 0},
    ]
    # A frontier without URLs is accepted.
    import_frontier(map(json.dumps, lines), old)
    exported = list(export_frontier(old))
    import_frontier(exported, moved)
    assert list(export_frontier(moved)) == exported
    result = crawl({}, ["https://a.example/\ud800"], path=moved)
    assert (result.urls, len(result.skipped)) == (["https://a.example/%ED%A0%80"], 2)


def test_surrogates_in_the_file_of_an_older_version_are_percent_encoded(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite3"

    async def main() -> None:
        async with open_frontier(path=path) as frontier:
            frontier.add("https://a.example/1")

    run_in_virtual_time(main)
    stored = "https://a.example/pri\udcffvate".encode("utf-8", "surrogatepass")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE urls SET url = ?", (stored,))
    exported = "".join(export_frontier(path))
    assert '"https://a.example/pri%FFvate"' in exported
    assert crawl({}, [], path=path).urls == ["https://a.example/pri%FFvate"]


def test_what_cannot_be_exported(killed: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="missing: does not exist: expected the file of"):
        next(export_frontier(tmp_path / "missing"))
    lines = export_frontier(killed)
    next(lines)
    with pytest.raises(StoreError, match="another process or another frontier uses the file"):
        next(export_frontier(killed))
    lines.close()  # type: ignore[attr-defined]  # a generator
    assert list(export_frontier(killed))


def test_a_frontier_with_urls_is_not_replaced(killed: Path, tmp_path: Path) -> None:
    lines = list(export_frontier(killed))
    other = tmp_path / "other.sqlite3"
    crawl({}, ["https://b.example/"], path=other)
    before = list(export_frontier(other))
    with pytest.raises(StoreError, match=r"other\.sqlite3: the frontier is not empty: use another file"):
        import_frontier(lines, other)
    assert list(export_frontier(other)) == before


HEAD: dict[str, Any] = {"format": "canfetch frontier 1", "done": 0, "failed": 1, "skipped": 0, "refused": 0}
ORIGIN: dict[str, Any] = {"origin": "https://a.example", "last_request_at": 1.0, "retry_at": None, "failures": 0}
URL: dict[str, Any] = {
    "url": "https://a.example/1",
    "state": "queued",
    "priority": 0.0,
    "attempts": 0,
    "due_at": None,
    "error": None,
    "depth": 0,
    "metadata": None,
}
NEW_HEAD = {**HEAD, "format": "canfetch frontier 2", "group_by": "origin"}
LAST_HEAD = {**NEW_HEAD, "format": "canfetch frontier 3"}
NEW_URL = {**URL, "ended": None, "visit": None}
GROUPS = {**NEW_HEAD, "group_by": "host"}
ADDRESSES = {**NEW_HEAD, "group_by": "address"}
GROUP = {**ORIGIN, "origin": "a.example"}
MEMBERS = {"members": [["https://a.example", 0.0]]}
KNOWN: dict[str, Any] = {"known": ["00" * 16]}
END: dict[str, Any] = {"end": True, "origins": 1, "urls": 1, "known": 1}
INVALID: list[tuple[str, list[Any]]] = [
    ("line 1: expected the format 'canfetch frontier 3'", []),
    ("line 1: expected the format 'canfetch frontier 3'", [{**HEAD, "format": "canfetch frontier 4"}]),
    ("line 1: expected the format 'canfetch frontier 3'", [{**HEAD, "format": []}]),
    ("line 2: missing key 'problem'", [LAST_HEAD, ORIGIN]),
    ("line 2: invalid ready_at 'x'", [LAST_HEAD, {**ORIGIN, "ready_at": "x", "problem": None}]),
    ("line 2: invalid problem 1: expected a string", [LAST_HEAD, {**ORIGIN, "ready_at": None, "problem": 1}]),
    ("line 1: missing key 'group_by'", [{**HEAD, "format": "canfetch frontier 2"}]),
    ("line 1: invalid group_by 'x': expected origin, host", [{**NEW_HEAD, "group_by": "x"}]),
    ("line 1: invalid group_by \\[\\]: expected origin, host", [{**NEW_HEAD, "group_by": []}]),
    ("line 3: expected the members of a group only after", [NEW_HEAD, ORIGIN, MEMBERS]),
    ("line 4: expected the members of a group only after", [GROUPS, GROUP, KNOWN, MEMBERS]),
    ("line 5: expected the members of a group only after", [GROUPS, GROUP, MEMBERS, NEW_URL, MEMBERS]),
    ("line 3: invalid members: expected a list of origins", [GROUPS, GROUP, {"members": [["x", 0]]}]),
    ("line 3: invalid members: expected a list of origins", [GROUPS, GROUP, {"members": [["https://a.example", -1]]}]),
    ("line 3: invalid members: expected a list of origins", [GROUPS, GROUP, {"members": [5]}]),
    ("line 3: invalid members: expected a list of origins", [GROUPS, GROUP, {"members": [["?a.example", 0]]}]),
    ("line 3: invalid members: expected a list of origins", [ADDRESSES, GROUP, {"members": [["?a/b", 0]]}]),
    ("line 4: an origin belongs to a group already", [GROUPS, GROUP, MEMBERS, MEMBERS, {**END, "urls": 0, "known": 0}]),
    ("line 3: the URL 'https://a.example/1' does not belong to an origin of the group", [GROUPS, GROUP, NEW_URL]),
    ("line 3: missing key 'ended'", [NEW_HEAD, ORIGIN, URL]),
    ("line 3: unknown key 'ended'", [HEAD, ORIGIN, {**URL, "ended": None}]),
    (
        "line 3: invalid ended 'done': expected done, skipped, failed of a delayed",
        [NEW_HEAD, ORIGIN, {**NEW_URL, "ended": "done"}],
    ),
    ("line 3: invalid ended 5", [NEW_HEAD, ORIGIN, {**NEW_URL, "ended": 5}]),
    ("line 3: invalid visit 5: expected an interval", [NEW_HEAD, ORIGIN, {**NEW_URL, "visit": 5}]),
    (
        "line 5: line 1 has 0 done URLs, but there are more",
        [NEW_HEAD, ORIGIN, {**NEW_URL, "state": "delayed", "due_at": 1.0, "ended": "done"}, KNOWN, END],
    ),
    ("line 1: missing key 'done'", [{"format": HEAD["format"], "failed": 0, "skipped": 0, "refused": 0}]),
    ("line 1: invalid done -1: expected a whole number", [{**HEAD, "done": -1}]),
    ("line 1: invalid done True", [{**HEAD, "done": True}]),
    ("line 2: the export is cut off", [HEAD]),
    ("line 4: the export is cut off", [HEAD, ORIGIN, URL]),
    ("line 2: invalid JSON", [HEAD, '{"origin": "https://a.exa']),
    ("line 2: invalid JSON", [HEAD, "[" * 100_000]),
    ("line 2: invalid JSON", [HEAD, b"\xff"]),
    ("line 2: expected a JSON object", [HEAD, "1"]),
    ("line 2: longer than 1048576 bytes", [HEAD, "1" * 2_000_000]),
    ("line 2: expected an origin first", [HEAD, URL]),
    ("line 2: unknown key 'crawl_delay'", [HEAD, {**ORIGIN, "crawl_delay": 1}]),
    ("line 2: invalid origin 'https://A.example/'", [HEAD, {**ORIGIN, "origin": "https://A.example/"}]),
    ("line 2: invalid origin 'x\\\\x00'", [HEAD, {**ORIGIN, "origin": "x\0"}]),
    ("line 2: invalid last_request_at 1e\\+300", [HEAD, {**ORIGIN, "last_request_at": 1e300}]),
    ("line 2: invalid retry_at nan: expected a finite number", [HEAD, {**ORIGIN, "retry_at": float("nan")}]),
    ("line 2: invalid retry_at 1000", [HEAD, {**ORIGIN, "retry_at": 10**400}]),
    ("line 2: invalid failures 4294967296", [HEAD, {**ORIGIN, "failures": 2**32}]),
    (
        "line 3: the origin 'https://a.example' has lines already",
        [HEAD, ORIGIN, ORIGIN, {**END, "origins": 2, "urls": 0, "known": 0}],
    ),
    ("line 2: invalid origin 'x'", [HEAD, {**ORIGIN, "origin": "x"}]),
    ("line 2: invalid origin 'https://a.example/x'", [HEAD, {**ORIGIN, "origin": "https://a.example/x"}]),
    ("line 2: invalid failures 2147483647", [HEAD, {**ORIGIN, "failures": 2**31 - 1}]),
    *(
        (f"line {number}: invalid URL '{re.escape(url)}': expected an absolute URL", [*before, {**line, "url": url}])
        for url in ("mailto:x", "x", "/rel", "//host/rel", "http://[::1/", "http://h:80:80/", "")
        for number, before, line in ((3, [HEAD, ORIGIN], URL), (4, [GROUPS, GROUP, MEMBERS], NEW_URL))
    ),
    (
        "line 3: the URL 'http://\\[::1%25a..b\\]/' does not belong",
        [HEAD, ORIGIN, {**URL, "url": "http://[::1%25a..b]/"}],
    ),
    (
        "line 4: the URL 'https://b.example:0/' does not belong",
        [GROUPS, GROUP, MEMBERS, {**NEW_URL, "url": "https://b.example:0/"}],
    ),
    ("line 3: invalid URL 1: expected a string", [HEAD, ORIGIN, {**URL, "url": 1}]),
    ("line 3: the URL 'https://b.example/' does not belong", [HEAD, ORIGIN, {**URL, "url": "https://b.example/"}]),
    ("line 3: invalid state 'lost': expected queued, in_flight", [HEAD, ORIGIN, {**URL, "state": "lost"}]),
    ("line 3: invalid state \\[\\]", [HEAD, ORIGIN, {**URL, "state": []}]),
    ("line 3: invalid due_at None of a URL that is delayed", [HEAD, ORIGIN, {**URL, "state": "delayed"}]),
    ("line 3: invalid due_at 1.0 of a URL that is queued", [HEAD, ORIGIN, {**URL, "due_at": 1}]),
    ("line 3: invalid priority '1': expected a finite number", [HEAD, ORIGIN, {**URL, "priority": "1"}]),
    ("line 3: invalid attempts None", [HEAD, ORIGIN, {**URL, "attempts": None}]),
    ("line 3: invalid attempts 2147483646: expected", [HEAD, ORIGIN, {**URL, "attempts": 2**31 - 2}]),
    ("line 3: invalid error 1: expected a string or null", [HEAD, ORIGIN, {**URL, "error": 1}]),
    ("line 3: the URL 'https://b.example:0/' does not belong", [HEAD, ORIGIN, {**URL, "url": "https://b.example:0/"}]),
    ("line 3: invalid URL ' https://a.example/1'", [HEAD, ORIGIN, {**URL, "url": " https://a.example/1"}]),
    ("line 3: invalid depth -1: expected a whole number", [HEAD, ORIGIN, {**URL, "depth": -1}]),
    ("line 3: invalid metadata: 16388 bytes of JSON", [HEAD, ORIGIN, {**URL, "metadata": ["x" * 16384]}]),
    (
        "line 4: the URL 'https://A.example:443/1' has a line already",
        [HEAD, ORIGIN, URL, {**URL, "url": "https://A.example:443/1"}, {**END, "urls": 2, "known": 0}],
    ),
    ("line 3: invalid known identities", [HEAD, ORIGIN, {"known": ["00"]}]),
    ("line 3: invalid known identities", [HEAD, ORIGIN, {"known": 1}]),
    ("line 4: the known identity 0{32} is there twice, or not in", [HEAD, ORIGIN, KNOWN, KNOWN]),
    ("line 3: the known identity 0{32} is there twice", [HEAD, ORIGIN, {"known": [*KNOWN["known"], *KNOWN["known"]]}]),
    ("line 4: expected the URLs of an origin before its known", [HEAD, ORIGIN, KNOWN, URL]),
    ("line 5: the number of urls is 2, but the lines have 1", [HEAD, ORIGIN, URL, KNOWN, {**END, "urls": 2}]),
    *(
        (f"line 5: invalid end {shown}: expected true", [HEAD, ORIGIN, URL, KNOWN, {**END, "end": value}])
        for shown, value in (("None", None), ("False", False), ("'x'", "x"), ("nan", float("nan")), ("1", 1))
    ),
    ("line 6: expected nothing after the line", [HEAD, ORIGIN, URL, KNOWN, END, ORIGIN]),
    (
        "line 5: line 1 has 0 failed URLs, but there are more",
        [{**HEAD, "failed": 0}, ORIGIN, {**URL, "state": "failed", "due_at": 1.0}, KNOWN, END],
    ),
]


def encoded(values: list[Any]) -> list[str | bytes]:
    return [value if isinstance(value, str | bytes) else json.dumps(value) for value in values]


@pytest.mark.parametrize("message, values", INVALID, ids=[f"{index}" for index in range(len(INVALID))])
def test_an_invalid_line_imports_nothing(tmp_path: Path, message: str, values: list[Any]) -> None:
    path = tmp_path / "crawl.sqlite3"
    with pytest.raises(StoreError, match=f"^{message}"):
        import_frontier(encoded(values), path)
    assert [found.name for found in tmp_path.iterdir()] in ([], ["crawl.sqlite3-lock"])
    # The file of an empty frontier stays, and stays empty.
    FrontierDatabase(path).close()
    before = list(export_frontier(path))
    with pytest.raises(StoreError, match=f"^{message}"):
        import_frontier(encoded(values), path)
    assert list(export_frontier(path)) == before
    assert import_frontier(encoded([HEAD, ORIGIN, URL, KNOWN, END]), path).queued == 1


@pytest.mark.parametrize(
    "lines, message",
    [
        ("crawl.jsonl", "invalid lines 'crawl.jsonl': expected lines, such as an open file"),
        (b"crawl.jsonl", "invalid lines b'crawl.jsonl': expected lines"),
        (Path("crawl.jsonl"), "invalid lines .*crawl.jsonl.*: expected lines"),
        (None, "invalid lines None: expected lines"),
        ([5], "invalid line 5: expected lines as str or bytes"),
    ],
)
def test_what_has_no_lines_is_not_imported(tmp_path: Path, lines: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"^{message}"):
        import_frontier(lines, tmp_path / "crawl.sqlite3")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_is_cut_anywhere_imports_nothing(killed: Path, tmp_path: Path) -> None:
    lines = list(export_frontier(killed))
    for number in range(len(lines)):
        with pytest.raises(StoreError, match=f"^line {number + 1}: "):
            import_frontier([*lines[:number], lines[number][:-2]], tmp_path / "moved.sqlite3")
        assert not (tmp_path / "moved.sqlite3").exists()


@pytest.mark.slow
def test_memory_does_not_grow_with_the_crawl(tmp_path: Path) -> None:
    path, moved = tmp_path / "crawl.sqlite3", tmp_path / "moved.sqlite3"

    async def main() -> None:
        async with open_frontier(path=path) as frontier:
            for number in range(30):
                frontier.add_many(f"https://a{number}.example/{page}" for page in range(1000))

    run_in_virtual_time(main)
    tracemalloc.start()
    counts = import_frontier(export_frontier(path), moved)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert counts.queued == 30_000
    assert peak < 2_000_000


@pytest.mark.service
@pytest.mark.parametrize("options", ["", "?options=-carray_nulls%3Doff"])
def test_a_crawl_moves_to_a_database_and_back(
    postgres: PostgresServer, killed: Path, tmp_path: Path, options: str
) -> None:
    queue = PostgresQueue(postgres.create_database(f"transfer{len(options)}") + options, crawl="moved")
    lines = list(export_frontier(killed))
    counts = import_frontier(lines, queue)
    assert counts == FrontierCounts(queued=5, in_flight=1, done=3, failed=1, skipped=1, refused=1)
    assert list(export_frontier(queue)) == lines
    back = tmp_path / "back.sqlite3"
    assert import_frontier(export_frontier(queue), back) == counts
    assert list(export_frontier(back)) == lines

    with pytest.raises(StoreError, match="the crawl 'moved' is not empty: use another name"):
        import_frontier(lines, queue)
    with pytest.raises(StoreError, match="the database has no crawl 'other'"):
        next(export_frontier(PostgresQueue(queue._conninfo, crawl="other")))


@pytest.mark.service
@pytest.mark.parametrize("group_by", ["origin", "host", "address"])
def test_an_imported_origin_waits_until_its_retry_after_has_passed(
    postgres: PostgresServer, tmp_path: Path, group_by: str
) -> None:
    now = time.time()
    lines: list[Any] = [{**NEW_HEAD, "group_by": group_by}]
    for host, retry_at, url in [
        ("free", None, NEW_URL),
        ("past", now - 10.0, NEW_URL),
        ("busy", now + 5000.0, NEW_URL),
        ("killed", now + 5000.0, {**NEW_URL, "state": "in_flight"}),
        ("again", now + 5000.0, {**NEW_URL, "state": "delayed", "due_at": now + 3000.0}),
    ]:
        name = f"{host}.example"
        origin = {"origin": f"https://{name}", "host": name, "address": f"?{name}"}[group_by]
        lines.append({**ORIGIN, "origin": origin, "last_request_at": now - 20.0, "retry_at": retry_at})
        if group_by != "origin":
            lines.append({"members": [[f"https://{name}", 0.0]]})
        lines.append({**url, "url": f"https://{name}/"})
    lines.append({"end": True, "origins": 5, "urls": 5, "known": 0})

    queue = PostgresQueue(postgres.create_database(f"waits_{group_by}"), crawl="x")
    import_frontier(encoded(lines), queue)
    path = tmp_path / "crawl.sqlite3"
    import_frontier(encoded(lines), path)

    # A host is looked up during a Retry-After, so that the group that it joins waits, too.
    held_at = 0.0 if group_by == "address" else now + 5000.0
    with psycopg.connect(queue._conninfo) as connection, closing(sqlite3.connect(path)) as file:
        killed = connection.execute("SELECT ready_at FROM canfetch_origins WHERE name LIKE '%killed%'").fetchone()
        assert killed == (held_at,)
        due = file.execute("SELECT due_at FROM origins WHERE phase = 1 ORDER BY id").fetchall()
        past_at = 0.0 if group_by == "address" else now - 10.0
        assert due == [(0.0,), (past_at,), (held_at,), (max(held_at, now + 3000.0),)]
    worker = queue.open_queue(QueueOptions(1, 3, time.time, GroupBy(group_by)))
    with closing(worker):
        worker.find_due(time.time())
        claimed = {claim.origin.name.removeprefix("https://").lstrip("?") for claim in worker._claims.values()}
    # The heartbeat queues the URL of the killed process at any time.
    due_now = {"free.example", "past.example", *(["busy.example"] if group_by == "address" else [])}
    assert claimed - {"killed.example"} == due_now


@pytest.mark.service
def test_an_imported_crawl_shows_what_its_origins_wait_for(postgres: PostgresServer, tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite3"
    # In the past for the server, too.
    start = time.time() - 60.0
    hosts = Hosts(
        {"slow.example": b"User-agent: *\nCrawl-delay: 3000"}, unreachable_until={"dead.example": start + 1e6}
    )
    urls = [f"https://{host}.example/{number}" for host in ("slow", "busy", "failed") for number in (1, 2)]
    urls += ["https://again.example/", "https://dead.example/", "https://killed.example/"]

    async def main() -> Path:
        held: list[Turn] = []
        async with open_frontier(hosts, urls, path=path, max_delay=5000.0, retry_delay=9000.0) as frontier:
            async for turn in frontier:
                match turn.url.split("/")[2]:
                    case "killed.example":
                        held.append(turn)
                    case "busy.example":
                        turn.done(retry_after=4000)
                    case "failed.example":
                        turn.retry(retry_after=4000)
                    case "again.example":
                        turn.retry()
                    case _:
                        turn.done()
                if frontier.counts.in_flight == 1 and frontier.counts.done == 2:
                    break
            frontier.add("https://new.example/")
            return copy_file(path)

    source = run_in_virtual_time(main, start=start)
    moved = tmp_path / "moved.sqlite3"
    import_frontier(export_frontier(source), moved)
    queue = PostgresQueue(postgres.create_database("reasons"), crawl="x")
    import_frontier(export_frontier(source), queue)

    def shown(report: FrontierReport) -> dict[str, tuple[str, float | None]]:
        assert not report.is_in_use
        return {
            each.origin.split("//")[1].split(".")[0]: (
                each.reason,
                None if each.next_at is None or each.next_at < start + 20.0 else each.next_at - start,
            )
            for each in report.next_origins
        }

    expected = shown(read_report(source, clock=lambda: start + 20.0))
    assert {name: reason for name, (reason, _) in expected.items()} == {
        "slow": "the delay between two requests",
        "busy": "Retry-After",
        "failed": "Retry-After",
        "again": "its URLs wait for their next attempt or visit",
        "dead": "its robots.txt could not be fetched: connect: scripted failure",
        "killed": "its process ended during a turn",
        "new": "the next free task requests it",
    }
    assert [name for name, (_, at) in expected.items() if at is None] == ["killed", "new"]
    assert shown(read_report(moved, clock=lambda: start + 20.0)) == expected
    assert shown(read_postgres_report(queue._conninfo, "x")) == expected


@pytest.mark.service
def test_a_server_that_is_away_is_waited_for(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    url = postgres.create_database("away")
    connect = postgres_connection._open
    failures: list[int] = []

    def fail_twice(*arguments: Any) -> Any:
        if failures:
            failures.pop()
            raise psycopg.OperationalError("connection refused")
        return connect(*arguments)

    monkeypatch.setattr(postgres_connection, "_open", fail_twice)
    monkeypatch.setattr(postgres_connection, "_FIRST_PAUSE", 0.0)
    queue = PostgresQueue(url, crawl="x")
    for use in (
        lambda: import_frontier(encoded([HEAD, ORIGIN, URL, KNOWN, END]), queue),
        lambda: list(export_frontier(queue)),
        lambda: queue_failed_urls(queue),
        lambda: list(list_postgres_urls(url, "x")),
    ):
        failures[:] = [1, 2]
        use()
        assert not failures


@pytest.mark.service
def test_an_invalid_line_leaves_no_crawl_in_a_database(postgres: PostgresServer) -> None:
    url = postgres.create_database("invalid_lines")
    queue = PostgresQueue(url, crawl="x")
    for message, values in INVALID:
        with pytest.raises(StoreError, match=f"^{message}"):
            import_frontier(encoded(values), queue)
    with psycopg.connect(url) as connection:
        for table in ("crawls", "origins", "urls", "known", "workers"):
            query = psycopg.sql.SQL("SELECT count(*) FROM {}").format(psycopg.sql.Identifier(f"canfetch_{table}"))
            assert connection.execute(query).fetchone() == (0,), table


@pytest.mark.service
def test_a_crawl_with_workers_is_neither_exported_nor_imported(postgres: PostgresServer) -> None:
    queue = PostgresQueue(postgres.create_database("live"), crawl="x")
    empty = [HEAD, {"end": True, "origins": 0, "urls": 0, "known": 0}]

    async def use(*, during_export: bool) -> list[str]:
        async with canfetch.AsyncClient(user_agent=USER_AGENT, transport=Hosts()) as client:
            lines = export_frontier(queue)
            read = [next(lines)] if during_export else []
            async with Frontier(client, backend=queue) as frontier:
                if not during_export:
                    with pytest.raises(StoreError, match="workers use the crawl 'x': stop them; the leases of killed"):
                        next(export_frontier(queue))
                    with pytest.raises(StoreError, match="workers use the crawl 'x': stop them, or use another name"):
                        import_frontier(encoded(empty), queue)
                frontier.add("https://a.example/1")
            return [*read, *lines]

    assert len(asyncio.run(use(during_export=False))) == 5
    with pytest.raises(StoreError, match="a worker has used the crawl during the export"):
        asyncio.run(use(during_export=True))


@pytest.mark.service
@pytest.mark.parametrize("number", [3, 3000])
def test_many_origins_are_written_in_batches(postgres: PostgresServer, tmp_path: Path, number: int) -> None:
    path = tmp_path / "crawl.sqlite3"

    async def main() -> None:
        async with open_frontier(path=path) as frontier:
            frontier.add_many(f"https://a{origin}.example/{page}" for page in range(2) for origin in range(number))
            frontier.add_many(f"https://big.example/{page}" for page in range(number))

    run_in_virtual_time(main)
    queue = PostgresQueue(postgres.create_database(f"batches{number}"), crawl="x")
    assert import_frontier(export_frontier(path), queue).queued == number * 3
    assert list(export_frontier(queue)) == list(export_frontier(path))


@pytest.mark.service
def test_a_crawl_that_is_killed_moves_in_the_middle(
    postgres: PostgresServer,
    sites: Sites,
    tmp_path: Path,
) -> None:
    database = postgres.create_database("moves")
    queue = PostgresQueue(database, crawl="news")
    first, second = tmp_path / "first.sqlite3", tmp_path / "second.sqlite3"
    urls = sites.urls(origins=200, pages=10)
    seeds = write_seeds(tmp_path, urls)
    open_at_a_kill: Counter[str] = Counter()

    def run_until(number: int, target: str) -> None:
        worker = Worker(target, "news", seeds)
        wait_for(lambda: len(sites.requests) > number)
        worker.send(signal.SIGKILL)
        worker.end(-signal.SIGKILL)

    def move(source: Any, target: Any) -> None:
        lines = list(export_frontier(source))
        open_at_a_kill.update(row["url"] for row in rows(lines, "url") if row["state"] == "in_flight")
        import_frontier(lines, target)

    run_until(800, str(first))
    move(first, queue)
    run_until(1700, database)
    # Until the lease of the killed worker has ended.
    wait_for(lambda: is_exported(queue))
    move(queue, second)
    Worker(str(second), "news", seeds).end()

    port = urlsplit(urls[0]).port
    requested = Counter(f"http://{host}:{port}{path}" for _, host, path in sites.requests if path != "/robots.txt")
    assert requested.keys() == set(urls)
    assert len(open_at_a_kill) <= 16
    repeated = requested - Counter(urls)
    assert not repeated - open_at_a_kill
    assert read_report(second).counts == FrontierCounts(queued=0, in_flight=0, done=2000, failed=0, skipped=0)
    check_delays(sites)


def is_exported(queue: PostgresQueue) -> bool:
    try:
        next(export_frontier(queue))
    except StoreError as error:
        if "the leases of killed ones end in" not in str(error):
            raise
        return False
    return True


@pytest.mark.service
def test_failed_urls_of_a_database_are_listed_and_queued(postgres: PostgresServer, killed: Path) -> None:
    url = postgres.create_database("requeued")
    queue = PostgresQueue(url, crawl="x")
    import_frontier(export_frontier(killed), queue)
    assert sorted(list_postgres_urls(url, "x")) == sorted(list_urls(killed))
    (failed,) = list_postgres_urls(url, "x", state=URLState.FAILED)
    assert (failed.url, failed.attempts, failed.error) == ("https://failed.example/", 2, "status 500")
    assert not list(list_postgres_urls(url, "x", state=URLState.FAILED, origin="https://a.example"))
    assert not list(list_postgres_urls(url, "x", origin="https://unknown.example"))
    assert len(list(list_postgres_urls(url, "x", limit=2))) == 2

    assert queue_failed_urls(queue, origin="https://a.example").number == 0
    assert queue_failed_urls(queue, urls=["https://failed.example/2"]) == (0, ["https://failed.example/2"], [])
    assert queue_failed_urls(queue, origin="https://failed.example", urls=["https://failed.example/x/.."]).number == 1
    assert queue_failed_urls(queue).number == 0
    counts = read_postgres_report(url, "x").counts
    assert counts == FrontierCounts(queued=6, in_flight=1, done=3, failed=0, skipped=1, refused=1)
    with pytest.raises(StoreError, match="the database has no crawl 'y'"):
        queue_failed_urls(PostgresQueue(url, crawl="y"))

    async def next_url() -> str:
        async with (
            canfetch.AsyncClient(user_agent=USER_AGENT, transport=Hosts()) as client,
            Frontier(client, backend=queue, min_delay=0.0) as frontier,
        ):
            async for turn in frontier:
                turn.done()
                if "failed" in turn.url:
                    return turn.url
        return ""

    assert asyncio.run(next_url()) == "https://failed.example/"
