"""SQLite files that several connections create at the same time."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from canfetch.client.sqlite_files import enable_write_ahead_log
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.watch.history import WatchHistory

CONNECTIONS = 6


def open_store(path: Path) -> None:
    with closing(SQLiteStore(path)) as store:
        assert store.get("https://example.com") is None


def open_history(path: Path) -> None:
    with WatchHistory(path) as history:
        assert history.last_version("https://example.com") is None


@pytest.mark.slow
@pytest.mark.parametrize("open_file", [open_store, open_history])
def test_files_created_at_once(open_file: Callable[[Path], None], tmp_path: Path) -> None:
    # Without the wait, a few of a hundred files fail.
    barrier = Barrier(CONNECTIONS)

    def open_when_all_are_ready(path: Path) -> None:
        barrier.wait()
        open_file(path)

    with ThreadPoolExecutor(CONNECTIONS) as executor:
        for number in range(100):
            list(executor.map(open_when_all_are_ready, [tmp_path / f"{number}.db"] * CONNECTIONS))


def test_file_that_stays_locked(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with closing(sqlite3.connect(path)) as writer, closing(sqlite3.connect(path, timeout=0)) as connection:
        writer.execute("CREATE TABLE entries (key TEXT)")
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="database is locked"):
            enable_write_ahead_log(connection, 0.02)
        writer.rollback()
        enable_write_ahead_log(connection, 0.02)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_other_errors_are_raised_at_once(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    path.write_bytes(b"User-agent: *\n" * 100)
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.DatabaseError, match="not a database"):
        enable_write_ahead_log(connection, 600)
