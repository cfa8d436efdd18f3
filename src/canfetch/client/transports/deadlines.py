"""Deadlines of one request, shared by name resolution, connecting and reading.

A socket timeout starts again with every call, so a server that sends one byte a second could hold a client forever.
Every call here gets the time that is left instead.
"""

from time import monotonic

from canfetch.access.responses import FailureKind
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.failures import TransportError


class Deadlines:
    """The deadlines of `request`. The clock starts at construction."""

    def __init__(self, request: TransportRequest) -> None:
        start = monotonic()
        self._request = request
        self._connect_deadline = start + min(request.connect_timeout, request.timeout)
        self._deadline = start + request.timeout

    def connect_timeout(self) -> float:
        """Return the seconds left to connect.

        Raises: TransportError: TIMEOUT if the time is over.
        """
        left = self._connect_deadline - monotonic()
        if left <= 0:
            raise self.connect_timed_out()
        return left

    def read_timeout(self) -> float:
        """Return the seconds left to send or receive the next bytes.

        Raises: TransportError: TIMEOUT if the time is over.
        """
        left = self._deadline - monotonic()
        if left <= 0:
            raise self.read_timed_out()
        return min(left, self._request.read_timeout)

    def timeout(self) -> float:
        """Return the seconds left for the whole request, at least 0."""
        return max(0.0, self._deadline - monotonic())

    def connect_timed_out(self) -> TransportError:
        """Return the error for a connection that was not made in time."""
        seconds = min(self._request.connect_timeout, self._request.timeout)
        return TransportError(FailureKind.TIMEOUT, f"not connected within {_rounded(seconds):g} s")

    def read_timed_out(self) -> TransportError:
        """Return the error for a response that was not complete in time, or for a silence that was too long."""
        if monotonic() >= self._deadline:
            return TransportError(
                FailureKind.TIMEOUT, f"response not complete within {_rounded(self._request.timeout):g} s"
            )
        return TransportError(FailureKind.TIMEOUT, f"no data for {_rounded(self._request.read_timeout):g} s")


def _rounded(seconds: float) -> float:
    # The client passes on the remaining time of its own timeout. Show 2.99998 as the configured 3.
    return float(f"{seconds:.3g}")
