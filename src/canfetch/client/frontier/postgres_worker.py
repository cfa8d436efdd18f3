"""The queues of a frontier in PostgreSQL, shared by many processes.

Each frontier is a worker, with a row of its own. It claims origins that are due, keeps them in memory until they have a
turn or have to wait, and gives them back. Claims skip locked rows, so workers never wait for one another.

A worker renews its lease in a thread. One that does not, because it was killed or suspended, loses its origins and the
URLs of its open turns to the others.
"""

import os
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import inf
from typing import Any, Final

from canfetch.client.frontier import postgres_statements as sql
from canfetch.client.frontier.claimed_origins import CLAIMS, ClaimedOrigins
from canfetch.client.frontier.grouping import GroupBy, group_name, unresolved_host, wrong_grouping
from canfetch.client.frontier.heartbeat import IDLE_SECONDS, Heartbeat
from canfetch.client.frontier.postgres_connection import PostgresConnection
from canfetch.client.frontier.queue_values import (
    DUE_URLS,
    AddedURLs,
    FailedURL,
    FrontierCounts,
    NewURLs,
    Phase,
    QueuedOrigin,
    QueuedURL,
    TurnEnd,
    TurnStart,
    stored_url,
)
from canfetch.client.frontier.url_identity import IdentifiedURL
from canfetch.client.frontier.url_queue import QueueOptions
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.core.quoting import quoted
from canfetch.errors import StoreError

# The number of claims up to which an origin is kept for its next turn.
_MANY_CLAIMS: Final = 500
# The number of URLs that are read with each claim: the one for the turn, and the one after it.
_FIRST_URLS: Final = 2
# The number of turns that one statement starts.
_TURNS_AT_ONCE: Final = 32
# Seconds between two looks for what other workers have added.
_POLL_SECONDS: Final = 0.5
# Seconds without another claim after one that found nothing.
_EMPTY_SECONDS: Final = 0.05
_ROUNDING: Final = 2e-6
# In place of the number of a connection: it is not known which claims the server has.
_UNKNOWN: Final = -1
# The number of origins whose IDs are kept.
_KNOWN_ORIGINS: Final = 50_000


class OriginState(IntEnum):
    """What an origin in the database waits for."""

    IDLE = 0  # a URL
    WAITING = 1  # its due time
    READY = 2  # a worker
    CLAIMED = 3  # its worker


@dataclass(slots=True)
class _Claim:
    """An origin that belongs to this worker.

    Attributes:
        origin: The origin, with times of the frontier.
        priority: The priority of its first URL.
        due_at: When it was or will be due.
        phase: What it waits for.
        since: When it got this phase, by the monotonic clock.
        urls: Its first queued URLs, or None if they have to be read.
        delayed_at: When the first of the URLs is due that wait for another attempt, or None.
        empty_since: When it could have had a turn, if it has no queued URL and is kept for its open turns. Or None.
        attempts: The numbers of the next turns of URLs that were returned, by ID.
        open_urls: The IDs of the URLs of its open turns.
        stored_retry_at: Its `retry_at` in the database when it was claimed.
        is_busy: See `Claim`.
    """

    origin: QueuedOrigin
    priority: float
    due_at: float
    phase: Phase = Phase.WAITING
    since: float = 0.0
    urls: list[QueuedURL] | None = None
    delayed_at: float | None = None
    empty_since: float | None = None
    attempts: dict[int, int] = field(default_factory=dict)
    open_urls: set[int] = field(default_factory=set)
    stored_retry_at: float | None = None
    is_busy: bool = False


