"""A request of an HTTP client: it was checked and its turn has come, and it was sent."""

from typing import TYPE_CHECKING, NamedTuple, Self

from canfetch.client.pacers import RequestTurn
from canfetch.core.verdict import ClientVerdict

if TYPE_CHECKING:
    from canfetch.pages.headers import Headers


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


class SentRequest(NamedTuple):
    """A request that was checked and sent, and the head of its response.

    Attributes:
        url: The URL.
        verdict: The verdict of robots.txt, or None if the request was not checked.
        status: The status code of the response.
        headers: Its headers.
    """

    url: str
    verdict: ClientVerdict | None
    status: int
    headers: "Headers"
