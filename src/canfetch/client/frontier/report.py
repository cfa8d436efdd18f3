"""What is in the file of a frontier, read while a crawl uses it or after it. `postgres_report` reads a database."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from canfetch.client.frontier.clocks import OUTSIDE_VISIT_TIME
from canfetch.client.frontier.database import (
    APPLICATION_ID,
    DAMAGE,
    SCHEMA_VERSION,
    URL_DUE_AT,
    crawl_file_name,
    damage_error,
    is_in_use,
    shifted,
)
from canfetch.client.frontier.grouping import GroupBy, has_origin
from canfetch.client.frontier.queue_values import TURNS_FAILED, FailedURL, FrontierCounts, Phase, URLState, url_text
from canfetch.client.frontier.sqlite_queue import failed_url, read_counts
from canfetch.client.private_files import kind_of_path
from canfetch.client.sqlite_files import (
    check_row,
    connect_read_only,
    corruption_advice,
    has_only_tables,
    primary_code,
    sqlite_reason,
    without_new_log,
)
from canfetch.errors import StoreError

# Seconds to wait for a process that is opening or closing the file.
_BUSY_SECONDS: Final = 1.0
# What an origin that may be requested now waits for.
NEXT: Final = "the next free task requests it"
# What an origin shows whose turn was open when its process was killed, until another process queues the URL.
KILLED_IN_TURN: Final = "its process ended during a turn"
_REASONS: Final = {
    # All its URLs are in flight.
    Phase.IDLE: "a turn has not ended",
    Phase.UNCHECKED: "its robots.txt is requested next",
    Phase.CHECKING: "its robots.txt is being requested",
    Phase.READY: NEXT,
    Phase.FULL: "a turn has not ended",
}
# While no crawl uses the file: it was killed in these phases.
_REASONS_AFTER_KILL: Final = {
    Phase.IDLE: KILLED_IN_TURN,
    Phase.UNCHECKED: NEXT,
    Phase.CHECKING: NEXT,
    Phase.READY: NEXT,
    Phase.FULL: KILLED_IN_TURN,
}


class WaitingOrigin(NamedTuple):
    """An origin that has URLs.

    Attributes:
        origin: Its name, such as `https://example.com`, or that of a group, such as `example.com`.
        next_at: When it may be requested and has a URL to request, in seconds since the epoch. None if it waits for
            something else than a time.
        reason: What it waits for.
        queued: The number of its URLs that wait for a turn or for the time of their next attempt.
        in_flight: The number of its turns that have not ended.
        failures: The number of its turns that failed since the last one that did not.
        last_request_at: When its last turn began or ended, or None.
        visits: The number of its URLs that wait for their next visit. They are done, skipped or failed until then.
    """

    origin: str
    next_at: float | None
    reason: str
    queued: int
    in_flight: int
    failures: int
    last_request_at: float | None
    visits: int = 0


class DelayedURL(NamedTuple):
    """A URL that waits for its next attempt or visit. `next_at` is in seconds since the epoch."""

    url: str
    next_at: float
    attempt: int
    error: str | None


class ListedURL(NamedTuple):
    """A URL that has not ended, or failed.

    Attributes:
        url: The URL, as it was added, without white space around it.
        state: What happens next with it.
        attempts: The number of turns that it has had.
        priority: The priority with which it was added.
        at: When it is tried again, or when it failed, in seconds since the epoch. None in other states.
        error: What went wrong in its last attempt, or None.
    """

    url: str
    state: URLState
    attempts: int
    priority: float
    at: float | None
    error: str | None


class FrontierReport(NamedTuple):
    """What is in the file of a frontier.

    Attributes:
        is_in_use: Whether a crawl uses the file now. If not, the URLs in flight are queued when one opens it.
        counts: The number of URLs by what has happened to them.
        origins: The number of origins that have URLs.
        delayed_urls: The number of URLs that wait for their next attempt.
        next_origins: The first origins in the order of their next times.
        next_delayed: The first of the URLs that wait for their next attempt.
        last_failed: The last of the URLs that failed.
        group_by: How the URLs are grouped. Unless it is `origin`, the origins above are groups.
        waiting_visits: The number of URLs that wait for their next visit.
        next_visits: The first of the URLs that wait for their next visit.
        failed_visits: The number of URLs that wait for their next visit because they failed. They are in the count of
            failed URLs, and not in `last_failed`.
    """

    is_in_use: bool
    counts: FrontierCounts
    origins: int
    delayed_urls: int
    next_origins: list[WaitingOrigin]
    next_delayed: list[DelayedURL]
    last_failed: list[FailedURL]
    group_by: str
    waiting_visits: int
    next_visits: list[DelayedURL]
    failed_visits: int


def read_report(
    path: str | os.PathLike[str], *, limit: int = 20, clock: Callable[[], float] = time.time
) -> FrontierReport:
    """Read the file of a frontier, without changing it or waiting for the crawl that uses it.

    Args:
        path: The file.
        limit: The largest number of origins, of waiting URLs and of failed URLs that are listed.
        clock: Returns seconds since the epoch. For tests.
    Raises: StoreError: The file does not exist, cannot be read, or is not a frontier.
    Cost: O(n) steps of the database for n origins and URLs that wait, and O(1) memory.
    """
    with open_to_read(path) as connection:
        return _read(connection, limit, clock(), in_use=is_in_use(path))


def list_urls(
    path: str | os.PathLike[str], *, state: URLState | None = None, origin: str | None = None, limit: int = -1
) -> Iterator[ListedURL]:
    """Yield the URLs in the file of a frontier that have not ended or failed, without changing it.

    They are in the order in which they were added or last tried.

    Args:
        path: The file.
        state: Yield only URLs in this state.
        origin: Yield only URLs of this origin.
        limit: The largest number of URLs, or -1.
    Raises: StoreError: While iterating, as `read_report`.
    Cost: O(n) steps of the database for n URLs, and O(1) memory.
    """
    with open_to_read(path) as connection:
        chosen = "true" if state is None else f"state = {int(state)}"
        if origin is not None:
            chosen += f" AND {of_origin(connection)}"
        rows = connection.execute(
            f"SELECT url, state, attempt - 1, priority, {URL_DUE_AT}, error FROM urls "  # noqa: S608 - as above
            f"WHERE {chosen} ORDER BY id LIMIT :limit",
            {"origin": origin, "limit": limit},
        )
        for row in rows:
            yield listed_url(check_row(row, bytes, int, int, int | float, int | float | None, str | None))


def of_origin(connection: sqlite3.Connection) -> str:
    """Return a condition for the URLs of the origin with the name `:origin`, which can be in a group with others.

    Raises: sqlite3.Error; DamagedRow.
    """
    (group_by,) = check_row(connection.execute("SELECT group_by FROM totals").fetchone(), str)
    if group_by == GroupBy.ORIGIN:
        return "origin = (SELECT id FROM origins WHERE name = :origin)"
    connection.create_function("has_origin", 2, lambda url, origin: has_origin(url_text(url), origin))
    return "origin = (SELECT origin FROM members WHERE name = :origin) AND has_origin(url, :origin)"


def listed_url(row: Sequence[Any]) -> ListedURL:
    """Return a URL from a row of its values."""
    url, number, attempts, priority, due_at, error = row
    state = URLState(number)
    is_timed = state in (URLState.DELAYED, URLState.FAILED)
    return ListedURL(url_text(url), state, attempts, priority, due_at if is_timed else None, error)


@contextmanager
def open_to_read(path: str | os.PathLike[str]) -> Iterator[sqlite3.Connection]:
    """Open the file of a frontier to read it as it is at one moment.

    Raises: StoreError: As `read_report`, also for errors in the block.
    """
    name = crawl_file_name(path)
    try:
        is_file = Path(path).is_file()
    except OSError as error:
        raise StoreError(f"{name}: {error.strerror or error}") from None
    if not is_file:
        problem = kind_of_path(path) or "does not exist"
        raise StoreError(f"{name}: {problem}: expected the file of a canfetch.Frontier")
    try:
        with without_new_log(name), closing(connect_read_only(name, timeout=_BUSY_SECONDS)) as connection:
            _check_format(connection, name)
            # All queries see the same moment.
            connection.execute("BEGIN")
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if primary_code(error) == sqlite3.SQLITE_BUSY:
            raise StoreError(f"{name}: another process has locked the file") from None
        raise StoreError(f"{name}: {sqlite_reason(name, error)}{corruption_advice(error)}") from None
    except DAMAGE as error:
        raise damage_error(name, error) from None


def _check_format(connection: sqlite3.Connection, name: str) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID or not has_only_tables(connection):
        raise StoreError(f"{name}: not a frontier: expected the file of a canfetch.Frontier")
    if version != SCHEMA_VERSION:
        advice = "resume the crawl once to convert it" if version < SCHEMA_VERSION else "use a newer canfetch"
        raise StoreError(f"{name}: frontier version {version}, expected {SCHEMA_VERSION}: {advice}")


def _read(connection: sqlite3.Connection, limit: int, now: float, *, in_use: bool) -> FrontierReport:
    (in_flight,) = connection.execute("SELECT count(*) FROM urls WHERE state = 1").fetchone()
    (origins,) = connection.execute("SELECT count(*) FROM origins WHERE phase != 0 OR in_flight > 0").fetchone()
    (group_by,) = check_row(connection.execute("SELECT group_by FROM totals").fetchone(), str)
    delayed, visits, failed_visits = connection.execute(
        "SELECT count(*) - count(ended), count(ended), count(*) FILTER (WHERE ended = 3) FROM urls WHERE state = 2"
    ).fetchone()
    counts = read_counts(connection, in_flight)
    # Each count has a partial index, which it would not have for `state IN (0, 2)`.
    next_origins = connection.execute(
        f"SELECT name, phase, {shifted('due_at')}, {shifted('ready_at')}, {shifted('retry_at')}, problem, "  # noqa: S608 - above
        f"in_flight, failures, {shifted('last_request_at')}, "
        "(SELECT count(*) FROM urls WHERE origin = origins.id AND state = 0) + "
        "(SELECT count(*) FROM urls WHERE origin = origins.id AND state = 2 AND ended IS NULL), "
        "(SELECT count(ended) FROM urls WHERE origin = origins.id AND state = 2) FROM origins "
        "WHERE phase != 0 OR in_flight > 0 "
        "ORDER BY phase = 1, CASE phase WHEN 1 THEN due_at ELSE -phase END, position LIMIT ?",
        (limit,),
    )
    delayed_urls = (
        f"SELECT url, {URL_DUE_AT}, attempt, error FROM urls WHERE state = 2 AND ended IS {{}} ORDER BY due_at LIMIT ?"  # noqa: S608 - above
    )
    next_delayed = connection.execute(delayed_urls.format("NULL"), (limit,))
    next_visits = connection.execute(delayed_urls.format("NOT NULL"), (limit,))
    last_failed = connection.execute(
        "SELECT url, error, attempt - 1, due_at, priority FROM urls WHERE state = 3 ORDER BY due_at DESC LIMIT ?",
        (limit,),
    )
    return FrontierReport(
        in_use,
        counts,
        origins,
        delayed,
        [_waiting_origin(row, now, in_use=in_use) for row in next_origins],
        list(map(_delayed_url, next_delayed)),
        list(map(failed_url, last_failed)),
        group_by,
        visits,
        list(map(_delayed_url, next_visits)),
        failed_visits,
    )


def _delayed_url(row: tuple[Any, ...]) -> DelayedURL:
    url, *rest = check_row(row, bytes, int | float, int, str | None)
    return DelayedURL(url_text(url), *rest)


def _waiting_origin(row: tuple[Any, ...], now: float, *, in_use: bool) -> WaitingOrigin:
    name, phase, due_at, ready_at, retry_at, problem, in_flight, failures, last_request_at, queued, visits = check_row(
        row, str, int, int | float, int | float, int | float | None, str | None, int, int, int | float | None, int, int
    )
    if phase != Phase.WAITING:
        reason = (_REASONS if in_use else _REASONS_AFTER_KILL)[Phase(phase)]
        return WaitingOrigin(name, None, reason, queued, in_flight, failures, last_request_at, visits)
    reason = waiting_reason(due_at=due_at, ready_at=ready_at, retry_at=retry_at, problem=problem, now=now)
    return WaitingOrigin(name, due_at, reason, queued, in_flight, failures, last_request_at, visits)


def waiting_reason(*, due_at: float, ready_at: float, retry_at: float | None, problem: str | None, now: float) -> str:
    """Return what an origin waits for that waits for a time.

    Args:
        due_at: When it may be requested and has a URL.
        ready_at: When it may be requested.
        retry_at: The end of the time for which the server asked, or of the time after failures, or None.
        problem: Why its robots.txt cannot be reached, `OUTSIDE_VISIT_TIME`, `TURNS_FAILED`, or None.
        now: The time.
    """
    if problem not in (None, OUTSIDE_VISIT_TIME, TURNS_FAILED):
        return f"its robots.txt could not be fetched: {problem}"
    if due_at <= now:
        return NEXT
    if due_at > ready_at:
        return "its URLs wait for their next attempt or visit"
    if retry_at is not None and retry_at > now and retry_at >= ready_at:
        return TURNS_FAILED if problem == TURNS_FAILED else "Retry-After"
    return "its Visit-time" if problem == OUTSIDE_VISIT_TIME else "the delay between two requests"
