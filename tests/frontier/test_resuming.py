"""The file of a frontier: what is in it after a restart, who can use it, and errors."""

import asyncio
import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import Hosts, crawl, open_frontier

from canfetch.client.frontier import Frontier, FrontierCounts, SkippedURL, Turn
from canfetch.client.frontier.report import read_report
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.errors import StoreError

A, B = "https://a.example", "https://b.example"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "crawl.sqlite3"


def copy_file(path: Path, name: str = "killed") -> Path:
    """Return a copy of the file and its write-ahead log, as a killed process leaves them."""
    copy = path.with_name(f"{name}.sqlite3")
    shutil.copy(path, copy)
    shutil.copy(f"{path}-wal", f"{copy}-wal")
    return copy


def test_only_urls_in_flight_are_handed_out_again(path: Path) -> None:
    async def first_run() -> Path:
        async with open_frontier(urls=[f"{A}/{n}" for n in range(4)], path=path, min_delay=0.0) as frontier:
            for _ in range(2):
                (await anext(frontier)).done()
            turn = await anext(frontier)
            assert turn.url == f"{A}/2"
            frontier.add(f"{B}/1")
            copy = copy_file(path)
            turn.release()
        return copy

    killed = run_in_virtual_time(first_run)
    result = crawl({}, [f"{A}/{number}" for number in range(5)], path=killed, min_delay=0.0)

    assert sorted(result.urls) == [f"{A}/2", f"{A}/3", f"{A}/4", f"{B}/1"]
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=6, failed=0, skipped=0)
    assert crawl({}, [f"{A}/{number}" for number in range(5)], path=killed).taken == []


def test_urls_in_flight_are_handed_out_again_after_closing(path: Path) -> None:
    async def first_run() -> None:
        async with open_frontier(urls=[f"{A}/1", f"{A}/2"], path=path) as frontier:
            turn = await anext(frontier)
        # The turn has not ended.
        assert turn.url == f"{A}/1"

    run_in_virtual_time(first_run)
    assert crawl({}, [], path=path).urls == [f"{A}/1", f"{A}/2"]


def test_delay_counts_from_the_last_request_of_the_previous_run(path: Path) -> None:
    files = {"a.example": b"User-agent: *\nCrawl-delay: 30\n"}

    async def first_run() -> Path:
        async with open_frontier(Hosts(files), [f"{A}/1", f"{A}/2"], path=path) as frontier:
            turn = await anext(frontier)
            await asyncio.sleep(5)
            copy = copy_file(path)
            turn.done()
        return copy

    killed = run_in_virtual_time(first_run, start=1000.0)
    # The killed process sent its request at 1000, the other one ended its turn at 1005.
    assert crawl(files, [], path=killed, start=1010.0).taken == [(1030, f"{A}/1"), (1060, f"{A}/2")]
    assert crawl(files, [], path=path, start=1010.0).taken == [(1035, f"{A}/2")]


ZONE = "http://[::1%25a..b]"


def add_origin_with_zone(path: Path, number: int) -> None:
    """Give a file URLs of an origin that canfetch no longer accepts, one of which waits for another attempt."""

    async def first_run() -> None:
        async with open_frontier(urls=[f"http://[::1]/{n}" for n in range(number)], path=path) as frontier:
            (await anext(frontier)).retry(error="503")

    run_in_virtual_time(first_run)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE origins SET name = ?", (ZONE,))
        connection.execute("UPDATE urls SET url = CAST(replace(url, 'http://[::1]', ?) AS BLOB)", (ZONE,))


def test_urls_of_an_origin_that_is_no_longer_valid_are_skipped(path: Path) -> None:
    add_origin_with_zone(path, 120)
    result = crawl({}, [f"{A}/1"], path=path)

    assert result.urls == [f"{A}/1"]
    assert sorted(skipped.url for skipped in result.skipped) == sorted(f"{ZONE}/{number}" for number in range(120))
    assert {skipped.verdict for skipped in result.skipped} == {None}
    assert "invalid host '[::1%25a..b]'" in (result.skipped[0].error or "")
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=1, failed=0, skipped=120)
    assert [request.url for request in result.hosts.requests] == [f"{A}/robots.txt"]


def test_closing_while_an_invalid_origin_is_dropped_ends_the_iteration(path: Path) -> None:
    add_origin_with_zone(path, 120)

    async def main() -> FrontierCounts:
        closing_tasks: list[asyncio.Task[None]] = []

        def on_skip(_: SkippedURL) -> None:
            if not closing_tasks:
                closing_tasks.append(asyncio.create_task(frontier.close()))

        async with open_frontier(path=path, on_skip=on_skip) as frontier:
            with pytest.raises(StopAsyncIteration):
                await anext(frontier)
            await asyncio.gather(*closing_tasks)
            counts: FrontierCounts = frontier.counts
            return counts

    counts = run_in_virtual_time(main)
    assert (counts.skipped, counts.queued) == (50, 70)


