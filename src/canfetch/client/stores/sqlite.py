"""A store in one SQLite file: safe for many threads and processes, and for a process that is killed.

What `put` has returned for is on the disk: the write-ahead log is synchronised with every entry. Leases are not
worth that.
"""

import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final
from weakref import WeakSet

from canfetch.access.entries import CacheEntry
from canfetch.errors import CorruptEntry, StoreError

_SCHEMA_VERSION: Final = 1
# The longest that anybody waits for the file, with the wait for those of the same process: far less than a fetch takes.
_BUSY_SECONDS: Final = 5.0
_QUEUED_SECONDS: Final = 0.05
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS entries (origin TEXT PRIMARY KEY, entry TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS leases (origin TEXT PRIMARY KEY, holder TEXT NOT NULL, until_seconds REAL NOT NULL)
    WITHOUT ROWID;
"""


def default_path(platform: str = sys.platform) -> Path:
    """Give the store's place in the user's cache folder, by the habits of the platform."""
    if platform == "darwin":
        folder = Path.home() / "Library" / "Caches"
    elif platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return folder / "canfetch" / "robots.sqlite3"


# SQLite counts a process's locks by file, and would count the parent's in its child; so no file is open over a fork.
_STORES: Final["WeakSet[SQLiteStore]"] = WeakSet()
_FORKING: Final = threading.local()
_UNTOUCHABLE: Final[list[object]] = []


class SQLiteStore:
    """Keeps entries in one file.

    Args:
        path: the file, made with its folder where it is not there.
        clock: seconds since the epoch, by which leases end; all processes must agree on it.
    Raises: StoreError: the file cannot be made, opened or read as a store.
    """

    def __init__(self, path: str | os.PathLike[str], *, clock: Callable[[], float] = time.time) -> None:
        self.path = Path(path)
        self._clock = clock
        self._lock = threading.Lock()
        # Why it is of no use any more.
        self._ended: str | None = None
        # None while a process forks, and until it is asked for again in either.
        self._connection: sqlite3.Connection | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unopened(error) from None
        with self._connected():
            pass
        _STORES.add(self)

    def get(self, key: str) -> CacheEntry | None:
        """Give the entry of that key, or None.

        Raises: StoreError; CorruptEntry: what is kept is no entry.
        """
        with self._connected() as connection:
            row = connection.execute("SELECT entry FROM entries WHERE origin = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return CacheEntry.from_json(row[0])
        except CorruptEntry as error:
            raise CorruptEntry(f"{self.path}: {error}") from None

    def put(self, entry: CacheEntry) -> None:
        """Keep an entry in place of its key's last; when this returns, it is on the disk.

        Raises: StoreError.
        """
        text = entry.to_json()
        with self._connected() as connection:
            connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", (entry.key, text))

    def delete(self, key: str) -> bool:
        """Forget an entry; say whether it was known."""
        with self._connected() as connection:
            return connection.execute("DELETE FROM entries WHERE origin = ?", (key,)).rowcount > 0

    def keys(self) -> Iterator[str]:
        """Yield the keys known, sorted."""
        with self._connected() as connection:
            rows = connection.execute("SELECT origin FROM entries ORDER BY origin").fetchall()
        yield from (row[0] for row in rows)

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        """Take the right to fetch for a key, for so many seconds; False while another holder has it."""
        now = self._clock()
        with self._connected() as connection, _without_the_disk(connection):
            taken = connection.execute(
                "INSERT INTO leases VALUES (?, ?, ?) ON CONFLICT (origin) DO UPDATE SET holder = excluded.holder, "
                "until_seconds = excluded.until_seconds WHERE until_seconds <= ? OR holder = excluded.holder",
                (key, holder, now + seconds, now),
            )
            return taken.rowcount > 0

    def release_lease(self, key: str, *, holder: str) -> None:
        """Give the right back, if `holder` still has it."""
        with self._connected() as connection, _without_the_disk(connection):
            connection.execute("DELETE FROM leases WHERE origin = ? AND holder = ?", (key, holder))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._ended = "Cannot operate on a closed database"
            self._disconnect()

    def before_fork(self) -> bool:
        """Close the file, since neither SQLite nor its locks outlive a fork; say whether nobody holds it up.

        Whoever comes then waits until the fork is done.
        """
        if not self._lock.acquire(timeout=_BUSY_SECONDS):
            return False
        with suppress(sqlite3.Error):
            self._disconnect()
        return True

    def after_fork(self, *, in_child: bool, was_ready: bool) -> None:
        """Let the file be opened again, in a child with a lock of its own.

        What a thread of the parent is at work with is never touched there: such a store is of no use in the child.
        """
        if in_child:
            self._lock = threading.Lock()
            if not was_ready:
                _UNTOUCHABLE.append(self._connection)
                self._connection = None
                self._ended = "was in use while the process forked"
        elif was_ready:
            self._lock.release()

    def _connect(self) -> sqlite3.Connection:
        if self._ended is not None:
            raise StoreError(f"{self.path}: {self._ended}")
        try:
            connection = sqlite3.connect(
                self.path, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None
            )
        except sqlite3.Error as error:
            raise self._unopened(error) from None
        try:
            self._prepare(connection)
        except (sqlite3.Error, StoreError):
            connection.close()
            raise
        return connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _unopened(self, error: Exception) -> StoreError:
        return StoreError(f"{self.path}: cannot be opened as a store: {getattr(error, 'strerror', None) or error}")

    def _prepare(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _SCHEMA_VERSION):
            raise StoreError(f"{self.path}: is a store of version {version}, not {_SCHEMA_VERSION}; give another file")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if version == 0:
            connection.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}PRAGMA user_version = {_SCHEMA_VERSION};COMMIT;")

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Give the connection to one thread at a time; while the file is locked, all together wait as long as one."""
        begun = monotonic()
        if not self._lock.acquire(timeout=_BUSY_SECONDS):
            raise StoreError(f"{self.path}: is in use; nobody gave it back within {_BUSY_SECONDS:g} s")
        try:
            with self._trouble_told():
                waited = monotonic() - begun
                if self._connection is None:
                    self._connection = self._connect()
                connection = self._connection
                if waited > _QUEUED_SECONDS:
                    _wait_at_most(connection, max(0.0, _BUSY_SECONDS - waited))
                try:
                    yield connection
                finally:
                    if waited > _QUEUED_SECONDS:
                        _wait_at_most(connection, _BUSY_SECONDS)
        finally:
            self._lock.release()

    @contextmanager
    def _trouble_told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            mend = "; give another file, or delete this one if it was a store" if "not a database" in str(error) else ""
            raise StoreError(f"{self.path}: {error}{mend}") from None


def _wait_at_most(connection: sqlite3.Connection, seconds: float) -> None:
    connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")


@contextmanager
def _without_the_disk(connection: sqlite3.Connection) -> Iterator[None]:
    # A lease that a power failure takes back is one that nobody misses.
    connection.execute("PRAGMA synchronous = NORMAL")
    try:
        yield
    finally:
        connection.execute("PRAGMA synchronous = FULL")


def _before_fork() -> None:
    _FORKING.stores = [(store, store.before_fork()) for store in list(_STORES)]


def _after_fork(*, in_child: bool) -> None:
    for store, was_ready in _FORKING.__dict__.pop("stores", ()):
        store.after_fork(in_child=in_child, was_ready=was_ready)


# Windows does not fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=partial(_after_fork, in_child=False),
        after_in_child=partial(_after_fork, in_child=True),
    )
