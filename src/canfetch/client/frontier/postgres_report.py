"""What is in the database of a frontier, read while workers use it or after it."""

from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Any, Final

from canfetch.client.frontier.grouping import GroupBy, has_origin
from canfetch.client.frontier.postgres_connection import PostgresConnection, fetched
from canfetch.client.frontier.postgres_statements import FIND_MEMBERS, FIND_ORIGINS, NOW
from canfetch.client.frontier.postgres_worker import OriginState
from canfetch.client.frontier.queue_values import FailedURL, FrontierCounts, URLState, url_text
from canfetch.client.frontier.report import (
    KILLED_IN_TURN,
    NEXT,
    DelayedURL,
    FrontierReport,
    ListedURL,
    WaitingOrigin,
    listed_url,
    waiting_reason,
)
from canfetch.core.quoting import quoted
from canfetch.errors import StoreError

_OUTAGE_SECONDS: Final = 5.0
_COUNTS: Final = f"""
SELECT {NOW}, crawl.id,
    crawl.added + w.added, crawl.done + w.done, crawl.failed + w.failed, crawl.skipped + w.skipped,
    crawl.refused + w.refused, w.workers, crawl.group_by,
    (SELECT count(*) FROM canfetch_urls WHERE crawl = crawl.id AND state = 1),
    (SELECT count(*) FROM canfetch_urls WHERE crawl = crawl.id AND state = 2 AND ended IS NULL),
    (SELECT count(*) FROM canfetch_urls WHERE crawl = crawl.id AND state = 2 AND ended IS NOT NULL),
    (SELECT count(*) FROM canfetch_urls WHERE crawl = crawl.id AND state = 2 AND ended = 3),
    (SELECT count(*) FROM canfetch_origins WHERE crawl = crawl.id AND state <> 0)
FROM canfetch_crawls AS crawl, LATERAL (
    SELECT coalesce(sum(added), 0)::bigint AS added, coalesce(sum(done), 0)::bigint AS done,
        coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(skipped), 0)::bigint AS skipped,
        coalesce(sum(refused), 0)::bigint AS refused,
        count(*) FILTER (WHERE alive_until > {NOW}) AS workers
    FROM canfetch_workers WHERE crawl = crawl.id
) AS w
WHERE crawl.name = %(crawl)s"""  # noqa: S608 - a constant
_NEXT_ORIGINS: Final = f"""
SELECT o.name, o.state, o.due_at, o.ready_at, o.retry_at, o.problem, o.failures, o.last_request_at,
    CASE WHEN w.alive_until > {NOW} THEN w.name END,
    (SELECT count(*) FROM canfetch_urls WHERE origin = o.id AND state IN (0, 2) AND ended IS NULL),
    (SELECT count(*) FROM canfetch_urls WHERE origin = o.id AND state = 1),
    (SELECT count(*) FROM canfetch_urls WHERE origin = o.id AND state = 2 AND ended IS NOT NULL)
FROM canfetch_origins AS o LEFT JOIN canfetch_workers AS w ON w.id = o.worker
WHERE o.crawl = %(crawl)s AND o.state <> 0
ORDER BY o.state = 1, CASE o.state WHEN 1 THEN o.due_at ELSE -o.state END, o.due_at, o.id LIMIT %(limit)s"""  # noqa: S608 - a constant
_NEXT_DELAYED: Final = """
SELECT url, due_at, attempt, error FROM canfetch_urls
WHERE crawl = %(crawl)s AND state = 2 AND (ended IS NOT NULL) = %(has_ended)s ORDER BY due_at LIMIT %(limit)s"""
_LAST_FAILED: Final = """
SELECT url, error, attempt - 1, due_at, priority FROM canfetch_urls WHERE crawl = %(crawl)s AND state = 3
ORDER BY due_at DESC LIMIT %(limit)s"""


