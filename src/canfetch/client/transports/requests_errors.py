"""Translation of the exceptions of requests and urllib3."""

import http.client
import re
import socket
import ssl
from collections.abc import Iterator
from typing import Final

import requests
import urllib3.exceptions

from canfetch.access.responses import FailureKind
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failures import TransportError, classify_os_error

# Raised if a request fails. ValueError is raised for a header that cannot be encoded, among others.
ERRORS: Final = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    OSError,
    ValueError,
)
# The first entry that matches counts.
_KINDS: Final[tuple[tuple[tuple[type[BaseException], ...], FailureKind], ...]] = (
    ((requests.exceptions.InvalidSchema,), FailureKind.SCHEME),
    ((requests.exceptions.ProxyError,), FailureKind.CONNECT),
    ((socket.gaierror, urllib3.exceptions.NameResolutionError), FailureKind.DNS),
    # Before the timeouts, of which it is a subclass in some versions.
    ((urllib3.exceptions.NewConnectionError,), FailureKind.CONNECT),
    ((requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError), FailureKind.TIMEOUT),
    ((ssl.SSLError, urllib3.exceptions.SSLError), FailureKind.TLS),
    # Before IncompleteRead, of which it is a subclass.
    ((urllib3.exceptions.InvalidChunkLength,), FailureKind.PROTOCOL),
    ((urllib3.exceptions.IncompleteRead, http.client.IncompleteRead), FailureKind.INCOMPLETE),
    ((ConnectionError,), FailureKind.RESET),
)
# The only place where urllib3 states the status after the last retry.
_LAST_STATUS: Final = re.compile(urllib3.exceptions.ResponseError.SPECIFIC_ERROR.format(status_code="([0-9]{3})"))


def is_lost_connection(error: Exception) -> bool:
    """Return whether the server closed the connection."""
    return any(isinstance(cause, ConnectionError) for cause in _causes(error))


def status_after_retries(error: requests.exceptions.RetryError) -> int | None:
    """Return the status of the response to the last retry of an adapter, or None if there is none."""
    for cause in _causes(error):
        if isinstance(cause, urllib3.exceptions.ResponseError) and (found := _LAST_STATUS.fullmatch(str(cause))):
            return int(found[1])
    return None


def translate_error(error: Exception, deadlines: Deadlines) -> TransportError:
    """Return the failure for an exception."""
    causes = list(_causes(error))
    innermost = causes[-1]
    kind = next((kind for cause in causes if (kind := _kind(cause)) is not None), FailureKind.PROTOCOL)
    if kind is FailureKind.TIMEOUT:
        is_connecting = any(isinstance(cause, urllib3.exceptions.ConnectTimeoutError) for cause in causes)
        return deadlines.connect_timed_out() if is_connecting else deadlines.read_timed_out()
    if isinstance(innermost, OSError) and kind in {FailureKind.RESET, FailureKind.TLS}:
        return classify_os_error(innermost, kind)
    return TransportError(kind, (str(innermost) or type(innermost).__name__)[:200])


def _kind(cause: BaseException) -> FailureKind | None:
    """Return the kind of failure that an exception determines, or None."""
    if isinstance(cause, urllib3.exceptions.ProtocolError) and "prematurely" in str(cause):
        return FailureKind.INCOMPLETE
    return next((kind for types, kind in _KINDS if isinstance(cause, types)), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those that it wraps, the outermost first."""
    seen: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in seen:
        seen.append(current)
        yield current
        wrapped = [part for part in (*current.args, getattr(current, "reason", None)) if isinstance(part, Exception)]
        context = None if current.__suppress_context__ else current.__context__
        current = wrapped[-1] if wrapped else current.__cause__ or context
