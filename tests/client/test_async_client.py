"""What is specific to the asynchronous client: tasks, cancellation, and stores called in threads."""

import asyncio
import gc
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.access.conftest import AsyncScriptedOrigin
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.fixtures import site
from tests.servers.web import Site
from tests.transports.harness import transport_class

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.transports import TransportRequest
from canfetch.core.verdict import Reason
from canfetch.errors import ClientClosed, StoreError

__all__ = ["site"]

USER_AGENT = "ExampleBot/1.0"
URL = "https://example.com/forbidden"


class Silent(AsyncScriptedOrigin):
    """An origin that never responds."""

    def __init__(self) -> None:
        super().__init__()
        self.is_requested = asyncio.Event()

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        self.is_requested.set()
        await asyncio.Event().wait()
        raise AssertionError(f"unexpected response for {request.url}")


def test_stale_entry_is_used_while_it_is_refreshed_async() -> None:
    async def run() -> tuple[bool, int]:
        now = [0.0]
        origin = AsyncScriptedOrigin()
        async with AsyncClient(
            user_agent=USER_AGENT, transport=origin, clock=lambda: now[0], stale_while_revalidate=3600.0
        ) as client:
            await client.allows(URL)
            origin.event = {"status": 404}
            now[0] = 86_400.0 + 60
            served = await client.decide(URL)
            assert served.reason is Reason.DISALLOW_RULE
            while client._in_flight:  # noqa: ASYNC110 - the client has no event for it
                await asyncio.sleep(0)
        return (await client.decide(URL)).allowed, len(origin.requests)

    assert asyncio.run(run()) == (True, 2)


