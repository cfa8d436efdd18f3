"""The exception for failed requests. It is raised only inside transports, which return it as a `Failure`."""

import errno
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from canfetch.access.responses import Failure, FailureKind
from canfetch.core.text import printable_text

# No descriptor, no memory, no network interface.
_LOCAL_CODES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.ENETDOWN})
# The addresses of a.root-servers.net, which do not change. Source: IANA, root servers.
_ROOT_SERVERS: Final = ((socket.AF_INET, "198.41.0.4"), (socket.AF_INET6, "2001:503:ba3e::2:30"))
_DNS_PORT: Final = 53
_LOCAL_NAME_CODES: Final = frozenset({socket.EAI_MEMORY})


class TransportError(Exception):
    """Raised when a request fails. Transports convert it with `to_failure` and never let it escape.

    Args:
        kind: Kind of failure.
        detail: Description for people.
    """

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail

    def to_failure(self, url: str) -> Failure:
        """Return the failure of a request for `url`. Text of the server in its detail is escaped."""
        return Failure(url, self.kind, printable_text(self.detail))


def classify_os_error(error: OSError, default: FailureKind) -> TransportError:
    """Convert a network error. Its kind is `default` if the error's type does not determine one."""
    if is_local_error(error):
        return TransportError(FailureKind.LOCAL, describe_os_error(error))
    if isinstance(error, TimeoutError):
        return TransportError(FailureKind.TIMEOUT, "timed out")
    if isinstance(error, ssl.SSLError):
        # Cut off the location in OpenSSL's source code.
        return TransportError(FailureKind.TLS, str(error.strerror or error).partition(" (_ssl.c")[0])
    if isinstance(error, ConnectionResetError | BrokenPipeError | ConnectionAbortedError):
        return TransportError(FailureKind.RESET, error.strerror or "connection reset")
    return TransportError(default, describe_os_error(error))


class NoThread(OSError):
    """Raised if no thread can be started."""


def is_local_error(error: BaseException | None) -> bool:
    """Return whether an error shows that this machine could not send a request, whatever the site is."""
    if isinstance(error, socket.gaierror):
        # EAI_SYSTEM has the error of the system as its context, if Python knows it.
        return error.errno in _LOCAL_NAME_CODES
    if isinstance(error, OSError) and error.errno == errno.ENETUNREACH:
        return not has_route()
    if isinstance(error, OSError) and error.errno == errno.EADDRNOTAVAIL:
        # All local ports are in use, or the site has an IPv6 address, and this machine has none.
        return not has_route() or not _lacks_ipv6()
    return isinstance(error, NoThread) or (isinstance(error, OSError) and error.errno in _LOCAL_CODES)


def has_route() -> bool:
    """Return whether this machine has a route to any public address. Nothing is sent."""
    for family, address in _ROOT_SERVERS:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            # For UDP, this only looks the route up.
            probe.connect((address, _DNS_PORT))
            return True
    return False


def _lacks_ipv6() -> bool:
    family, address = _ROOT_SERVERS[1]
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, _DNS_PORT))
    except OSError as error:
        return error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
    return False


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and those that caused it, the outermost first."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def describe_os_error(error: OSError) -> str:
    """Return the system's message for `error`, or else the name of its type."""
    return error.strerror or str(error) or type(error).__name__


def describe_protocol_error(error: Exception) -> str:
    """Return the start of a parser's message. Bytes appear as `b'...'`, also those of a bytearray."""
    before, mark, literal = (str(error) or type(error).__name__).partition("bytearray(b")
    return f"{before}b{literal.removesuffix(')')}"[:200] if mark else before[:200]


def tls_cut_error() -> TransportError:
    """Return the error for a TLS connection that ended without a closing alert (RFC 9112 section 9.8)."""
    return TransportError(FailureKind.RESET, "TLS connection was cut without a closing alert")
