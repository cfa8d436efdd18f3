"""A crawl that is moved between files and databases, as JSON lines: `export_frontier` and `import_frontier`."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from math import inf
from pathlib import Path
from typing import Any, Final

from canfetch.access.retries import MAX_RETRY_AFTER
from canfetch.client.frontier.database import (
    COUNT_ADDED,
    URL_DUE_AT,
    FrontierDatabase,
    crawl_file_name,
    is_in_use,
    shifted,
)
from canfetch.client.frontier.grouping import unresolved_host
from canfetch.client.frontier.postgres_connection import COUNT_ADDED as COUNT_ADDED_IN_DATABASE
from canfetch.client.frontier.postgres_connection import PostgresConnection, fetched
from canfetch.client.frontier.postgres_queue import PostgresQueue
from canfetch.client.frontier.postgres_statements import NOW
from canfetch.client.frontier.queue_values import FrontierCounts, Phase, URLState
from canfetch.client.frontier.report import open_to_read
from canfetch.client.frontier.transfer_lines import (
    BATCH,
    CrawlRows,
    KnownLine,
    LineReader,
    MembersLine,
    OriginLine,
    URLLine,
    crawl_lines,
    second_member,
    second_origin,
    second_url,
)
from canfetch.client.private_files import kind_of_path
from canfetch.client.sqlite_files import check_row, is_on_read_only_system
from canfetch.core.quoting import quoted
from canfetch.errors import StoreError

# Each worker has counts of its own, until it ends.
_UNUSED_CRAWL: Final = f"""
SELECT c.id, c.seen_at, c.group_by, c.done + w.done, c.failed + w.failed, c.skipped + w.skipped, c.refused + w.refused,
    w.alive_until - {NOW}
FROM canfetch_crawls AS c, LATERAL (
    SELECT coalesce(sum(done), 0)::bigint AS done, coalesce(sum(failed), 0)::bigint AS failed,
        coalesce(sum(skipped), 0)::bigint AS skipped, coalesce(sum(refused), 0)::bigint AS refused,
        max(alive_until) AS alive_until
    FROM canfetch_workers WHERE crawl = c.id
) AS w
WHERE c.name = %(crawl)s"""  # noqa: S608 - a constant
# The row of the crawl is locked, so a worker that starts waits until the transaction has ended.
_NEW_CRAWL: Final = f"""
INSERT INTO canfetch_crawls AS c (name, seen_at) VALUES (%(crawl)s, {NOW})
ON CONFLICT (name) DO UPDATE SET name = excluded.name, group_by = 'origin'
RETURNING id, {NOW}, added > 0 OR EXISTS (SELECT 1 FROM canfetch_origins WHERE crawl = c.id),
    EXISTS (SELECT 1 FROM canfetch_workers WHERE crawl = c.id AND alive_until > {NOW})"""  # noqa: S608 - a constant
_ORIGINS: Final = """
INSERT INTO canfetch_origins (crawl, name, last_request_at, retry_at, failures, ready_at, problem)
SELECT %(crawl)s, name, last, retry_at, failures, ready_at, problem
FROM unnest(%(names)s::text[], %(last)s::float8[], %(retry)s::float8[], %(failures)s::integer[], %(ready)s::float8[],
    %(problems)s::text[]) WITH ORDINALITY AS given (name, last, retry_at, failures, ready_at, problem, position)
ORDER BY position ON CONFLICT DO NOTHING RETURNING name, id"""
_KNOWN: Final = """
INSERT INTO canfetch_known (origin, identity) SELECT * FROM unnest(%(origins)s::bigint[], %(identities)s::bytea[])
ON CONFLICT DO NOTHING RETURNING origin, identity"""
_URLS: Final = """
INSERT INTO canfetch_urls
    (origin, crawl, url, state, priority, attempt, due_at, error, depth, metadata, ended, visit, worker)
SELECT origin, %(crawl)s, url, state, priority, attempt, due_at, error, depth, metadata, ended, visit,
    CASE WHEN state = 1 THEN %(left)s::bigint END
