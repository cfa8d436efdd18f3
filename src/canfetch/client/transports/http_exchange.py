"""One HTTP/1.1 request and its response on top of h11, without I/O.

h11 parses heads, chunks and trailers. This module adds what h11 leaves to its callers: the limits and the kind of each
failure. It also removes what h11 rejects although it has no effect on the response.

Source: RFC 9112 sections 2.2, 4, 6.3, 7.1 and 8.
"""

import re
from typing import Final, NamedTuple

import h11

from canfetch.access.responses import FailureKind, Headers, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.endpoints import Endpoint
from canfetch.client.transports.failures import TransportError, describe_protocol_error
from canfetch.client.transports.h11_patterns import use_linear_patterns
from canfetch.client.transports.headers import (
    MAX_HEAD_BYTES,
    RawHeaders,
    decode_header,
    decode_headers,
    encode_request_headers,
)
from canfetch.client.transports.proxies import check_proxy_status
from canfetch.client.transports.response_body import ResponseBuilder

use_linear_patterns()

_STATUS_LINE: Final = re.compile(rb"(HTTP/1\.[0-9]) ([1-9][0-9]{2})(?: .*)?", re.DOTALL)
_BLANK_LINE: Final = re.compile(rb"\n\r?\n")
_BLANK_LINE_BYTES: Final = 3
# A field with its continuation lines.
_CONTENT_LENGTH: Final = re.compile(rb"^content-length:[^\n]*\n(?:[ \t][^\n]*\n)*", re.IGNORECASE | re.MULTILINE)
_TRANSFER_ENCODING: Final = re.compile(rb"^transfer-encoding:[^\n]*\n(?:[ \t][^\n]*\n)*", re.IGNORECASE | re.MULTILINE)
_EMPTY_TRANSFER_ENCODING: Final = re.compile(rb"^transfer-encoding:[ \t]*\r?\n(?![ \t])", re.IGNORECASE | re.MULTILINE)
# h11 rejects vertical tabs and form feeds, but accepts other control characters.
_REPLACED_CONTROLS: Final = bytes.maketrans(b"\v\f", b"\x1a\x1a")
# h11 needs about 10 us for a chunk. Without limits, chunks of one byte would take seconds.
_MAX_CHUNKS: Final = 65_536
_FREE_CHUNKS: Final = 4096
_MIN_CHUNK_BYTES: Final = 16
# Of h11, in half a millisecond.
_EVENTS_AT_A_TIME: Final = 64
_SUCCESS: Final = 2
_NO_CONTENT: Final = 204
_SWITCHING_PROTOCOLS: Final = 101


class ResponseHead(NamedTuple):
    """Status and headers of a response."""

    status: int
    headers: Headers


class _Exchange:
    """A request, and the head of its final response.

    Args: content: The content of the request, whose length is sent with it. None for a request without content.
    Raises: TransportError: PROTOCOL if the request cannot be sent.
    """

    def __init__(self, method: bytes, target: str, headers: RawHeaders, content: bytes | None = None) -> None:
        if content is not None:
            headers = [*headers, (b"Content-Length", str(len(content)).encode("ascii"))]
        self._connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        try:
            request = h11.Request(method=method, target=target, headers=headers)
            head = self._connection.send(request)
            data = self._connection.send(h11.Data(content)) if content is not None else b""
            self.request_data = head + data + self._connection.send(h11.EndOfMessage())
        except h11.LocalProtocolError as error:
            raise TransportError(FailureKind.PROTOCOL, f"invalid request: {error}"[:200]) from None
        self._received = bytearray()
        self._head_bytes = 0
        self._has_status = False

    def receive_head(self, data: bytes) -> ResponseHead | None:
        """Add received bytes, and return the head of the final response when it is complete.

        Interim responses (1xx) before it are skipped. The bytes after the head are passed to h11.

        Raises: TransportError: RESET if the data ends early. PROTOCOL if the data is not an HTTP/1.1 response.
        """
        if not data:
            raise TransportError(FailureKind.RESET, "connection closed before the end of the response head")
        search_from = max(0, len(self._received) - _BLANK_LINE_BYTES)
        self._received += data
        while True:
            self._check_status_line()
            blank = _BLANK_LINE.search(self._received, search_from)
            self._check_size(len(self._received) if blank is None else blank.end())
            if blank is None:
                return None
            head = self._parse_head(bytes(self._received[: blank.end()]))
            self._head_bytes += blank.end()
            self._has_status = False
            del self._received[: blank.end()]
            if head is not None:
                if self._received:
                    self._connection.receive_data(bytes(self._received))
                    self._received.clear()
                return head
            search_from = 0

    def _check_status_line(self) -> None:
        """Reject data that is not HTTP/1.1 at its first line, because it may not contain a blank line."""
        if self._has_status:
            return
        end = self._received.find(b"\n")
        if end < 0:
            return
        line = bytes(self._received[:end]).removesuffix(b"\r")
        if _STATUS_LINE.fullmatch(line) is None:
            raise TransportError(FailureKind.PROTOCOL, f"not an HTTP/1.1 response: {decode_header(line[:60])!r}")
        self._has_status = True

    def _check_size(self, head_bytes: int) -> None:
        if self._head_bytes + head_bytes > MAX_HEAD_BYTES:
            raise TransportError(FailureKind.PROTOCOL, f"response head is longer than {MAX_HEAD_BYTES} bytes")

    def _parse_head(self, head: bytes) -> ResponseHead | None:
        self._connection.receive_data(_prepare_head(head))
        try:
            event = self._connection.next_event()
        except h11.RemoteProtocolError as error:
            raise TransportError(
                FailureKind.PROTOCOL, f"invalid response head: {describe_protocol_error(error)}"[:200]
            ) from None
        if isinstance(event, h11.Response):
            return ResponseHead(event.status_code, decode_headers(event.headers.raw_items()))
        return None