def test_an_exception_of_on_skip_loses_no_url_of_an_invalid_origin(path: Path) -> None:
    add_origin_with_zone(path, 3)
    reported = []

    def on_skip(skipped: SkippedURL) -> None:
        reported.append(skipped.url)
        if len(reported) == 2:
            raise ValueError("full disk")

    async def main() -> FrontierCounts:
        async with open_frontier(path=path, on_skip=on_skip) as frontier:
            with pytest.raises(ValueError, match="full disk"):
                await anext(frontier)
            with pytest.raises(StopAsyncIteration):
                await anext(frontier)
            counts: FrontierCounts = frontier.counts
            return counts

    assert run_in_virtual_time(main).skipped == 3
    assert len(reported) == len(set(reported)) == 3


@pytest.mark.parametrize(
    "damaged, error",
    [
        ("https:/@a.example/1", "invalid URL 'https:/***@a.example/1'"),
        ("https://a.example:x/1", "invalid URL 'https://a.example:x/1'"),
        ("https://A.exampl/1", f"damaged: stored as a URL of {A}"),
    ],
)
def test_damaged_urls_are_skipped(path: Path, damaged: str, error: str) -> None:
    async def first_run() -> None:
        async with open_frontier(path=path) as frontier:
            frontier.add_many([f"{A}/0", f"{A}/1", f"{A}/2"])

    run_in_virtual_time(first_run)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE urls SET url = CAST(? AS BLOB) WHERE id = 2", (damaged,))
    result = crawl({}, [], path=path)

    assert result.urls == [f"{A}/0", f"{A}/2"]
    (skipped,) = result.skipped
    assert (skipped.url, skipped.verdict) == (damaged, None)
    assert (skipped.error or "").startswith(error)


def test_priorities_and_attempts_survive_a_restart(path: Path) -> None:
    async def first_run() -> None:
        async with open_frontier(urls=[f"{A}/1"], path=path, max_attempts=2, retry_delay=0.0) as frontier:
            (await anext(frontier)).retry()
            frontier.add(f"{A}/2", priority=2)
            frontier.add(f"{A}/3", priority=-1.5)

    async def second_run() -> list[tuple[str, float, int]]:
        async with open_frontier(path=path, max_attempts=2, retry_delay=0.0, max_delay=1.0) as frontier:
            return [(turn.url, turn.priority, turn.attempt) async for turn in frontier if not turn.retry()]

    run_in_virtual_time(first_run)
    assert run_in_virtual_time(second_run) == [(f"{A}/2", 2, 2), (f"{A}/1", 0, 2), (f"{A}/3", -1.5, 2)]


def test_page_that_ends_the_process_is_given_up(path: Path) -> None:
    async def run_until_killed(number: int) -> Path:
        async with open_frontier(urls=[f"{A}/deadly", f"{A}/2"], path=path, max_attempts=3) as frontier:
            turn = await anext(frontier)
            assert (turn.url, turn.attempt) == (f"{A}/deadly", number)
            return copy_file(path, f"killed-{number}")

    for number in (1, 2, 3):
        path = run_in_virtual_time(partial(run_until_killed, number))
    result = crawl({}, [f"{A}/deadly"], path=path)
    assert result.urls == [f"{A}/2"]
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=1, failed=1, skipped=0)


@pytest.mark.parametrize("others", [[], [f"{B}/1"]])
def test_a_kill_during_the_last_attempt_of_the_only_url_of_an_origin_loses_nothing(
    path: Path, others: list[str]
) -> None:
    async def first_run() -> Path:
        async with open_frontier(urls=[f"{A}/deadly", *others], path=path, max_attempts=1) as frontier:
            turn = await anext(frontier)
            assert turn.url == f"{A}/deadly"
            return copy_file(path)

    killed = run_in_virtual_time(first_run)
    result = crawl({}, [f"{A}/2"], path=killed, max_attempts=1)

    assert sorted(result.urls) == sorted([f"{A}/2", *others])
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=len(result.urls), failed=1, skipped=0)


