"""An HTTP/1.1 answer, read strictly where leniency would make a broken one look whole.

The standard library's own reader takes a head that breaks off for a complete one, and an unreadable
Content-Length for none: a robots.txt that never came would read as an empty one, which allows everything.

Source: RFC 9112 sections 2.2, 4, 5, 6.3, 7.1 and 8.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from canfetch.access.responses import FailureKind, Headers
from canfetch.client.transports.failing import Failed
from canfetch.client.transports.places import header_text

# Status line, fields and interim answers together; trailers, again.
HEAD_OCTETS_LIMIT: Final = 65_536
_CHUNK_LINE_OCTETS_LIMIT: Final = 4_096
_STATUS_LINE: Final = re.compile(rb"HTTP/1\.[0-9] ([1-9][0-9]{2})(?: .*)?", re.DOTALL)
_FIELD: Final = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*", re.DOTALL)
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", re.DOTALL)
_SWITCHING: Final = 101


class Head(NamedTuple):
    """Status and fields of an answer, in their order."""

    status: int
    headers: Headers


class Incoming:
    """Octets as they come: first by line, then by piece. `receive` gives some, or none at the end."""

    def __init__(self, receive: Callable[[], bytes]) -> None:
        self._receive = receive
        self._buffer = bytearray()

    def line(self, most: int, too_long: str) -> bytes | None:
        """Give the next line without its end, or None where the octets end before it does.

        Raises: Failed: PROTOCOL, for one of more than `most` octets.
        """
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > most:
                raise Failed(FailureKind.PROTOCOL, too_long)
            octets = self._receive()
            if not octets:
                return None
            self._buffer += octets
        if end > most:
            raise Failed(FailureKind.PROTOCOL, too_long)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.removesuffix(b"\r")

    def piece(self, most: int | None = None) -> bytes:
        """Give the next octets, at most so many; none at the end."""
        if not self._buffer:
            self._buffer += self._receive()
        piece = bytes(self._buffer[:most])
        del self._buffer[: len(piece)]
        return piece


def read_head(incoming: Incoming) -> Head:
    """Read the head of the answer; interim ones (1xx) before it are passed over.

    Raises: Failed: RESET where it breaks off, PROTOCOL where it is none.
    """
    left = HEAD_OCTETS_LIMIT
    while True:
        line = _head_line(incoming, left)
        left -= len(line)
        matched = _STATUS_LINE.fullmatch(line)
        if matched is None:
            raise Failed(FailureKind.PROTOCOL, f"no HTTP/1.1 answer: {header_text(line[:60])!r}")
        status = int(matched[1])
        headers, left = _fields(incoming, left)
        if status == _SWITCHING:
            raise Failed(FailureKind.PROTOCOL, "status 101, a protocol that nobody asked for")
        if status // 100 > 1:
            return Head(status, headers)


def body_pieces(incoming: Incoming, head: Head) -> Iterator[bytes]:
    """Give the body as it comes, up to its end.

    Raises: Failed: INCOMPLETE where it ends early, PROTOCOL where its framing is broken.
    """
    if head.status in {204, 304}:
        return
    codings = [part.strip().lower() for part in ",".join(_values(head, "transfer-encoding")).split(",")]
    if codings == ["chunked"]:
        yield from _chunks(incoming)
    elif codings != [""]:
        raise Failed(FailureKind.PROTOCOL, f"a transfer coding that nobody asked for: {', '.join(codings)[:100]}")
    else:
        length = _length(head)
        if length is not None:
            yield from _exactly(incoming, length)
        else:
            while piece := incoming.piece():
                yield piece


def _head_line(incoming: Incoming, most: int) -> bytes:
    line = incoming.line(most, f"a head of more than {HEAD_OCTETS_LIMIT} octets")
    if line is None:
        raise Failed(FailureKind.RESET, "the connection ended before the answer")
    return line


def _fields(incoming: Incoming, left: int) -> tuple[Headers, int]:
    fields: list[tuple[str, str]] = []
    while line := _head_line(incoming, left):
        # Two more for the line's end, so that short lines have their price, too.
        left = max(0, left - len(line) - 2)
        if line[:1] in {b" ", b"\t"} and fields:
            name, value = fields[-1]
            fields[-1] = (name, f"{value} {header_text(line.strip())}".strip())
            continue
        matched = _FIELD.fullmatch(line)
        if matched is None or b"\0" in line or b"\r" in line:
            raise Failed(FailureKind.PROTOCOL, f"a line in the head that is no field: {header_text(line[:60])!r}")
        fields.append((matched[1].decode("ascii"), header_text(matched[2])))
    return tuple(fields), left


def _values(head: Head, name: str) -> list[str]:
    return [value for field, value in head.headers if field.lower() == name]


def _length(head: Head) -> int | None:
    values = {part.strip() for value in _values(head, "content-length") for part in value.split(",")}
    if not values:
        return None
    value = values.pop()
    if values or not value.isascii() or not value.isdigit() or len(value) > 18:
        raise Failed(FailureKind.PROTOCOL, f"no length: {value[:60]!r}")
    return int(value)


def _exactly(incoming: Incoming, length: int) -> Iterator[bytes]:
    left = length
    while left:
        piece = incoming.piece(left)
        if not piece:
            raise Failed(FailureKind.INCOMPLETE, f"{length - left} octets of {length}")
        left -= len(piece)
        yield piece


def _chunks(incoming: Incoming) -> Iterator[bytes]:
    while size := _chunk_size(incoming):
        yield from _exactly(incoming, size)
        if _chunk_line(incoming):
            raise Failed(FailureKind.PROTOCOL, "a chunk that is longer than its size")
    left = HEAD_OCTETS_LIMIT
    while trailer := _chunk_line(incoming, left):
        left = max(0, left - len(trailer) - 2)


def _chunk_size(incoming: Incoming) -> int:
    line = _chunk_line(incoming)
    matched = _CHUNK_SIZE.fullmatch(line)
    if matched is None:
        raise Failed(FailureKind.PROTOCOL, f"no chunk size: {header_text(line[:60])!r}")
    return int(matched[1], 16)


def _chunk_line(incoming: Incoming, most: int = _CHUNK_LINE_OCTETS_LIMIT) -> bytes:
    line = incoming.line(most, "a line between chunks that does not end")
    if line is None:
        raise Failed(FailureKind.INCOMPLETE, "the chunks end early")
    return line
