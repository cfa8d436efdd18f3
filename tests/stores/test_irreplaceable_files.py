"""A corrupt frontier or history is never moved or replaced: one error names the file and the fix."""

import gc
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import open_frontier
from tests.stores.test_damaged_schemas import KINDS, OBSERVATION, use_history

from canfetch.client.frontier.report import read_report
from canfetch.client.sqlite_files import CORRUPTION_ADVICE, has_log
from canfetch.client.watch.history import Message, WatchHistory
from canfetch.client.watch.webhooks import Attempt
from canfetch.errors import StoreError

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "random bytes": lambda content: bytes(range(7, 256)) * (len(content) // 249),
    "zeros": lambda content: bytes(len(content)),
    "half a header": lambda content: content[:50],
    "start of another format": lambda content: b"PK\x03\x04" + content[4:],
    "damaged schema": lambda content: content[:100] + bytes([7] * 200) + content[300:],
    "damaged pages": lambda content: content[:4096] + bytes([7]) * (len(content) - 4096),
}


def check_message(error: StoreError, path: Path) -> None:
    assert str(error).startswith(f"{path}: ")
    # SQLite reads a file of less than a header as an empty one.
    assert str(error).endswith((CORRUPTION_ADVICE, "expected the file of a canfetch.Frontier"))
    assert "\n" not in str(error)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", ["frontier", "history"])
def test_corrupt_file_stays(tmp_path: Path, kind: str, damage: str) -> None:
    path = tmp_path / "file"
    use, read = KINDS[kind]
    use(path)
    damaged = DAMAGES[damage](path.read_bytes())
    path.write_bytes(damaged)
    for attempt in (use, read):
        assert attempt is not None
        with pytest.raises(StoreError) as raised:
            attempt(path)
        check_message(raised.value, path)
        assert path.read_bytes() == damaged
    assert not [other for other in tmp_path.iterdir() if "corrupt" in other.name]


async def crawl_all(path: Path) -> None:
    async with open_frontier(path=path) as frontier:
        assert list(frontier.failed())
        async for turn in frontier:
            turn.done()


async def start_crawl(path: Path) -> None:
    """Leave a frontier with a URL that failed, and another one."""
    async with open_frontier(path=path, max_attempts=1) as frontier:
        frontier.add_many(["https://a.example/", "https://b.example/"])
        turn = await anext(frontier)
        turn.retry(error="failed")


FRONTIER_READERS: dict[str, Callable[[Path], object]] = {
    "report": read_report,
    "crawl": lambda path: run_in_virtual_time(lambda: crawl_all(path)),
}


def run_sql(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize("reader", FRONTIER_READERS)
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE totals SET added = 'text'",
        "DELETE FROM totals",
        "UPDATE urls SET url = 'text'",
        "UPDATE urls SET url = x'ff41'",
        "UPDATE urls SET url = cast(x'ff41' AS TEXT)",
        "UPDATE urls SET error = x'ff'",
        "UPDATE urls SET due_at = 9e999",
        "UPDATE origins SET retry_at = 'text'",
        "UPDATE origins SET failures = 'text'",
    ],
)
def test_damaged_values_of_a_frontier(tmp_path: Path, damage: str, reader: str) -> None:
    path = tmp_path / "crawl.sqlite3"
    run_in_virtual_time(lambda: start_crawl(path))
    run_sql(path, damage)
    with pytest.raises(StoreError, match=r"crawl\.sqlite3: damaged: "):
        FRONTIER_READERS[reader](path)


