"""The queues of a frontier, as an interface: which URL of which origin is next.

A queue does not read robots.txt, and only stores the delays of groups. The frontier decides what may be fetched and
when, and a queue keeps URLs, origins and their times: `SQLiteQueue` in one file for one process, `PostgresQueue` in a
database for many, and `URLFrontier` in a service that other crawlers use, too.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import NamedTuple, Protocol

from canfetch.client.frontier.grouping import GroupBy
from canfetch.client.frontier.queue_connection import QueueConnection, check_thread
from canfetch.client.frontier.queue_values import (
    AddedURLs,
    FailedURL,
    FrontierCounts,
    NewURLs,
    Phase,
    QueuedOrigin,
    QueuedURL,
    TurnEnd,
    TurnStart,
)
from canfetch.client.frontier.url_identity import IdentifiedURL


class QueueOptions(NamedTuple):
    """What a frontier expects of its queue.

    Attributes:
        concurrency: The number of URLs of one origin that can be in flight.
        max_attempts: The number of turns of a URL. Those that end with a release are not counted.
        clock: Returns the time of the frontier, `clocks.Moment.at`.
        group_by: How URLs are grouped. It is stored with the crawl. `grouping.group_name` returns the group of a new
            origin. The origin leaves that group only if `URLQueue.resolve` moves the group into another one.
        skip_seconds: Seconds after which URLs that are skipped, or fail with their process, are queued again. None to
            drop the first and list the second.
        reads_sources: Whether the frontier has sources to read when the queue is opened. See `URLQueue.note_reading`.
        report_invalid: Called with each invalid URL that another crawler has added, and the reason, before the queue
            drops it.
    """

    concurrency: int
    max_attempts: int
    clock: Callable[[], float]
    group_by: GroupBy = GroupBy.ORIGIN
    skip_seconds: float | None = None
    reads_sources: bool = False
    report_invalid: Callable[[str, str], None] = lambda url, reason: None  # noqa: ARG005 - a queue without a frontier


class URLQueue(ABC):
    """The queues of all origins, open for one frontier. If URLs are grouped, each `origin` is a group of origins.

    All times are those of the frontier, `clocks.Moment.at`. `end` returns False if the turn no longer belongs to this
    frontier, and changes nothing then.

    URLs of processes that have died are queued again when the queue is opened, or listed as failed after their last
    attempt.

    Attributes: killed: URLs that failed because their process ended in the last attempt, until they are reported.

    Args:
        connection: Where the URLs are.
        options: What the frontier expects.
    Raises: StoreError: In the constructor and in every method.
    """

    def __init__(self, connection: QueueConnection, options: QueueOptions) -> None:
        self.killed: list[FailedURL] = []
        self._options = options
        self._clock = options.clock
        self._skip_seconds = options.skip_seconds
        self._is_grouped = options.group_by is not GroupBy.ORIGIN
        self._guarded = connection
        self._thread = threading.get_ident()

    @property
    def is_open(self) -> bool:
        """Whether the queue can be used."""
        return self._guarded.is_open

    @property
    def is_closed(self) -> bool:
        """Whether the queue was closed, in this process or in the one that forked it."""
        return not (self._guarded.is_open or self._guarded.is_of_parent)

    @property
    def turns_at_once(self) -> int:
        """The number of turns that are started together, if as many tasks wait for one."""
        return 1

    @property
    def is_shared(self) -> bool:
        """Whether other processes can take the origins that this one does not use."""
        return False

    def check_usable(self) -> None:
        """Check that the queue is open, and belongs to this thread.

        Raises: StoreError: It is closed; RuntimeError: This is another thread.
        """
        self._guarded.check_usable()
        check_thread(self._thread, self._guarded.name)

    @abstractmethod
    def counts(self) -> FrontierCounts:
        """Return the number of URLs by what has happened to them."""

    def is_finished(self, *, reads_sources: bool) -> bool:
        """Return whether no URL is left, in no process. If so, `killed` has all URLs that this frontier has to report.

        Args: reads_sources: Whether this frontier may add more URLs of its sources.
        """
        counts = self.counts()
        return not reads_sources and counts.queued == 0 and counts.in_flight == 0

    def note_reading(self, *, reads_sources: bool) -> None:  # noqa: B027 - see below
        """Note whether this frontier may add more URLs of its sources.

        Needed by queues that several processes share, if a crawl ends only after all sources are read.
        """

    def lost_origins(self) -> list[int]:
        """Return the origins that this frontier has lost to others since the last call, without a turn or a wait."""
        return []

    def has_origin(self, origin: int) -> bool:  # noqa: ARG002 - of those that share a crawl
        """Return whether an origin, or a group, still belongs to this frontier."""
        return True

    @abstractmethod
    def add(self, new: NewURLs) -> AddedURLs:
        """Add the URLs that were never added before. Count URLs that cannot be added."""

    @abstractmethod
    def unknown(self, urls: Iterable[IdentifiedURL]) -> list[IdentifiedURL]:
        """Return the URLs that were never added."""

    @abstractmethod
    def find_due(self, now: float) -> list[int]:
        """Return up to `DUE_BATCH` waiting origins that have become due, to be moved to `UNCHECKED` or `READY`."""

    @abstractmethod
    def set_phases(self, phases: Iterable[tuple[Phase, int]]) -> None:
        """Set the phases of origins."""

    @abstractmethod
    def next_unchecked(self, limit: int) -> list[QueuedOrigin]:
        """Return origins whose robots.txt has to be obtained next.

        Every other one is the first in the order of turns, and the rest is chosen at random from all that have the same
        priority: thousands of origins that fail slowly take no more than their share of these, wherever they are in the
        order.
        """

    @abstractmethod
    def next_ready(self, limit: int) -> list[QueuedOrigin]:
        """Return ready origins, those with the highest priority first. Of several, the one that became due first.

        Args: limit: The largest number, at most `turns_at_once`.
        """

    @abstractmethod
    def next_due_at(self) -> float | None:
        """Return when to look for due origins again, or None if no origin waits for a time."""

    @abstractmethod
    def queue_due_urls(self, origin: int, now: float) -> None:
        """Queue the URLs of an origin whose time for another attempt or visit has come.

        Args: now: The time, for up to `DUE_URLS` of them, or inf for all that do not wait for their next visit.
        """

    @abstractmethod
    def first_urls(self, origin: int, limit: int) -> Iterable[QueuedURL]:
        """Return the first queued URLs of an origin, at most `limit`."""

    def newest_url(self, origin: int) -> float:  # noqa: ARG002 - one that knows the order of its URLs needs it
        """Return an ID that all URLs of an origin which are added later exceed, or inf if their order is not known."""
        return inf

    @abstractmethod
    def skip(self, origin: int, urls: Sequence[int]) -> None:
        """Drop some URLs of an origin, or let them wait for `skip_seconds`, and count them as skipped."""

    def delay_urls(self, origin: int, urls: Sequence[int], due_at: float, *, error: str | None) -> None:
        """Let some queued URLs of an origin wait until a time, while its others have turns. Only groups need it.

        Args: error: What they wait for.
        """
        raise NotImplementedError

    @abstractmethod
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
            problem: Why its robots.txt cannot be reached, `clocks.OUTSIDE_VISIT_TIME`, or None.
            keeps: Whether this frontier keeps it until then, because it has the robots.txt that the next turn needs.
        """

    def note_check(
        self,
        origin: int,
        member: str,
        *,
        requested_at: float | None = None,
        due_at: float | None = None,
        delay: float | None = None,
    ) -> float | None:
        """Note what is known of the robots.txt of one of the origins of a group. Only groups need it.

        Args:
            member: The name of the origin.
            requested_at: When its robots.txt is or was requested, which counts as the last request to the group.
            due_at: When the group may be requested again after `requested_at`, which needs it.
            delay: The delay that it sets, or None if that is not known.
        Returns: The longest delay of the origins of the group, or None if the group no longer belongs to this frontier.
        """
        raise NotImplementedError

    def note_request(self, origin_name: str, now: float) -> None:  # noqa: B027 - see below
        """Note a request to an origin that a redirect has led to. Only groups need it.

        It counts as the last request to the group of the origin, if the queue can note that.
        """

    def resolve(self, origin: int, name: str) -> None:
        """Rename a group whose address was not known, or let it join the group with this name. Only groups need it.

        Its host belongs to that group from now on, also with origins that are added later.
        """
        raise NotImplementedError

    @abstractmethod
    def take(self, starts: Sequence[TurnStart], now: float) -> list[TurnStart]:
        """Start turns of different origins, at most `turns_at_once`, and return those that were started.

        The others no longer belong to this frontier.
        """

    @abstractmethod
    def end(self, end: TurnEnd) -> bool:
        """End the turn of a URL that is in flight."""

    @abstractmethod
    def defer(self, origin_name: str, now: float, retry_at: float) -> int:
        """Let an origin wait until a time, or until a later time that was set before. Return its ID."""

    def note_clock_shift(self, seconds: float) -> None:  # noqa: B027 - see below
        """Note by how many seconds the wall clock was set forward since the queue was opened.

        Only a queue needs it whose times are compared with the wall clock of the machine when it is opened again.
        """

    @abstractmethod
    def failed(self, after: int, limit: int) -> list[tuple[int, FailedURL]]:
        """Return failed URLs with their IDs, which are greater than `after`, in their order."""

    @abstractmethod
    def queue_failed(self, limit: int) -> int:
        """Queue up to `limit` failed URLs, as if they had never been tried. Return their number."""

    @abstractmethod
    def close(self) -> None:
        """Release the URLs that are in flight, and close the queue."""


class FrontierBackend(Protocol):
    """Where the queues of a frontier are, for the option `backend` of `Frontier`."""

    def open_queue(self, options: QueueOptions) -> URLQueue:
        """Open the queues for one frontier.

        Raises: StoreError: The crawl was begun with another grouping; InvalidOption: An option is not supported.
        """
        ...
