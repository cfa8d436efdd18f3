"""The queues of a frontier: which URL of which origin is next.

All URLs and origins are rows of a database, and all lookups use an index. Memory does not grow with their number, and
every operation takes O(log n) steps of the database.
"""

import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from enum import IntEnum
from typing import Final, NamedTuple

from canfetch.access.retries import MAX_RETRY_AFTER
from canfetch.client.frontier.database import FrontierDatabase
from canfetch.client.frontier.url_identity import IdentifiedURL
from canfetch.errors import StoreError

# The number of origins that become due in one call, which bounds the time of the call.
DUE_BATCH: Final = 200


class Phase(IntEnum):
    """What has to happen before the next URL of an origin may be fetched."""

    IDLE = 0  # waits until a URL is added
    WAITING = 1  # waits for its due time
    UNCHECKED = 2  # waits until its robots.txt is requested
    CHECKING = 3  # waits for its robots.txt
    READY = 4  # can be requested now
    FULL = 5  # waits until a request in flight ends


class QueuedOrigin(NamedTuple):
    """An origin with queued URLs, and when it was requested and may be requested again."""

    id: int
    name: str
    last_request_at: float | None
    retry_at: float | None


class QueuedURL(NamedTuple):
    """A queued URL. `attempt` is the number of its next turn, from 1."""

    id: int
    url: str
    priority: float
    attempt: int


class FrontierCounts(NamedTuple):
    """The number of URLs of a frontier by what has happened to them, over all runs with the same file.

    Attributes:
        queued: URLs that wait for a turn.
        in_flight: URLs whose turns are not done.
        done: URLs that are done.
        failed: URLs that failed in every attempt, or were in flight when the process was killed in the last one.
        skipped: URLs that were dropped because they are disallowed.
    """

    queued: int
    in_flight: int
    done: int
    failed: int
    skipped: int


