"""A crawl as JSON lines, to move it between files and databases: `export_frontier` and `import_frontier`.

    {"format": "canfetch frontier 1", "done": 1, "failed": 0, "skipped": 1, "refused": 0}
    {"origin": "https://a.example", "last_request_at": 1764218000.5, "retry_at": null, "failures": 0}
    {"url": "https://a.example/1", "state": "queued", "priority": 0.0, "attempts": 1, "due_at": null, "error": null,
     "depth": 0, "metadata": null}
    {"known": ["0f3a...", ...]}
    {"end": true, "origins": 1, "urls": 1, "known": 3}

The lines of an origin follow it. `known` has the identities of all its URLs, finished ones too, which keep them from
being added again. Rows are read in the order of their origins, so memory grows with nothing.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple

from canfetch.access.retries import MAX_RETRY_AFTER
from canfetch.client.argument_checks import check_path
from canfetch.client.frontier.database import FrontierDatabase, damage_error
from canfetch.client.frontier.grouping import check_grouping
from canfetch.client.frontier.postgres_connection import PostgresConnection, fetched
from canfetch.client.frontier.postgres_queue import PostgresQueue
from canfetch.client.frontier.postgres_statements import NOW
from canfetch.client.frontier.url_identity import DIGEST_BYTES, clean_url, identify_url
from canfetch.client.frontier.url_queue import FrontierCounts, Phase, URLState, url_text
from canfetch.client.frontier.validation import metadata_json
from canfetch.client.private_files import kind_of_path
from canfetch.client.sqlite_files import check_row
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import InvalidOption, InvalidURL, StoreError

FORMAT: Final = "canfetch frontier 1"
# The number of rows that are read or written at once, and of identities in a line.
_BATCH: Final = 1000
_COUNTS: Final = ("done", "failed", "skipped", "refused")
_STATES: Final = {state: state.name.lower() for state in URLState}
_STATE_OF_NAME: Final = {name: state for state, name in _STATES.items()}
# States in which `due_at` has a meaning: when the URL is tried again, or when it failed.
_TIMED: Final = (URLState.DELAYED, URLState.FAILED)
_MAX_COUNT: Final = 2**53
_MAX_INTEGER: Final = 2**31 - 1
# The end of the year 9999, which is the last that a time can be printed for.
_MAX_TIME: Final = 253_402_300_799.0
# Above the longest line that an export has: a URL of 64 KiB whose bytes are escaped.
MAX_LINE_BYTES: Final = 1 << 20

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
INSERT INTO canfetch_origins (crawl, name, last_request_at, retry_at, failures)
SELECT %(crawl)s, name, last, retry_at, failures
FROM unnest(%(names)s::text[], %(last)s::float8[], %(retry)s::float8[], %(failures)s::integer[]) WITH ORDINALITY
AS given (name, last, retry_at, failures, position) ORDER BY position ON CONFLICT DO NOTHING RETURNING name, id"""
_KNOWN: Final = """
INSERT INTO canfetch_known (origin, identity) SELECT * FROM unnest(%(origins)s::bigint[], %(identities)s::bytea[])
ON CONFLICT DO NOTHING RETURNING origin, identity"""
_URLS: Final = """
INSERT INTO canfetch_urls (origin, crawl, url, state, priority, attempt, due_at, error, depth, metadata, worker)
SELECT origin, %(crawl)s, url, state, priority, attempt, due_at, error, depth, metadata,
    CASE WHEN state = 1 THEN %(left)s::bigint END
FROM unnest(%(origins)s::bigint[], %(urls)s::bytea[], %(states)s::smallint[], %(priorities)s::float8[],
    %(attempts)s::integer[], %(due)s::float8[], %(errors)s::text[], %(depths)s::integer[],
    %(metadata)s::text[]) WITH ORDINALITY
AS given (origin, url, state, priority, attempt, due_at, error, depth, metadata, position) ORDER BY position"""
# URLs that were in flight belong to a worker whose lease has ended, and so do their origins.
_PLACED: Final = """
UPDATE canfetch_origins AS o SET
    state = CASE WHEN x.has_turn THEN 3 ELSE 1 END,
    worker = CASE WHEN x.has_turn THEN %(left)s::bigint END,
    priority = coalesce(x.queued, x.delayed, 0),
    due_at = CASE WHEN x.queued IS NULL THEN coalesce(x.delayed_at, 0) ELSE 0 END
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
    refused = %(refused)s, seen_at = {NOW} WHERE id = %(crawl)s"""  # noqa: S608 - a constant
