"""A store may contain a value of any size, written by another program. It costs one entry."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.stores.entries import make_entry

from canfetch.cli.main import run
from canfetch.client.resilient_store import ResilientStore
from canfetch.client.stores import MAX_ENTRY_BYTES
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.errors import CorruptEntry, StoreError

ORIGIN = "https://example.com"
LARGE = 2 * MAX_ENTRY_BYTES


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a store with a large entry and a valid one."""
    path = tmp_path / "store.db"
    with closing(SQLiteStore(path)) as store:
        store.put(make_entry("https://other.example"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO entries VALUES (?, 1e12, zeroblob(?))", (ORIGIN, LARGE))
    return path


@pytest.mark.slow
def test_sqlite_large_entry_is_corrupt(path: Path) -> None:
    with closing(SQLiteStore(path)) as store:
        with pytest.raises(CorruptEntry, match=f"store.db: corrupt cache entry: larger than {MAX_ENTRY_BYTES} bytes"):
            store.get(ORIGIN)
        assert list(store.keys()) == [ORIGIN, "https://other.example"]
        assert store.get("https://other.example") is not None


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the address space")
def test_sqlite_large_entry_takes_no_memory(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entries SET entry = zeroblob(400000000) WHERE key = ?", (ORIGIN,))
    code = (
        "import resource; from canfetch.cli.main import main; "
        "resource.setrlimit(resource.RLIMIT_AS, (450_000_000, 450_000_000)); main()"
    )
    for action in ("list", "export"):
        ran = subprocess.run(
            [sys.executable, "-c", code, "cache", action, "--store", str(path)], capture_output=True, check=False
        )
        assert ran.returncode == 2
        assert b"https://other.example" in ran.stdout
        assert b"larger than" in ran.stderr
        assert b"Traceback" not in ran.stderr


@pytest.mark.slow
def test_sqlite_large_entry_is_replaced(path: Path) -> None:
    with closing(SQLiteStore(path)) as store:
        store.put(make_entry(ORIGIN))
        assert store.get(ORIGIN) == make_entry(ORIGIN)


@pytest.mark.slow
def test_sqlite_large_entry_is_deleted_by_a_client(path: Path) -> None:
    store = ResilientStore(SQLiteStore(path))
    assert store.get(ORIGIN) is None
    assert (store.corrupt_entries, store.store_error) == (1, None)
    store.close()
    with closing(SQLiteStore(path)) as reopened:
        assert list(reopened.keys()) == ["https://other.example"]


@pytest.mark.slow
def test_commands_list_the_other_entries(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cache", "list", "--store", str(path)]) == 2
    listed = capsys.readouterr()
    assert "https://other.example" in listed.out
    assert f"larger than {MAX_ENTRY_BYTES} bytes" in listed.err


def test_redis_large_entry_costs_itself_only(redis_url: str) -> None:
    from redis import Redis

    from canfetch.client.stores.redis import RedisStore

    with closing(RedisStore(redis_url, prefix="large:")) as store, closing(Redis.from_url(redis_url)) as redis:
        redis.setrange(f"large:entry:{ORIGIN}", MAX_ENTRY_BYTES + 10, b"x")
        with pytest.raises(CorruptEntry, match="larger than"):
            store.get(ORIGIN)
        store.put(make_entry(ORIGIN))
        assert store.get(ORIGIN) == make_entry(ORIGIN)


@pytest.mark.slow
def test_entry_that_no_store_would_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canfetch.client.stores.MAX_ENTRY_BYTES", 100)
    with closing(SQLiteStore(tmp_path / "store.db")) as store:
        with pytest.raises(StoreError, match=r"cannot store an entry of \d+ bytes: expected at most 100"):
            store.put(make_entry(ORIGIN))
        assert list(store.keys()) == []
