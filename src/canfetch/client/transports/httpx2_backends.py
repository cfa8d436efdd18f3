"""Network backends for httpx2, with the same address checks and deadlines as the default transports.

A backend serves one request, and its deadlines are those of the request.
"""

import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Final

import httpcore2

from canfetch.access.responses import FailureKind
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.connections import AsyncConnection, Connection, connect, connect_async
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.dns import Resolve
from canfetch.client.transports.endpoints import parse_endpoint
from canfetch.client.transports.failures import TransportError, describe_protocol_error
from canfetch.client.transports.h11_patterns import use_linear_patterns
from canfetch.client.transports.headers import MAX_HEAD_BYTES, encode_request_headers
from canfetch.client.transports.proxies import proxy_errors

use_linear_patterns()


class RequestState:
    """A request that is being sent: its endpoint, its deadlines, and how far the response has been read.

    Raises:
        InvalidURL: The URL is invalid or has no host.
        TransportError: SCHEME or TLS for an unsupported URL. PROTOCOL for headers that cannot be sent.
    """

    def __init__(self, request: TransportRequest, resolve: Resolve) -> None:
        self.request = request
        self.resolve = resolve
        self.deadlines = Deadlines(request)
        self.endpoint = parse_endpoint(request.url)
        self.headers = encode_request_headers(self.endpoint, request.headers)
        self.is_proxied = False
        self.has_head = False
        self.at_end = False
        self._head_bytes = 0

    def before_read(self) -> None:
        """Check that more data may be received.

        Raises: TransportError: PROTOCOL if the head is too long.
        """
        if self._head_bytes > MAX_HEAD_BYTES and not self.has_head:
            raise TransportError(FailureKind.PROTOCOL, f"response head is longer than {MAX_HEAD_BYTES} bytes")

    def after_read(self, data: bytes) -> bytes:
        """Count received bytes and return them. b"" is the end of the data."""
        self.at_end = not data
        self._head_bytes += len(data)
        return data


class CheckedBackend(httpcore2.NetworkBackend):
    """Connects to checked addresses over blocking sockets."""

    def __init__(self, state: RequestState) -> None:
        self._state = state

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the request's deadlines apply
        local_address: str | None = None,  # noqa: ARG002 - never set
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002 - never set
    ) -> httpcore2.NetworkStream:
        """Connect to an allowed address of `host`."""
        state = self._state
        with proxy_errors(is_proxied=state.is_proxied):
            connection = connect(
                _without_brackets(host),
                port,
                allow_private=state.request.allow_private,
                resolve=state.resolve,
                deadlines=state.deadlines,
            )
        return _Stream(connection, state)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, connection: Connection, state: RequestState) -> None:
        self._connection = connection
        self._state = state

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the request's deadlines
        self._state.before_read()
        return self._state.after_read(self._connection.receive(max_bytes))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - the request's deadlines
        self._connection.send(buffer)

    def close(self) -> None:
        self._connection.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,  # noqa: ARG002 - TLS is never used with the proxy, only with the endpoint
        timeout: float | None = None,  # noqa: ARG002 - the request's deadlines
    ) -> httpcore2.NetworkStream:
        try:
            self._connection.start_tls(ssl_context, self._state.endpoint.tls_name)
        except BaseException:
            # httpcore2 does not close a connection whose handshake fails.
            self._connection.close()
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        return self._connection.tls if info == "ssl_object" else None


class AsyncCheckedBackend(httpcore2.AsyncNetworkBackend):
    """Connects to checked addresses over asyncio."""

    def __init__(self, state: RequestState) -> None:
        self._state = state

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - the request's deadlines apply
        local_address: str | None = None,  # noqa: ARG002 - never set
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002 - never set
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to an allowed address of `host`."""
        state = self._state
        with proxy_errors(is_proxied=state.is_proxied):
            connection = await connect_async(
                _without_brackets(host),
                port,
                allow_private=state.request.allow_private,
                resolve=state.resolve,
                deadlines=state.deadlines,
            )
        return _AsyncStream(connection, state)


class _AsyncStream(httpcore2.AsyncNetworkStream):
    def __init__(self, connection: AsyncConnection, state: RequestState) -> None:
        self._connection = connection
        self._state = state

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109
        self._state.before_read()
        return self._state.after_read(await self._connection.receive(max_bytes))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109
        await self._connection.send(buffer)

    async def aclose(self) -> None:
        self._connection.close()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,  # noqa: ARG002 - TLS is never used with the proxy, only with the endpoint
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - the request's deadlines
    ) -> httpcore2.AsyncNetworkStream:
        try:
            await self._connection.start_tls(ssl_context, self._state.endpoint.tls_name)
        except BaseException:
            # httpcore2 does not close a connection whose handshake fails.
            self._connection.close()
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        return self._connection.tls if info == "ssl_object" else None


def _without_brackets(host: str) -> str:
    return host.removeprefix("[").removesuffix("]")


HTTP2_AVAILABLE: Final = find_spec("h2") is not None


def _library_errors() -> tuple[type[Exception], ...]:
    errors: tuple[type[Exception], ...] = (
        httpcore2.ProtocolError,
        httpcore2.ProxyError,
        httpcore2.ConnectionNotAvailable,
        # Raised for an HTTP/2 status that is not a number.
        ValueError,
    )
    if not HTTP2_AVAILABLE:
        return errors
    # httpcore2 does not translate these while it reads a body.
    from h2.exceptions import H2Error  # noqa: PLC0415 - optional

    return (*errors, H2Error)


LIBRARY_ERRORS: Final = _library_errors()


@contextmanager
def translate_errors(state: RequestState) -> Iterator[None]:
    """Translate exceptions of the libraries to TransportError, which the backends raise themselves."""
    try:
        yield
    except LIBRARY_ERRORS as error:
        raise _translate_error(error, state) from error


def _translate_error(error: Exception, state: RequestState) -> TransportError:
    detail = describe_protocol_error(error)
    if isinstance(error, httpcore2.ProxyError):
        return TransportError(FailureKind.CONNECT, f"proxy responded {detail}")
    if is_stream_reset(error):
        return TransportError(FailureKind.RESET, "HTTP/2 stream reset")
    if state.at_end:
        return TransportError(FailureKind.INCOMPLETE if state.has_head else FailureKind.RESET, detail)
    return TransportError(FailureKind.PROTOCOL, detail)


def is_stream_reset(error: BaseException | None) -> bool:
    """Return whether the server aborted one response over HTTP/2."""
    # httpcore2 raises an exception with the event of h2.
    return error is not None and bool(error.args) and type(error.args[0]).__name__ == "StreamReset"
