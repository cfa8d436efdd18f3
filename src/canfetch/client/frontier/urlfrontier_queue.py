"""The queues of a frontier in a URLFrontier service, shared with other processes and other crawlers: `URLFrontier`.

URLFrontier is a protocol of crawler-commons. A service has a queue of URLs for each key, here the origin, and leases
its URLs for a time. A frontier asks for one URL of a queue at a time: while it is leased, clients that ask in the same
way get no other URL of the queue. Before a turn, the frontier blocks the queue for the time of the lease, for all
clients, and at the end until the delay has passed.

A thread renews the leases of this process by longer blocks. A process that was suspended for longer has lost its turns,
by its own clock: the protocol cannot check that.
"""

import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from canfetch.client.argument_checks import check_positive_seconds
from canfetch.client.frontier.claimed_origins import CLAIMS, ClaimedOrigins
from canfetch.client.frontier.grouping import GroupBy
from canfetch.client.frontier.url_identity import IdentifiedURL, clean_url, identify_url, plain_form
from canfetch.client.frontier.url_queue import (
    KILLED,
    AddedURLs,
    FailedURL,
    FrontierCounts,
    NextVisit,
    Phase,
    QueuedOrigin,
    QueuedURL,
    check_thread,
)
from canfetch.client.frontier.urlfrontier_connection import (
    OK,
    LeaseExpiredError,
    PutItem,
    URLFrontierConnection,
    name_service,
    parse_addresses,
    running_seconds,
)
from canfetch.client.frontier.urlfrontier_metadata import (
    FAILED_DATE,
    added_metadata,
    failed_metadata,
    queue_key,
    queued_metadata,
    read_failed,
    read_queued,
    visited_metadata,
)
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, InvalidURL, StoreError

# Seconds between two looks for URLs that are due. The service counts whole seconds.
_POLL_SECONDS: Final = 0.5
# Seconds after which a claim is given back that no task has asked for.
_IDLE_SECONDS: Final = 1.0
# A claim that has to wait for this long at most is kept.
_SHORT_WAIT: Final = 5.0
# The longest delay that is set for a queue. What is longer can be a visit time, and is a block only.
_MAX_DELAY: Final = 60
# The number of origins whose last requests are known.
_KNOWN_ORIGINS: Final = 50_000
_MAX_NAME: Final = 200
# The number of calls of `add` in which no more URLs are put than an origin has room for.
_EXACT_ROUNDS: Final = 8


class URLFrontier:
    """The URLs of a crawl in a URLFrontier service, shared with other processes: a `backend` of `Frontier`.

        frontier = Frontier(client, seeds, backend=URLFrontier("frontier.example:7071", crawl="news"))

    Each process opens its own frontier with the same crawl. The delays of an origin hold over all of them, in whole
    seconds, which are rounded up. It was tested with a test server, and not with the reference service.

    Args:
        address: HOST:PORT of the service, or of each of its nodes, with commas.
        crawl: The ID of the crawl, 1 to 200 characters. Failed URLs are in a second crawl: its ID ends with `.failed`.
        lease: Seconds after which a process that does not respond loses its turns, rounded up to whole seconds.
        outage_seconds: How long each operation waits for a service that is away. After that it raises StoreError. The
            event loop waits, too.
    Raises: InvalidOption.
    """

    def __init__(self, address: str, *, crawl: str, lease: float = 30.0, outage_seconds: float = 60.0) -> None:
        check_positive_seconds("lease", lease)
        check_positive_seconds("outage_seconds", outage_seconds)
        name: object = crawl
        if not isinstance(name, str) or not 0 < len(name) <= _MAX_NAME or not name.isprintable():
            raise InvalidOption(f"invalid crawl {quoted(crawl)}: expected a name of 1 to {_MAX_NAME} characters")
        self._addresses = parse_addresses(address)
        self._crawl = crawl
        self._lease = math.ceil(lease)
        self._outage_seconds = outage_seconds

    def open_queue(
        self,
        *,
        concurrency: int,
        max_attempts: int,
        clock: Callable[[], float],
        group_by: GroupBy = GroupBy.ORIGIN,
        skip_seconds: float | None = None,
    ) -> "URLFrontierQueue":
        """Open the queues for one frontier.

        Raises: StoreError: The service cannot be reached; InvalidOption: `concurrency` is greater than 1, or
            `group_by` is not that of origins; MissingExtra.
        """
        if group_by is not GroupBy.ORIGIN:
            raise InvalidOption(
                f"invalid group_by {str(group_by)!r}: the queues of URLFrontier are those of origins, also for other "
                "crawlers"
            )
        if concurrency != 1:
            raise InvalidOption(
                f"invalid concurrency_per_origin {concurrency}: URLFrontier hands out one URL of an origin at a time"
            )
        return URLFrontierQueue(
            URLFrontierConnection(self._addresses, outage_seconds=self._outage_seconds),
            self._crawl,
            lease=self._lease,
            max_attempts=max_attempts,
            clock=clock,
            skip_seconds=skip_seconds,
        )

    def __repr__(self) -> str:
        return f"<URLFrontier {name_service(self._addresses)} crawl={self._crawl!r}>"


