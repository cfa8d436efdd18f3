"""SQLite files: reasons for errors that SQLite does not name, checks of schemas and rows, logs and locks."""

import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from math import isfinite
from pathlib import Path
from stat import S_ISREG
from types import TracebackType, UnionType
from typing import Any, Final

from canfetch.client.forking import abandon, reset_on_fork
from canfetch.client.private_files import (
    PRIVATE_FILE_MODE,
    SPACE_ADVICE,
    copy_permissions,
    kind_of_path,
    os_reason,
)
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import StoreError

_CANNOT_OPEN = "unable to open"
# For files with what cannot be fetched again.
CORRUPTION_ADVICE: Final = (
    "use another file, restore a copy of this one, or save its data with the command .recover of sqlite3"
)
_CORRUPTION_CODES: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# The starts of messages of errors whose code does not show the damage. The first is of the Python module itself. The
# last ones are those of statements that do not fit a damaged schema.
_UNDECODABLE_TEXT: Final = "Could not decode to UTF-8"
_CORRUPTION_MESSAGES: Final = (
    _UNDECODABLE_TEXT,
    "unsupported file format",
    "no such column: ",
    "duplicate column name: ",
    "table ",
)


class Transaction:
    """Commits all statements of a block, or none of them.

    Not a generator: one that an interrupt keeps from its end would end later, within another transaction.

    Args:
        connection: A connection without transactions of its own.
        convert: Returns a context manager that converts errors.
        check: Called before the commit. If it raises an exception, nothing is committed.
    """

    __slots__ = ("_check", "_connection", "_convert")

    def __init__(
        self,
        connection: sqlite3.Connection,
        convert: Callable[[], AbstractContextManager[None]] = nullcontext,
        check: Callable[[], object] | None = None,
    ) -> None:
        self._connection = connection
        self._convert = convert
        self._check = check

    def __enter__(self) -> sqlite3.Connection:
        with self._convert():
            # An interrupt can have kept the last one from its end.
            self._roll_back()
            self._connection.execute("BEGIN IMMEDIATE")
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._convert():
            try:
                if error is not None:
                    raise error
                if self._check is not None:
                    self._check()
                self._connection.execute("COMMIT")
            finally:
                # SQLite itself rolls back after some errors.
                self._roll_back()

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def primary_code(error: Exception) -> int | None:
    """Return the error code without its details, or None for an error that is not of SQLite itself."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def is_undecodable_text(error: Exception) -> bool:
    """Return whether an error shows that a text in a file, or in a message of SQLite about it, is not UTF-8."""
    return isinstance(error, UnicodeDecodeError) or str(error).startswith(_UNDECODABLE_TEXT)


def is_corruption(error: Exception) -> bool:
    """Return whether an error shows that a file is damaged, or is not a database.

    SQLite quotes the names of a damaged schema. If they are not UTF-8, Python raises UnicodeDecodeError instead.
    """
    return (
        primary_code(error) in _CORRUPTION_CODES
        or isinstance(error, UnicodeDecodeError)
        or str(error).startswith(_CORRUPTION_MESSAGES)
    )


class DamagedRow(ValueError):
    """Raised for a row with values that were not written, which SQLite does not notice: a column stores any type."""


def check_row(row: tuple[Any, ...] | None, *types: type | UnionType) -> tuple[Any, ...]:
    """Return a row whose values have these types, and whose numbers are finite.

    Raises: DamagedRow.
    """
    if row is None:
        raise DamagedRow("a row is missing")
    for value, expected in zip(row, types, strict=True):
        if not isinstance(value, expected) or (isinstance(value, float) and not isfinite(value)):
            raise DamagedRow(f"unexpected value {quoted(value)}")
    return row


def corruption_advice(error: Exception) -> str:
    """Return the fix for a damaged file that nothing can replace, as the end of a message, or an empty string."""
    return f"; {CORRUPTION_ADVICE}" if is_corruption(error) else ""


def sqlite_reason(path: Path | str, error: Exception) -> str:
    """Return the message of an error of SQLite, with the reason if the file cannot be opened because of its path."""
    if is_undecodable_text(error):
        # The message has the complete text.
        return "damaged: a text is not valid UTF-8"
    message = printable_text(os_reason(error) if isinstance(error, OSError) else str(error))
    code = primary_code(error)
    if code == sqlite3.SQLITE_FULL:
        return f"{message}: {SPACE_ADVICE}"
    if code == sqlite3.SQLITE_IOERR:
        # SQLite does not say why: no more space for this user or process, or a broken disk.
        return f"{message}: check the disk and its free space, or use another one"
    if code != sqlite3.SQLITE_READONLY and not message.startswith(_CANNOT_OPEN):
        return message
    path = Path(path)
    try:
        # SQLite does not say that a name is too long.
        with suppress(FileNotFoundError, NotADirectoryError):
            path.stat()
    except OSError as reason:
        return f"{message}: {os_reason(reason)}"
    except ValueError:
        return message
    try:
        if not path.parent.is_dir():
            return f"{message}: the folder {quoted(str(path.parent))} does not exist"
        # SQLite needs both, and there are other reasons, such as too many open files.
        if not all(os.access(each, os.W_OK) for each in (path.parent, path) if each.exists()):
            return f"{message}: the file and its folder must be writable"
    except (OSError, ValueError):
        pass
    return message


# SQLite runs the queries of views and triggers, which need not end, and the code of virtual tables.
_HARMLESS: Final = ("CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ")


def has_only_tables(connection: sqlite3.Connection) -> bool:
    """Return whether a database contains nothing but ordinary tables and indexes.

    The text of each definition is checked, because it is what SQLite runs. The columns with its type could be forged.

    Raises: sqlite3.Error.
    """
    rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    return all(isinstance(sql, str) and sql.startswith(_HARMLESS) for (sql,) in rows)


_POLL_SECONDS: Final = 0.005


def enable_write_ahead_log(connection: sqlite3.Connection, timeout: float) -> None:
    """Write changes of a file to a log first, so that its readers do not wait for its writers.

    If another process is creating the same file, wait for up to `timeout` seconds. SQLite itself does not wait here:
    both processes have read the file and would wait for each other.

    Raises: sqlite3.Error: Such as SQLITE_BUSY after the timeout.
    """
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
            time.sleep(_POLL_SECONDS)
        else:
            return


def absolute_path(path: str | os.PathLike[str]) -> str:
    """Return the path with which SQLite opens a file, even if its name is `:memory:` or starts with `file:`."""
    return str(Path(path).absolute())


def connect_file(path: Path | str, *, timeout: float) -> sqlite3.Connection:
    """Open a file, without transactions that the module `sqlite3` begins itself.

    Raises: sqlite3.Error.
    """
    return sqlite3.connect(absolute_path(path), timeout=timeout, isolation_level=None)


def connect_read_only(path: Path | str, *, timeout: float) -> sqlite3.Connection:
    """Open a file only to read it, also in a read-only folder, where SQLite cannot create the files of its log.

    Raises: sqlite3.Error.
    """
    uri = f"{Path(path).absolute().as_uri()}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except UnicodeDecodeError:
        # The file is damaged, and the message of SQLite has bytes of it.
        connection.close()
        raise
    except sqlite3.Error as error:
        connection.close()
        # An immutable connection would ignore the changes in the log.
        if primary_code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or has_log(path):
            raise
        return sqlite3.connect(f"{uri}&immutable=1", uri=True, timeout=timeout, isolation_level=None)
    return connection


@contextmanager
def without_new_log(path: Path | str) -> Iterator[None]:
    """Leave no write-ahead log, and no index of it, beside a file that had none before the block.

    A connection that only reads creates both files, and cannot delete them. The last connection of all processes that
    may write deletes them, and only the last one, so no other process loses its log.
    """
    files = [Path(f"{Path(path).resolve()}-{end}") for end in ("wal", "shm")]
    had_log = any(file.exists() for file in files)
    try:
        yield
    finally:
        if not had_log and any(file.exists() for file in files):
            uri = f"{Path(path).absolute().as_uri()}?mode=rw"
            # In a damaged file, the names in a message of SQLite need not be UTF-8.
            with (
                suppress(sqlite3.Error, UnicodeDecodeError),
                closing(sqlite3.connect(uri, uri=True, timeout=0.0)) as connection,
            ):
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def has_log(path: Path | str) -> bool:
    """Return whether changes of a file are in its write-ahead log, and not yet in the file.

    Raises: OSError.
    """
    # SQLite has the log beside the file itself, and not beside a symbolic link.
    log = Path(f"{Path(path).resolve()}-wal")
    return log.exists() and log.stat().st_size > 0


def check_file(path: str | os.PathLike[str]) -> None:
    """Refuse a directory, a device, a named pipe and a socket, for which SQLite has no message of its own.

    A file of one byte is refused, too: for SQLite it is empty, and would be overwritten.

    Raises: StoreError.
    """
    found = kind_of_path(path)
    if found == "is a file":
        with suppress(OSError):
            if Path(path).stat().st_size != 1:
                return
        raise StoreError(f"{os.fspath(path)}: is a file of another program: use another path")
    if found is not None:
        raise StoreError(f"{os.fspath(path)}: {found}, expected a file: use another path")


def is_on_read_only_system(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is on a file system that cannot be written. False if that is unknown."""
    try:
        return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def check_hard_links(path: Path | str) -> None:
    """Refuse a file with several names, because each of them would have a write-ahead log of its own.

    Raises: StoreError.
    """
    try:
        status = Path(path).stat()
    except OSError:
        # Opening the file fails as well, and says why.
        return
    if S_ISREG(status.st_mode) and status.st_nlink > 1:
        raise StoreError(f"{path}: the file has hard links, which SQLite cannot use: use a copy, or a symbolic link")


