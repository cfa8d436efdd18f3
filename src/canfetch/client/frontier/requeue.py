"""Failed URLs of a crawl, queued again from outside of it: `queue_failed_urls`."""

import os
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from canfetch.client.argument_checks import check_path
from canfetch.client.frontier import postgres_statements as sql
from canfetch.client.frontier.database import FrontierDatabase
from canfetch.client.frontier.grouping import GroupBy, has_origin
from canfetch.client.frontier.postgres_queue import PostgresQueue
from canfetch.client.frontier.queue_values import Phase, stored_url, url_text
from canfetch.client.frontier.report import of_origin
from canfetch.client.private_files import kind_of_path
from canfetch.core.quoting import quoted
from canfetch.errors import StoreError


class QueuedAgain(NamedTuple):
    """The result of `queue_failed_urls`.

    Attributes:
        number: The number of URLs that were queued.
        unknown: The given URLs that have not failed in this crawl.
        waiting: The given URLs that failed and wait for their next visit, so they are not queued.
    """

    number: int
    unknown: list[str]
    waiting: list[str]


def queue_failed_urls(
    source: str | os.PathLike[str] | PostgresQueue, *, origin: str | None = None, urls: Sequence[str] = ()
) -> QueuedAgain:
    """Queue failed URLs again, with all their attempts.

    Workers can use the database. A file must not be in use: there, `Frontier.retry_failed` does the same.

    Args:
        source: The file of the crawl, or its database.
        origin: Queue only URLs of this origin.
        urls: Queue only these URLs, written as they were added. All if there are none.
    Raises: StoreError: It cannot be written, is in use, or is not a frontier.
    """
    chosen = list(dict.fromkeys(map(stored_url, urls)))
    if not isinstance(source, PostgresQueue):
        return _queue_in_file(source, origin, chosen)
    with closing(source.connect()) as connection, connection.transaction() as run:
        # Locked first, as by the workers.
        rows = run(
            "SELECT id, group_by FROM canfetch_crawls WHERE name = %(crawl)s FOR UPDATE", {"crawl": source.crawl}
        )
        if not rows:
            raise StoreError(f"{connection.name}: the database has no crawl {quoted(source.crawl)}")
        crawl, group_by = rows[0]
        values = {"crawl": crawl, "name": origin, "urls": chosen or None, "lists_urls": bool(chosen)}
        if origin is not None and group_by != GroupBy.ORIGIN:
            failed = run(sql.FAILED_OF_MEMBER, values)
            found = {bytes(url) for url, _ in failed if has_origin(url_text(url), origin)}
            values["urls"] = sorted(found.intersection(chosen) if chosen else found)
            values["name"] = failed[0][1] if failed else None
        number, queued = run(sql.QUEUE_CHOSEN, values)[0]
        left = set(chosen).difference(map(bytes, queued))
        found = (
            {bytes(url) for (url,) in run(sql.FAILED_VISITS, {"crawl": crawl, "urls": sorted(left)})} if left else set()
        )
        return QueuedAgain(
            number,
            [url_text(url) for url in chosen if url in left - found],
            [url_text(url) for url in chosen if url in found],
        )


def _queue_in_file(path: str | os.PathLike[str], origin: str | None, urls: list[bytes]) -> QueuedAgain:
    name = str(check_path("path", path))
    found = kind_of_path(path)
    if found != "is a file":
        raise StoreError(f"{name}: {found or 'does not exist'}: expected the file of a canfetch.Frontier")
    where = "state = 3"
    number = 0
    unknown: list[str] = []
    waiting: list[str] = []
    with closing(FrontierDatabase(path, None)) as database, database.transaction():
        execute = database.connection.execute
        if origin is not None:
            where += f" AND {of_origin(database.connection)}"
        chosen = f"{where} AND url = :url" if urls else where
        # One at a time: a statement has a limited number of values.
        for url in urls or (None,):
            values = {"origin": origin, "url": url, "waiting": Phase.WAITING, "idle": Phase.IDLE}
            # The frontier that opens the file computes when they are due.
            execute(
                "UPDATE origins SET phase = :waiting "  # noqa: S608 - of this function
                f"WHERE phase = :idle AND id IN (SELECT origin FROM urls WHERE {chosen})",
                values,
            )
            queued = execute(
                f"UPDATE urls SET state = 0, attempt = 1, error = NULL WHERE {chosen}",  # noqa: S608 - of this function
                values,
            ).rowcount
            number += queued
            if url is not None and not queued:
                is_waiting = execute("SELECT 1 FROM urls WHERE state = 2 AND ended = 3 AND url = ?", (url,)).fetchone()
                (waiting if is_waiting else unknown).append(url_text(url))
        execute("UPDATE totals SET failed = failed - ?", (number,))
    return QueuedAgain(number, unknown, waiting)
