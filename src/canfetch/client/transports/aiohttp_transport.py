"""A transport on aiohttp, for thousands of origins at a time on one event loop.

It creates its own session, without cookies, redirects or connection reuse. Of the settings of the environment, proxies
are used and netrc is not.

With `session=`, it sends requests with a session of the caller instead. The session's settings apply, except that
redirects are not followed, and that the body is read as received, up to the size limit.

Its responses differ from those of the other transports in these cases:

- A response with several Content-Length fields or values, or with both Content-Length and Transfer-Encoding, is a
  PROTOCOL failure. The other transports accept equal lengths, and ignore Content-Length if the body is chunked
  (RFC 9112 section 6.3). aiohttp's parser rejects both and has no option to accept them.
- A response with more than 512 header fields is a PROTOCOL failure. The other transports limit only the size of the
  head, 64 KiB, which applies here as well.
- Invalid chunks after valid ones, and interim responses or chunk extensions without end, are a TIMEOUT.
- A body longer than its Content-Length is a PROTOCOL failure. The other transports read up to the length.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, NamedTuple, Unpack

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.request_headers import has_credentials
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.addresses import filter_addresses, is_ip_literal
from canfetch.client.transports.base_transport import TransportSettings
from canfetch.client.transports.connections import no_authorities
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.dns import Resolve, resolve_host_async
from canfetch.client.transports.endpoints import Endpoint, parse_endpoint
from canfetch.client.transports.failures import (
    REQUEST_ERRORS,
    TransportError,
    causes,
    classify_os_error,
    request_failure,
    was_raised_in,
)
from canfetch.client.transports.headers import MAX_HEAD_BYTES, decode_headers, encode_request_headers
from canfetch.client.transports.local_errors import is_local_error
from canfetch.client.transports.proxies import Proxy, check_proxy_status, socks_failure, unreachable_proxy
from canfetch.client.transports.response_body import ResponseBuilder
from canfetch.client.transports.sessions import SessionTransport, check_session_request, check_session_type
from canfetch.client.transports.tls import has_authorities
from canfetch.errors import MissingExtra

try:
    import aiohttp
    from aiohttp.abc import AbstractResolver, ResolveResult
    from aiohttp.connector import Connection
    from aiohttp.helpers import netrc_from_env
    from multidict import CIMultiDict
    from yarl import URL
except ImportError as missing:
    raise MissingExtra('aiohttp is not installed: pip install "canfetch[http]"') from missing

# Raised if a request fails. TimeoutError includes those of aiohttp, and EOFError those of connectors for SOCKS proxies.
_ERRORS: Final[tuple[type[Exception], ...]] = (aiohttp.ClientError, EOFError, OSError, ValueError)
# aiohttp cannot limit the size of a head, only the number of fields and the size of each.
_MAX_FIELDS: Final = 512
# At most twice as many bytes are received before canfetch reads them.
_BUFFER_BYTES: Final = 65_536
# aiohttp rounds timeouts above this threshold up to whole seconds. No timeout reaches it.
_CEIL_THRESHOLD: Final = 1e9
_NO_CONTENT: Final = 204
# Where aiohttp looks up the name of a proxy or a site, and connects to it. The handshake in a tunnel is in another
# function. With a proxy, no other name is looked up.
_CONNECTING_FUNCTIONS: Final = ("_resolve_host", "_wrap_create_connection")


class _RequestContext(NamedTuple):
    request: TransportRequest
    deadlines: Deadlines
    sockets: list[socket.socket]


# aiohttp passes only the host to its resolver, and only the address to its socket factory. The context passes the rest.
_CURRENT: Final[ContextVar[_RequestContext]] = ContextVar("_CURRENT")


class AiohttpTransport(SessionTransport["ExistingSession"]):
    """Send requests with aiohttp, with a session for each event loop. A session of the caller belongs to one loop.

    Args:
        ssl_context: TLS settings. By default, certificates are verified with the system's authorities.
        resolve: Function that returns the addresses of a name. The default is the system's resolver.
        proxy: Proxy for all connections, as `http://user:password@host:port`. It overrides the environment. A client
            with `allow_private=False` rejects proxies, because the addresses behind them cannot be checked.
        trust_env: Whether to use the proxies of the environment.
        session: An `aiohttp.ClientSession` to send the requests with, which the transport does not close. Its own
            settings apply, so the other arguments cannot be used. A client with `allow_private=False` rejects it.
    Raises: InvalidOption: A proxy is invalid or unsupported, or `session` is invalid.
    """

    def __init__(self, *, session: aiohttp.ClientSession | None = None, **settings: Unpack[TransportSettings]) -> None:
        super().__init__(None if session is None else ExistingSession(session), settings)
        self._sessions: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = {}

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request for an http or https URL.

        Raises: InvalidURL: The URL is invalid or has no host.
        """
        deadlines = Deadlines(request)
        try:
            if self._session is not None:
                return await self._session.send(request)
            endpoint = parse_endpoint(request.url)
            return await self._send(request, endpoint, deadlines)
        except REQUEST_ERRORS as error:
            return request_failure(error, request.url)

    async def close(self) -> None:
        """Close the session, unless it belongs to the caller."""
        for loop, session in list(self._sessions.items()):
            if loop is asyncio.get_running_loop():
                await session.close()
            else:
                session.detach()
        self._sessions.clear()

    async def _send(self, request: TransportRequest, endpoint: Endpoint, deadlines: Deadlines) -> Response:
        proxy = self._proxies.find_allowed(endpoint, request)
        if is_ip_literal(endpoint.host):
            # aiohttp does not call its resolver for IP addresses.
            filter_addresses(endpoint.host, [endpoint.host], allow_private=request.allow_private)
        sockets: list[socket.socket] = []
        token = _CURRENT.set(_RequestContext(request, deadlines, sockets))
        try:
            with _translated_errors(endpoint, deadlines), _proxy_errors(is_proxied=lambda: proxy is not None):
                async with asyncio.timeout(deadlines.timeout()):
                    return await self._exchange(request, endpoint, proxy)
        except TransportError as error:
            if _is_untrusted(error) and not has_authorities(self._get_ssl_context()):
                raise no_authorities() from None
            raise
        finally:
            with suppress(ValueError):
                # Another context, if the event loop was closed and the request is ended from outside.
                _CURRENT.reset(token)
            # asyncio would wait 30 seconds for a server that does not answer the closing handshake of TLS.
            for opened in sockets:
                with suppress(OSError):
                    opened.shutdown(socket.SHUT_RDWR)

    async def _exchange(self, request: TransportRequest, endpoint: Endpoint, proxy: Proxy | None) -> Response:
        headers = _encode_headers(endpoint, request)
        login = None if proxy is None or proxy.authorization is None else {"Proxy-Authorization": proxy.authorization}
        if login is not None and endpoint.scheme == "http":
            # Plain http requests go to the proxy themselves. aiohttp sends `proxy_headers` with CONNECT only.
            headers.extend(login)
        async with self._get_session().get(
            # `encoded` keeps yarl from normalising the URL.
            URL(endpoint.url, encoded=True),
            headers=headers,
            proxy=None if proxy is None else proxy.url,
            proxy_headers=login,
            allow_redirects=False,
            # Not of the session, which is created once.
            ssl=self._get_ssl_context() if endpoint.scheme == "https" else True,
            timeout=_request_timeout(request, connect=request.connect_timeout),
        ) as response:
            assert isinstance(response, _Response)
            check_proxy_status(response.status, is_proxied=proxy is not None and endpoint.scheme == "http")
            _check_framing(response)
            builder = ResponseBuilder(request, response.status, decode_headers(response.raw_headers))
            while builder.needs_data and (chunk := await response.read_chunk()):
                await builder.feed_async(chunk)
            response.close()
            return builder.build()

    def _get_session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if loop not in self._sessions:
            # Other event loops add theirs at the same time.
            for closed in [other for other in list(self._sessions) if other.is_closed()]:
                if (unused := self._sessions.pop(closed, None)) is not None:
                    unused.detach()
            self._sessions[loop] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=_CheckedResolver(self._resolve),
                    force_close=True,
                    use_dns_cache=False,
                    limit=0,
                    socket_factory=_create_socket,
                ),
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                response_class=_Response,
                middlewares=(_prevent_retry,),
                skip_auto_headers=("User-Agent", "Accept"),
                max_line_size=MAX_HEAD_BYTES,
                max_field_size=MAX_HEAD_BYTES,
                max_headers=_MAX_FIELDS,
            )
        return self._sessions[loop]


