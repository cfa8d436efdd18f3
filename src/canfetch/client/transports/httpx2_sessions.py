"""Requests with an httpx2 client of the caller.

The client's settings apply, except that redirects are not followed, and that the body is read as received, up to the
size limit. httpx2 has no limit for the time of a whole request: a server that sends interim responses without end would
block it forever. So asynchronous requests are cancelled, and synchronous requests run in a thread that is abandoned.
"""

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import aclosing, closing, contextmanager, suppress
from time import monotonic
from typing import Any, Final

import httpx2

from canfetch.access.responses import FailureKind, Response
from canfetch.client.request_headers import has_credentials
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.endpoints import Endpoint, parse_endpoint
from canfetch.client.transports.failures import TransportError, causes, classify_os_error, describe_protocol_error
from canfetch.client.transports.headers import decode_headers, encode_request_headers
from canfetch.client.transports.httpx2_backends import LIBRARY_ERRORS, is_stream_reset
from canfetch.client.transports.local_errors import describe_os_error, is_local_error
from canfetch.client.transports.proxies import check_proxy_status, socks_failure, unreachable_proxy
from canfetch.client.transports.response_body import ResponseBuilder
from canfetch.client.transports.sessions import check_session_request, check_session_type
from canfetch.client.transports.threaded_exchanges import exchange_in_thread

_CONNECTION_EVENTS: Final = (".connect_tcp.complete", ".start_tls.complete")
_CONNECTING: Final = ".connect_tcp.started"
_EVENTS_BEFORE_SENDING: Final = (_CONNECTING, ".start_tls.started", ".send_request_headers.started")
# After these events, the connection to the proxy exists.
_EVENTS_AFTER_CONNECTING: Final = (".send_request_headers.started", ".setup_socks5_connection.started")
_SUCCESS: Final = 2
_ERRORS: Final[tuple[type[Exception], ...]] = (httpx2.HTTPError, httpx2.InvalidURL, OSError, *LIBRARY_ERRORS)
# Raised for a connection that the server closed while it was idle, among other reasons.
_LOST: Final = (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError, httpx2.CloseError)


class _Exchange:
    """One request with an httpx2 client, and its deadlines."""

    def __init__(self, request: TransportRequest) -> None:
        check_session_request(request)
        self.request = request
        self.deadlines = Deadlines(request)
        self.endpoint: Endpoint = parse_endpoint(request.url)
        self.connection = _Connection(self.deadlines, self.endpoint)
        self.has_head = False

    @property
    def can_repeat(self) -> bool:
        """Whether the request can be sent again: it got no response on a connection that was idle before."""
        return not self.has_head and not self.connection.is_new

    def build(self, client: httpx2.Client | httpx2.AsyncClient, **extensions: Any) -> httpx2.Request:
        """Return the request with the headers and cookies of the client.

        Raises: TransportError: The URL or a header cannot be sent.
        """
        read_timeout = self.deadlines.read_timeout()
        self.connection.built_at = monotonic()
        built = client.build_request(
            "GET",
            self.endpoint.url,
            headers=encode_request_headers(self.endpoint, self.request.headers),
            timeout=httpx2.Timeout(
                connect=self.deadlines.connect_timeout(), read=read_timeout, write=read_timeout, pool=read_timeout
            ),
            # httpx2 would normalise the path, and add the query parameters of the client.
            extensions={"target": self.endpoint.target.encode("ascii"), **extensions},
        )
        if self.request.cross_origin:
            for name in {name for name in built.headers if has_credentials(name)}:
                del built.headers[name]
        return built

    def auth(self, client: httpx2.Client | httpx2.AsyncClient) -> httpx2.Auth:
        """Return the authentication of the client, or one that does nothing after a redirect to another origin."""
        return httpx2.Auth() if client.auth is None or self.request.cross_origin else client.auth

    def start_response(self, response: httpx2.Response) -> ResponseBuilder:
        """Return the builder of the response, whose body is not read yet."""
        self.has_head = True
        self.connection.keep(response)
        self._check_proxy_status(response.status_code)
        headers = decode_headers(response.headers.raw)
        # A hook of the client may have read the body. httpx2 decodes it then.
        builder = ResponseBuilder(self.request, response.status_code, headers, is_decoded=response.is_stream_consumed)
        if response.is_stream_consumed and builder.needs_data:
            builder.feed(response.content)
        return builder

    def response_of_hook(self, error: httpx2.HTTPStatusError) -> Response:
        """Return the response for which a hook of the client called `raise_for_status`, without its body."""
        response = error.response
        self._check_proxy_status(response.status_code)
        if response.status_code // 100 == _SUCCESS:
            raise TransportError(FailureKind.PROTOCOL, str(error)[:200])
        return ResponseBuilder(self.request, response.status_code, decode_headers(response.headers.raw)).build()

    def _check_proxy_status(self, status: int) -> None:
        # The client may use a proxy.
        check_proxy_status(status, is_proxied=self.endpoint.scheme == "http")

    @contextmanager
    def translated_errors(self) -> Iterator[None]:
        """Translate the exceptions of httpx2 and the libraries below it to TransportError."""
        try:
            yield
        except _ERRORS as error:
            raise self._translate(error) from error
        except Exception as error:
            # httpx2 translates only some of them.
            failure = socks_failure([error])
            if failure is None:
                raise
            raise failure from error

    def _translate(self, error: Exception) -> TransportError:
        detail = describe_protocol_error(error)
        if self.connection.goes_to_proxy and isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
            return unreachable_proxy(detail)
        match error:
            case httpx2.TimeoutException():
                return self._translate_timeout(error)
            case httpx2.ConnectError():
                return _connect_failure(error, detail)
            case httpx2.ProxyError():
                return TransportError(FailureKind.CONNECT, f"proxy responded {detail}")
            case httpx2.UnsupportedProtocol():
                return TransportError(FailureKind.SCHEME, detail)
            case httpx2.NetworkError():
                return TransportError(FailureKind.RESET, detail)
            case httpx2.RemoteProtocolError() if is_stream_reset(error.__cause__):
                return TransportError(FailureKind.RESET, "HTTP/2 stream reset")
            case httpx2.RemoteProtocolError() if "disconnected" in detail or "closed connection" in detail:
                return TransportError(FailureKind.INCOMPLETE if self.has_head else FailureKind.RESET, detail)
            case OSError():
                return classify_os_error(error, FailureKind.RESET)
            case _:
                return TransportError(FailureKind.PROTOCOL, detail)

    def _translate_timeout(self, error: httpx2.TimeoutException) -> TransportError:
        match error:
            case httpx2.PoolTimeout():
                return self.deadlines.pool_is_full()
            case httpx2.ConnectTimeout():
                return self.deadlines.connect_timed_out()
            case _:
                return self.deadlines.read_timed_out()


