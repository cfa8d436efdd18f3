"""Stores that fail, hang, are closed, or return wrong entries do not prevent decisions, and are logged once."""

import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.access.conftest import GatedOrigin, ScriptedOrigin
from tests.client.either import BOTH, EitherClient
from tests.stores.entries import make_entry

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
def direct_connection(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file of a store as another program would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def stored_leases(path: Path) -> list[str]:
    with direct_connection(path) as connection:
        return [row[0] for row in connection.execute("SELECT key FROM leases ORDER BY key")]


class Unwritable(MemoryStore):
    """A store that can be read, and written only if `is_writable` is true."""

    is_writable = True

    def put(self, entry: CacheEntry) -> None:
        if not self.is_writable:
            raise StoreError("read-only")
        super().put(entry)


def test_closing_releases_a_lease_that_another_thread_is_acquiring() -> None:
    is_asked, gate = threading.Event(), threading.Event()

    class Slow(MemoryStore):
        def acquire_lease(self, origin: str, *, holder: str, seconds: float) -> bool:
            acquired = super().acquire_lease(origin, holder=holder, seconds=seconds)
            is_asked.set()
            assert gate.wait(300)
            return acquired

    store = Slow()
    resilient = ResilientStore(store)
    acquiring = threading.Thread(target=resilient.acquire_lease, args=("https://example.com", 60.0))
    acquiring.start()
    assert is_asked.wait(300)
    closing = threading.Thread(target=resilient.close)
    closing.start()
    closing.join(0.1)
    gate.set()
    acquiring.join()
    closing.join()
    assert store._leases == {}
    assert resilient.acquire_lease("https://example.com", 60.0)
    assert store._leases == {}


def test_no_older_entry_is_read_than_one_that_could_not_be_written() -> None:
    store = Unwritable()
    resilient, other_process = ResilientStore(store), ResilientStore(store)
    old = make_entry()
    resilient.put(old)
    assert resilient.get(old.key) == old
    store.is_writable = False
    resilient.put(old._replace(fetched_at=old.fetched_at + 60.0))
    assert resilient.get(old.key) is None
    store.is_writable = True
    newer = old._replace(fetched_at=old.fetched_at + 90.0)
    other_process.put(newer)
    assert resilient.get(old.key) == newer
    resilient.put(old)
    assert resilient.get(old.key) == old


def test_entries_that_could_not_be_written_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canfetch.client.resilient_store._MAX_UNWRITTEN", 2)
    store = Unwritable()
    resilient = ResilientStore(store)
    entries = [make_entry(f"https://{number}.example/") for number in range(3)]
    for entry in entries:
        resilient.put(entry)
    store.is_writable = False
    for entry in entries:
        resilient.put(entry._replace(fetched_at=entry.fetched_at + 60.0))
    assert [resilient.get(entry.key) for entry in entries] == [entries[0], None, None]


def test_store_error_is_logged_once_and_cleared_on_success(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "robots.sqlite3"
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, store=SQLiteStore(path)) as client:
        assert client.allows("https://one.example/open")
        with direct_connection(path) as connection:
            connection.execute("ALTER TABLE entries RENAME TO elsewhere")
        for host in ("two", "three", "two"):
            assert not client.allows(f"https://{host}.example/forbidden")
        assert [client.store_error] == [f"{path}: no such table: entries"]
        assert [record.getMessage() for record in caplog.records] == [
            f"{path}: no such table: entries; continuing from memory"
        ]
        with direct_connection(path) as connection:
            connection.execute("ALTER TABLE elsewhere RENAME TO entries")
        assert client.allows("https://four.example/open")
        assert client.store_error is None
        assert sorted(entry.origin for entry in client.entries()) == ["https://four.example", "https://one.example"]
    assert len(origin.requests) == 4


def test_client_fetches_without_a_lease_if_leases_fail(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "robots.sqlite3"
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, store=SQLiteStore(path)) as client:
        with direct_connection(path) as connection:
            connection.execute("DROP TABLE leases")
        assert not client.allows("https://one.example/forbidden")
        assert not client.allows("https://two.example/forbidden")
        assert [entry.origin for entry in client.entries()] == ["https://one.example", "https://two.example"]
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: no such table: leases; fetching without a lease"
    ]
    assert len(origin.requests) == 2


