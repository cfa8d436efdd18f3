"""Transports with an existing session of the caller, by name, with the same interface for the tests."""

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from tests.transports.harness import Send, transport_class

from canfetch.client.transports import AsyncTransport, Transport

SESSION_NAMES = ["httpx2-client", "httpx2-async-client", "aiohttp-session", "requests-session"]
# The transport that takes each session, and the name of its argument.
TRANSPORTS = {
    "httpx2-client": ("httpx2", "client"),
    "httpx2-async-client": ("httpx2-async", "client"),
    "aiohttp-session": ("aiohttp", "session"),
    "requests-session": ("requests", "session"),
}
SYNC_NAMES = ("httpx2-client", "requests-session")


def session_class(name: str) -> Any:
    """Return the class of the session, or skip the test if its library is not installed."""
    if name == "aiohttp-session":
        return pytest.importorskip("aiohttp").ClientSession
    if name == "requests-session":
        return pytest.importorskip("requests").Session
    httpx2 = pytest.importorskip("httpx2")
    return httpx2.Client if name == "httpx2-client" else httpx2.AsyncClient


@cache
def default_tls() -> ssl.SSLContext:
    """Return the default settings. Loading the authorities takes most of the time of a test."""
    return ssl.create_default_context()


def make_session(name: str, *, ssl_context: ssl.SSLContext | None = None, **options: Any) -> Any:
    """Return a new session. One of aiohttp has to be created on an event loop."""
    if name == "requests-session":
        return _make_requests_session(ssl_context, **options)
    if name == "aiohttp-session":
        import aiohttp

        if ssl_context is not None:
            options["connector"] = aiohttp.TCPConnector(ssl=ssl_context)
        return aiohttp.ClientSession(**options)
    return session_class(name)(**{"verify": ssl_context or default_tls(), **options})


def _make_requests_session(ssl_context: ssl.SSLContext | None, *, proxy: str | None = None, **options: Any) -> Any:
    """Return a session whose attributes are set. Without other settings, its proxies are those of the environment."""
    session = session_class("requests-session")()
    if ssl_context is not None:
        session.mount("https://", _adapter_with(ssl_context))
    if proxy is not None:
        session.proxies = {"http": proxy, "https": proxy}
    for setting, value in options.items():
        current = getattr(session, setting)
        if setting == "headers":
            current.update(value)
        elif setting == "cookies":
            for cookie, text in value.items():
                current.set(cookie, text)
        else:
            setattr(session, setting, value)
    return session


def _adapter_with(ssl_context: ssl.SSLContext) -> Any:
    from requests.adapters import HTTPAdapter

    class Adapter(HTTPAdapter):
        def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
            super().init_poolmanager(*arguments, ssl_context=ssl_context, **options)

        def proxy_manager_for(self, *arguments: Any, **options: Any) -> Any:
            return super().proxy_manager_for(*arguments, ssl_context=ssl_context, **options)

    return Adapter()


def make_transport(name: str, session: Any) -> Any:
    """Return the transport that sends requests with a session."""
    transport_name, argument = TRANSPORTS[name]
    return transport_class(transport_name)(**{argument: session})


@contextmanager
def open_session(name: str, **options: Any) -> Iterator[Send]:
    """Open a session, and yield the `send` of a transport with it."""
    if name in SYNC_NAMES:
        with make_session(name, **options) as session:
            transport: Transport = make_transport(name, session)
            yield transport.send
            transport.close()
            # A session of requests can be used after it was closed.
            assert name == "requests-session" or not session.is_closed
        return
    with asyncio.Runner() as runner:

        async def create() -> Any:
            return make_session(name, **options)

        session = runner.run(create())
        async_transport: AsyncTransport = make_transport(name, session)
        yield lambda request: runner.run(async_transport.send(request))
        runner.run(async_transport.close())
        assert not (session.closed if name == "aiohttp-session" else session.is_closed)
        runner.run(close_session(session))


def opener_send(*, proxy: str | None = None) -> Send:
    """Return the function that fetches robots.txt with an opener of urllib."""
    from urllib.request import ProxyHandler, build_opener

    from canfetch.integrations.urllib import RobotsHandler, _OpenerTransport

    handler = RobotsHandler(user_agent="ExampleBot/1.0")
    build_opener(handler, *([] if proxy is None else [ProxyHandler({"http": proxy, "https": proxy})]))
    return _OpenerTransport(handler).send


async def close_session(session: Any) -> None:
    """Close an asynchronous session, and wait until its connections are closed, for which aiohttp does not wait."""
    await (session.aclose() if hasattr(session, "aclose") else session.close())
    selector = asyncio.get_running_loop()._selector  # type: ignore[attr-defined]
    async with asyncio.timeout(120):
        # The event loop itself has one socket.
        while len(selector.get_map()) > 1:  # noqa: ASYNC110 - nothing signals the end
            await asyncio.sleep(0.001)
