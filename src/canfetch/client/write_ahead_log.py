"""The write-ahead log of SQLite files that several processes open at the same time."""

import sqlite3
import time
from typing import Final

from canfetch.client.sqlite_errors import primary_code

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
