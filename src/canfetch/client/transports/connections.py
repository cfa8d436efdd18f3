"""TCP connections with deadlines, blocking and on an asyncio event loop, to an address that was checked before.

Several addresses are tried at overlapping times: a new attempt starts every 250 ms, or as soon as one fails, while the
earlier attempts continue. On an event loop, TLS runs on memory buffers, because asyncio's own TLS reports a connection
that was cut like one that was closed (RFC 9112 section 9.8).

Source: RFC 8305 section 5.
"""

import asyncio
import contextlib
import errno
import os
import selectors
import socket
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final, NamedTuple, TypeVar

from canfetch.access.responses import NOT_CONNECTED, FailureKind
from canfetch.client.transports.addresses import filter_addresses
from canfetch.client.transports.deadlines import EARLY_SECONDS, Deadlines
from canfetch.client.transports.dns import Resolve, resolve_host, resolve_host_async
from canfetch.client.transports.failures import TransportError, classify_os_error, tls_cut_error
from canfetch.client.transports.fetch_rules import NO_RULES, FetchRules
from canfetch.client.transports.local_errors import describe_os_error, has_route, is_local_error
from canfetch.client.transports.tls import has_authorities
from canfetch.client.transports.turns import call_in_turn, call_off_loop

_RECEIVE_BYTES: Final = 65_536
# Less than for blocking connections, because no other task runs while the bytes are processed.
_ASYNC_RECEIVE_BYTES: Final = 16_384
_SEND_BYTES: Final = 16_384
# Records of TLS with fewer bytes are read several at a time, in half a millisecond. Most have 16 KiB.
_SMALL_RECORD: Final = 512
_RECORDS_AT_A_TIME: Final = 128
_ATTEMPT_DELAY: Final = 0.25
_Result = TypeVar("_Result")


class ConnectedSocket(NamedTuple):
    """A connected socket, and the address that it is connected to."""

    socket: socket.socket
    address: str


class Connection:
    """A TCP connection. Every call returns within the deadlines or raises TransportError.

    Args:
        connected: The connected socket and its address.
        deadlines: Deadlines of the request.
    """

    def __init__(self, connected: ConnectedSocket, deadlines: Deadlines) -> None:
        # Not read from the socket: `getpeername` fails after a reset.
        self.peer = connected.address
        self._socket = connected.socket
        self._deadlines = deadlines

    def start_tls(self, context: ssl.SSLContext, name: str) -> None:
        """Start TLS, with a certificate for `name` required.

        Raises: TransportError: TLS or TIMEOUT.
        """
        expires_at = self._set_timeout(self._deadlines.connect_timeout())
        try:
            # RFC 9112 section 9.8: a connection that was cut must be distinguishable from one that was closed.
            self._socket = context.wrap_socket(self._socket, server_hostname=name, suppress_ragged_eofs=False)
        except TimeoutError as error:
            _check_raised_by_socket(error, expires_at)
            raise self._deadlines.connect_timed_out() from None
        except OSError as error:
            _check_raised_by_socket(error, expires_at)
            raise handshake_error(error, context) from None

    @property
    def tls(self) -> ssl.SSLSocket | None:
        """The TLS socket, or None if the connection does not use TLS."""
        return self._socket if isinstance(self._socket, ssl.SSLSocket) else None

    def send(self, data: bytes) -> None:
        """Send all of `data`. If the connection breaks, return, because a response may have been received before.

        Raises: TransportError: TIMEOUT.
        """
        # In pieces, because over TLS each record would have the whole timeout.
        for start in range(0, len(data), _SEND_BYTES):
            expires_at = self._set_timeout(self._deadlines.read_timeout())
            try:
                self._socket.sendall(data[start : start + _SEND_BYTES])
            except TimeoutError as error:
                _check_raised_by_socket(error, expires_at)
                raise self._deadlines.read_timed_out() from None
            except OSError as error:
                _check_raised_by_socket(error, expires_at)
                return

    def receive(self, limit: int = _RECEIVE_BYTES) -> bytes:
        """Return the next bytes, or b"" at the end of the data.

        Raises: TransportError: RESET, TIMEOUT or TLS.
        """
        expires_at = self._set_timeout(self._deadlines.read_timeout())
        try:
            return self._socket.recv(limit)
        except TimeoutError as error:
            _check_raised_by_socket(error, expires_at)
            raise self._deadlines.read_timed_out() from None
        except ssl.SSLEOFError:
            raise tls_cut_error() from None
        except OSError as error:
            _check_raised_by_socket(error, expires_at)
            raise classify_os_error(error, FailureKind.RESET) from None

    def close(self) -> None:
        """Close the connection without waiting."""
        self._socket.close()

    def _set_timeout(self, seconds: float) -> float:
        """Set the time for the next call, and return when it is over."""
        self._socket.settimeout(seconds)
        return monotonic() + seconds


