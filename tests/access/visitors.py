"""Both clients over every transport, behind one face: a visitor who asks several questions at once."""

import asyncio
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from tests.transports.harness import transport_class

from canfetch.client.async_client import AsyncClient
from canfetch.client.origin_state import OriginState
from canfetch.client.sync_client import Client
from canfetch.client.transports.dns import Resolve
from canfetch.core.verdict import Verdict

USER_AGENT = "ExampleBot/1.0"
# With these transports the client is `Client`; with the others it is `AsyncClient`.
_WAITING = {"stdlib", "httpx2"}


class Visitor(Protocol):
    """A client: `Client` asks one question after the other, `AsyncClient` all of them at once."""

    def decide(self, *urls: str) -> list[Verdict]:
        """Ask for verdicts."""
        ...

    def allows(self, *urls: str) -> list[bool]:
        """Ask for answers alone."""
        ...

    def origin_state(self, url: str) -> OriginState:
        """Ask what is known of the URL's origin."""
        ...


@contextmanager
def visitor(face: str, *, ssl_context: ssl.SSLContext, resolve: Resolve, **options: Any) -> Iterator[Visitor]:
    """Open the client that belongs to a transport, over that transport.

    Args:
        face: the transport's name, of `TRANSPORT_NAMES`.
        options: the client's.
    """
    transport = transport_class(face)(ssl_context=ssl_context, resolve=resolve)
    if face in _WAITING:
        with Client(user_agent=USER_AGENT, transport=transport, **options) as client:
            yield _Waiting(client)
        return
    with asyncio.Runner() as runner:
        together = AsyncClient(user_agent=USER_AGENT, transport=transport, **options)
        try:
            yield _Together(together, runner)
        finally:
            runner.run(together.close())


class _Waiting:
    def __init__(self, client: Client) -> None:
        self._client = client
        self.origin_state: Callable[[str], OriginState] = client.origin_state

    def decide(self, *urls: str) -> list[Verdict]:
        return [self._client.decide(url) for url in urls]

    def allows(self, *urls: str) -> list[bool]:
        return [self._client.allows(url) for url in urls]


class _Together:
    def __init__(self, client: AsyncClient, runner: asyncio.Runner) -> None:
        self._client = client
        self._runner = runner

    def decide(self, *urls: str) -> list[Verdict]:
        async def run() -> list[Verdict]:
            return await asyncio.gather(*map(self._client.decide, urls))

        return self._runner.run(run())

    def allows(self, *urls: str) -> list[bool]:
        async def run() -> list[bool]:
            return await asyncio.gather(*map(self._client.allows, urls))

        return self._runner.run(run())

    def origin_state(self, url: str) -> OriginState:
        return self._runner.run(self._client.origin_state(url))
