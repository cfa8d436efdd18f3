"""Offline: what is known answers, nobody is asked, and whoever does ask learns nothing wrong from it."""

import asyncio
import threading

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin
from tests.stores.entries import entry_of

from canfetch.access.entries import CacheEntry
from canfetch.client.async_client import AsyncClient
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client

USER_AGENT = "ExampleBot/1.0"
URL = "https://example.com/open"


def test_offline_is_no_failure_of_the_origin() -> None:
    now = [1000.0]
    origin = ScriptedOrigin({"status": 503})
    with Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0]) as client:
        assert not client.origin_state(URL, offline=True).effective_access(now[0]).copy
        now[0] = 5000.0
        known = client.origin_state(URL)
    assert (known.entry.failures, known.entry.first_failure_at) == (1, 5000.0)
    assert len(origin.asked) == 1


@pytest.mark.parametrize("refresh", [False, True])
def test_offline_goes_before_refresh(*, refresh: bool) -> None:
    origin, async_origin = ScriptedOrigin(), AsyncScriptedOrigin()

    async def ask() -> str:
        async with AsyncClient(user_agent=USER_AGENT, transport=async_origin) as client:
            return (await client.origin_state(URL, offline=True, refresh=refresh)).entry.outcome.detail

    with Client(user_agent=USER_AGENT, transport=origin) as client:
        detail = client.origin_state(URL, offline=True, refresh=refresh).entry.outcome.detail
        client.origin_state(URL)
        assert client.origin_state(URL, offline=True, refresh=refresh).entry.outcome.detail == "status 200"
    assert detail == asyncio.run(ask()) == "offline and not cached"
    assert (len(origin.asked), async_origin.asked) == (1, [])


class Slow(MemoryStore):
    """A store that answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Semaphore(0)
        self.gate = threading.Event()

    def get(self, origin: str) -> CacheEntry | None:
        self.asked.release()
        assert self.gate.wait(30)
        return super().get(origin)


def test_who_asks_the_origin_is_not_given_what_was_known_without() -> None:
    store, origin = Slow(), ScriptedOrigin()
    details: dict[bool, str] = {}
    with Client(user_agent=USER_AGENT, transport=origin, store=store) as client:

        def ask(*, offline: bool) -> None:
            details[offline] = client.origin_state(URL, offline=offline).entry.outcome.detail

        threads = [threading.Thread(target=ask, kwargs={"offline": offline}) for offline in (True, False)]
        for thread in threads:
            thread.start()
            assert store.asked.acquire(timeout=30)
        store.gate.set()
        for thread in threads:
            thread.join()
    assert details[False] == "status 200"


def test_who_asks_the_origin_is_not_given_what_was_known_without_async() -> None:
    store, origin = MemoryStore(), AsyncScriptedOrigin()

    async def ask() -> list[str]:
        async with AsyncClient(user_agent=USER_AGENT, transport=origin, store=store) as client:
            both = await asyncio.gather(client.origin_state(URL, offline=True), client.origin_state(URL))
            return [known.entry.outcome.detail for known in both]

    assert asyncio.run(ask()) == ["offline and not cached", "status 200"]


def test_kept_answer_that_is_not_fresh_any_more_counts_offline() -> None:
    store, origin = MemoryStore(), ScriptedOrigin()
    store.put(entry_of())
    with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: 9e9) as client:
        for _ in range(2):
            assert not client.origin_state("https://example.com/", offline=True).allows("/forbidden", None, 9e9)
    assert origin.asked == []