class HTTPExchange(_Exchange):
    """A GET or POST request and its response.

    Args:
        request: The request.
        endpoint: The endpoint of its URL.
        target: The request target, if it is not the target of the endpoint.
        headers: More headers to send.
        is_proxied: Whether the request is sent to a proxy.
        content: The content of a POST request, or None for GET. The body of the response to POST is not read.
    Raises: TransportError: PROTOCOL if a header cannot be sent.
    Cost: Memory for twice the size limit and a few hundred KiB.
    """

    def __init__(
        self,
        request: TransportRequest,
        endpoint: Endpoint,
        *,
        target: str | None = None,
        headers: RawHeaders | None = None,
        is_proxied: bool = False,
        content: bytes | None = None,
    ) -> None:
        sent = [
            *encode_request_headers(endpoint, request.headers),
            *([] if headers is None else headers),
            (b"Connection", b"close"),
        ]
        method = b"GET" if content is None else b"POST"
        super().__init__(method, endpoint.target if target is None else target, sent, content)
        self._request = request
        self._reads_body = content is None
        self._is_proxied = is_proxied
        self._head: ResponseHead | None = None
        self._builder: ResponseBuilder | None = None
        self._at_end = False
        self._is_behind = False
        self._chunks = 0
        self._is_between_chunks = True
        # Bytes of the body as received and as data, and the bytes between chunks up to the last chunk that started.
        self._body_bytes = 0
        self._data_bytes = 0
        self._framing_bytes = 0

    @property
    def is_behind(self) -> bool:
        """Whether `advance` can read more of the data that was added."""
        return self._is_behind

    @property
    def has_many_chunks(self) -> bool:
        """Whether more chunks have been read than `advance` reads at a time."""
        return self._chunks > _EVENTS_AT_A_TIME

    @property
    def is_slow_to_decode(self) -> bool:
        """Whether `advance` can take long enough to hold up an event loop."""
        return self._builder is not None and self._builder.is_slow

    def receive(self, data: bytes) -> Response | None:
        """Add received bytes, or b"" at their end. Return the response as soon as no more data is needed.

        Raises: TransportError: RESET if the data ends before the body. INCOMPLETE if the body ends early. PROTOCOL if
            the data is not an HTTP/1.1 response. ENCODING if the body cannot be decoded. CONNECT if a proxy requires
            a login.
        """
        self.add(data)
        while self._is_behind:
            response = self.advance()
            if response is not None:
                return response
        return None

    def add(self, data: bytes) -> None:
        """Add received bytes, or b"" at their end, and read the head. `advance` reads the body.

        Raises: TransportError: The same as `receive`.
        """
        self._at_end = not data
        if self._head is not None:
            self._body_bytes += len(data)
            self._connection.receive_data(data)
        else:
            self._head = self.receive_head(data)
            if self._head is None:
                return
            check_proxy_status(self._head.status, is_proxied=self._is_proxied)
            if self._reads_body:
                self._builder = ResponseBuilder(self._request, self._head.status, self._head.headers)
                self._body_bytes = self._pending_bytes
        self._is_behind = True

    def advance(self) -> Response | None:
        """Read a part of the data that was added. Return the response as soon as no more data is needed.

        Raises: TransportError: The same as `receive`.
        Cost: At most 64 chunks, and the time to decode them.
        """
        assert self._head is not None
        if self._builder is None:
            return Response(self._request.url, self._head.status, self._head.headers, b"")
        return self._read_body(self._builder)

    def _read_body(self, builder: ResponseBuilder) -> Response | None:
        for _ in range(_EVENTS_AT_A_TIME):
            if not builder.needs_data:
                break
            try:
                event = self._connection.next_event()
            except h11.RemoteProtocolError as error:
                kind = FailureKind.INCOMPLETE if self._at_end else FailureKind.PROTOCOL
                raise TransportError(kind, describe_protocol_error(error)) from None
            if event is h11.NEED_DATA:
                self._check_framing(pending=0)
                self._is_behind = False
                return None
            if isinstance(event, h11.Data):
                earlier_bytes = self._data_bytes
                self._data_bytes += len(event.data)
                # `chunk_start` is missing if the size of a chunk arrives before its data.
                if self._is_between_chunks:
                    self._start_chunk(earlier_bytes)
                self._is_between_chunks = event.chunk_end
                builder.feed(bytes(event.data))
            else:
                # The end of the message. More data after it does not belong to the response.
                self._check_framing(pending=self._pending_bytes)
                break
        else:
            return None
        return builder.build()

    @property
    def _pending_bytes(self) -> int:
        return len(self._connection.trailing_data[0])

    def _start_chunk(self, earlier_bytes: int) -> None:
        """Count a chunk.

        Args: earlier_bytes: The data of all chunks before it.
        """
        if self._chunks >= _FREE_CHUNKS and earlier_bytes < self._chunks * _MIN_CHUNK_BYTES:
            raise TransportError(
                FailureKind.PROTOCOL,
                f"response has more than {_FREE_CHUNKS} chunks of less than {_MIN_CHUNK_BYTES} bytes on average",
            )
        self._chunks += 1
        if self._chunks > _MAX_CHUNKS:
            raise TransportError(FailureKind.PROTOCOL, f"response has more than {_MAX_CHUNKS} chunks")
        self._framing_bytes += self._check_framing(pending=self._pending_bytes)

    def _check_framing(self, *, pending: int) -> int:
        """Return the number of bytes since the last chunk that are not data: a size with its extensions, or trailers.

        h11 limits them only if they arrive in several reads, so that the result would depend on the network.

        Args: pending: Number of received bytes that h11 has not processed and that are not part of them.
        """
        framing = self._body_bytes - pending - self._data_bytes - self._framing_bytes
        if framing > MAX_HEAD_BYTES:
            raise TransportError(
                FailureKind.PROTOCOL, f"chunk extensions or trailers are longer than {MAX_HEAD_BYTES} bytes"
            )
        return framing


