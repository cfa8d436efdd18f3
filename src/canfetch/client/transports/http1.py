"""A strict reader for HTTP/1.1 responses.

The standard library's `http.client` accepts a truncated head as complete, and treats an invalid Content-Length like a
missing one. A robots.txt that never arrived would look like an empty one, which allows everything.

Source: RFC 9112 sections 2.2, 4, 5, 6.3, 7.1 and 8.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from canfetch.access.responses import FailureKind, Headers
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.headers import MAX_HEAD_BYTES, decode_header

_MAX_CHUNK_LINE_BYTES: Final = 4_096
_LINE_END_BYTES: Final = 2
_STATUS_LINE: Final = re.compile(rb"HTTP/1\.[0-9] ([1-9][0-9]{2})(?: .*)?", re.DOTALL)
_FIELD: Final = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*", re.DOTALL)
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", re.DOTALL)
_SWITCHING_PROTOCOLS: Final = 101


class ResponseHead(NamedTuple):
    """Status and headers of a response, in their order."""

    status: int
    headers: Headers


class ByteReader:
    """Reads lines and chunks from a connection.

    Args: receive: Returns the next bytes, or b"" at the end of the data.
    """

    def __init__(self, receive: Callable[[], bytes]) -> None:
        self._receive = receive
        self._buffer = bytearray()

    def read_line(self, limit: int, too_long: str) -> bytes | None:
        """Return the next line without its line ending, or None if the data ends first.

        Raises: TransportError: PROTOCOL, with the message `too_long`, if the line is longer than `limit` bytes.
        """
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > limit:
                raise TransportError(FailureKind.PROTOCOL, too_long)
            data = self._receive()
            if not data:
                return None
            self._buffer += data
        if end > limit:
            raise TransportError(FailureKind.PROTOCOL, too_long)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.removesuffix(b"\r")

    def read(self, limit: int | None = None) -> bytes:
        """Return the next bytes, at most `limit`, or b"" at the end of the data."""
        if not self._buffer:
            self._buffer += self._receive()
        data = bytes(self._buffer[:limit])
        del self._buffer[: len(data)]
        return data


def read_head(reader: ByteReader) -> ResponseHead:
    """Read the head of the final response, and skip interim responses (1xx) before it.

    Raises: TransportError: RESET if the data ends early. PROTOCOL if the data is not an HTTP/1.1 response.
    """
    left = MAX_HEAD_BYTES
    while True:
        line = _read_head_line(reader, left)
        left -= len(line)
        match = _STATUS_LINE.fullmatch(line)
        if match is None:
            raise TransportError(FailureKind.PROTOCOL, f"not an HTTP/1.1 response: {decode_header(line[:60])!r}")
        status = int(match[1])
        headers, left = _read_fields(reader, left)
        if status == _SWITCHING_PROTOCOLS:
            raise TransportError(FailureKind.PROTOCOL, "unexpected status 101: no protocol change was requested")
        if status // 100 > 1:
            return ResponseHead(status, headers)


def iter_body(reader: ByteReader, head: ResponseHead) -> Iterator[bytes]:
    """Yield the body as it arrives.

    Raises: TransportError: INCOMPLETE if the body ends early. PROTOCOL if its framing is invalid.
    """
    if head.status in {204, 304}:
        return
    codings = [part.strip().lower() for part in ",".join(_field_values(head, "transfer-encoding")).split(",")]
    if codings == ["chunked"]:
        yield from _iter_chunks(reader)
    elif codings != [""]:
        raise TransportError(FailureKind.PROTOCOL, f"unsupported transfer coding: {', '.join(codings)[:100]}")
    else:
        length = _content_length(head)
        if length is not None:
            yield from _iter_exactly(reader, length)
        else:
            while data := reader.read():
                yield data


def _read_head_line(reader: ByteReader, limit: int) -> bytes:
    line = reader.read_line(limit, f"response head is longer than {MAX_HEAD_BYTES} bytes")
    if line is None:
        raise TransportError(FailureKind.RESET, "connection closed before the end of the response head")
    return line


def _read_fields(reader: ByteReader, left: int) -> tuple[Headers, int]:
    fields: list[tuple[str, str]] = []
    while line := _read_head_line(reader, left):
        left = max(0, left - len(line) - _LINE_END_BYTES)
        if line[:1] in {b" ", b"\t"} and fields:
            name, value = fields[-1]
            fields[-1] = (name, f"{value} {decode_header(line.strip())}".strip())
            continue
        match = _FIELD.fullmatch(line)
        if match is None or b"\0" in line or b"\r" in line:
            raise TransportError(FailureKind.PROTOCOL, f"invalid header line: {decode_header(line[:60])!r}")
        fields.append((match[1].decode("ascii"), decode_header(match[2])))
    return tuple(fields), left


def _field_values(head: ResponseHead, name: str) -> list[str]:
    return [value for field, value in head.headers if field.lower() == name]


def _content_length(head: ResponseHead) -> int | None:
    values = {part.strip() for value in _field_values(head, "content-length") for part in value.split(",")}
    if not values:
        return None
    value = values.pop()
    if values or not value.isascii() or not value.isdigit() or len(value) > 18:
        raise TransportError(FailureKind.PROTOCOL, f"invalid Content-Length: {value[:60]!r}")
    return int(value)


def _iter_exactly(reader: ByteReader, length: int) -> Iterator[bytes]:
    left = length
    while left:
        data = reader.read(left)
        if not data:
            raise TransportError(FailureKind.INCOMPLETE, f"received {length - left} of {length} bytes")
        left -= len(data)
        yield data


def _iter_chunks(reader: ByteReader) -> Iterator[bytes]:
    while size := _read_chunk_size(reader):
        yield from _iter_exactly(reader, size)
        if _read_chunk_line(reader):
            raise TransportError(FailureKind.PROTOCOL, "chunk is longer than its size")
    left = MAX_HEAD_BYTES
    while trailer := _read_chunk_line(reader, left):
        left = max(0, left - len(trailer) - _LINE_END_BYTES)


def _read_chunk_size(reader: ByteReader) -> int:
    line = _read_chunk_line(reader)
    match = _CHUNK_SIZE.fullmatch(line)
    if match is None:
        raise TransportError(FailureKind.PROTOCOL, f"invalid chunk size: {decode_header(line[:60])!r}")
    return int(match[1], 16)


def _read_chunk_line(reader: ByteReader, limit: int = _MAX_CHUNK_LINE_BYTES) -> bytes:
    line = reader.read_line(limit, f"line between chunks is longer than {limit} bytes")
    if line is None:
        raise TransportError(FailureKind.INCOMPLETE, "connection closed before the last chunk")
    return line
