"""The ground under httpx2: connections that are guarded and timed like the standard library's here.

A backend serves one request, so that its deadlines are that request's.
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
from canfetch.client.transports.addresses import permitted
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failing import Failed, failed_by
from canfetch.client.transports.http1 import HEAD_OCTETS_LIMIT
from canfetch.client.transports.names import Resolve, addresses_of_async
from canfetch.client.transports.places import place_of, wire_headers
from canfetch.client.transports.wires import Wire, connect


class Journey:
    """One request under way: where to, how long, and whether the other side has ended it.

    Raises: InvalidURL; Failed: SCHEME, or PROTOCOL for headers that cannot be sent.
    """

    def __init__(self, request: TransportRequest, resolve: Resolve) -> None:
        self.request = request
        self.resolve = resolve
        self.deadlines = Deadlines(request)
        self.place = place_of(request.url)
        self.headers = wire_headers(self.place, request.headers)
        self.answered = False
        self.ended = False
        self._head_octets = 0

    def before_read(self) -> float:
        """Give the seconds that the next octets may take.

        Raises: Failed: PROTOCOL, where a head does not end; TIMEOUT.
        """
        if self._head_octets > HEAD_OCTETS_LIMIT and not self.answered:
            raise Failed(FailureKind.PROTOCOL, f"a head of more than {HEAD_OCTETS_LIMIT} octets")
        return self.deadlines.read_timeout()

    def after_read(self, octets: bytes) -> bytes:
        """Keep account of what came; nothing is the end."""
        self.ended = not octets
        self._head_octets += len(octets)
        return octets


class Backend(httpcore2.NetworkBackend):
    """Connects by `wires`."""

    def __init__(self, journey: Journey) -> None:
        self._journey = journey

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the deadlines
        local_address: str | None = None,  # noqa: ARG002 - never given
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        """Connect, to an address that was checked."""
        journey = self._journey
        wire = connect(
            _bare(host),
            port,
            allow_private=journey.request.allow_private,
            resolve=journey.resolve,
            deadlines=journey.deadlines,
        )
        return _Stream(wire, journey)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, wire: Wire, journey: Journey) -> None:
        self._wire = wire
        self._journey = journey

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the deadlines
        self._journey.before_read()
        return self._journey.after_read(self._wire.receive(max_bytes))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - the deadlines
        self._wire.send(buffer)

    def close(self) -> None:
        self._wire.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,  # noqa: ARG002 - the journey's: a proxy is never spoken TLS to
        timeout: float | None = None,  # noqa: ARG002 - the deadlines
    ) -> httpcore2.NetworkStream:
        try:
            self._wire.start_tls(ssl_context, self._journey.place.tls_name)
        except BaseException:
            # A connection that is not made belongs to nobody else yet.
            self._wire.close()
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        return self._wire.tls if info == "ssl_object" else None


class AsyncBackend(httpcore2.AsyncNetworkBackend):
    """Connects by anyio, which httpx2 brings along."""

    def __init__(self, journey: Journey) -> None:
        self._journey = journey

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - the deadlines
        local_address: str | None = None,  # noqa: ARG002 - never given
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore2.AsyncNetworkStream:
        """Connect, to an address that was checked: the addresses in turn, each with its share of the time."""
        journey, deadlines, name = self._journey, self._journey.deadlines, _bare(host)
        found = await addresses_of_async(name, journey.resolve, deadlines)
        addresses = permitted(name, found, allow_private=journey.request.allow_private)
        failed = Failed(FailureKind.DNS, f"{name} has no address")
        for tried, address in enumerate(addresses):
            try:
                with anyio.fail_after(deadlines.connect_timeout() / (len(addresses) - tried)):
                    return _AsyncStream(await anyio.connect_tcp(address, port), journey)
            except TimeoutError:
                failed = deadlines.too_late_to_connect()
            except OSError as error:
                # anyio says that all attempts failed; the one attempt that there was says why.
                cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
                detail = failed_by(cause, FailureKind.CONNECT).detail
                failed = Failed(FailureKind.CONNECT, f"{address} port {port}: {detail}")
        raise failed


class _AsyncStream(httpcore2.AsyncNetworkStream):
    def __init__(self, stream: ByteStream, journey: Journey) -> None:
        self._stream = stream
        self._journey = journey
        self._deadlines = journey.deadlines

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109
        try:
            with anyio.fail_after(self._journey.before_read()):
                return self._journey.after_read(await self._stream.receive(max_bytes))
        except TimeoutError:
            raise self._deadlines.too_late_to_read() from None
        except anyio.EndOfStream:
            return self._journey.after_read(b"")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise _broken(error) from None
        except OSError as error:
            raise failed_by(error, FailureKind.RESET) from None

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109
        if not buffer:
            return
        try:
            with anyio.fail_after(self._deadlines.read_timeout()):
                await self._stream.send(buffer)
        except TimeoutError:
            raise self._deadlines.too_late_to_read() from None
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            # There may be an answer to be read all the same.
            return

    async def aclose(self) -> None:
        # A closing handshake would wait for the other side.
        await anyio.aclose_forcefully(self._stream)

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,  # noqa: ARG002 - the journey's: a proxy is never spoken TLS to
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - the deadlines
    ) -> httpcore2.AsyncNetworkStream:
        try:
            return await self._tls(ssl_context)
        except BaseException:
            # A connection that is not made belongs to nobody else yet.
            await self.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        if info != "ssl_object":
            return None
        return self._stream.extra(TLSAttribute.ssl_object, None)  # noqa: S610 - this is not Django

    async def _tls(self, context: ssl.SSLContext) -> "_AsyncStream":
        name = self._journey.place.tls_name
        try:
            with anyio.fail_after(self._deadlines.connect_timeout()):
                # A connection that is cut must not look like one that ended: RFC 9112 section 9.8.
                stream = await TLSStream.wrap(self._stream, hostname=name, ssl_context=context)
        except TimeoutError:
            raise self._deadlines.too_late_to_connect() from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream) as error:
            raise Failed(FailureKind.TLS, _broken(error).detail) from None
        except OSError as error:
            raise Failed(FailureKind.TLS, failed_by(error, FailureKind.TLS).detail) from None
        return _AsyncStream(stream, self._journey)


def _bare(host: str) -> str:
    return host.removeprefix("[").removesuffix("]")


def _broken(error: Exception) -> Failed:
    if isinstance(error.__cause__, OSError):
        return Failed(FailureKind.RESET, failed_by(error.__cause__, FailureKind.RESET).detail)
    return Failed(FailureKind.RESET, "the connection broke")
