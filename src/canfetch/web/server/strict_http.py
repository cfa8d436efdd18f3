"""A parser of HTTP/1.1 that rejects ambiguous and wasteful requests, and does a limited amount of work at a time."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

import h11

from canfetch.client.transports.h11_patterns import use_linear_patterns

use_linear_patterns()

MAX_HEAD_BYTES: Final = 65_536
MAX_HEAD_LINES: Final = 200
# The limit for all lines of a field together. Libraries split a list of as many empty members in about 1 ms.
MAX_FIELD_BYTES: Final = 4096
# The SDK of MCP splits and compares `Accept` three times. W3C baggage needs 8 KiB. Nothing parses cookies, and browsers
# send those of all servers on a host.
FIELD_LIMITS: Final = {
    b"accept": 1024,
    b"baggage": 9000,
    b"cookie": MAX_HEAD_BYTES,
    b"referer": 9000,
    b"tracestate": 9000,
}
_SHORTEST_LIMIT: Final = min(FIELD_LIMITS.values())
# What RFC 9110 section 4.1 recommends to support.
MAX_TARGET_BYTES: Final = 8000
# Python raises an exception for each, so decoding is slower.
MAX_INVALID_ESCAPES: Final = 256
_INVALID_ESCAPE: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})")
# A chunk of a body, or a read, costs about as much as a kilobyte. The shortest useful line of a stream has 24 bytes.
FREE_PARTS: Final = 1000
MIN_PART_BYTES: Final = 16
# What h11 gets at a time: it parses the fields after a chunked body at once, however many there are.
_SLICE_BYTES: Final = 4096
_LARGE_SLICE_BYTES: Final = 65_536
# The work of an event of h11 is about 10 us. To answer a request takes about a millisecond of the event loop.
REQUEST_WORK: Final = 64
_BYTES_OF_WORK: Final = 1024
_FIELDS_OF_WORK: Final = 8
# A target in absolute form: its authority, and its path and query.
_ABSOLUTE_FORM: Final = re.compile(rb"https?://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)
_EMPTY_LINES: Final = (b"", b"\r")


class StrictConnection(h11.Connection):
    """The server's side of a connection.

    It rejects requests whose end is ambiguous, because a proxy could find another end, and forward the rest. It rejects
    heads of more than 64 KiB or 200 lines before they are parsed: h11 limits only heads that arrive in several parts.
    It rejects long fields (`MAX_FIELD_BYTES`, `FIELD_LIMITS`): h11 and other libraries split and compare their values.
    It rejects targets of more than 8,000 bytes or 256 invalid escapes, and bodies in very small parts. A target in
    absolute form is replaced by its path, and the Host header by its host.

    Attributes:
        work: The work that may be done now. `next_event` returns NEED_DATA when nothing is left of it.
        error_status: The status of the response to an invalid request.

    Source: RFC 9112, sections 3.2.2 and 6.1.
    """

    def __init__(self) -> None:
        super().__init__(h11.SERVER, MAX_HEAD_BYTES)
        self.work = 0
        self.error_status = 400
        self._unparsed = bytearray()
        self._slice_bytes = _SLICE_BYTES
        # Of the body.
        self._parts = 0
        self._part_bytes = 0

    @property
    def unparsed_bytes(self) -> int:
        """The number of bytes that have arrived, and wait for work."""
        return len(self._unparsed)

    def receive_data(self, data: bytes) -> None:
        """Keep data until there is work for it."""
        self._unparsed += data

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next event, or NEED_DATA.

        Raises: RemoteProtocolError.
        """
        while self.work > 0:
            if self.their_state is h11.IDLE:
                self._check_head(self.trailing_data[0])
            event = super().next_event()
            self.work -= _work_of(event)
            if isinstance(event, h11.Request):
                return self._checked(event)
            if isinstance(event, h11.Data):
                self._count_part(len(event.data))
            elif event is h11.NEED_DATA and self._unparsed:
                self._feed()
                continue
            return event
        return h11.NEED_DATA

    def _feed(self) -> None:
        if self.their_state is h11.SEND_BODY and len(self.trailing_data[0]) > _SLICE_BYTES:
            raise h11.RemoteProtocolError("a line of a chunked body, or the fields after it, are too large")
        super().receive_data(bytes(self._unparsed[: self._slice_bytes]))
        del self._unparsed[: self._slice_bytes]

    def _check_head(self, data: bytes) -> None:
        """Check the size of a head, of which at least a part has arrived, and of its target.

        Cost: O(bytes of 200 lines).
        """
        lines = data.split(b"\n", MAX_HEAD_LINES + 2)
        # The first is the request line, and the last one is not complete.
        end = next((number for number, line in enumerate(lines[1:-1], 1) if line in _EMPTY_LINES), None)
        head_bytes = len(data) if end is None else sum(len(line) + 1 for line in lines[: end + 1])
        if head_bytes > MAX_HEAD_BYTES or (end is None and len(lines) > MAX_HEAD_LINES + 2):
            self.error_status = 431
            raise h11.RemoteProtocolError("the head is too large")
        if end is not None and head_bytes > _SHORTEST_LIMIT and _has_long_field(lines[1:end]):
            self.error_status = 431
            raise h11.RemoteProtocolError("a field is too long")
        target = lines[0].partition(b" ")[2].rpartition(b" ")[0]
        if len(target) > MAX_TARGET_BYTES:
            self.error_status = 414
            raise h11.RemoteProtocolError("the target is too long")
        if target.count(b"%") > MAX_INVALID_ESCAPES < len(_INVALID_ESCAPE.findall(target)):
            raise h11.RemoteProtocolError("the target has too many invalid escapes")

    def _checked(self, request: h11.Request) -> h11.Request:
        names = {name for name, _ in request.headers}
        is_chunked = b"transfer-encoding" in names
        if is_chunked and (b"content-length" in names or request.http_version < b"1.1"):
            raise h11.RemoteProtocolError("ambiguous length of the body")
        self._parts = self._part_bytes = 0
        self._slice_bytes = _LARGE_SLICE_BYTES if b"content-length" in names else _SLICE_BYTES
        return _in_origin_form(request)

    def _count_part(self, size: int) -> None:
        self._parts += 1
        self._part_bytes += size
        if self._parts > FREE_PARTS and self._part_bytes < self._parts * MIN_PART_BYTES:
            raise h11.RemoteProtocolError("the body has too many small parts")


