"""What a forked process takes over from its parent: what is known, but neither locks, leases nor flights."""

import asyncio
import os
import signal
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin
from tests.stores.entries import entry_of

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.resilient_store import ResilientStore
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.stdlib_transport import AsyncStdlibTransport, StdlibTransport
from canfetch.errors import StoreError

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]
USER_AGENT = "ExampleBot/1.0"
ORIGIN = "https://example.com"


def holds_in_child(ask: Callable[[], bool]) -> bool:
    """Ask in a fork of this process; whoever waits for ever there is killed."""
    child = os.fork()
    if child == 0:
        holds = False
        try:
            signal.alarm(20)
            holds = ask()
        finally:
            os._exit(0 if holds else 1)
    return os.waitpid(child, 0)[1] == 0


class Slow(ScriptedOrigin):
    """Answers the parent when it is let, and a child at once."""

    def __init__(self) -> None:
        super().__init__()
        self.process = os.getpid()
        self.is_asked, self.gate = threading.Event(), threading.Event()

    def send(self, request: TransportRequest) -> Response | Failure:
        if os.getpid() == self.process:
            self.is_asked.set()
            assert self.gate.wait(30)
        return super().send(request)


def test_child_waits_for_no_fetch_of_its_parent() -> None:
    origin = Slow()
    with Client(user_agent=USER_AGENT, transport=origin, store=MemoryStore()) as client:
        request = threading.Thread(target=client.allows, args=(f"{ORIGIN}/open",))
        request.start()
        assert origin.is_asked.wait(30)
        assert holds_in_child(lambda: client.allows(f"{ORIGIN}/open") and not client.allows(f"{ORIGIN}/forbidden"))
        origin.gate.set()
        request.join()


def test_child_knows_what_its_parent_knew() -> None:
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin) as client:
        client.allows(f"{ORIGIN}/open")
        assert holds_in_child(lambda: client.allows(f"{ORIGIN}/open") and len(origin.asked) == 1)


def test_child_waits_for_no_lock_of_its_parent() -> None:
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=MemoryStore()) as client:
        client.allows(f"{ORIGIN}/open")
        store = client._store
        assert isinstance(store, MemoryStore)
        with client._lock, client._cache._lock, client._resilient_store._lock, store._lock:
            assert holds_in_child(lambda: client.allows("https://other.example/open") and client.store_error is None)
            # The fork came amid a change of the memory: it begins anew, from the store.
            assert holds_in_child(lambda: len(client._cache) == 0 and client.allows(f"{ORIGIN}/open"))


def test_child_has_no_lease_of_its_parent(tmp_path: Path) -> None:
    with closing(SQLiteStore(tmp_path / "robots.sqlite3")) as store:
        keeping = ResilientStore(store)
        assert keeping.acquire_lease(ORIGIN, 60)

        def asks() -> bool:
            refused = not keeping.acquire_lease(ORIGIN, 60)
            keeping.close()
            return refused

        assert holds_in_child(asks)
        # Nor did the child give it back.
        assert not ResilientStore(store).acquire_lease(ORIGIN, 60)
        assert keeping.acquire_lease(ORIGIN, 60)


def test_no_sqlite_file_is_open_over_a_fork(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    one, other = entry_of("https://one.example/"), entry_of("https://other.example/")
    with closing(SQLiteStore(path)) as store:
        before = store._connection

        def asks() -> bool:
            is_another = store._connection is not before
            store.put(one)
            return is_another

        assert holds_in_child(asks)
        assert isinstance(before, sqlite3.Connection)
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            before.execute("SELECT 1")
        store.put(other)
        assert [store.get("https://one.example"), store.get("https://other.example")] == [one, other]


def test_sqlite_store_that_is_in_use_at_a_fork_is_of_no_use_in_the_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("canfetch.client.stores.sqlite._BUSY_SECONDS", 0.1)
    with closing(SQLiteStore(tmp_path / "robots.sqlite3")) as store:

        def asks() -> bool:
            with pytest.raises(StoreError, match="was in use while the process forked"):
                store.get(ORIGIN)
            return True

        with store._lock:
            assert holds_in_child(asks)
        store.put(entry_of())


def test_async_client_in_a_child_waits_for_no_task_of_its_parent() -> None:
    async def fork() -> bool:
        is_asked, gate = asyncio.Event(), asyncio.Event()

        class Waiting(AsyncScriptedOrigin):
            async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
                is_asked.set()
                await gate.wait()
                return await super().send(request)

        client = AsyncClient(user_agent=USER_AGENT, transport=Waiting())
        request = asyncio.create_task(client.allows(f"{ORIGIN}/open"))
        await is_asked.wait()
        holds = holds_in_child(lambda: not client._in_flight)
        gate.set()
        await request
        await client.close()
        return holds

    assert asyncio.run(fork())


def test_transports_have_locks_and_threads_of_their_own_in_a_child() -> None:
    transport, other = StdlibTransport(), AsyncStdlibTransport()
    assert other._threads.submit(len, "a").result(30) == 1
    with transport._lock:
        assert holds_in_child(
            lambda: transport._get_ssl_context() is not None and other._threads.submit(len, "a").result(30) == 1
        )
    asyncio.run(other.close())
