"""Forked processes: they inherit cached origins, but neither locks nor leases nor fetches in progress."""

import asyncio
import gc
import os
import signal
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin
from tests.servers.dead_ports import refusing_port
from tests.stores.entries import make_entry

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.resilient_store import ResilientStore
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.http_transport import AsyncHTTPTransport, HTTPTransport
from canfetch.errors import StoreError

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no os.fork on this platform"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]
USER_AGENT = "ExampleBot/1.0"
ORIGIN = "https://example.com"


def is_true_in_child(check: Callable[[], bool]) -> bool:
    """Return the result of `check` in a forked process, or False if it does not end within 20 seconds."""
    child = os.fork()
    if child == 0:
        result = False
        try:
            signal.alarm(300)
            result = check()
        finally:
            os._exit(0 if result else 1)
    return os.waitpid(child, 0)[1] == 0


class Slow(ScriptedOrigin):
    """An origin that responds to a child at once, and to the parent once its gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.process = os.getpid()
        self.is_requested, self.gate = threading.Event(), threading.Event()

    def send(self, request: TransportRequest) -> Response | Failure:
        if os.getpid() == self.process:
            self.is_requested.set()
            assert self.gate.wait(300)
        return super().send(request)


def test_child_does_not_wait_for_fetches_of_its_parent() -> None:
    origin = Slow()
    with Client(user_agent=USER_AGENT, transport=origin, store=MemoryStore()) as client:
        thread = threading.Thread(target=client.allows, args=(f"{ORIGIN}/open",))
        thread.start()
        assert origin.is_requested.wait(300)
        assert is_true_in_child(lambda: client.allows(f"{ORIGIN}/open") and not client.allows(f"{ORIGIN}/forbidden"))
        origin.gate.set()
        thread.join()


def test_child_inherits_cached_origins() -> None:
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin) as client:
        client.allows(f"{ORIGIN}/open")
        assert is_true_in_child(lambda: client.allows(f"{ORIGIN}/open") and len(origin.requests) == 1)


def test_child_does_not_wait_for_locks_of_its_parent() -> None:
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=MemoryStore()) as client:
        client.allows(f"{ORIGIN}/open")
        store = client._store
        assert isinstance(store, MemoryStore)
        with client._lock, client._cache._lock, client._resilient_store._lock, store._lock:
            assert is_true_in_child(lambda: client.allows("https://other.example/open") and client.store_error is None)
            # The memory was locked for a change during the fork, so it is cleared in the child.
            assert is_true_in_child(lambda: len(client._cache) == 0 and client.allows(f"{ORIGIN}/open"))


def test_child_does_not_have_the_leases_of_its_parent(tmp_path: Path) -> None:
    with closing(SQLiteStore(tmp_path / "robots.sqlite3")) as store:
        resilient = ResilientStore(store)
        assert resilient.acquire_lease(ORIGIN, 60)

        def check() -> bool:
            refused = not resilient.acquire_lease(ORIGIN, 60)
            resilient.close()
            return refused

        assert is_true_in_child(check)
        # The child did not release the lease either.
        assert not ResilientStore(store).acquire_lease(ORIGIN, 60)
        assert resilient.acquire_lease(ORIGIN, 60)


def test_sqlite_file_is_closed_during_a_fork(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    one, other = make_entry("https://one.example/"), make_entry("https://other.example/")
    with closing(SQLiteStore(path)) as store:
        before = store._connection

        def check() -> bool:
            is_reopened = store._connection is not before
            store.put(one)
            return is_reopened

        assert is_true_in_child(check)
        assert isinstance(before, sqlite3.Connection)
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            before.execute("SELECT 1")
        store.put(other)
        assert [store.get("https://one.example"), store.get("https://other.example")] == [one, other]


def test_sqlite_store_in_use_during_a_fork_is_unusable_in_the_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("canfetch.client.stores.sqlite._BUSY_SECONDS", 0.1)
    with closing(SQLiteStore(tmp_path / "robots.sqlite3")) as store:

        def check() -> bool:
            with pytest.raises(StoreError, match="was in use while the process forked"):
                store.get(ORIGIN)
            return True

        with ThreadPoolExecutor(1) as other:
            other.submit(store._lock.acquire).result()
            assert is_true_in_child(check)
            other.submit(store._lock.release).result()
        store.put(make_entry())


def test_async_client_in_a_child_has_no_fetches_in_progress() -> None:
    async def fork() -> bool:
        is_requested, gate = asyncio.Event(), asyncio.Event()

        class Waiting(AsyncScriptedOrigin):
            async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
                is_requested.set()
                await gate.wait()
                return await super().send(request)

        client = AsyncClient(user_agent=USER_AGENT, transport=Waiting())
        task = asyncio.create_task(client.allows(f"{ORIGIN}/open"))
        await is_requested.wait()
        result = is_true_in_child(lambda: not client._in_flight)
        gate.set()
        await task
        await client.close()
        return result

    assert asyncio.run(fork())


@pytest.mark.slow
@pytest.mark.parametrize("transport", [HTTPTransport(), AsyncHTTPTransport()], ids=lambda it: type(it).__name__)
def test_transport_has_a_new_lock_in_a_child(transport: HTTPTransport | AsyncHTTPTransport) -> None:
    with transport._lock:
        assert is_true_in_child(lambda: transport._get_ssl_context() is not None)


def test_redis_store_in_use_during_a_fork_works_in_the_child() -> None:
    """A thread of the parent holds a lock of the library's pool, which is never released in the child."""
    pytest.importorskip("redis")
    from canfetch.client.stores.redis import RedisStore

    with refusing_port() as port, closing(RedisStore(f"redis://127.0.0.1:{port}")) as store:

        def check() -> bool:
            with pytest.raises(StoreError, match="refused"):
                store.get(ORIGIN)
            store.close()
            gc.collect()
            return True

        with ThreadPoolExecutor(1) as other:
            lock = store._redis.connection_pool._lock
            other.submit(lock.acquire).result()
            assert is_true_in_child(check)
            other.submit(lock.release).result()