def _check_raised_by_socket(error: OSError, expires_at: float) -> None:
    """Raise an exception again if it is not about the connection: a signal handler of the caller has raised it.

    Exceptions of the system and of TLS have a number. A timeout of a socket has none, and comes when its time is over.
    """
    is_early = monotonic() < expires_at - EARLY_SECONDS
    if error.errno is None and (is_early or not isinstance(error, TimeoutError)):
        raise error


def connect(
    host: str, port: int, *, allow_private: bool, resolve: Resolve, deadlines: Deadlines, rules: FetchRules = NO_RULES
) -> Connection:
    """Connect to the first address of `host` that accepts. The attempts overlap.

    Raises: TransportError: DNS, FORBIDDEN_ADDRESS, CONNECT or TIMEOUT. If all addresses fail, the last error.
    """
    rules.check_host(host, port)
    addresses = filter_addresses(host, resolve_host(host, resolve, deadlines), allow_private=allow_private)
    addresses = rules.filter_addresses(host, addresses)
    return Connection(connect_socket(addresses, port, deadlines.connect_timeout), deadlines)


def connect_to_peer(
    connection: Connection, host: str, port: int, *, deadlines: Deadlines, rules: FetchRules
) -> Connection:
    """Connect to another port of the server at the other end of `connection`, whose address was checked before.

    Args: host: The name of the server.
    Raises: TransportError: FORBIDDEN_ADDRESS, CONNECT or TIMEOUT.
    """
    rules.check_host(host, port)
    return Connection(connect_socket([connection.peer], port, deadlines.read_timeout), deadlines)


def connect_socket(addresses: Sequence[str], port: int, seconds_left: Callable[[], float]) -> ConnectedSocket:
    """Connect to one of `addresses` in blocking mode.

    Args:
        addresses: IP addresses, best first.
        port: TCP port.
        seconds_left: Returns the seconds left to connect, or raises TransportError.
    Raises: TransportError: CONNECT or TIMEOUT. If all addresses fail, the last error.
    """
    waiting = deque(addresses)
    attempts: dict[socket.socket, str] = {}
    winner: socket.socket | None = None
    last_error: TransportError | None = None
    next_attempt_at = monotonic()
    with _selector() as selector:
        try:
            while True:
                while waiting and (not attempts or monotonic() >= next_attempt_at):
                    address = waiting.popleft()
                    try:
                        attempt = _start_attempt(address, port)
                    except TransportError as error:
                        last_error = _more_certain(last_error, error)
                        continue
                    attempts[attempt] = address
                    selector.register(attempt, selectors.EVENT_WRITE)
                    next_attempt_at = monotonic() + _ATTEMPT_DELAY
                if not attempts:
                    raise last_error or TransportError(FailureKind.CONNECT, f"port {port}: no address")
                left = seconds_left()
                if waiting:
                    left = min(left, max(0.0, next_attempt_at - monotonic()))
                for key, _ in selector.select(left):
                    attempt = key.fileobj  # type: ignore[assignment]
                    code = attempt.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                    if code == 0:
                        winner = attempt
                        return ConnectedSocket(attempt, attempts[attempt])
                    selector.unregister(attempt)
                    attempt.close()
                    os_error = OSError(code, os.strerror(code))
                    last_error = _more_certain(last_error, connect_error(attempts.pop(attempt), port, os_error))
                    next_attempt_at = monotonic()
        finally:
            for attempt in attempts:
                if attempt is not winner:
                    attempt.close()


