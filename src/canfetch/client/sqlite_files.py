"""SQLite files: reasons for errors that the messages of SQLite do not name, schema checks, logs and locks."""

import sqlite3
import time
from pathlib import Path
from typing import Final

from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text

_CANNOT_OPEN = "unable to open"
# For files with what cannot be fetched again.
CORRUPTION_ADVICE: Final = (
    "use another file, restore a copy of this one, or save its data with the command .recover of sqlite3"
)
_CORRUPTION_CODES: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def primary_code(error: sqlite3.Error) -> int | None:
    """Return the error code without its details, or None for an error of the Python module itself."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def is_corruption(error: sqlite3.Error) -> bool:
    """Return whether an error shows that a file is damaged, or is not a database."""
    return primary_code(error) in _CORRUPTION_CODES


def corruption_advice(error: sqlite3.Error) -> str:
    """Return the fix for a damaged file that nothing can replace, as the end of a message, or an empty string."""
    return f"; {CORRUPTION_ADVICE}" if is_corruption(error) else ""


def sqlite_reason(path: Path | str, error: Exception) -> str:
    """Return the message of an error of SQLite, with the reason if the file cannot be opened because of its path."""
    message = printable_text(getattr(error, "strerror", None) or str(error))
    if not message.startswith(_CANNOT_OPEN):
        return message
    path = Path(path)
    try:
        if path.is_dir():
            return f"{message}: it is a directory"
        if not path.parent.is_dir():
            return f"{message}: the folder {quoted(str(path.parent))} does not exist"
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


def lock_file(path: str, *, timeout: float) -> sqlite3.Connection:
    """Lock a file until the connection is closed, or the process ends. SQLite knows how on every system.

    The file is created if it does not exist, and stays empty.

    Raises: sqlite3.Error: Such as SQLITE_BUSY after `timeout` seconds.
    """
    connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
    try:
        # Nothing is written, so there is nothing to roll back.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("BEGIN EXCLUSIVE")
    except BaseException:
        connection.close()
        raise
    return connection
