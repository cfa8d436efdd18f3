"""Captures in an SQLite file, so that redirects and URLs find theirs, whatever the size and order of the archives.

Each distinct content is stored once, as far as a bounded table of hashes shows it.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from canfetch.access.redirects import REDIRECTS
from canfetch.access.responses import Headers
from canfetch.bulk.archives.captured_pages import CapturedPages
from canfetch.bulk.archives.redirected_hosts import HTTP, HTTPS, leads_to, target_url, with_scheme
from canfetch.bulk.reading.captures import Capture, Fault, is_robots_url
from canfetch.client.sqlite_files import DamagedRow, check_row
from canfetch.core.quoting import quoted
from canfetch.errors import StoreError

_TABLES: Final = """
create table if not exists sources (
    id integer primary key, name text, is_read integer, files integer, left_out integer, example text);
create table if not exists contents (id integer primary key, data blob);
create table if not exists captures (
    id integer primary key, source integer, position integer, owner text, url text, time real, status integer,
    location text, content_type text, content integer, is_file integer);
create table if not exists faults (source integer, position integer, reason text, is_end integer, lost integer);
create index if not exists other_captures on captures (source) where not is_file;
"""
_INDEXES: Final = """
create index if not exists captures_by_url on captures (url, time);
create index if not exists captures_by_owner on captures (owner, time) where is_file;
create index if not exists captures_of_hosts on captures (url, time) where instr(owner, '://') = 0;
"""
_IS_OF_HOST: Final = "instr(owner, '://') = 0"
_SELECT: Final = """
select captures.id, sources.name, position, owner, url, time, status, location, content_type, contents.data
from captures join sources on sources.id = captures.source left join contents on contents.id = captures.content
"""
# Errors of the system, and not of the file.
_SYSTEM_ERRORS: Final = frozenset(
    [
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    ]
)
_PRIMARY_CODE: Final = 0xFF
_ROWS_PER_TRANSACTION: Final = 10_000
# Hashes that are remembered: about 30 MB.
_MAX_HASHES: Final = 200_000
_MAX_HISTORY: Final = 10_000
# The index of owners has this order, so that no other captures are read.
_HISTORY: Final = (
    "select * from (select owner, coalesce(time, -9e999), id from captures where owner = ? and is_file "  # noqa: S608
    f"order by time desc, id desc limit {_MAX_HISTORY})"
)
_HISTORIES: Final = {count: " union all ".join([_HISTORY] * count) for count in (1, 2)}
_LAST_FILES: Final = (
    f"{_SELECT} where captures.id in (select (select id from captures where owner = value and is_file "  # noqa: S608
    "order by time desc, id desc limit 1) from json_each(?))"
)
_CACHE_KIB: Final = 32 << 10
_MAX_EXAMPLE: Final = 200
# The keys of targets come first: each URL is looked up there.
_WANTED_TABLES: Final = """
create table if not exists targets (key integer, source integer, primary key (key, source)) without rowid;
create table if not exists other_urls (source integer, key integer, primary key (source, key)) without rowid;
"""


class StoredCapture(NamedTuple):
    """A capture of the store, with its number."""

    id: int
    capture: Capture


class LeftOut(NamedTuple):
    """The captures of a source that were not needed, because no robots.txt redirects to their URLs.

    Attributes:
        source: The name of the source.
        records: Their number.
        example: The URL of the first one.
        has_files: Whether the source also has captures of robots.txt files.
    """

    source: str
    records: int
    example: str
    has_files: bool


class Missed(NamedTuple):
    """The URLs of a source that redirects lead to, and whose captures were left out before the redirects were read.

    Attributes:
        source: The number of the source.
        name: Its name.
        urls: The number of URLs.
    """

    source: int
    name: str
    urls: int


class WantedURLs:
    """The URLs that redirects lead to, and those that were left out.

    Tables of hashes have both. Where they meet, an archive is read again. A hash that two URLs share only costs time.

    Args: connection: The database. The calls of a source are in one transaction of the caller, or in several.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.executescript(_WANTED_TABLES)

    def begin_source(self, source: int) -> None:
        """Forget what an earlier run found in a source, because it is read from its start."""
        self._connection.execute("delete from targets where source = ?", (source,))
        self.begin_again(source)

    def begin_again(self, source: int) -> None:
        """Forget which URLs of a source were left out, but not where its redirects lead."""
        self._connection.execute("delete from other_urls where source = ?", (source,))

    def wants(self, source: int, url: str) -> bool:
        """Return whether a capture of a source is needed, and remember its URL if it is not."""
        if is_robots_url(url):
            return True
        key = _url_key(url)
        if self._connection.execute("select 1 from targets where key = ?", (key,)).fetchone() is not None:
            return True
        self._connection.execute("insert or ignore into other_urls values (?, ?)", (source, key))
        return False

    def add_target(self, source: int, url: str) -> None:
        """Add a URL that a redirect of a source leads to."""
        if not is_robots_url(url):
            self._connection.execute("insert or ignore into targets values (?, ?)", (_url_key(url), source))

    def missed(self) -> dict[int, int]:
        """Return the sources with URLs that were left out before a redirect to them was read, and their numbers."""
        query = (
            "select source, count(*) from other_urls where key in (select key from targets) "
            "group by source order by source"
        )
        return dict(self._connection.execute(query).fetchall())