FROM unnest(%(origins)s::bigint[], %(urls)s::bytea[], %(states)s::smallint[], %(priorities)s::float8[],
    %(attempts)s::integer[], %(due)s::float8[], %(errors)s::text[], %(depths)s::integer[],
    %(metadata)s::text[], %(ended)s::smallint[], %(visits)s::text[]) WITH ORDINALITY
AS given (origin, url, state, priority, attempt, due_at, error, depth, metadata, ended, visit, position)
ORDER BY position"""
_MEMBERS: Final = """
INSERT INTO canfetch_members (crawl, name, origin, delay)
SELECT %(crawl)s, name, origin, delay FROM unnest(%(names)s::text[], %(origins)s::bigint[], %(delays)s::float8[])
AS given (name, origin, delay) ON CONFLICT DO NOTHING RETURNING name"""
_DELAYED: Final = """
UPDATE canfetch_origins AS o SET delay = found.delay
FROM (SELECT origin, max(delay) AS delay FROM canfetch_members WHERE crawl = %(crawl)s GROUP BY origin) AS found
WHERE o.id = found.origin"""
# URLs that were in flight belong to a worker whose lease has ended, and so do their origins.
_PLACED: Final = """
UPDATE canfetch_origins AS o SET
    state = CASE WHEN x.has_turn THEN 3 ELSE 1 END,
    worker = CASE WHEN x.has_turn THEN %(left)s::bigint END,
    priority = coalesce(x.queued, x.delayed, 0),
    due_at = CASE WHEN x.queued IS NULL THEN greatest(x.delayed_at, o.ready_at) ELSE o.ready_at END
