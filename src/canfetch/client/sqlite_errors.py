"""Errors of SQLite: their codes, and reasons why a file cannot be opened, which its own messages do not name."""

import sqlite3
from pathlib import Path

from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text

_CANNOT_OPEN = "unable to open"


def primary_code(error: sqlite3.Error) -> int | None:
    """Return the error code without its details, or None for an error of the Python module itself."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


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
