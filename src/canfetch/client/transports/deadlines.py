"""How long a request may still take: one clock for names, connections and octets.

A socket's own time-out counts from each call, so that a server which sends an octet a second holds its
client for ever; here every call gets what is left.
"""

from time import monotonic

from canfetch.access.responses import FailureKind
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.failing import Failed


class Deadlines:
    """The ends of one request; they run from here on."""

    def __init__(self, request: TransportRequest) -> None:
        began = monotonic()
        self._request = request
        self._connected_by = began + min(request.connect_timeout, request.timeout)
        self._done_by = began + request.timeout

    def connect_timeout(self) -> float:
        """Give the seconds left to be connected; Failed when there are none."""
        left = self._connected_by - monotonic()
        if left <= 0:
            raise self.too_late_to_connect()
        return left

    def read_timeout(self) -> float:
        """Give the seconds that the next octets may take; Failed when there are none."""
        left = self._done_by - monotonic()
        if left <= 0:
            raise self.too_late_to_read()
        return min(left, self._request.read_timeout)

    def timeout(self) -> float:
        """Give the seconds left for all of it, 0 at least."""
        return max(0.0, self._done_by - monotonic())

    def too_late_to_connect(self) -> Failed:
        """Say that the connection took too long."""
        seconds = min(self._request.connect_timeout, self._request.timeout)
        return Failed(FailureKind.TIMEOUT, f"not connected within {_rounded(seconds):g} s")

    def too_late_to_read(self) -> Failed:
        """Say that the answer took too long: as a whole, or by a silence."""
        if monotonic() >= self._done_by:
            return Failed(FailureKind.TIMEOUT, f"not done within {_rounded(self._request.timeout):g} s")
        return Failed(FailureKind.TIMEOUT, f"nothing came for {_rounded(self._request.read_timeout):g} s")


def _rounded(seconds: float) -> float:
    # What is left of somebody's 3 s is 2.99998; people said 3.
    return float(f"{seconds:.3g}")
