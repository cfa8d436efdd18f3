"""Both clients with one synchronous interface, for tests of what both do."""

import asyncio
from collections.abc import AsyncIterator, Callable
from inspect import isasyncgenfunction, iscoroutinefunction
from types import TracebackType
from typing import Any, Self

import pytest
from tests.access.conftest import AnsweringOrigin, Awaited, play_event

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest

Answer = Callable[[TransportRequest], Response | Failure]
BOTH = pytest.mark.parametrize("kind", ["sync", "async"])


class EitherClient:
    """A client. Each call of an asynchronous one has an event loop of its own.

    Args:
        kind: `sync` or `async`.
        transport: A synchronous transport, for either client.
        options: The options of the client.
    """

    def __init__(self, kind: str, transport: Any, **options: Any) -> None:
        options = {"user_agent": "ExampleBot/1.0", **options}
        self.client: Any = (
            Client(transport=transport, **options)
            if kind == "sync"
            else AsyncClient(transport=Awaited(transport), **options)
        )

    def __getattr__(self, name: str) -> Any:
        member = getattr(self.client, name)
        if isasyncgenfunction(member):
            return lambda: asyncio.run(_collect(member()))
        if not iscoroutinefunction(member):
            return member
        return lambda *arguments, **keywords: asyncio.run(member(*arguments, **keywords))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


async def _collect(items: AsyncIterator[object]) -> list[object]:
    return [item async for item in items]


def scripted(**event: object) -> Answer:
    """Return a function that answers with an event of the conformance cases."""
    return lambda request: play_event(event, request)


def decide_with_either(kind: str, answer: Answer, *urls: str, **options: Any) -> EitherClient:
    """Decide about URLs one after the other with a client, and return the closed client."""
    with EitherClient(kind, AnsweringOrigin(answer), **options) as client:
        for url in urls:
            client.decide(url)
    return client
