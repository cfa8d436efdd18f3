"""Both clients with one interface, for tests of what they log, count and trace."""

import asyncio
from collections.abc import Callable
from typing import Any

from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin, play_event

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest

Answer = Callable[[TransportRequest], Response | Failure]


def scripted(**event: object) -> Answer:
    """Return a function that answers with an event of the conformance cases."""
    return lambda request: play_event(event, request)


class Site(ScriptedOrigin):
    """A transport that answers with a function."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self._answer = answer

    def send(self, request: TransportRequest) -> Response | Failure:
        self.requests.append(request)
        return self._answer(request)


class AsyncSite(AsyncScriptedOrigin):
    """A `Site` for the asynchronous client."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self._answer = answer

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        self.requests.append(request)
        return self._answer(request)


def decide_with_either(kind: str, answer: Answer, *urls: str, **options: Any) -> Client | AsyncClient:
    """Decide about URLs one after the other with a client, and return the closed client."""
    options = {"user_agent": "ExampleBot/1.0", **options}
    if kind == "sync":
        with Client(transport=Site(answer), **options) as client:
            for url in urls:
                client.decide(url)
        return client

    async def run() -> AsyncClient:
        async with AsyncClient(transport=AsyncSite(answer), **options) as client:
            for url in urls:
                await client.decide(url)
        return client

    return asyncio.run(run())
