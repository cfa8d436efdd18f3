"""Stores that cannot be written can still be read."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.stores.entries import make_entry
from tests.stores.read_only import read_only

from canfetch.client.stores import Store
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.sync_client import Client
from canfetch.errors import StoreError

KEY = "https://example.com"
FILE = "robots.sqlite3"


class ReadOnlyMemoryStore(MemoryStore):
    """A store with one entry that cannot be written."""

    def __init__(self) -> None:
        super().__init__()
        super().put(make_entry())

    def _raise(self, *_: object, **__: object) -> NoReturn:
        raise StoreError("the store is read-only")

    put = delete = acquire_lease = release_lease = _raise


@pytest.fixture(params=["memory", "sqlite", pytest.param("redis", marks=pytest.mark.service)])
def read_only_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Return each store in turn, with one entry, and without permission to write."""
    if request.param == "memory":
        yield ReadOnlyMemoryStore()
    elif request.param == "sqlite":
        folder = tmp_path / "store"
        with closing(SQLiteStore(folder / FILE)) as store:
            store.put(make_entry())
        with read_only(folder) as mounted, closing(SQLiteStore(mounted / FILE)) as store:
            yield store
    else:
        import redis

        from canfetch.client.stores.redis import RedisStore

        url = request.getfixturevalue("redis_url")
        prefix = f"canfetch-test-{tmp_path.name}:"
        with closing(RedisStore(url, prefix=prefix)) as store, closing(redis.Redis.from_url(url)) as connection:
            server: Any = connection
            store.put(make_entry())
            server.execute_command("ACL", "SETUSER", "reader", "on", ">secret", "~*", "+@read", "+@connection")
            reader = RedisStore(url.replace("redis://", "redis://reader:secret@"), prefix=prefix)
            with closing(reader):
                yield reader
            server.execute_command("ACL", "DELUSER", "reader")
            store.delete(KEY)


def test_read_only_store_is_read(read_only_store: Store) -> None:
    assert read_only_store.get(KEY) == make_entry()
    assert read_only_store.get("https://other.example") is None
    assert list(read_only_store.keys()) == [KEY]
    for write in (
        lambda: read_only_store.put(make_entry()),
        lambda: read_only_store.delete(KEY),
        lambda: read_only_store.acquire_lease(KEY, holder="one", seconds=60),
        lambda: read_only_store.release_lease(KEY, holder="one"),
    ):
        with pytest.raises(StoreError, match=r"read-only$|no permissions"):
            write()
    assert read_only_store.get(KEY) == make_entry()


def test_client_reads_a_read_only_store_offline(read_only_store: Store, caplog: pytest.LogCaptureFixture) -> None:
    origin = ScriptedOrigin()
    client = Client(user_agent="ExampleBot/1.0", transport=origin, store=read_only_store)
    state = client.origin_state(KEY, offline=True)
    assert state.entry == make_entry()
    assert list(client.entries()) == [make_entry()]
    assert (origin.requests, caplog.records, client.store_error) == ([], [], None)


def test_client_reports_once_that_a_store_is_read_only(
    read_only_store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    origin = ScriptedOrigin()
    client = Client(user_agent="ExampleBot/1.0", transport=origin, store=read_only_store, clock=lambda: 1000.0)
    assert not client.allows(f"{KEY}/forbidden")
    assert caplog.records == []
    for host in ("one", "two", "one"):
        assert not client.allows(f"https://{host}.example/forbidden")
    assert len(origin.requests) == 2
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "fetching without a lease" in caplog.text


def test_sqlite_read_only_store_shows_the_changes_of_a_writer(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with closing(SQLiteStore(folder / FILE)) as writer:
        writer.put(make_entry())
        with read_only(folder) as mounted, closing(SQLiteStore(mounted / FILE)) as reader:
            assert reader.get(KEY) == make_entry()
            writer.put(make_entry(body=b"second"))
            assert reader.get(KEY) == make_entry(body=b"second")
            with pytest.raises(StoreError, match="the store is read-only"):
                reader.put(make_entry())


def test_sqlite_read_only_store_shows_the_changes_of_a_later_writer(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with closing(SQLiteStore(folder / FILE)) as store:
        store.put(make_entry())
    with read_only(folder) as mounted:
        if mounted == folder:
            pytest.skip("no other mount is writable")
        with closing(SQLiteStore(mounted / FILE)) as reader:
            assert reader.get(KEY) == make_entry()
            for body in (b"second", b"third"):
                with closing(SQLiteStore(folder / FILE)) as writer:
                    writer.put(make_entry(body=body))
                assert reader.get(KEY) == make_entry(body=body)


def test_sqlite_read_only_store_with_a_write_ahead_log_is_not_read_without_it(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    with closing(SQLiteStore(folder / FILE)) as store:
        store.put(make_entry())
        for name in (FILE, f"{FILE}-wal"):
            (crashed / name).write_bytes((folder / name).read_bytes())
    with (
        read_only(crashed) as mounted,
        pytest.raises(StoreError, match=r"cannot read the changes in robots\.sqlite3-wal"),
    ):
        SQLiteStore(mounted / FILE)
    with closing(SQLiteStore(crashed / FILE)) as store:
        assert store.get(KEY) == make_entry()


def test_sqlite_missing_or_empty_file_in_a_read_only_folder_raises(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "empty").touch()
    with read_only(folder) as mounted:
        with pytest.raises(StoreError, match="unable to open database file"):
            SQLiteStore(mounted / FILE)
        with pytest.raises(StoreError, match="the store is read-only"):
            SQLiteStore(mounted / "empty")
        with pytest.raises(StoreError, match="cannot open the store"):
            SQLiteStore(mounted / "folder" / FILE)


@pytest.mark.slow
def test_sqlite_unsupported_version_in_a_read_only_folder_raises(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    SQLiteStore(folder / FILE).close()
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with read_only(folder) as mounted, pytest.raises(StoreError, match="version 99"):
        SQLiteStore(mounted / FILE)
