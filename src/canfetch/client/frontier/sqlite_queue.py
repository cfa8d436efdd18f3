"""The queues of a frontier in SQLite, in one file for one process.

All URLs and origins are rows of a database, and all lookups use an index. Memory does not grow with their number, and
every operation takes O(log n) steps of the database.
"""

import os
import random
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from math import inf
from typing import Any, Final

from canfetch.access.retries import MAX_RETRY_AFTER
from canfetch.client.frontier.database import FrontierDatabase
from canfetch.client.frontier.grouping import UNRESOLVED, group_name, unresolved_host
from canfetch.client.frontier.queue_values import (
    DUE_BATCH,
    DUE_URLS,
    KILLED,
    AddedURLs,
    Ending,
    FailedURL,
    FrontierCounts,
    NewURLs,
    Phase,
    QueuedOrigin,
    QueuedURL,
    Result,
    TurnEnd,
    TurnStart,
    URLState,
    stored_url,
)
from canfetch.client.frontier.url_identity import IdentifiedURL
from canfetch.client.frontier.url_queue import QueueOptions, URLQueue
from canfetch.client.sqlite_files import check_row
from canfetch.errors import StoreError

# A wall clock that was set by less is not noticed.
_CLOCK_STEP: Final = 0.1
# Until when an origin waits. A host without a known address is looked up meanwhile, so that its group waits, too.
_HELD_UNTIL: Final = f"CASE WHEN name LIKE '{UNRESOLVED}%' THEN 0 ELSE coalesce(retry_at, 0) END"
_URL_TYPES: Final = (int, bytes, int | float, int, int, str | None, str | None)


