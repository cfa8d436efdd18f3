"""Conversion of header fields between text and bytes."""

from collections.abc import Iterable
from itertools import chain
from typing import Final

from canfetch.access.responses import FailureKind, Headers
from canfetch.client.request_headers import TOKEN_CHARACTERS
from canfetch.client.transports.endpoints import Endpoint
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.response_body import accept_encoding

# Applies to the status line, the headers and all interim responses together, and again to the trailers.
MAX_HEAD_BYTES: Final = 65_536
# Characters that end a header field, or that servers reject.
_LINE_BREAKS: Final = frozenset("\r\n\0")
# A colon and the line ending.
_DELIMITER_BYTES: Final = 3
# Set by the transport, because they depend on the connection and the installed decoders.
_TRANSPORT_HEADERS: Final = (
    "host",
    "accept-encoding",
    "connection",
    "content-length",
    "transfer-encoding",
    "te",
    "upgrade",
)

RawHeaders = list[tuple[bytes, bytes]]


def encode_request_headers(endpoint: Endpoint, headers: Headers) -> RawHeaders:
    """Return the headers to send: Host, the headers of the caller, and Accept-Encoding.

    Raises: TransportError: PROTOCOL if a header cannot be sent, for example because of a line break in its value.
    """
    encoded = [(b"Host", endpoint.authority.encode("ascii"))]
    for name, value in headers:
        if name.lower() in _TRANSPORT_HEADERS:
            continue
        if not name or not TOKEN_CHARACTERS.issuperset(name) or not _LINE_BREAKS.isdisjoint(value):
            raise TransportError(FailureKind.PROTOCOL, f"invalid request header {name!r}")
        encoded.append((name.encode("ascii"), value.strip().encode("utf-8", "replace")))
    return [*encoded, (b"Accept-Encoding", accept_encoding().encode("ascii"))]


def decode_header(raw: bytes) -> str:
    """Decode a name or value as UTF-8, which Location values often are, or else as Latin-1."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def decode_headers(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Decode the headers of a response.

    Raises: TransportError: PROTOCOL if they are longer than `MAX_HEAD_BYTES`.
    """
    raw = list(raw)
    if len(raw) * _DELIMITER_BYTES + sum(map(len, chain.from_iterable(raw))) > MAX_HEAD_BYTES:
        raise TransportError(FailureKind.PROTOCOL, f"response head is longer than {MAX_HEAD_BYTES} bytes")
    try:
        return tuple([(name.decode("utf-8"), value.strip().decode("utf-8")) for name, value in raw])
    except UnicodeDecodeError:
        return tuple([(decode_header(name), decode_header(value.strip())) for name, value in raw])
