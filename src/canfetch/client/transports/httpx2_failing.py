"""What httpx2 and the libraries under it raise, as failures."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

import httpcore2

from canfetch.access.responses import FailureKind
from canfetch.client.transports.failing import Failed
from canfetch.client.transports.httpx2_backends import Journey

HTTP2_IS_THERE: Final = find_spec("h2") is not None


def _library_errors() -> tuple[type[Exception], ...]:
    errors: tuple[type[Exception], ...] = (
        httpcore2.ProtocolError,
        httpcore2.ProxyError,
        httpcore2.ConnectionNotAvailable,
        # A status that is no number, over HTTP/2.
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
    """Turn what the libraries raise into Failed; what the backends raise is that already."""
    try:
        yield
    except _ERRORS as error:
        raise _failed(error, journey) from error


def _failed(error: Exception, journey: Journey) -> Failed:
    said = (str(error) or type(error).__name__)[:200]
    if isinstance(error, httpcore2.ProxyError):
        return Failed(FailureKind.CONNECT, f"the proxy says {said}")
    if error.args and type(error.args[0]).__name__ == "StreamReset":
        # httpcore2 raises the event of h2 itself: HTTP/2's way to break off one answer.
        return Failed(FailureKind.RESET, "the stream was reset")
    if journey.ended:
        return Failed(FailureKind.INCOMPLETE if journey.answered else FailureKind.RESET, said)
    return Failed(FailureKind.PROTOCOL, said)
