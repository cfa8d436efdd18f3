"""The queues of a frontier, as an interface: which URL of which origin is next.

A queue does not read robots.txt, and only stores the delays of groups. The frontier decides what may be fetched and
when, and a queue keeps URLs, origins and their times: `SQLiteQueue` in one file for one process, `PostgresQueue` in a
database for many, and `URLFrontier` in a service that other crawlers use, too.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Final, NamedTuple, Protocol

from canfetch.client.frontier.grouping import GroupBy
from canfetch.client.frontier.url_identity import IdentifiedURL

# The number of origins that become due in one call, which bounds the time of the call.
DUE_BATCH: Final = 200
# The number of delayed URLs of an origin that are queued in one call.
DUE_URLS: Final = 1000
# The error of a URL whose last turn never ended.
KILLED: Final = "the process ended during the last attempt"


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


class NextVisit(NamedTuple):
    """When a URL that is done is queued again, and what this visit leaves for the next one, as JSON."""

    at: float
    data: str


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


class FrontierCounts(NamedTuple):
    """The number of URLs of a frontier by what has happened to them, over all runs with the same file.

    Attributes:
        queued: URLs that wait for a turn, or for the time of their next attempt.
        in_flight: URLs whose turns are not done.
        done: URLs that are done. With a `Recrawl`, a URL is counted as done until its next visit is due, and as queued
            after that. The same applies to failed and skipped URLs.
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
    """Return a stored URL. Databases cannot store lone surrogates in texts."""
    return bytes(url).decode("utf-8", "surrogatepass")


def check_thread(thread: int, name: str) -> None:
    """Check that a queue is used in the thread that opened it.

    Args:
        thread: The identifier of that thread.
        name: The file, the database or the service.
    Raises: RuntimeError: This is another thread.
    """
    if threading.get_ident() != thread:
        raise RuntimeError(
            f"{name}: a frontier belongs to the thread that created it: call its methods there, for example with "
            "`loop.call_soon_threadsafe`"
        )


