"""URLs that fail: when they are tried again, where they are listed, and how they are queued again."""

import re
import sqlite3
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.frontier.crawls import CrawlResult, Hosts, crawl, open_frontier
from tests.frontier.test_resuming import copy_file

from canfetch.client.frontier import FailedURL, Frontier, FrontierCounts, Turn
from canfetch.errors import InvalidOption, StoreError

pytestmark = pytest.mark.usefixtures("backend")
A, B = "https://a.example", "https://b.example"
# The default of `retry_delay` is ten minutes, and the jitter shortens it by up to a half.
FIRST, SECOND = (300.0, 600.0), (600.0, 1200.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "crawl.sqlite3"


def attempts_of(failing: set[str], urls: list[str], **options: Any) -> tuple[list[tuple[float, str]], FrontierCounts]:
    """Crawl with pages that always fail. Return the turns."""
    attempts = []

    def fail(_: Frontier, turn: Turn) -> None:
        attempts.append((virtual_now(), turn.url))
        if turn.url in failing:
            turn.retry(error="status 500")

    return attempts, crawl({}, urls, on_turn=fail, **options).counts


def test_attempts_of_a_url_come_later_and_later() -> None:
    attempts, counts = attempts_of({f"{A}/bad"}, [f"{A}/bad", f"{A}/good"])

    times = [at for at, url in attempts if url == f"{A}/bad"]
    assert attempts[:2] == [(0, f"{A}/bad"), (1, f"{A}/good")]
    assert len(times) == 3
    assert FIRST[0] <= times[1] - times[0] <= FIRST[1]
    assert SECOND[0] <= times[2] - times[1] <= SECOND[1]
    assert counts == FrontierCounts(queued=0, in_flight=0, done=1, failed=1, skipped=0)


@pytest.mark.urlfrontier
def test_without_a_delay_a_url_is_queued_after_the_others_at_once() -> None:
    attempts, _ = attempts_of({f"{A}/bad"}, [f"{A}/bad", f"{A}/good"], retry_delay=0.0, min_delay=0.0, max_delay=0.0)

    assert [url for _, url in attempts] == [f"{A}/bad", f"{A}/good", f"{A}/bad", f"{A}/bad"]


@pytest.mark.urlfrontier
def test_urls_that_fail_together_are_not_tried_again_together() -> None:
    urls = [f"{A}/{number}" for number in range(20)]
    first: dict[str, float] = {}
    delays = []

    def fail_once(_: Frontier, turn: Turn) -> None:
        if turn.attempt == 1:
            first[turn.url] = virtual_now()
            turn.retry()
        else:
            delays.append(round(virtual_now() - first[turn.url]))

    # Without a delay of the origin, only those of the URLs remain.
    crawl({}, urls, on_turn=fail_once, min_delay=0.0, max_delay=0.0)

    assert len(set(delays)) > 15
    assert all(FIRST[0] <= delay <= FIRST[1] for delay in delays)


def crawl_with_outage(pages: int, seconds: float) -> CrawlResult:
    """Crawl a site whose pages cannot be fetched for a time."""

    def fetch(_: Frontier, turn: Turn) -> None:
        if virtual_now() < seconds:
            turn.retry(error=ConnectionError("refused"))

    return crawl({}, [f"{A}/{number}" for number in range(pages)], on_turn=fetch)


@pytest.mark.parametrize("pages", [1, 10, 100])
@pytest.mark.urlfrontier
def test_an_outage_of_ten_minutes_loses_no_page(pages: int) -> None:
    counts = crawl_with_outage(pages, 600).counts

    assert counts == FrontierCounts(queued=0, in_flight=0, done=pages, failed=0, skipped=0)


def test_an_origin_that_fails_again_and_again_is_asked_less_and_less_often() -> None:
    result = crawl_with_outage(100, 3600)
    times = [at for at in result.times(A) if at < 3600]

    # Doubled delays of up to a minute, instead of a request in each second.
    assert len(times) < 150
    assert max(times[n + 1] - times[n] for n in range(len(times) - 1)) <= 61
    assert result.counts.failed == 0


def test_a_success_resets_the_delay_of_the_origin() -> None:
    def fail_until_6(_: Frontier, turn: Turn) -> None:
        if int(turn.url.rpartition("/")[2]) < 6:
            turn.retry()

    result = crawl({}, [f"{A}/{number}" for number in range(10)], on_turn=fail_until_6, max_attempts=1)
    times = result.times(A)

    assert times[6] - times[5] > 5
    assert [times[n + 1] - times[n] for n in (6, 7, 8)] == [1, 1, 1]


def test_a_new_url_does_not_wait_for_another_attempt() -> None:
    async def main() -> list[tuple[float, str]]:
        turns = []
        async with open_frontier(urls=[f"{A}/bad", f"{B}/1"]) as frontier:
            async for turn in frontier:
                turns.append((virtual_now(), turn.url))
                if turn.url == f"{A}/bad" and turn.attempt == 1:
                    turn.retry()
                elif turn.url == f"{B}/1":
                    turn.done()
                    # The only URL of this origin waits for its second attempt.
                    assert frontier.add(f"{A}/new", priority=1.0)
                else:
                    turn.done()
        return turns

    turns = run_in_virtual_time(main)

    assert turns[:3] == [(0, f"{A}/bad"), (0, f"{B}/1"), (1, f"{A}/new")]
    assert FIRST[0] <= turns[3][0] <= FIRST[1]


@pytest.mark.urlfrontier
def test_failed_urls_are_listed_with_their_errors_reported_and_queued_again(path: Path) -> None:
    reported: list[FailedURL] = []

    async def first_run() -> None:
        urls = [f"{A}/raises", f"{A}/says", f"{B}/silent", f"{B}/fine"]
        async with open_frontier(
            urls=urls, path=path, max_attempts=1, on_failure=reported.append, min_delay=0.0
        ) as frontier:
            async for turn in frontier:
                with suppress(ConnectionError), turn:
                    if turn.url == f"{A}/raises":
                        raise ConnectionError("reset\x00\ud800" + "x" * 1000)
                    if turn.url == f"{A}/says":
                        turn.retry(error="status 503")
                    if turn.url == f"{B}/silent":
                        turn.retry()
            assert sorted(frontier.failed()) == sorted(reported)

    async def second_run() -> None:
        async with open_frontier(path=path, max_attempts=1) as frontier:
            assert sorted(frontier.failed()) == sorted(reported)
            assert frontier.counts == FrontierCounts(queued=0, in_flight=0, done=1, failed=3, skipped=0)
            # They are known, so adding them has no effect.
            assert frontier.add_many(each.url for each in reported) == 0
            assert frontier.retry_failed() == 3
            assert list(frontier.failed()) == []
            assert frontier.counts == FrontierCounts(queued=3, in_flight=0, done=1, failed=0, skipped=0)
            async for turn in frontier:
                assert turn.attempt == 1
                turn.done()
            assert frontier.counts == FrontierCounts(queued=0, in_flight=0, done=4, failed=0, skipped=0)
            assert frontier.retry_failed() == 0
        with pytest.raises(StoreError, match="the frontier is closed"):
            frontier.retry_failed()

    run_in_virtual_time(first_run)
    errors = {failed.url: failed.error for failed in reported}
    assert errors[f"{A}/says"] == "status 503"
    assert errors[f"{B}/silent"] is None
    assert re.match("ConnectionError: reset", errors[f"{A}/raises"] or "")
    assert len(errors[f"{A}/raises"] or "") < 600
    assert {failed.attempts for failed in reported} == {1}
    run_in_virtual_time(second_run)


@pytest.mark.files
def test_a_url_whose_last_attempt_was_killed_is_listed_and_reported(path: Path) -> None:
    reported: list[FailedURL] = []

    async def first_run() -> Path:
        async with open_frontier(urls=[f"{A}/deadly"], path=path, max_attempts=1) as frontier:
            turn = await anext(frontier)
            assert turn.attempt == 1
            return copy_file(path)

    async def second_run(killed: Path) -> None:
        async with open_frontier(path=killed, max_attempts=1, on_failure=reported.append) as frontier:
            assert [each async for each in frontier] == []
            assert list(frontier.failed()) == reported

    killed = run_in_virtual_time(first_run)
    run_in_virtual_time(partial(second_run, killed), start=50.0)

    assert reported == [FailedURL(f"{A}/deadly", "the process ended during the last attempt", 1, 50.0, 0.0)]


@pytest.mark.urlfrontier
def test_a_url_waits_for_its_next_attempt_after_a_restart_too(path: Path) -> None:
    async def first_run() -> None:
        async with open_frontier(urls=[f"{A}/bad"], path=path) as frontier:
            (await anext(frontier)).retry()

    run_in_virtual_time(first_run)
    ((at, url),) = crawl({}, [], path=path, start=10.0).taken

    assert url == f"{A}/bad"
    assert FIRST[0] <= at <= FIRST[1]


@pytest.mark.urlfrontier
def test_an_exception_of_on_failure_is_raised_after_the_turn_has_ended() -> None:
    def refuse(_: FailedURL) -> None:
        raise ZeroDivisionError

    async def main() -> None:
        async with open_frontier(urls=[f"{A}/1"], max_attempts=1, on_failure=refuse) as frontier:
            with pytest.raises(ZeroDivisionError), await anext(frontier) as turn:
                turn.retry()
            assert [failed.url for failed in frontier.failed()] == [f"{A}/1"]
            assert frontier.counts == FrontierCounts(queued=0, in_flight=0, done=0, failed=1, skipped=0)
            assert [each async for each in frontier] == []

    run_in_virtual_time(main)


@pytest.mark.urlfrontier
def test_an_exception_without_a_text_ends_the_turn() -> None:
    class Untold(Exception):
        def __str__(self) -> str:
            raise AttributeError

    async def main() -> list[str | None]:
        async with open_frontier(urls=[f"{A}/1"], max_attempts=1) as frontier:
            with suppress(Untold), await anext(frontier):
                raise Untold
            return [failed.error for failed in frontier.failed()]

    assert run_in_virtual_time(main) == ["Untold"]


def test_arguments_are_validated() -> None:
    async def main(**options: Any) -> None:
        async with open_frontier(urls=[f"{A}/1"], **options) as frontier:
            turn = await anext(frontier)
            with pytest.raises(TypeError, match="invalid error 503: expected an exception, a str, or None"):
                turn.retry(error=503)
            turn.done()

    run_in_virtual_time(main)
    for options, message in (
        ({"retry_delay": -1.0}, "invalid retry_delay -1.0"),
        ({"on_failure": 3}, "invalid on_failure 3: expected a function"),
    ):
        with pytest.raises(InvalidOption, match=message):
            run_in_virtual_time(partial(main, **options))


def fail(_frontier: Frontier, turn: Turn) -> None:
    if turn.url.startswith(A):
        turn.retry()


@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_an_origin_that_fails_too_often_is_given_up(path: Path, group_by: str) -> None:
    urls = [f"{origin}/{page}" for page in range(60) for origin in (A, B)]
    result = crawl(Hosts(), urls, on_turn=fail, path=path, max_failures_per_origin=3, group_by=group_by)
    assert len(result.times(A)) == 3
    assert len(result.times(B)) == 60
    assert sorted(skipped.url for skipped in result.skipped) == sorted(url for url in urls if url.startswith(A))
    name = A if group_by == "origin" else "a.example"
    assert {skipped.error for skipped in result.skipped} == {f"3 turns of {name} failed in a row"}
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=60, failed=0, skipped=60)
    # URLs that are found later are skipped, too, unless the next run has no such limit.
    options: dict[str, Any] = {"path": path, "group_by": group_by}
    assert crawl(Hosts(), [f"{A}/x"], max_failures_per_origin=3, **options).urls == []
    assert crawl(Hosts(), [f"{A}/y"], **options).urls == [f"{A}/y"]


