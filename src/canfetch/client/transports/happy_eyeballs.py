"""Connect to the first address of a server that accepts, without waiting for those that do not respond.

A new attempt starts every 250 ms, or as soon as one fails, while the earlier attempts continue.

Source: RFC 8305 section 5.
"""

import asyncio
import contextlib
import os
import selectors
import socket
from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final, NamedTuple

from canfetch.access.responses import FailureKind
from canfetch.client.transports.failures import TransportError, describe_os_error

_ATTEMPT_DELAY: Final = 0.25


class ConnectedSocket(NamedTuple):
    """A connected socket, and the address that it is connected to."""

    socket: socket.socket
    address: str


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
    with selectors.DefaultSelector() as selector:
        try:
            while True:
                while waiting and (not attempts or monotonic() >= next_attempt_at):
                    address = waiting.popleft()
                    try:
                        attempt = _start_attempt(address, port)
                    except OSError as error:
                        last_error = connect_error(address, port, error)
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
                        return _configured(attempt, attempts[attempt])
                    selector.unregister(attempt)
                    attempt.close()
                    last_error = connect_error(attempts.pop(attempt), port, OSError(code, os.strerror(code)))
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
                    last_error = connect_error(attempts.pop(task), port, error)
                else:
                    return _configured(connected, attempts.pop(task))
    finally:
        for task in attempts:
            _abandon(task)
    raise last_error or TransportError(FailureKind.CONNECT, f"port {port}: no address")


def connect_error(address: str, port: int, error: OSError) -> TransportError:
    """Return the error for a failed connection to `address`."""
    kind = FailureKind.TIMEOUT if isinstance(error, TimeoutError) else FailureKind.CONNECT
    return TransportError(kind, f"{address} port {port}: {describe_os_error(error)}")


def _start_attempt(address: str, port: int) -> socket.socket:
    created, peer = _create_socket(address, port)
    try:
        created.connect(peer)
    except BlockingIOError:
        return created
    except BaseException:
        created.close()
        raise
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
    # Only numbers are converted, so this does not block. It resolves the zone of a link-local address.
    [(family, kind, protocol, _, peer), *_] = socket.getaddrinfo(
        address, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    )
    created = socket.socket(family, kind, protocol)
    created.setblocking(False)
    return created, peer


def _configured(connected: socket.socket, address: str) -> ConnectedSocket:
    with contextlib.suppress(OSError):
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return ConnectedSocket(connected, address)
