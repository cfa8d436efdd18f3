"""Translation of the exceptions of httpx2 and its dependencies."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

import httpcore2

from canfetch.access.responses import FailureKind
from canfetch.client.transports.failures import TransportError, describe_protocol_error
from canfetch.client.transports.httpx2_backends import RequestState

HTTP2_AVAILABLE: Final = find_spec("h2") is not None


def _library_errors() -> tuple[type[Exception], ...]:
    errors: tuple[type[Exception], ...] = (
        httpcore2.ProtocolError,
        httpcore2.ProxyError,
        httpcore2.ConnectionNotAvailable,
        # Raised for an HTTP/2 status that is not a number.
        ValueError,
    )
    if not HTTP2_AVAILABLE:
        return errors
    # httpcore2 does not translate these while it reads a body.
    from h2.exceptions import H2Error  # noqa: PLC0415 - optional

    return (*errors, H2Error)


LIBRARY_ERRORS: Final = _library_errors()


@contextmanager
def translate_errors(state: RequestState) -> Iterator[None]:
    """Translate exceptions of the libraries to TransportError, which the backends raise themselves."""
    try:
        yield
    except LIBRARY_ERRORS as error:
        raise _translate_error(error, state) from error


def _translate_error(error: Exception, state: RequestState) -> TransportError:
    detail = describe_protocol_error(error)
    if isinstance(error, httpcore2.ProxyError):
        return TransportError(FailureKind.CONNECT, f"proxy responded {detail}")
    if is_stream_reset(error):
        return TransportError(FailureKind.RESET, "HTTP/2 stream reset")
    if state.at_end:
        return TransportError(FailureKind.INCOMPLETE if state.has_head else FailureKind.RESET, detail)
    return TransportError(FailureKind.PROTOCOL, detail)


def is_stream_reset(error: BaseException | None) -> bool:
    """Return whether the server aborted one response over HTTP/2."""
    # httpcore2 raises an exception with the event of h2.
    return error is not None and bool(error.args) and type(error.args[0]).__name__ == "StreamReset"