class PostgresWorker(ClaimedOrigins[_Claim]):
    """The queues of a crawl, open for one worker.

    Args:
        conninfo: The server.
        crawl: The name of the crawl.
        options: See `URLQueue`.
        lease: See `PostgresQueue`.
        outage_seconds: See `PostgresQueue`.
    """

    def __init__(
        self, conninfo: str, crawl: str, options: QueueOptions, *, lease: float, outage_seconds: float
    ) -> None:
        self._connection = PostgresConnection(
            conninfo, outage_seconds=outage_seconds, silent_seconds=outage_seconds, creates_tables=True
        )
        super().__init__(self._connection, options)
        self._crawl_name = crawl
        self._lease = lease
        self._origin_ids: dict[str, int] = {}
        self._reads_sources = options.reads_sources
        # What the server has noted, or None after an update without an answer.
        self._noted_reading: bool | None = options.reads_sources
        # The origins that the heartbeat is giving back.
        self._leaving: list[int] = []
        # No other claim is tried before this time.
        self._next_claim_at = 0.0
        try:
            self._register()
            self._opened = self._connection.opened
            self._heartbeat = Heartbeat(
                conninfo,
                self._connection,
                options,
                crawl=self._crawl,
                lease=lease,
                worker=lambda: self._worker,
                give_back_idle=self._give_back_idle,
                killed=self.killed,
            )
        except BaseException:
            self._connection.close()
            raise

    @property
    def turns_at_once(self) -> int:
        """See `URLQueue`. The last task can obtain its turn a little later than the first.

        If the next turn of an origin does not wait for the end of this one, its delay counts from that moment.
        """
        return _TURNS_AT_ONCE if self._options.concurrency == 1 else 1

    def counts(self) -> FrontierCounts:
        return self._count()[0]

    def is_finished(self, *, reads_sources: bool) -> bool:
        counts, others_read = self._count()
        is_finished = not reads_sources and not others_read and counts.queued == 0 and counts.in_flight == 0
        if is_finished:
            self._heartbeat.wait_for_beat()
        return is_finished

    def note_reading(self, *, reads_sources: bool) -> None:
        if reads_sources != self._noted_reading:
            self._reads_sources, self._noted_reading = reads_sources, None
            self._run(sql.READS_SOURCES, reads_sources=reads_sources)
            self._noted_reading = reads_sources

    def add(self, new: NewURLs) -> AddedURLs:
        rows = new.urls
        if not rows and not new.refused:
            return AddedURLs(0, [])
        statement, before = sql.add_statement(
            has_limit=new.limit is not None, is_by_address=self._options.group_by is GroupBy.ADDRESS
        )
        while True:
            self._find_origins({row.origin for row in rows})
            origins = [self._origin_ids[row.origin] for row in rows]
            alive, added, over = self._run(
                statement,
                origins=origins,
                identities=[row.identity for row in rows],
                urls=[stored_url(row.url) for row in rows],
                priority=new.priority,
                depth=new.depth,
                metadata=new.metadata,
                refused=new.refused,
                limit=new.limit,
                before=before,
            )[0]
            if alive:
                self._next_claim_at = 0.0
                self._wake(set(origins))
                return AddedURLs(added, [rows[position - 1] for position in over])
            # Or a group has joined another one.
            for row in rows:
                self._origin_ids.pop(row.origin, None)
            self._check_lease()

    def unknown(self, urls: Iterable[IdentifiedURL]) -> list[IdentifiedURL]:
        given = list(urls)
        statement = sql.unknown_statement(is_by_origin=not self._is_grouped)
        names, identities = [url.origin for url in given], [url.identity for url in given]
        return [given[position - 1] for (position,) in self._run(statement, names=names, identities=identities)]

    def find_due(self, now: float) -> list[int]:
        """Return the origins of this worker that have become due, after claiming more if few are left."""
        self.check_usable()
        if self._clock() - self._renewed_at > self._lease / 4:
            self._check_lease()
        if self._connection.opened != self._opened:
            self._give_back_others()
        due = self._due_origins(now)
        if self._has_few_claims() and now >= self._next_claim_at:
            due += self._claim_origins()
        return due

    def next_due_at(self) -> float | None:
        now = self._clock()
        due_in = _POLL_SECONDS
        # With enough claims, none is made before a turn or a check ends.
        if self._has_few_claims():
            row = self._run(sql.NEXT_DUE)
            if row:
                # A little later than the server says, whose times are rounded to microseconds.
                due_in = min(due_in, max(row[0][0], 0.0) + _ROUNDING)
            self._next_claim_at = min(self._next_claim_at, now + due_in)
        return min([now + due_in, *self._due_times()])

    def queue_due_urls(self, origin: int, now: float) -> None:
        claim = self._claims.get(origin)
        if claim is not None and claim.delayed_at is not None and claim.delayed_at <= now:
            self._run(sql.QUEUE_DUE, origin=origin, limit=None if now == inf else DUE_URLS)
            claim.urls = None
            claim.delayed_at = None

    def first_urls(self, origin: int, limit: int) -> Iterator[QueuedURL]:
        claim = self._claims.get(origin)
        if claim is None:
            return
        known = claim.urls or []
        for url in known:
            claim.attempts[url.id] = url.attempt
            yield url
        if claim.urls is None or len(known) == _FIRST_URLS:
            returned = {url.id for url in known}
            for _, queued, delayed_at in self._read_first_urls([origin], limit):
                claim.delayed_at = delayed_at
                if queued is not None and queued.id not in returned:
                    claim.attempts[queued.id] = queued.attempt
                    yield queued

    def newest_url(self, origin: int) -> float:
        return float(self._run(sql.NEWEST_URL, origin=origin)[0][0])

    def skip(self, origin: int, urls: Sequence[int]) -> None:
        claim = self._claims.get(origin)
        if claim is not None:
            claim.urls = None
        self._run_skipping(sql.DROP, urls, origin=origin)

    def delay_urls(self, origin: int, urls: Sequence[int], due_at: float, *, error: str | None) -> None:
        claim = self._claims.get(origin)
        if claim is None:
            return
        self._run(sql.DELAY_URLS, origin=origin, urls=list(urls), delayed_at=due_at, error=error)
        claim.urls = None
        for url in urls:
            claim.attempts.pop(url, None)
        claim.delayed_at = due_at if claim.delayed_at is None else min(claim.delayed_at, due_at)

    def wait(
        self,
        origin: int,
        due_at: float,
        *,
        skipped: Sequence[int] = (),
        problem: str | None = None,
        keeps: bool = False,
    ) -> None:
        """Drop some URLs of an origin, and let it wait until a time, for any worker unless this one keeps it."""
        claim = self._claims.get(origin)
        if claim is None:
            return
        is_empty = not claim.attempts
        claim.urls = None
        claim.attempts.clear()
        if claim.open_urls or (keeps and len(self._claims) < _MANY_CLAIMS):
            if skipped:
                self._run_skipping(sql.DROP, skipped, origin=origin)
            self._hold(claim, due_at)
            if is_empty and claim.open_urls:
                # Its next URL comes from this process, from another one, or from an earlier attempt.
                claim.empty_since = due_at
                claim.due_at = max(
                    due_at, min(self._clock() + _POLL_SECONDS, inf if claim.delayed_at is None else claim.delayed_at)
                )
            return
        self._remove(origin)
        values: dict[str, Any] = {}
        if skipped and self._skip_seconds is not None:
            # The snapshot of the statement does not have them.
            values = {"delayed_at": self._clock() + self._skip_seconds, "delayed_priority": claim.priority}
        self._run_skipping(sql.WAIT, skipped, origin=origin, ready_at=due_at, problem=problem, **values)

    def note_check(
        self,
        origin: int,
        member: str,
        *,
        requested_at: float | None = None,
        due_at: float | None = None,  # noqa: ARG002 - computed by the worker that claims it
        delay: float | None = None,
    ) -> float | None:
        claim = self._claims.get(origin)
        if claim is None:
            return None
        is_alive, longest = self._run(
            sql.NOTE_CHECK, origin=origin, member=member, is_request=requested_at is not None, delay=delay
        )[0]
        if not is_alive:
            self._register_again()
        if longest is None:
            return None
        latest = claim.origin.last_request_at if requested_at is None else requested_at
        claim.origin = claim.origin._replace(last_request_at=latest, delay=longest)
        return float(longest)

    def resolve(self, origin: int, name: str) -> None:
        claim = self._claims.get(origin)
        if claim is None or unresolved_host(claim.origin.name) is None:
            return
        is_alive, is_mine, target = self._run(
            sql.RESOLVE, origin=origin, host=claim.origin.name, name=name, before=sql.LOCK_RESOLVED
        )[0]
        if not is_alive:
            self._register_again()
        elif is_mine and target is None:
            claim.origin = claim.origin._replace(name=name)
            self.wait(origin, self._clock(), keeps=True)
        else:
            self._remove(origin)
            self._next_claim_at = 0.0
            with self._lock:
                joined = self._claims.get(target)
                if joined is not None:
                    joined.origin = joined.origin.after(claim.origin)
            self._wake({target})

    def take(self, starts: Sequence[TurnStart], now: float) -> list[TurnStart]:
        claims = {start.origin: claim for start in starts if (claim := self._claims.get(start.origin)) is not None}
        with self._busy(*claims.values()):
            held = [(claims[start.origin], start) for start in starts if self._has(claims.get(start.origin))]
            return self._take(held, now) if held else []

    def _has(self, claim: _Claim | None) -> bool:
        return claim is not None and self._claims.get(claim.origin.id) is claim

    def _take(self, starts: list[tuple[_Claim, TurnStart]], now: float) -> list[TurnStart]:
        values: dict[str, Any] = {
            "origins": [start.origin for _, start in starts],
            "urls": [start.url for _, start in starts],
            "attempts": [claim.attempts[start.url] for claim, start in starts],
            "ready_at": now,
            "waits": [start.due_at - now for _, start in starts],
            "passed_retry_at": [claim.stored_retry_at for claim, _ in starts],
        }
        skipped = [url for _, start in starts for url in start.skipped]
        taking = self._run_skipping(sql.TAKE, skipped, **values) if skipped else self._run(sql.TAKE_ONLY, **values)
        is_alive, taken = taking[0]
        for claim, _ in starts:
            claim.urls = None
            claim.attempts.clear()
        if not is_alive:
            self._register_again()
            return []
        started = []
        for claim, start in starts:
            if start.origin in taken:
                started.append(start)
                claim.open_urls.add(start.url)
                claim.origin = claim.origin._replace(last_request_at=now)
                self._hold(claim, start.due_at)
            elif claim.open_urls:
                self._hold(claim, now + _POLL_SECONDS)
            else:
                self._remove(start.origin)
        return started

    def end(self, end: TurnEnd) -> bool:
        claim = self._claims.get(end.origin)
        url = end.queued
        if claim is None or url.id not in claim.open_urls:
            # The turn is one of a worker that this process was before.
            return False
        # A group has no other request during one for a robots.txt.
        is_checking = self._is_grouped and claim.phase is Phase.CHECKING
        gives_back = len(claim.open_urls) == 1 and not is_checking
        is_mine = self._run(
            sql.end_statement(end.result, gives_back=gives_back, is_again=end.ending is not None),
            origin=end.origin,
            url=url.id,
            ready_at=end.due_at,
            retry_at=end.retry_at,
            delayed_at=end.again_at,
            error=end.error,
            delayed_priority=None if end.again_at is None else url.priority,
            ending=None if end.ending is None else int(end.ending),
            visit=end.visit,
            problem=end.problem,
        )[0][0]
        if not is_mine:
            self._register_again()
            return False
        if gives_back:
            self._remove(end.origin)
            return True
        claim.open_urls.remove(url.id)
        claim.origin = claim.origin._replace(
            last_request_at=end.now,
            retry_at=max(claim.origin.retry_at or 0.0, end.retry_at or 0.0),
            failures=end.failures(claim.origin.failures),
        )
        if claim.phase not in (Phase.UNCHECKED, Phase.CHECKING, Phase.READY):
            self._hold(claim, end.due_at)
        return True

    def note_request(self, origin_name: str, now: float) -> None:
        id_ = self._run_for_origin(sql.NOTE_REQUEST, origin_name)
        with self._lock:
            claim = self._claims.get(id_)
            if claim is not None:
                claim.origin = claim.origin._replace(last_request_at=now)

    def _run_for_origin(self, statement: str, origin_name: str, **values: Any) -> int:
        """Run a statement about an origin, or the group of one, and return its ID."""
        self._find_origins({origin_name})
        while not self._run(statement, origin=self._origin_ids[origin_name], **values):
            # Its group has joined another one.
            del self._origin_ids[origin_name]
            self._find_origins({origin_name})
        return self._origin_ids[origin_name]

    def defer(self, origin_name: str, now: float, retry_at: float) -> int:
        id_ = self._run_for_origin(sql.DEFER, origin_name, retry_in=retry_at - now)
        with self._lock:
            claim = self._claims.get(id_)
            if claim is not None:
                latest = max(claim.origin.retry_at or 0.0, retry_at)
                claim.origin = claim.origin._replace(retry_at=latest, last_request_at=now)
        return id_

    def failed(self, after: int, limit: int) -> list[tuple[int, FailedURL]]:
        rows = self._run(sql.FAILED, after=after, limit=limit)
        return [(row[0], FailedURL.from_row(row[1:])) for row in rows]

    def queue_failed(self, limit: int) -> int:
        while True:
            alive, number = self._run(sql.QUEUE_FAILED, limit=limit)[0]
            if alive:
                return int(number)
            self._register_again()

    def close(self) -> None:
        """Release the URLs that are in flight and the origins of this worker, and close the connections."""
        self._heartbeat.stop()
        try:
            with self._connection.transaction() as run:
                values = {"crawl": self._crawl, "left": self._worker}
                run(sql.LOCK_CRAWL, values)
                if run("SELECT 1 FROM canfetch_workers WHERE id = %(left)s FOR UPDATE", values):
                    run(sql.LOCK_LEFT, {"workers": [self._worker]})
                    run(sql.END_REQUESTS, values)
                    run(sql.RELEASE_ALL, values)
                    run(sql.PLACE_ALL, values)
                    run(sql.END_WORKER, {**values, "failed": 0})
        except StoreError as error:
            # The others take over when the lease has expired, and these turns count as attempts.
            CLIENT_LOGGER.warning("%s", error)
        finally:
            self._connection.close()

    def _origin(self, claim: _Claim) -> QueuedOrigin:
        return claim.origin

    def _give_back_idle(self, connection: PostgresConnection) -> None:
        """Give back the claims that no task has asked for, in the thread of the heartbeat.

        Raises: StoreError: The server is away for too long. `find_due` gives them back then.
        """
        with self._lock:
            idle = [
                id_ for id_, claim in self._claims.items() if not claim.open_urls and self._is_idle(claim, IDLE_SECONDS)
            ]
            for id_ in idle:
                del self._claims[id_]
            self._lost += idle
            self._leaving = idle
        if not idle:
            return
        try:
            connection.run(sql.GIVE_BACK, {"origins": idle, "worker": self._worker})
        except StoreError:
            with self._lock:
                self._leaving = []
                self._opened = _UNKNOWN
            raise
        with self._lock:
            self._leaving = []

    def _count(self) -> tuple[FrontierCounts, bool]:
        added, done, failed, skipped, refused, in_flight, others_read = self._run(sql.COUNTS)[0]
        queued = added - done - failed - skipped - in_flight
        return FrontierCounts(queued, in_flight, done, failed, skipped, refused), others_read

    def _register(self) -> None:
        name = f"{socket.gethostname()} {os.getpid()}"
        values = {
            "crawl": self._crawl_name,
            "name": name,
            "lease": self._lease,
            "reads_sources": self._reads_sources,
            "group_by": self._options.group_by.value,
        }
        worker, crawl, stored = self._connection.run(sql.REGISTER, values)[0]
        if worker is None:
            raise wrong_grouping(f"{self._connection.name} {quoted(self._crawl_name)}", stored, self._options.group_by)
        self._worker: int = worker
        self._crawl: int = crawl
        self._renewed_at = self._clock()

    def _register_again(self) -> None:
        """Become another worker, because this one has lost its lease, and with it its origins and open turns."""
        CLIENT_LOGGER.warning(
            "%s: this worker did not respond for %.0f s, so others have its turns", self._connection.name, self._lease
        )
        with self._lock:
            self._lost += list(self._claims)
            self._claims.clear()
        self._register()

    def _claim_origins(self) -> list[int]:
        rows = self._run(sql.CLAIM, limit=CLAIMS)
        if not rows:
            self._next_claim_at = self._clock() + _EMPTY_SECONDS
            return []
        at = self._clock()
        since = time.monotonic()
        claims = {}
        for _, id_, name, state, priority, due_at, last_request_at, retry_at, failures, delay, now in sorted(rows):
            if state == OriginState.CLAIMED:
                shift = at - now
                times = _shifted(last_request_at, shift), _shifted(retry_at, shift)
                origin = QueuedOrigin(id_, name, *times, failures, delay)
                claims[id_] = _Claim(origin, priority, due_at + shift, since=since, urls=[], stored_retry_at=retry_at)
        for id_, url, delayed_at in self._read_first_urls(list(claims), _FIRST_URLS):
            claim = claims[id_]
            claim.delayed_at = delayed_at
            if url is not None:
                assert claim.urls is not None
                claim.urls.append(url)
        with self._lock:
            self._claims.update(claims)
        return list(claims)

    def _read_first_urls(self, origins: list[int], limit: int) -> Iterator[tuple[int, QueuedURL | None, float | None]]:
        """Yield the first URLs of origins with when the next delayed one is due. Without a URL, it is None."""
        at = self._clock()
        for origin, *values, delayed_in in self._run(sql.FIRST_URLS, origins=origins, limit=limit):
            queued = None if values[0] is None else QueuedURL.from_row(values)
            yield origin, queued, None if delayed_in is None else at + delayed_in

    def _give_back_others(self) -> None:
        """Give back the origins that only the server takes for claimed, after the connection broke."""
        with self._lock:
            self._opened = self._connection.opened
            # Those that the heartbeat gives back in this moment must not be claimed again before it has.
            origins = [*self._claims, *self._leaving]
        self._run(sql.GIVE_BACK_OTHERS, origins=origins)

    def _check_lease(self) -> None:
        """Renew the lease, in case the thread has not, and notice a lost one, which an empty claim does not show."""
        self._renewed_at = self._clock()
        if not self._run(sql.RENEW, lease=self._lease):
            self._register_again()

    def _hold(self, claim: _Claim, due_at: float) -> None:
        """Let an origin with open turns wait for the next one."""
        with self._lock:
            claim.due_at = due_at
            claim.empty_since = None
            claim.phase = Phase.WAITING if len(claim.open_urls) < self._options.concurrency else Phase.FULL
            claim.since = time.monotonic()

    def _wake(self, origins: set[int]) -> None:
        """Let origins with new URLs have a turn as soon as they may."""
        with self._lock:
            for claim in map(self._claims.get, origins):
                if claim is not None and claim.empty_since is not None:
                    claim.due_at = claim.empty_since
                    claim.empty_since = None

    def _remove(self, origin: int) -> None:
        with self._lock:
            self._claims.pop(origin, None)

    def _find_origins(self, origins: set[str]) -> None:
        """Look up the IDs of origins, and create those that are new."""
        if len(self._origin_ids) > _KNOWN_ORIGINS:
            self._origin_ids.clear()
        find = sql.FIND_MEMBERS if self._is_grouped else sql.FIND_ORIGINS
        while missing := sorted(name for name in origins if name not in self._origin_ids):
            rows = self._run(find, names=missing)
            self._origin_ids.update((name, id_) for id_, name in rows)
            missing = [name for name in missing if name not in self._origin_ids]
            if missing:
                groups = [group_name(name, self._options.group_by) for name in missing]
                names = sorted(set(groups))
                if self._options.group_by is GroupBy.ADDRESS:
                    if not self._run(sql.DROP_RESOLVED, names=names, before=sql.ADD_ORIGINS)[0][0]:
                        self._register_again()
                        continue
                else:
                    self._run(sql.ADD_ORIGINS, names=names)
                if self._is_grouped:
                    # Not those of a group that joins another one in this moment.
                    self._run(sql.ADD_MEMBERS, names=missing, groups=groups)

    def _run_skipping(self, statement: str, skipped: Sequence[int], **values: Any) -> list[tuple[Any, ...]]:
        """Run a statement of this worker that skips URLs."""
        if self._skip_seconds is not None:
            statement = sql.keeping_skipped(statement)
        return self._run(statement, skipped=list(skipped), skip_in=self._skip_seconds, **values)

    def _run(
        self,
        statement: str,
        *,
        ready_at: float | None = None,
        retry_at: float | None = None,
        delayed_at: float | None = None,
        before: str | None = None,
        **values: Any,
    ) -> list[tuple[Any, ...]]:
        """Run a statement of this worker.

        Args:
            ready_at: A time of the frontier, which the server gets as the seconds until then.
            retry_at: As `ready_at`.
            delayed_at: As `ready_at`.
            before: Another statement, which runs first in the same transaction.
        """
        self.check_usable()

        def current() -> dict[str, Any]:
            now = self._clock()
            return {
                "worker": self._worker,
                "crawl": self._crawl,
                "ready_in": _seconds_until(ready_at, now),
                "retry_in": _seconds_until(retry_at, now),
                "delayed_in": _seconds_until(delayed_at, now),
                "delayed_priority": None,
                **values,
            }

        try:
            return self._connection.run(statement, current, before=before)
        except BaseException:
            # The server can have claims that this process does not know.
            self._opened = _UNKNOWN
            raise


def _seconds_until(at: float | None, now: float) -> float | None:
    return None if at is None else at - now


def _shifted(at: float | None, shift: float) -> float | None:
    return None if at is None else at + shift
