"""The folder of an unfinished output: parts, and the settings that they were made with.

`OUT` is written as `OUT.partial/part-*`, and appears as a whole at the end. If the process fails or is killed,
the folder remains, and the same command writes the parts that are missing or damaged.
"""

import errno
import json
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from canfetch.bulk.writing.part_files import PartFiles, remove
from canfetch.bulk.writing.part_writers import TEMPORARY_SUFFIX, join_parts, replaced
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_SUFFIX: Final = ".partial"
_SETTINGS: Final = "settings.json"
_LOCK: Final = "lock"
_LOCKED: Final = frozenset([errno.EACCES, errno.EAGAIN])
# Other processes can only disturb a few attempts in a row.
_ATTEMPTS: Final = 100
_JOINED: Final = f"part-joined{TEMPORARY_SUFFIX}"
_PART_NAMES: Final = ("part-", "done-", "counts-")
# The names of all files that a run writes in its folder, apart from the lock.
_OWN_NAMES: Final = (*_PART_NAMES, "captures.sqlite", "duckdb", _SETTINGS)


class WorkFolder:
    """The folder next to an output file in which its parts are written.

    Args:
        output: The output file.
        format: Its format.
        settings: What the output depends on, as values of JSON. Parts that were written with other settings are not
            continued. A new folder is used for these settings.
        restart: Remove the parts of an earlier run.
    Raises: InvalidOption: The folder belongs to a run with other settings or to another user, or a process writes to it
        now.
        OSError: The folder cannot be written.
    """

    def __init__(self, output: Path, format: str, settings: dict[str, Any], *, restart: bool) -> None:  # noqa: A002
        self.output = output
        self.format = format
        self.path = output.with_name(output.name + _SUFFIX)
        self._lock: int | None = _lock(self.path)
        self.parts = PartFiles(self.path.absolute(), format)
        recorded = self.path / _SETTINGS
        try:
            previous = json.loads(recorded.read_bytes())
        except (FileNotFoundError, IsADirectoryError, ValueError, RecursionError):
            previous = None
        self.is_resumed = not restart and previous == json.loads(json.dumps(settings))
        if self.is_resumed:
            return
        if previous is not None and not restart and self.has_any_part():
            self.close()
            raise InvalidOption(
                f"{quoted(str(self.path))} belongs to a run with other inputs or options: "
                "pass --restart to remove it, or repeat that run to finish it"
            )
        # Without a complete part, the other run has written nothing that is worth keeping.
        self._remove_files()
        try:
            with replaced(recorded) as stream:
                stream.write(json.dumps(settings).encode())
        except OSError:
            self.discard()
            raise

    def has_any_part(self) -> bool:
        """Return whether there is a part, which may be damaged."""
        names = [path.name for path in self.path.iterdir()] if self.path.is_dir() else []
        return any(name.startswith(_PART_NAMES) and not name.endswith(TEMPORARY_SUFFIX) for name in names)

    def finish(self, part_count: int) -> None:
        """Write the output from its parts, and remove the folder.

        Raises: StoreError: A part was damaged after it had been written.
        """
        # A temporary file next to the output could replace a file of the user.
        temporary = self.path / _JOINED
        join_parts(map(self.parts.path, range(part_count)), self.output, self.format, temporary)
        self.discard()

    def discard(self) -> None:
        """Remove the folder, unless it has files of others, and release it."""
        self._remove_files()
        if os.name == "nt":
            # Open files cannot be removed.
            self.close()
        # Elsewhere, the lock is held until its file is removed: later, it may be the lock of another process.
        with suppress(OSError):
            (self.path / _LOCK).unlink()
            self.path.rmdir()
        self.close()

    def _remove_files(self) -> None:
        """Remove the files of this module and its callers. Other files in the folder are not touched."""
        for path in list(self.path.iterdir()):
            if path.name.startswith(_OWN_NAMES):
                remove(path)

    def close(self) -> None:
        """Release the folder, which keeps its parts."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lock(folder: Path) -> int:
    """Create a folder and open its lock file, which only one process has open. The system releases it at the end."""
    path = folder / _LOCK
    while True:
        descriptor = _open_lock_file(path)
        try:
            import fcntl  # noqa: PLC0415 - not on Windows
        except ImportError:
            return descriptor
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _LOCKED:
                os.close(descriptor)
                raise InvalidOption(f"another process writes to {quoted(str(folder))}") from None
            # Some network file systems have no locks.
        if _is_file(path, descriptor):
            return descriptor
        # The other process has finished, and removed its lock file in between.
        os.close(descriptor)


def _open_lock_file(path: Path) -> int:
    failures = 0
    while True:
        try:
            try:
                path.parent.mkdir()
            except FileExistsError:
                if not path.parent.is_dir():
                    raise
                _check_owner(path.parent)
            return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except (FileExistsError, FileNotFoundError):
            # Another process may have finished, and removed the folder in between.
            failures += 1
            if failures == _ATTEMPTS:
                raise


def _check_owner(folder: Path) -> None:
    """Check that no other user has created a folder, to replace the files in it by links or by other files.

    Some network file systems show other owners, so only a folder that others can write to is checked.

    Raises: InvalidOption.
    """
    is_shared = folder.parent.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if os.name == "posix" and is_shared and folder.lstat().st_uid != os.geteuid():
        raise InvalidOption(f"{quoted(str(folder))} belongs to another user, who could change the output: remove it")


def _is_file(path: Path, descriptor: int) -> bool:
    """Return whether a path leads to an open file."""
    with suppress(FileNotFoundError):
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    return False