def _adds_credentials(client: httpx2.Client | httpx2.AsyncClient, url: str) -> bool:
    if client.auth is not None:
        return True
    try:
        return any(has_credentials(name) for name in client.build_request("GET", url).headers)
    except _ERRORS:
        return True


class ExistingClient:
    """Sends requests with an `httpx2.Client`, which it does not close.

    Raises: InvalidOption: `client` is another object.
    """

    def __init__(self, client: httpx2.Client) -> None:
        check_session_type("client", client, httpx2.Client)
        self._client = client

    def send(self, request: TransportRequest) -> Response:
        """Send a request in a thread of its own, and wait for it until the deadline.

        Raises: TransportError.
        """
        exchange = _BlockingExchange(request, self._client)
        try:
            return exchange_in_thread(exchange, name="canfetch-httpx2")
        except TransportError as error:
            if self._client.is_closed:
                raise _client_was_closed() from None
            if error.kind is FailureKind.TIMEOUT and exchange.connection.goes_to_proxy:
                raise unreachable_proxy(error.detail) from None
            raise

    def adds_credentials(self, url: str) -> bool:
        """Return whether the client adds credentials to a direct request for `url`."""
        return _adds_credentials(self._client, url)


class _BlockingExchange(_Exchange):
    """A request with an `httpx2.Client`."""

    def __init__(self, request: TransportRequest, client: httpx2.Client) -> None:
        super().__init__(request)
        self._client = client

    def run(self) -> Response:
        """Send the request and read the response.

        Raises: TransportError.
        """
        with self.translated_errors():
            try:
                return self._read_response()
            except _LOST:
                if not self.can_repeat:
                    raise
            return self._read_response()

    def shut_down(self) -> None:
        """Shut the connection down, so that the thread that reads from it ends."""
        self.connection.shut_down()

    def _read_response(self) -> Response:
        request = self.build(self._client, trace=self.connection.trace)
        with closing(self.auth(self._client).sync_auth_flow(request)) as flow:
            request = next(flow)
            while True:
                # Not `client.send(auth=...)`, which reads the whole body of each response except the last.
                try:
                    response = self._client.send(request, stream=True, auth=None, follow_redirects=False)
                except httpx2.HTTPStatusError as error:
                    return self.response_of_hook(error)
                with closing(response):
                    try:
                        request = flow.send(response)
                    except StopIteration:
                        builder = self.start_response(response)
                        if not response.is_stream_consumed:
                            self._read_body(builder, response)
                        return builder.build()

    def _read_body(self, builder: ResponseBuilder, response: httpx2.Response) -> None:
        chunks = response.iter_raw()
        while builder.needs_data:
            self.deadlines.read_timeout()
            chunk = next(chunks, None)
            if chunk is None:
                return
            builder.feed(chunk)