@pytest.mark.parametrize(
    "damage", ["due_at = 9e999", "phase = 9", "phase = 'text'", "last_request_at = 'text'", "problem = x'ff'"]
)
def test_damaged_values_of_a_report(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "crawl.sqlite3"
    run_in_virtual_time(lambda: start_crawl(path))
    run_sql(path, f"UPDATE origins SET {damage}")  # noqa: S608 - the test's own
    with pytest.raises(StoreError, match=r"crawl\.sqlite3: damaged: "):
        read_report(path)


def damage_schema(path: Path) -> None:
    content = path.read_bytes().replace(b"originsorigins", b"\xff\xfeiginsorigins")
    path.write_bytes(content.replace(b"CREATE TABLE", b"CREATX TABLE"))


@pytest.mark.parametrize("reader", FRONTIER_READERS)
def test_frontier_with_a_damaged_name_in_its_schema(tmp_path: Path, reader: str) -> None:
    path = tmp_path / "crawl.sqlite3"
    run_in_virtual_time(lambda: start_crawl(path))
    damage_schema(path)
    with pytest.raises(StoreError, match=r"crawl\.sqlite3: damaged: a text is not valid UTF-8; "):
        FRONTIER_READERS[reader](path)


@pytest.mark.parametrize("read_only", [False, True])
def test_history_with_a_damaged_name_in_its_schema(tmp_path: Path, *, read_only: bool) -> None:
    path = tmp_path / "history.sqlite3"
    WatchHistory(path).close()
    damage_schema(path)
    # An exception in the cleanup would be a warning about an unraisable exception, which is an error.
    with pytest.raises(StoreError) as raised:
        WatchHistory(path, read_only=read_only)
    check_message(raised.value, path)
    del raised
    gc.collect()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE contents SET data = x'00'",
        # A valid content, but another one.
        "UPDATE contents SET data = x'789c030000000001'",
        "DELETE FROM contents",
        "UPDATE versions SET effect = 'none'",
        "UPDATE contents SET data = 'text'",
        "UPDATE versions SET at = 'text'",
        "UPDATE versions SET at = -9e999",
        "UPDATE versions SET status = 'text'",
        "UPDATE versions SET explanation = x'ff'",
        "UPDATE versions SET change = 'NaN'",
        f"UPDATE versions SET change = '{'[' * 100_000}'",  # noqa: S608 - the test's own
        f"UPDATE versions SET change = '{'1' * 5000}'",  # noqa: S608 - the same
    ],
)
def test_damaged_content_of_a_history(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "history.sqlite3"
    with WatchHistory(path) as history:
        history.record(OBSERVATION, previous=None, change=None, sends=False)
        run_sql(path, damage)
        for read in (
            lambda: list(history.versions()),
            lambda: history.version(1),
            lambda: history.copy_at("https://a.example/", at=datetime(2026, 3, 1, tzinfo=UTC)),
        ):
            with pytest.raises(StoreError) as raised:
                read()
            check_message(raised.value, path)


def claim_messages(history: WatchHistory) -> list[Message]:
    return history.claim_messages(due_at=1.0, now=1.0, limit=1)


def test_damaged_times_and_messages_of_a_history(tmp_path: Path) -> None:
    with WatchHistory(tmp_path / "history.sqlite3") as history:
        history.record(OBSERVATION, previous=None, change={}, sends=True)
        (message,) = claim_messages(history)
        attempt = Attempt(delivered=False)
        reads: dict[str, Callable[[], object]] = {
            "UPDATE messages SET attempts = 'text'": lambda: history.record_attempt(message, attempt, now=1.0),
            "UPDATE messages SET next_attempt_at = 'text'": history.next_message_at,
            "UPDATE messages SET body = 'text', next_attempt_at = 1": lambda: claim_messages(history),
            "UPDATE origins SET checked_at = 'text'": lambda: history.next_check_at([OBSERVATION.origin], every=1.0),
        }
        for damage, read in reads.items():
            run_sql(history.path, damage)
            with pytest.raises(StoreError, match="damaged: unexpected value 'text'"):
                read()


def test_history_is_read_without_changing_it(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    use_history(path)
    before = path.read_bytes()
    with WatchHistory(path, read_only=True) as history:
        assert history.origins() == ["https://a.example"]
        with pytest.raises(StoreError, match="readonly"):
            history.record_check("https://a.example", now=2.0)
    assert path.read_bytes() == before
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(StoreError, match="empty: the file is empty: use another file"):
        WatchHistory(empty, read_only=True)
    assert not empty.read_bytes()


def test_history_with_hard_links_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    WatchHistory(path).close()
    path.with_name("other").hardlink_to(path)
    with pytest.raises(StoreError, match="the file has hard links"):
        WatchHistory(path)


def test_log_is_that_of_the_file_and_not_of_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "history.sqlite3")
    with WatchHistory(tmp_path / "history.sqlite3") as history:
        history.record_check("https://a.example", now=1.0)
        assert has_log(tmp_path / "link")
    assert not has_log(tmp_path / "link")