class _Response(aiohttp.ClientResponse):
    """A response that checks how its connection ends, which aiohttp does not."""

    _ssl_object: ssl.SSLObject | None = None
    _lost: asyncio.Future[None] | None = None

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        """Keep what shows the end of the connection, because aiohttp drops the connection at the end of the body."""
        if connection.transport is not None:
            self._ssl_object = connection.transport.get_extra_info("ssl_object")
        if connection.protocol is not None and (lost := connection.protocol.closed) is not None:
            # asyncio logs exceptions that are not retrieved.
            lost.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._lost = lost
        return await super().start(connection)

    async def read_chunk(self) -> bytes:
        """Return the next bytes of the body as received, or b"" at its end.

        Raises: TransportError: RESET if the connection was reset or, over TLS, cut before the end of the body.
        """
        try:
            while not (chunk := await self.content.readany()):
                if self.content.at_eof():
                    if self._ends_with_connection():
                        self._check_end_of_connection()
                    return b""
        except aiohttp.ClientPayloadError:
            if self._lost is not None and self._lost.done():
                self._check_end_of_connection()
            raise
        return chunk

    def _ends_with_connection(self) -> bool:
        return self.status != _NO_CONTENT and not {"Content-Length", "Transfer-Encoding"} & self.headers.keys()

    def _check_end_of_connection(self) -> None:
        if self.url.scheme == "https":
            if not _has_closing_alert(self._ssl_object):
                raise TransportError(FailureKind.RESET, "TLS connection was cut without a closing alert")
        elif self._lost is None or not self._lost.done():
            # Never observed. It is unknown how the connection ended, so the body may be incomplete.
            raise TransportError(FailureKind.RESET, "connection lost")
        elif (error := self._lost.exception()) is not None:
            cause = error.__cause__ if isinstance(error.__cause__, OSError) else ConnectionResetError()
            raise classify_os_error(cause, FailureKind.RESET) from None