FROM (
    SELECT o.id, queued.priority AS queued, delayed.priority AS delayed, delayed.due_at AS delayed_at,
        o.id IN (
            SELECT origin FROM canfetch_urls
            WHERE crawl = %(crawl)s AND worker = %(left)s::bigint AND state = 1
        ) AS has_turn
    FROM canfetch_origins AS o
    LEFT JOIN LATERAL (
        SELECT priority FROM canfetch_urls WHERE origin = o.id AND state = 0 ORDER BY priority DESC, id LIMIT 1
    ) AS queued ON true
    LEFT JOIN LATERAL (
        SELECT priority, due_at FROM canfetch_urls WHERE origin = o.id AND state = 2 ORDER BY due_at LIMIT 1
    ) AS delayed ON true
    WHERE o.crawl = %(crawl)s
) AS x
WHERE o.id = x.id AND (x.queued IS NOT NULL OR x.delayed IS NOT NULL OR x.has_turn)"""
_COUNTED: Final = f"""
UPDATE canfetch_crawls SET added = %(added)s, done = %(done)s, failed = %(failed)s, skipped = %(skipped)s,
    refused = %(refused)s, group_by = %(group_by)s, seen_at = {NOW} WHERE id = %(crawl)s"""  # noqa: S608 - a constant
_LEFT_WORKER: Final = """
INSERT INTO canfetch_workers (crawl, name, alive_until, reads_sources) VALUES (%(crawl)s, 'imported', 0, false)
RETURNING id"""

_Run = Callable[..., list[tuple[Any, ...]]]


def export_frontier(source: str | os.PathLike[str] | PostgresQueue) -> Iterator[str]:
    """Yield the lines of a crawl that no process uses, for `import_frontier`.

    The crawl does not change, apart from a file of an older version, which is converted. Tables of an older version are
    refused. Nothing can use a file until the last line has been read, unless it is on a read-only file system. A
    database is read as it was at the first line, and a process that starts before the last line makes the export fail.

    Args: source: The file of the crawl, or its database.
    Raises: StoreError: While iterating: it cannot be read, is in use, or is not a frontier.
    Cost: O(n log n) steps of the database and O(1) memory for n URLs.
    """
    return _export_database(source) if isinstance(source, PostgresQueue) else _export_file(source)


def import_frontier(lines: Iterable[str | bytes], target: str | os.PathLike[str] | PostgresQueue) -> FrontierCounts:
    """Write the lines of `export_frontier` to a new file, or to a crawl of a database that has no URL yet.

    After an error, nothing is imported. A crawl that resumes from the target counts the turns that were open as
    attempts.

    Args:
        lines: The lines, for example an open file.
        target: The file of the crawl, or its database. A frontier without URLs is accepted.
    Returns: The number of URLs by what has happened to them.
    Raises: TypeError: `lines` is the name of a file, or not an iterable of lines; StoreError: A line is invalid, the
        lines are not complete, the target cannot be written, is in use, or has URLs already.
    Cost: O(n log n) steps of the database and O(1) memory for n URLs.
    """
    reader = LineReader(lines)
    if isinstance(target, PostgresQueue):
        _write_database(reader, target)
    else:
        _write_file(reader, target)
    return reader.result()


def _export_file(path: str | os.PathLike[str]) -> Iterator[str]:
    name = crawl_file_name(path)
    found = kind_of_path(path)
    if found != "is a file":
        raise StoreError(f"{name}: {found or 'does not exist'}: expected the file of a canfetch.Frontier")
    with _opened(path) as connection:
        execute = connection.execute
        row = execute("SELECT group_by, done, failed, skipped, refused FROM totals").fetchone()
        group_by, *counts = check_row(row, str, int, int, int, int)
        yield from crawl_lines(
            CrawlRows(
                group_by,
                tuple(counts),
                _checked(
                    execute(
                        f"SELECT id, name, {shifted('last_request_at')}, "  # noqa: S608 - its columns
                        # A turn that ended without a wait stores 0, of which older versions made a negative time.
                        f"CASE WHEN retry_at <= 0 THEN NULL ELSE {shifted('retry_at')} END, failures, "
                        f"{shifted('ready_at')}, problem FROM origins ORDER BY id"
                    ),
                    *(int, str, int | float | None, int | float | None, int, int | float, str | None),
                ),
                _checked(
                    execute("SELECT origin, name, delay FROM members ORDER BY origin, name"), int, str, int | float
                ),
                # Sorted in a temporary file of SQLite if there are many.
                _checked(
                    execute(
                        "SELECT origin, url, state, priority, attempt, "  # noqa: S608 - its columns
                        f"{URL_DUE_AT}, error, depth, metadata, "
                        "ended, visit FROM urls ORDER BY origin, id"
                    ),
                    *(int, bytes, int, int | float, int, int | float | None, str | None, int, str | None),
                    *(int | None, str | None),
                ),
                _checked(execute("SELECT origin, identity FROM known ORDER BY origin, identity"), int, bytes),
            ),
            name,
        )


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[sqlite3.Connection]:
    if is_on_read_only_system(path):
        # Without a lock, which could not be created. A crawl can only use the file where it is writable.
        with open_to_read(path) as connection:
            if is_in_use(path):
                raise StoreError(f"{os.fspath(path)}: a crawl uses the file: stop it first")
            yield connection
        return
    # As for a crawl: others are kept out, and a file of an older version is converted.
    with closing(FrontierDatabase(path, None)) as database, database.converted_errors():
        yield database.connection


def _checked(rows: Iterable[tuple[Any, ...]], *types: Any) -> Iterator[tuple[Any, ...]]:
    return (check_row(row, *types) for row in rows)


def _export_database(source: PostgresQueue) -> Iterator[str]:
    with closing(source.connect()) as connection, connection.transaction() as run:
        run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        # The reader of the lines can be slow.
        run("SET LOCAL idle_in_transaction_session_timeout = 0")
        number, last_seen, group_by, *counts = _unused_crawl(connection, run, source.crawl)
        of_crawl = f"FROM canfetch_origins AS o WHERE o.crawl = {int(number)} ORDER BY o.id"
        joined = "FROM canfetch_origins AS o JOIN {} AS t ON t.origin = o.id WHERE o.crawl = {} ORDER BY o.id, t.{}"
        lines = crawl_lines(
            CrawlRows(
                group_by,
                tuple(counts),
                fetched(
                    run,
                    "origins",
                    "SELECT o.id, o.name, o.last_request_at, o.retry_at, o.failures, o.ready_at, o.problem " + of_crawl,
                ),
                fetched(
                    run,
                    "members",
                    "SELECT o.id, t.name, t.delay " + joined.format("canfetch_members", int(number), "name"),
                ),
                fetched(
                    run,
                    "urls",
                    "SELECT o.id, t.url, t.state, t.priority, t.attempt, t.due_at, t.error, t.depth, t.metadata, "
                    "t.ended, t.visit " + joined.format("canfetch_urls", int(number), "id"),
                ),
                fetched(
                    run, "known", "SELECT o.id, t.identity " + joined.format("canfetch_known", int(number), "identity")
                ),
            ),
            connection.name,
        )
        last = next(lines)
        for line in lines:
            yield last
            last = line
        # In another connection, because this one sees the past. The lines are not complete without the last one.
        with closing(source.connect()) as present:
            if _unused_crawl(present, present.run, source.crawl)[1] != last_seen:
                raise StoreError(f"{connection.name}: a worker has used the crawl during the export: export it again")
        yield last


def _unused_crawl(connection: PostgresConnection, run: _Run, crawl: str) -> tuple[Any, ...]:
    """Return the ID of a crawl, when its workers were last seen, its grouping, and its counts.

    Raises: StoreError: It does not exist, or workers use it.
    """
    rows = run(
        _UNUSED_CRAWL,
        {"crawl": crawl},
    )
    if not rows:
        raise StoreError(f"{connection.name}: the database has no crawl {quoted(crawl)}")
    *values, alive_for = rows[0]
    if alive_for is not None and alive_for > 0:
        raise StoreError(
            f"{connection.name}: workers use the crawl {quoted(crawl)}: stop them; the leases of killed ones end in "
            f"{alive_for:.0f} s"
        )
    return tuple(values)


def _write_file(reader: LineReader, path: str | os.PathLike[str]) -> None:
    file = Path(crawl_file_name(path))
    is_new = not file.exists()
    # An empty frontier can have any grouping, because it gets that of the lines. A killed import can leave no tables.
    with closing(FrontierDatabase(path, None, may_create=True)) as database:
        # Another process can have filled it since.
        if database.fetch("SELECT added OR EXISTS (SELECT 1 FROM origins) FROM totals") != (0,):
            raise StoreError(f"{path}: the frontier is not empty: use another file")
        try:
            with database.transaction():
                _insert_lines(reader, database.connection)
        except BaseException:
            if is_new:
                # Its lock is still held. The empty file of the lock stays, because another process can wait for it.
                database.connection.close()
                for end in ("", "-wal", "-shm"):
                    with suppress(OSError):
                        Path(f"{os.path.realpath(path)}{end}").unlink(missing_ok=True)
            raise


def _insert_lines(reader: LineReader, connection: sqlite3.Connection) -> None:
    execute = connection.execute
    origin: int | None = None
    for item in reader.items():
        if isinstance(item, URLLine):
            if (
                item.identity is not None
                and not execute("INSERT OR IGNORE INTO known VALUES (?, ?)", (origin, item.identity)).rowcount
            ):
                raise second_url(item)
            execute(
                "INSERT INTO urls "
                "(origin, url, state, priority, attempt, due_at, error, depth, metadata, ended, visit) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    origin,
                    item.url.encode("utf-8", "surrogatepass"),
                    item.state,
                    item.priority,
                    item.attempts + 1,
                    item.due_at,
                    item.error,
                    item.depth,
                    item.metadata,
                    item.ended,
                    item.visit,
                ),
            )
        elif isinstance(item, MembersLine):
            try:
                connection.executemany(
                    "INSERT INTO members (name, origin, delay) VALUES (?, ?, ?)",
                    ((name, origin, delay) for name, delay in item.members),
                )
            except sqlite3.IntegrityError:
                raise second_member(item) from None
        elif isinstance(item, KnownLine):
            connection.executemany(
                "INSERT OR IGNORE INTO known VALUES (?, ?)", ((origin, identity) for identity in item.identities)
            )
        else:
            try:
                origin = execute(
                    "INSERT INTO origins (name, last_request_at, retry_at, failures, ready_at, problem) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    (*item[1:5], _ready_at(item), item.problem),
                ).lastrowid
            except sqlite3.IntegrityError:
                raise second_origin(item) from None
    totals = {**reader.totals(), "group_by": reader.group_by.value}
    execute(f"UPDATE totals SET {', '.join(f'{name} = :{name}' for name in totals)}", totals)  # noqa: S608 - its columns
    execute(COUNT_ADDED)
    execute("UPDATE origins SET delay = coalesce((SELECT max(delay) FROM members WHERE origin = origins.id), 0)")
    # The frontier that opens the file queues what was in flight.
    execute(
        "UPDATE origins SET in_flight = (SELECT count(*) FROM urls WHERE origin = origins.id AND state = 1) "
        "WHERE id IN (SELECT origin FROM urls WHERE state = 1)"
    )
    queued = "EXISTS (SELECT 1 FROM urls WHERE origin = origins.id AND state = 0)"
    delayed_at = "(SELECT min(due_at) FROM urls WHERE origin = origins.id AND state = 2)"
    execute(
        "UPDATE origins SET phase = CASE WHEN in_flight > 0 THEN ? ELSE ? END, "  # noqa: S608 - as above
        f"due_at = max(ready_at, CASE WHEN {queued} THEN 0 ELSE {delayed_at} END) "
        f"WHERE {queued} OR {delayed_at} IS NOT NULL",
        (Phase.FULL, Phase.WAITING),
    )


def _write_database(reader: LineReader, target: PostgresQueue) -> None:
    with closing(target.connect(creates_tables=True)) as connection, connection.transaction() as run:
        # The lines can come from a slow process.
        run("SET LOCAL idle_in_transaction_session_timeout = 0")
        writer = _DatabaseWriter(run, connection.name, target.crawl)
        for item in reader.items():
            writer.add(item)
        writer.finish(reader)


class _DatabaseWriter:
    """Writes the lines of a crawl to a database, a batch at a time, in one transaction.

    Args:
        run: Runs a statement in the transaction.
        name: The database, for messages.
        crawl: The name of the crawl. A worker that starts waits until the transaction has ended.
    """

    def __init__(self, run: _Run, name: str, crawl: str) -> None:
        self._run = run
        self._origins: list[OriginLine] = []
        self._urls: list[tuple[str, URLLine]] = []
        # By how much the clock of the source was ahead of the server's at the last request to the current origin.
        self._ahead = 0.0
        self._known: list[tuple[str, bytes]] = []
        self._members: list[tuple[str, MembersLine, str, float]] = []
        # The IDs of the origins of this batch, and of the last one before it.
        self._ids: dict[str, int] = {}
        self._current = ""
        self._left: int | None = None
        self._crawl, self._now, is_used, is_alive = run(_NEW_CRAWL, {"crawl": crawl})[0]
        if is_used:
            raise StoreError(f"{name}: the crawl {quoted(crawl)} is not empty: use another name")
        if is_alive:
            raise StoreError(f"{name}: workers use the crawl {quoted(crawl)}: stop them, or use another name")

    def add(self, item: OriginLine | MembersLine | URLLine | KnownLine) -> None:
        """Add a line."""
        if isinstance(item, OriginLine):
            self._current = item.name
            self._ahead = max(0.0, (item.last_request_at or 0.0) - self._now)
            # An origin that was never requested shows no wrong clock. The worker that claims it computes longer delays.
            latest = self._now + MAX_RETRY_AFTER
            self._origins.append(
                item._replace(
                    last_request_at=_earlier(item.last_request_at, self._ahead),
                    retry_at=_earlier(item.retry_at, self._ahead, latest),
                    ready_at=_earlier(item.ready_at, self._ahead, latest),
                )
            )
        elif isinstance(item, URLLine):
            due_at = _earlier(item.due_at, self._ahead) if item.state == URLState.DELAYED else item.due_at
            self._urls.append((self._current, item._replace(due_at=due_at)))
        elif isinstance(item, MembersLine):
            self._members += [(self._current, item, name, delay) for name, delay in item.members]
        else:
            self._known += [(self._current, identity) for identity in item.identities]
        if len(self._origins) + len(self._members) + len(self._urls) + len(self._known) >= BATCH:
            self._flush()

    def finish(self, reader: LineReader) -> None:
        """Write the rest, after the last line."""
        self._flush()
        self._run(_DELAYED, {"crawl": self._crawl})
        self._run(COUNT_ADDED_IN_DATABASE + " WHERE crawl = %(crawl)s", {"crawl": self._crawl})
        self._run(_PLACED, {"crawl": self._crawl, "left": self._left})
        self._run(_COUNTED, {"crawl": self._crawl, "group_by": reader.group_by.value, **reader.totals()})

    def _flush(self) -> None:
        self._write_origins()
        self._write_members()
        self._write_urls()
        if self._known:
            self._run(
                _KNOWN,
                {
                    "origins": [self._ids[origin] for origin, _ in self._known],
                    "identities": [identity for _, identity in self._known],
                },
            )
            self._known.clear()
        self._ids = {name: id_ for name, id_ in self._ids.items() if name == self._current}

    def _write_origins(self) -> None:
        if not self._origins:
            return
        rows = self._run(
            _ORIGINS,
            {
                "crawl": self._crawl,
                "names": [origin.name for origin in self._origins],
                "last": [origin.last_request_at for origin in self._origins],
                "retry": [origin.retry_at for origin in self._origins],
                "failures": [origin.failures for origin in self._origins],
                "ready": list(map(_ready_at, self._origins)),
                "problems": [origin.problem for origin in self._origins],
            },
        )
        new: dict[str, int] = dict(rows)
        for origin in self._origins:
            if origin.name not in new or origin.name in self._ids:
                raise second_origin(origin)
            self._ids[origin.name] = new[origin.name]
        self._origins.clear()

    def _write_members(self) -> None:
        if not self._members:
            return
        rows = self._run(
            _MEMBERS,
            {
                "crawl": self._crawl,
                "names": [name for _, _, name, _ in self._members],
                "origins": [self._ids[group] for group, _, _, _ in self._members],
                "delays": [delay for _, _, _, delay in self._members],
            },
        )
        new = {name for (name,) in rows}
        for _, line, name, _ in self._members:
            if name not in new:
                raise second_member(line)
            new.remove(name)
        self._members.clear()

    def _write_urls(self) -> None:
        if not self._urls:
            return
        origins = [self._ids[origin] for origin, _ in self._urls]
        urls = [url for _, url in self._urls]
        identified = [(id_, url) for id_, url in zip(origins, urls, strict=True) if url.identity is not None]
        new = {
            (origin, bytes(identity))
            for origin, identity in self._run(
                _KNOWN,
                {"origins": [id_ for id_, _ in identified], "identities": [url.identity for _, url in identified]},
            )
        }
        for id_, url in identified:
            assert url.identity is not None
            if (id_, url.identity) not in new:
                raise second_url(url)
            new.remove((id_, url.identity))
        self._run(
            _URLS,
            {
                "crawl": self._crawl,
                "left": self._left_worker() if any(url.state == URLState.IN_FLIGHT for url in urls) else None,
                "origins": origins,
                "urls": [url.url.encode("utf-8", "surrogatepass") for url in urls],
                "states": [int(url.state) for url in urls],
                "priorities": [url.priority for url in urls],
                "attempts": [url.attempts + 1 for url in urls],
                "due": [url.due_at for url in urls],
                "errors": [url.error for url in urls],
                "depths": [url.depth for url in urls],
                "metadata": [url.metadata for url in urls],
                "ended": [None if url.ended is None else int(url.ended) for url in urls],
                "visits": [url.visit for url in urls],
            },
        )
        self._urls.clear()

    def _left_worker(self) -> int:
        """Return the ID of a worker that has died, from which the first process takes its turns over."""
        if self._left is None:
            self._left = int(self._run(_LEFT_WORKER, {"crawl": self._crawl})[0][0])
        return self._left


def _ready_at(origin: OriginLine) -> float:
    """Return when an origin may be requested. Also its robots.txt is not requested during a Retry-After.

    A host without a known address is looked up meanwhile, so that the group that it joins waits, too.
    """
    retry_at = origin.retry_at if unresolved_host(origin.name) is None else None
    return max(origin.ready_at or 0.0, retry_at or 0.0)


def _earlier(at: float | None, by: float, latest: float = inf) -> float | None:
    return None if at is None else min(at - by, latest)
