"""Deadlines of one request, shared by name resolution, connecting and reading.

A socket timeout starts again with every call, so a server that sends one byte a second could hold a client forever.
Every call here gets the time that is left instead.

A request with a session of the caller may first wait for a free connection of its pool. That time is not the site's: if
the rest of the time was not enough for the site, nothing is known about it.
"""

from time import monotonic
from typing import Final

from canfetch.access.responses import NOT_CONNECTED, FailureKind
from canfetch.client.transports import TransportRequest, is_long_wait
from canfetch.client.transports.failures import TransportError

# How much earlier than the deadline a timeout of a library can end.
EARLY_SECONDS: Final = 0.05


class Deadlines:
    """The deadlines of `request`. The clock starts at construction.

    Attributes: goes_to_proxy: Whether the request goes to a proxy, and no earlier attempt can have reached the site.
    """

    goes_to_proxy = False

    def __init__(self, request: TransportRequest) -> None:
        start = monotonic()
        self._request = request
        self._connect_deadline = start + min(request.connect_timeout, request.timeout)
        self._deadline = start + request.timeout
        self._pool_seconds = 0.0
        self._waits_since: float | None = None

    @property
    def pool_seconds(self) -> float:
        """How long the request has waited for a connection of the caller's pool."""
        since = self._waits_since
        return self._pool_seconds + (0.0 if since is None else monotonic() - since)

    def begin_pool_wait(self) -> None:
        """Note that the request waits for a connection of the caller's pool."""
        self._waits_since = monotonic()

    def end_pool_wait(self) -> None:
        """Note that the request waits no longer."""
        if self._waits_since is not None:
            self.add_pool_wait(monotonic() - self._waits_since)
            self._waits_since = None

    def add_pool_wait(self, seconds: float) -> None:
        """Note a wait for a connection of the caller's pool that has just ended. The time to connect starts now."""
        self._pool_seconds += seconds
        self._connect_deadline = min(self._connect_deadline + seconds, self._deadline)

    @property
    def waits_for_pool(self) -> bool:
        """Whether the request waits for a connection of the caller's pool."""
        return self._waits_since is not None

    def pool_is_full(self) -> TransportError:
        """Return the error for a request that got no connection of the caller's pool."""
        return TransportError(FailureKind.LOCAL, "no connection of the session's pool became free in time")

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
        return self._delayed() or TransportError(FailureKind.TIMEOUT, f"{NOT_CONNECTED} within {_rounded(seconds):g} s")

    def read_timed_out(self) -> TransportError:
        """Return the error for a response that was not complete in time, or for a silence that was too long."""
        delayed = self._delayed()
        if delayed is not None:
            return delayed
        if monotonic() >= self._deadline:
            return TransportError(
                FailureKind.TIMEOUT, f"response not complete within {_rounded(self._request.timeout):g} s"
            )
        return TransportError(FailureKind.TIMEOUT, f"no data for {_rounded(self._request.read_timeout):g} s")

    def _delayed(self) -> TransportError | None:
        """Return the error for a site that got too little time after the wait for the caller's pool, or None."""
        if self.waits_for_pool:
            return self.pool_is_full()
        seconds = self._pool_seconds
        if monotonic() < self._deadline - EARLY_SECONDS or not is_long_wait(seconds, self._request.timeout):
            return None
        return TransportError(
            FailureKind.LOCAL,
            f"a connection of the session's pool became free after {_rounded(seconds):g} s, and"
            f" {_rounded(self._request.timeout - seconds):g} s were not enough",
        )


def _rounded(seconds: float) -> float:
    # The client passes on the remaining time of its own timeout. Show 2.99998 as the configured 3.
    return float(f"{seconds:.3g}")
