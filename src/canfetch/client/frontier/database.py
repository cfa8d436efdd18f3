"""The SQLite database of a frontier: a file that one frontier uses at a time, or a temporary file.

Other processes can read the file at any time. What keeps a second frontier out is the lock of a file of its own beside
it, PATH-lock, which stays empty, and is not deleted, because a deleted file could still be locked.

A transaction is complete after the process was killed. The write-ahead log is not synchronised for every transaction,
so a power failure can undo the last ones. It cannot corrupt the file.
"""

import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, Final

from canfetch.client.argument_checks import check_path
from canfetch.client.forking import abandon, reset_on_fork
from canfetch.client.frontier.grouping import GroupBy, wrong_grouping
from canfetch.client.frontier.postgres_connection import is_database_url
from canfetch.client.frontier.queue_connection import QueueConnection, check_thread
from canfetch.client.private_files import create_private_file, create_private_folder, os_reason
from canfetch.client.regular_files import is_same_file
from canfetch.client.sqlite_files import (
    CORRUPTION_ADVICE,
    FileLock,
    Transaction,
    absolute_path,
    check_file,
    check_hard_links,
    check_row,
    connect_file,
    corruption_advice,
    has_only_tables,
    primary_code,
    sqlite_reason,
)
from canfetch.core.text import printable_text
from canfetch.errors import InvalidOption, StoreError

APPLICATION_ID: Final = 0x63616E66
SCHEMA_VERSION: Final = 6
# Seconds to wait for a file that another process uses.
_BUSY_SECONDS: Final = 1.0
# How often the path of the file is compared with the open one.
_CHECK_SECONDS: Final = 0.1
# The cache is in KiB. A temporary file does not survive a failure, so nothing is synchronised.
_PRAGMAS: Final = ("cache_size = -16384", "secure_delete = OFF")
_FILE_PRAGMAS: Final = (*_PRAGMAS, "journal_mode = WAL", "synchronous = NORMAL")
_TEMPORARY_PRAGMAS: Final = (*_PRAGMAS, "locking_mode = EXCLUSIVE", "journal_mode = MEMORY", "synchronous = OFF")
# The numbers of `phase`, `state` and `ended` are those of `queue_values`. A partial index is only used by queries with
# the same number. `ready_at` is when an origin may be requested, `due_at` when it has a URL, too. `visit` is what the
# last visit of a URL left, and by `ended` a URL is counted that waits for its next visit. `problem` says why the
# robots.txt of a waiting origin cannot be reached, or that it waits for its Visit-time or because its turns failed, and
# `added` is the number of its rows in `known`. Unless URLs are grouped by origin, a row of `origins` is a group, and
# `members` are the origins of groups with the delays of their files. The longest one of a group is in its row.
_MEMBERS: Final = (
    """CREATE TABLE members (
        name TEXT PRIMARY KEY,
        origin INTEGER NOT NULL,
        delay REAL NOT NULL DEFAULT 0
    ) WITHOUT ROWID""",
    "CREATE INDEX member_delays ON members (origin, delay)",
)
COUNT_ADDED: Final = "UPDATE origins SET added = (SELECT count(*) FROM known WHERE origin = origins.id)"
# Seconds by which the wall clock was set forward since the crawl was opened. The times of the file do not count them.
_CLOCK_SHIFT: Final = "(SELECT clock_shift FROM totals)"


def shifted(column: str) -> str:
    """Return the expression for a time of the wall clock. 0 means none, and a damaged value stays as it is."""
    return f"CASE WHEN typeof({column}) = 'real' AND {column} THEN {column} + {_CLOCK_SHIFT} ELSE {column} END"


