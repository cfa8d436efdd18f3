"""A transport that sends a limited number of requests, for URLs that strangers choose."""

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import Transport, TransportRequest


class LimitedTransport:
    """Sends at most `max_requests` with a transport, which is closed with it. Those after that fail."""

    def __init__(self, transport: Transport, max_requests: int) -> None:
        self._transport = transport
        self._left = max_requests

    def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request, unless there were too many."""
        self._left -= 1
        if self._left < 0:
            return Failure(request.url, FailureKind.LOCAL, "too many requests")
        return self._transport.send(request)

    def close(self) -> None:
        """Release all resources."""
        self._transport.close()