class SQLiteQueue(URLQueue):
    """The queues of all origins in a file.

    Args:
        path: The file, or None for a temporary file.
        options: See `URLQueue`.
    """

    def __init__(self, path: str | os.PathLike[str] | None, options: QueueOptions) -> None:
        self.database = FrontierDatabase(path, options.group_by)
        super().__init__(self.database, options)
        self._find_origin = self._group_id if self._is_grouped else self._origin_id
        self._random = random.Random(0)  # noqa: S311 - not used for security
        self._is_random_next = False
        self.in_flight = 0
        self._clock_shift = 0.0
        try:
            self._resume(options.clock(), options.max_attempts)
        except BaseException:
            self.database.close()
            raise

    def counts(self) -> FrontierCounts:
        with self.database.converted_errors():
            return read_counts(self.database.connection, self.in_flight)

    def add(self, new: NewURLs) -> AddedURLs:
        over: list[IdentifiedURL] = []
        origins: dict[str, int] = {}
        added: Counter[int] = Counter()
        now = self._clock()
        with self.database.transaction():
            for each in new.urls:
                url, origin_name, identity = each
                origin = origins.get(origin_name) or self._find_origin(origin_name)
                if new.limit is not None and self._is_full(origin, new.limit - added[origin]):
                    over += self.unknown([each])
                elif self._execute("INSERT OR IGNORE INTO known VALUES (?, ?)", origin, identity).rowcount:
                    self._insert(origin, url, new)
                    origins[origin_name] = origin
                    added[origin] += 1
            for origin, number in added.items():
                self._wake(origin, new.priority, now, added=number)
            self._execute(
                "UPDATE totals SET added = added + ?, refused = refused + ?", added.total(), new.refused + len(over)
            )
        return AddedURLs(added.total(), over)

    def unknown(self, urls: Iterable[IdentifiedURL]) -> list[IdentifiedURL]:
        origin = "origin FROM members" if self._is_grouped else "id FROM origins"
        query = f"SELECT 1 FROM known WHERE origin = (SELECT {origin} WHERE name = ?) AND identity = ?"  # noqa: S608
        return [url for url in urls if self.database.fetch(query, (url.origin, url.identity)) is None]

    def find_due(self, now: float) -> list[int]:
        with self.database.converted_errors():
            # A crawl whose turns cannot end would wait for them forever.
            self.database.check_file()
            rows = self._execute(
                "SELECT id FROM origins WHERE phase = 1 AND due_at <= ? ORDER BY due_at, position LIMIT ?",
                now,
                DUE_BATCH,
            )
            return [row[0] for row in rows]

    def set_phases(self, phases: Iterable[tuple[Phase, int]]) -> None:
        changes = list(phases)
        if changes:
            with self.database.transaction():
                self.database.connection.executemany("UPDATE origins SET phase = ? WHERE id = ?", changes)

    def next_unchecked(self, limit: int) -> list[QueuedOrigin]:
        columns = "SELECT id, name, last_request_at, retry_at, failures, delay FROM origins"
        with self.database.converted_errors():
            rows = self._execute(
                f"{columns} WHERE phase = 2 ORDER BY priority DESC, due_at, position LIMIT ?", limit
            ).fetchall()
            if len(rows) < limit or not limit:
                return [_queued_origin(row) for row in rows]
            (priority,) = self._execute("SELECT priority FROM origins WHERE id = ?", rows[0][0]).fetchone()
            of_priority = "FROM origins WHERE phase = 2 AND priority = ?"
            first, last = self._execute(
                f"SELECT (SELECT min(id) {of_priority}), (SELECT max(id) {of_priority})", priority, priority
            ).fetchone()
            chosen: dict[int, QueuedOrigin] = {}
            for row in rows:
                if self._is_random_next:
                    row = self._execute(  # noqa: PLW2901 - another origin instead
                        f"{columns} WHERE phase = 2 AND priority = ? AND id >= ? ORDER BY id LIMIT 1",
                        priority,
                        self._random.randint(first, last),
                    ).fetchone()
                self._is_random_next = not self._is_random_next
                chosen[row[0]] = _queued_origin(row)
            # An origin can have been chosen twice.
            others = [_queued_origin(row) for row in rows if row[0] not in chosen]
            return [*chosen.values(), *others[: limit - len(chosen)]]

    def next_ready(self, limit: int) -> list[QueuedOrigin]:
        with self.database.converted_errors():
            rows = self._execute(
                "SELECT id, name, last_request_at, retry_at, failures, delay FROM origins WHERE phase = 4 "
                "ORDER BY priority DESC, due_at, position LIMIT ?",
                limit,
            )
            return [_queued_origin(row) for row in rows]

    def next_due_at(self) -> float | None:
        query = "SELECT due_at FROM origins WHERE phase = 1 ORDER BY due_at, position LIMIT 1"
        with self.database.converted_errors():
            row = self._execute(query).fetchone()
            return None if row is None else check_row(row, int | float)[0]

    def queue_due_urls(self, origin: int, now: float) -> None:
        due = "SELECT id FROM urls WHERE origin = ? AND state = 2 AND due_at <= ? AND (ended IS NULL OR due_at <= ?)"
        values = origin, now, self._clock()
        if self.database.fetch(f"{due} LIMIT 1", values) is not None:
            limit = "" if now == inf else f"ORDER BY due_at LIMIT {DUE_URLS}"
            with self.database.transaction():
                ended = f"SELECT ended FROM urls WHERE id IN ({due} {limit}) AND ended IS NOT NULL"  # noqa: S608
                for (ending,) in self._execute(ended, *values).fetchall():
                    self._count(Ending(ending), -1)
                self._execute(f"UPDATE urls SET state = 0, ended = NULL WHERE id IN ({due} {limit})", *values)  # noqa: S608

    def first_urls(self, origin: int, limit: int) -> Iterator[QueuedURL]:
        with self.database.converted_errors():
            rows = self._execute(
                "SELECT id, url, priority, attempt, depth, metadata, visit FROM urls WHERE origin = ? AND state = 0 "
                "ORDER BY priority DESC, id LIMIT ?",
                origin,
                limit,
            ).fetchall()
        return map(self._queued_url, rows)

    def newest_url(self, origin: int) -> float:  # noqa: ARG002 - IDs are those of all origins
        return self._last_url

    def skip(self, origin: int, urls: Sequence[int]) -> None:  # noqa: ARG002 - a URL has an ID of its own
        with self.database.transaction():
            self._skip(urls)

    def delay_urls(self, origin: int, urls: Sequence[int], due_at: float, *, error: str | None) -> None:  # noqa: ARG002 - a URL has an ID of its own
        with self.database.transaction():
            self.database.connection.executemany(
                "UPDATE urls SET state = 2, due_at = ?, error = ? WHERE id = ?", [(due_at, error, url) for url in urls]
            )

    def wait(
        self,
        origin: int,
        due_at: float,
        *,
        skipped: Sequence[int] = (),
        problem: str | None = None,
        keeps: bool = False,  # noqa: ARG002 - there is one frontier
    ) -> None:
        with self.database.transaction():
            self._skip(skipped)
            self._place(origin, due_at)
            self._execute("UPDATE origins SET problem = ? WHERE id = ? AND problem IS NOT ?", problem, origin, problem)

    def note_check(
        self,
        origin: int,
        member: str,
        *,
        requested_at: float | None = None,
        due_at: float | None = None,  # noqa: ARG002 - computed when the file is opened
        delay: float | None = None,
    ) -> float | None:
        with self.database.transaction():
            if requested_at is not None:
                self._execute("UPDATE origins SET last_request_at = ? WHERE id = ?", requested_at, origin)
            if delay is not None:
                self._execute("UPDATE members SET delay = ? WHERE name = ?", delay, member)
                self._execute(
                    "UPDATE origins SET delay = (SELECT max(delay) FROM members WHERE origin = origins.id) "
                    "WHERE id = ?",
                    origin,
                )
            row = self._execute("SELECT delay FROM origins WHERE id = ?", origin).fetchone()
            longest: float = check_row(row, int | float)[0]
            return longest

    def note_request(self, origin_name: str, now: float) -> None:
        with self.database.transaction():
            self._execute(
                "UPDATE origins SET last_request_at = max(coalesce(last_request_at, 0), ?) WHERE id = ?",
                now,
                self._find_origin(origin_name),
            )

    def resolve(self, origin: int, name: str) -> None:
        with self.database.transaction():
            row = self._execute(
                "SELECT name, priority, added, due_at, retry_at, last_request_at FROM origins WHERE id = ?", origin
            ).fetchone()
            host, priority, added, due_at, *times = check_row(
                row, str, int | float, int, int | float | None, int | float | None, int | float | None
            )
            if unresolved_host(host) is None:
                return
            target = self._execute(
                "SELECT origin FROM members WHERE name = ? UNION ALL SELECT id FROM origins WHERE name = ?", host, name
            ).fetchone()
            if target is None:
                self._execute("UPDATE origins SET name = ? WHERE id = ?", name, origin)
                # It keeps its place before the hosts that are looked up after it.
                now = self._clock()
                self._place(origin, now if due_at is None else min(now, due_at))
            else:
                for table in ("urls", "known", "members"):
                    self._execute(f"UPDATE {table} SET origin = ? WHERE origin = ?", target[0], origin)  # noqa: S608
                self._execute(
                    "UPDATE origins SET retry_at = nullif(max(coalesce(retry_at, 0), coalesce(?, 0)), 0), "
                    "last_request_at = nullif(max(coalesce(last_request_at, 0), coalesce(?, 0)), 0) WHERE id = ?",
                    *times,
                    target[0],
                )
                self._execute("DELETE FROM origins WHERE id = ?", origin)
                self._wake(target[0], priority, self._clock(), added=added)
            self._execute(
                "INSERT OR IGNORE INTO members (name, origin) VALUES (?, ?)",
                host,
                origin if target is None else target[0],
            )

    def take(self, starts: Sequence[TurnStart], now: float) -> list[TurnStart]:
        with self.database.transaction():
            for origin, url, due_at, skipped in starts:
                self._skip(skipped)
                # Counted now, so that a page that ends the process is not handed out forever.
                self._execute("UPDATE urls SET state = 1, attempt = attempt + 1 WHERE id = ?", url)
                self._execute(
                    "UPDATE origins SET in_flight = in_flight + 1, last_request_at = ?, problem = NULL WHERE id = ?",
                    now,
                    origin,
                )
                self._place(origin, due_at)
        self.in_flight += len(starts)
        return list(starts)

    def end(self, end: TurnEnd) -> bool:
        with self.database.transaction():
            self._end_url(end)
            self._execute(
                "UPDATE origins SET in_flight = in_flight - 1, last_request_at = ?, problem = coalesce(?, problem), "
                "retry_at = max(coalesce(retry_at, 0), coalesce(?, 0)), "
                "failures = CASE WHEN ? IS NULL THEN failures WHEN ? THEN failures + 1 ELSE 0 END WHERE id = ?",
                end.now,
                end.problem,
                end.retry_at,
                end.is_failure,
                end.is_failure,
                end.origin,
            )
            self._place(end.origin, end.due_at, keeps_check=True)
        self.in_flight -= 1
        return True

    def _end_url(self, end: TurnEnd) -> None:
        url = end.queued
        if end.result is Result.RELEASED:
            self._execute("UPDATE urls SET state = 0, attempt = attempt - 1 WHERE id = ?", url.id)
            return
        if end.result is Result.FAILED and end.again_at is None:
            self._execute("UPDATE urls SET state = 3, due_at = ?, error = ? WHERE id = ?", end.now, end.error, url.id)
        else:
            self._execute("DELETE FROM urls WHERE id = ?", url.id)
            if end.again_at is not None:
                self._insert_again(end, end.again_at)
        if end.result is not Result.RETRIED:
            self._count(Ending[end.result.name], 1)

    def _insert_again(self, end: TurnEnd, due_at: float) -> None:
        """Insert a URL after its turn, so that it comes after the others with its priority."""
        url = end.queued
        is_retry = end.result is Result.RETRIED
        self._last_url += 1
        self._execute(
            "INSERT INTO urls "
            "(id, origin, url, priority, attempt, depth, metadata, visit, state, due_at, error, ended) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            self._last_url,
            end.origin,
            stored_url(url.url),
            url.priority,
            url.attempt + 1 if is_retry else 1,
            url.depth,
            url.metadata,
            end.visit or url.visit,
            URLState.QUEUED if is_retry and due_at <= end.now else URLState.DELAYED,
            due_at,
            end.error,
            end.ending,
        )

    def failed(self, after: int, limit: int) -> list[tuple[int, FailedURL]]:
        with self.database.converted_errors():
            rows = self._execute(
                "SELECT id, url, error, attempt - 1, due_at, priority FROM urls WHERE state = 3 AND id > ? "
                "ORDER BY id LIMIT ?",
                after,
                limit,
            )
            return [(row[0], failed_url(row[1:])) for row in rows]

    def queue_failed(self, limit: int) -> int:
        now = self._clock()
        with self.database.transaction():
            rows = self._execute(
                "SELECT id, origin, priority FROM urls WHERE state = 3 ORDER BY id LIMIT ?", limit
            ).fetchall()
            self.database.connection.executemany(
                "UPDATE urls SET state = 0, attempt = 1, error = NULL WHERE id = ?", [(row[0],) for row in rows]
            )
            for _, origin, priority in rows:
                self._wake(origin, priority, now)
            self._execute("UPDATE totals SET failed = failed - ?", len(rows))
        return len(rows)

    def defer(self, origin_name: str, now: float, retry_at: float) -> int:
        with self.database.transaction():
            origin = self._find_origin(origin_name)
            self._execute(
                "UPDATE origins SET retry_at = max(coalesce(retry_at, 0), ?), last_request_at = ?, "
                # It waited for something else that ends before.
                "problem = CASE WHEN ready_at >= ? THEN problem END WHERE id = ?",
                retry_at,
                now,
                retry_at,
                origin,
            )
            # Unchecked and ready origins wait again. Origins in other phases wait when they become ready.
            self._execute(
                f"UPDATE origins SET due_at = max(due_at, {_HELD_UNTIL}), ready_at = max(ready_at, {_HELD_UNTIL}), "  # noqa: S608 - a part of this module
                "phase = CASE WHEN phase IN (2, 4) THEN 1 ELSE phase END WHERE id = ?",
                origin,
            )
        return origin

    def note_clock_shift(self, seconds: float) -> None:
        if abs(seconds - self._clock_shift) >= _CLOCK_STEP:
            with self.database.transaction():
                self._execute("UPDATE totals SET clock_shift = ?", seconds)
            self._clock_shift = seconds

    def close(self) -> None:
        # If the update fails, for example on a full disk, the turns of these URLs count as attempts.
        with suppress(StoreError), self.database.transaction():
            self._execute("UPDATE urls SET state = 0, attempt = attempt - 1 WHERE state = 1")
            # Their requests end now or later.
            self._execute("UPDATE origins SET last_request_at = ? WHERE in_flight > 0", self._clock())
            self.database.settle_clock()
        self.database.close()

    def _resume(self, now: float, max_attempts: int) -> None:
        """Queue the URLs that were in flight, unless it was their last attempt, and let all origins wait until now.

        If the clock was set back since the last run, times in the file are in the future. The waits of an origin are
        counted from now, then: those that it had after its last request, and no longer ones.
        """
        with self.database.transaction():
            self._execute(
                "UPDATE urls SET due_at = due_at + ? - (SELECT last_request_at FROM origins WHERE id = urls.origin) "
                "WHERE state = 2 AND origin IN (SELECT id FROM origins WHERE last_request_at > ?)",
                now,
                now,
            )
            self.killed = self._fail_killed(now, max_attempts)
            self._execute("UPDATE urls SET state = 0 WHERE state = 1")
            self._execute(
                "UPDATE origins SET retry_at = min(retry_at + ? - last_request_at, ?), last_request_at = ? "
                "WHERE last_request_at > ?",
                now,
                now + MAX_RETRY_AFTER,
                now,
                now,
            )
            # An origin whose last URL has just failed has none that waits.
            queued = "FROM urls WHERE origin = origins.id AND state = 0 ORDER BY priority DESC, id LIMIT 1"
            delayed = "FROM urls WHERE origin = origins.id AND state = 2 ORDER BY due_at LIMIT 1"
            # Also the robots.txt is not requested during a Retry-After.
            ready_at = f"max(?, {_HELD_UNTIL})"
            self._execute(
                f"UPDATE origins SET phase = EXISTS (SELECT 1 {queued}) OR EXISTS (SELECT 1 {delayed}), in_flight = 0, "  # noqa: S608
                f"ready_at = {ready_at}, due_at = CASE WHEN EXISTS (SELECT 1 {queued}) THEN {ready_at} "
                f"ELSE coalesce((SELECT max(due_at, {ready_at}) {delayed}), {ready_at}) END, "
                f"priority = coalesce((SELECT priority {queued}), (SELECT priority {delayed}), 0) "
                "WHERE phase != 0 OR in_flight > 0 OR due_at > ?",
                *[now] * 5,
            )
        with self.database.converted_errors():
            row = self._execute("SELECT coalesce(max(position), 0) FROM origins").fetchone()
            self._position: int = check_row(row, int)[0]
            row = self._execute("SELECT coalesce(max(id), 0) FROM urls").fetchone()
            self._last_url: int = check_row(row, int)[0]

    def _fail_killed(self, now: float, max_attempts: int) -> list[FailedURL]:
        """List the URLs as failed that were in flight in their last attempt, or let them wait for their next visit."""
        rows = self._execute(
            "SELECT id, url, ?, attempt - 1, ?, priority FROM urls WHERE state = 1 AND attempt > ? ORDER BY id",
            KILLED,
            now,
            max_attempts,
        ).fetchall()
        if self._skip_seconds is None:
            state, due_at, attempt, ending = URLState.FAILED, now, None, None
        else:
            state, due_at, attempt, ending = URLState.DELAYED, now + self._skip_seconds, 1, Ending.FAILED
        self.database.connection.executemany(
            "UPDATE urls SET state = ?, due_at = ?, error = ?, attempt = coalesce(?, attempt), ended = ? WHERE id = ?",
            [(state, due_at, KILLED, attempt, ending, row[0]) for row in rows],
        )
        self._count(Ending.FAILED, len(rows))
        return [failed_url(row[1:]) for row in rows]

    def _queued_url(self, row: tuple[Any, ...]) -> QueuedURL:
        with self.database.converted_errors():
            return QueuedURL.from_row(check_row(row, *_URL_TYPES))

    def _origin_id(self, name: str) -> int:
        row = self._execute("SELECT id FROM origins WHERE name = ?", name).fetchone()
        if row is None:
            origin: int | None = self._execute("INSERT INTO origins (name) VALUES (?)", name).lastrowid
            assert origin is not None
            return origin
        found: int = row[0]
        return found

    def _group_id(self, member: str) -> int:
        """Return the group of an origin. An origin stays in its group, whatever a newer list of suffixes says."""
        row = self._execute("SELECT origin FROM members WHERE name = ?", member).fetchone()
        if row is not None:
            return int(row[0])
        name = group_name(member, self._options.group_by)
        # The group of a host whose address is known.
        row = self._execute("SELECT origin FROM members WHERE name = ?", name).fetchone()
        group = self._origin_id(name) if row is None else int(row[0])
        self._execute("INSERT INTO members (name, origin) VALUES (?, ?)", member, group)
        return group

    def _insert(self, origin: int, url: str, new: NewURLs) -> None:
        """Insert a URL that waits for its first turn."""
        # SQLite itself would give the ID of a deleted URL to another one.
        self._last_url += 1
        values = (self._last_url, origin, stored_url(url), new.priority)
        if new.depth or new.metadata is not None:
            insert = (
                "INSERT INTO urls (id, origin, url, priority, attempt, depth, metadata) VALUES (?, ?, ?, ?, 1, ?, ?)"
            )
            self._execute(insert, *values, new.depth, new.metadata)
        else:
            # Most URLs have neither.
            self._execute("INSERT INTO urls (id, origin, url, priority, attempt) VALUES (?, ?, ?, ?, 1)", *values)

    def _skip(self, urls: Sequence[int]) -> None:
        if not urls:
            return
        if self._skip_seconds is None:
            self.database.connection.executemany("DELETE FROM urls WHERE id = ?", [(url,) for url in urls])
        else:
            due_at = self._clock() + self._skip_seconds
            self.database.connection.executemany(
                "UPDATE urls SET state = 2, attempt = 1, due_at = ?, ended = ? WHERE id = ?",
                [(due_at, Ending.SKIPPED, url) for url in urls],
            )
        self._count(Ending.SKIPPED, len(urls))

    def _count(self, ending: Ending, number: int) -> None:
        name = ending.name.lower()
        self._execute(f"UPDATE totals SET {name} = {name} + ?", number)  # noqa: S608 - a column

    def _place(self, origin: int, ready_at: float, *, keeps_check: bool = False) -> None:
        """Let an origin wait until a time, if it has queued URLs and a free slot.

        Args: keeps_check: Let the origin in its phase if its robots.txt is being obtained, or was for its next URL.
        """
        phase, in_flight, retry_at = self._execute(
            f"SELECT phase, in_flight, {_HELD_UNTIL} FROM origins WHERE id = ?",  # noqa: S608 - a part of this module
            origin,
        ).fetchone()
        ready_at = max(ready_at, retry_at)
        first = self._execute(
            "SELECT priority, ? FROM urls WHERE origin = ? AND state = 0 ORDER BY priority DESC, id LIMIT 1",
            ready_at,
            origin,
        ).fetchone()
        if first is None:
            first = self._execute(
                "SELECT priority, max(due_at, ?) FROM urls WHERE origin = ? AND state = 2 ORDER BY due_at LIMIT 1",
                ready_at,
                origin,
            ).fetchone()
        priority, due_at = first or (0.0, ready_at)
        is_kept = phase == Phase.CHECKING or (phase in (Phase.UNCHECKED, Phase.READY) and retry_at <= self._clock())
        if keeps_check and is_kept:
            self._execute("UPDATE origins SET priority = ? WHERE id = ?", priority, origin)
            return
        if first is None:
            phase = Phase.IDLE
        elif in_flight >= self._options.concurrency:
            phase = Phase.FULL
        else:
            phase = Phase.WAITING
        self._position += 1
        self._execute(
            "UPDATE origins SET phase = ?, priority = ?, due_at = ?, ready_at = ?, position = ? WHERE id = ?",
            phase,
            priority,
            due_at,
            ready_at,
            self._position,
            origin,
        )

    def _is_full(self, origin: int, limit: int) -> bool:
        return self._execute("SELECT 1 FROM origins WHERE id = ? AND added >= ?", origin, limit).fetchone() is not None

    def _wake(self, origin: int, priority: float, now: float, *, added: int = 0) -> None:
        """Let an origin with new URLs wait, or raise its priority.

        Args: added: The number of those that were never added before.
        """
        phase, in_flight, due_at, ready_at = self._execute(
            "SELECT phase, in_flight, due_at, ready_at FROM origins WHERE id = ?", origin
        ).fetchone()
        ready_at = max(ready_at, now)
        if phase == Phase.WAITING and ready_at < due_at:
            # It waited for another attempt of a URL, which no longer is its only one.
            self._execute("UPDATE origins SET due_at = ? WHERE id = ?", ready_at, origin)
        if phase != Phase.IDLE:
            self._execute(
                "UPDATE origins SET priority = max(priority, ?), added = added + ? WHERE id = ?",
                priority,
                added,
                origin,
            )
            return
        self._position += 1
        self._execute(
            "UPDATE origins SET phase = ?, priority = ?, due_at = ?, ready_at = ?, position = ?, added = added + ? "
            "WHERE id = ?",
            Phase.FULL if in_flight >= self._options.concurrency else Phase.WAITING,
            priority,
            ready_at,
            ready_at,
            self._position,
            added,
            origin,
        )

    def _execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        return self.database.connection.execute(statement, values)


def read_counts(connection: sqlite3.Connection, in_flight: int) -> FrontierCounts:
    """Return the number of URLs, of which `in_flight` have a turn.

    Raises: sqlite3.Error; DamagedRow.
    """
    row = connection.execute("SELECT added, done, failed, skipped, refused FROM totals").fetchone()
    added, done, failed, skipped, refused = check_row(row, int, int, int, int, int)
    return FrontierCounts(added - done - failed - skipped - in_flight, in_flight, done, failed, skipped, refused)


def failed_url(row: tuple[Any, ...]) -> FailedURL:
    """Return a failed URL from a row of its values.

    Raises: DamagedRow; UnicodeDecodeError.
    """
    return FailedURL.from_row(check_row(row, bytes, str | None, int, int | float, int | float))


def _queued_origin(row: tuple[Any, ...] | None) -> QueuedOrigin:
    return QueuedOrigin(*check_row(row, int, str, int | float | None, int | float | None, int, int | float))
