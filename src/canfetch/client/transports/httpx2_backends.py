"""Network backends for httpx2, with the same address checks and deadlines as the default transports.

A backend serves one request, and its deadlines are those of the request.
"""

import ssl
from collections.abc import Iterable
from typing import Any

import anyio
import httpcore2
from anyio.abc import ByteStream
from anyio.streams.tls import TLSAttribute, TLSStream

from canfetch.access.responses import FailureKind
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.addresses import filter_addresses
from canfetch.client.transports.connections import Connection, connect
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.dns import Resolve, resolve_host_async
from canfetch.client.transports.endpoints import parse_endpoint
from canfetch.client.transports.failures import TransportError, classify_os_error
from canfetch.client.transports.happy_eyeballs import connect_error
from canfetch.client.transports.headers import MAX_HEAD_BYTES, encode_request_headers


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
        self.has_head = False
        self.at_end = False
        self._head_bytes = 0

    def before_read(self) -> float:
        """Return the seconds left to receive the next bytes.

        Raises: TransportError: PROTOCOL if the head is too long. TIMEOUT if no time is left.
        """
        if self._head_bytes > MAX_HEAD_BYTES and not self.has_head:
            raise TransportError(FailureKind.PROTOCOL, f"response head is longer than {MAX_HEAD_BYTES} bytes")
        return self.deadlines.read_timeout()

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
    """Connects to checked addresses with anyio, which httpx2 depends on."""

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
        """Connect to `host`. Its allowed addresses are tried in turn, each with an equal share of the time left."""
        state, deadlines, name = self._state, self._state.deadlines, _without_brackets(host)
        resolved = await resolve_host_async(name, state.resolve, deadlines)
        addresses = filter_addresses(name, resolved, allow_private=state.request.allow_private)
        last_error = TransportError(FailureKind.DNS, f"{name} has no address")
        for tried, address in enumerate(addresses):
            try:
                with anyio.fail_after(deadlines.connect_timeout() / (len(addresses) - tried)):
                    return _AsyncStream(await anyio.connect_tcp(address, port), state)
            except TimeoutError:
                last_error = deadlines.connect_timed_out()
            except OSError as error:
                # anyio reports that all attempts failed. The cause is the error of the only attempt.
                cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
                last_error = connect_error(address, port, cause)
        raise last_error


class _AsyncStream(httpcore2.AsyncNetworkStream):
    def __init__(self, stream: ByteStream, state: RequestState) -> None:
        self._stream = stream
        self._state = state
        self._deadlines = state.deadlines

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109
        try:
            with anyio.fail_after(self._state.before_read()):
                return self._state.after_read(await self._stream.receive(max_bytes))
        except TimeoutError:
            raise self._deadlines.read_timed_out() from None
        except anyio.EndOfStream:
            return self._state.after_read(b"")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise _reset_error(error) from None
        except OSError as error:
            raise classify_os_error(error, FailureKind.RESET) from None

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109
        if not buffer:
            return
        try:
            with anyio.fail_after(self._deadlines.read_timeout()):
                await self._stream.send(buffer)
        except TimeoutError:
            raise self._deadlines.read_timed_out() from None
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            # A response may have been received before the connection broke.
            return

    async def aclose(self) -> None:
        # A closing handshake would wait for the server.
        await anyio.aclose_forcefully(self._stream)

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,  # noqa: ARG002 - TLS is never used with the proxy, only with the endpoint
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - the request's deadlines
    ) -> httpcore2.AsyncNetworkStream:
        try:
            return await self._start_tls(ssl_context)
        except BaseException:
            # httpcore2 does not close a connection whose handshake fails.
            await self.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        if info != "ssl_object":
            return None
        return self._stream.extra(TLSAttribute.ssl_object, None)  # noqa: S610 - not a Django query

    async def _start_tls(self, context: ssl.SSLContext) -> "_AsyncStream":
        name = self._state.endpoint.tls_name
        try:
            with anyio.fail_after(self._deadlines.connect_timeout()):
                # RFC 9112 section 9.8: a connection that was cut must be distinguishable from one that was closed.
                stream = await TLSStream.wrap(self._stream, hostname=name, ssl_context=context)
        except TimeoutError:
            raise self._deadlines.connect_timed_out() from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream) as error:
            raise TransportError(FailureKind.TLS, _reset_error(error).detail) from None
        except OSError as error:
            raise TransportError(FailureKind.TLS, classify_os_error(error, FailureKind.TLS).detail) from None
        return _AsyncStream(stream, self._state)


def _without_brackets(host: str) -> str:
    return host.removeprefix("[").removesuffix("]")


def _reset_error(error: Exception) -> TransportError:
    if isinstance(error.__cause__, OSError):
        return TransportError(FailureKind.RESET, classify_os_error(error.__cause__, FailureKind.RESET).detail)
    return TransportError(FailureKind.RESET, "connection reset")