def _has_long_field(lines: Iterable[bytes]) -> bool:
    """Return whether the lines of a field are too long together. Folded lines belong to the field before them."""
    sizes: Counter[bytes] = Counter()
    name = b""
    for line in lines:
        if not line.startswith((b" ", b"\t")):
            name = line.partition(b":")[0].lower()
        sizes[name] += len(line)
    return any(size > FIELD_LIMITS.get(name, MAX_FIELD_BYTES) for name, size in sizes.items())


def _work_of(event: h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]) -> int:
    if isinstance(event, h11.Request):
        size = len(event.target) + sum(len(name) + len(value) for name, value in event.headers)
        return REQUEST_WORK + size // _BYTES_OF_WORK
    return 1 + len(event.headers) // _FIELDS_OF_WORK if isinstance(event, h11.EndOfMessage) else 1


def _in_origin_form(request: h11.Request) -> h11.Request:
    """Return a request whose target is a path, with the host of its target as Host header.

    Raises: RemoteProtocolError: The target is a URL without a host, or with a user name.
    Source: RFC 9112, section 3.2.2; RFC 9110, sections 4.2.1 and 4.2.4.
    """
    absolute = _ABSOLUTE_FORM.match(request.target)
    if absolute is None:
        return request
    host, rest = absolute.groups()
    if not host or b"@" in host:
        raise h11.RemoteProtocolError("invalid authority in the target")
    return h11.Request(
        method=request.method,
        headers=[(b"host", host), *((name, value) for name, value in request.headers if name != b"host")],
        target=rest if rest.startswith(b"/") else b"/" + rest,
        http_version=request.http_version,
    )
