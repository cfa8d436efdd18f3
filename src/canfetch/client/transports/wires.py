"""A connected socket with deadlines: the address that was checked is the one that is connected to."""

import contextlib
import socket
import ssl
from types import TracebackType
from typing import Final, Self

from canfetch.access.responses import FailureKind
from canfetch.client.transports.addresses import permitted
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failing import Failed, failed_by
from canfetch.client.transports.names import Resolve, addresses_of

_PIECE_OCTETS: Final = 65_536


class Wire:
    """Octets to and from one address. Every call ends in time, or raises Failed."""

    def __init__(self, connected: socket.socket, deadlines: Deadlines) -> None:
        self._socket = connected
        self._deadlines = deadlines

    def start_tls(self, context: ssl.SSLContext, name: str) -> None:
        """Speak TLS from here on, with whoever proves to be `name`.

        Raises: Failed: TLS or TIMEOUT.
        """
        try:
            self._socket.settimeout(self._deadlines.connect_timeout())
            # A connection that is cut must not look like one that ended: RFC 9112 section 9.8.
            self._socket = context.wrap_socket(self._socket, server_hostname=name, suppress_ragged_eofs=False)
        except TimeoutError:
            raise self._deadlines.too_late_to_connect() from None
        except OSError as error:
            # Whatever happens in a handshake is TLS's fault: a server that resets it does not like ours.
            raise Failed(FailureKind.TLS, failed_by(error, FailureKind.TLS).detail) from None

    @property
    def tls(self) -> ssl.SSLSocket | None:
        """The TLS side, where there is one."""
        return self._socket if isinstance(self._socket, ssl.SSLSocket) else None

    @property
    def peer(self) -> str:
        """The address at the other end."""
        return str(self._socket.getpeername()[0])

    def send(self, octets: bytes) -> None:
        """Send all of them. A connection that breaks meanwhile may hold an answer: reading tells.

        Raises: Failed: TIMEOUT.
        """
        try:
            self._socket.settimeout(self._deadlines.read_timeout())
            self._socket.sendall(octets)
        except TimeoutError:
            raise self._deadlines.too_late_to_read() from None
        except OSError:
            return

    def receive(self, most: int = _PIECE_OCTETS) -> bytes:
        """Give the next octets, or none at the end.

        Raises: Failed: RESET, TIMEOUT, or TLS.
        """
        try:
            self._socket.settimeout(self._deadlines.read_timeout())
            return self._socket.recv(most)
        except TimeoutError:
            raise self._deadlines.too_late_to_read() from None
        except ssl.SSLEOFError:
            raise Failed(FailureKind.RESET, "the TLS connection was cut") from None
        except OSError as error:
            raise failed_by(error, FailureKind.RESET) from None

    def close(self) -> None:
        """Let go, at once."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(host: str, port: int, *, allow_private: bool, resolve: Resolve, deadlines: Deadlines) -> Wire:
    """Connect to a host: its addresses in turn, each with its share of the time that is left.

    Raises: Failed: NAME, FORBIDDEN_ADDRESS, CONNECT or TIMEOUT; of several addresses, the last one's.
    """
    addresses = permitted(host, addresses_of(host, resolve, deadlines), allow_private=allow_private)
    failed = Failed(FailureKind.DNS, f"{host} has no address")
    for tried, address in enumerate(addresses):
        seconds = deadlines.connect_timeout() / (len(addresses) - tried)
        try:
            return Wire(_connected(address, port, seconds), deadlines)
        except TimeoutError:
            failed = deadlines.too_late_to_connect()
        except OSError as error:
            said = error.strerror or str(error) or type(error).__name__
            failed = Failed(FailureKind.CONNECT, f"{address} port {port}: {said}")
    raise failed


def connect_again(wire: Wire, port: int, deadlines: Deadlines) -> Wire:
    """Connect to another port of whom a wire leads to, whose address was checked when that was made.

    Raises: Failed: CONNECT or TIMEOUT.
    """
    try:
        return Wire(_connected(wire.peer, port, deadlines.read_timeout()), deadlines)
    except TimeoutError:
        raise deadlines.too_late_to_read() from None
    except OSError as error:
        raise Failed(FailureKind.CONNECT, f"{wire.peer} port {port}: {error.strerror or error}") from None


def _connected(address: str, port: int, seconds: float) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    connecting = socket.socket(family, socket.SOCK_STREAM)
    try:
        connecting.settimeout(seconds)
        connecting.connect((address, port))
        with contextlib.suppress(OSError):
            connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        connecting.close()
        raise
    return connecting
