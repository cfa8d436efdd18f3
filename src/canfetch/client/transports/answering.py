"""An answer being put together: the same rules for every transport."""

from collections.abc import AsyncIterator, Iterable, Iterator

from canfetch.access.responses import FailureKind, Headers, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.decoding import Body
from canfetch.client.transports.failing import Failed
from canfetch.client.transports.places import header_text

_SUCCESS = 2


def text_headers(fields: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Read fields as texts."""
    return tuple((header_text(name), header_text(value.strip())) for name, value in fields)


class Answer:
    """What has come so far.

    Raises: Failed: PROTOCOL, for a status that no final answer has; ENCODING, for a body that cannot be decoded.
    """

    def __init__(self, request: TransportRequest, status: int, headers: Headers) -> None:
        if not 200 <= status <= 999:
            raise Failed(FailureKind.PROTOCOL, f"status {status}, which is no answer")
        self._request = request
        self._status = status
        self._headers = headers
        self._body = Body(headers, request.max_bytes) if status // 100 == _SUCCESS else None

    @property
    def wants_more(self) -> bool:
        """Whether octets of the body are still of use."""
        return self._body is not None and not self._body.full

    def feed(self, octets: bytes) -> None:
        """Take the next octets of the body, as they were sent."""
        if self._body is not None:
            self._body.feed(octets)

    def read(self, pieces: Iterator[bytes]) -> Response:
        """Take as many pieces as are of use, and give the response."""
        while self.wants_more:
            piece = next(pieces, None)
            if piece is None:
                break
            self.feed(piece)
        return self.response()

    async def read_async(self, pieces: AsyncIterator[bytes]) -> Response:
        """Take as many pieces as are of use, and give the response."""
        while self.wants_more:
            piece = await anext(pieces, None)
            if piece is None:
                break
            self.feed(piece)
        return self.response()

    def response(self) -> Response:
        """Give the response, now that all of it came, or enough.

        Raises: Failed: INCOMPLETE, where the coding of the body is cut short.
        """
        body = b"" if self._body is None else self._body.octets()
        return Response(self._request.url, self._status, self._headers, body)