def test_an_origin_that_is_given_up_holds_no_check(path: Path) -> None:
    urls = [f"https://host{number}.example/" for number in range(6)]

    async def first() -> None:
        async with open_frontier(urls=urls, path=path) as frontier:
            for _ in urls:
                (await anext(frontier)).retry()

    run_in_virtual_time(first)
    result = crawl(Hosts(), [], path=path, max_failures_per_origin=1, max_checks=2, start=1e5)
    assert result.urls == []
    assert len(result.skipped) == 6
    # A file that no turn needs is not requested.
    assert result.hosts.requests == []


def test_a_turn_that_is_done_resets_the_failures_of_an_origin() -> None:
    def fail_twice(_frontier: Frontier, turn: Turn) -> None:
        if not turn.url.endswith(("2", "5")):
            turn.retry()

    urls = [f"{A}/{page}" for page in range(6)]
    result = crawl(Hosts(), urls, on_turn=fail_twice, max_failures_per_origin=3, max_attempts=1)
    assert result.urls == urls
    assert result.skipped == []


# The schema of files before failed URLs were listed.
VERSION_1 = """
    CREATE TABLE origins (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, phase INTEGER NOT NULL DEFAULT 0,
        priority REAL NOT NULL DEFAULT 0, due_at REAL NOT NULL DEFAULT 0, position INTEGER NOT NULL DEFAULT 0,
        in_flight INTEGER NOT NULL DEFAULT 0, last_request_at REAL, retry_at REAL);
    CREATE INDEX waiting ON origins (due_at, position) WHERE phase = 1;
    CREATE INDEX unchecked ON origins (priority DESC, due_at, position) WHERE phase = 2;
    CREATE INDEX ready ON origins (priority DESC, due_at, position) WHERE phase = 4;
    CREATE TABLE urls (id INTEGER PRIMARY KEY, origin INTEGER NOT NULL, url BLOB NOT NULL, priority REAL NOT NULL,
        attempt INTEGER NOT NULL, is_in_flight INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX queued ON urls (origin, priority DESC, id) WHERE is_in_flight = 0;
    CREATE INDEX in_flight ON urls (id) WHERE is_in_flight = 1;
    CREATE TABLE known (origin INTEGER NOT NULL, identity BLOB NOT NULL, PRIMARY KEY (origin, identity)) WITHOUT ROWID;
    CREATE TABLE totals (added INTEGER NOT NULL, done INTEGER NOT NULL, failed INTEGER NOT NULL,
        skipped INTEGER NOT NULL);
    INSERT INTO totals VALUES (6, 1, 1, 0);
    INSERT INTO origins VALUES (1, 'https://a.example', 5, 0, 500, 3, 1, 100, NULL),
        (2, 'https://b.example', 5, 2, 500, 4, 1, 100, 400), (3, 'https://c.example', 0, 0, 130, 2, 0, 100, NULL);
    INSERT INTO urls VALUES (1, 1, CAST('https://a.example/last' AS BLOB), 0, 4, 1),
        (2, 2, CAST('https://b.example/1' AS BLOB), 2, 1, 0), (3, 2, CAST('https://b.example/2' AS BLOB), 0, 2, 1),
        (4, 2, CAST('https://b.example/3' AS BLOB), 2, 1, 0);
    PRAGMA application_id = 1667329638;
    PRAGMA user_version = 1;
"""


@pytest.mark.files
def test_a_file_of_the_first_format_is_migrated(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1)

    result = crawl(Hosts(), ["https://c.example/1"], path=path, start=110.0)

    # Its only URL failed in the last attempt, during which the process was killed.
    assert result.times(A) == []
    # The two with the higher priority first, each when the origin's wait is over.
    assert [taken for taken in result.taken if taken.url.startswith(B)] == [
        (400, f"{B}/1"),
        (401, f"{B}/3"),
        (402, f"{B}/2"),
    ]
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=5, failed=2, skipped=0)
    assert crawl({}, [], path=path).taken == []
