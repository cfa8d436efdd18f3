"""What a frontier and its queues exchange: URLs, origins, and the beginnings and ends of turns."""

from collections.abc import Sequence
from enum import IntEnum, StrEnum
from typing import Any, Final, NamedTuple, Self

from canfetch.client.frontier.url_identity import IdentifiedURL
from canfetch.core.text import portable_text

# The number of origins that become due in one call, which bounds the time of the call.
DUE_BATCH: Final = 200
# The number of delayed URLs of an origin that are queued in one call.
DUE_URLS: Final = 1000
# The error of a URL whose last turn never ended.
KILLED: Final = "the process ended during the last attempt"
# The problem of an origin that waits longer than its server asks for, because its turns failed one after the other.
TURNS_FAILED: Final = "its turns failed"


class Phase(IntEnum):
    """What has to happen before the next URL of an origin may be fetched."""

    IDLE = 0  # waits until a URL is added
    WAITING = 1  # waits for its due time
    UNCHECKED = 2  # waits until its robots.txt is requested
    CHECKING = 3  # waits for its robots.txt
    READY = 4  # can be requested now
    FULL = 5  # waits until a request in flight ends


class URLState(IntEnum):
    """What happens next with a URL of the queue. The row of a URL that is done or skipped is deleted."""

    QUEUED = 0  # waits for a turn
    IN_FLIGHT = 1  # has a turn
    DELAYED = 2  # waits for its due time, after which it is queued again
    FAILED = 3  # is listed, until it is queued again on request


class Ending(IntEnum):
    """How the last visit of a URL ended. The URL is counted by it until its next visit is due."""

    DONE = 1
    SKIPPED = 2
    FAILED = 3


class Result(StrEnum):
    """How a turn ends."""

    DONE = "done"
    RETRIED = "retried"
    FAILED = "failed"
    RELEASED = "released"


class QueuedOrigin(NamedTuple):
    """An origin with queued URLs, and when it was requested and may be requested again.

    Attributes:
        failures: The number of turns that failed since the last one that did not.
        delay: If it is a group, the longest delay of its origins.
    """

    id: int
    name: str
    last_request_at: float | None
    retry_at: float | None
    failures: int
    delay: float = 0.0

    def after(self, other: "QueuedOrigin") -> "QueuedOrigin":
        """Return this group after another one has joined it: the waits of both count."""
        times = [(self.last_request_at, other.last_request_at), (self.retry_at, other.retry_at)]
        last_request_at, retry_at = (max((each for each in pair if each is not None), default=None) for pair in times)
        return self._replace(last_request_at=last_request_at, retry_at=retry_at)


class QueuedURL(NamedTuple):
    """A queued URL.

    Attributes:
        attempt: The number of its next turn, from 1.
        depth: The number of links from a seed.
        metadata: What was added with the URL, as JSON, or None.
        visit: What its last visit left, as JSON, or None before the first one. See `recrawl.Visit`.
    """

    id: int
    url: str
    priority: float
    attempt: int
    depth: int = 0
    metadata: str | None = None
    visit: str | None = None

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Self:
        """Return a queued URL from a row of its values."""
        number, url, *rest = row
        return cls(number, url_text(url), *rest)