def read_postgres_report(conninfo: str, crawl: str, *, limit: int = 20) -> FrontierReport:
    """Read the database of a crawl, without changing the crawl or waiting for its workers.

    Args:
        conninfo: A URL or connection string of libpq.
        crawl: The name of the crawl.
        limit: The largest number of origins, of waiting URLs and of failed URLs that are listed.
    Raises: StoreError: The database cannot be read, or has no such crawl; InvalidOption: `conninfo` cannot be read;
        MissingExtra.
    Cost: O(n) steps of the database for n origins and URLs that wait.
    """
    connection = PostgresConnection(conninfo, outage_seconds=_OUTAGE_SECONDS)
    try:
        rows = connection.run(_COUNTS, {"crawl": crawl})
        if not rows:
            raise StoreError(f"{connection.name}: the database has no crawl {quoted(crawl)}")
        now, number, added, done, failed, skipped, refused, workers, group_by, *counts = rows[0]
        in_flight, delayed, visits, failed_visits, origins = counts
        values = {"crawl": number, "limit": limit}
        next_delayed, next_visits = (
            [
                DelayedURL(url_text(row[0]), *row[1:])
                for row in connection.run(_NEXT_DELAYED, {**values, "has_ended": has_ended})
            ]
            for has_ended in (False, True)
        )
        return FrontierReport(
            workers > 0,
            FrontierCounts(added - done - failed - skipped - in_flight, in_flight, done, failed, skipped, refused),
            origins,
            delayed,
            [_waiting_origin(row, now) for row in connection.run(_NEXT_ORIGINS, values)],
            next_delayed,
            list(map(FailedURL.from_row, connection.run(_LAST_FAILED, values))),
            group_by,
            visits,
            next_visits,
            failed_visits,
        )
    finally:
        connection.close()


def list_postgres_urls(
    conninfo: str, crawl: str, *, state: URLState | None = None, origin: str | None = None, limit: int = -1
) -> Iterator[ListedURL]:
    """Yield the URLs of a crawl that have not ended or failed, as they are at one moment. Workers do not wait.

    Args: See `read_postgres_report` and `report.list_urls`.
    Raises: As `read_postgres_report`, while iterating.
    Cost: O(n log n) steps of the database for n URLs, and O(1) memory.
    """
    connection = PostgresConnection(conninfo, outage_seconds=_OUTAGE_SECONDS)
    connection.wait_for_server()
    with closing(connection), connection.transaction() as run:
        run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        # The reader of the list can be slow.
        run("SET LOCAL idle_in_transaction_session_timeout = 0")
        rows = run("SELECT id, group_by FROM canfetch_crawls WHERE name = %(crawl)s", {"crawl": crawl})
        if not rows:
            raise StoreError(f"{connection.name}: the database has no crawl {quoted(crawl)}")
        number, group_by = rows[0]
        filtered: str | None = None
        chosen = "" if state is None else f" AND u.state = {int(state)}"
        if origin is not None:
            found = run(
                FIND_ORIGINS if group_by == GroupBy.ORIGIN else FIND_MEMBERS, {"crawl": number, "names": [origin]}
            )
            filtered = None if group_by == GroupBy.ORIGIN else origin
            chosen += f" AND o.id = {int(found[0][0]) if found else 0}"
        bound = "ALL" if limit < 0 or filtered is not None else int(limit)
        listed: Iterator[ListedURL] = map(
            listed_url,
            fetched(
                run,
                "listed",
                "SELECT u.url, u.state, u.attempt - 1, u.priority, u.due_at, u.error "  # noqa: S608 - numbers only
                "FROM canfetch_origins AS o JOIN canfetch_urls AS u ON u.origin = o.id "
                f"WHERE o.crawl = {int(number)}{chosen} ORDER BY u.id LIMIT {bound}",
            ),
        )
        if filtered is not None:
            listed = (url for url in listed if has_origin(url.url, filtered))
        yield from islice(listed, None if limit < 0 else limit)


def _waiting_origin(row: tuple[Any, ...], now: float) -> WaitingOrigin:
    name, state, due_at, ready_at, retry_at, problem, failures, last_request_at, worker, queued, in_flight, visits = row
    next_at = None
    if state == OriginState.CLAIMED and worker is None:
        # Its lease has ended.
        reason = KILLED_IN_TURN if in_flight else NEXT
    elif state == OriginState.CLAIMED:
        reason = f"the worker {worker} has a turn" if in_flight else f"the worker {worker} has claimed it"
    elif state == OriginState.READY:
        reason = NEXT
    else:
        next_at = due_at
        reason = waiting_reason(due_at=due_at, ready_at=ready_at, retry_at=retry_at, problem=problem, now=now)
    return WaitingOrigin(name, next_at, reason, queued, in_flight, failures, last_request_at, visits)