_LEFT_WORKER: Final = """
INSERT INTO canfetch_workers (crawl, name, alive_until, reads_sources) VALUES (%(crawl)s, 'imported', 0, false)
RETURNING id"""

_Run = Callable[..., list[tuple[Any, ...]]]


class InvalidExport(StoreError):
    """Raised for lines that are not those of an export. The message begins with the number of the line."""


class _OriginLine(NamedTuple):
    line: int
    name: str
    last_request_at: float | None
    retry_at: float | None
    failures: int


class _URLLine(NamedTuple):
    """A URL. Its identity is None if an older version accepted it, or its origin, and this one does not."""

    line: int
    url: str
    identity: bytes | None
    state: URLState
    priority: float
    attempts: int
    due_at: float | None
    error: str | None
    depth: int
    metadata: str | None


class _KnownLine(NamedTuple):
    line: int
    identities: list[bytes]


class _Source(NamedTuple):
    """The rows of a crawl, each table in the order of its origins, whose IDs are the first values."""

    counts: tuple[int, ...]
    origins: Iterator[tuple[Any, ...]]
    urls: Iterator[tuple[Any, ...]]
    known: Iterator[tuple[Any, ...]]


def export_frontier(source: str | os.PathLike[str] | PostgresQueue) -> Iterator[str]:
    """Yield the lines of a crawl that no process uses, for `import_frontier`.

    The crawl does not change, apart from a file of an older version, which is converted. Nothing can use a file until
    the last line has been read. A database is read as it was at the first line, and a process that starts before the
    last line makes the export fail.

    Args: source: The file of the crawl, or its database.
    Raises: StoreError: While iterating: it cannot be read, is in use, is not a frontier, or does not group by origin.
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
    Raises: StoreError: A line is invalid, the lines are not complete, the target cannot be written, is in use, or has
        URLs already.
    Cost: O(n log n) steps of the database and O(1) memory for n URLs.
    """
    reader = _Reader(lines)
    if isinstance(target, PostgresQueue):
        _write_database(reader, target)
    else:
        _write_file(reader, target)
    return reader.result()


def _export_file(path: str | os.PathLike[str]) -> Iterator[str]:
    name = str(check_path("path", path))
    found = kind_of_path(path)
    if found != "is a file":
        raise StoreError(f"{name}: {found or 'does not exist'}: expected the file of a canfetch.Frontier")
    # As for a crawl: others are kept out, and a file of an older version is converted.
    with closing(FrontierDatabase(path, None)) as database, database.converted_errors():
        execute = database.connection.execute
        (group_by,) = check_row(execute("SELECT group_by FROM totals").fetchone(), str)
        check_grouping(name, group_by)
        row = execute("SELECT done, failed, skipped, refused FROM totals").fetchone()
        yield from _lines(
            _Source(
                check_row(row, int, int, int, int),
                _checked(
                    execute("SELECT id, name, last_request_at, retry_at, failures FROM origins ORDER BY id"),
                    *(int, str, int | float | None, int | float | None, int),
                ),
                # Sorted in a temporary file of SQLite if there are many.
                _checked(
                    execute(
                        "SELECT origin, url, state, priority, attempt, due_at, error, depth, metadata FROM urls "
                        "ORDER BY origin, id"
                    ),
                    *(int, bytes, int, int | float, int, int | float | None, str | None, int, str | None),
                ),
                _checked(execute("SELECT origin, identity FROM known ORDER BY origin, identity"), int, bytes),
            ),
            name,
        )


