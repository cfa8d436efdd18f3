"""Clocks that were wrong: an entry from the future is fetched again, once."""

import asyncio
from functools import partial

from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin

from canfetch.client.async_client import AsyncClient
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client

USER_AGENT = "ExampleBot/1.0"
OPEN, FORBIDDEN = "https://example.com/open", "https://example.com/forbidden"
WRONG, RIGHT = 4e9, 1.8e9


def test_rfc9309_2_4_entry_from_the_future_is_fetched_again() -> None:
    now = [WRONG]
    origin = ScriptedOrigin({"status": 404})
    with Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0]) as client:
        assert client.allows(FORBIDDEN)
        now[0] = RIGHT
        origin.event = {"status": 200}
        assert not client.allows(FORBIDDEN)
        assert [client.decide(OPEN).allowed for _ in range(3)] == [True] * 3
        now[0] = RIGHT - 10
        assert not client.allows(FORBIDDEN)
    assert len(origin.requests) == 2


def test_rfc9309_2_4_entry_from_the_future_is_fetched_again_async() -> None:
    async def run() -> int:
        now = [WRONG]
        origin = AsyncScriptedOrigin({"status": 404})
        async with AsyncClient(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0]) as client:
            assert await client.allows(FORBIDDEN)
            now[0] = RIGHT
            origin.event = {"status": 200}
            assert not await client.allows(FORBIDDEN)
            assert not (await client.decide(FORBIDDEN)).allowed
        return len(origin.requests)

    assert asyncio.run(run()) == 2


def test_rfc9309_2_4_stored_entry_from_the_future_is_fetched_once() -> None:
    store = MemoryStore()
    origin = ScriptedOrigin()
    requests = []
    for now in (WRONG, RIGHT, RIGHT + 60, RIGHT + 120):
        with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=partial(float, now)) as client:
            assert not client.allows(FORBIDDEN)
        requests.append(len(origin.requests))
    assert requests == [1, 2, 2, 2]


def test_stored_entry_is_newer_than_a_cached_entry_from_the_future() -> None:
    now = [WRONG]
    store, origin, others = MemoryStore(), ScriptedOrigin(), ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: now[0]) as client:
        client.allows(OPEN)
        now[0] = RIGHT
        with Client(user_agent=USER_AGENT, transport=others, store=store, clock=lambda: now[0]) as other:
            other.allows(OPEN)
        client.allows(OPEN)
        assert client.origin_state(OPEN).entry.fetched_at == RIGHT
    assert (len(origin.requests), len(others.requests)) == (1, 1)
