"""The exception for failed requests. It is raised only inside transports, which return it as a `Failure`."""

import ssl
from collections.abc import Iterator
from traceback import walk_tb
from typing import Final

from canfetch.access.responses import Failure, FailureKind
from canfetch.client.transports.local_errors import describe_os_error, is_local_error
from canfetch.core.text import printable_text


class TransportError(Exception):
    """Raised when a request fails. Transports convert it with `request_failure` and never let it escape.

    Args:
        kind: Kind of failure.
        detail: Description for people.
    """

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


# What `request_failure` converts. Modules that are imported on first use can raise OSError and ImportError at any
# place, and the start of a thread can raise RuntimeError.
REQUEST_ERRORS: Final = (TransportError, OSError, ImportError, RuntimeError)


def request_failure(error: Exception, url: str) -> Failure:
    """Return the failure of a request for `url`. Text of the server in its detail is escaped.

    Raises: Exception: `error` itself, if it does not show that this machine could not send the request.
    """
    if isinstance(error, TransportError):
        return Failure(url, error.kind, printable_text(error.detail))
    if not is_local_error(error):
        raise error
    return Failure(url, FailureKind.LOCAL, printable_text(describe_os_error(error)))


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


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and those that caused it, the outermost first."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def was_raised_in(error: BaseException, function: str) -> bool:
    """Return whether an exception, or one that caused it, was raised in a function of this name, or passed it.

    For libraries that raise the same exception in several phases of a request.
    """
    return any(frame.f_code.co_name == function for cause in causes(error) for frame, _ in walk_tb(cause.__traceback__))


def describe_protocol_error(error: Exception) -> str:
    """Return the start of a parser's message. Bytes appear as `b'...'`, also those of a bytearray."""
    before, mark, literal = (str(error) or type(error).__name__).partition("bytearray(b")
    return f"{before}b{literal.removesuffix(')')}"[:200] if mark else before[:200]


def tls_cut_error() -> TransportError:
    """Return the error for a TLS connection that ended without a closing alert (RFC 9112 section 9.8)."""
    return TransportError(FailureKind.RESET, "TLS connection was cut without a closing alert")