def _has_closing_alert(ssl_object: ssl.SSLObject | None) -> bool:
    """Return whether the server ended TLS with a closing alert, after the connection was lost.

    asyncio reports every end of a TLS connection in the same way (RFC 9112 section 9.8).
    """
    try:
        return ssl_object is not None and ssl_object.read(1) == b""
    except ssl.SSLZeroReturnError:
        return True
    except ssl.SSLError:
        return False


def _is_untrusted(error: TransportError) -> bool:
    """Return whether the certificate of a server was not accepted."""
    return any(isinstance(cause, ssl.SSLCertVerificationError) for cause in _causes_of_certificates(error))


def _causes_of_certificates(error: TransportError) -> Iterator[BaseException]:
    for cause in causes(error):
        yield cause
        # aiohttp keeps the exception of the handshake in an attribute.
        if isinstance(cause, aiohttp.ClientConnectorCertificateError):
            yield cause.certificate_error


async def _prevent_retry(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Replace the errors after which aiohttp would send the request again."""
    try:
        return await handler(request)
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise _translate_error(error, request.url.scheme) from error


def _create_socket(address: "aiohttp.AddrInfoType") -> socket.socket:
    family, kind, protocol, _, peer = address
    request, _, sockets = _CURRENT.get()
    if not request.allow_private:
        # Some versions of aiohttp connect to hosts such as `127.1` without calling their resolver.
        host = str(peer[0])
        filter_addresses(host, [host], allow_private=False)
    created = socket.socket(family, kind, protocol)
    sockets.append(created)
    return created


class _CheckedResolver(AbstractResolver):
    """Resolve names for aiohttp and return only addresses that may be connected to."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - all families are used
    ) -> list[ResolveResult]:
        """Return the allowed addresses of `host`."""
        request, deadlines, _ = _CURRENT.get()
        addresses = await resolve_host_async(host, self._resolve, deadlines)
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
                "proto": 0,
                "flags": socket.AI_NUMERICHOST,
            }
            for address in filter_addresses(host, addresses, allow_private=request.allow_private)
        ]

    async def close(self) -> None:
        """Do nothing, because the resolver holds no resources."""


def _check_framing(response: aiohttp.ClientResponse) -> None:
    """Check the headers that delimit the body, which aiohttp does only in part.

    Raises: TransportError: PROTOCOL.
    """
    codings = response.headers.getall("Transfer-Encoding", ["chunked"])
    if [coding.lower() for coding in codings] != ["chunked"]:
        # aiohttp would read the body as if it had no transfer coding.
        raise TransportError(FailureKind.PROTOCOL, "unsupported transfer coding")
    if len(set(response.headers.getall("Content-Length", []))) > 1:
        # The parser that aiohttp uses without its C extensions would read the first one.
        raise TransportError(FailureKind.PROTOCOL, "several Content-Length fields")


