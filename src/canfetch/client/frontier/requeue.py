"""Failed URLs of a crawl, queued again from outside of it: `queue_failed_urls`."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from typing import Any, Final, NamedTuple

from canfetch.client.frontier import postgres_statements as sql
from canfetch.client.frontier.database import FrontierDatabase, crawl_file_name
from canfetch.client.frontier.grouping import GroupBy, has_origin
from canfetch.client.frontier.postgres_queue import PostgresQueue
from canfetch.client.frontier.queue_values import Phase, stored_url, url_text
from canfetch.client.frontier.report import of_origin
from canfetch.client.frontier.url_identity import clean_url, identify_url
from canfetch.client.private_files import kind_of_path
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidURL, StoreError

# The URLs of an origin that failed, or of its group, also those that wait for their next visit.
_RETRYABLE: Final = (
    "SELECT url FROM urls WHERE (state = 3 OR state = 2 AND ended = 3) AND origin IN ("
    "SELECT id FROM origins WHERE name = :name UNION SELECT origin FROM members WHERE name = :name)"
)


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
        urls: Queue only these URLs, in any spelling with which `Frontier.add` knows them. All if there are none.
    Raises: StoreError: It cannot be written, is in use, or is not a frontier.
    """
    if not isinstance(source, PostgresQueue):
        return _queue_in_file(source, origin, urls)
    with closing(source.connect()) as connection, connection.transaction() as run:
        # Locked first, as by the workers.
        rows = run(
            "SELECT id, group_by FROM canfetch_crawls WHERE name = %(crawl)s FOR UPDATE", {"crawl": source.crawl}
        )
        if not rows:
            raise StoreError(f"{connection.name}: the database has no crawl {quoted(source.crawl)}")
        crawl, group_by = rows[0]
        given = _stored_forms(urls, lambda name: run(sql.RETRYABLE, {"crawl": crawl, "name": name}))
        chosen = list(given)
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
            [given[url] for url in chosen if url in left - found],
            [given[url] for url in chosen if url in found],
        )


def _stored_forms(urls: Sequence[str], failed_of: Callable[[str], Iterable[Sequence[Any]]]) -> dict[bytes, str]:
    """Return given URLs by the spelling with which they were added, or by their own if they have not failed.

    Args: failed_of: Returns rows with the URLs that failed of an origin, or of its group.
    """
    stored: dict[str, bytes] = {url: stored_url(url) for url in urls}
    wanted: dict[str, dict[bytes, list[str]]] = {}
    for url in urls:
        with suppress(InvalidURL):
            _, origin, identity = identify_url(clean_url(url), in_group=True)
            wanted.setdefault(origin, {}).setdefault(identity, []).append(url)
    for origin, identities in wanted.items():
        for (failed,) in failed_of(origin):
            # An older version accepted URLs that are invalid today.
            with suppress(InvalidURL):
                for url in identities.get(identify_url(url_text(failed), in_group=True).identity, ()):
                    stored[url] = bytes(failed)
    given: dict[bytes, str] = {}
    for url, form in stored.items():
        given.setdefault(form, url)
    return given


def _queue_in_file(path: str | os.PathLike[str], origin: str | None, urls: Sequence[str]) -> QueuedAgain:
    name = crawl_file_name(path)
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
        given = _stored_forms(urls, lambda name: execute(_RETRYABLE, {"name": name}))
        chosen = f"{where} AND url = :url" if urls else where
        # One at a time: a statement has a limited number of values.
        for url in given or (None,):
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
                (waiting if is_waiting else unknown).append(given[url])
        execute("UPDATE totals SET failed = failed - ?", (number,))
    return QueuedAgain(number, unknown, waiting)