@dataclass(slots=True)
class _Claim:
    """A leased URL, which is the next one of its origin.

    Attributes:
        node: The node that has the queue.
        info: The URL as the service has it.
        origin: The ID of the origin.
        queued: The URL.
        lost_at: When the lease expires, by the clock of `running_seconds`.
        due_at: When it may have its turn.
        phase: What it waits for.
        since: When it got this phase, by the monotonic clock.
        has_turn: Whether its turn has begun.
        is_blocked: Whether its queue is blocked.
        is_busy: Whether the thread of the frontier changes its queue. The thread that renews leases must not, then.
        is_dropped: Whether the URL was skipped.
    """

    node: int
    info: Any
    origin: int
    queued: QueuedURL
    lost_at: float
    due_at: float
    phase: Phase = Phase.WAITING
    since: float = field(default_factory=time.monotonic)
    has_turn: bool = False
    is_blocked: bool = False
    is_busy: bool = False
    is_dropped: bool = False

    @property
    def priority(self) -> float:
        return self.queued.priority


class URLFrontierQueue(ClaimedOrigins[_Claim]):
    """The queues of a crawl, as `url_queue.URLQueue` describes them, open for one process.

    Args:
        connection: The service.
        crawl: The ID of the crawl.
        lease: Whole seconds.
        max_attempts: The number of turns of a URL.
        clock: Returns the time of the frontier.
        skip_seconds: Seconds after which URLs that are skipped, or fail with their process, are queued again, or None.
    Raises: StoreError: In the constructor and in every method.
    """

    def __init__(
        self,
        connection: URLFrontierConnection,
        crawl: str,
        *,
        lease: int,
        max_attempts: int,
        clock: Callable[[], float],
        skip_seconds: float | None,
    ) -> None:
        super().__init__(clock)
        self.killed: list[FailedURL] = []
        self._connection = connection
        self._messages = connection.messages
        self._crawl = crawl
        self._failed_crawl = f"{crawl}.failed"
        self._lease = lease
        self._max_attempts = max_attempts
        self._skip_seconds = skip_seconds
        self._thread = threading.get_ident()
        # What this process knows of origins. The service knows only when the next request is permitted.
        self._origins: OrderedDict[int, QueuedOrigin] = OrderedDict()
        self._origin_ids: dict[str, int] = {}
        self._next_origin = 1
        self._next_url = 1
        # By key: the node and the end of the last block, and the last delay that was set.
        self._blocks: dict[str, tuple[int, int]] = {}
        self._delays: OrderedDict[str, int] = OrderedDict()
        self._outages = 0
        self._skipped = 0
        self._refused = 0
        self._next_claim_at = 0.0
        try:
            for node in connection.nodes:
                self._stats(self._crawl, node)
        except BaseException:
            connection.close()
            raise
        self._stopped = threading.Event()
        self._renewal = threading.Thread(target=self._renew_leases, name="canfetch frontier lease", daemon=True)
        self._renewal.start()

    @property
    def is_open(self) -> bool:
        """Whether the queue can be used."""
        return self._connection.is_open

    def check_usable(self) -> None:
        """Check that the queue is open, and belongs to this thread.

        Raises: StoreError: It is closed; RuntimeError: This is another thread.
        """
        self._connection.check_usable()
        check_thread(self._thread, self._connection.name)

    def counts(self) -> FrontierCounts:
        """Return the number of URLs of the crawl.

        `in_flight` and `skipped` are those of this process. Those of others are counted as queued and done.
        """
        self.check_usable()
        stats = self._stats(self._crawl)
        failed = self._stats(self._failed_crawl).size
        with self._lock:
            in_flight = sum(claim.has_turn for claim in self._claims.values())
        done = stats.counts["completed"] - failed - self._skipped
        return FrontierCounts(stats.size - in_flight, in_flight, max(done, 0), failed, self._skipped, self._refused)

    def is_finished(self, *, reads_sources: bool) -> bool:
        """Return whether all URLs of the crawl are completed, and those that failed with their process are reported."""
        self.check_usable()
        return not reads_sources and not self.killed and self._stats(self._crawl).size == 0

    def add(
        self,
        urls: Iterable[IdentifiedURL],
        priority: float,
        now: float,  # noqa: ARG002 - the service has its own clock
        *,
        depth: int = 0,
        metadata: str | None = None,
        refused: int = 0,
        limit: int | None = None,
    ) -> AddedURLs:
        """Add the URLs that were never added before. Count URLs that cannot be added.

        With a limit, each origin takes a call, and known URLs for which it would have no room are counted as well. Two
        processes that add URLs of one origin at the same time can exceed the limit, and so can a batch with many known
        URLs of an origin with little room.
        """
        self.check_usable()
        self._refused += refused
        given = []
        for url in urls:
            form = plain_form(url)
            info = self._messages.URLInfo(url=form, key=queue_key(url.origin), crawlID=self._crawl)
            queued_metadata(info, url.url, attempt=1, priority=priority)
            added_metadata(info, depth=depth, metadata=metadata)
            given.append((url, PutItem(info, None)))
        added = 0
        over: list[IdentifiedURL] = []
        rooms: dict[str, float] = {}
        rounds = 0
        while given:
            # Each known URL leaves room for another one. So that this does not take a call for each, later calls have
            # more URLs than there is room for.
            factor = 2 ** max(rounds - _EXACT_ROUNDS, 0)
            put, given = self._fitting(given, rooms, over, math.inf if limit is None else limit, factor)
            rounds += 1
            for item, status in zip(put, self._connection.put(0, put) if put else (), strict=True):
                rooms[item.info.key] -= status == OK
                added += status == OK
        self._refused += len(over)
        self._next_claim_at = 0.0
        return AddedURLs(added, over)

    def _fitting(
        self,
        given: Sequence[tuple[IdentifiedURL, PutItem]],
        rooms: dict[str, float],
        over: list[IdentifiedURL],
        limit: float,
        factor: int,
    ) -> tuple[list[PutItem], list[tuple[IdentifiedURL, PutItem]]]:
        """Return the URLs that fit if all are new, and those that fit if some are not. Add the others to `over`.

        Args:
            rooms: The numbers of URLs that still fit, by the key of their queue.
            factor: How many URLs are returned for each one that fits.
        """
        fitting: list[PutItem] = []
        rest = []
        taken: Counter[str] = Counter()
        for url, item in given:
            key = item.info.key
            if key not in rooms:
                stats = None if limit == math.inf else self._stats(self._crawl, key=key)
                rooms[key] = limit if stats is None else limit - stats.size - stats.counts["completed"]
            if rooms[key] <= 0:
                over.append(url)
            elif taken[key] < rooms[key] * factor:
                taken[key] += 1
                fitting.append(item)
            else:
                rest.append((url, item))
        return fitting, rest

    def unknown(self, urls: Iterable[IdentifiedURL]) -> list[IdentifiedURL]:
        """Return all URLs: the protocol does not say which ones were added, without adding them."""
        return list(urls)

    def find_due(self, now: float) -> list[int]:
        """Return the claimed origins that have become due, after claiming more if few are left."""
        self.check_usable()
        due = self._due_origins(now)
        if self._has_few_claims() and now >= self._next_claim_at:
            due += self._claim_urls()
        return due

    def next_due_at(self) -> float | None:
        """Return when to look again: when a claimed origin is due, or when the service may have a URL."""
        now = self._clock()
        self._next_claim_at = min(self._next_claim_at, now + _POLL_SECONDS)
        return min([now + _POLL_SECONDS, *self._due_times()])

    def queue_due_urls(self, origin: int, now: float) -> None:
        """Do nothing: the service hands out URLs when their times have come."""

    def first_urls(self, origin: int, limit: int) -> Iterator[QueuedURL]:  # noqa: ARG002 - there is one
        """Return the leased URL of an origin."""
        claim = self._claims.get(origin)
        if claim is not None and not claim.is_dropped:
            yield claim.queued

    def skip(self, origin: int, urls: Sequence[int]) -> None:
        """Complete the URL of an origin, and count it as skipped, or let it wait for `skip_seconds`."""
        claim = self._claims.get(origin)
        if claim is None or claim.queued.id not in urls or claim.is_dropped or self._is_lost(claim):
            return
        try:
            with self._busy(claim):
                if self._skip_seconds is None:
                    self._put(claim, 0)
                else:
                    self._put_delayed(claim, self._skip_seconds)
                claim.is_dropped = True
        except LeaseExpiredError:
            self._forget(claim)
        else:
            self._skipped += self._skip_seconds is None

    def delay_urls(self, origin: int, urls: Sequence[int], due_at: float, *, error: str | None) -> None:
        """Not used: only groups of several origins delay some of their URLs."""
        raise NotImplementedError

    def note_check(
        self, origin: int, member: str, *, requested_at: float | None = None, delay: float | None = None
    ) -> float | None:
        """Not used: only groups of several origins have delays of their members."""
        raise NotImplementedError

    def wait(
        self,
        origin: int,
        due_at: float,
        *,
        skipped: Sequence[int] = (),
        problem: str | None = None,  # noqa: ARG002 - the protocol has no place for it
        keeps: bool = False,  # noqa: ARG002 - of groups
    ) -> None:
        """Drop the URL of an origin, and let it wait until a time, for any process."""
        self.skip(origin, skipped)
        claim = self._claims.get(origin)
        if claim is None or self._is_lost(claim):
            return
        if not claim.is_dropped and due_at - self._clock() <= _SHORT_WAIT:
            with self._lock:
                claim.due_at = due_at
                claim.phase = Phase.WAITING
            return
        try:
            self._give_back(claim, due_at, None if claim.is_dropped else self._service_now())
        except LeaseExpiredError:
            self._forget(claim)

    def take(self, origin: int, url: int, now: float, due_at: float, *, skipped: Sequence[int]) -> bool:
        """Take the URL of an origin, and let no process have another one of its queue before the lease ends."""
        claim = self._claims.get(origin)
        if claim is None:
            return False
        assert not skipped
        assert claim.queued.id == url
        if self._is_lost(claim):
            return False
        try:
            with self._busy(claim):
                self._begin_turn(claim, now, due_at)
        except LeaseExpiredError:
            self._forget(claim)
            return False
        self._remember(origin, last_request_at=now)
        return True

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
        """Complete a URL that was in flight, or let it wait for its next visit."""
        if next_visit is None:
            return self._end(origin, url.id, now, due_at, retry_at, is_failure=False, date=0)
        return self._end(
            origin,
            url.id,
            now,
            due_at,
            retry_at,
            is_failure=False,
            date=self._service_date(next_visit.at),
            change=lambda info: visited_metadata(info, url, visit=next_visit.data),
        )

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
        """Queue a URL that was in flight again, not before the time `again_at`."""
        return self._end(
            origin,
            url.id,
            now,
            due_at,
            retry_at,
            is_failure=True,
            date=self._service_date(again_at),
            change=lambda info: queued_metadata(
                info, url.url, attempt=url.attempt + 1, priority=url.priority, error=error
            ),
        )

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
        """Put a URL that was in flight into the crawl of the failed ones and complete it, or let it wait."""
        if again_at is not None:
            return self._end(
                origin,
                url.id,
                now,
                due_at,
                retry_at,
                is_failure=True,
                date=self._service_date(again_at),
                change=lambda info: visited_metadata(info, url, visit=None, error=error),
            )
        failed = FailedURL(url.url, error, url.attempt, now, url.priority)
        return self._end(origin, url.id, now, due_at, retry_at, is_failure=True, date=0, failed=failed)

    def release(self, origin: int, url: int, now: float, due_at: float) -> bool:
        """Queue a URL that was in flight, after those that are due."""
        claim = self._claims.get(origin)
        if claim is None:
            return False
        queued = claim.queued
        return self._end(
            origin,
            url,
            now,
            due_at,
            None,
            is_failure=None,
            date=self._service_now(),
            change=lambda info: queued_metadata(info, queued.url, attempt=queued.attempt, priority=queued.priority),
        )

    def defer(self, origin_name: str, now: float, retry_at: float) -> None:
        """Let an origin wait until a time, or until a later time that this process has set before."""
        self.check_usable()
        id_ = self._origin_id(origin_name)
        latest = max(self._origins[id_].retry_at or 0.0, retry_at)
        self._remember(id_, last_request_at=now, retry_at=latest)
        claim = self._claims.get(id_)
        if claim is None:
            self._block(0, queue_key(origin_name), self._service_date(latest))
            return
        with self._busy(claim):
            claim.due_at = max(claim.due_at, latest)
            end = self._service_date(max(self._clock() + self._lease, claim.due_at))
            self._block(claim.node, claim.info.key, end)
            claim.is_blocked = True

    def failed(self, after: int, limit: int) -> list[tuple[int, FailedURL]]:
        """Return failed URLs with their positions, which are greater than `after`, in the order of the service."""
        self.check_usable()
        return [(position, read_failed(info)) for position, info in self._list_failed(after, limit)]

    def queue_failed(self, limit: int, now: float) -> int:  # noqa: ARG002 - the service has its own clock
        """Queue up to `limit` failed URLs, as if they had never been tried. Return their number."""
        self.check_usable()
        again = []
        ended = []
        for _, info in self._list_failed(0, limit):
            failed = read_failed(info)
            queued = self._copy(info)
            queued.crawlID = self._crawl
            queued_metadata(queued, failed.url, attempt=1, priority=failed.priority)
            again.append(PutItem(queued, self._service_now()))
            ended.append(PutItem(info, 0))
        self._connection.put(0, again)
        self._connection.put(0, ended)
        self._next_claim_at = 0.0
        return len(again)

    def close(self) -> None:
        """Give back all leased URLs, and close the connections."""
        self._stopped.set()
        self._renewal.join()
        now = self._clock()
        try:
            for claim in list(self._claims.values()):
                if self._is_lost(claim):
                    continue
                if claim.has_turn:
                    self.release(claim.origin, claim.queued.id, now, claim.due_at)
                else:
                    with suppress(LeaseExpiredError):
                        self._give_back(claim, now, None if claim.is_dropped else self._service_now())
        except StoreError as error:
            # The others have these URLs when the leases have expired, and open turns count as attempts.
            CLIENT_LOGGER.warning("%s", error)
        finally:
            self._connection.close()

    def _claim_urls(self) -> list[int]:
        """Lease URLs of queues that are due, one of each, and return their origins."""
        self._repeat_blocks()
        claimed: list[int] = []
        for node in self._connection.nodes:
            started = running_seconds()
            request = self._messages.GetParams(
                max_urls_per_queue=1, max_queues=CLAIMS, delay_requestable=self._lease, crawlID=self._crawl
            )
            for info in self._connection.get(node, "GetURLs", request):
                try:
                    claim = self._new_claim(node, info, started + self._lease)
                except LeaseExpiredError:
                    # The calls took longer than the lease: it is handed out again.
                    continue
                if claim is not None:
                    with self._lock:
                        self._claims[claim.origin] = claim
                    claimed.append(claim.origin)
        if not claimed:
            self._next_claim_at = self._clock() + _POLL_SECONDS
        return claimed

    def _new_claim(self, node: int, info: Any, lost_at: float) -> _Claim | None:
        """Return the claim of a leased URL, or None if it can have no turn."""
        queued = read_queued(info, self._next_url)
        self._next_url += 1
        try:
            # The spelling that was added is metadata, which anyone can change: it must be that of the URL.
            identified = identify_url(clean_url(info.url))
            queued = queued._replace(url=_same_url(queued.url, identified) or identified.url)
            origin_name = identified.origin
        except InvalidURL as error:
            # Another crawler has added it.
            CLIENT_LOGGER.warning("%s: skipped: %s", self._connection.name, error)
            self._connection.put(node, [PutItem(info, 0)])
            self._skipped += 1
            return None
        origin = self._origin_id(origin_name)
        claim = _Claim(node, info, origin, queued, lost_at, self._clock())
        present = self._claims.get(origin)
        if present is not None and not self._is_lost(present):
            # The service was restarted and has forgotten the lease, or the URLs of the origin have several keys.
            self._block(node, info.key, self._service_date(self._clock() + self._lease))
            self._put(claim, self._service_now())
            present.is_blocked = present.is_blocked or present.info.key == info.key
            return None
        if queued.attempt > self._max_attempts:
            # Its last turn has never ended.
            failed = FailedURL(queued.url, KILLED, queued.attempt - 1, self._clock(), queued.priority)
            if self._skip_seconds is None:
                self._put_failed(claim, failed)
                self._put(claim, 0)
            else:
                self._put_delayed(claim, self._skip_seconds, error=KILLED)
            self.killed.append(failed)
            return None
        return claim

    def _begin_turn(self, claim: _Claim, now: float, due_at: float) -> None:
        started = running_seconds()
        lease_end = self._service_date(self._clock() + self._lease)
        self._block(claim.node, claim.info.key, max(lease_end, self._service_date(due_at)), until=claim.lost_at)
        claim.is_blocked = True
        self._set_delay(claim, due_at - now)
        # Counted now, so that a page that ends the process is not handed out forever. This ends the lease of the
        # service, which is replaced by the block and by the time of the URL.
        queued = claim.queued
        info = self._copy(claim.info)
        queued_metadata(info, queued.url, attempt=queued.attempt + 1, priority=queued.priority)
        self._connection.put(claim.node, [PutItem(info, lease_end)], until=claim.lost_at)
        with self._lock:
            claim.lost_at = started + self._lease
            claim.has_turn = True
            claim.phase = Phase.FULL
            claim.due_at = due_at

    def _end(
        self,
        origin: int,
        url: int,
        now: float,
        due_at: float,
        retry_at: float | None,
        *,
        is_failure: bool | None,
        date: int,
        change: Callable[[Any], None] | None = None,
        failed: FailedURL | None = None,
    ) -> bool:
        """End a turn. Return False if its lease has expired, so that another process can have the URL.

        Args:
            date: When the URL may be fetched again, or 0 if never.
            change: Changes the metadata of the URL.
            failed: The URL, if it has failed.
        """
        self.check_usable()
        claim = self._claims.get(origin)
        if claim is None or claim.queued.id != url or self._is_lost(claim):
            return False
        known = self._origins[origin]
        failures = known.failures if is_failure is None else known.failures + 1 if is_failure else 0
        latest = max(known.retry_at or 0.0, retry_at or 0.0)
        # A copy: if a call fails, the turn is still open, and its end has not changed the URL.
        info = self._copy(claim.info)
        if change is not None:
            change(info)
        try:
            if failed is not None:
                self._put_failed(claim, failed)
            self._give_back(claim, max(due_at, latest), date, info)
        except LeaseExpiredError:
            self._forget(claim)
            return False
        self._remember(origin, last_request_at=now, retry_at=latest, failures=failures)
        return True

    def _give_back(self, claim: _Claim, due_at: float, date: int | None, info: Any = None) -> None:
        """Block the queue of a claim until a time, put its URL, and remove the claim.

        Args:
            date: When the URL may be fetched, or 0 if never, or None if it is completed already.
            info: The URL as it is put, or None if it is unchanged.
        """
        with self._busy(claim):
            is_due = due_at <= self._clock()
            # Before the lease ends, so that no other process has the queue in between.
            if not is_due:
                self._block(claim.node, claim.info.key, self._service_date(due_at), until=claim.lost_at)
            if date is not None:
                self._put(claim, date, info)
            if is_due and claim.is_blocked:
                self._block(claim.node, claim.info.key, 0, until=claim.lost_at)
            with self._lock:
                self._claims.pop(claim.origin, None)

    def _busy(self, claim: _Claim) -> "_Busy":
        return _Busy(self._lock, claim)

    def _is_lost(self, claim: _Claim) -> bool:
        """Return whether the lease of a claim has expired, and forget the claim then."""
        if running_seconds() < claim.lost_at:
            return False
        self._forget(claim)
        return True

    def _forget(self, claim: _Claim) -> None:
        """Forget a claim whose lease has expired."""
        CLIENT_LOGGER.warning(
            "%s: the lease of %s was not renewed for %d s, so others can have it",
            self._connection.name,
            claim.queued.url,
            self._lease,
        )
        with self._lock:
            if self._claims.get(claim.origin) is claim:
                del self._claims[claim.origin]
                self._lost.append(claim.origin)

    def _origin(self, claim: _Claim) -> QueuedOrigin:
        return self._origins[claim.origin]

    def _put(self, claim: _Claim, date: int, info: Any = None) -> None:
        item = PutItem(claim.info if info is None else info, date)
        self._connection.put(claim.node, [item], until=claim.lost_at)

    def _put_delayed(self, claim: _Claim, seconds: float, *, error: str | None = None) -> None:
        """Let a URL that has not been visited wait for its next visit."""
        info = self._copy(claim.info)
        visited_metadata(info, claim.queued, visit=None, error=error)
        self._put(claim, self._service_date(self._clock() + seconds), info)

    def _copy(self, info: Any) -> Any:
        copied = self._messages.URLInfo()
        copied.CopyFrom(info)
        return copied

    def _put_failed(self, claim: _Claim, failed: FailedURL) -> None:
        info = self._copy(claim.info)
        info.crawlID = self._failed_crawl
        failed_metadata(info, failed)
        self._connection.put(claim.node, [PutItem(info, FAILED_DATE)], until=claim.lost_at)

    def _list_failed(self, after: int, limit: int) -> list[tuple[int, Any]]:
        while True:
            request = self._messages.ListUrlParams(start=after, size=limit, crawlID=self._failed_crawl)
            items = self._connection.get(0, "ListURLs", request)
            # Those that were queued again are completed.
            found = [
                (position, item.known.info)
                for position, item in enumerate(items, after + 1)
                if item.known.refetchable_from_date == FAILED_DATE
            ]
            if found or not items:
                return found
            after += len(items)

    def _stats(self, crawl: str, node: int = 0, key: str = "") -> Any:
        return self._connection.call(node, "GetStats", self._messages.QueueWithinCrawlParams(crawlID=crawl, key=key))

    def _block(self, node: int, key: str, end: int, *, until: float = math.inf) -> None:
        """Block a queue until a time, or end its block if the time is 0."""
        request = self._messages.BlockQueueParams(key=key, time=end, crawlID=self._crawl)
        self._connection.call(node, "BlockQueueUntil", request, until=until)
        with self._lock:
            self._blocks.pop(key, None)
            if end:
                self._blocks[key] = (node, end)

    def _repeat_blocks(self) -> None:
        """Block the queues again that are blocked, after the service was away: it can have forgotten that."""
        now = wall_clock()
        with self._lock:
            self._blocks = {key: (node, end) for key, (node, end) in self._blocks.items() if end >= now}
            blocks = list(self._blocks.items()) if self._connection.outages != self._outages else []
        self._outages = self._connection.outages
        for key, (node, end) in blocks:
            self._block(node, key, end)
        if blocks:
            self._delays.clear()

    def _set_delay(self, claim: _Claim, seconds: float) -> None:
        """Set the delay of a queue, which is also for other crawlers."""
        delay = max(math.ceil(seconds), 0)
        key = claim.info.key
        if delay > _MAX_DELAY or self._delays.get(key) == delay:
            return
        request = self._messages.QueueDelayParams(key=key, delay_requestable=delay, crawlID=self._crawl)
        self._connection.call(claim.node, "SetDelay", request)
        self._delays[key] = delay
        if len(self._delays) > _KNOWN_ORIGINS:
            self._delays.popitem(last=False)

    def _service_date(self, at: float) -> int:
        """Return a time of the frontier in whole seconds since the epoch, never earlier."""
        return max(math.ceil(wall_clock() + (at - self._clock())), 1)

    def _service_now(self) -> int:
        """Return a time at which a URL may be fetched at once."""
        return max(int(wall_clock()), 1)

    def _origin_id(self, name: str) -> int:
        """Return the ID of an origin in this process."""
        id_ = self._origin_ids.get(name)
        if id_ is None:
            id_ = self._origin_ids[name] = self._next_origin
            self._next_origin += 1
            self._origins[id_] = QueuedOrigin(id_, name, None, None, 0)
            if len(self._origins) > _KNOWN_ORIGINS:
                oldest = next(other for other in self._origins if other not in self._claims and other != id_)
                del self._origin_ids[self._origins.pop(oldest).name]
        self._origins.move_to_end(id_)
        return id_

    def _remember(self, origin: int, **changes: Any) -> None:
        self._origins[origin] = self._origins[origin]._replace(**changes)

    def _renew_leases(self) -> None:
        while not self._stopped.wait(min(_IDLE_SECONDS, self._lease / 4)):
            with self._lock:
                claims = list(self._claims.values())
            for claim in claims:
                try:
                    self._renew(claim)
                except Exception as error:
                    if not isinstance(error, StoreError) and not self._connection.is_call_error(error):
                        raise
                    # The others would wait for the same service, and the lock is needed by turns.
                    if not self._stopped.is_set():
                        CLIENT_LOGGER.warning("%s: a lease was not renewed: %s", self._connection.name, error)
                    break

    def _renew(self, claim: _Claim) -> None:
        """Renew the lease of a claim by a block of its queue, or give it back if no task has asked for it."""
        # The lock is held during the call: the thread of the frontier must not change the queue before it ends.
        with self._lock:
            started = running_seconds()
            if claim.is_busy or self._claims.get(claim.origin) is not claim or started >= claim.lost_at:
                return
            is_idle = claim.phase in (Phase.READY, Phase.UNCHECKED) and not claim.is_dropped
            if is_idle and claim.since < time.monotonic() - _IDLE_SECONDS:
                self._connection.put_once(claim.node, [PutItem(claim.info, self._service_now())])
                if claim.is_blocked:
                    self._block_once(claim, 0)
                del self._claims[claim.origin]
                self._lost.append(claim.origin)
            elif claim.lost_at - started < self._lease * 3 / 4:
                end = self._service_date(max(self._clock() + self._lease, claim.due_at))
                self._block_once(claim, end)
                claim.is_blocked = True
                claim.lost_at = started + self._lease

    def _block_once(self, claim: _Claim, end: int) -> None:
        request = self._messages.BlockQueueParams(key=claim.info.key, time=end, crawlID=self._crawl)
        self._connection.call_once(claim.node, "BlockQueueUntil", request, seconds=self._lease / 4)
        self._blocks[claim.info.key] = (claim.node, end)


class _Busy:
    """Keeps the thread that renews leases from a claim, for a block."""

    def __init__(self, lock: threading.Lock, claim: _Claim) -> None:
        self._lock = lock
        self._claim = claim

    def __enter__(self) -> None:
        with self._lock:
            self._claim.is_busy = True

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._claim.is_busy = False


def _same_url(spelling: str, identified: IdentifiedURL) -> str | None:
    """Return another spelling of a URL, or None if it is that of another URL."""
    try:
        found = identify_url(clean_url(spelling))
    except InvalidURL:
        return None
    return found.url if found[1:] == identified[1:] else None


def wall_clock() -> float:
    """Return the time of this machine, which the service has to agree with, in seconds since the epoch."""
    return time.time()
