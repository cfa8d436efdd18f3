"""A store in one SQLite file, safe for several threads and processes, and after a crash.

An entry is on the disk when `put` returns: the write-ahead log is synchronised for every entry. It is not synchronised
for leases.

A file that cannot be written can still be read. Every write then raises `StoreError`.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final, TypeVar
from weakref import WeakSet

from canfetch.access.entries import CacheEntry
from canfetch.client.argument_checks import check_callable, check_count, check_path, check_positive_seconds
from canfetch.client.forking import abandon
from canfetch.client.lease_holders import has_ended
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.client.private_files import create_private_file, create_private_folder
from canfetch.client.sqlite_files import (
    Transaction,
    check_file,
    enable_write_ahead_log,
    has_log,
    has_only_tables,
    is_corruption,
    is_undecodable_text,
    primary_code,
    sqlite_reason,
)
from canfetch.client.stores import (
    DEFAULT_TTL,
    MAX_ENTRY_BYTES,
    oversized_entry,
    parse_stored_entry,
    serialize_entry,
)
from canfetch.client.stores.corrupt_files import (
    Identity,
    belongs_to_another_program,
    file_identity,
    move_corrupt_file,
)
from canfetch.errors import CorruptEntry, StoreError

# Older versions of the format have the same tables with other columns.
_SCHEMA_VERSION: Final = 3
_TABLES: Final = ["entries", "leases"]
_TABLE_NAMES: Final = (b"entries", b"leases")
# The number of expired entries that each `put` deletes at most, which bounds the time of one `put`.
_EXPIRED_ENTRIES_PER_PUT: Final = 10
# A `put` evicts at most twice the bytes of its entry and this many, which bounds its time also in a file that has grown
# without a limit.
_EXTRA_EVICTED_BYTES: Final = 1 << 20
# The longest wait for a locked file, including the wait for other threads. Much shorter than a fetch.
_BUSY_SECONDS: Final = 5.0
# An entry with its key.
_MAX_ROW_BYTES: Final = MAX_ENTRY_BYTES + (1 << 20)
# Longer leases were acquired before the clock was set back, unless the timeout of the clients is longer, too.
_LONGEST_LEASE_SECONDS: Final = 3600.0
# After a shorter wait for other threads, the timeout of SQLite is not adjusted.
_NEGLIGIBLE_SECONDS: Final = 0.05
# SQLite reads the columns before a long text without reading the text. Without row IDs, it would read whole rows to
# compare their keys.
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY NOT NULL, expires_at REAL NOT NULL, entry TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires_at);
CREATE TABLE IF NOT EXISTS leases (key TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at REAL NOT NULL)
    WITHOUT ROWID;
"""
# SQLite tracks the locks of a process by file and would inherit those of the parent, so a fork closes all files.
_STORES: Final["WeakSet[SQLiteStore]"] = WeakSet()
_FORK_STATE: Final = threading.local()

_Result = TypeVar("_Result")


class _CorruptFile(StoreError):
    """Raised when SQLite cannot read the file with an identity. Its text has the advice for a file that stays."""

    def __init__(self, reason: str, identity: Identity) -> None:
        super().__init__(f"{reason}; use another file, or delete this file if it was a store")
        self.reason = reason
        self.identity = identity


