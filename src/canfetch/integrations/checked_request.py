"""A request of an HTTP client that was checked, and whose turn has come."""

from typing import NamedTuple, Self

from canfetch.client.pacers import RequestTurn
from canfetch.core.verdict import ClientVerdict


class CheckedRequest(NamedTuple):
    """A request that may be sent now. As a context manager, it closes the turn.

    Attributes:
        verdict: The verdict of robots.txt, or None if the request was not checked, or if nothing needs its verdict.
        turn: Its turn, which ends when it is sent, or None if requests do not wait.
    """

    verdict: ClientVerdict | None = None
    turn: RequestTurn | None = None

    def close(self) -> None:
        """Count the request as sent, unless that was recorded."""
        if self.turn is not None:
            self.turn.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