class TunnelExchange(_Exchange):
    """A CONNECT request to a proxy, for a tunnel to `endpoint`, and the head of the response.

    Source: RFC 9110 section 9.3.6.
    """

    def __init__(self, endpoint: Endpoint, headers: RawHeaders) -> None:
        host = f"[{endpoint.host.partition('%')[0]}]" if ":" in endpoint.host else endpoint.host
        authority = f"{host}:{endpoint.port}"
        super().__init__(b"CONNECT", authority, [(b"Host", authority.encode("ascii")), *headers])

    def receive(self, data: bytes) -> bool:
        """Add received bytes, or b"" at their end. Return whether the tunnel is open.

        Raises: TransportError: CONNECT if the proxy refuses, or sends no valid response.
        """
        try:
            head = self.receive_head(data)
        except TransportError as error:
            raise TransportError(FailureKind.CONNECT, f"proxy: {error.detail}") from None
        if head is None:
            return False
        if head.status // 100 != _SUCCESS:
            raise TransportError(FailureKind.CONNECT, f"proxy responded {head.status}")
        return True


def _prepare_head(head: bytes) -> bytes:
    """Return `head` without the parts that h11 rejects although they have no effect.

    - The reason phrase, which may contain any bytes.
    - Content-Length and Transfer-Encoding of a response whose body is not read. Content-Length of a body in chunks
      (RFC 9112 section 6.3). An empty Transfer-Encoding.
    - Vertical tabs and form feeds in values. They are replaced.

    Raises: TransportError: PROTOCOL for status 101.
    """
    line, _, fields = head.partition(b"\n")
    match = _STATUS_LINE.fullmatch(line.removesuffix(b"\r"))
    assert match is not None
    status = int(match[2])
    if status == _SWITCHING_PROTOCOLS:
        raise TransportError(FailureKind.PROTOCOL, "unexpected status 101: no protocol change was requested")
    # Only the blank line is left of a head without fields.
    fields = b"\n" + fields.translate(_REPLACED_CONTROLS)
    fields = _EMPTY_TRANSFER_ENCODING.sub(b"", fields)
    has_body = status // 100 == _SUCCESS and status != _NO_CONTENT
    if not has_body:
        fields = _CONTENT_LENGTH.sub(b"", _TRANSFER_ENCODING.sub(b"", fields))
    elif _TRANSFER_ENCODING.search(fields):
        fields = _CONTENT_LENGTH.sub(b"", fields)
    return b"%b %b%b" % (match[1], match[2], fields)
