"""The queues of a frontier in a URLFrontier service, shared with other processes and other crawlers: `URLFrontier`.

URLFrontier is a protocol of crawler-commons. A service has a queue of URLs for each key, here the origin or group, and
leases its URLs for a time: see `urlfrontier_leases.py`. Before a turn, the frontier blocks the queue for the time of
the lease, for all clients, and at the end until the delay has passed.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from canfetch.client.frontier.claimed_origins import CLAIMS
from canfetch.client.frontier.grouping import GroupBy, group_name
from canfetch.client.frontier.queue_values import (
    KILLED,
    AddedURLs,
    FailedURL,
    FrontierCounts,
    NewURLs,
    Phase,
    QueuedOrigin,
    QueuedURL,
    Result,
    TurnEnd,
    TurnStart,
)
from canfetch.client.frontier.url_identity import IdentifiedURL, clean_url, identify_url, plain_form
from canfetch.client.frontier.url_queue import QueueOptions
from canfetch.client.frontier.urlfrontier_connection import (
    LeaseExpiredError,
    PutItem,
    URLFrontierConnection,
    name_service,
    parse_addresses,
    running_seconds,
)
from canfetch.client.frontier.urlfrontier_leases import Claim, LeasedURLs
from canfetch.client.frontier.urlfrontier_metadata import (
    added_metadata,
    queue_key,
    queued_metadata,
    read_failed,
    read_queued,
    visited_metadata,
)
from canfetch.client.frontier.urlfrontier_service import LimitedURLs
from canfetch.client.frontier.validation import check_shared_crawl
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.errors import InvalidOption, InvalidURL, StoreError

# Seconds between two looks for URLs that are due. The service counts whole seconds.
_POLL_SECONDS: Final = 0.5
# The number of groups whose delays wait to be stored.
_UNSTORED_GROUPS: Final = 1000
# A claim that has to wait for this long at most is kept.
_SHORT_WAIT: Final = 5.0
_KNOWN_ORIGINS: Final = 50_000


class URLFrontier:
    """The URLs of a crawl in a URLFrontier service, shared with other processes: a `backend` of `Frontier`.

        frontier = Frontier(client, seeds, backend=URLFrontier("frontier.example:7071", crawl="news"))

    Each process opens its own frontier with the same crawl. The delays of an origin hold over all of them, in whole
    seconds, which are rounded up. It was tested with a test server, and not with the reference service.

    Args:
        address: HOST:PORT of the service, or of each of its nodes, with commas.
        crawl: The ID of the crawl, 1 to 200 characters. Failed URLs are in a second crawl, whose ID ends with
            `.failed`, and the delays of groups in one whose ID ends with `.delays`.
        lease: Seconds after which a process that does not respond loses its turns, rounded up to whole seconds. At most
            a billion.
        outage_seconds: How long each operation waits for a service that is away. After that it raises StoreError. The
            event loop waits, too. At most a billion.
    Raises: InvalidOption.
    """

    def __init__(self, address: str, *, crawl: str, lease: float = 30.0, outage_seconds: float = 60.0) -> None:
        check_shared_crawl(crawl, accepts=str.isprintable, lease=lease, outage_seconds=outage_seconds)
        self._addresses = parse_addresses(address)
        self._crawl = crawl
        self._lease = math.ceil(lease)
        self._outage_seconds = outage_seconds

    def open_queue(self, options: QueueOptions) -> "URLFrontierQueue":
        """Open the queues for one frontier.

        Raises: StoreError: The service cannot be reached; InvalidOption: `concurrency` is greater than 1, or
            `group_by` is `address`; MissingExtra.
        """
        if options.group_by is GroupBy.ADDRESS:
            raise InvalidOption(
                f"invalid group_by {str(options.group_by)!r}: URLFrontier needs the queue of a URL when it is added, "
                "and the address of a new host is not known then"
            )
        if options.concurrency != 1:
            raise InvalidOption(
                f"invalid concurrency_per_origin {options.concurrency}: URLFrontier hands out one URL of an origin at "
                "a time"
            )
        connection = URLFrontierConnection(self._addresses, outage_seconds=self._outage_seconds)
        return URLFrontierQueue(connection, self._crawl, options, lease=self._lease)

    def __repr__(self) -> str:
        return f"<URLFrontier {name_service(self._addresses)} crawl={self._crawl!r}>"


class URLFrontierQueue(LeasedURLs):
    """The queues of a crawl, open for one process. Its arguments are those of `LeasedURLs`."""

    def __init__(self, connection: URLFrontierConnection, crawl: str, options: QueueOptions, *, lease: int) -> None:
        super().__init__(connection, crawl, options, lease=lease)
        # The service knows only when the next request is permitted.
        self._origins = KnownOrigins(self._claims)
        self._next_url = 1
        self._skipped = 0
        self._report_invalid = options.report_invalid
        self._refused = 0
        self._next_claim_at = 0.0
        # By origin: the delays of its members whose checks ended when the lease had expired.
        self._unstored_delays: dict[int, dict[str, float]] = {}
        try:
            for node in connection.nodes:
                self._service.stats(node=node)
            self._start_renewal()
        except BaseException:
            connection.close()
            raise

    def counts(self) -> FrontierCounts:
        """Return the number of URLs of the crawl.

        `in_flight` and `skipped` are those of this process. Those of others are counted as queued and done.
        """
        self.check_usable()
        stats = self._service.stats()
        failed = self._service.stats(of_failed=True).size
        with self._lock:
            in_flight = sum(claim.has_turn for claim in self._claims.values())
        done = stats.counts["completed"] - failed - self._skipped
        return FrontierCounts(stats.size - in_flight, in_flight, max(done, 0), failed, self._skipped, self._refused)

    def is_finished(self, *, reads_sources: bool) -> bool:
        """Return whether all URLs of the crawl are completed, and those that failed with their process are reported."""
        self.check_usable()
        return not reads_sources and not self.killed and self._service.stats().size == 0

    def add(self, new: NewURLs) -> AddedURLs:
        self.check_usable()
        given = []
        for url in new.urls:
            info = self._service.new_url(plain_form(url), queue_key(self._group(url.origin)))
            queued_metadata(info, url.url, attempt=1, priority=new.priority)
            added_metadata(info, depth=new.depth, metadata=new.metadata)
            given.append((url, PutItem(info, None)))
        added = LimitedURLs(self._service, new.limit).put(given)
        # After the call: URLs of a source that could not be stored are added again.
        self._refused += new.refused + len(added.refused)
        self._next_claim_at = 0.0
        return added

    def unknown(self, urls: Iterable[IdentifiedURL]) -> list[IdentifiedURL]:
        """Return all URLs: the protocol does not say which ones were added, without adding them."""
        return list(urls)

    def find_due(self, now: float) -> list[int]:
        self.check_usable()
        due = self._due_origins(now)
        if self._has_few_claims() and now >= self._next_claim_at:
            due += self._claim_urls()
        return due

    def next_due_at(self) -> float | None:
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

    def wait(
        self,
        origin: int,
        due_at: float,
        *,
        skipped: Sequence[int] = (),
        problem: str | None = None,  # noqa: ARG002 - the protocol has no place for it
        keeps: bool = False,
    ) -> None:
        """Drop the URL of an origin, and let it wait until a time, for any process unless this one keeps it."""
        self.skip(origin, skipped)
        claim = self._claims.get(origin)
        if claim is None or self._is_lost(claim):
            return
        if not claim.is_dropped and (keeps or due_at - self._clock() <= _SHORT_WAIT):
            with self._lock:
                claim.due_at = due_at
                claim.phase = Phase.WAITING
                claim.since = time.monotonic()
            return
        date = self._service.now()
        if claim.info.key != queue_key(self._origin(claim).name):
            # Another crawler has put it under the key of another origin, whose URLs do not wait.
            date, due_at = self._service.date(due_at), self._clock()
        try:
            self._give_back(claim, due_at, None if claim.is_dropped else date)
        except LeaseExpiredError:
            self._forget(claim)

    def delay_urls(self, origin: int, urls: Sequence[int], due_at: float, *, error: str | None) -> None:
        """Let the URL of a group wait until a time, while others have turns."""
        claim = self._claims.get(origin)
        if claim is None or claim.queued.id not in urls or claim.is_dropped or self._is_lost(claim):
            return
        queued = claim.queued
        info = self._service.copy(claim.info)
        queued_metadata(info, queued.url, attempt=queued.attempt, priority=queued.priority, error=error)
        try:
            with self._busy(claim):
                # No other process has the queue before this one gives it back.
                self._block(claim, self._service.date(self._clock() + self._lease))
                self._put(claim, self._service.date(due_at), info)
                claim.is_dropped = True
        except LeaseExpiredError:
            self._forget(claim)

    def note_check(
        self,
        origin: int,
        member: str,
        *,
        requested_at: float | None = None,
        due_at: float | None = None,
        delay: float | None = None,
    ) -> float | None:
        if delay is not None:
            self._unstored_delays.setdefault(origin, {})[member] = delay
            if len(self._unstored_delays) > _UNSTORED_GROUPS:
                del self._unstored_delays[next(iter(self._unstored_delays))]
        claim = self._claims.get(origin)
        if claim is None or self._is_lost(claim):
            return None
        try:
            with self._busy(claim):
                if self._claims.get(origin) is not claim:
                    return None
                if delay is not None and claim.delays.get(member, 0.0) != delay:
                    claim.delays[member] = delay
                    self._service.put_group_delays(claim.node, claim.info.key, claim.delays, until=claim.lost_at)
                self._unstored_delays.pop(origin, None)
                longest = max(claim.delays.values(), default=0.0)
                self._origins.change(origin, delay=longest)
                if requested_at is not None:
                    # If this process ends, the next one waits as after any request.
                    started = running_seconds()
                    assert due_at is not None
                    claim.due_at = due_at
                    self._block(claim, self._service.date(max(self._clock() + self._lease, claim.due_at)))
                    claim.lost_at = started + self._lease
                    self._origins.change(origin, last_request_at=requested_at)
        except LeaseExpiredError:
            self._forget(claim)
            return None
        return longest

    def take(self, starts: Sequence[TurnStart], now: float) -> list[TurnStart]:
        """Take URLs, and let no process have another one of their queues before the lease ends."""
        return [start for start in starts if self._take(start, now)]

    def _take(self, start: TurnStart, now: float) -> bool:
        origin, url, due_at, skipped = start
        claim = self._claims.get(origin)
        if claim is None:
            return False
        assert not skipped
        assert claim.queued.id == url
        if self._is_lost(claim):
            return False
        try:
            with self._busy(claim):
                if self._claims.get(origin) is not claim:
                    return False
                self._begin_turn(claim, now, due_at)
        except LeaseExpiredError:
            self._forget(claim)
            return False
        self._origins.change(origin, last_request_at=now)
        return True

    def end(self, end: TurnEnd) -> bool:
        self.check_usable()
        claim = self._claims.get(end.origin)
        url = end.queued
        if claim is None or claim.queued.id != url.id or self._is_lost(claim):
            return False
        date = 0
        # A copy: if a call fails, the turn is still open, and its end has not changed the URL.
        info = self._service.copy(claim.info)
        if end.result is Result.RELEASED:
            # After those that are due.
            date = self._service.now()
            queued_metadata(info, url.url, attempt=url.attempt, priority=url.priority)
        elif end.again_at is not None:
            date = self._service.date(end.again_at)
            if end.result is Result.RETRIED:
                queued_metadata(info, url.url, attempt=url.attempt + 1, priority=url.priority, error=end.error)
            else:
                visited_metadata(info, url, visit=end.visit, error=end.error)
        known = self._origins[end.origin]
        retry_at = max(known.retry_at or 0.0, end.retry_at or 0.0)
        try:
            if end.result is Result.FAILED and end.again_at is None:
                self._put_failed(claim, FailedURL(url.url, end.error, url.attempt, end.now, url.priority))
            self._give_back(claim, max(end.due_at, retry_at), date, info)
        except LeaseExpiredError:
            self._forget(claim)
            return False
        failures = end.failures(known.failures)
        self._origins.change(end.origin, last_request_at=end.now, retry_at=retry_at, failures=failures)
        return True

    def defer(self, origin_name: str, now: float, retry_at: float) -> int:
        """Let an origin wait until a time, or until a later time that this process has set before."""
        self.check_usable()
        group = self._group(origin_name)
        id_ = self._origins.find(group)
        latest = max(self._origins[id_].retry_at or 0.0, retry_at)
        self._origins.change(id_, last_request_at=now, retry_at=latest)
        claim = self._claims.get(id_)
        if claim is None:
            self._service.block(0, queue_key(group), self._service.date(latest))
            return id_
        with self._busy(claim):
            claim.due_at = max(claim.due_at, latest)
            end = self._service.date(max(self._clock() + self._lease, claim.due_at))
            self._service.block(claim.node, claim.info.key, end)
            claim.is_blocked = True
        return id_

    def failed(self, after: int, limit: int) -> list[tuple[int, FailedURL]]:
        """Return failed URLs with their positions, which are greater than `after`, in the order of the service."""
        self.check_usable()
        return [(position, read_failed(info)) for position, info in self._service.list_failed(after, limit)]

    def queue_failed(self, limit: int) -> int:
        self.check_usable()
        again = []
        ended = []
        for _, info in self._service.list_failed(0, limit):
            failed = read_failed(info)
            queued = self._service.copy(info)
            queued.crawlID = self._service.crawl
            queued_metadata(queued, failed.url, attempt=1, priority=failed.priority)
            again.append(PutItem(queued, self._service.now()))
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
                    # Its request ends now or later.
                    started_at = self._origins[claim.origin].last_request_at
                    due_at = claim.due_at if started_at is None else claim.due_at - started_at + now
                    self.end(TurnEnd(Result.RELEASED, claim.origin, claim.queued, now, due_at))
                else:
                    with suppress(LeaseExpiredError):
                        # The robots.txt of a group may just have been requested.
                        due_at = max(now, claim.due_at) if self._is_grouped else now
                        self._give_back(claim, due_at, None if claim.is_dropped else self._service.now())
        except StoreError as error:
            # The others have these URLs when the leases have expired, and open turns count as attempts.
            CLIENT_LOGGER.warning("%s", error)
        finally:
            self._connection.close()

    def _claim_urls(self) -> list[int]:
        """Lease URLs of queues that are due, one of each, and return their origins."""
        claimed: list[int] = []
        invalid: list[tuple[int, Any, str]] = []
        for node in self._connection.nodes:
            leased, lost_at = self._service.lease_urls(node, CLAIMS)
            try:
                delays = self._leased_delays(node, leased, lost_at)
            except LeaseExpiredError:
                continue
            for info, group_delays in zip(leased, delays, strict=True):
                try:
                    claim = self._new_claim(node, info, lost_at, group_delays)
                except LeaseExpiredError:
                    # The calls took longer than the lease: it is handed out again.
                    continue
                except InvalidURL as error:
                    # Another crawler has added it.
                    invalid.append((node, info, str(error)))
                    continue
                if claim is not None:
                    with self._lock:
                        self._claims[claim.origin] = claim
                    claimed.append(claim.origin)
        if not claimed:
            self._next_claim_at = self._clock() + _POLL_SECONDS
        # At the end: if a report raises an exception, the next call returns the origins that were claimed.
        for node, info, reason in invalid:
            self._skip_invalid(node, info, reason)
        return claimed

    def _skip_invalid(self, node: int, info: Any, reason: str) -> None:
        """Report and complete an invalid URL."""
        CLIENT_LOGGER.warning("%s: skipped: %s", self._connection.name, reason)
        try:
            self._report_invalid(clean_url(info.url), reason)
        finally:
            self._service.put(node, info, 0)
            self._skipped += 1

    def _leased_delays(self, node: int, leased: Sequence[Any], lost_at: float) -> list[dict[str, float]]:
        """Return the delays of the origins of the groups of leased URLs, which are read after each lease.

        Another process can have changed them since the last one.
        """
        if not self._is_grouped or not leased:
            return [{} for _ in leased]
        return self._service.group_delays(node, [info.key for info in leased], until=lost_at)

    def _new_claim(self, node: int, info: Any, lost_at: float, delays: dict[str, float]) -> Claim | None:
        """Return the claim of a leased URL, or None if it can have no turn now.

        Raises: InvalidURL; LeaseExpiredError; StoreError.
        """
        queued = read_queued(info, self._next_url)
        self._next_url += 1
        # The spelling that was added is metadata, which anyone can change: it must be that of the URL.
        identified = identify_url(clean_url(info.url))
        queued = queued._replace(url=_same_url(queued.url, identified) or identified.url)
        group = self._group(identified.origin)
        origin = self._origins.find(group)
        claim = Claim(node, info, origin, queued, lost_at, self._clock())
        present = self._claims.get(origin)
        if present is not None and not self._is_lost(present):
            # The service was restarted and has forgotten the lease, or the URLs of the origin have several keys.
            self._service.block(node, info.key, self._service.date(self._clock() + self._lease))
            self._put(claim, self._service.now())
            present.is_blocked = present.is_blocked or present.info.key == info.key
            return None
        if queued.attempt > self._options.max_attempts:
            # Its last turn has never ended.
            failed = FailedURL(queued.url, KILLED, queued.attempt - 1, self._clock(), queued.priority)
            if self._skip_seconds is None:
                self._put_failed(claim, failed)
                self._put(claim, 0)
            else:
                self._put_delayed(claim, self._skip_seconds, error=KILLED)
            self.killed.append(failed)
            return None
        if self._is_grouped:
            unstored = self._unstored_delays.get(origin, {})
            claim.delays = delays | unstored
            if claim.delays != delays:
                self._service.put_group_delays(node, info.key, claim.delays, until=lost_at)
            self._unstored_delays.pop(origin, None)
            delays = claim.delays
            self._origins.change(origin, delay=max(delays.values(), default=0.0))
        return claim

    def _begin_turn(self, claim: Claim, now: float, due_at: float) -> None:
        started = running_seconds()
        lease_end = self._service.date(self._clock() + self._lease)
        self._block(claim, max(lease_end, self._service.date(due_at)))
        self._service.set_delay(claim.node, claim.info.key, due_at - now)
        # Counted now, so that a page that ends the process is not handed out forever. This ends the lease of the
        # service, which is replaced by the block and by the time of the URL.
        queued = claim.queued
        info = self._service.copy(claim.info)
        queued_metadata(info, queued.url, attempt=queued.attempt + 1, priority=queued.priority)
        self._put(claim, lease_end, info)
        with self._lock:
            claim.lost_at = started + self._lease
            claim.has_turn = True
            claim.phase = Phase.FULL
            claim.due_at = due_at

    def _group(self, origin: str) -> str:
        """Return the name of the group of an origin, which is the origin itself unless URLs are grouped."""
        return group_name(origin, self._options.group_by)

    def _origin(self, claim: Claim) -> QueuedOrigin:
        return self._origins[claim.origin]

    def _put_delayed(self, claim: Claim, seconds: float, *, error: str | None = None) -> None:
        """Let a URL that has not been visited wait for its next visit."""
        info = self._service.copy(claim.info)
        visited_metadata(info, claim.queued, visit=None, error=error)
        self._put(claim, self._service.date(self._clock() + seconds), info)

    def _put_failed(self, claim: Claim, failed: FailedURL) -> None:
        self._service.put_failed(claim.node, claim.info, failed, until=claim.lost_at)


class KnownOrigins:
    """What a process knows of the origins that were used last, and the service does not store.

    Args: kept: The IDs of origins that are never forgotten.
    """

    def __init__(self, kept: Container[int]) -> None:
        self._kept = kept
        self._by_id: OrderedDict[int, QueuedOrigin] = OrderedDict()
        self._ids: dict[str, int] = {}
        self._next = 1

    def __getitem__(self, id_: int) -> QueuedOrigin:
        return self._by_id[id_]

    def find(self, name: str) -> int:
        """Return the ID of an origin in this process."""
        id_ = self._ids.get(name)
        if id_ is None:
            id_ = self._ids[name] = self._next
            self._next += 1
            self._by_id[id_] = QueuedOrigin(id_, name, None, None, 0)
            if len(self._by_id) > _KNOWN_ORIGINS:
                oldest = next(other for other in self._by_id if other not in self._kept and other != id_)
                del self._ids[self._by_id.pop(oldest).name]
        self._by_id.move_to_end(id_)
        return id_

    def change(self, id_: int, **changes: Any) -> None:
        """Note what has changed."""
        self._by_id[id_] = self._by_id[id_]._replace(**changes)


def _same_url(spelling: str, identified: IdentifiedURL) -> str | None:
    """Return another spelling of a URL, or None if it is that of another URL."""
    try:
        found = identify_url(clean_url(spelling))
    except InvalidURL:
        return None
    return found.url if found[1:] == identified[1:] else None