def test_corrupt_entry_that_cannot_be_deleted_is_fetched_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "robots.sqlite3"
    origin = ScriptedOrigin()
    store = SQLiteStore(path)
    store.put(make_entry())
    with direct_connection(path) as connection:
        connection.execute("UPDATE entries SET entry = 'nonsense'")
        connection.execute("CREATE TRIGGER lock BEFORE DELETE ON entries BEGIN SELECT raise(ABORT, 'locked'); END")
    with Client(user_agent=USER_AGENT, transport=origin, store=store) as client:
        assert not client.allows("https://example.com/forbidden")
    assert len(origin.requests) == 1
    assert [record.getMessage() for record in caplog.records][:2] == [
        f"https://example.com: {path}: corrupt cache entry: invalid JSON; it is discarded and fetched again",
        f"{path}: locked; the corrupt entry stays in the store",
    ]


def test_entry_of_another_origin_is_not_used(caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    store.put(make_entry("https://other.example/"))
    store._entries["https://example.com"] = store._entries["https://other.example"]
    origin = ScriptedOrigin({"status": 404})
    with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: 1000.0) as client:
        assert client.allows("https://example.com/forbidden")
    assert len(origin.requests) == 1
    assert "expected key 'https://example.com', not 'https://other.example'; it is discarded" in caplog.text


def test_missing_store_grants_every_lease() -> None:
    resilient = ResilientStore(None)
    assert resilient.get("https://example.com") is None
    assert resilient.acquire_lease("https://example.com", 60)
    resilient.put(make_entry())
    resilient.release_lease("https://example.com")
    resilient.close()
    assert resilient.store_error is None


class Interrupted(ScriptedOrigin):
    """An origin that is interrupted by Ctrl-C."""

    def send(self, request: TransportRequest) -> Response | Failure:
        super().send(request)
        raise KeyboardInterrupt


def test_lease_of_an_interrupted_fetch_is_released(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    with Client(user_agent=USER_AGENT, transport=Interrupted(), store=SQLiteStore(path)) as client:
        with pytest.raises(KeyboardInterrupt):
            client.allows("https://example.com/open")
        assert stored_leases(path) == []


def test_client_closed_during_a_fetch_logs_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "robots.sqlite3"
    origin = GatedOrigin()
    client = Client(user_agent=USER_AGENT, transport=origin, store=SQLiteStore(path))
    answers: list[bool] = []
    thread = threading.Thread(target=lambda: answers.append(client.allows("https://example.com/forbidden")))
    thread.start()
    assert origin.arrived.wait(300)
    client.close()
    assert stored_leases(path) == []
    origin.gate.set()
    thread.join()
    assert answers == [False]
    assert caplog.records == []


def test_lease_that_cannot_be_released_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    resilient = ResilientStore(SQLiteStore(path))
    assert resilient.acquire_lease("https://example.com", 60)
    with direct_connection(path) as connection:
        connection.execute("DROP TABLE leases")
    resilient.release_lease("https://example.com")
    assert resilient.store_error is not None
    resilient.close()


def test_closed_store_is_reported(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "robots.sqlite3")
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=store) as client:
        store.close()
        assert client.allows("https://example.com/open")
        assert "the store is closed" in (client.store_error or "")


def test_store_errors_are_logged_as_warnings(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "robots.sqlite3")
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=store) as client:
        store.close()
        client.allows("https://example.com/open")
    assert {(record.name, record.levelno) for record in caplog.records} == {("canfetch.client", logging.WARNING)}


