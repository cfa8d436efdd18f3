"""Responses of http.client, for the libraries that use it: checks that it does not make, and the end of a connection.

http.client ends a head at a line that is not a header field, and at the end of the connection.
"""

import socket
from collections.abc import Iterator
from contextlib import suppress
from email.message import Message
from typing import Final

from canfetch.access.responses import FailureKind, Headers, Response
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.response_body import ResponseBuilder

_NO_CONTENT: Final = 204


def check_head(message: object) -> None:
    """Check that all lines of a head are header fields.

    Args: message: The head as http.client parsed it. Those of other parsers, such as that of urllib3-future, have been
        checked.
    Raises: TransportError: PROTOCOL.
    """
    # A line that is not a field is the beginning of a body to the parser.
    if isinstance(message, Message) and message.get_payload():
        raise TransportError(FailureKind.PROTOCOL, "a line in the response head is not a header field")


def read_response(builder: ResponseBuilder, headers: Headers, chunks: Iterator[bytes]) -> Response:
    """Read as much of the body as needed, and return the response.

    Args:
        builder: The response without its body.
        headers: Its headers.
        chunks: The body as received.
    Raises: TransportError: PROTOCOL if the body has no valid length. INCOMPLETE if it ends early.
    """
    if not builder.needs_data:
        return builder.build()
    check_framing(headers)
    response = builder.read(chunks)
    if not response.body and response.status != _NO_CONTENT and not _is_delimited(headers):
        # http.client accepts a head that was cut. Read as an empty file, it would allow everything.
        raise TransportError(FailureKind.INCOMPLETE, "the connection ended before the body")
    return response


def check_framing(headers: Headers) -> None:
    """Check the headers that delimit the body, which http.client does only in part.

    Raises: TransportError: PROTOCOL.
    """
    codings = _values(headers, "transfer-encoding")
    if codings not in ([], ["chunked"]):
        raise TransportError(FailureKind.PROTOCOL, "unsupported transfer coding")
    lengths = [part.strip() for value in _values(headers, "content-length") for part in value.split(",")]
    if codings:
        # RFC 9112 section 6.3: the length has no effect then.
        return
    if len(set(lengths)) > 1 or not all(length.isascii() and length.isdigit() for length in lengths):
        raise TransportError(FailureKind.PROTOCOL, "invalid Content-Length")


def _is_delimited(headers: Headers) -> bool:
    """Return whether the body has a length or chunks, so that its end is known."""
    return bool(_values(headers, "content-length") or _values(headers, "transfer-encoding"))


def _values(headers: Headers, name: str) -> list[str]:
    return [value.lower() for other, value in headers if other.lower() == name]


def shut_down_response(response: object) -> None:
    """Shut down the connection of an `http.client.HTTPResponse`, so that the thread that reads from it ends.

    Without effect on other objects, and on a response that was read to its end.
    """
    # http.client does not make the socket public. The connection has no reference to it if the server closes it.
    connected = getattr(getattr(getattr(response, "fp", None), "raw", None), "_sock", None)
    if isinstance(connected, socket.socket):
        with suppress(OSError):
            # Not the method of an SSLSocket, which must not be called while another thread reads.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)