class SQLiteStore:
    """A store in a SQLite file.

    A file with the schema of an older version of canfetch is replaced by an empty one. This is logged to
    `canfetch.client`, and `replaced_version` is the old version of the schema, otherwise None.

    A corrupt file is moved to `NAME.corrupt-TIME`, also if the damage is found later, and an empty one replaces it.
    This is logged as a warning, and `moved_to` is the new path, otherwise None. The newest three of such files are
    kept. A file that never was a store is not moved.

    Args:
        path: The file. It is created with its parent folders if it does not exist.
        ttl: Seconds after which an entry expires.
        max_bytes: The bytes of the file that entries may use, or None for no limit. The entries that were written
            longest ago are evicted first, but not the latest one. The file can be larger by one entry, and its
            write-ahead log is not counted. A file that is already larger keeps its size, and its space is reused.
        clock: Returns seconds since the epoch, for the expiry of entries and leases. All processes must agree on the
            time.
    Raises: InvalidOption: An argument is invalid; StoreError: The file cannot be created or opened, is not a
        store, or is one of a newer version of canfetch.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        ttl: float = DEFAULT_TTL,
        max_bytes: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        check_positive_seconds("ttl", ttl)
        if max_bytes is not None:
            check_count("max_bytes", max_bytes)
        check_callable("clock", clock)
        self.path = check_path("path", path)
        # Processes change their working directory, and the file is opened again after a fork.
        self._file = self.path.absolute()
        self.replaced_version: int | None = None
        self.moved_to: Path | None = None
        self._ttl = ttl
        self._max_bytes = max_bytes
        self._clock = clock
        # Reentrant, so that a thread that is interrupted while it acquires the lock can still use the store.
        self._lock = threading.RLock()
        # Why the store can no longer be used, or None.
        self._unusable_because: str | None = None
        # None during a fork, and after it until the next use.
        self._connection: sqlite3.Connection | None = None
        # The file of the connection.
        self._identity: Identity = None
        # Whether SQLite reads the file without locks, so that the connection is valid for one operation only.
        self._is_immutable = False
        check_file(self.path)
        try:
            create_private_folder(self.path.parent)
        except OSError as error:
            raise self._open_error(error) from None
        with suppress(OSError):
            # SQLite says why a file cannot be created.
            create_private_file(self.path)
        self._use(lambda _: None)
        _STORES.add(self)

    def get(self, key: str) -> CacheEntry | None:
        """Return the entry of a key, or None.

        Raises: StoreError; CorruptEntry: The entry is invalid; NewerEntry: The entry has a newer format.
        """
        row = self._use(lambda connection: self._select_entry(connection, key, self._clock()))
        return None if row is None else parse_stored_entry(row[0], self.path)

    def put(self, entry: CacheEntry) -> None:
        """Add or replace the entry of its key. The entry is on the disk when this method returns.

        Also delete some expired entries, and evict others above `max_bytes`.

        Raises: StoreError; NewerEntry: The previous entry has a newer format and was not replaced.
        """
        text = serialize_entry(entry, self.path)

        def put(connection: sqlite3.Connection) -> None:
            with Transaction(connection):
                now = self._clock()
                with suppress(CorruptEntry):
                    previous = self._select_entry(connection, entry.key, now)
                    if previous is not None:
                        parse_stored_entry(previous[0], self.path)
                row = (entry.key, now + self._ttl, text)
                connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", row)
                connection.execute(
                    "DELETE FROM entries WHERE key IN (SELECT key FROM entries WHERE expires_at <= ? LIMIT ?)",
                    (now, _EXPIRED_ENTRIES_PER_PUT),
                )
                if self._max_bytes is not None:
                    _evict(connection, self._max_bytes, latest=entry.key, budget=2 * len(text) + _EXTRA_EVICTED_BYTES)

        self._use(put)

    def delete(self, key: str) -> bool:
        """Delete the entry of a key, and return whether it existed."""
        query = "DELETE FROM entries WHERE key = ? AND expires_at > ?"
        return self._use(lambda connection: connection.execute(query, (key, self._clock())).rowcount > 0)

    def keys(self) -> Iterator[str]:
        """Yield the keys, sorted."""
        query = "SELECT key FROM entries WHERE expires_at > ? ORDER BY key"
        rows = self._use(lambda connection: connection.execute(query, (self._clock(),)).fetchall())
        yield from (row[0] for row in rows)

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        """Acquire or extend the lease of a key, and return False if another holder has it.

        On Linux, a holder of this machine whose process has ended has it no longer. A lease that ends in more than an
        hour, and later than this one would, is not counted: the clock was set back since its holder acquired it, and
        the holder may be dead.
        """
        now = self._clock()
        latest = now + max(seconds, _LONGEST_LEASE_SECONDS)

        def acquire(connection: sqlite3.Connection) -> bool:
            with _without_sync(connection):
                changed = connection.execute(
                    "INSERT INTO leases VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, "
                    "expires_at = excluded.expires_at "
                    "WHERE expires_at <= ? OR expires_at > ? OR holder = excluded.holder",
                    (key, holder, now + seconds, now, latest),
                )
                if changed.rowcount > 0:
                    return True
                other = connection.execute("SELECT holder FROM leases WHERE key = ?", (key,)).fetchone()
                if other is None or not has_ended(str(other[0])):
                    return False
                changed = connection.execute(
                    "UPDATE leases SET holder = ?, expires_at = ? WHERE key = ? AND holder = ?",
                    (holder, now + seconds, key, other[0]),
                )
                return changed.rowcount > 0

        return self._use(acquire)

    def release_lease(self, key: str, *, holder: str) -> None:
        """Release the lease of a key, if `holder` has it."""

        def release(connection: sqlite3.Connection) -> None:
            with _without_sync(connection):
                connection.execute("DELETE FROM leases WHERE key = ? AND holder = ?", (key, holder))

        self._use(release)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._unusable_because = "the store is closed"
            self._disconnect()

    def before_fork(self) -> bool:
        """Close the file and block other threads until the fork is done. Return False if the store stays busy.

        Neither SQLite connections nor their locks survive a fork.
        """
        if not self._lock.acquire(timeout=_BUSY_SECONDS):
            return False
        with suppress(sqlite3.Error):
            self._disconnect()
        return True

    def after_fork(self, *, in_child: bool, was_locked: bool) -> None:
        """Allow the file to be opened again, with a new lock in a child.

        A connection that a thread of the parent was using cannot be touched in the child, so the store is unusable
        there.

        Args:
            was_locked: The result of `before_fork`.
        """
        if in_child:
            self._lock = threading.RLock()
            if not was_locked:
                abandon(self._connection)
                self._connection = None
                self._unusable_because = "the store was in use while the process forked"
        elif was_locked:
            self._lock.release()

    def _connect(self) -> sqlite3.Connection:
        if self._unusable_because is not None:
            raise StoreError(f"{self.path}: {self._unusable_because}")
        self._is_immutable = False
        # Before the file is opened: if another process replaces it in between, `_connected` notices that.
        self._identity = file_identity(self._file)
        try:
            return self._open(str(self._file), uri=False)
        except sqlite3.Error as error:
            if not self._needs_immutable_connection(error):
                raise
        # Without the write-ahead log, which SQLite cannot create, a read-only file can only be opened as immutable.
        connection = self._open(f"{self._file.as_uri()}?mode=ro&immutable=1", uri=True)
        self._is_immutable = True
        return connection

    def _open(self, database: str, *, uri: bool) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                database, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None, uri=uri
            )
        except sqlite3.Error as error:
            raise self._open_error(error) from None
        if hasattr(connection, "setlimit"):
            # Another process may write values of any size. SQLite rejects larger ones before it reads them.
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_ROW_BYTES)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _needs_immutable_connection(self, error: sqlite3.Error) -> bool:
        """Return whether `error` was raised because the file, without a write-ahead log, is in a read-only folder.

        Raises: StoreError: There is a write-ahead log, and an immutable connection would ignore it.
        """
        if primary_code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            return False
        log = Path(f"{self._file}-wal")
        try:
            if not self._file.is_file():
                return False
            is_incomplete = has_log(self._file)
        except OSError:
            return False
        if is_incomplete:
            raise StoreError(
                f"{self.path}: cannot read the changes in {log.name}: open the store once with write permission"
            ) from None
        return True

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _select_entry(self, connection: sqlite3.Connection, key: str, now: float) -> tuple[object] | None:
        query = "SELECT entry FROM entries WHERE key = ? AND expires_at > ?"
        try:
            row: tuple[object] | None = connection.execute(query, (key, now)).fetchone()
        except sqlite3.DataError as error:
            if primary_code(error) != sqlite3.SQLITE_TOOBIG:
                raise
            raise oversized_entry(self.path) from None
        except sqlite3.OperationalError as error:
            if not is_undecodable_text(error):
                raise
            raise CorruptEntry(f"{self.path}: corrupt cache entry: invalid UTF-8") from None
        return row

    def _open_error(self, error: Exception) -> StoreError:
        return StoreError(f"{self.path}: cannot open the store: {sqlite_reason(self.path, error)}")

    def _prepare(self, connection: sqlite3.Connection) -> None:
        # Another process may be creating the tables: read all of it before or after that.
        connection.execute("BEGIN")
        try:
            self._check_version(connection)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        enable_write_ahead_log(connection, _BUSY_SECONDS)
        connection.execute("PRAGMA synchronous = FULL")
        if _version(connection) == _SCHEMA_VERSION:
            return
        with Transaction(connection):
            # Another process may have replaced the tables since.
            version = self._check_version(connection)
            if version == _SCHEMA_VERSION:
                return
            for table in _tables(connection) if version else ():
                connection.execute(f"DROP TABLE {table}")
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
        if version:
            self.replaced_version = version
            CLIENT_LOGGER.warning("%s: the store of version %d was replaced by an empty one", self.path, version)

    def _check_version(self, connection: sqlite3.Connection) -> int:
        """Return the version of the schema, which is 0 for a new file.

        Raises: StoreError: The version is newer, or the file belongs to another program.
        """
        version = _version(connection)
        # A store has none. The file of a frontier has one.
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if version > _SCHEMA_VERSION and not application:
            advice = "upgrade canfetch, or use another file"
            raise StoreError(f"{self.path}: store version {version} is newer than {_SCHEMA_VERSION}: {advice}")
        expected = _TABLES if version else []
        if application or _tables(connection) != expected or not has_only_tables(connection):
            raise StoreError(f"{self.path}: the database is not a store: use another file")
        return version

    def _use(self, operation: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Return the result of an operation. If the file is corrupt, replace it by an empty one, and try once more."""
        try:
            with self._connected() as connection:
                return operation(connection)
        except _CorruptFile as error:
            self._replace_corrupt_file(error)
        with self._connected() as connection:
            return operation(connection)

    def _replace_corrupt_file(self, error: "_CorruptFile") -> None:
        """Move the file aside, unless another process did, or it never was a store.

        Raises: StoreError: The file stays where it is.
        """
        with self._lock:
            if self._identity == error.identity:
                with suppress(sqlite3.Error):
                    self._disconnect()
        moved_to = None
        try:
            # Another process may have replaced the file, and the new one is empty at first.
            is_same = file_identity(self._file) == error.identity
            is_other = is_same and belongs_to_another_program(self._file, _TABLE_NAMES, _SCHEMA_VERSION)
            if not is_other:
                moved_to = move_corrupt_file(self._file, error.identity, timeout=_BUSY_SECONDS)
                create_private_file(self._file)
        except FileNotFoundError:
            # Another process has moved the file.
            return
        except (OSError, sqlite3.Error) as reason:
            text = sqlite_reason(self.path, reason)
            raise StoreError(f"{error.reason}; the file cannot be moved aside ({text}): delete it") from None
        if is_other:
            raise error from None
        if moved_to is not None:
            self.moved_to = moved_to
            CLIENT_LOGGER.warning("%s; it was moved to %s, and an empty store replaces it", error.reason, moved_to.name)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection to one thread at a time.

        The wait for other threads counts towards the timeout of SQLite, so that a locked file delays all threads
        together by one timeout.
        """
        started = monotonic()
        try:
            if not self._lock.acquire(timeout=_BUSY_SECONDS):
                raise StoreError(f"{self.path}: the store is busy: other threads used it for {_BUSY_SECONDS:g} s")
            with self._converted_errors():
                waited = monotonic() - started
                if self._connection is not None and file_identity(self._file) not in (None, self._identity):
                    # Another process found the file corrupt, and replaced it.
                    self._disconnect()
                if self._connection is None:
                    self._connection = self._connect()
                connection = self._connection
                if waited > _NEGLIGIBLE_SECONDS:
                    _set_busy_timeout(connection, max(0.0, _BUSY_SECONDS - waited))
                try:
                    yield connection
                except BaseException as error:
                    if not isinstance(error, Exception):
                        # An interrupt can leave an open transaction.
                        with suppress(sqlite3.Error):
                            self._disconnect()
                    raise
                finally:
                    if waited > _NEGLIGIBLE_SECONDS and self._connection is not None:
                        _set_busy_timeout(connection, _BUSY_SECONDS)
                    if self._is_immutable:
                        # Another mount of the file may be writable, and this connection would not see the changes.
                        self._disconnect()
        finally:
            # An interrupt can come just after the lock was acquired, and at any call before it is released.
            try:  # noqa: SIM105
                self._lock.release()
            except RuntimeError:
                # This thread has not acquired it.
                pass

    @contextmanager
    def _converted_errors(self) -> Iterator[None]:
        """Raise the errors of SQLite as StoreError, with the path of the file."""
        try:
            yield
        except MemoryError:
            raise StoreError(f"{self.path}: not enough memory to read the store") from None
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if primary_code(error) == sqlite3.SQLITE_READONLY:
                raise StoreError(f"{self.path}: the store is read-only") from None
            message = f"{self.path}: {sqlite_reason(self.path, error)}"
            if is_corruption(error):
                raise _CorruptFile(message, self._identity) from None
            raise StoreError(message) from None


def _evict(connection: sqlite3.Connection, max_bytes: int, *, latest: str, budget: int) -> None:
    """Delete the oldest entries, but not `latest`, until at most `max_bytes` are used, or `budget` bytes are freed."""
    used = _used_bytes(connection)
    enough = max(max_bytes, used - budget)
    while used > enough:
        deleted = connection.execute(
            "DELETE FROM entries WHERE key = (SELECT key FROM entries WHERE key <> ? ORDER BY expires_at LIMIT 1)",
            (latest,),
        )
        if deleted.rowcount == 0:
            return
        used = _used_bytes(connection)


def _used_bytes(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _tables(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the tables that SQLite did not create itself."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"
    return [name for (name,) in connection.execute(query)]


def _set_busy_timeout(connection: sqlite3.Connection, seconds: float) -> None:
    connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")


@contextmanager
def _without_sync(connection: sqlite3.Connection) -> Iterator[None]:
    # A lease may be lost in a power failure.
    connection.execute("PRAGMA synchronous = NORMAL")
    try:
        yield
    finally:
        # An interrupt has closed the connection.
        with suppress(sqlite3.ProgrammingError):
            connection.execute("PRAGMA synchronous = FULL")


def _before_fork() -> None:
    _FORK_STATE.stores = [(store, store.before_fork()) for store in list(_STORES)]


def _after_fork(*, in_child: bool) -> None:
    for store, was_locked in _FORK_STATE.__dict__.pop("stores", ()):
        store.after_fork(in_child=in_child, was_locked=was_locked)


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=partial(_after_fork, in_child=False),
        after_in_child=partial(_after_fork, in_child=True),
    )