@contextmanager
def _proxy_errors(*, is_proxied: Callable[[], bool]) -> Iterator[None]:
    """Convert the errors of a connection to a proxy. aiohttp raises the same ones for a connection through it.

    Raises: TransportError: LOCAL.
    """
    try:
        yield
    except (TransportError, aiohttp.ClientConnectorDNSError, aiohttp.ClientSSLError, TimeoutError) as error:
        if not is_proxied() or not any(was_raised_in(error, name) for name in _CONNECTING_FUNCTIONS):
            raise
        if isinstance(error, TransportError):
            raise (error if error.kind is FailureKind.LOCAL else unreachable_proxy(error.detail)) from error.__cause__
        raise unreachable_proxy("timed out" if isinstance(error, TimeoutError) else str(error)[:200]) from error


@contextmanager
def _translated_errors(endpoint: Endpoint, deadlines: Deadlines) -> Iterator[None]:
    """Translate the exceptions of aiohttp, and the TimeoutError of asyncio, to TransportError."""
    try:
        yield
    except TimeoutError as error:
        is_connecting = isinstance(error, aiohttp.ConnectionTimeoutError)
        raise (deadlines.connect_timed_out() if is_connecting else deadlines.read_timed_out()) from error
    except _ERRORS as error:
        raise _translate_error(error, endpoint.scheme) from error
    except Exception as error:
        # A session of the caller can have a connector for such proxies.
        failure = socks_failure(causes(error))
        if failure is None:
            raise
        raise failure from error


def _translate_error(error: Exception, scheme: str) -> TransportError:
    """Return the failure for an exception of aiohttp during a request for a URL with `scheme`."""
    detail = (str(error) or type(error).__name__)[:200]
    if any(map(is_local_error, causes(error))):
        return TransportError(FailureKind.LOCAL, detail)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return unreachable_proxy(detail)
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return TransportError(FailureKind.TLS, detail)
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return TransportError(FailureKind.CONNECT, f"proxy responded {error.status} {error.message}")
    if isinstance(error, aiohttp.ClientConnectorDNSError | aiohttp.InvalidURL):
        return TransportError(FailureKind.DNS, detail)
    if isinstance(error, aiohttp.ClientConnectorError):
        # A reset while connecting to an https server can only happen during the TLS handshake.
        in_handshake = scheme == "https" and isinstance(error.os_error, ConnectionResetError)
        return TransportError(FailureKind.TLS if in_handshake else FailureKind.CONNECT, detail)
    if isinstance(error, aiohttp.ClientPayloadError):
        return TransportError(FailureKind.INCOMPLETE, detail)
    if isinstance(error, aiohttp.ClientResponseError | ValueError):
        return TransportError(FailureKind.PROTOCOL, detail)
    if isinstance(error, OSError):
        return classify_os_error(error, FailureKind.RESET)
    return TransportError(FailureKind.RESET, detail)


def _encode_headers(endpoint: Endpoint, request: TransportRequest) -> CIMultiDict[str]:
    headers = encode_request_headers(endpoint, request.headers)
    return CIMultiDict((name.decode(), value.decode()) for name, value in headers)


def _request_timeout(request: TransportRequest, **connect: float) -> aiohttp.ClientTimeout:
    """Return the timeouts of one request, except the total timeout.

    Args: connect: The timeout to connect, by its name.
    """
    return aiohttp.ClientTimeout(sock_read=request.read_timeout, ceil_threshold=_CEIL_THRESHOLD, **connect)


# The deadlines of the request that this task sends with a session of the caller.
_DEADLINES: Final[ContextVar[Deadlines | None]] = ContextVar("_DEADLINES", default=None)


async def _note_wait(*_: object) -> None:
    if (deadlines := _DEADLINES.get()) is not None:
        deadlines.begin_pool_wait()


async def _note_end_of_wait(*_: object) -> None:
    if (deadlines := _DEADLINES.get()) is not None:
        deadlines.end_pool_wait()


def _pool_trace() -> aiohttp.TraceConfig:
    """Return what tells the requests of this module, and no others, whether they wait for a connection."""
    trace = aiohttp.TraceConfig()
    trace.on_connection_queued_start.append(_note_wait)
    trace.on_connection_queued_end.append(_note_end_of_wait)
    trace.freeze()
    return trace


