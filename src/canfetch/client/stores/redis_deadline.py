"""A total time limit for the operations of the Redis store.

The timeouts of the library limit each read of a socket. A server that sends one byte at a time could therefore delay an
operation for as long as it likes.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any


class OperationDeadline(threading.local):
    """The deadline of the operation that the current thread performs."""

    expires_at: float | None = None

    @contextmanager
    def limit(self, seconds: float | None) -> Iterator[None]:
        """Set the deadline of the block. None is no limit."""
        self.expires_at = None if seconds is None else monotonic() + seconds
        try:
            yield
        finally:
            self.expires_at = None

    @property
    def remaining_seconds(self) -> float | None:
        """Seconds until the deadline, or None without one.

        Raises: TimeoutError: The deadline has passed.
        """
        if self.expires_at is None:
            return None
        seconds = self.expires_at - monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        return seconds


class _LimitedSocket:
    """A socket whose calls wait no longer than the deadline of the current thread."""

    def __init__(self, limited: socket.socket, deadline: OperationDeadline) -> None:
        self._socket = limited
        self._deadline = deadline

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)

    def recv(self, *arguments: Any) -> bytes:
        with self._limited_timeout():
            return self._socket.recv(*arguments)

    def recv_into(self, *arguments: Any) -> int:
        with self._limited_timeout():
            return self._socket.recv_into(*arguments)

    def sendall(self, *arguments: Any) -> None:
        with self._limited_timeout():
            self._socket.sendall(*arguments)

    @contextmanager
    def _limited_timeout(self) -> Iterator[None]:
        timeout, remaining = self._socket.gettimeout(), self._deadline.remaining_seconds
        if remaining is None or (timeout is not None and timeout <= remaining):
            yield
            return
        self._socket.settimeout(remaining)
        try:
            yield
        finally:
            # The caller may have closed the socket.
            if self._socket.fileno() >= 0:
                self._socket.settimeout(timeout)


def with_deadline(connection_class: type[Any], deadline: OperationDeadline) -> type[Any]:
    """Return a subclass of a connection class of the library whose sockets observe `deadline`."""

    class LimitedConnection(connection_class):  # type: ignore[misc]
        def _connect(self) -> Any:
            return _LimitedSocket(super()._connect(), deadline)

    return LimitedConnection