async def connect_socket_async(addresses: Sequence[str], port: int) -> ConnectedSocket:
    """Connect to one of `addresses` without blocking the event loop. The socket is non-blocking.

    Args:
        addresses: IP addresses, best first.
        port: TCP port.
    Raises: TransportError: CONNECT or TIMEOUT. If all addresses fail, the last error.
    """
    waiting = deque(addresses)
    attempts: dict[asyncio.Task[socket.socket], str] = {}
    last_error: TransportError | None = None
    try:
        while waiting or attempts:
            if waiting:
                address = waiting.popleft()
                attempts[asyncio.create_task(_attempt(address, port))] = address
            done, _ = await asyncio.wait(
                attempts, timeout=_ATTEMPT_DELAY if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                try:
                    connected = task.result()
                except OSError as error:
                    last_error = _more_certain(last_error, connect_error(attempts.pop(task), port, error))
                else:
                    return ConnectedSocket(connected, attempts.pop(task))
    finally:
        for task in attempts:
            _abandon(task)
    raise last_error or TransportError(FailureKind.CONNECT, f"port {port}: no address")


def connect_error(address: str, port: int, error: OSError) -> TransportError:
    """Return the error for a failed connection to `address`."""
    kind, detail = FailureKind.CONNECT, f"{address} port {port}: {describe_os_error(error)}"
    if isinstance(error, TimeoutError):
        kind, detail = FailureKind.TIMEOUT, f"{NOT_CONNECTED}: {detail}"
    is_local = is_local_error(error)
    if error.errno == errno.EADDRNOTAVAIL:
        # With IPv4, all local ports are in use. With IPv6, this machine can have no address: the site is out of reach.
        is_local = ":" not in address or not has_route()
    if is_local:
        kind = FailureKind.LOCAL
    return TransportError(kind, detail)


def _selector() -> selectors.BaseSelector:
    try:
        return selectors.DefaultSelector()
    except OSError as error:
        raise TransportError(FailureKind.LOCAL, describe_os_error(error)) from None


def _more_certain(last: TransportError | None, error: TransportError) -> TransportError:
    """Return the later of two errors, unless it is one of this machine and the other one is not."""
    return error if last is None or error.kind is not FailureKind.LOCAL else last


def _start_attempt(address: str, port: int) -> socket.socket:
    try:
        created, peer = _create_socket(address, port)
        try:
            created.connect(peer)
        except BlockingIOError:
            return created
        except BaseException:
            created.close()
            raise
    except OSError as error:
        if error.errno is None:
            raise  # A signal handler of the caller has raised it.
        raise connect_error(address, port, error) from None
    return created


async def _attempt(address: str, port: int) -> socket.socket:
    created, peer = _create_socket(address, port)
    try:
        await asyncio.get_running_loop().sock_connect(created, peer)
    except BaseException:
        created.close()
        raise
    return created


def _abandon(task: asyncio.Task[socket.socket]) -> None:
    """Cancel an attempt. Do not wait for it: the event loop may be closing, and cannot run this task again."""

    def close(done: asyncio.Task[socket.socket]) -> None:
        if not done.cancelled() and done.exception() is None:
            done.result().close()

    if task.done():
        close(task)
    elif not task.get_loop().is_closed():
        task.add_done_callback(close)
        task.cancel()


def _create_socket(address: str, port: int) -> tuple[socket.socket, tuple[object, ...]]:
    """Return a new non-blocking socket for an IP address, and the address as the socket needs it."""
    # Only numbers are converted, so this does not block. It resolves the zone of a link-local address, which a resolver
    # can return. Bytes, because IDNA would encode a text, and raise errors of its own.
    [(family, kind, protocol, _, peer), *_] = socket.getaddrinfo(
        address.encode(errors="replace"),
        port,
        type=socket.SOCK_STREAM,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )
    created = socket.socket(family, kind, protocol)
    created.setblocking(False)
    with contextlib.suppress(OSError):
        created.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return created, peer


def handshake_error(error: OSError | ValueError, context: ssl.SSLContext) -> TransportError:
    """Return the error for a failed TLS handshake.

    Every error is a TLS failure, even a reset: the server rejects our handshake. But without any authorities, this
    machine accepts the certificate of no site.
    """
    if isinstance(error, ssl.SSLCertVerificationError) and not has_authorities(context):
        return no_authorities()
    detail = classify_os_error(error, FailureKind.TLS).detail if isinstance(error, OSError) else str(error)
    return TransportError(FailureKind.TLS, detail)


def no_authorities() -> TransportError:
    """Return the error for TLS settings without certificate authorities."""
    return TransportError(
        FailureKind.LOCAL, "this machine has no certificate authorities: install them, or set SSL_CERT_FILE"
    )


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

    async def start_tls(self, context: ssl.SSLContext, name: str, *, off_loop: bool = False) -> None:
        """Start TLS, with a certificate for `name` required.

        Args: off_loop: Whether the handshake is computed in a thread.
        Raises: TransportError: TLS or TIMEOUT.
        """
        try:
            async with asyncio.timeout(self._deadlines.connect_timeout()):
                tls = _TLS(self._loop, self._socket, context, name)
                await tls.handshake(off_loop=off_loop)
        except TimeoutError:
            raise self._deadlines.connect_timed_out() from None
        except (OSError, ValueError) as error:
            raise handshake_error(error, context) from None
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

    async def receive(self, limit: int = _ASYNC_RECEIVE_BYTES) -> bytes:
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
        # Raised by the next call: the bytes before it were received.
        self._error: ssl.SSLError | None = None

    async def handshake(self, *, off_loop: bool) -> None:
        await self._run(self.session.do_handshake, off_loop=off_loop)
        await self._flush()

    async def send(self, data: bytes) -> None:
        await self._run(lambda: self.session.write(data))
        await self._flush()

    async def receive(self, limit: int) -> bytes:
        """Return the next bytes, or b"" after a closing alert.

        Raises: OSError, with SSLEOFError for a connection that was cut.
        """
        if self._error is not None:
            raise self._error
        try:
            data = await self._run(lambda: self.session.read(limit))
        except ssl.SSLZeroReturnError:
            return b""
        if len(data) < _SMALL_RECORD and self._incoming.pending:
            data += await call_in_turn(lambda: self._read_records(limit - len(data)))
        # The received data counts, even if the server accepts no more.
        with contextlib.suppress(OSError):
            await self._flush()
        return data

    def _read_records(self, limit: int) -> bytes:
        """Return what some of the records contain that have arrived. Servers can send records of one byte."""
        found = bytearray()
        try:
            for _ in range(_RECORDS_AT_A_TIME):
                if len(found) >= limit:
                    break
                found += self.session.read(limit - len(found))
        except (ssl.SSLWantReadError, ssl.SSLZeroReturnError):
            pass
        except ssl.SSLError as error:
            self._error = error
        return bytes(found)

    async def _run(self, operation: Callable[[], _Result], *, off_loop: bool = False) -> _Result:
        """Perform an operation of the session, and send and receive what it needs to finish.

        Args: off_loop: Whether it is performed in a thread, once data was received.
        """
        has_received = False
        while True:
            try:
                return await call_off_loop(operation) if off_loop and has_received else operation()
            except ssl.SSLWantReadError:
                await self._flush()
                data = await _receive(self._loop, self._socket, _ASYNC_RECEIVE_BYTES)
                has_received = True
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
    host: str, port: int, *, allow_private: bool, resolve: Resolve, deadlines: Deadlines, rules: FetchRules = NO_RULES
) -> AsyncConnection:
    """Connect to the first address of `host` that accepts. The attempts overlap.

    Raises: TransportError: DNS, FORBIDDEN_ADDRESS, CONNECT or TIMEOUT. If all addresses fail, the last error.
    """
    rules.check_host(host, port)
    resolved = await resolve_host_async(host, resolve, deadlines)
    addresses = rules.filter_addresses(host, filter_addresses(host, resolved, allow_private=allow_private))
    try:
        async with asyncio.timeout(deadlines.connect_timeout()):
            return AsyncConnection(await connect_socket_async(addresses, port), deadlines)
    except TimeoutError:
        raise deadlines.connect_timed_out() from None


async def _receive(loop: asyncio.AbstractEventLoop, connected: socket.socket, limit: int) -> bytes:
    # `sock_recv` returns at once if data is available, so a fast server could keep other tasks from running.
    await asyncio.sleep(0)
    return await loop.sock_recv(connected, limit)
