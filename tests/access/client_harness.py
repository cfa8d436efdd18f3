"""Both clients over every transport, with one synchronous interface for tests."""

import asyncio
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, nullcontext
from types import MappingProxyType
from typing import Any, Protocol

from tests.transports.harness import SYNC_NAMES, transport_class
from tests.transports.session_harness import SESSION_NAMES, close_session, make_session, make_transport
from tests.transports.session_harness import SYNC_NAMES as SYNC_SESSION_NAMES

from canfetch.client.async_client import AsyncClient
from canfetch.client.origin_state import OriginState
from canfetch.client.sync_client import Client
from canfetch.client.transports.dns import Resolve, system_resolve
from canfetch.core.verdict import Verdict

USER_AGENT = "ExampleBot/1.0"


class ClientUnderTest(Protocol):
    """A client. `Client` decides about several URLs in sequence, `AsyncClient` concurrently."""

    def decide(self, *urls: str) -> list[Verdict]:
        """Return the verdicts of `decide`."""
        ...

    def allows(self, *urls: str) -> list[bool]:
        """Return the results of `allows`."""
        ...

    def origin_state(self, url: str) -> OriginState:
        """Return the state of the origin of `url`."""
        ...


@contextmanager
def open_client(
    name: str,
    *,
    ssl_context: ssl.SSLContext | None = None,
    resolve: Resolve = system_resolve,
    settings: Mapping[str, Any] = MappingProxyType({}),
    user_agent: str = USER_AGENT,
    **options: Any,
) -> Iterator[ClientUnderTest]:
    """Open a client.

    Args:
        name: Its transport, one of `TRANSPORT_NAMES`, or the session of its transport, one of `SESSION_NAMES`.
        ssl_context: The TLS settings of a transport without a session.
        resolve: The resolver of a transport without a session.
        settings: The settings of a session.
        options: The options of the client.
    """

    def create() -> tuple[Any, Any]:
        if name in SESSION_NAMES:
            session = make_session(name, **settings)
            return session, make_transport(name, session)
        return None, transport_class(name)(ssl_context=ssl_context, resolve=resolve)

    async def create_in_loop() -> tuple[Any, Any]:
        return create()

    if name in SYNC_NAMES or name in SYNC_SESSION_NAMES:
        session, transport = create()
        with (
            closing(session) if session is not None else nullcontext(),
            Client(user_agent=user_agent, transport=transport, **options) as client,
        ):
            yield _SyncClient(client)
        return
    with asyncio.Runner() as runner, ExitStack() as ending:
        session, transport = runner.run(create_in_loop())
        if session is not None:
            ending.callback(lambda: runner.run(close_session(session)))
        async_client = AsyncClient(user_agent=user_agent, transport=transport, **options)
        ending.callback(lambda: runner.run(async_client.close()))
        yield _ConcurrentClient(async_client, runner)


def fetch(name: str, url: str, settings: Mapping[str, Any], *more_urls: str, **options: Any) -> None:
    """Fetch the robots.txt of origins with a client over a session with these settings."""
    with open_client(name, settings=settings, **options) as client:
        for each in (url, *more_urls):
            client.origin_state(each)


class _SyncClient:
    def __init__(self, client: Client) -> None:
        self._client = client
        self.origin_state: Callable[[str], OriginState] = client.origin_state

    def decide(self, *urls: str) -> list[Verdict]:
        return [self._client.decide(url) for url in urls]

    def allows(self, *urls: str) -> list[bool]:
        return [self._client.allows(url) for url in urls]


class _ConcurrentClient:
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
