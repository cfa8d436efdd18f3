"""Connections on an asyncio event loop, with deadlines. Each connects to the very address that was checked.

TLS runs on memory buffers, because asyncio's own TLS reports a connection that was cut like one that was closed
(RFC 9112 section 9.8).
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable
from typing import Final, Self, TypeVar

from canfetch.access.responses import FailureKind
from canfetch.client.transports.addresses import filter_addresses
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.dns import Resolve, resolve_host_async
from canfetch.client.transports.failures import TransportError, classify_os_error, tls_cut_error
from canfetch.client.transports.happy_eyeballs import ConnectedSocket, connect_socket_async

# Less than for blocking connections, because no other task runs while the bytes are processed.
_RECEIVE_BYTES: Final = 16_384
_Result = TypeVar("_Result")


class AsyncConnection:
    """A TCP connection. Every call returns within the deadlines or raises TransportError.

    Args:
        connected: The connected, non-blocking socket and its address.
        deadlines: Deadlines of the request.
    """

    def __init__(self, connected: ConnectedSocket, deadlines: Deadlines) -> None:
        self.peer = connected.address
        self._socket = connected.socket
        self._deadlines = deadlines
        self._loop = asyncio.get_running_loop()
        self._tls: _TLS | None = None

    async def start_tls(self, context: ssl.SSLContext, name: str) -> None:
        """Start TLS, with a certificate for `name` required.

        Raises: TransportError: TLS or TIMEOUT.
        """
        try:
            async with asyncio.timeout(self._deadlines.connect_timeout()):
                tls = _TLS(self._loop, self._socket, context, name)
                await tls.handshake()
        except TimeoutError:
            raise self._deadlines.connect_timed_out() from None
        except (OSError, ValueError) as error:
            # Every error during the handshake is a TLS failure, even a reset: the server rejects our handshake.
            detail = classify_os_error(error, FailureKind.TLS).detail if isinstance(error, OSError) else str(error)
            raise TransportError(FailureKind.TLS, detail) from None
        self._tls = tls

    async def send(self, data: bytes) -> None:
        """Send all of `data`. If the connection breaks, return, because a response may have been received before.

        Raises: TransportError: TIMEOUT.
        """
        try:
            async with asyncio.timeout(self._deadlines.read_timeout()):
                if self._tls is None:
                    await self._loop.sock_sendall(self._socket, data)
                else:
                    await self._tls.send(data)
        except TimeoutError:
            raise self._deadlines.read_timed_out() from None
        except OSError:
            return

    @property
    def tls(self) -> ssl.SSLObject | None:
        """The TLS session, or None if the connection does not use TLS."""
        return None if self._tls is None else self._tls.session

    async def receive(self, limit: int = _RECEIVE_BYTES) -> bytes:
        """Return the next bytes, or b"" at the end of the data.

        Raises: TransportError: RESET, TIMEOUT or TLS.
        """
        try:
            async with asyncio.timeout(self._deadlines.read_timeout()):
                if self._tls is None:
                    return await _receive(self._loop, self._socket, limit)
                return await self._tls.receive(limit)
        except TimeoutError:
            raise self._deadlines.read_timed_out() from None
        except ssl.SSLEOFError:
            raise tls_cut_error() from None
        except OSError as error:
            raise classify_os_error(error, FailureKind.RESET) from None

    def close(self) -> None:
        """Close the connection without waiting."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _TLS:
    """A TLS session over a socket. `session` reads and writes memory buffers only."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, connected: socket.socket, context: ssl.SSLContext, name: str
    ) -> None:
        self._loop = loop
        self._socket = connected
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self.session = context.wrap_bio(self._incoming, self._outgoing, server_hostname=name)

    async def handshake(self) -> None:
        await self._run(self.session.do_handshake)
        await self._flush()

    async def send(self, data: bytes) -> None:
        await self._run(lambda: self.session.write(data))
        await self._flush()

    async def receive(self, limit: int) -> bytes:
        """Return the next bytes, or b"" after a closing alert.

        Raises: OSError, with SSLEOFError for a connection that was cut.
        """
        try:
            data = await self._run(lambda: self.session.read(limit))
        except ssl.SSLZeroReturnError:
            return b""
        # The received data counts, even if the server accepts no more.
        with contextlib.suppress(OSError):
            await self._flush()
        return data

    async def _run(self, operation: Callable[[], _Result]) -> _Result:
        """Perform an operation of the session, and send and receive what it needs to finish."""
        while True:
            try:
                return operation()
            except ssl.SSLWantReadError:
                await self._flush()
                data = await _receive(self._loop, self._socket, _RECEIVE_BYTES)
                if data:
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            except ssl.SSLError:
                # The session may have written an alert.
                with contextlib.suppress(OSError):
                    await self._flush()
                raise

    async def _flush(self) -> None:
        if self._outgoing.pending:
            await self._loop.sock_sendall(self._socket, self._outgoing.read())


async def connect_async(
    host: str, port: int, *, allow_private: bool, resolve: Resolve, deadlines: Deadlines
) -> AsyncConnection:
    """Connect to the first address of `host` that accepts. The attempts overlap.

    Raises: TransportError: DNS, FORBIDDEN_ADDRESS, CONNECT or TIMEOUT. If all addresses fail, the last error.
    """
    resolved = await resolve_host_async(host, resolve, deadlines)
    addresses = filter_addresses(host, resolved, allow_private=allow_private)
    try:
        async with asyncio.timeout(deadlines.connect_timeout()):
            return AsyncConnection(await connect_socket_async(addresses, port), deadlines)
    except TimeoutError:
        raise deadlines.connect_timed_out() from None


async def _receive(loop: asyncio.AbstractEventLoop, connected: socket.socket, limit: int) -> bytes:
    # `sock_recv` returns at once if data is available, so a fast server could keep other tasks from running.
    await asyncio.sleep(0)
    return await loop.sock_recv(connected, limit)