def test_kills_and_retries_are_counted_together(path: Path) -> None:
    async def first_run() -> Path:
        async with open_frontier(urls=[f"{A}/1"], path=path) as frontier:
            (await anext(frontier)).retry()
            turn = await anext(frontier)
            assert turn.attempt == 2
            return copy_file(path)

    async def second_run(killed: Path) -> None:
        async with open_frontier(path=killed) as frontier:
            turn = await anext(frontier)
            assert turn.attempt == 3
            assert not turn.retry()
            assert frontier.counts.failed == 1

    killed = run_in_virtual_time(first_run)
    run_in_virtual_time(partial(second_run, killed))


def test_released_and_closed_turns_are_not_counted(path: Path) -> None:
    async def release() -> None:
        async with open_frontier(urls=[f"{A}/1"], path=path, max_attempts=1) as frontier:
            for _ in range(3):
                turn = await anext(frontier)
                assert turn.attempt == 1
                turn.release()
            # The frontier is closed while this turn is open.
            turn = await anext(frontier)
        assert turn.attempt == 1

    for _ in range(3):
        run_in_virtual_time(release)
    assert crawl({}, [], path=path, max_attempts=1).urls == [f"{A}/1"]


def test_file_is_used_by_one_frontier_at_a_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canfetch.client.frontier.database._BUSY_SECONDS", 0.01)

    async def main() -> None:
        async with open_frontier(path=path) as frontier:
            with pytest.raises(StoreError, match=r"crawl\.sqlite3: another process or another frontier uses the file"):
                Frontier(frontier._client, path=path)
        async with open_frontier(path=path):
            pass

    run_in_virtual_time(main)


def test_invalid_source_leaves_no_open_file(path: Path) -> None:
    async def main() -> None:
        async with open_frontier() as frontier:
            with pytest.raises(TypeError, match="expected an iterable"):
                Frontier(frontier._client, 7, path=path)  # type: ignore[arg-type]  # invalid on purpose

    run_in_virtual_time(main)
    assert not path.exists()


def test_symbolic_link_has_the_lock_of_its_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canfetch.client.frontier.database._BUSY_SECONDS", 0.01)
    path.parent.mkdir(parents=True)
    link = path.with_name("current.sqlite3")
    link.symlink_to(path)

    async def main() -> None:
        async with open_frontier(path=path) as frontier:
            with pytest.raises(StoreError, match=r"current\.sqlite3: another process or another frontier uses"):
                Frontier(frontier._client, path=link)
            assert read_report(link).is_in_use

    run_in_virtual_time(main)


def test_file_with_hard_links_is_refused(path: Path) -> None:
    open_file(path)
    path.with_name("other.sqlite3").hardlink_to(path)
    with pytest.raises(StoreError, match=r"crawl\.sqlite3: the file has hard links, which SQLite cannot use"):
        open_file(path)


@pytest.mark.parametrize("name", [":memory:", "file:crawl.sqlite3"])
def test_names_that_sqlite_reads_in_another_way(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_file(Path(name))
    assert {file.name for file in tmp_path.iterdir()} == {name, f"{name}-lock"}
    assert read_report(name).counts.queued == 0


def names_of_files(path: Path) -> set[str]:
    return {file.name for file in path.parent.iterdir()}


def test_reading_a_file_leaves_no_other_files(path: Path) -> None:
    open_file(path)
    before = names_of_files(path)
    read_report(path)
    assert names_of_files(path) == before

    async def main() -> None:
        async with open_frontier(path=path) as frontier:
            frontier.add(f"{A}/1")
            read_report(path)
            # The log of the crawl stays.
            assert f"{path.name}-wal" in names_of_files(path)
            assert frontier.add(f"{A}/2")

    run_in_virtual_time(main)
    assert names_of_files(path) == before


def test_reading_the_file_of_a_killed_crawl_does_not_delete_its_log(path: Path) -> None:
    async def main() -> Path:
        async with open_frontier(path=path) as frontier:
            frontier.add(f"{A}/1")
            return copy_file(path)

    killed = run_in_virtual_time(main)
    assert read_report(killed).counts.queued == 1
    assert f"{killed.name}-wal" in names_of_files(killed)


def open_file(path: Path) -> None:
    async def main() -> None:
        async with open_frontier(path=path):
            pass

    run_in_virtual_time(main)


def test_files_of_other_programs_are_rejected(tmp_path: Path) -> None:
    SQLiteStore(tmp_path / "store.sqlite3").close()
    with pytest.raises(StoreError, match="the file is another SQLite database: use another file"):
        open_file(tmp_path / "store.sqlite3")
    other = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE notes (note TEXT)")
    content = other.read_bytes()
    with pytest.raises(StoreError, match="the file is another SQLite database: use another file"):
        open_file(other)
    # A journal mode would be a change.
    assert other.read_bytes() == content
    (tmp_path / "text").write_text("This is not a database. " * 100, encoding="utf-8")
    with pytest.raises(StoreError, match="file is not a database; use another file"):
        open_file(tmp_path / "text")
    # SQLite takes one byte for an empty file.
    (tmp_path / "byte").write_bytes(b"1")
    with pytest.raises(StoreError, match="byte: is a file of another program: use another path"):
        open_file(tmp_path / "byte")
    assert (tmp_path / "byte").read_bytes() == b"1"
    with pytest.raises(StoreError, match="is a directory, expected a file"):
        open_file(tmp_path)
    with pytest.raises(StoreError, match="cannot open the frontier: "):
        open_file(tmp_path / "text" / "crawl.sqlite3")


def test_file_of_another_version_is_rejected(path: Path) -> None:
    open_file(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="unsupported frontier version 99: expected 6; use another file"):
        open_file(path)


def test_failed_transaction_changes_nothing(path: Path) -> None:
    async def main() -> None:
        async with open_frontier(urls=[f"{A}/1", f"{A}/2"], path=path, min_delay=0.0) as frontier:
            turn = await anext(frontier)
            connection = frontier._queue.database.connection
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages}")
            with pytest.raises(StoreError, match="database or disk is full"):
                frontier.add_many(f"{B}/{number}" for number in range(2000))
            assert frontier.counts == FrontierCounts(queued=1, in_flight=1, done=0, failed=0, skipped=0)
            connection.execute("PRAGMA max_page_count = 1000000")
            assert frontier.add_many(f"{B}/{number}" for number in range(2000)) == 2000
            turn.done()

    run_in_virtual_time(main)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("forks", [1, 2])