class SlowFailure(MemoryStore):
    """A store that fails after some time, by which it advances `clock`."""

    def __init__(self, clock: list[float], seconds: float) -> None:
        super().__init__()
        self.clock = clock
        self.seconds = seconds
        self.requests = 0

    def get(self, origin: str) -> CacheEntry | None:
        self.requests += 1
        self.clock[0] += self.seconds
        raise StoreError(f"no response for {origin}")


@pytest.mark.parametrize("seconds, suspension", [(0.0, 0.0), (0.4, 0.0), (2.0, 30.0), (30.0, 60.0)])
def test_store_that_fails_slowly_is_suspended(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, seconds: float, suspension: float
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("canfetch.client.resilient_store.monotonic", lambda: clock[0])
    store = SlowFailure(clock, seconds)
    resilient = ResilientStore(store)
    assert resilient.get("https://a.example") is None
    if suspension:
        # No operation calls the store meanwhile.
        assert resilient.get("https://b.example") is None
        assert resilient.acquire_lease("https://b.example", 60)
        resilient.put(make_entry())
        assert (store.requests, len(caplog.records)) == (1, 1)
        assert resilient.store_error == "no response for https://a.example"
        clock[0] += suspension - 0.1
        assert resilient.get("https://b.example") is None
        assert store.requests == 1
        clock[0] += 0.2
    assert resilient.get("https://b.example") is None
    assert store.requests == 2


def test_one_operation_tries_the_store_after_its_suspension(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr("canfetch.client.resilient_store.monotonic", lambda: clock[0])
    requested, gate = threading.Event(), threading.Event()

    class Recovering(SlowFailure):
        def get(self, origin: str) -> CacheEntry | None:
            if self.requests:
                self.requests += 1
                requested.set()
                assert gate.wait(300)
                return None
            return super().get(origin)

    store = Recovering(clock, 2.0)
    resilient = ResilientStore(store)
    resilient.get("https://a.example")
    clock[0] += 31.0
    prober = threading.Thread(target=resilient.get, args=("https://b.example",))
    prober.start()
    assert requested.wait(300)
    for _ in range(3):
        assert resilient.get("https://c.example") is None
    assert store.requests == 2
    gate.set()
    prober.join()
    resilient.get("https://c.example")
    assert store.requests == 3


class RaisingStore(MemoryStore):
    """A store of a user, whose methods raise an error that is not a StoreError."""

    def get(self, key: str) -> CacheEntry | None:
        raise RuntimeError(f"no {key}\n\x1b[31m")

    def put(self, entry: CacheEntry) -> None:
        raise RecursionError(f"too deep: {entry.key}")

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        raise KeyError(key, holder, seconds)


def test_unexpected_error_does_not_prevent_decisions(caplog: pytest.LogCaptureFixture) -> None:
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=RaisingStore()) as client:
        assert client.allows("https://example.com/open")
        assert not client.allows("https://example.com/forbidden")
        assert client.store_error == "RecursionError: too deep: https://example.com"
    messages = [record.getMessage() for record in caplog.records]
    assert messages[0] == "RuntimeError: no https://example.com%0A%1B[31m; continuing from memory"
    assert all(map(str.isprintable, messages))


class UnclosableStore(MemoryStore):
    """A store that cannot be closed."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def close(self) -> None:
        raise self._error


@pytest.mark.parametrize("error", [OSError("disk full"), StopIteration()])
@BOTH
def test_an_exception_of_close_is_logged(error: Exception, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    EitherClient(kind, ScriptedOrigin(), store=UnclosableStore(error)).close()
    message = f"{type(error).__name__}: {error}; the store is not closed"
    assert [record.getMessage() for record in caplog.records] == [message]


class UnlistedStore(MemoryStore):
    """A store that cannot list its keys."""

    def keys(self) -> Iterator[str]:
        return iter([next(iter(()))])


@BOTH
def test_an_exception_of_keys_reaches_the_caller(kind: str) -> None:
    client = EitherClient(kind, ScriptedOrigin(), store=UnlistedStore())
    with pytest.raises(RuntimeError, match="StopIteration"):
        list(client.entries())