class URLQueue:
    """The queues of all origins.

    Args:
        path: The file, or None for a temporary file.
        concurrency: The number of URLs of one origin that can be in flight.
        max_attempts: The number of turns of a URL. Those that end with `release` are not counted.
        now: The current time, as all times of the queue: `clocks.Moment.at`. URLs that were in flight when the process
            ended are queued again, or dropped as failed after their last attempt.
    Raises: StoreError: In the constructor and in every method.
    """

    def __init__(self, path: str | os.PathLike[str] | None, *, concurrency: int, max_attempts: int, now: float) -> None:
        self.database = FrontierDatabase(path)
        self._concurrency = concurrency
        self.in_flight = 0
        try:
            self._resume(now, max_attempts)
        except BaseException:
            self.database.close()
            raise

    def counts(self) -> FrontierCounts:
        """Return the number of URLs by what has happened to them."""
        totals = self.database.fetch("SELECT added, done, failed, skipped FROM totals")
        assert totals is not None
        added, done, failed, skipped = totals
        return FrontierCounts(added - done - failed - skipped - self.in_flight, self.in_flight, done, failed, skipped)

    def add(self, urls: Iterable[IdentifiedURL], priority: float, now: float) -> int:
        """Add the URLs that were never added before, and return their number."""
        added = 0
        origins: dict[str, int] = {}
        with self.database.transaction():
            for url, origin_name, identity in urls:
                origin = origins.get(origin_name) or self._origin_id(origin_name)
                if self._execute("INSERT OR IGNORE INTO known VALUES (?, ?)", origin, identity).rowcount:
                    self._insert(origin, url, priority, attempt=1)
                    origins[origin_name] = origin
                    added += 1
            for origin in origins.values():
                self._wake(origin, priority, now)
            self._execute("UPDATE totals SET added = added + ?", added)
        return added

    def find_due(self, now: float) -> list[int]:
        """Return up to `DUE_BATCH` waiting origins that have become due, to be moved to `UNCHECKED` or `READY`."""
        with self.database.converted_errors():
            rows = self._execute(
                "SELECT id FROM origins WHERE phase = 1 AND due_at <= ? ORDER BY due_at, position LIMIT ?",
                now,
                DUE_BATCH,
            )
            return [row[0] for row in rows]

    def set_phases(self, phases: Iterable[tuple[Phase, int]]) -> None:
        """Set the phases of origins."""
        changes = list(phases)
        if changes:
            with self.database.transaction():
                self.database.connection.executemany("UPDATE origins SET phase = ? WHERE id = ?", changes)

    def first_unchecked(self, limit: int) -> list[QueuedOrigin]:
        """Return the next origins whose robots.txt has to be obtained."""
        with self.database.converted_errors():
            rows = self._execute(
                "SELECT id, name, last_request_at, retry_at FROM origins WHERE phase = 2 "
                "ORDER BY priority DESC, due_at, position LIMIT ?",
                limit,
            )
            return [QueuedOrigin(*row) for row in rows]

    def next_ready(self) -> QueuedOrigin | None:
        """Return the ready origin with the highest priority. Of several, the one that became due first."""
        row = self.database.fetch(
            "SELECT id, name, last_request_at, retry_at FROM origins WHERE phase = 4 "
            "ORDER BY priority DESC, due_at, position LIMIT 1"
        )
        return None if row is None else QueuedOrigin(*row)

    def next_due_at(self) -> float | None:
        """Return when the next waiting origin becomes due, or None."""
        row = self.database.fetch("SELECT due_at FROM origins WHERE phase = 1 ORDER BY due_at, position LIMIT 1")
        return None if row is None else row[0]

    def first_urls(self, origin: int, limit: int) -> list[QueuedURL]:
        """Return the first queued URLs of an origin."""
        with self.database.converted_errors():
            rows = self._execute(
                "SELECT id, url, priority, attempt FROM urls WHERE origin = ? AND is_in_flight = 0 "
                "ORDER BY priority DESC, id LIMIT ?",
                origin,
                limit,
            )
            return [QueuedURL(row[0], row[1].decode("utf-8", "surrogatepass"), row[2], row[3]) for row in rows]

    def wait(self, origin: int, due_at: float, *, skipped: Sequence[int] = ()) -> None:
        """Drop some URLs of an origin, and let it wait until a time."""
        with self.database.transaction():
            self._skip(skipped)
            self._place(origin, due_at)

    def take(self, origin: int, url: int, now: float, due_at: float, *, skipped: Sequence[int]) -> None:
        """Drop some URLs of an origin, take one, and let the origin wait until a time."""
        with self.database.transaction():
            self._skip(skipped)
            # Counted now, so that a page that ends the process is not handed out forever.
            self._execute("UPDATE urls SET is_in_flight = 1, attempt = attempt + 1 WHERE id = ?", url)
            self._execute("UPDATE origins SET in_flight = in_flight + 1, last_request_at = ? WHERE id = ?", now, origin)
            self._place(origin, due_at)
        self.in_flight += 1

    def finish(
        self, origin: int, url: int, now: float, due_at: float, retry_at: float | None, *, is_failed: bool
    ) -> None:
        """Drop a URL that was in flight, and count it as done or failed."""
        with self.database.transaction():
            self._execute("DELETE FROM urls WHERE id = ?", url)
            self._execute("UPDATE totals SET done = done + ?, failed = failed + ?", not is_failed, is_failed)
            self._land(origin, now, due_at, retry_at)
        self.in_flight -= 1

    def retry(self, origin: int, url: QueuedURL, now: float, due_at: float, retry_at: float | None) -> None:
        """Queue a URL that was in flight after the other URLs with its priority."""
        with self.database.transaction():
            self._execute("DELETE FROM urls WHERE id = ?", url.id)
            self._insert(origin, url.url, url.priority, attempt=url.attempt + 1)
            self._land(origin, now, due_at, retry_at)
        self.in_flight -= 1

    def release(self, origin: int, url: int, now: float, due_at: float) -> None:
        """Queue a URL that was in flight at its previous position."""
        with self.database.transaction():
            self._execute("UPDATE urls SET is_in_flight = 0, attempt = attempt - 1 WHERE id = ?", url)
            self._land(origin, now, due_at, None)
        self.in_flight -= 1

    def defer(self, origin_name: str, now: float, retry_at: float) -> None:
        """Let an origin wait until a time, or until a later time that was set before."""
        with self.database.transaction():
            origin = self._origin_id(origin_name)
            # Unchecked and ready origins wait again. Origins in other phases wait when they become ready.
            self._execute(
                "UPDATE origins SET retry_at = max(coalesce(retry_at, 0), ?), due_at = max(due_at, ?), "
                "last_request_at = ?, "
                "phase = CASE WHEN phase IN (2, 4) THEN 1 ELSE phase END WHERE id = ?",
                retry_at,
                retry_at,
                now,
                origin,
            )

    def close(self) -> None:
        """Release the URLs that are in flight, and close the database."""
        # If the update fails, for example on a full disk, the turns of these URLs count as attempts.
        with suppress(StoreError), self.database.transaction():
            self._execute("UPDATE urls SET is_in_flight = 0, attempt = attempt - 1 WHERE is_in_flight = 1")
        self.database.close()

    def _resume(self, now: float, max_attempts: int) -> None:
        """Queue the URLs that were in flight, unless it was their last attempt, and let all origins wait until now.

        If the clock was set back since the last run, times in the file are in the future. The waits of an origin are
        counted from now, then: those that it had after its last request, and no longer ones.
        """
        with self.database.transaction():
            failed = self._execute("DELETE FROM urls WHERE is_in_flight = 1 AND attempt > ?", max_attempts).rowcount
            self._execute("UPDATE totals SET failed = failed + ?", failed)
            self._execute("UPDATE urls SET is_in_flight = 0 WHERE is_in_flight = 1")
            self._execute(
                "UPDATE origins SET retry_at = min(retry_at + ? - last_request_at, ?), last_request_at = ? "
                "WHERE last_request_at > ?",
                now,
                now + MAX_RETRY_AFTER,
                now,
                now,
            )
            # An origin whose last URL has just been dropped has none that waits.
            first = "FROM urls WHERE origin = origins.id AND is_in_flight = 0 ORDER BY priority DESC LIMIT 1"
            self._execute(
                f"UPDATE origins SET phase = EXISTS (SELECT 1 {first}), in_flight = 0, due_at = ?, "  # noqa: S608
                f"priority = coalesce((SELECT priority {first}), 0) WHERE phase != 0 OR in_flight > 0 OR due_at > ?",
                now,
                now,
            )
        row = self.database.fetch("SELECT max(position) FROM origins")
        self._position = (row[0] if row else None) or 0

    def _origin_id(self, name: str) -> int:
        row = self._execute("SELECT id FROM origins WHERE name = ?", name).fetchone()
        if row is None:
            origin: int | None = self._execute("INSERT INTO origins (name) VALUES (?)", name).lastrowid
            assert origin is not None
            return origin
        found: int = row[0]
        return found

    def _insert(self, origin: int, url: str, priority: float, *, attempt: int) -> None:
        self._execute(
            "INSERT INTO urls (origin, url, priority, attempt) VALUES (?, ?, ?, ?)",
            origin,
            url.encode("utf-8", "surrogatepass"),
            priority,
            attempt,
        )

    def _skip(self, urls: Sequence[int]) -> None:
        if urls:
            self.database.connection.executemany("DELETE FROM urls WHERE id = ?", [(url,) for url in urls])
            self._execute("UPDATE totals SET skipped = skipped + ?", len(urls))

    def _land(self, origin: int, now: float, due_at: float, retry_at: float | None) -> None:
        """Update the origin of a URL that was in flight."""
        self._execute(
            "UPDATE origins SET in_flight = in_flight - 1, last_request_at = ?, "
            "retry_at = max(coalesce(retry_at, 0), coalesce(?, 0)) WHERE id = ?",
            now,
            retry_at,
            origin,
        )
        self._place(origin, due_at, keeps_check=True)

    def _place(self, origin: int, due_at: float, *, keeps_check: bool = False) -> None:
        """Let an origin wait until a time, if it has queued URLs and a free slot.

        Args: keeps_check: Let the origin in its phase if its robots.txt is being obtained, or was for its next URL.
        """
        phase, in_flight = self._execute("SELECT phase, in_flight FROM origins WHERE id = ?", origin).fetchone()
        first = self.first_urls(origin, 1)
        priority = first[0].priority if first else 0.0
        if keeps_check and phase in (Phase.UNCHECKED, Phase.CHECKING, Phase.READY):
            self._execute("UPDATE origins SET priority = ? WHERE id = ?", priority, origin)
            return
        if not first:
            phase = Phase.IDLE
        elif in_flight >= self._concurrency:
            phase = Phase.FULL
        else:
            phase = Phase.WAITING
        self._position += 1
        self._execute(
            "UPDATE origins SET phase = ?, priority = ?, due_at = ?, position = ? WHERE id = ?",
            phase,
            priority,
            due_at,
            self._position,
            origin,
        )

    def _wake(self, origin: int, priority: float, now: float) -> None:
        """Let an origin with new URLs wait, or raise its priority."""
        phase, in_flight, due_at = self._execute(
            "SELECT phase, in_flight, due_at FROM origins WHERE id = ?", origin
        ).fetchone()
        if phase != Phase.IDLE:
            self._execute("UPDATE origins SET priority = max(priority, ?) WHERE id = ?", priority, origin)
            return
        self._position += 1
        self._execute(
            "UPDATE origins SET phase = ?, priority = ?, due_at = ?, position = ? WHERE id = ?",
            Phase.FULL if in_flight >= self._concurrency else Phase.WAITING,
            priority,
            max(due_at, now),
            self._position,
            origin,
        )

    def _execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        return self.database.connection.execute(statement, values)
