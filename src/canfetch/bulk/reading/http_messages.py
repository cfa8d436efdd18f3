"""HTTP responses as archives store them: the head, and the body without its codings.

Some archives store the bytes of the connection. Other archives decode the body, but keep the header fields of the
codings. Therefore a body that is text counts as decoded, whatever the header says. Any other body that a client cannot
decode is broken, because without its rules it would allow everything.
"""

import re
from typing import Final, NamedTuple

from canfetch.access.responses import Headers
from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.headers import MAX_HEAD_BYTES
from canfetch.client.transports.http_client_responses import check_framing
from canfetch.client.transports.response_body import BodyDecoder

_STATUS_LINE: Final = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?:[ \t][^\n]*)?\r?\Z")
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_MAX_FIELDS: Final = 256
_SUCCESS: Final = b"2"
# The only response with 1xx that no other response follows.
_SWITCHING_PROTOCOLS: Final = b"101"
_TRANSFER_ENCODING: Final = "transfer-encoding"
_CONTENT_LENGTH: Final = "content-length"
# The codings whose decoders are optional.
_OPTIONAL: Final = frozenset(["br", "zstd"])
_ASCII: Final = bytes(range(0x80))
# All bytes but the control characters that text does not have.
_NOT_CONTROLS: Final = b"\t\n\f\r\x1a" + bytes(range(0x20, 0x100))


class BrokenMessage(ValueError):
    """Raised when a record has no usable HTTP response. The message is the reason."""


class StoredResponse(NamedTuple):
    """A response: its status, its header fields, and its decoded body."""

    status: int
    headers: Headers
    body: bytes


def parse_response(block: bytes, *, is_complete: bool = True) -> StoredResponse:
    """Parse the block of a response record. Interim responses (1xx) before the response are skipped.

    Args: is_complete: Whether the block is complete. If not, the body may be shorter than announced.
    Raises: BrokenMessage: The head is incomplete or invalid, or the body of a successful response is incomplete or
        cannot be decoded.
    """
    start = 0
    while True:
        end = _HEAD_END.search(block, start, MAX_HEAD_BYTES)
        if end is None:
            raise BrokenMessage("the HTTP header is incomplete")
        first, *lines = block[start : end.start()].split(b"\n")
        status = _STATUS_LINE.match(first)
        if status is None:
            raise BrokenMessage("the HTTP status line is missing or invalid")
        start = end.end()
        if not status[1].startswith(b"1") or status[1] == _SWITCHING_PROTOCOLS or not block[start:].strip():
            break
    headers = _fields(lines)
    body = block[start:]
    try:
        content = _decode(body, headers, is_complete=is_complete)
    except BrokenMessage:
        if status[1].startswith(_SUCCESS):
            raise
        # A client does not read the body of any other response.
        content = b""
    return StoredResponse(int(status[1]), headers, content)


def _fields(lines: list[bytes]) -> Headers:
    fields = []
    for line in lines[:_MAX_FIELDS]:
        name, colon, value = line.partition(b":")
        if colon and name.strip():
            fields.append((name.strip().decode("latin-1").lower(), value.strip().decode("latin-1")))
    return tuple(fields)


def _decode(body: bytes, headers: Headers, *, is_complete: bool) -> bytes:
    """Return the body as a client receives it.

    Raises: BrokenMessage: It is not complete, or it cannot be decoded.
    """
    # An empty field has no effect.
    headers = tuple([(name, value) for name, value in headers if value or name != _TRANSFER_ENCODING])
    try:
        check_framing(headers)
    except TransportError as error:
        raise BrokenMessage(f"a client does not read the body: {error}") from None
    values = dict(headers)
    coding = ",".join([value for name, value in headers if name == "content-encoding"]).strip().lower()
    length = None
    if _TRANSFER_ENCODING in values:
        body = _without_chunks(body, is_complete=is_complete)
    elif _CONTENT_LENGTH in values:
        digits = values[_CONTENT_LENGTH].partition(",")[0].strip()
        length = int(digits.lstrip("0")[:12] or "0")
    # A coding that the archive removed makes the announced length wrong.
    is_coded = coding not in {"", "identity"} and bool(body)
    if is_complete and length is not None and len(body) < length and not is_coded:
        raise BrokenMessage(f"the body has {len(body)} of {length} bytes")
    body = _without_coding(body, length, headers, coding) if is_coded else body[:length]
    return body[:MAX_CONTENT_BYTES]


def _without_chunks(body: bytes, *, is_complete: bool) -> bytes:
    """Return the content of chunks, or `body` if it does not start with one."""
    position, parts = 0, list[bytes]()
    while True:
        head = _CHUNK_SIZE.match(body, position)
        if head is None:
            if parts and is_complete:
                raise BrokenMessage("the chunked body is incomplete")
            return b"".join(parts) if parts else body
        length = int(head[1], 16)
        if length == 0:
            return b"".join(parts)
        part = body[head.end() : head.end() + length]
        if len(part) < length:
            if is_complete:
                raise BrokenMessage("the chunked body is incomplete")
            return b"".join([*parts, part])
        parts.append(part)
        position = head.end() + length
        position += 2 if body[position : position + 2] == b"\r\n" else body[position : position + 1] == b"\n"


def _without_coding(body: bytes, length: int | None, headers: Headers, coding: str) -> bytes:
    """Return the decoded body, or `body` if it is text, so that the archive removed the coding.

    Args:
        length: The length that is announced, or None.
        coding: The value of Content-Encoding.
    Raises: BrokenMessage: The body cannot be decoded.
    """
    decoder = BodyDecoder(headers, MAX_CONTENT_BYTES)
    try:
        decoder.feed(body[:length])
        return decoder.finish()
    except TransportError as error:
        if decoder.is_supported:
            reason = f"the body cannot be decoded: {error}"
        elif coding in _OPTIONAL:
            reason = f"decoding {coding} requires a package: pip install 'canfetch[http]'"
        else:
            raise BrokenMessage(f"a client does not decode the body: {error}") from None
    if _is_text(body):
        return body
    raise BrokenMessage(reason)


def _is_text(body: bytes) -> bool:
    """Return whether a body is text. Data in a coding has control characters, or many bytes that are not UTF-8."""
    if body.translate(None, _NOT_CONTROLS):
        return False
    try:
        body.decode()
    except UnicodeDecodeError:
        # Text in another encoding, or in UTF-8 and cut.
        sample = body[:256]
        return len(sample.translate(None, _ASCII)) <= len(sample) // 4
    return True