def _checked(rows: Iterable[tuple[Any, ...]], *types: Any) -> Iterator[tuple[Any, ...]]:
    return (check_row(row, *types) for row in rows)


def _export_database(source: PostgresQueue) -> Iterator[str]:
    with closing(source.connect()) as connection, connection.transaction() as run:
        run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        # The reader of the lines can be slow.
        run("SET LOCAL idle_in_transaction_session_timeout = 0")
        number, last_seen, group_by, *counts = _unused_crawl(connection, run, source.crawl)
        check_grouping(connection.name, group_by)
        of_crawl = f"FROM canfetch_origins AS o WHERE o.crawl = {int(number)} ORDER BY o.id"
        joined = "FROM canfetch_origins AS o JOIN {} AS t ON t.origin = o.id WHERE o.crawl = {} ORDER BY o.id, t.{}"
        lines = _lines(
            _Source(
                tuple(counts),
                fetched(run, "origins", f"SELECT o.id, o.name, o.last_request_at, o.retry_at, o.failures {of_crawl}"),
                fetched(
                    run,
                    "urls",
                    "SELECT o.id, t.url, t.state, t.priority, t.attempt, t.due_at, t.error, t.depth, t.metadata "
                    + joined.format("canfetch_urls", int(number), "id"),
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


class _Rows:
    """The rows of a table in the order of their origins.

    Args: rows: Rows that begin with the ID of their origin.
    """

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._rows = rows
        self.next = next(rows, None)
        self.number = 0

    def of(self, origin: int) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of an origin without its ID. Those of all origins before it have been read."""
        while self.next is not None and self.next[0] == origin:
            row = self.next[1:]
            self.next = next(self._rows, None)
            self.number += 1
            yield row


def _lines(source: _Source, name: str) -> Iterator[str]:
    yield _line({"format": FORMAT, **dict(zip(_COUNTS, source.counts, strict=True))})
    urls, known = _Rows(source.urls), _Rows(source.known)
    origins = 0
    for number, origin, last_request_at, retry_at, failures in source.origins:
        origins += 1
        yield _line({"origin": origin, "last_request_at": last_request_at, "retry_at": retry_at, "failures": failures})
        for url, state, priority, attempt, due_at, error, depth, metadata in urls.of(number):
            try:
                name_of_state = _STATES[URLState(state)]
                given = None if metadata is None else json.loads(metadata)
            except ValueError as error_of_row:
                raise damage_error(name, error_of_row) from None
            yield _line(
                {
                    "url": url_text(url),
                    "state": name_of_state,
                    "priority": priority,
                    "attempts": attempt - 1,
                    "due_at": due_at if state in _TIMED else None,
                    "error": error,
                    "depth": depth,
                    "metadata": given,
                }
            )
        identities = (bytes(identity).hex() for (identity,) in known.of(number))
        while batch := list(islice(identities, _BATCH)):
            yield _line({"known": batch})
    for rows in (urls, known):
        if rows.next is not None:
            raise damage_error(name, ValueError(f"rows of an unknown origin {rows.next[0]}"))
    yield _line({"end": True, "origins": origins, "urls": urls.number, "known": known.number})


def _line(value: dict[str, Any]) -> str:
    # URLs can contain lone surrogates, which only escapes can express.
    return json.dumps(value, allow_nan=False) + "\n"


class _Reader:
    """Reads lines in their order, and checks them."""

    def __init__(self, lines: Iterable[str | bytes]) -> None:
        self._lines = enumerate(lines, 1)
        self._number = 0
        self._states = dict.fromkeys(URLState, 0)
        header = next(self._values(), {})
        if header.get("format") != FORMAT:
            raise InvalidExport(f"line 1: expected the format {FORMAT!r}, which `canfetch frontier export` writes")
        self._keys(header, "format", *_COUNTS)
        self._counts = {name: self._count(header, name, _MAX_COUNT) for name in _COUNTS}

    def items(self) -> Iterator[_OriginLine | _URLLine | _KnownLine]:
        """Yield the origins, each with its URLs and then its identities after it."""
        origin: str | None = None
        found = {"origins": 0, "urls": 0, "known": 0}
        has_known = False
        for value in self._values():
            if "end" in value:
                self._end(value, found)
                return
            if "origin" in value:
                item: _OriginLine | _URLLine | _KnownLine = self._origin(value)
                assert isinstance(item, _OriginLine)
                origin = item.name
                has_known = False
                found["origins"] += 1
            elif origin is None:
                raise self._error("expected an origin first")
            elif "known" in value:
                item = self._known(value)
                has_known = True
                found["known"] += len(item.identities)
            elif has_known:
                raise self._error("expected the URLs of an origin before its known identities")
            else:
                item = self._url(value, origin)
                self._states[item.state] += 1
                found["urls"] += 1
            yield item
        raise InvalidExport(f"line {self._number + 1}: the export is cut off: expected a line with the key 'end'")

    def result(self) -> FrontierCounts:
        """Return the counts, after all lines have been read."""
        states = self._states
        return FrontierCounts(
            states[URLState.QUEUED] + states[URLState.DELAYED], states[URLState.IN_FLIGHT], **self._counts
        )

    def totals(self) -> dict[str, int]:
        """Return the counts that queues store, after all lines have been read."""
        return {"added": sum(self.result()) - self._counts["refused"], **self._counts}

    def _values(self) -> Iterator[dict[str, Any]]:
        for number, line in self._lines:
            self._number = number
            if len(line) > MAX_LINE_BYTES:
                raise self._error(f"longer than {MAX_LINE_BYTES} bytes")
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                raise self._error("invalid JSON") from None
            if not isinstance(value, dict):
                raise self._error("expected a JSON object")
            yield value

    def _end(self, value: dict[str, Any], found: dict[str, int]) -> None:
        self._keys(value, "end", *found)
        for name, number in found.items():
            if self._count(value, name, _MAX_COUNT) != number:
                raise self._error(f"the number of {name} is {value[name]}, but the lines have {number}")
        if self._counts["failed"] < self._states[URLState.FAILED]:
            raise self._error(f"line 1 has {self._counts['failed']} failed URLs, but there are more lines with one")
        for _ in self._lines:
            self._number += 1
            raise self._error("expected nothing after the line with the key 'end'")

    def _origin(self, value: dict[str, Any]) -> _OriginLine:
        self._keys(value, "origin", "last_request_at", "retry_at", "failures")
        name = value["origin"]
        if not isinstance(name, str) or not name.isprintable() or (_valid_origin(name) or name) != name:
            raise self._error(f"invalid origin {quoted(name)}: expected one such as 'https://example.com'")
        return _OriginLine(
            self._number,
            name,
            self._time(value, "last_request_at"),
            self._time(value, "retry_at"),
            self._count(value, "failures", _MAX_INTEGER),
        )

    def _known(self, value: dict[str, Any]) -> _KnownLine:
        self._keys(value, "known")
        try:
            identities = [bytes.fromhex(identity) for identity in value["known"]]
        except (TypeError, ValueError):
            identities = [b""]
        if any(len(identity) != DIGEST_BYTES for identity in identities):
            raise self._error(
                f"invalid known identities: expected a list of {2 * DIGEST_BYTES} hexadecimal digits each"
            )
        return _KnownLine(self._number, identities)

    def _url(self, value: dict[str, Any], origin: str) -> _URLLine:
        self._keys(value, "url", "state", "priority", "attempts", "due_at", "error", "depth", "metadata")
        url, state, error = value["url"], value["state"], value["error"]
        if not isinstance(url, str):
            raise self._error(f"invalid URL {quoted(url)}: expected a string")
        if not isinstance(state, str) or state not in _STATE_OF_NAME:
            raise self._error(f"invalid state {quoted(state)}: expected {', '.join(_STATE_OF_NAME)}")
        if not isinstance(error, str | None):
            raise self._error(f"invalid error {quoted(error)}: expected a string or null")
        due_at = self._time(value, "due_at")
        if (due_at is not None) != (_STATE_OF_NAME[state] in _TIMED):
            raise self._error(f"invalid due_at {quoted(due_at)} of a URL that is {state}")
        return _URLLine(
            self._number,
            url,
            self._identity(url, origin),
            _STATE_OF_NAME[state],
            self._finite(value, "priority"),
            self._count(value, "attempts", _MAX_INTEGER - 1),
            due_at,
            None if error is None else printable_text(error),
            self._count(value, "depth", _MAX_INTEGER),
            self._metadata(value),
        )

    def _metadata(self, value: dict[str, Any]) -> str | None:
        try:
            return metadata_json(value["metadata"])
        except InvalidOption as error:
            raise self._error(str(error)) from None

    def _identity(self, url: str, origin: str) -> bytes | None:
        """Return the identity of a URL. A URL of another origin would be requested without the delay of its own."""
        if clean_url(url) != url:
            raise self._error(f"invalid URL {quoted(url)}: expected no white space around it, and no line ends")
        try:
            identified = identify_url(url)
        except InvalidURL:
            # This version skips it, if it is not that of another origin.
            if _valid_origin(origin) is None or _valid_origin(url) in {origin, None}:
                return None
            raise self._error(f"the URL {quoted(url)} does not belong to the origin {quoted(origin)}") from None
        if identified.origin != origin:
            if _valid_origin(origin) is None:
                return None
            raise self._error(f"the URL {quoted(url)} does not belong to the origin {quoted(origin)}")
        return identified.identity

    def _keys(self, value: dict[str, Any], *names: str) -> None:
        if value.keys() != set(names):
            unknown, missing = value.keys() - set(names), set(names) - value.keys()
            problem = f"unknown key {quoted(min(unknown))}" if unknown else f"missing key {quoted(min(missing))}"
            raise self._error(f"{problem}: expected {', '.join(names)}")

    def _count(self, value: dict[str, Any], name: str, most: int) -> int:
        found = value[name]
        if type(found) is not int or not 0 <= found <= most:
            raise self._error(f"invalid {name} {quoted(found)}: expected a whole number from 0 to {most}")
        return found

    def _finite(self, value: dict[str, Any], name: str) -> float:
        found = value[name]
        with suppress(OverflowError):
            if isinstance(found, int | float) and not isinstance(found, bool) and isfinite(found):
                return float(found)
        raise self._error(f"invalid {name} {quoted(found)}: expected a finite number")

    def _time(self, value: dict[str, Any], name: str) -> float | None:
        if value[name] is None:
            return None
        found = self._finite(value, name)
        if not 0 <= found <= _MAX_TIME:
            raise self._error(f"invalid {name} {found}: expected seconds since the epoch, or null")
        return found

    def _error(self, problem: str) -> InvalidExport:
        return InvalidExport(f"line {self._number}: {problem}")


def _valid_origin(name: str) -> str | None:
    """Return an origin as this version writes it, or None. The crawl skips the URLs of invalid ones."""
    try:
        return str(Origin.from_url(name))
    except InvalidURL:
        return None


def _second_origin(origin: _OriginLine) -> InvalidExport:
    return InvalidExport(f"line {origin.line}: the origin {quoted(origin.name)} has lines already")


def _second_url(url: _URLLine) -> InvalidExport:
    return InvalidExport(f"line {url.line}: the URL {quoted(url.url)} has a line already")


def _write_file(reader: _Reader, path: str | os.PathLike[str]) -> None:
    is_new = not Path(check_path("path", path)).exists()
    with closing(FrontierDatabase(path)) as database:
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


def _insert_lines(reader: _Reader, connection: sqlite3.Connection) -> None:
    execute = connection.execute
    origin: int | None = None
    for item in reader.items():
        if isinstance(item, _URLLine):
            if (
                item.identity is not None
                and not execute("INSERT OR IGNORE INTO known VALUES (?, ?)", (origin, item.identity)).rowcount
            ):
                raise _second_url(item)
            execute(
                "INSERT INTO urls (origin, url, state, priority, attempt, due_at, error, depth, metadata) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
                ),
            )
        elif isinstance(item, _KnownLine):
            connection.executemany(
                "INSERT OR IGNORE INTO known VALUES (?, ?)", ((origin, identity) for identity in item.identities)
            )
        else:
            try:
                origin = execute(
                    "INSERT INTO origins (name, last_request_at, retry_at, failures) VALUES (?, ?, ?, ?)", item[1:]
                ).lastrowid
            except sqlite3.IntegrityError:
                raise _second_origin(item) from None
    totals = reader.totals()
    execute(f"UPDATE totals SET {', '.join(f'{name} = :{name}' for name in totals)}", totals)  # noqa: S608 - its columns
    # The frontier that opens the file computes when they are due, and queues what was in flight.
    execute(
        "UPDATE origins SET in_flight = (SELECT count(*) FROM urls WHERE origin = origins.id AND state = 1) "
        "WHERE id IN (SELECT origin FROM urls WHERE state = 1)"
    )
    execute(
        "UPDATE origins SET phase = ? WHERE EXISTS (SELECT 1 FROM urls WHERE origin = origins.id AND state = 0) "
        "OR EXISTS (SELECT 1 FROM urls WHERE origin = origins.id AND state = 2)",
        (Phase.WAITING,),
    )


def _write_database(reader: _Reader, target: PostgresQueue) -> None:
    with closing(target.connect()) as connection, connection.transaction() as run:
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
        self._origins: list[_OriginLine] = []
        self._urls: list[tuple[str, _URLLine]] = []
        # By how much the clock of the source was ahead of the server's at the last request to the current origin.
        self._ahead = 0.0
        self._known: list[tuple[str, bytes]] = []
        # The IDs of the origins of this batch, and of the last one before it.
        self._ids: dict[str, int] = {}
        self._current = ""
        self._left: int | None = None
        self._crawl, self._now, is_used, is_alive = run(_NEW_CRAWL, {"crawl": crawl})[0]
        if is_used:
            raise StoreError(f"{name}: the crawl {quoted(crawl)} is not empty: use another name")
        if is_alive:
            raise StoreError(f"{name}: workers use the crawl {quoted(crawl)}: stop them, or use another name")

    def add(self, item: _OriginLine | _URLLine | _KnownLine) -> None:
        """Add a line."""
        if isinstance(item, _OriginLine):
            self._current = item.name
            self._ahead = max(0.0, (item.last_request_at or 0.0) - self._now)
            retry_at = _earlier(item.retry_at, self._ahead)
            self._origins.append(
                item._replace(
                    last_request_at=_earlier(item.last_request_at, self._ahead),
                    retry_at=None if retry_at is None else min(retry_at, self._now + MAX_RETRY_AFTER),
                )
            )
        elif isinstance(item, _URLLine):
            due_at = _earlier(item.due_at, self._ahead) if item.state == URLState.DELAYED else item.due_at
            self._urls.append((self._current, item._replace(due_at=due_at)))
        else:
            self._known += [(self._current, identity) for identity in item.identities]
        if len(self._origins) + len(self._urls) + len(self._known) >= _BATCH:
            self._flush()

    def finish(self, reader: _Reader) -> None:
        """Write the rest, after the last line."""
        self._flush()
        self._run(_PLACED, {"crawl": self._crawl, "left": self._left})
        self._run(_COUNTED, {"crawl": self._crawl, **reader.totals()})

    def _flush(self) -> None:
        self._write_origins()
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
            },
        )
        new: dict[str, int] = dict(rows)
        for origin in self._origins:
            if origin.name not in new or origin.name in self._ids:
                raise _second_origin(origin)
            self._ids[origin.name] = new[origin.name]
        self._origins.clear()

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
                raise _second_url(url)
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
            },
        )
        self._urls.clear()

    def _left_worker(self) -> int:
        """Return the ID of a worker that has died, from which the first process takes its turns over."""
        if self._left is None:
            self._left = int(self._run(_LEFT_WORKER, {"crawl": self._crawl})[0][0])
        return self._left


def _earlier(at: float | None, by: float) -> float | None:
    return None if at is None else at - by
