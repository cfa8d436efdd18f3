"""What httpx2 and the libraries under it raise, as failures."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from socket import gaierror
from typing import Final

import httpcore2
import httpx2

from canfetch.access.answers import FailureKind
from canfetch.client.transports.failing import Failed, failed_by
from canfetch.client.transports.httpx2_backends import Journey

HTTP2_IS_THERE: Final = find_spec("h2") is not None

_CONNECT: Final = (httpx2.ConnectError, httpx2.ProxyError, httpcore2.ConnectError, httpcore2.ProxyError)
_CONNECT_LATE: Final = (httpx2.ConnectTimeout, httpx2.PoolTimeout)
_LATE: Final = (httpx2.TimeoutException, httpcore2.TimeoutException, TimeoutError)
_BROKEN: Final = (httpx2.NetworkError, httpcore2.NetworkError)


def _library_errors() -> tuple[type[Exception], ...]:
    # ValueError: a status that is no number, over HTTP/2.
    errors: tuple[type[Exception], ...] = (
        *_LATE,
        *_BROKEN,
        httpcore2.ProtocolError,
        httpcore2.ProxyError,
        httpcore2.UnsupportedProtocol,
        httpcore2.ConnectionNotAvailable,
        httpx2.HTTPError,
        httpx2.InvalidURL,
        httpx2.StreamError,
        ValueError,
    )
    if not HTTP2_IS_THERE:
        return errors
    # httpcore2 lets these through where a body is under way.
    from h2.exceptions import H2Error  # noqa: PLC0415 - an extra of an extra

    return (*errors, H2Error)


_ERRORS: Final = _library_errors()


@contextmanager
def errors_as_failures(journey: Journey) -> Iterator[None]:
    """Turn what the libraries raise into Failed."""
    try:
        yield
    except _ERRORS as error:
        raise _failed(error, journey) from error


def _failed(error: Exception, journey: Journey) -> Failed:
    said = (str(error) or type(error).__name__)[:200]
    if isinstance(error, _CONNECT_LATE):
        return journey.deadlines.too_late_to_connect()
    if isinstance(error, _LATE):
        return journey.deadlines.too_late_to_read()
    if isinstance(error, _CONNECT):
        return Failed(_kind_of_connect_error(error), said)
    if isinstance(error, _BROKEN):
        return Failed(FailureKind.RESET, said)
    if isinstance(error, httpx2.UnsupportedProtocol | httpcore2.UnsupportedProtocol):
        return Failed(FailureKind.SCHEME, said)
    if _names_reset(error):
        return Failed(FailureKind.RESET, "the stream was reset")
    if journey.ended or "disconnected" in said or "closed connection" in said:
        return Failed(FailureKind.INCOMPLETE if journey.answered else FailureKind.RESET, said)
    return Failed(FailureKind.PROTOCOL, said)


def _kind_of_connect_error(error: BaseException) -> FailureKind:
    # The reason is some causes away: httpx2 wraps httpcore2, which wraps the system's.
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, gaierror):
            return FailureKind.NAME
        if isinstance(cause, ssl.SSLError):
            return failed_by(cause, FailureKind.TLS).kind
        cause = cause.__cause__ or cause.__context__
    return FailureKind.CONNECT


def _names_reset(error: Exception) -> bool:
    # httpcore2 raises the event of h2 itself: HTTP/2's way to break off one answer.
    return bool(error.args) and type(error.args[0]).__name__ == "StreamReset"
