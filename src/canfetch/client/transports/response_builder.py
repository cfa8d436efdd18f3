"""Build the response of a request from its parts, by the same rules for every transport."""

from collections.abc import AsyncIterator, Iterator

from canfetch.access.responses import FailureKind, Headers, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.body_decoder import BodyDecoder
from canfetch.client.transports.failures import TransportError

_SUCCESS = 2


class ResponseBuilder:
    """A response whose body is still being read.

    Args:
        is_decoded: Whether the body is decoded before it is fed.
    Raises: TransportError: PROTOCOL if `status` is not the status of a final response. ENCODING if the body cannot be
        decoded.
    """

    def __init__(self, request: TransportRequest, status: int, headers: Headers, *, is_decoded: bool = False) -> None:
        if not 200 <= status <= 999:
            raise TransportError(FailureKind.PROTOCOL, f"invalid status {status}")
        self._request = request
        self._status = status
        self._headers = headers
        self._body = (
            BodyDecoder(() if is_decoded else headers, request.max_bytes) if status // 100 == _SUCCESS else None
        )

    @property
    def needs_data(self) -> bool:
        """Whether more of the body has to be read."""
        return self._body is not None and not self._body.full

    def feed(self, data: bytes) -> None:
        """Add the next bytes of the body as received."""
        if self._body is not None:
            self._body.feed(data)

    def read(self, chunks: Iterator[bytes]) -> Response:
        """Read as much of the body as needed, and return the response."""
        while self.needs_data:
            chunk = next(chunks, None)
            if chunk is None:
                break
            self.feed(chunk)
        return self.build()

    async def read_async(self, chunks: AsyncIterator[bytes]) -> Response:
        """Read as much of the body as needed, and return the response."""
        while self.needs_data:
            chunk = await anext(chunks, None)
            if chunk is None:
                break
            self.feed(chunk)
        return self.build()

    def build(self) -> Response:
        """Return the response, after its body was fed.

        Raises: TransportError: INCOMPLETE if the encoded body is truncated.
        """
        body = b"" if self._body is None else self._body.finish()
        return Response(self._request.url, self._status, self._headers, body)
