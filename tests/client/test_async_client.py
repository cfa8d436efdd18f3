"""The asynchronous client where it differs from the other: tasks, cancelling, stores asked in threads."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.access.conftest import AsyncScriptedOrigin
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.web import Site
from tests.stores.entries import entry_of

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.transports import TransportRequest
from canfetch.core.verdict import Reason

USER_AGENT = "ExampleBot/1.0"
URL = "https://example.com/forbidden"


class Silent(AsyncScriptedOrigin):
    """An origin that never answers."""

    def __init__(self) -> None:
        super().__init__()
        self.was_asked = asyncio.Event()

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        self.was_asked.set()
        await asyncio.Event().wait()
        raise AssertionError(f"nobody answers for {request.url}")


def test_stale_answer_serves_while_it_is_fetched_anew_async() -> None:
    async def ask() -> tuple[bool, int]:
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
            # The flight that nobody waits for ends with the client at the latest.
        return (await client.decide(URL)).allowed, len(origin.asked)

    assert asyncio.run(ask()) == (True, 2)


def test_entries_and_trouble_async(tmp_path: Path) -> None:
    async def ask() -> list[str]:
        store = SQLiteStore(tmp_path / "robots.sqlite3")
        store.put(entry_of("https://kept.example/"))
        async with AsyncClient(user_agent=USER_AGENT, transport=AsyncScriptedOrigin(), store=store) as client:
            assert not await client.allows(URL)
            assert [client.store_error] == [None]
            names = [entry.origin async for entry in client.entries()]
            store.close()
            assert await client.allows("https://other.example/open")
            assert client.store_error is not None
            return names

    assert asyncio.run(ask()) == ["https://example.com", "https://kept.example"]


def test_entries_without_a_store_are_none_async() -> None:
    async def ask() -> list[str]:
        async with AsyncClient(user_agent=USER_AGENT, transport=AsyncScriptedOrigin()) as client:
            await client.allows(URL)
            return [entry.origin async for entry in client.entries()]

    assert asyncio.run(ask()) == []


def test_corrupt_entry_is_not_among_the_entries_async(caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    for url in ("https://a.example/", "https://b.example/"):
        store.put(entry_of(url))
    store._entries["https://a.example"]["format"] = 99

    async def ask() -> list[str]:
        async with AsyncClient(user_agent=USER_AGENT, transport=AsyncScriptedOrigin(), store=store) as client:
            return [entry.origin async for entry in client.entries()]

    assert asyncio.run(ask()) == ["https://b.example"]
    assert "discarded" in caplog.text


def test_every_decision_is_on_the_record_async(tmp_path: Path) -> None:
    async def ask() -> None:
        with EvidenceRecorder(tmp_path) as recorder:
            client = AsyncClient(user_agent=USER_AGENT, transport=AsyncScriptedOrigin(), evidence=recorder)
            async with client:
                await client.allows(URL)
                await client.decide("https://example.com/open", agent="Other")

    asyncio.run(ask())
    [segment] = tmp_path.iterdir()
    lines = [json.loads(line) for line in segment.read_bytes().splitlines()]
    assert [line["verdict"]["allowed"] for line in lines[1:]] == [False, True]


def test_client_that_is_left_by_an_error_waits_for_no_origin(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"

    async def ask() -> None:
        origin = Silent()
        async with AsyncClient(user_agent=USER_AGENT, transport=origin, store=SQLiteStore(path)) as client:
            request = asyncio.create_task(client.allows(URL))
            await origin.was_asked.wait()
            request.cancel()
            raise RuntimeError("ctrl-C, for one")

    with pytest.raises(RuntimeError, match="ctrl-C"):
        asyncio.run(ask())
    again = SQLiteStore(path)
    assert again.acquire_lease("https://example.com", holder="another", seconds=60)
    again.close()


def test_worker_without_the_lease_looks_again_async() -> None:
    store = MemoryStore()
    origin = AsyncScriptedOrigin()

    async def ask() -> bool:
        assert store.acquire_lease("https://example.com", holder="another", seconds=60)
        async with AsyncClient(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: 1000.0) as client:
            request = asyncio.create_task(client.allows(URL))
            await asyncio.sleep(0)
            # Whoever has the lease fetches, and ends before it can give it back.
            await asyncio.to_thread(store.put, entry_of())
            return await request

    assert not asyncio.run(ask())
    assert origin.asked == []


def test_transport_of_the_standard_library_is_the_default() -> None:
    async def ask(origin: str) -> bool:
        async with AsyncClient(user_agent=USER_AGENT) as client:
            return await client.allows(f"{origin}/private")

    with Site() as site:
        site.serve("/robots.txt", BEHAVIOURS["rules"])
        assert not asyncio.run(ask(site.origin))
        assert site.count("/robots.txt") == 1
