"""A client that was closed asks nobody: it answers what it knows, and says of all else that it is closed."""

import asyncio

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin

from canfetch.client.async_client import AsyncClient
from canfetch.client.sync_client import Client
from canfetch.errors import ClientClosed

USER_AGENT = "ExampleBot/1.0"
KNOWN, NEW = "https://known.example/open", "https://new.example/open"
DAY_SECONDS = 86_400.0


def test_closed_client_says_so() -> None:
    now = [0.0]
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0], stale_while_revalidate=3600.0) as client:
        client.allows(KNOWN)
    assert client.allows(KNOWN)
    for url, seconds in ((NEW, 0.0), (KNOWN, DAY_SECONDS + 60), (KNOWN, 2 * DAY_SECONDS)):
        now[0] = seconds
        for ask in (client.allows, client.decide, client.origin_state):
            with pytest.raises(ClientClosed, match="the client is closed"):
                ask(url)
    assert len(origin.asked) == 1
    client.close()


def test_closed_async_client_says_so() -> None:
    now = [0.0]
    origin = AsyncScriptedOrigin()

    async def ask_all() -> None:
        async with AsyncClient(
            user_agent=USER_AGENT, transport=origin, clock=lambda: now[0], stale_while_revalidate=3600.0
        ) as client:
            await client.allows(KNOWN)
        assert await client.allows(KNOWN)
        for url, seconds in ((NEW, 0.0), (KNOWN, DAY_SECONDS + 60), (KNOWN, 2 * DAY_SECONDS)):
            now[0] = seconds
            for ask in (client.allows, client.decide, client.origin_state):
                with pytest.raises(ClientClosed, match="the client is closed"):
                    await ask(url)
        await client.close()

    asyncio.run(ask_all())
    assert len(origin.asked) == 1


def test_closed_standard_async_client_says_so() -> None:
    async def ask() -> None:
        client = AsyncClient(user_agent=USER_AGENT)
        await client.close()
        with pytest.raises(ClientClosed):
            await client.allows("http://127.0.0.1:1/open")

    asyncio.run(ask())
