"""A check of SQLite files that other programs may have written, before anything is read from them."""

import sqlite3
from typing import Final

# SQLite runs the queries of views and triggers, which need not end, and the code of virtual tables.
_HARMLESS: Final = ("CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ")


def has_only_tables(connection: sqlite3.Connection) -> bool:
    """Return whether a database contains nothing but ordinary tables and indexes.

    The text of each definition is checked, because it is what SQLite runs. The columns with its type could be forged.

    Raises: sqlite3.Error.
    """
    rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    return all(isinstance(sql, str) and sql.startswith(_HARMLESS) for (sql,) in rows)
