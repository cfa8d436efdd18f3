"""The HTML of responses that a check of a use reads: at most 2 MiB, and only what the HTTP client decodes."""

import http.client
import io
from collections.abc import Collection
from typing import Any, Final

from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.response_body import BodyDecoder
from canfetch.consent import PageResponse
from canfetch.pages.encodings import effective_content_type, parse_media_type
from canfetch.pages.headers import Headers, header_pairs
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES, HTML_TYPES

STEP_BYTES: Final = 65_536
_SUCCESS: Final = range(200, 300)
# In place of the body of a response that is not HTML.
_OTHER_CONTENT: Final = b" "


def has_html(status: int, headers: Headers) -> bool:
    """Return whether the body of a response is HTML with statements on the content of its URL."""
    types = [value for name, value in header_pairs(headers) if name == "content-type"]
    return status in _SUCCESS and parse_media_type(effective_content_type(types)) in HTML_TYPES


def content_codings(headers: Headers) -> tuple[str, ...]:
    """Return the content codings of a body, in lower case and in the order in which they were applied."""
    values = ",".join(value for name, value in header_pairs(headers) if name == "content-encoding")
    codings = (coding.strip().lower() for coding in values.split(","))
    return tuple(coding for coding in codings if coding not in {"", "identity"})


def page_response(status: int, headers: Headers, html: bytes | None) -> PageResponse:
    """Return a response as a source of statements.

    Args: html: The body if it is HTML, or None if it was not read.
    """
    if not has_html(status, headers):
        return PageResponse(status, headers, _OTHER_CONTENT)
    # A response to HEAD has no body.
    return PageResponse(status, headers, html or None)


class PageStart:
    """Reads the beginning of a body with HTML, up to the limit of a page.

    Args:
        headers: The headers of the response, or none if the HTTP client decodes the body before it is fed.
        decoded_codings: The content codings that the HTTP client decodes. With another one, nothing is read.
    Cost: Memory for at most twice the limit, and linear time.
    """

    def __init__(self, headers: Headers, decoded_codings: Collection[str] = ()) -> None:
        codings = content_codings(headers)
        self._decoder: BodyDecoder | None = None
        self._received = 0
        if all(coding in decoded_codings for coding in codings):
            fields = (("content-encoding", ", ".join(codings)),) if codings else ()
            self._decoder = BodyDecoder(fields, DEFAULT_MAX_PAGE_BYTES)

    @property
    def needs_data(self) -> bool:
        """Whether more of the body has to be read."""
        decoder = self._decoder
        return decoder is not None and not decoder.full and self._received <= DEFAULT_MAX_PAGE_BYTES

    def feed(self, data: bytes) -> None:
        """Add the next bytes of the body as received."""
        self._received += len(data)
        if self._decoder is not None:
            try:
                self._decoder.feed(data)
            except TransportError:
                self._decoder = None

    def finish(self, *, is_cut: bool = False) -> bytes | None:
        """Return the HTML after the last byte was fed, or None if it cannot be read.

        If the page continues, the result is longer than the limit of a page, so that it counts as a part.

        Args: is_cut: Whether the body continues although more data is needed.
        """
        if self._decoder is None:
            return None
        html = self._decoder.decoded
        is_complete = self.needs_data and not is_cut and (not self._received or self._decoder.is_finished)
        return html if is_complete else html.ljust(DEFAULT_MAX_PAGE_BYTES + 1)


def read_start(response: Any, start: PageStart) -> bytes | None:
    """Read the beginning of the body of a response of http.client, which its caller can still read as a whole.

    Returns: As `PageStart.finish`.
    Raises: OSError, http.client.HTTPException: The connection or the body ends early.
    """
    if not isinstance(response, http.client.HTTPResponse) or not start.needs_data:
        return None
    connection: Any = response.fp
    if connection is None:
        return b""
    # Of `http.client`: what is left of the body, and of its current chunk.
    state = response.length, response.chunk_left
    recorder = _Recorder(connection)
    response.fp = io.BufferedReader(recorder)
    try:
        is_at_end = _feed(response, start, recorder)
    except BaseException:
        # For `close`.
        response.fp = connection
        raise
    response.fp = io.BufferedReader(_Replay(recorder.recorded, connection))
    response.length, response.chunk_left = state
    return start.finish(is_cut=not is_at_end)


def _feed(response: http.client.HTTPResponse, start: PageStart, recorder: "_Recorder") -> bool:
    """Read as much of a body as needed, and return whether that is all of it."""
    # Headers of chunks can be longer than chunks.
    while start.needs_data and recorder.size <= DEFAULT_MAX_PAGE_BYTES + STEP_BYTES:
        data = response.read1(STEP_BYTES)
        if not data:
            if response.length:
                raise http.client.IncompleteRead(b"".join(recorder.recorded), response.length)
            return True
        start.feed(data)
    return False


class _Recorder(io.RawIOBase):
    """Reads from a connection, and records what it reads."""

    def __init__(self, connection: io.BufferedReader) -> None:
        self._connection = connection
        self.recorded: list[bytes] = []
        self.size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = self._connection.readinto1(buffer)
        self.recorded.append(bytes(buffer[:size]))
        self.size += size
        return size


class _Replay(io.RawIOBase):
    """Reads what was recorded, then from the connection, which it closes."""

    def __init__(self, recorded: list[bytes], connection: io.BufferedReader) -> None:
        self._recorded = recorded[::-1]
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._recorded:
            return self._connection.readinto1(buffer)
        data = self._recorded.pop()
        size = min(len(data), len(buffer))
        buffer[:size] = data[:size]
        if data[size:]:
            self._recorded.append(data[size:])
        return size

    def close(self) -> None:
        self._recorded.clear()
        self._connection.close()
        super().close()
