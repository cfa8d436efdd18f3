"""httpx2 as a transport, sync and async: HTTP/1.1, and HTTP/2 where the library h2 is installed.

What is used of it is httpcore2, the part that speaks HTTP, over connections that are guarded and timed as the
standard library's are here. Nothing of the environment counts: no proxy, no netrc. Each request has a connection
of its own. A client of the caller's own is not taken, since nobody could bound it: one whose server sends interim
answers for ever never comes back.
"""

import ssl
from collections.abc import Generator, Iterator
from contextlib import aclosing, closing
from typing import Any

from canfetch.access.responses import Failure, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.answering import Answer, text_headers
from canfetch.client.transports.failing import Failed
from canfetch.client.transports.names import Resolve, system_addresses
from canfetch.client.transports.proxies import proxy_of, refuse_where_guarded
from canfetch.errors import MissingExtra

try:
    import httpcore2

    from canfetch.client.transports.httpx2_backends import AsyncBackend, Backend, Journey
    from canfetch.client.transports.httpx2_failing import HTTP2_IS_THERE, errors_as_failures
except ImportError as missing:
    raise MissingExtra('httpx2 is not installed: pip install "canfetch[http]"') from missing


class _Settings:
    """What both faces are made with, and the pools that come of it."""

    def __init__(self, *, ssl_context: ssl.SSLContext | None, resolve: Resolve, proxy: str | None, http2: bool) -> None:
        self._ssl_context = ssl_context
        self._http2 = http2
        self._proxy = None if proxy is None else proxy_of(proxy)
        self.resolve = resolve

    def options(self, journey: Journey) -> dict[str, Any]:
        """Give what a pool is made with.

        Raises: Failed: FORBIDDEN_ADDRESS, where addresses are guarded and a proxy makes the connections.
        """
        refuse_where_guarded(journey.request, self._proxy)
        if self._ssl_context is None and journey.place.scheme == "https":
            # Loading the authorities costs tens of milliseconds: only where TLS is spoken. Twice does no harm.
            self._ssl_context = ssl.create_default_context()
        options: dict[str, Any] = {"ssl_context": self._ssl_context, "http2": self._http2}
        if self._proxy is not None:
            options |= {"proxy_url": self._proxy.url, "proxy_auth": self._proxy.login}
        return options

    @property
    def proxied(self) -> bool:
        """Whether a proxy makes the connections."""
        return self._proxy is not None


class Httpx2Transport:
    """Asks by httpx2; safe to share between threads.

    Args:
        ssl_context: what certificates must satisfy; not for other transports, since HTTP/2 is offered in it.
        resolve: gives the addresses of a name.
        proxy: makes the connections, as `http://user:password@host:port`. Nobody here knows where to, so that
            everything is refused where addresses are guarded.
        http2: whether HTTP/2 is offered; by default where h2 is installed.
    Raises: ValueError: the proxy is no URL of a proxy.
    """

    def __init__(
        self,
        *,
        ssl_context: ssl.SSLContext | None = None,
        resolve: Resolve = system_addresses,
        proxy: str | None = None,
        http2: bool = HTTP2_IS_THERE,
    ) -> None:
        self._settings = _Settings(ssl_context=ssl_context, resolve=resolve, proxy=proxy, http2=http2)

    def send(self, request: TransportRequest) -> Response | Failure:
        """Ask for one URL of http or https.

        Raises: InvalidURL: the URL has no host, or is none.
        """
        try:
            journey = Journey(request, self._settings.resolve)
            with errors_as_failures(journey):
                return self._send(journey)
        except Failed as failed:
            return failed.at(request.url)

    def close(self) -> None:
        """Nothing is held between requests."""

    def _send(self, journey: Journey) -> Response:
        make = httpcore2.HTTPProxy if self._settings.proxied else httpcore2.ConnectionPool
        pool = make(network_backend=Backend(journey), **self._settings.options(journey))
        with pool, pool.stream("GET", _url(journey), headers=journey.headers) as answer:
            journey.answered = True
            with closing(_generated(answer.iter_stream())) as pieces:
                return Answer(journey.request, answer.status, text_headers(answer.headers)).read(pieces)


class Httpx2AsyncTransport:
    """Asks by httpx2, on asyncio's loop.

    Args: as of Httpx2Transport.
    """

    def __init__(
        self,
        *,
        ssl_context: ssl.SSLContext | None = None,
        resolve: Resolve = system_addresses,
        proxy: str | None = None,
        http2: bool = HTTP2_IS_THERE,
    ) -> None:
        self._settings = _Settings(ssl_context=ssl_context, resolve=resolve, proxy=proxy, http2=http2)

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Ask for one URL of http or https.

        Raises: InvalidURL: the URL has no host, or is none.
        """
        try:
            journey = Journey(request, self._settings.resolve)
            with errors_as_failures(journey):
                return await self._send(journey)
        except Failed as failed:
            return failed.at(request.url)

    async def close(self) -> None:
        """Nothing is held between requests."""

    async def _send(self, journey: Journey) -> Response:
        make = httpcore2.AsyncHTTPProxy if self._settings.proxied else httpcore2.AsyncConnectionPool
        pool = make(network_backend=AsyncBackend(journey), **self._settings.options(journey))
        async with pool, pool.stream("GET", _url(journey), headers=journey.headers) as answer:
            journey.answered = True
            async with aclosing(answer.aiter_stream()) as pieces:
                read = Answer(journey.request, answer.status, text_headers(answer.headers))
                return await read.read_async(pieces)


def _url(journey: Journey) -> httpcore2.URL:
    # In parts, since httpx2 would tidy the path.
    place = journey.place
    host = f"[{place.host}]" if ":" in place.host else place.host
    return httpcore2.URL(scheme=place.scheme, host=host, port=place.port, target=place.target)


def _generated(pieces: Iterator[bytes]) -> Generator[bytes]:
    yield from pieces
