"""The HTTP clients with their integrations, by name, with the same interface for the tests."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, NamedTuple

import pytest
from tests.transports.session_harness import close_session, default_tls, make_session

from canfetch.integrations.request_guard import page_verdict, use_verdict

HOST_NAMES = ["httpx2", "httpx2-async", "aiohttp", "requests", "urllib"]
ASYNC_NAMES = ["httpx2-async", "aiohttp"]
USER_AGENT = "ExampleBot/1.0"


class Fetched(NamedTuple):
    """A response: its status, its body, what its X-Robots-Tag permits, and whether it may be used."""

    status: int
    body: bytes
    page: Any
    use: Any


class Host:
    """An HTTP client with its integration. Redirects are followed.

    Attributes:
        robots: The guard of the integration.
        base_error: The base class of the errors of the HTTP client.
    """

    robots: Any
    base_error: type[Exception]

    def get(self, url: str, **options: Any) -> Fetched:
        """Send a request, with options of the HTTP client."""
        raise NotImplementedError

    def get_start(self, url: str, size: int) -> Fetched:
        """Send a request, and read at least the first bytes of the body."""
        raise NotImplementedError

    def get_all(self, urls: Iterable[str]) -> list[Fetched | BaseException]:
        """Send requests at the same time. Exceptions are returned."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


def _start_of(parts: Iterable[bytes], size: int) -> bytes:
    """Read parts of a body until they have at least this size."""
    body = b""
    for part in parts:
        body += part
        if len(body) >= size:
            break
    return body


class _ThreadHost(Host):
    def get_all(self, urls: Iterable[str]) -> list[Fetched | BaseException]:
        with ThreadPoolExecutor(16) as threads:
            futures = [threads.submit(self.get, url) for url in urls]
            return [future.exception() or future.result() for future in futures]


class Httpx2Host(_ThreadHost):
    def __init__(self, *, proxy: str | None, tls: ssl.SSLContext | None, **options: Any) -> None:
        import httpx2

        from canfetch.integrations.httpx2 import RobotsTransport

        self.base_error = httpx2.HTTPError
        inner = httpx2.HTTPTransport(verify=tls or default_tls(), proxy=proxy)
        transport = RobotsTransport(user_agent=USER_AGENT, transport=inner, **options)
        self.robots = transport.robots
        self.client = httpx2.Client(transport=transport, follow_redirects=True, headers={"User-Agent": USER_AGENT})

    def get(self, url: str, **options: Any) -> Fetched:
        response = self.client.get(url, **options)
        return Fetched(response.status_code, response.content, page_verdict(response), use_verdict(response))

    def get_start(self, url: str, size: int) -> Fetched:
        with self.client.stream("GET", url) as response:
            return Fetched(response.status_code, _start_of(response.iter_bytes(), size), None, use_verdict(response))

    def close(self) -> None:
        self.client.close()


class RequestsHost(_ThreadHost):
    def __init__(self, *, proxy: str | None, tls: ssl.SSLContext | None, **options: Any) -> None:
        import requests

        from canfetch.integrations.requests import RobotsAdapter

        self.base_error = requests.RequestException
        self.session = make_session("requests-session", ssl_context=tls, proxy=proxy)
        self.session.headers["User-Agent"] = USER_AGENT
        adapter = RobotsAdapter(user_agent=USER_AGENT, adapter=self.session.get_adapter("https://"), **options)
        self.session.mount("https://", adapter)
        self.session.mount("http://", adapter)
        self.robots = adapter.robots

    def get(self, url: str, **options: Any) -> Fetched:
        response = self.session.get(url, **options)
        return Fetched(response.status_code, response.content, page_verdict(response), use_verdict(response))

    def get_start(self, url: str, size: int) -> Fetched:
        with self.session.get(url, stream=True) as response:
            body = _start_of(response.iter_content(65_536), size)
            return Fetched(response.status_code, body, None, use_verdict(response))

    def close(self) -> None:
        self.session.close()


class UrllibHost(_ThreadHost):
    def __init__(self, *, proxy: str | None, tls: ssl.SSLContext | None, **options: Any) -> None:
        import urllib.error
        import urllib.request

        from canfetch.integrations.urllib import RobotsHandler

        self.base_error = urllib.error.URLError
        self.handler = RobotsHandler(user_agent=USER_AGENT, **options)
        self.robots = self.handler.robots
        proxies = urllib.request.ProxyHandler({} if proxy is None else {"http": proxy, "https": proxy})
        self.opener = urllib.request.build_opener(self.handler, proxies, urllib.request.HTTPSHandler(context=tls))
        self.opener.addheaders = [("User-Agent", USER_AGENT)]

    def get(self, url: Any, **options: Any) -> Fetched:
        from urllib.error import HTTPError

        try:
            response = self.opener.open(url, **options)
        except HTTPError as error:
            response = error
        with response:
            return Fetched(response.status, response.read(), page_verdict(response), use_verdict(response))

    def get_start(self, url: str, size: int) -> Fetched:
        with self.opener.open(url) as response:
            return Fetched(response.status, response.read(size), None, use_verdict(response))

    def close(self) -> None:
        self.handler.close()


