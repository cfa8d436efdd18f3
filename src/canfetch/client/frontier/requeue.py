"""Failed URLs of a crawl, queued again from outside of it: `queue_failed_urls`."""

import os
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from canfetch.client.argument_checks import check_path
from canfetch.client.frontier import postgres_statements as sql
from canfetch.client.frontier.database import FrontierDatabase
from canfetch.client.frontier.grouping import check_grouping
from canfetch.client.frontier.postgres_queue import PostgresQueue
from canfetch.client.frontier.url_queue import Phase
from canfetch.client.private_files import kind_of_path
from canfetch.client.sqlite_files import check_row
from canfetch.core.quoting import quoted
from canfetch.errors import StoreError


def queue_failed_urls(
    source: str | os.PathLike[str] | PostgresQueue, *, origin: str | None = None, urls: Sequence[str] = ()
) -> int:
    """Queue failed URLs again, with all their attempts, and return their number.

    Workers can use the database. A file must not be in use: there, `Frontier.retry_failed` does the same.

    Args:
        source: The file of the crawl, or its database.
        origin: Queue only URLs of this origin.
        urls: Queue only these URLs, written as they were added. All if there are none.
    Raises: StoreError: It cannot be written, is in use, or is not a frontier.
    """
    chosen = [url.encode("utf-8", "surrogatepass") for url in urls]
    if not isinstance(source, PostgresQueue):
        return _queue_in_file(source, origin, chosen)
    with closing(source.connect()) as connection, connection.transaction() as run:
        # Locked first, as by the workers.
        rows = run(
            "SELECT id, group_by FROM canfetch_crawls WHERE name = %(crawl)s FOR UPDATE", {"crawl": source.crawl}
        )
        if not rows:
            raise StoreError(f"{connection.name}: the database has no crawl {quoted(source.crawl)}")
        if origin is not None:
            check_grouping(connection.name, rows[0][1])
        return int(run(sql.QUEUE_CHOSEN, {"crawl": rows[0][0], "name": origin, "urls": chosen or None})[0][0])


def _queue_in_file(path: str | os.PathLike[str], origin: str | None, urls: list[bytes]) -> int:
    name = str(check_path("path", path))
    found = kind_of_path(path)
    if found != "is a file":
        raise StoreError(f"{name}: {found or 'does not exist'}: expected the file of a canfetch.Frontier")
    where = "state = 3"
    values: list[Any] = []
    if origin is not None:
        where += " AND origin = (SELECT id FROM origins WHERE name = ?)"
        values.append(origin)
    number = 0
    with closing(FrontierDatabase(path, None)) as database, database.transaction():
        execute = database.connection.execute
        if origin is not None:
            (group_by,) = check_row(execute("SELECT group_by FROM totals").fetchone(), str)
            check_grouping(name, group_by)
        # One at a time: a statement has a limited number of values.
        for more in [[url] for url in urls] or [[]]:
            chosen = f"{where} AND url = ?" if more else where
            # The frontier that opens the file computes when they are due.
            execute(
                f"UPDATE origins SET phase = ? WHERE phase = ? AND id IN (SELECT origin FROM urls WHERE {chosen})",  # noqa: S608
                (Phase.WAITING, Phase.IDLE, *values, *more),
            )
            number += execute(
                f"UPDATE urls SET state = 0, attempt = 1, error = NULL WHERE {chosen}",  # noqa: S608 - of this function
                (*values, *more),
            ).rowcount
        execute("UPDATE totals SET failed = failed - ?", (number,))
    return number
