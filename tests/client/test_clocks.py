"""A clock that was wrong once costs one request, and no origin its right to be asked again."""

import asyncio
from functools import partial

from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin

from canfetch.client.async_client import AsyncClient
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client

USER_AGENT = "ExampleBot/1.0"
OPEN, FORBIDDEN = "https://example.com/open", "https://example.com/forbidden"
WRONG, RIGHT = 4e9, 1.8e9


def test_rfc9309_2_4_clock_that_was_ahead_does_not_keep_an_answer_for_ever() -> None:
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
    assert len(origin.asked) == 2


def test_rfc9309_2_4_async_client_does_the_same() -> None:
    async def ask() -> int:
        now = [WRONG]
        origin = AsyncScriptedOrigin({"status": 404})
        async with AsyncClient(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0]) as client:
            assert await client.allows(FORBIDDEN)
            now[0] = RIGHT
            origin.event = {"status": 200}
            assert not await client.allows(FORBIDDEN)
            assert not (await client.decide(FORBIDDEN)).allowed
        return len(origin.asked)

    assert asyncio.run(ask()) == 2


def test_rfc9309_2_4_what_a_store_has_from_the_future_is_asked_for_once() -> None:
    store = MemoryStore()
    origin = ScriptedOrigin()
    requests = []
    for now in (WRONG, RIGHT, RIGHT + 60, RIGHT + 120):
        with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=partial(float, now)) as client:
            assert not client.allows(FORBIDDEN)
        requests.append(len(origin.asked))
    assert requests == [1, 2, 2, 2]


def test_client_prefers_what_others_fetched_to_what_it_has_from_the_future() -> None:
    now = [WRONG]
    store, origin, others = MemoryStore(), ScriptedOrigin(), ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: now[0]) as client:
        client.allows(OPEN)
        now[0] = RIGHT
        with Client(user_agent=USER_AGENT, transport=others, store=store, clock=lambda: now[0]) as other:
            other.allows(OPEN)
        client.allows(OPEN)
        assert client.origin_state(OPEN).entry.fetched_at == RIGHT
    assert (len(origin.asked), len(others.asked)) == (1, 1)
