"""Processes that are killed: at any statement of SQLite, with the files as they are at that moment."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

_WAL_HEADER: Final = 32


class Killed(BaseException):
    """Raised in place of the death of the process. What runs after it has no effect on the copied files."""


class Death:
    """When the process dies.

    Args:
        path: The file of the frontier.
        copy: Where the files are copied at that moment.
        statement: The number of the statement before which it dies, or None.
        power_loss: The share of the write-ahead log that is lost with the power, or None if only the process dies.
    """

    def __init__(self, path: Path, copy: Path, statement: int | None, power_loss: float | None = None) -> None:
        self.path = path
        self.copy = copy
        self.left = statement
        self.power_loss = power_loss
        self.has_come = False

    def count(self) -> None:
        """Count a statement, and die before it if it is the one.

        Raises: Killed.
        """
        if self.has_come:
            raise Killed
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.has_come = True
                self._copy_files()
                raise Killed

    def _copy_files(self) -> None:
        for suffix in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copy(f"{self.path}{suffix}", f"{self.copy}{suffix}")
        log = Path(f"{self.copy}-wal")
        if self.power_loss is not None and log.exists():
            size = log.stat().st_size
            with log.open("r+b") as file:
                file.truncate(_WAL_HEADER + int((size - _WAL_HEADER) * (1 - self.power_loss)) if size else 0)


class _DyingConnection:
    """A connection that counts its statements."""

    def __init__(self, connection: sqlite3.Connection, death: Death) -> None:
        self._connection = connection
        self._death = death

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, statement: str, values: Any = ()) -> sqlite3.Cursor:
        """Run a statement. A dead process runs none, and what it began is undone when its file is opened again."""
        if not (self._death.has_come and statement == "ROLLBACK"):
            self._death.count()
        return self._connection.execute(statement, values)

    def executemany(self, statement: str, values: Any) -> sqlite3.Cursor:
        """Run a statement with several values."""
        self._death.count()
        return self._connection.executemany(statement, values)


class _SQLite:
    """The module `sqlite3`, with connections that die."""

    def __init__(self, death: Death) -> None:
        self._death = death
        self.opened: list[sqlite3.Connection] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(sqlite3, name)

    def connect(self, path: Any, **options: Any) -> Any:
        """Open a file."""
        connection = sqlite3.connect(path, **options)
        self.opened.append(connection)
        return _DyingConnection(connection, self._death) if str(path) == str(self._death.path) else connection


@contextmanager
def dying(death: Death) -> Iterator[None]:
    """Let the frontier of the block die."""
    module = _SQLite(death)
    with patch("canfetch.client.frontier.database.sqlite3", module):
        try:
            yield
        finally:
            for connection in module.opened:
                connection.close()
