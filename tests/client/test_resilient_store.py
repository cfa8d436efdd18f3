"""A store that fails, is closed, or gives back what it should not: no decision is lost, and it is said once."""

import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.stores.entries import entry_of

from canfetch.access.entries import CacheEntry
from canfetch.access.responses import Failure, Response
from canfetch.client.resilient_store import ResilientStore
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.errors import StoreError

USER_AGENT = "ExampleBot/1.0"


@contextmanager
def behind_its_back(path: Path) -> Iterator[sqlite3.Connection]:
    """Change a store's file as another program would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def leases(path: Path) -> list[str]:
    with behind_its_back(path) as connection:
        return [row[0] for row in connection.execute("SELECT key FROM leases ORDER BY key")]


def test_store_that_fails_while_it_is_used_is_said_once_and_is_well_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "robots.sqlite3"
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, store=SQLiteStore(path)) as client:
        assert client.allows("https://one.example/open")
        with behind_its_back(path) as connection:
            connection.execute("ALTER TABLE entries RENAME TO elsewhere")
        for host in ("two", "three", "two"):
            assert not client.allows(f"https://{host}.example/forbidden")
        assert [client.store_error] == [f"{path}: no such table: entries"]
        assert [record.getMessage() for record in caplog.records] == [
            f"{path}: no such table: entries; continuing from memory"
        ]
        with behind_its_back(path) as connection:
            connection.execute("ALTER TABLE elsewhere RENAME TO entries")
        assert client.allows("https://four.example/open")
        assert client.store_error is None
        assert sorted(entry.origin for entry in client.entries()) == ["https://four.example", "https://one.example"]
    assert len(origin.asked) == 4


def test_leases_that_cannot_be_taken_hold_nobody_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "robots.sqlite3"
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, store=SQLiteStore(path)) as client:
        with behind_its_back(path) as connection:
            connection.execute("DROP TABLE leases")
        assert not client.allows("https://one.example/forbidden")
        assert not client.allows("https://two.example/forbidden")
        assert [entry.origin for entry in client.entries()] == ["https://one.example", "https://two.example"]
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: no such table: leases; fetching without a lease"
    ]
    assert len(origin.asked) == 2


def test_corrupt_entry_that_cannot_be_dropped_is_fetched_again_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "robots.sqlite3"
    origin = ScriptedOrigin()
    store = SQLiteStore(path)
    store.put(entry_of())
    with behind_its_back(path) as connection:
        connection.execute("UPDATE entries SET entry = 'nonsense'")
        connection.execute("CREATE TRIGGER stays BEFORE DELETE ON entries BEGIN SELECT raise(ABORT, 'it stays'); END")
    with Client(user_agent=USER_AGENT, transport=origin, store=store) as client:
        assert not client.allows("https://example.com/forbidden")
    assert len(origin.asked) == 1
    assert [record.getMessage() for record in caplog.records][:2] == [
        f"https://example.com: {path}: corrupt cache entry: invalid JSON; it is discarded and fetched again",
        f"{path}: it stays; the corrupt entry stays in the store",
    ]


def test_entry_of_another_origin_is_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    store.put(entry_of("https://other.example/"))
    store._entries["https://example.com"] = store._entries["https://other.example"]
    origin = ScriptedOrigin({"status": 404})
    with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: 1000.0) as client:
        assert client.allows("https://example.com/forbidden")
    assert len(origin.asked) == 1
    assert "expected key 'https://example.com', not 'https://other.example'; it is discarded" in caplog.text


def test_without_a_store_everybody_may_fetch() -> None:
    keeping = ResilientStore(None)
    assert keeping.get("https://example.com") is None
    assert keeping.acquire_lease("https://example.com", 60)
    keeping.put(entry_of())
    keeping.release_lease("https://example.com")
    keeping.close()
    assert keeping.store_error is None


class Interrupted(ScriptedOrigin):
    """An origin before which somebody presses ctrl-C."""

    def send(self, request: TransportRequest) -> Response | Failure:
        super().send(request)
        raise KeyboardInterrupt


def test_lease_of_a_fetch_that_was_interrupted_is_given_back(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    with Client(user_agent=USER_AGENT, transport=Interrupted(), store=SQLiteStore(path)) as client:
        with pytest.raises(KeyboardInterrupt):
            client.allows("https://example.com/open")
        assert leases(path) == ["https://example.com"]
    assert leases(path) == []


def test_client_that_is_closed_while_others_wait_says_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "robots.sqlite3"
    asked, go_on = threading.Event(), threading.Event()

    class Slow(ScriptedOrigin):
        def send(self, request: TransportRequest) -> Response | Failure:
            asked.set()
            assert go_on.wait(30)
            return super().send(request)

    client = Client(user_agent=USER_AGENT, transport=Slow(), store=SQLiteStore(path))
    answers: list[bool] = []
    waiting = threading.Thread(target=lambda: answers.append(client.allows("https://example.com/forbidden")))
    waiting.start()
    assert asked.wait(30)
    client.close()
    assert leases(path) == []
    go_on.set()
    waiting.join()
    assert answers == [False]
    assert caplog.records == []


def test_lease_that_cannot_be_given_back_ends_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    keeping = ResilientStore(SQLiteStore(path))
    assert keeping.acquire_lease("https://example.com", 60)
    with behind_its_back(path) as connection:
        connection.execute("DROP TABLE leases")
    keeping.release_lease("https://example.com")
    assert keeping.store_error is not None
    keeping.close()


def test_store_that_was_closed_under_a_client_is_only_said(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "robots.sqlite3")
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=store) as client:
        store.close()
        assert client.allows("https://example.com/open")
        assert "the store is closed" in (client.store_error or "")


def test_what_the_log_says_is_a_warning(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "robots.sqlite3")
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=store) as client:
        store.close()
        client.allows("https://example.com/open")
    assert {(record.name, record.levelno) for record in caplog.records} == {("canfetch.client", logging.WARNING)}


class Hanging(MemoryStore):
    """A store that takes its time to fail; `clock` shows how much."""

    def __init__(self, clock: list[float], seconds: float) -> None:
        super().__init__()
        self.clock = clock
        self.seconds = seconds
        self.asked = 0

    def get(self, origin: str) -> CacheEntry | None:
        self.asked += 1
        self.clock[0] += self.seconds
        raise StoreError(f"no answer about {origin}")


@pytest.mark.parametrize("seconds, rest", [(0.0, 0.0), (0.4, 0.0), (2.0, 30.0), (30.0, 60.0)])
def test_store_that_hangs_is_left_alone_for_a_while(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, seconds: float, rest: float
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("canfetch.client.resilient_store.monotonic", lambda: clock[0])
    store = Hanging(clock, seconds)
    keeping = ResilientStore(store)
    assert keeping.get("https://a.example") is None
    if rest:
        # Nobody waits for it meanwhile, whatever it is asked.
        assert keeping.get("https://b.example") is None
        assert keeping.acquire_lease("https://b.example", 60)
        keeping.put(entry_of())
        assert (store.asked, len(caplog.records)) == (1, 1)
        assert keeping.store_error == "no answer about https://a.example"
        clock[0] += rest - 0.1
        assert keeping.get("https://b.example") is None
        assert store.asked == 1
        clock[0] += 0.2
    assert keeping.get("https://b.example") is None
    assert store.asked == 2


def test_after_its_rest_one_asks_the_store_and_the_others_go_on_without(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr("canfetch.client.resilient_store.monotonic", lambda: clock[0])
    asked, go_on = threading.Event(), threading.Event()

    class Recovering(Hanging):
        def get(self, origin: str) -> CacheEntry | None:
            if self.asked:
                self.asked += 1
                asked.set()
                assert go_on.wait(30)
                return None
            return super().get(origin)

    store = Recovering(clock, 2.0)
    keeping = ResilientStore(store)
    keeping.get("https://a.example")
    clock[0] += 31.0
    prober = threading.Thread(target=keeping.get, args=("https://b.example",))
    prober.start()
    assert asked.wait(30)
    for _ in range(3):
        assert keeping.get("https://c.example") is None
    assert store.asked == 2
    go_on.set()
    prober.join()
    keeping.get("https://c.example")
    assert store.asked == 3