@pytest.mark.parametrize("iterates", [True, False])
def test_forked_process_cannot_use_the_frontier(path: Path, forks: int, *, iterates: bool) -> None:
    async def main() -> int:
        async with open_frontier(urls=[f"{A}/1"], path=path) as frontier:
            turn = await anext(frontier)
            child = os.fork()
            if child == 0:
                code = 1
                for _ in range(forks - 1):
                    # The process between the two only waits.
                    if grandchild := os.fork():
                        os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))  # noqa: ASYNC222
                try:
                    if iterates:
                        await anext(frontier)
                    frontier._queue.counts()
                except StoreError as error:
                    code = 7 if "a forked process cannot use the frontier of its parent" in str(error) else 2
                finally:
                    os._exit(code)
            _, status = os.waitpid(child, 0)  # noqa: ASYNC222 - the test has no other task
            assert frontier.add(f"{A}/2")
            turn.done()
        return os.waitstatus_to_exitcode(status)

    assert run_in_virtual_time(main) == 7
    assert crawl({}, [], path=path).urls == [f"{A}/2"]


OPEN_FRONTIER = """
import asyncio, sys
from canfetch import AsyncClient, Frontier
from canfetch.errors import StoreError

async def main():
    async with AsyncClient(user_agent="ExampleBot/1.0") as client:
        try:
            frontier = Frontier(client, path=sys.argv[1])
        except StoreError as error:
            print(error)
        else:
            print("opened")
            await frontier.close()

asyncio.run(main())
"""


