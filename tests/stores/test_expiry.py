"""Entries expire, whatever the store."""

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.stores.conftest import ExpiringStore
from tests.stores.entries import make_entry

from canfetch.client.stores import DEFAULT_TTL
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.sync_client import Client
from canfetch.errors import InvalidOption

KEY = "https://example.com"
DAY_SECONDS = 86_400.0


def test_expired_entry_does_not_exist(expiring_store: ExpiringStore) -> None:
    store, wait = expiring_store
    store.put(make_entry())
    assert store.get(KEY) == make_entry()
    wait(110)
    assert store.get(KEY) is None
    assert list(store.keys()) == []
    assert not store.delete(KEY)
    store.put(make_entry())
    assert store.get(KEY) == make_entry()


def test_put_restarts_the_time_until_expiry(expiring_store: ExpiringStore) -> None:
    store, wait = expiring_store
    store.put(make_entry())
    wait(60)
    store.put(make_entry(body=b"second"))
    wait(60)
    assert store.get(KEY) == make_entry(body=b"second")


def test_copy_of_400_days_ago_does_not_decide_offline(tmp_path: Path) -> None:
    now = [0.0]
    path = tmp_path / "robots.sqlite3"
    with closing(SQLiteStore(path, clock=lambda: now[0])) as store:
        client = Client(user_agent="ExampleBot/1.0", transport=ScriptedOrigin(), store=store, clock=lambda: now[0])
        assert not client.allows(f"{KEY}/forbidden")
        for days, is_cached in ((44, True), (400, False)):
            now[0] = days * DAY_SECONDS
            other = Client(user_agent="ExampleBot/1.0", transport=ScriptedOrigin(), store=store, clock=lambda: now[0])
            state = other.origin_state(KEY, offline=True)
            assert (state.entry.copy is not None) is is_cached
    assert DEFAULT_TTL == 45 * DAY_SECONDS


def test_sqlite_put_deletes_expired_entries(tmp_path: Path) -> None:
    now = [0.0]
    path = tmp_path / "robots.sqlite3"
    with closing(SQLiteStore(path, clock=lambda: now[0])) as store:
        for number in range(25):
            store.put(make_entry(f"https://host{number}.example/"))
        now[0] = DEFAULT_TTL
        remaining = []
        for _ in range(4):
            store.put(make_entry())
            with closing(sqlite3.connect(path)) as connection:
                remaining += connection.execute("SELECT count(*) FROM entries").fetchone()
    assert remaining == [16, 6, 1, 1]


@pytest.mark.slow
def test_memory_store_frees_expired_entries() -> None:
    now = [0.0]
    store = MemoryStore(monotonic=lambda: now[0])
    for number in range(5):
        store.put(make_entry(f"https://host{number}.example/"))
    now[0] = DEFAULT_TTL
    store.put(make_entry())
    assert list(store._entries) == [KEY]


@pytest.mark.parametrize(
    "ttl", [0, -1.0, float("nan"), float("inf"), pytest.param(10**400, id="huge"), True, "1", None]
)
def test_ttl_is_a_finite_number(tmp_path: Path, ttl: Any) -> None:
    for create in (MemoryStore, partial(SQLiteStore, tmp_path / "robots.sqlite3")):
        with pytest.raises(InvalidOption, match=r"^invalid ttl .*: expected a positive, finite number of seconds$"):
            create(ttl=ttl)