_POOL_TRACE: Final = _pool_trace()


class ExistingSession:
    """Sends requests with an `aiohttp.ClientSession`, which it does not close.

    Args:
        robots: The middleware of canfetch in the session, or None. It adds no credentials.
        settings: Arguments of `session.get`, such as `proxy`.
    Raises: InvalidOption: `session` is another object.
    """

    def __init__(
        self, session: aiohttp.ClientSession, *, robots: aiohttp.ClientMiddlewareType | None = None, **settings: Any
    ) -> None:
        check_session_type("session", session, aiohttp.ClientSession)
        if _POOL_TRACE not in session.trace_configs:
            session.trace_configs.append(_POOL_TRACE)
        self._session = session
        self._robots = robots
        self._settings = settings

    async def send(self, request: TransportRequest) -> Response:
        """Send a request, and cancel it at the deadline.

        Raises: TransportError.
        """
        check_session_request(request)
        deadlines = Deadlines(request)
        endpoint = parse_endpoint(request.url)
        token = _DEADLINES.set(deadlines)
        try:
            used: list[URL] = []
            with _translated_errors(endpoint, deadlines), _proxy_errors(is_proxied=lambda: bool(used)):
                async with asyncio.timeout(deadlines.timeout()):
                    response = await self._exchange(request, endpoint, partial(_note_proxy, used))
                    return response._replace(pool_seconds=deadlines.pool_seconds)
        except TransportError:
            if deadlines.waits_for_pool:
                raise deadlines.pool_is_full() from None
            if self._session.closed:
                raise TransportError(FailureKind.LOCAL, "the session was closed during the request") from None
            raise
        finally:
            _DEADLINES.reset(token)

    def adds_credentials(self, url: str) -> bool:
        """Return whether the session adds, or may add, credentials to a direct request for `url`."""
        session = self._session
        return (
            session.auth is not None
            or any(has_credentials(name) for name in session.headers)
            or bool(session.cookie_jar.filter_cookies(URL(url, encoded=True)))
            # It is unknown what middlewares add.
            or any(middleware is not self._robots for middleware in self._session_middlewares())
            or (session.trust_env and netrc_from_env() is not None)
        )

    async def _exchange(
        self, request: TransportRequest, endpoint: Endpoint, note_proxy: aiohttp.ClientMiddlewareType
    ) -> Response:
        removal = (_remove_credentials,) if request.cross_origin else ()
        async with self._session.get(
            # `encoded` keeps yarl from normalising the URL.
            URL(endpoint.url, encoded=True),
            headers=_encode_headers(endpoint, request),
            allow_redirects=False,
            raise_for_status=False,
            auto_decompress=False,
            # `connect` would include the wait for a connection of the pool.
            timeout=_request_timeout(request, sock_connect=request.connect_timeout),
            read_bufsize=_BUFFER_BYTES,
            max_line_size=MAX_HEAD_BYTES,
            max_field_size=MAX_HEAD_BYTES,
            max_headers=_MAX_FIELDS,
            # The middlewares of a request replace those of the session.
            middlewares=(*self._session_middlewares(), *removal, note_proxy),
            **self._settings,
        ) as response:
            _check_framing(response)
            # The session may use a proxy.
            check_proxy_status(response.status, is_proxied=endpoint.scheme == "http")
            builder = ResponseBuilder(request, response.status, decode_headers(response.raw_headers))
            while builder.needs_data and not response.content.at_eof():
                await builder.feed_async(await response.content.readany())
            if builder.needs_data:
                response.release()
            else:
                response.close()
            return builder.build()

    def _session_middlewares(self) -> Sequence[aiohttp.ClientMiddlewareType]:
        # aiohttp does not make the middlewares of a session public.
        middlewares: Sequence[aiohttp.ClientMiddlewareType] = getattr(self._session, "_middlewares", ())
        return middlewares


async def _note_proxy(
    used: list[URL], request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Add the proxy that a request uses. It can be one of the environment."""
    if request.proxy is not None:
        used.append(request.proxy)
    return await handler(request)


async def _remove_credentials(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Remove the credentials of the session, which belong to another origin."""
    for name in {name for name in request.headers if has_credentials(name)}:
        request.headers.popall(name, None)
    return await handler(request)