def test_exception_in_an_async_with_block_cancels_fetches(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"

    async def run() -> None:
        origin = Silent()
        async with AsyncClient(user_agent=USER_AGENT, transport=origin, store=SQLiteStore(path)) as client:
            task = asyncio.create_task(client.allows(URL))
            await origin.is_requested.wait()
            task.cancel()
            raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        asyncio.run(run())
    again = SQLiteStore(path)
    assert again.acquire_lease("https://example.com", holder="another", seconds=60)
    again.close()


def test_close_cancels_fetches() -> None:
    async def run() -> None:
        origin = Silent()
        async with AsyncClient(user_agent=USER_AGENT, transport=origin) as client:
            task = asyncio.create_task(client.allows(URL))
            await origin.is_requested.wait()
        with pytest.raises(ClientClosed):
            await task

    asyncio.run(run())


class GatedStore(MemoryStore):
    """A store whose first lease is acquired when its gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked, self.gate = threading.Event(), threading.Event()

    def acquire_lease(self, origin: str, *, holder: str, seconds: float) -> bool:
        self.is_asked.set()
        assert self.gate.wait(300)
        return super().acquire_lease(origin, holder=holder, seconds=seconds)


def test_closed_client_holds_no_lease() -> None:
    store = GatedStore()

    async def run() -> None:
        client = AsyncClient(user_agent=USER_AGENT, transport=AsyncScriptedOrigin(), store=store)
        task = asyncio.create_task(client.allows(URL))
        await asyncio.to_thread(store.is_asked.wait)
        closing = asyncio.create_task(client.close())
        await asyncio.wait([closing], timeout=0.1)
        store.gate.set()
        await closing
        with pytest.raises(ClientClosed):
            await task

    asyncio.run(run())
    assert store.acquire_lease("https://example.com", holder="another", seconds=60)


class ClosableStore(GatedStore):
    """A store that releases no lease after it was closed."""

    is_closed = False

    def release_lease(self, origin: str, *, holder: str) -> None:
        if self.is_closed:
            raise StoreError("the store is closed")
        super().release_lease(origin, holder=holder)

    def close(self) -> None:
        self.is_closed = True


def test_a_client_whose_close_is_cancelled_holds_no_lease() -> None:
    store = ClosableStore()

    async def run() -> None:
        client = AsyncClient(user_agent=USER_AGENT, transport=AsyncScriptedOrigin(), store=store)
        task = asyncio.create_task(client.allows(URL))
        await asyncio.to_thread(store.is_asked.wait)
        closing = asyncio.create_task(client.close())
        await asyncio.sleep(0)
        closing.cancel()
        again = asyncio.create_task(client.close())
        await asyncio.wait([closing, again], timeout=0.1)
        store.gate.set()
        await again
        assert closing.cancelled()
        with pytest.raises(ClientClosed):
            await task

    asyncio.run(run())
    assert store.is_closed
    assert store._leases == {}


def test_client_with_a_store_recovers_after_its_event_loop_was_closed() -> None:
    origin = Silent()
    client = AsyncClient(user_agent=USER_AGENT, transport=origin, store=MemoryStore())
    tasks: list[asyncio.Task[bool]] = []

    async def start_fetch() -> None:
        tasks.append(asyncio.create_task(client.allows(URL)))
        await origin.is_requested.wait()

    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _loop, _context: None)
    loop.run_until_complete(start_fetch())
    loop.close()

    async def run() -> bool:
        client._transport = AsyncScriptedOrigin()
        async with client:
            return await client.allows(URL)

    assert not asyncio.run(run())


def test_task_that_is_cancelled_while_the_client_closes_is_cancelled() -> None:
    async def run() -> None:
        origin = Silent()
        async with AsyncClient(user_agent=USER_AGENT, transport=origin) as client:
            task = asyncio.create_task(client.allows(URL))
            await origin.is_requested.wait()
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


# aiohttp warns about the connections of the closed event loop when they are collected.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("has_store", [False, True])
@pytest.mark.parametrize("name", ["http-async", "httpx2-async", "aiohttp"])
def test_client_recovers_after_its_event_loop_was_closed(name: str, site: Site, *, has_store: bool) -> None:
    site.serve("/robots.txt", BEHAVIOURS["silent"], BEHAVIOURS["rules"])
    store = MemoryStore() if has_store else None
    client = AsyncClient(user_agent=USER_AGENT, transport=transport_class(name)(), store=store)
    url = f"{site.origin}/private"
    tasks: list[asyncio.Task[bool]] = []

    async def start_fetch() -> None:
        tasks.append(asyncio.create_task(client.allows(url)))
        while not site.requests:  # noqa: ASYNC110 - the server has another event loop
            await asyncio.sleep(0.01)

    loop = asyncio.new_event_loop()
    # Python logs the pending tasks of a closed loop.
    loop.set_exception_handler(lambda _loop, _context: None)
    loop.run_until_complete(start_fetch())
    loop.close()

    async def run() -> bool:
        async with client:
            return await client.allows(url)

    assert not asyncio.run(run())
    tasks.clear()
    del loop
    gc.collect()


INTERRUPTED = """
import asyncio, canfetch, signal
async def run():
    seconds = {{"connect_timeout": 600, "read_timeout": 600, "timeout": 600}}
    async with canfetch.AsyncClient(user_agent="ExampleBot/1.0", **seconds) as client:
        task = asyncio.create_task(client.allows({url!r}))
        await asyncio.sleep(0.1)
        signal.raise_signal(signal.SIGINT)
        await task
try:
    asyncio.run(run())
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.slow
def test_interrupt_does_not_wait_for_requests(site: Site) -> None:
    site.serve("/robots.txt", BEHAVIOURS["silent"])
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(url=f"http://127.0.0.1:{site.port}/open")],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert run.stdout == "interrupted\n"


def test_default_transport_needs_no_extra() -> None:
    async def run(origin: str) -> bool:
        async with AsyncClient(user_agent=USER_AGENT) as client:
            return await client.allows(f"{origin}/private")

    with Site() as site:
        site.serve("/robots.txt", BEHAVIOURS["rules"])
        assert not asyncio.run(run(site.origin))
        assert site.count("/robots.txt") == 1