_ORIGIN_TIMES: Final = ("due_at", "ready_at", "retry_at", "last_request_at")
URL_DUE_AT: Final = f"CASE state WHEN 2 THEN {shifted('due_at')} ELSE due_at END"
_SETTLE: Final = (
    f"UPDATE origins SET {', '.join(f'{time} = {shifted(time)}' for time in _ORIGIN_TIMES)}",  # noqa: S608 - above
    f"UPDATE urls SET due_at = {shifted('due_at')} WHERE state = 2",  # noqa: S608 - above
    "UPDATE totals SET clock_shift = 0",
)
_SCHEMA: Final = (
    """CREATE TABLE origins (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        phase INTEGER NOT NULL DEFAULT 0,
        priority REAL NOT NULL DEFAULT 0,
        due_at REAL NOT NULL DEFAULT 0,
        ready_at REAL NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0,
        position INTEGER NOT NULL DEFAULT 0,
        in_flight INTEGER NOT NULL DEFAULT 0,
        last_request_at REAL,
        retry_at REAL,
        problem TEXT,
        delay REAL NOT NULL DEFAULT 0,
        added INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX waiting ON origins (due_at, position) WHERE phase = 1",
    "CREATE INDEX unchecked ON origins (priority DESC, due_at, position) WHERE phase = 2",
    "CREATE INDEX unchecked_ids ON origins (priority, id) WHERE phase = 2",
    "CREATE INDEX ready ON origins (priority DESC, due_at, position) WHERE phase = 4",
    """CREATE TABLE urls (
        id INTEGER PRIMARY KEY,
        origin INTEGER NOT NULL,
        url BLOB NOT NULL,
        priority REAL NOT NULL,
        attempt INTEGER NOT NULL,
        state INTEGER NOT NULL DEFAULT 0,
        due_at REAL,
        error TEXT,
        depth INTEGER NOT NULL DEFAULT 0,
        metadata TEXT,
        visit TEXT,
        ended INTEGER
    )""",
    "CREATE INDEX queued ON urls (origin, priority DESC, id) WHERE state = 0",
    "CREATE INDEX in_flight ON urls (id) WHERE state = 1",
    "CREATE INDEX delayed ON urls (origin, due_at) WHERE state = 2",
    "CREATE INDEX failed ON urls (id) WHERE state = 3",
    # The identities of all URLs that were added, finished ones too. Those of one origin are next to one another.
    """CREATE TABLE known (
        origin INTEGER NOT NULL,
        identity BLOB NOT NULL,
        PRIMARY KEY (origin, identity)
    ) WITHOUT ROWID""",
    """CREATE TABLE totals (
        added INTEGER NOT NULL,
        done INTEGER NOT NULL,
        failed INTEGER NOT NULL,
        skipped INTEGER NOT NULL,
        refused INTEGER NOT NULL DEFAULT 0,
        group_by TEXT NOT NULL DEFAULT 'origin',
        clock_shift REAL NOT NULL DEFAULT 0
    )""",
    "INSERT INTO totals (added, done, failed, skipped) VALUES (0, 0, 0, 0)",
    *_MEMBERS,
)
# By the version from which they lead to the next one.
_MIGRATIONS: Final = {
    # Version 1 dropped failed URLs and forgot refused ones.
    1: (
        "ALTER TABLE origins ADD COLUMN ready_at REAL NOT NULL DEFAULT 0",
        "ALTER TABLE origins ADD COLUMN failures INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE urls RENAME COLUMN is_in_flight TO state",
        "ALTER TABLE urls ADD COLUMN due_at REAL",
        "ALTER TABLE urls ADD COLUMN error TEXT",
        "ALTER TABLE totals ADD COLUMN refused INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX delayed ON urls (origin, due_at) WHERE state = 2",
        "CREATE INDEX failed ON urls (id) WHERE state = 3",
    ),
    # Version 2 fetched the robots.txt files strictly in order.
    2: (
        "ALTER TABLE origins ADD COLUMN problem TEXT",
        "CREATE INDEX unchecked_ids ON origins (priority, id) WHERE phase = 2",
    ),
    # Version 3 grouped by origin only, and knew no depths and metadata.
    3: (
        "ALTER TABLE origins ADD COLUMN delay REAL NOT NULL DEFAULT 0",
        "ALTER TABLE totals ADD COLUMN group_by TEXT NOT NULL DEFAULT 'origin'",
        "ALTER TABLE urls ADD COLUMN depth INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE urls ADD COLUMN metadata TEXT",
        *_MEMBERS,
    ),
    # Version 4 did not count the URLs of an origin, and visited them once.
    4: (
        "ALTER TABLE urls ADD COLUMN visit TEXT",
        "ALTER TABLE urls ADD COLUMN ended INTEGER",
        "ALTER TABLE origins ADD COLUMN added INTEGER NOT NULL DEFAULT 0",
        COUNT_ADDED,
    ),
    # Version 5 did not know that the wall clock had been set during a run.
    5: ("ALTER TABLE totals ADD COLUMN clock_shift REAL NOT NULL DEFAULT 0",),
}
# What computing with values of other types raises.
DAMAGE: Final = (TypeError, ValueError, OverflowError)


class FrontierDatabase(QueueConnection):
    """A connection to the database.

    Args:
        path: The file, created with its parent folders if it does not exist, or None for a temporary file.
        group_by: How the URLs are grouped. None accepts a file with any grouping.
        may_create: Whether a file without tables is a new frontier, also if `group_by` is None.
    Raises: StoreError: The file cannot be opened, is in use, is not a frontier, or has another grouping.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        group_by: GroupBy | None = GroupBy.ORIGIN,
        *,
        may_create: bool = False,
    ) -> None:
        super().__init__("the frontier" if path is None else crawl_file_name(path))
        self._thread = threading.get_ident()
        self._temporary: Path | None = None
        self._file_lock: FileLock | None = None
        # The file and what it is, or None for a temporary file, which is deleted while it is in use.
        self._file: tuple[Path, os.stat_result] | None = None
        self._check_at = 0.0
        if path is not None:
            check_file(path)
            check_file(lock_path(path))
        try:
            if path is None:
                # A temporary database of SQLite itself has a slow COMMIT: it visits all changed pages in memory.
                descriptor, name = tempfile.mkstemp(prefix="canfetch-frontier-", suffix=".sqlite3")
                os.close(descriptor)
                self._temporary = Path(name)
            else:
                create_private_folder(Path(path).parent)
                create_private_file(path)
                # The process may change its folder later.
                file = Path(absolute_path(path))
                self._file = file, file.stat()
        except OSError as error:
            raise StoreError(f"{self.name}: cannot open the frontier: {os_reason(error)}") from None
        if path is not None:
            check_hard_links(self.name)
        with self.converted_errors():
            if path is not None:
                self._file_lock = FileLock(lock_path(path), timeout=_BUSY_SECONDS)
            try:
                self.connection = connect_file(self._temporary or Path(path or ""), timeout=_BUSY_SECONDS)
            except BaseException:
                if self._file_lock is not None:
                    self._file_lock.close()
                raise
        try:
            with self.converted_errors():
                pragmas = _FILE_PRAGMAS if self._temporary is None else _TEMPORARY_PRAGMAS
                self._prepare(pragmas, group_by, may_create=may_create or group_by is not None)
        except BaseException:
            self.close()
            raise
        # An open file can be deleted now, except on Windows. Then nothing is left if the process is killed.
        self._delete_temporary()
        reset_on_fork(self)

    def fetch(self, statement: str, values: tuple[object, ...] = ()) -> tuple[Any, ...] | None:
        """Return the first row of a query, or None."""
        with self.converted_errors():
            row: tuple[Any, ...] | None = self.connection.execute(statement, values).fetchone()
            return row

    def transaction(self) -> Transaction:
        """Return a transaction, whose block raises StoreError.

        It does so for a file that was deleted or replaced, too, because what is written to it is lost.
        """
        return Transaction(self.connection, self.converted_errors, self.check_file)

    def settle_clock(self) -> None:
        """Convert all times to those of the wall clock, within a transaction, if it was set during the last run.

        Cost: O(n) for n origins and URLs if it was.
        """
        (shift,) = check_row(self.connection.execute("SELECT clock_shift FROM totals").fetchone(), int | float)
        if shift:
            for statement in _SETTLE:
                self.connection.execute(statement)

    def check_file(self) -> None:
        """Check that the path still leads to the file, unless it was checked just now.

        Raises: StoreError.
        """
        if self._file is None or (now := time.monotonic()) < self._check_at:
            return
        if not is_same_file(*self._file):
            raise StoreError(f"{self.name}: the file was deleted, moved or replaced while it was in use")
        self._check_at = now + _CHECK_SECONDS

    def close(self) -> None:
        """Close the database."""
        if self._end_use("the frontier is closed"):
            self.connection.close()
            if self._file_lock is not None:
                self._file_lock.close()
            self._delete_temporary()

    def reset_after_fork(self) -> None:
        """Make the database unusable in a forked process. Its connection belongs to the parent."""
        if self._end_use_after_fork():
            abandon(self.connection)

    def _delete_temporary(self) -> None:
        if self._temporary is not None:
            with suppress(OSError):
                self._temporary.unlink(missing_ok=True)

    def _prepare(self, pragmas: tuple[str, ...], group_by: GroupBy | None, *, may_create: bool) -> None:
        # Before the pragmas, which change the format of the file, and it can be that of another program.
        version = self._check_format()
        if version == 0 and not may_create:
            raise StoreError(f"{self.name}: the file is empty: expected the file of a canfetch.Frontier")
        for pragma in pragmas:
            self.connection.execute(f"PRAGMA {pragma}")
        if version != SCHEMA_VERSION:
            with self.transaction():
                steps = (_SCHEMA,) if version == 0 else (_MIGRATIONS[older] for older in range(version, SCHEMA_VERSION))
                for statement in chain.from_iterable(steps):
                    self.connection.execute(statement)
                if group_by is not None and version == 0:
                    self.connection.execute("UPDATE totals SET group_by = ?", (group_by.value,))
                self.connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self.connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        with self.transaction():
            self.settle_clock()
        (stored,) = check_row(self.connection.execute("SELECT group_by FROM totals").fetchone(), str)
        if group_by is not None and stored != group_by:
            raise wrong_grouping(self.name, stored, group_by)

    def _check_format(self) -> int:
        """Return the version of the file, or 0 if it is empty.

        Raises: StoreError: It is not a frontier, or has an unknown version.
        """
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        (application,) = self.connection.execute("PRAGMA application_id").fetchone()
        (tables,) = self.connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if (version, application, tables) == (0, 0, 0):
            return 0
        if application != APPLICATION_ID:
            raise StoreError(f"{self.name}: the file is another SQLite database: use another file")
        if version not in (*_MIGRATIONS, SCHEMA_VERSION):
            raise StoreError(
                f"{self.name}: unsupported frontier version {version}: expected {SCHEMA_VERSION}; use another file"
            )
        if not has_only_tables(self.connection):
            raise StoreError(f"{self.name}: the file contains views or triggers: use another file")
        assert isinstance(version, int)
        return version

    def check_usable(self) -> None:
        """Check that the database is open, and belongs to this thread.

        Raises: StoreError: It is closed; RuntimeError: This is another thread.
        """
        super().check_usable()
        check_thread(self._thread, self.name)

    @contextmanager
    def converted_errors(self) -> Iterator[None]:
        """Raise the errors of SQLite, and those of damaged values, as StoreError, with the path of the file."""
        self.check_usable()
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            message = sqlite_reason(self.name, error)
            if primary_code(error) == sqlite3.SQLITE_BUSY:
                message = (
                    "another process or another frontier uses the file: several can share a PostgresQueue, but no file"
                )
            raise StoreError(f"{self.name}: {message}{corruption_advice(error)}") from None
        except DAMAGE as error:
            raise damage_error(self.name, error) from None


