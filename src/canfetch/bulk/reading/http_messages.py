"""HTTP responses as archives store them: the head, and the body without its codings.

Archives disagree about bodies. Some store the bytes of the connection, others remove the codings and keep the header
fields that announce them. So a body that is not in the announced coding counts as decoded.
"""

import re
from typing import Final, NamedTuple

from canfetch.access.responses import Headers
from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES
from canfetch.client.transports.body_decoder import BodyDecoder
from canfetch.client.transports.failures import TransportError

_STATUS_LINE: Final = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?:[ \t][^\n]*)?\r?\Z")
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_MAX_HEAD_BYTES: Final = 1 << 16
_MAX_FIELDS: Final = 256
_CODED: Final = frozenset(["gzip", "x-gzip", "deflate", "br", "zstd"])


class BrokenMessage(ValueError):
    """Raised when a record has no usable HTTP response. The message says why."""


class StoredResponse(NamedTuple):
    """A response: its status, its header fields, and its decoded body."""

    status: int
    headers: Headers
    body: bytes


def parse_response(block: bytes, *, is_complete: bool = True) -> StoredResponse:
    """Parse the block of a response record.

    Args: is_complete: Whether the block is complete. If not, the body may be shorter than announced.
    Raises: BrokenMessage: The head is incomplete or invalid, or the body is shorter than its Content-Length.
    """
    end = _HEAD_END.search(block, 0, _MAX_HEAD_BYTES)
    if end is None:
        raise BrokenMessage("the HTTP header is incomplete")
    first, *lines = block[: end.start()].split(b"\n")
    status = _STATUS_LINE.match(first)
    if status is None:
        raise BrokenMessage("the HTTP status line is missing or invalid")
    headers = _fields(lines)
    body = block[end.end() :]
    return StoredResponse(int(status[1]), headers, _decode(body, headers, is_complete=is_complete))


def _fields(lines: list[bytes]) -> Headers:
    fields = []
    for line in lines[:_MAX_FIELDS]:
        name, colon, value = line.partition(b":")
        if colon and name.strip():
            fields.append((name.strip().decode("latin-1").lower(), value.strip().decode("latin-1")))
    return tuple(fields)


def _decode(body: bytes, headers: Headers, *, is_complete: bool) -> bytes:
    values = dict(headers)
    transfer = values.get("transfer-encoding", "").lower()
    coding = values.get("content-encoding", "").strip().lower()
    if "chunked" in transfer:
        body = _without_chunks(body, is_complete=is_complete)
    else:
        length = values.get("content-length", "")
        # A coding that the archive removed makes the announced length wrong.
        if is_complete and coding not in _CODED and length.isdecimal() and len(body) < int(length[:12]):
            raise BrokenMessage(f"the body has {len(body)} of {length[:12]} bytes")
    if coding in _CODED:
        body = _without_coding(body, headers)
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


def _without_coding(body: bytes, headers: Headers) -> bytes:
    decoder = BodyDecoder(headers, MAX_CONTENT_BYTES)
    try:
        decoder.feed(body)
        return decoder.finish()
    except TransportError as error:
        if _is_coded(body):
            raise BrokenMessage(f"the body cannot be decoded: {error}") from None
        return body


def _is_coded(body: bytes) -> bool:
    # Text has few control characters and bytes over 0x7F; data in a coding consists of them.
    sample = body[:256]
    return len(sample.translate(None, bytes(range(0x20, 0x7F)) + b"\t\r\n")) > len(sample) // 4