class _LoopHost(Host):
    """A host on an event loop of its own."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()

    def run(self, function: Callable[[], Awaitable[Any]]) -> Any:
        async def call() -> Any:
            return await function()

        # The runner has a context of its own.
        return self.runner.run(call(), context=copy_context())

    async def fetch(self, url: str, **options: Any) -> Fetched:
        raise NotImplementedError

    def get(self, url: str, **options: Any) -> Fetched:
        fetched: Fetched = self.run(lambda: self.fetch(url, **options))
        return fetched

    async def fetch_start(self, url: str, size: int) -> Fetched:
        raise NotImplementedError

    def get_start(self, url: str, size: int) -> Fetched:
        fetched: Fetched = self.run(lambda: self.fetch_start(url, size))
        return fetched

    def get_all(self, urls: Iterable[str]) -> list[Fetched | BaseException]:
        async def gather() -> list[Fetched | BaseException]:
            return list(await asyncio.gather(*(self.fetch(url) for url in urls), return_exceptions=True))

        results: list[Fetched | BaseException] = self.run(gather)
        return results


class AsyncHttpx2Host(_LoopHost):
    def __init__(self, *, proxy: str | None, tls: ssl.SSLContext | None, **options: Any) -> None:
        import httpx2

        from canfetch.integrations.httpx2 import AsyncRobotsTransport

        super().__init__()
        self.base_error = httpx2.HTTPError
        inner = httpx2.AsyncHTTPTransport(verify=tls or default_tls(), proxy=proxy)
        transport = AsyncRobotsTransport(user_agent=USER_AGENT, transport=inner, **options)
        self.robots = transport.robots
        self.client = httpx2.AsyncClient(transport=transport, follow_redirects=True, headers={"User-Agent": USER_AGENT})

    async def fetch(self, url: str, **options: Any) -> Fetched:
        response = await self.client.get(url, **options)
        return Fetched(response.status_code, response.content, page_verdict(response), use_verdict(response))

    async def fetch_start(self, url: str, size: int) -> Fetched:
        async with self.client.stream("GET", url) as response:
            body = b""
            async for part in response.aiter_bytes():
                body += part
                if len(body) >= size:
                    break
            return Fetched(response.status_code, body, None, use_verdict(response))

    def close(self) -> None:
        self.run(self.client.aclose)
        self.runner.close()


class AiohttpHost(_LoopHost):
    def __init__(self, *, proxy: str | None, tls: ssl.SSLContext | None, **options: Any) -> None:
        import aiohttp

        from canfetch.integrations.aiohttp import RobotsMiddleware

        super().__init__()
        self.base_error = aiohttp.ClientError
        self.middleware = RobotsMiddleware(user_agent=USER_AGENT, **options)
        self.robots = self.middleware.robots

        async def create() -> aiohttp.ClientSession:
            connector = aiohttp.TCPConnector(ssl=True if tls is None else tls)
            return aiohttp.ClientSession(
                connector=connector, middlewares=[self.middleware], proxy=proxy, headers={"User-Agent": USER_AGENT}
            )

        self.session: aiohttp.ClientSession = self.run(create)

    async def fetch(self, url: str, **options: Any) -> Fetched:
        async with self.session.get(url, **options) as response:
            return Fetched(response.status, await response.read(), page_verdict(response), use_verdict(response))

    async def fetch_start(self, url: str, size: int) -> Fetched:
        async with self.session.get(url) as response:
            return Fetched(response.status, await response.content.readexactly(size), None, use_verdict(response))

    def close(self) -> None:
        async def close() -> None:
            await self.middleware.close()
            await close_session(self.session)

        self.run(close)
        self.runner.close()


_HOSTS: dict[str, Any] = {
    "httpx2": Httpx2Host,
    "httpx2-async": AsyncHttpx2Host,
    "aiohttp": AiohttpHost,
    "requests": RequestsHost,
    "urllib": UrllibHost,
}


def make_host(name: str, *, proxy: str | None = None, tls: ssl.SSLContext | None = None, **options: Any) -> Any:
    """Return a new HTTP client with its integration, or skip the test if the library is not installed."""
    if name != "urllib":
        pytest.importorskip(name.partition("-")[0])
    return _HOSTS[name](proxy=proxy, tls=tls, **options)


@contextmanager
def open_host(name: str, **options: Any) -> Iterator[Any]:
    """Open an HTTP client with its integration."""
    host = make_host(name, **options)
    try:
        yield host
    finally:
        host.close()