def damage_error(name: str, error: Exception) -> StoreError:
    """Return the error of a file whose values are not those that a frontier writes."""
    return StoreError(f"{name}: damaged: {printable_text(str(error))}; {CORRUPTION_ADVICE}")


def lock_path(path: str | os.PathLike[str]) -> str:
    """Return the path of the file whose lock the frontier of a file has. It is the same for all links to the file."""
    return f"{os.path.realpath(path)}-lock"


def is_in_use(path: str | os.PathLike[str]) -> bool:
    """Return whether a frontier uses a file now.

    Raises: sqlite3.Error; StoreError: What has the name of the lock is not a file.
    """
    check_file(lock_path(path))
    if not Path(lock_path(path)).exists():
        return False
    try:
        FileLock(lock_path(path), timeout=0.0).close()
    except sqlite3.OperationalError as error:
        if primary_code(error) == sqlite3.SQLITE_BUSY:
            return True
        if primary_code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        # In a read-only folder, no frontier can use the file.
    return False


def crawl_file_name(path: str | os.PathLike[str]) -> str:
    """Return the name of the file of a crawl.

    Raises: InvalidOption: No file can have this name, or it is the URL of a database.
    """
    if is_database_url(str(path)):
        # Not the URL, which can contain a password.
        raise InvalidOption("invalid path: a database is not a file: pass PostgresQueue(url, crawl=...) as `backend`")
    return str(check_path("path", path))
