"""A closed client uses its memory, and raises ClientClosed instead of fetching."""

import asyncio

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.client.either import BOTH, EitherClient

from canfetch.client.async_client import AsyncClient
from canfetch.errors import ClientClosed

CACHED, NEW = "https://cached.example/open", "https://new.example/open"
DAY_SECONDS = 86_400.0


@BOTH
def test_closed_client_raises(kind: str) -> None:
    now = [0.0]
    origin = ScriptedOrigin()
    with EitherClient(kind, origin, clock=lambda: now[0], stale_while_revalidate=3600.0) as client:
        client.allows(CACHED)
    assert client.allows(CACHED)
    for url, seconds in ((NEW, 0.0), (CACHED, DAY_SECONDS + 60), (CACHED, 2 * DAY_SECONDS)):
        now[0] = seconds
        for method in (client.allows, client.decide, client.origin_state):
            with pytest.raises(ClientClosed, match="the client is closed"):
                method(url)
    assert len(origin.requests) == 1
    client.close()


def test_closed_async_client_with_the_default_transport_raises() -> None:
    async def run() -> None:
        client = AsyncClient(user_agent="ExampleBot/1.0")
        await client.close()
        with pytest.raises(ClientClosed):
            await client.allows("http://127.0.0.1:1/open")

    asyncio.run(run())