def _url_key(url: str) -> int:
    # A URL with http and the same one with https share a hash, because the capture of a host counts for both.
    digest = blake2b(
        url.removeprefix("http").removeprefix("s").encode("utf-8", "surrogatepass"), digest_size=8
    ).digest()
    return int.from_bytes(digest, "big", signed=True)


class CaptureStore:
    """Captures by number, URL and owner. `pages` has those of pages.

    Args:
        path: The SQLite file.
        read_only: Whether the file exists and is only read. Otherwise, it is created if it does not exist.
    Raises: StoreError: The file cannot be opened. The end of a `with` block also raises it in place of an error of
        SQLite: the disk is full, or the file is damaged.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        if path.is_dir():
            raise StoreError(f"cannot write {quoted(str(path))}: is a directory, expected a file: delete it")
        try:
            self._connection = self._open()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # The names in a message of SQLite need not be UTF-8.
            raise self._failure(error) from None
        self._hashes: dict[bytes, int] = {}
        self._pending = 0
        # Of the source that is read.
        self._source = 0
        self._is_again = False
        self._files = 0
        self._left_out = 0
        self._example: str | None = None

    def _open(self) -> sqlite3.Connection:
        if self._read_only:
            reader = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
            # URLs need captures in any order.
            reader.execute(f"pragma cache_size = -{_CACHE_KIB}")
            self.pages = CapturedPages(reader, is_new=False)
            return reader
        connection = sqlite3.connect(self._path, isolation_level=None)
        try:
            # A killed process leaves the last complete transaction.
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = normal")
            connection.executescript(_TABLES)
            self.pages = CapturedPages(connection, is_new=True)
            self._wanted = WantedURLs(connection)
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            connection.close()
            raise
        return connection

    def _failure(self, error: Exception) -> StoreError:
        code = getattr(error, "sqlite_errorcode", None)
        name = quoted(str(self._path))
        if code is not None and code & _PRIMARY_CODE in _SYSTEM_ERRORS:
            return StoreError(f"cannot {'read' if self._read_only else 'write'} {name}: {error}")
        return StoreError(f"{name} is damaged: {error}: pass --restart, or delete the files {quoted(f'{self._path}*')}")

    def begin_source(self, number: int, name: str) -> bool:
        """Start to read a source, and return whether it has to be read. A part of an earlier run is removed."""
        row = self._connection.execute("select is_read from sources where id = ?", (number,)).fetchone()
        if row is not None and row[0]:
            return False
        self._connection.execute("begin")
        if row is not None:
            self._connection.execute("delete from captures where source = ?", (number,))
            self._connection.execute("delete from faults where source = ?", (number,))
        self._connection.execute("insert or replace into sources values (?, ?, 0, 0, 0, null)", (number, name))
        self._wanted.begin_source(number)
        self.pages.begin_source(number)
        self._begin(number, is_again=False)
        return True

    def begin_again(self, number: int) -> None:
        """Start to read a source once more, for the captures that redirects lead to. A killed run changes nothing."""
        self._connection.execute("begin")
        self._connection.execute("delete from captures where source = ? and not is_file", (number,))
        self._connection.execute("delete from faults where source = ?", (number,))
        self._wanted.begin_again(number)
        self._begin(number, is_again=True)

    def _begin(self, number: int, *, is_again: bool) -> None:
        self._source, self._is_again = number, is_again
        self._files, self._left_out, self._example = 0, 0, None

    def finish_source(self, number: int) -> None:
        """Record that a source was read to its end, once or again."""
        self._connection.execute(
            "update sources set is_read = 1, files = ?, left_out = ?, example = ? where id = ?",
            (self._files, self._left_out, self._example, number),
        )
        self._connection.execute("commit")

    def has_read_source(self) -> bool:
        """Return whether a source was read to its end."""
        return self._connection.execute("select 1 from sources where is_read").fetchone() is not None

    def finish(self) -> None:
        """Prepare the store for reading, after the last source."""
        self._connection.executescript(_INDEXES)
        self.pages.finish()
        # A write-ahead log needs shared memory, which readers on other machines do not have.
        self._connection.execute("pragma journal_mode = delete")

    def wants(self, url: str) -> bool:
        """Return whether the capture of a URL is needed: a robots.txt, or what a redirect that was read leads to.

        A capture that is not needed is counted as left out.
        """
        if self._wanted.wants(self._source, url):
            return True
        self._left_out += 1
        self._example = self._example or url[:_MAX_EXAMPLE]
        return False

    def add(self, number: int, item: Capture | Fault) -> None:
        """Add a capture of a source, or a record that is set aside."""
        self._pending += 1
        if self._pending % _ROWS_PER_TRANSACTION == 0 and not self._is_again:
            self._connection.execute("commit")
            self._connection.execute("begin")
        if isinstance(item, Fault):
            row = (number, item.position, item.reason, item.is_end, item.lost)
            self._connection.execute("insert into faults values (?, ?, ?, ?, ?)", row)
            return
        if not self.wants(item.url):
            return
        is_file = is_robots_url(item.url)
        self._files += is_file
        if is_file and self._is_again:
            return
        headers = dict(item.headers)
        if item.status in REDIRECTS:
            item = with_scheme(item)
            target = target_url(item)
            if target is not None:
                self._wanted.add_target(number, target)
        self._connection.execute(
            "insert into captures values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                item.position,
                item.owner,
                item.url,
                item.time,
                item.status,
                headers.get("location"),
                headers.get("content-type"),
                self._store_content(item.content),
                is_file,
            ),
        )

    def _store_content(self, content: bytes) -> int:
        digest = hashlib.sha256(content).digest()[:16]
        number = self._hashes.get(digest)
        if number is None:
            number = self._connection.execute("insert into contents values (null, ?)", (content,)).lastrowid or 0
            if len(self._hashes) >= _MAX_HASHES:
                self._hashes.clear()
            self._hashes[digest] = number
        return number

    def last_id(self) -> int:
        """Return the largest number of a robots.txt capture, or 0."""
        row = self._connection.execute("select id from captures where is_file order by id desc limit 1").fetchone()
        return 0 if row is None else int(row[0])

    def files(self, first: int, last: int) -> Iterator[StoredCapture]:
        """Yield the captures of robots.txt files with these numbers, in their order."""
        query = f"{_SELECT} where captures.id between ? and ? and is_file order by captures.id"
        return map(_stored, self._connection.execute(query, (first, last)))

    def histories(self, *owners: str) -> dict[str, list[tuple[float, int]]]:
        """Return the times and numbers of the robots.txt captures of owners that have some, in order.

        Those without a time come first, at minus infinity. The last 10,000 captures of each owner are returned.

        Cost: O(captures returned).
        """
        found: dict[str, list[tuple[float, int]]] = {}
        for owner, *capture in self._connection.execute(_HISTORIES[len(owners)], owners):
            found.setdefault(owner, []).append(tuple(capture))
        for captures in found.values():
            captures.reverse()
        return found

    def last_files(self, owners: Iterable[str]) -> dict[str, Capture]:
        """Return the last robots.txt capture of each owner that has some. One without a time is before all others.

        Cost: O(owners).
        """
        rows = self._connection.execute(_LAST_FILES, (json.dumps(list(owners)),))
        return {capture.owner: capture for _, capture in map(_stored, rows)}

    def file(self, number: int) -> Capture:
        """Return a capture by its number."""
        return _stored(self._connection.execute(f"{_SELECT} where captures.id = ?", (number,)).fetchone()).capture

    def capture_of(self, url: str, time: float | None, *, is_before: bool = False) -> StoredCapture | None:
        """Return the capture of a URL: the first at or after `time`, or else the last one.

        At the same time, a capture of the origin counts before one of the host, which counts for http and https.

        Args: is_before: Return the last one before `time`.
        """
        find = self._capture_before if is_before else self._capture_of
        found = find(url, time, "url = ?")
        if not url.startswith(HTTP):
            return found
        of_host = find(f"{HTTPS}{url.removeprefix(HTTP)}", time, f"url = ? and {_IS_OF_HOST}")
        # A host that redirects to its own http URL was requested over https.
        if of_host is None or leads_to(of_host.capture, url):
            return found
        return of_host if found is None else min(found, of_host, key=lambda stored: _rank(stored.capture.time, time))

    def _capture_of(self, url: str, time: float | None, condition: str) -> StoredCapture | None:
        if time is not None:
            order = f"time, {_IS_OF_HOST}, source, captures.id"
            query = f"{_SELECT} where {condition} and time >= ? order by {order} limit 1"
            row = self._connection.execute(query, (url, time)).fetchone()
            if row is not None:
                return _stored(row)
        return self._capture_before(url, None, condition)

    def _capture_before(self, url: str, time: float | None, condition: str) -> StoredCapture | None:
        order = f"time desc, {_IS_OF_HOST}, source desc, captures.id desc"
        query = f"{_SELECT} where {condition} and (? is null or time < ?) order by {order} limit 1"
        row = self._connection.execute(query, (url, time, time)).fetchone()
        return None if row is None else _stored(row)

    def count(self) -> int:
        """Return the number of captured robots.txt files."""
        count: int = self._connection.execute("select count(*) from captures where is_file").fetchone()[0]
        return count

    def faults(self) -> Iterator[Fault]:
        """Yield the records that were set aside."""
        query = (
            "select name, position, reason, is_end, lost from faults join sources on sources.id = source "
            "order by source, faults.rowid"
        )
        for name, position, reason, is_end, lost in self._connection.execute(query):
            yield Fault(name, position, reason, bool(is_end), lost)

    def unreadable(self) -> list[str]:
        """Return the names of the sources of which all records were set aside, in their order."""
        query = (
            "select name from sources where left_out = 0 and id in (select source from faults) "
            "and not exists (select 1 from captures where captures.source = sources.id) "
            "and not exists (select 1 from pages where pages.source = sources.id) order by id"
        )
        return [name for (name,) in self._connection.execute(query)]

    def left_out(self) -> list[LeftOut]:
        """Return the sources with captures that were left out, in their order."""
        query = "select name, left_out, example, files > 0 from sources where left_out order by id"
        return [
            LeftOut(name, records, url, bool(files)) for name, records, url, files in self._connection.execute(query)
        ]

    def missed(self) -> list[Missed]:
        """Return the sources that have to be read again, in their order."""
        names = dict(self._connection.execute("select id, name from sources").fetchall())
        return [Missed(number, names[number], urls) for number, urls in self._wanted.missed().items()]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        self.close()
        if isinstance(error, sqlite3.DatabaseError | DamagedRow) and not isinstance(error, sqlite3.ProgrammingError):
            raise self._failure(error) from None


def _rank(captured: float | None, time: float | None) -> tuple[bool, float]:
    """Return the order of captures for `capture_of`: those from a time on, then those before, the last one first."""
    if captured is None:
        return True, inf
    return (False, captured) if time is not None and captured >= time else (True, -captured)


def _stored(row: tuple[Any, ...] | None) -> StoredCapture:
    number, source, position, owner, url, time, status, location, content_type, content = check_row(
        row, int, str, int, str, str, int | float | None, int | None, str | None, str | None, bytes | None
    )
    fields = (("location", location), ("content-type", content_type))
    headers: Headers = tuple([(name, value) for name, value in fields if value is not None])
    return StoredCapture(number, Capture(owner, url, time, status, headers, content or b"", source, position))
