"""Blocking connections with deadlines. Each connects to the very address that was checked."""

import ssl
from types import TracebackType
from typing import Final, Self

from canfetch.access.responses import FailureKind
from canfetch.client.transports.addresses import filter_addresses
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.dns import Resolve, resolve_host
from canfetch.client.transports.failures import TransportError, classify_os_error, tls_cut_error
from canfetch.client.transports.happy_eyeballs import ConnectedSocket, connect_socket

_RECEIVE_BYTES: Final = 65_536
_SEND_BYTES: Final = 16_384


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
        try:
            self._socket.settimeout(self._deadlines.connect_timeout())
            # RFC 9112 section 9.8: a connection that was cut must be distinguishable from one that was closed.
            self._socket = context.wrap_socket(self._socket, server_hostname=name, suppress_ragged_eofs=False)
        except TimeoutError:
            raise self._deadlines.connect_timed_out() from None
        except OSError as error:
            # Every error during the handshake is a TLS failure, even a reset: the server rejects our handshake.
            raise TransportError(FailureKind.TLS, classify_os_error(error, FailureKind.TLS).detail) from None

    @property
    def tls(self) -> ssl.SSLSocket | None:
        """The TLS socket, or None if the connection does not use TLS."""
        return self._socket if isinstance(self._socket, ssl.SSLSocket) else None

    def send(self, data: bytes) -> None:
        """Send all of `data`. If the connection breaks, return, because a response may have been received before.

        Raises: TransportError: TIMEOUT.
        """
        try:
            # In pieces, because over TLS each record would have the whole timeout.
            for start in range(0, len(data), _SEND_BYTES):
                self._socket.settimeout(self._deadlines.read_timeout())
                self._socket.sendall(data[start : start + _SEND_BYTES])
        except TimeoutError:
            raise self._deadlines.read_timed_out() from None
        except OSError:
            return

    def receive(self, limit: int = _RECEIVE_BYTES) -> bytes:
        """Return the next bytes, or b"" at the end of the data.

        Raises: TransportError: RESET, TIMEOUT or TLS.
        """
        try:
            self._socket.settimeout(self._deadlines.read_timeout())
            return self._socket.recv(limit)
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(host: str, port: int, *, allow_private: bool, resolve: Resolve, deadlines: Deadlines) -> Connection:
    """Connect to the first address of `host` that accepts. The attempts overlap.

    Raises: TransportError: DNS, FORBIDDEN_ADDRESS, CONNECT or TIMEOUT. If all addresses fail, the last error.
    """
    addresses = filter_addresses(host, resolve_host(host, resolve, deadlines), allow_private=allow_private)
    return Connection(connect_socket(addresses, port, deadlines.connect_timeout), deadlines)


def connect_to_peer(connection: Connection, port: int, deadlines: Deadlines) -> Connection:
    """Connect to another port of the server at the other end of `connection`, whose address was checked before.

    Raises: TransportError: CONNECT or TIMEOUT.
    """
    return Connection(connect_socket([connection.peer], port, deadlines.read_timeout), deadlines)