class URLQueue(Protocol):
    """The queues of all origins, open for one frontier. If URLs are grouped, each `origin` is a group of origins.

    All times are those of the frontier, `clocks.Moment.at`. The methods that end a turn, and `take`, return False if
    the turn or the origin no longer belongs to this frontier, and change nothing then.

    Attributes: killed: URLs that failed because their process ended in the last attempt, until they are reported.
    Raises: StoreError: In every method.
    """

    killed: list[FailedURL]

    @property
    def is_open(self) -> bool:
        """Whether the queue can be used."""
        ...

    def check_usable(self) -> None:
        """Check that the queue is open, and belongs to this thread.

        Raises: StoreError: It is closed; RuntimeError: This is another thread.
        """
        ...

    def counts(self) -> FrontierCounts:
        """Return the number of URLs by what has happened to them."""
        ...

    def is_finished(self, *, reads_sources: bool) -> bool:
        """Return whether no URL is left, in no process.

        Args: reads_sources: Whether this frontier may add more URLs of its sources.
        """
        ...

    def lost_origins(self) -> list[int]:
        """Return the origins that this frontier has lost to others since the last call, without a turn or a wait."""
        ...

    def add(
        self,
        urls: Iterable[IdentifiedURL],
        priority: float,
        now: float,
        *,
        depth: int = 0,
        metadata: str | None = None,
        refused: int = 0,
        limit: int | None = None,
    ) -> AddedURLs:
        """Add the URLs that were never added before. Count URLs that cannot be added.

        Args: limit: The number of URLs of one origin that can ever be added. More are counted as refused.
        """
        ...

    def unknown(self, urls: Iterable[IdentifiedURL]) -> list[IdentifiedURL]:
        """Return the URLs that were never added."""
        ...

    def find_due(self, now: float) -> list[int]:
        """Return up to `DUE_BATCH` waiting origins that have become due, to be moved to `UNCHECKED` or `READY`."""
        ...

    def set_phases(self, phases: Iterable[tuple[Phase, int]]) -> None:
        """Set the phases of origins."""
        ...

    def next_unchecked(self, limit: int) -> list[QueuedOrigin]:
        """Return origins whose robots.txt has to be obtained next.

        Every other one is the first in the order of turns, and the rest is chosen at random from all that have the same
        priority: thousands of origins that fail slowly take no more than their share of these, wherever they are in the
        order.
        """
        ...

    def next_ready(self) -> QueuedOrigin | None:
        """Return the ready origin with the highest priority. Of several, the one that became due first."""
        ...

    def next_due_at(self) -> float | None:
        """Return when to look for due origins again, or None if no origin waits for a time."""
        ...

    def queue_due_urls(self, origin: int, now: float) -> None:
        """Queue the URLs of an origin whose time for another attempt or visit has come.

        Args: now: The time, for up to `DUE_URLS` of them, or inf for all that do not wait for their next visit.
        """
        ...

    def first_urls(self, origin: int, limit: int) -> Iterable[QueuedURL]:
        """Return the first queued URLs of an origin, at most `limit`."""
        ...

    def skip(self, origin: int, urls: Sequence[int]) -> None:
        """Drop some URLs of an origin, or let them wait for `skip_seconds`, and count them as skipped."""
        ...

    def delay_urls(self, origin: int, urls: Sequence[int], due_at: float, *, error: str | None) -> None:
        """Let some queued URLs of an origin wait until a time, while its others have turns.

        Args: error: What they wait for.
        """
        ...

    def wait(
        self,
        origin: int,
        due_at: float,
        *,
        skipped: Sequence[int] = (),
        problem: str | None = None,
        keeps: bool = False,
    ) -> None:
        """Drop some URLs of an origin, and let it wait until a time.

        Args:
            problem: Why its robots.txt cannot be reached, or None.
            keeps: Whether this frontier keeps it until then, because it has the robots.txt that the next turn needs.
        """
        ...

    def note_check(
        self, origin: int, member: str, *, requested_at: float | None = None, delay: float | None = None
    ) -> float | None:
        """Note what is known of the robots.txt of one of the origins of a group.

        Args:
            member: The name of the origin.
            requested_at: When its robots.txt is or was requested, which counts as the last request to the group.
            delay: The delay that it sets, or None if that is not known.
        Returns: The longest delay of the origins of the group, or None if the group no longer belongs to this frontier.
        """
        ...

    def take(self, origin: int, url: int, now: float, due_at: float, *, skipped: Sequence[int]) -> bool:
        """Drop some URLs of an origin, take one, and let the origin wait until a time."""
        ...

    def finish(
        self,
        origin: int,
        url: QueuedURL,
        now: float,
        due_at: float,
        retry_at: float | None,
        *,
        next_visit: NextVisit | None = None,
    ) -> bool:
        """Drop a URL that was in flight, or let it wait for its next visit, and count it as done."""
        ...

    def retry(
        self,
        origin: int,
        url: QueuedURL,
        now: float,
        due_at: float,
        retry_at: float | None,
        *,
        again_at: float,
        error: str | None,
    ) -> bool:
        """Queue a URL that was in flight after the other URLs with its priority, not before the time `again_at`."""
        ...

    def fail(
        self,
        origin: int,
        url: QueuedURL,
        now: float,
        due_at: float,
        retry_at: float | None,
        *,
        error: str | None,
        again_at: float | None = None,
    ) -> bool:
        """List a URL that was in flight as failed, or let it wait for its next visit at `again_at`."""
        ...

    def release(self, origin: int, url: int, now: float, due_at: float) -> bool:
        """Queue a URL that was in flight at its previous position."""
        ...

    def defer(self, origin_name: str, now: float, retry_at: float) -> None:
        """Let an origin wait until a time, or until a later time that was set before."""
        ...

    def failed(self, after: int, limit: int) -> list[tuple[int, FailedURL]]:
        """Return failed URLs with their IDs, which are greater than `after`, in their order."""
        ...

    def queue_failed(self, limit: int, now: float) -> int:
        """Queue up to `limit` failed URLs, as if they had never been tried. Return their number."""
        ...

    def close(self) -> None:
        """Release the URLs that are in flight, and close the queue."""
        ...


class FrontierBackend(Protocol):
    """Where the queues of a frontier are, for the option `backend` of `Frontier`."""

    def open_queue(
        self,
        *,
        concurrency: int,
        max_attempts: int,
        clock: Callable[[], float],
        group_by: GroupBy,
        skip_seconds: float | None,
    ) -> URLQueue:
        """Open the queues for one frontier. URLs of processes that have died are queued again, or listed as failed.

        Args:
            concurrency: The number of URLs of one origin that can be in flight.
            max_attempts: The number of turns of a URL. Those that end with `release` are not counted.
            clock: Returns the time of the frontier.
            group_by: How URLs are grouped. It is stored with the crawl: `grouping.group_name` is the group of a new
                origin, which stays in its group.
            skip_seconds: Seconds after which URLs that are skipped, or fail with their process, are queued again. None
                to drop the first and list the second.
        Raises: StoreError: The crawl was begun with another grouping.
        """
        ...