class FileLock:
    """The lock of a file, until it is closed or the process ends. A forked process does not have it.

    The system has it for an open file. The locks of SQLite belong to a process instead, which loses them when it opens
    and closes the file once more, as a backup does. They are used where the system has none: on Windows, where they
    belong to the open file, and on some network file systems.

    Args:
        path: The file: the name of the protected file with `.lock` or `-lock` at its end. It is created if it does not
            exist, and stays empty. Users who may write the protected file can take the lock.
        timeout: Seconds to wait for another process.
    Raises: sqlite3.Error: Such as SQLITE_BUSY after the timeout.
    """

    def __init__(self, path: str, *, timeout: float = 10.0) -> None:
        self._descriptor: int | None = None
        self._connection: sqlite3.Connection | None = None
        # Before the lock is held: another thread may fork at any time.
        reset_on_fork(self)
        try:
            if not self._lock(path, timeout):
                self._lock_with_sqlite(path, timeout)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the lock."""
        self._close_descriptor()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _close_descriptor(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    # A connection closes itself.
    __del__ = _close_descriptor

    def reset_after_fork(self) -> None:
        """Close the file in a forked process. The parent keeps the lock, and the child does not hold it any longer."""
        if self._connection is not None:
            abandon(self._connection)
            self._connection = None
        self.close()

    def _lock(self, path: str, timeout: float) -> bool:
        """Lock the file. Return whether the system has such locks for it, and it can be opened."""
        try:
            import fcntl  # noqa: PLC0415 - not on Windows
        except ImportError:
            return False
        try:
            self._descriptor = _open_lock(absolute_path(path))
        except ValueError:
            # SQLite cannot open it either, and raises its own error.
            return False
        except OSError as reason:
            # Not with SQLite, which would create the target of a symbolic link.
            is_denied = isinstance(reason, PermissionError)
            error = sqlite3.OperationalError(
                f"{_CANNOT_OPEN}: permission denied" if is_denied else f"{_CANNOT_OPEN} database file"
            )
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error from None
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise _busy() from None
                time.sleep(_POLL_SECONDS)
            except OSError:
                self._close_descriptor()
                return False
            else:
                return True

    def _lock_with_sqlite(self, path: str, timeout: float) -> None:
        self._connection = connect_file(path, timeout=timeout)
        # Nothing is written, so there is nothing to roll back.
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("BEGIN EXCLUSIVE")


def _open_lock(path: str) -> int:
    try:
        # O_EXCL does not follow links: the owner of an existing file would change.
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE_MODE)
    except OSError:
        if not os.path.lexists(path):
            raise
    else:
        with suppress(OSError):
            file = Path(path[: -len(".lock")])
            # In a folder that everyone can write to, other users must not be able to block the owner.
            status, writers = (file.stat(), 0o222) if file.exists() else (file.parent.stat(), 0o220)
            writers &= status.st_mode
            copy_permissions(status, descriptor, PRIVATE_FILE_MODE | writers | writers << 1)
        return descriptor
    try:
        # On network file systems, only a file that is open for writing can be locked. Whoever can read it can lock it.
        return os.open(path, os.O_RDWR)
    except OSError as error:
        if error.errno != errno.EROFS:
            raise
        # It can be writable in another place, such as outside of a container.
        return os.open(path, os.O_RDONLY)


def _busy() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("another process has locked it")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    return error
