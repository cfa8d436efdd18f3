"""aiohttp as a transport: for thousands of origins at once on one loop.

The session is made here: no cookies, no redirects, nothing of the environment, a connection for each request.

Where aiohttp sees less than the standard library's transport here:

- whether a TLS connection was cut or closed in order: a body without a length of its own that is cut looks whole;
- whether a body ended early by a reset or by an end: both are INCOMPLETE;
- chunks that go wrong when some have come already, and interim answers or chunk extensions without end: TIMEOUT;
- a body longer than its length: PROTOCOL, where the others take the length.
"""

import asyncio
import socket
import ssl
from contextvars import ContextVar
from typing import Final, NamedTuple

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.addresses import literal_address, permitted
from canfetch.client.transports.answering import Answer, text_headers
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failing import Failed, failed_by
from canfetch.client.transports.http1 import HEAD_OCTETS_LIMIT
from canfetch.client.transports.names import Resolve, addresses_of_async, system_addresses
from canfetch.client.transports.places import Place, place_of, wire_headers
from canfetch.client.transports.proxies import proxy_of, refuse_where_guarded
from canfetch.errors import MissingExtra

try:
    import aiohttp
    from aiohttp.abc import AbstractResolver, ResolveResult
    from multidict import CIMultiDict
    from yarl import URL
except ImportError as missing:
    raise MissingExtra('aiohttp is not installed: pip install "canfetch[http]"') from missing

# aiohttp rounds longer waits up to whole seconds, to spare timers: never here.
_NEVER_ROUNDED: Final = 1e9


class _Journey(NamedTuple):
    request: TransportRequest
    deadlines: Deadlines


# aiohttp's resolver learns the host alone; whose request it is for, the context says.
_UNDER_WAY: Final[ContextVar[_Journey]] = ContextVar("_UNDER_WAY")


class AiohttpTransport:
    """Asks by aiohttp, on one loop of asyncio.

    Args:
        ssl_context: what certificates must satisfy.
        resolve: gives the addresses of a name.
        proxy: makes the connections, as `http://user:password@host:port`. Nobody here knows where to, so that
            everything is refused where addresses are guarded.
    Raises: ValueError: the proxy is no URL of a proxy.
    """

    def __init__(
        self,
        *,
        ssl_context: ssl.SSLContext | None = None,
        resolve: Resolve = system_addresses,
        proxy: str | None = None,
    ) -> None:
        self._opened: aiohttp.ClientSession | None = None
        self._ssl_context = ssl_context
        self._resolve = resolve
        self._proxy = None if proxy is None else proxy_of(proxy)

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Ask for one URL of http or https.

        Raises: InvalidURL: the URL has no host, or is none.
        """
        deadlines = Deadlines(request)
        try:
            place = place_of(request.url)
            return await self._send(request, place, deadlines)
        except Failed as failed:
            return failed.at(request.url)

    async def close(self) -> None:
        """Close the session."""
        if self._opened is not None:
            await self._opened.close()
            self._opened = None

    async def _send(self, request: TransportRequest, place: Place, deadlines: Deadlines) -> Response:
        refuse_where_guarded(request, self._proxy)
        literal = literal_address(place.host)
        if literal is not None:
            # aiohttp connects to an address that is one without asking its resolver.
            permitted(place.host, [literal], allow_private=request.allow_private)
        set_before = _UNDER_WAY.set(_Journey(request, deadlines))
        try:
            async with asyncio.timeout(deadlines.timeout()):
                return await self._exchange(request, place)
        except (aiohttp.ConnectionTimeoutError, aiohttp.ServerTimeoutError, TimeoutError) as error:
            if isinstance(error, aiohttp.ConnectionTimeoutError):
                raise deadlines.too_late_to_connect() from error
            raise deadlines.too_late_to_read() from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _failed(error, place.scheme) from error
        finally:
            _UNDER_WAY.reset(set_before)

    async def _exchange(self, request: TransportRequest, place: Place) -> Response:
        headers = [(name.decode(), value.decode()) for name, value in wire_headers(place, request.headers)]
        proxy = self._proxy
        login = None if proxy is None or proxy.authorization is None else {"Proxy-Authorization": proxy.authorization}
        if login is not None and place.scheme == "http":
            # There the request itself goes to the proxy; aiohttp sends the others with CONNECT alone.
            headers += login.items()
        async with self._session().get(
            # As it is: aiohttp would tidy it.
            URL(place.url, encoded=True),
            headers=CIMultiDict(headers),
            proxy=None if proxy is None else proxy.url,
            proxy_headers=login,
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(
                connect=request.connect_timeout, sock_read=request.read_timeout, ceil_threshold=_NEVER_ROUNDED
            ),
        ) as response:
            if response.headers.get("Transfer-Encoding", "chunked").lower() != "chunked":
                # aiohttp takes it for a body without a length.
                raise Failed(FailureKind.PROTOCOL, "a transfer coding that nobody asked for")
            answer = Answer(request, response.status, text_headers(response.raw_headers))
            while answer.wants_more:
                piece = await response.content.readany()
                if not piece and response.content.at_eof():
                    break
                answer.feed(piece)
            response.close()
            return answer.response()

    def _session(self) -> aiohttp.ClientSession:
        if self._opened is None:
            self._opened = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=_Resolver(self._resolve),
                    ssl=self._ssl_context or ssl.create_default_context(),
                    force_close=True,
                    use_dns_cache=False,
                    limit=0,
                ),
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                middlewares=(_once,),
                skip_auto_headers=("User-Agent", "Accept"),
                max_line_size=HEAD_OCTETS_LIMIT,
                max_field_size=HEAD_OCTETS_LIMIT,
            )
        return self._opened


async def _once(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Ask once: when a connection breaks, aiohttp would ask again, unless the error is none that it knows."""
    try:
        return await handler(request)
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise _failed(error, request.url.scheme) from error


class _Resolver(AbstractResolver):
    """Gives aiohttp addresses that are checked; it connects to these and asks nobody else."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - whatever the name has
    ) -> list[ResolveResult]:
        """Look up, and let pass what may be connected to."""
        request, deadlines = _UNDER_WAY.get()
        found = await addresses_of_async(host, self._resolve, deadlines)
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
                "proto": 0,
                "flags": socket.AI_NUMERICHOST,
            }
            for address in permitted(host, found, allow_private=request.allow_private)
        ]

    async def close(self) -> None:
        """Nothing is held."""


def _failed(error: Exception, scheme: str) -> Failed:
    said = (str(error) or type(error).__name__)[:200]
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return Failed(FailureKind.TLS, said)
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return Failed(FailureKind.CONNECT, f"the proxy says {error.status} {error.message}")
    if isinstance(error, aiohttp.ClientConnectorDNSError | aiohttp.InvalidURL):
        return Failed(FailureKind.DNS, said)
    if isinstance(error, aiohttp.ClientConnectorError):
        # Nobody resets a connection that is being made; a handshake, they do.
        in_handshake = scheme == "https" and isinstance(error.os_error, ConnectionResetError)
        return Failed(FailureKind.TLS if in_handshake else FailureKind.CONNECT, said)
    if isinstance(error, aiohttp.ClientPayloadError):
        return Failed(FailureKind.INCOMPLETE, said)
    if isinstance(error, aiohttp.ClientResponseError | ValueError):
        return Failed(FailureKind.PROTOCOL, said)
    if isinstance(error, OSError):
        return failed_by(error, FailureKind.RESET)
    return Failed(FailureKind.RESET, said)
