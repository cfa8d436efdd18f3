"""A closed client uses its memory, and raises ClientClosed instead of fetching."""

import asyncio

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin

from canfetch.client.async_client import AsyncClient
from canfetch.client.sync_client import Client
from canfetch.errors import ClientClosed

USER_AGENT = "ExampleBot/1.0"
CACHED, NEW = "https://cached.example/open", "https://new.example/open"
DAY_SECONDS = 86_400.0


def test_closed_client_raises() -> None:
    now = [0.0]
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0], stale_while_revalidate=3600.0) as client:
        client.allows(CACHED)
    assert client.allows(CACHED)
    for url, seconds in ((NEW, 0.0), (CACHED, DAY_SECONDS + 60), (CACHED, 2 * DAY_SECONDS)):
        now[0] = seconds
        for method in (client.allows, client.decide, client.origin_state):
            with pytest.raises(ClientClosed, match="the client is closed"):
                method(url)
    assert len(origin.requests) == 1
    client.close()


def test_closed_async_client_raises() -> None:
    now = [0.0]
    origin = AsyncScriptedOrigin()

    async def run() -> None:
        async with AsyncClient(
            user_agent=USER_AGENT, transport=origin, clock=lambda: now[0], stale_while_revalidate=3600.0
        ) as client:
            await client.allows(CACHED)
        assert await client.allows(CACHED)
        for url, seconds in ((NEW, 0.0), (CACHED, DAY_SECONDS + 60), (CACHED, 2 * DAY_SECONDS)):
            now[0] = seconds
            for method in (client.allows, client.decide, client.origin_state):
                with pytest.raises(ClientClosed, match="the client is closed"):
                    await method(url)
        await client.close()

    asyncio.run(run())
    assert len(origin.requests) == 1


def test_closed_async_client_with_the_default_transport_raises() -> None:
    async def run() -> None:
        client = AsyncClient(user_agent=USER_AGENT)
        await client.close()
        with pytest.raises(ClientClosed):
            await client.allows("http://127.0.0.1:1/open")

    asyncio.run(run())
