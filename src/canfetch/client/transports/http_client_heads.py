"""Checks of the heads of responses that http.client does not make.

http.client ends a head at a line that is not a header field, and at the end of the connection.
"""

from email.message import Message

from canfetch.access.responses import FailureKind, Headers
from canfetch.client.transports.failures import TransportError


def check_head(message: Message | None) -> None:
    """Check that all lines of a head are header fields.

    Args: message: The head as http.client parsed it, or None if it is unknown.
    Raises: TransportError: PROTOCOL.
    """
    # A line that is not a field is the beginning of a body to the parser.
    if message is not None and message.get_payload():
        raise TransportError(FailureKind.PROTOCOL, "a line in the response head is not a header field")


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


def is_delimited(headers: Headers) -> bool:
    """Return whether the body has a length or chunks, so that its end is known."""
    return bool(_values(headers, "content-length") or _values(headers, "transfer-encoding"))


def _values(headers: Headers, name: str) -> list[str]:
    return [value.lower() for other, value in headers if other.lower() == name]
