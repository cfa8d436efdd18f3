"""Move a corrupt SQLite store aside, so that an empty one can replace it. Its entries can be fetched again.

SQLite finds that a file is corrupt when it reads the damaged part, which can be long after the file was opened. Several
processes can find it at the same time. A lock makes one of them move the file. The others then see that another file
has its path. An open connection to a moved file stays valid, and leaves the log of the new file alone when it is
closed: SQLite knows that its file was moved.
"""

import os
import re
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

from canfetch.client.regular_files import create_file_like
from canfetch.client.sqlite_files import FileLock

# Corrupt files that are kept for inspection.
MAX_CORRUPT_FILES: Final = 3
_LOGS: Final = ("-wal", "-shm")
_MAGIC: Final = b"SQLite format 3\0"
_HEADER_BYTES: Final = 4096
# A file that begins with 16 MiB of NUL bytes is not read further.
_PART_BYTES: Final = 65_536
_MAX_NUL_PARTS: Final = 256
# Fields of the header, which has 100 bytes: https://www.sqlite.org/fileformat2.html
_USER_VERSION: Final = slice(60, 64)
_APPLICATION_ID: Final = slice(68, 72)
_NAME_END: Final = re.compile(r"\.corrupt-\d{8}T\d{6}\.\d{6}Z")

Identity = tuple[int, int] | None


def file_identity(path: Path) -> Identity:
    """Return what tells a file from another one that later has its path, or None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def belongs_to_another_program(path: Path, tables: tuple[bytes, ...], max_version: int) -> bool:
    """Return whether a file that SQLite cannot read was never a store: another file, or a database of another program.

    Without the start of a database, it was a store if it has the tables of one, or nothing but NUL bytes and at most
    16 MiB.

    Args:
        path: The file.
        tables: The names of the tables of a store.
        max_version: The newest version of the schema of a store.
    Raises: OSError.
    """
    with path.open("rb") as file:
        start = file.read(_HEADER_BYTES)
        # Other formats begin with NUL bytes, too, such as images of disks.
        is_empty = not any(start) and _has_only_nul_bytes(file)
    has_tables = b"CREATE " in start and any(table in start for table in tables)
    if not start.startswith(_MAGIC):
        # An empty file is one that a store creates. A page of a database has NUL bytes, and a text has none.
        return not is_empty and not (has_tables and b"\0" in start)
    version, application = start[_USER_VERSION], start[_APPLICATION_ID]
    if any(application) or int.from_bytes(version) > max_version:
        return True
    return b"CREATE " in start and not has_tables


def _has_only_nul_bytes(file: BinaryIO) -> bool:
    for _ in range(_MAX_NUL_PARTS):
        part = file.read(_PART_BYTES)
        if not part:
            return True
        if part.count(0) < len(part):
            return False
    return False


def move_corrupt_file(path: Path, identity: Identity, *, timeout: float) -> Path | None:
    """Rename a corrupt file and its logs to `NAME.corrupt-TIME`, create an empty one, and delete old such files.

    Args:
        path: The file.
        identity: The identity of the file that is corrupt.
        timeout: Seconds to wait for other processes that move the file.
    Returns: The new path, or None if another process has replaced the file.
    Raises: OSError, sqlite3.Error: The file cannot be moved, as in a read-only folder or if Windows has it open.
    """
    # A symbolic link stays, and its target is replaced.
    path = Path(os.path.realpath(path))
    lock = f"{path}-lock"
    with closing(FileLock(lock, timeout=timeout)):
        if file_identity(path) != identity:
            return None
        target = _unused_path(path)
        for log in _LOGS:
            # First, because a log without its file is deleted, and a file with the log of another one is corrupt.
            with suppress(FileNotFoundError):
                Path(f"{path}{log}").rename(f"{target}{log}")
        path.rename(target)
        with suppress(OSError):
            # Empty, with the owner and the permissions of the other one, for all who share it.
            create_file_like(path, target).close()
        _delete_old_files(path)
        return target


def _unused_path(path: Path) -> Path:
    while True:
        target = path.with_name(f"{path.name}.corrupt-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
        if not target.exists():
            return target


def _delete_old_files(path: Path) -> None:
    moved = [
        other
        for other in path.parent.iterdir()
        if other.name.startswith(path.name) and _NAME_END.fullmatch(other.name.removeprefix(path.name))
    ]
    # A moved file has the time of its last change, and its name has that of the move.
    for old in sorted(moved)[:-MAX_CORRUPT_FILES]:
        for end in ("", *_LOGS):
            with suppress(OSError):
                Path(f"{old}{end}").unlink()