class TurnEnd(NamedTuple):
    """The end of a turn.

    Attributes:
        result: How the turn ends. A URL that is released is queued at its previous position, and its turn does not
            count as an attempt.
        origin: The origin.
        queued: The URL, as it was before the turn.
        now: The time.
        due_at: When the origin may be requested again, by its delay.
        retry_at: When the origin may be requested again, by its response, or None.
        again_at: When the URL is queued again, after the others with its priority: for its next attempt if it is
            retried, and for its next visit if it is done or failed. None if it never is.
        error: What went wrong, or None.
        visit: What this visit leaves for the next one, as JSON, or None if that is unchanged.
        problem: What the origin waits for until `due_at`, unless it is its delay or `Retry-After`, or None.
    """

    result: Result
    origin: int
    queued: QueuedURL
    now: float
    due_at: float
    retry_at: float | None = None
    again_at: float | None = None
    error: str | None = None
    visit: str | None = None
    problem: str | None = None

    @property
    def is_failure(self) -> bool | None:
        """Whether the turn counts as a failure of the origin, or None if nothing is known."""
        return None if self.result is Result.RELEASED else self.result is not Result.DONE

    @property
    def ending(self) -> Ending | None:
        """How a URL is counted that waits for its next visit."""
        is_visited = self.again_at is not None and self.result is not Result.RETRIED
        return Ending[self.result.name] if is_visited else None

    def failures(self, before: int) -> int:
        """Return the number of turns of the origin that failed one after the other."""
        if self.is_failure is None:
            return before
        return before + 1 if self.is_failure else 0


class TurnStart(NamedTuple):
    """The start of a turn.

    Attributes:
        origin: The origin.
        url: The ID of its URL.
        due_at: The time until which the origin waits then.
        skipped: The IDs of other URLs of the origin, which are dropped.
    """

    origin: int
    url: int
    due_at: float
    skipped: Sequence[int]


class NewURLs(NamedTuple):
    """URLs that are added together.

    Attributes:
        urls: The URLs.
        priority: Their priority.
        depth: The number of links from a seed.
        metadata: What is added with each, as JSON, or None.
        refused: The number of other URLs, which cannot be added. They are counted.
        limit: The number of URLs of one origin that can ever be added, or None. More are counted as refused.
    """

    urls: Sequence[IdentifiedURL]
    priority: float
    depth: int = 0
    metadata: str | None = None
    refused: int = 0
    limit: int | None = None


class AddedURLs(NamedTuple):
    """The result of `URLQueue.add`.

    Attributes:
        number: The number of URLs that were added.
        refused: The unknown URLs that were not added, because their origins have as many as the limit.
    """

    number: int
    refused: list[IdentifiedURL]


class FailedURL(NamedTuple):
    """A URL that failed in its last attempt.

    Attributes:
        url: The URL, as it was added, without white space around it.
        error: What `retry` was called with, or why there was no call. None if it was called without an error.
        attempts: The number of its turns.
        failed_at: When it failed, in seconds since the epoch.
        priority: The priority with which it was added.
    """

    url: str
    error: str | None
    attempts: int
    failed_at: float
    priority: float

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Self:
        """Return a failed URL from a row of its values."""
        url, *rest = row
        return cls(url_text(url), *rest)


class FrontierCounts(NamedTuple):
    """The number of URLs of a frontier by what has happened to them, over all runs with the same file.

    Attributes:
        queued: URLs that wait for a turn, or for the time of their next attempt.
        in_flight: URLs whose turns are not done.
        done: URLs that are done. With a `Recrawl`, a URL is counted as done until its next visit is due and its origin
            may have a turn, and as queued after that. The same applies to failed and skipped URLs.
        failed: URLs that failed in every attempt, or were in flight when the process was killed in the last one.
        skipped: URLs that were dropped because they are disallowed, no longer valid, nothing is known about their
            origin, or too many of its turns failed.
        refused: How often a URL was not added, because it is invalid, no transport can fetch it, it is too deep, its
            origin has too many, or a filter refuses it.
    """

    queued: int
    in_flight: int
    done: int
    failed: int
    skipped: int
    refused: int = 0


def url_text(url: bytes) -> str:
    """Return a stored URL. Lone surrogates, which an older version stored, are percent-encoded as in `clean_url`."""
    return portable_text(bytes(url).decode("utf-8", "surrogatepass"))


def stored_url(url: str) -> bytes:
    """Return a URL as it is stored. Texts of databases cannot hold the lone surrogates of an older version."""
    return url.encode("utf-8", "surrogatepass")
