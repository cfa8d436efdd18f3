"""httpx2 as a transport, sync and async: HTTP/1.1, and HTTP/2 where the library h2 is installed.

Without a client of the caller's own, the connections are guarded and timed as the standard library's are here,
and nothing of the environment counts: no proxy, no netrc. Each request has a connection of its own.
"""

import asyncio
import ssl
from collections.abc import Generator, Iterator
from contextlib import aclosing, closing
from typing import Any

from canfetch.access.answers import Failure, FailureKind, Response
from canfetch.client.transports import Asking
from canfetch.client.transports.answering import Answer, text_headers
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failing import Failed
from canfetch.client.transports.names import Resolve, system_addresses
from canfetch.client.transports.places import Place
from canfetch.errors import MissingExtra

try:
    import httpcore2
    import httpx2

    from canfetch.client.transports.httpx2_backends import AsyncBackend, Backend, Journey
    from canfetch.client.transports.httpx2_failing import HTTP2_IS_THERE, errors_as_failures
except ImportError as missing:
    raise MissingExtra('httpx2 is not installed: pip install "canfetch[http]"') from missing


class Httpx2Transport:
    """Asks by httpx2; safe to share between threads.

    Args:
        client: asks with this client, its proxies and its certificates; it is not closed here. Nobody here knows
            where it connects to: where addresses are guarded, it is refused. The bound on the whole is looked at
            between the octets of the body only.
        ssl_context: what certificates must satisfy; not for other transports, since HTTP/2 is offered in it.
        resolve: gives the addresses of a name.
        http2: whether HTTP/2 is offered; by default where h2 is installed.
    """

    def __init__(
        self,
        *,
        client: httpx2.Client | None = None,
        ssl_context: ssl.SSLContext | None = None,
        resolve: Resolve = system_addresses,
        http2: bool = HTTP2_IS_THERE,
    ) -> None:
        self._client = client
        self._ssl_context = ssl_context
        self._resolve = resolve
        self._http2 = http2

    def ask(self, asking: Asking) -> Response | Failure:
        """Ask for one URL of http or https.

        Raises: InvalidURL: the URL has no host, or is none.
        """
        try:
            journey = Journey(asking, self._resolve)
            with errors_as_failures(journey):
                return self._ask_pool(journey) if self._client is None else self._ask_client(journey, self._client)
        except Failed as failed:
            return failed.at(asking.url)

    def close(self) -> None:
        """Nothing is held between requests."""

    def _ask_pool(self, journey: Journey) -> Response:
        if self._ssl_context is None and journey.place.scheme == "https":
            self._ssl_context = ssl.create_default_context()
        pool = httpcore2.ConnectionPool(self._ssl_context, http2=self._http2, network_backend=Backend(journey))
        with pool, pool.stream("GET", _url(journey.place), headers=journey.headers) as answer:
            journey.answered = True
            with closing(_in_time(answer.iter_stream(), journey.deadlines)) as pieces:
                return Answer(journey.asking, answer.status, text_headers(answer.headers)).read(pieces)

    def _ask_client(self, journey: Journey, client: httpx2.Client) -> Response:
        _refuse_where_guarded(journey.asking)
        with client.stream("GET", journey.place.url, **_options(journey)) as answer:
            journey.answered = True
            with closing(_in_time(answer.iter_raw(), journey.deadlines)) as pieces:
                return Answer(journey.asking, answer.status_code, text_headers(answer.headers.raw)).read(pieces)


class Httpx2AsyncTransport:
    """Asks by httpx2, on asyncio's loop.

    Args: as of Httpx2Transport. The bound on the whole holds with a client of the caller's own, too.
    """

    def __init__(
        self,
        *,
        client: httpx2.AsyncClient | None = None,
        ssl_context: ssl.SSLContext | None = None,
        resolve: Resolve = system_addresses,
        http2: bool = HTTP2_IS_THERE,
    ) -> None:
        self._client = client
        self._ssl_context = ssl_context
        self._resolve = resolve
        self._http2 = http2

    async def ask(self, asking: Asking) -> Response | Failure:
        """Ask for one URL of http or https.

        Raises: InvalidURL: the URL has no host, or is none.
        """
        try:
            journey = Journey(asking, self._resolve)
            with errors_as_failures(journey):
                if self._client is None:
                    return await self._ask_pool(journey)
                return await self._ask_client(journey, self._client)
        except Failed as failed:
            return failed.at(asking.url)

    async def close(self) -> None:
        """Nothing is held between requests."""

    async def _ask_pool(self, journey: Journey) -> Response:
        if self._ssl_context is None and journey.place.scheme == "https":
            self._ssl_context = ssl.create_default_context()
        backend = AsyncBackend(journey)
        pool = httpcore2.AsyncConnectionPool(self._ssl_context, http2=self._http2, network_backend=backend)
        async with pool, pool.stream("GET", _url(journey.place), headers=journey.headers) as answer:
            journey.answered = True
            async with aclosing(answer.aiter_stream()) as pieces:
                read = Answer(journey.asking, answer.status, text_headers(answer.headers))
                return await read.read_async(pieces)

    async def _ask_client(self, journey: Journey, client: httpx2.AsyncClient) -> Response:
        _refuse_where_guarded(journey.asking)
        async with (
            asyncio.timeout(journey.deadlines.total_seconds()),
            client.stream("GET", journey.place.url, **_options(journey)) as answer,
        ):
            journey.answered = True
            async with aclosing(answer.aiter_raw()) as pieces:
                read = Answer(journey.asking, answer.status_code, text_headers(answer.headers.raw))
                return await read.read_async(pieces)


def _url(place: Place) -> httpcore2.URL:
    # In parts, since httpx2 would tidy the path.
    return httpcore2.URL(scheme=place.scheme, host=place.host, port=place.port, target=place.target)


def _options(journey: Journey) -> dict[str, Any]:
    asking = journey.asking
    return {
        "headers": journey.headers,
        "follow_redirects": False,
        "timeout": httpx2.Timeout(asking.read_seconds, connect=asking.connect_seconds, pool=asking.connect_seconds),
    }


def _refuse_where_guarded(asking: Asking) -> None:
    if not asking.allow_private:
        detail = "a client of the caller's own connects where it likes, and cannot be guarded"
        raise Failed(FailureKind.FORBIDDEN_ADDRESS, detail)


def _in_time(pieces: Iterator[bytes], deadlines: Deadlines) -> Generator[bytes]:
    for piece in pieces:
        deadlines.read_seconds()
        yield piece