def open_in_another_process(path: Path) -> str:
    """Return what another process says that opens the file."""
    command = [sys.executable, "-c", OPEN_FRONTIER, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_copy_of_the_folder_leaves_the_lock(path: Path) -> None:
    async def main() -> None:
        async with open_frontier(urls=[f"{A}/1"], path=path):
            shutil.copytree(path.parent, path.parent.with_name("backup"))
            assert "another process or another frontier uses the file" in open_in_another_process(path)
        assert open_in_another_process(path) == "opened"

    run_in_virtual_time(main)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_forked_process_neither_has_nor_releases_the_lock(path: Path) -> None:
    async def main() -> None:
        starts, ends = os.pipe()
        async with open_frontier(urls=[f"{A}/1"], path=path):
            child = os.fork()
            if child == 0:
                os.close(ends)
                # Until the parent ends or closes its end.
                os.read(starts, 1)
                os._exit(0)
            short = os.fork()
            if short == 0:
                os._exit(0)
            os.waitpid(short, 0)  # noqa: ASYNC222 - the test has no other task
            assert "another process or another frontier uses the file" in open_in_another_process(path)
        assert open_in_another_process(path) == "opened"
        os.close(ends)
        os.close(starts)
        os.waitpid(child, 0)  # noqa: ASYNC222 - the test has no other task

    run_in_virtual_time(main)


def test_file_system_without_locks_of_open_files(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def flock(descriptor: int, operation: int) -> None:  # noqa: ARG001 - as the original
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setattr("canfetch.client.frontier.database._BUSY_SECONDS", 0.01)

    async def main() -> None:
        async with open_frontier(path=path) as frontier:
            with pytest.raises(StoreError, match="another process or another frontier uses the file"):
                Frontier(frontier._client, path=path)
            assert read_report(path).is_in_use

    run_in_virtual_time(main)
    assert not read_report(path).is_in_use


def _move(path: Path) -> None:
    path.rename(f"{path}.moved")


def _replace(path: Path) -> None:
    shutil.copy(path, f"{path}.copy")
    Path(f"{path}.copy").replace(path)


@pytest.mark.parametrize("change", [Path.unlink, _move, _replace])
def test_file_that_is_gone_while_a_crawl_uses_it(
    path: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("canfetch.client.frontier.database._CHECK_SECONDS", 0.0)
    message = r"crawl\.sqlite3: the file was deleted, moved or replaced while it was in use"

    async def main() -> None:
        relative = path.relative_to(path.parent.parent)
        async with open_frontier(urls=[f"{A}/1", f"{A}/2"], path=relative, min_delay=0.0) as frontier:
            turn = await anext(frontier)
            # The file of a relative path is still the same.
            monkeypatch.chdir(path.parent)
            assert frontier.add(f"{A}/3")
            change(path)
            with pytest.raises(StoreError, match=message):
                frontier.add(f"{A}/4")
            with pytest.raises(StoreError, match=message):
                turn.done()
            with pytest.raises(StoreError, match=message):
                await anext(frontier)
            assert frontier.counts.queued == 2

    monkeypatch.chdir(path.parent.parent)
    run_in_virtual_time(main)


def test_url_that_was_skipped_is_not_decided_again(path: Path) -> None:
    hosts = Hosts({"a.example": b"User-agent: *\nDisallow: /no\n"})
    assert len(crawl(hosts, [f"{A}/no"], path=path).skipped) == 1
    second = crawl(hosts, [f"{A}/no"], path=path)
    assert second.skipped == []
    assert second.counts == FrontierCounts(queued=0, in_flight=0, done=0, failed=0, skipped=1)
    assert len(hosts.requests) == 1


@pytest.mark.slow
def test_file_with_an_endless_view_is_not_a_frontier(tmp_path: Path) -> None:
    path = tmp_path / "frontier.sqlite3"
    open_file(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "ALTER TABLE origins RENAME TO hidden; CREATE VIEW origins AS "
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT hidden.* FROM hidden, n"
        )
    with pytest.raises(StoreError, match="the file contains views or triggers: use another file"):
        open_file(path)


def test_origins_take_turns_after_a_restart(path: Path) -> None:
    # All are due at once. An origin that had a turn comes after those that have waited since the first run.
    origins = [f"https://{name}.example" for name in "abcd"]
    urls = [f"{origin}/{number}" for number in range(1, 4) for origin in origins]

    async def first_run() -> list[str]:
        async with open_frontier(urls=urls, path=path, min_delay=0.0) as frontier:
            taken = []
            for _ in range(2):
                turn = await anext(frontier)
                taken.append(turn.url)
                turn.done()
        return taken

    assert run_in_virtual_time(first_run) == urls[:2]
    assert crawl({}, [], path=path, min_delay=0.0).urls == urls[2:]


def end_block(turn: Turn, end: BaseException | None) -> None:
    with turn:
        if end is not None:
            raise end


@pytest.mark.slow
@pytest.mark.parametrize(
    "end, raised",
    [(None, StoreError), (ValueError("the block"), ValueError), (asyncio.CancelledError(), BaseException)],
)
def test_a_turn_whose_end_cannot_be_written_does_not_block_its_origin(
    path: Path, end: BaseException | None, raised: type[BaseException]
) -> None:
    async def main() -> list[tuple[str, int]]:
        async with open_frontier(urls=[f"{A}/1", f"{A}/2"], path=path, retry_delay=0.0) as frontier:
            turn = await anext(frontier)
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(raised) as caught:
                end_block(turn, end)
            assert caught.value is end or end is None
            with pytest.raises(StoreError, match="another process"):
                await anext(frontier)
            other.execute("ROLLBACK")
            other.close()
            turns = []
            async for turn in frontier:
                turns.append((turn.url, turn.attempt))
                turn.done()
            return turns

    assert run_in_virtual_time(main) == [(f"{A}/1", 1), (f"{A}/2", 1)]