class ExistingAsyncClient:
    """Sends requests with an `httpx2.AsyncClient`, which it does not close.

    Raises: InvalidOption: `client` is another object.
    """

    def __init__(self, client: httpx2.AsyncClient) -> None:
        check_session_type("client", client, httpx2.AsyncClient)
        self._client = client

    async def send(self, request: TransportRequest) -> Response:
        """Send a request, and cancel it at the deadline.

        Raises: TransportError.
        """
        exchange = _Exchange(request)
        try:
            async with asyncio.timeout(exchange.deadlines.timeout()):
                with exchange.translated_errors():
                    response = await self._send(exchange)
                    return response._replace(pool_seconds=exchange.deadlines.pool_seconds)
        except TimeoutError:
            if not exchange.connection.is_used:
                raise exchange.deadlines.pool_is_full() from None
            if exchange.connection.goes_to_proxy:
                raise unreachable_proxy("timed out") from None
            raise exchange.deadlines.read_timed_out() from None
        except TransportError:
            if self._client.is_closed:
                raise _client_was_closed() from None
            raise

    def adds_credentials(self, url: str) -> bool:
        """Return whether the client adds credentials to a direct request for `url`."""
        return _adds_credentials(self._client, url)

    async def _send(self, exchange: _Exchange) -> Response:
        try:
            return await self._read_response(exchange)
        except _LOST:
            if not exchange.can_repeat:
                raise
        return await self._read_response(exchange)

    async def _read_response(self, exchange: _Exchange) -> Response:
        request = exchange.build(self._client, trace=exchange.connection.trace_async)
        async with aclosing(exchange.auth(self._client).async_auth_flow(request)) as flow:
            request = await anext(flow)
            while True:
                try:
                    response = await self._client.send(request, stream=True, auth=None, follow_redirects=False)
                except httpx2.HTTPStatusError as error:
                    return exchange.response_of_hook(error)
                async with aclosing(response):
                    try:
                        request = await flow.asend(response)
                    except StopAsyncIteration:
                        builder = exchange.start_response(response)
                        if not response.is_stream_consumed:
                            async with aclosing(response.aiter_raw()) as chunks:
                                return await builder.read_async(chunks)
                        return builder.build()


class _Connection:
    """The connection of one request, to shut it down from another thread."""

    def __init__(self, deadlines: Deadlines, endpoint: Endpoint) -> None:
        self._deadlines = deadlines
        self._endpoint = endpoint
        self._stream: Any = None
        self._is_shut_down = False
        self.is_new = False
        # Until the first event, the request waits for a connection of the pool.
        self.is_used = False
        # Whether it is being made to a proxy, and not through one.
        self.goes_to_proxy = False
        self.built_at = 0.0

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Remember the connection that httpx2 makes.

        Raises: TransportError: TIMEOUT if the request was abandoned while it was connecting.
        """
        if not self.is_used:
            self.is_used = True
            self._deadlines.add_pool_wait(monotonic() - self.built_at)
        if event.endswith(_CONNECTING):
            peer = info["host"].rstrip("."), info["port"]
            self.goes_to_proxy = peer != (self._endpoint.tls_name, self._endpoint.port)
        elif event.endswith(_EVENTS_AFTER_CONNECTING):
            self.goes_to_proxy = False
        if event.endswith(_CONNECTION_EVENTS):
            self.is_new = True
            self._stream = info["return_value"]
        # Not at other events: an exception at the end of a request would keep httpx2 from closing the connection.
        if self._is_shut_down and event.endswith(_EVENTS_BEFORE_SENDING):
            raise self._deadlines.read_timed_out()

    async def trace_async(self, event: str, info: dict[str, Any]) -> None:
        """Do the same as `trace`."""
        self.trace(event, info)

    def keep(self, response: httpx2.Response) -> None:
        """Remember the connection of a response, which may be an older one."""
        self._stream = response.extensions.get("network_stream", self._stream)

    def shut_down(self) -> None:
        """Shut the connection down, so that the thread that reads from it ends.

        A connection with HTTP/2 stays open, because other requests of the caller may use it.
        """
        self._is_shut_down = True
        stream = self._stream
        if stream is None or _uses_http2(stream):
            return
        connected = stream.get_extra_info("socket")
        if isinstance(connected, socket.socket):
            with suppress(OSError):
                # Not the method of an SSLSocket, which must not be called while another thread reads.
                socket.socket.shutdown(connected, socket.SHUT_RDWR)


def _client_was_closed() -> TransportError:
    return TransportError(FailureKind.LOCAL, "the client was closed during the request")


def _uses_http2(stream: Any) -> bool:
    tls = stream.get_extra_info("ssl_object")
    return tls is not None and tls.selected_alpn_protocol() == "h2"


def _connect_failure(error: BaseException, detail: str) -> TransportError:
    """Return the failure for a connection that was not made."""
    for cause in causes(error):
        if isinstance(cause, OSError) and is_local_error(cause):
            return TransportError(FailureKind.LOCAL, describe_os_error(cause))
        if isinstance(cause, ssl.SSLError):
            return TransportError(FailureKind.TLS, detail)
        if isinstance(cause, socket.gaierror):
            return TransportError(FailureKind.DNS, detail)
    return TransportError(FailureKind.CONNECT, detail)
