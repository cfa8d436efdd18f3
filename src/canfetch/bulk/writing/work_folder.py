"""The folder of an unfinished output: parts, and the settings that they were made with.

`OUT` is written as `OUT.partial/part-*`, and appears as a whole at the end. If the process is killed, the folder
remains, and the same command continues after the last complete part.
"""

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from canfetch.bulk.writing.part_writers import TEMPORARY_SUFFIX, join_parts, replaced
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_SUFFIX: Final = ".partial"
_SETTINGS: Final = "settings.json"
_LOCK: Final = "lock"
_PART: Final = "part-"
_PART_NAMES: Final = (_PART, "counts-")
# The names of all files that a run writes in its folder, apart from the lock.
_OWN_NAMES: Final = (*_PART_NAMES, "captures.sqlite", "duckdb", _SETTINGS)


class WorkFolder:
    """The folder next to an output file in which its parts are written.

    Args:
        output: The output file.
        format: Its format.
        settings: What the output depends on, as values of JSON. Parts of other settings are not continued. If there
            are none, the folder is used for these settings.
        restart: Remove the parts of an earlier run.
    Raises: InvalidOption: The folder belongs to a run with other settings, or a process writes to it now.
        OSError: The folder cannot be written.
    """

    def __init__(self, output: Path, format: str, settings: dict[str, Any], *, restart: bool) -> None:  # noqa: A002
        self.output = output
        self.format = format
        self.path = output.with_name(output.name + _SUFFIX)
        self.path.mkdir(exist_ok=True)
        self._lock = _lock(self.path / _LOCK)
        recorded = self.path / _SETTINGS
        try:
            previous = json.loads(recorded.read_bytes())
        except (FileNotFoundError, ValueError):
            previous = None
        self.is_resumed = not restart and previous == json.loads(json.dumps(settings))
        if self.is_resumed:
            return
        if previous is not None and not restart and self._has_any_part():
            self.close()
            raise InvalidOption(
                f"{quoted(str(self.path))} belongs to a run with other inputs or options: "
                "pass --restart to remove it, or repeat that run to finish it"
            )
        # Without a complete part, the other run has written nothing that is worth keeping.
        self._remove_files()
        with replaced(recorded) as stream:
            stream.write(json.dumps(settings).encode())

    def part(self, number: int) -> Path:
        """Return the path of a part."""
        return self.path / f"{_PART}{number:08d}.{self.format}"

    def has_part(self, number: int) -> bool:
        """Return whether a part is complete."""
        return self.part(number).exists()

    def _has_any_part(self) -> bool:
        names = (path.name for path in self.path.iterdir())
        return any(name.startswith(_PART_NAMES) and not name.endswith(TEMPORARY_SUFFIX) for name in names)

    def finish(self, part_count: int) -> None:
        """Write the output from its parts, and remove the folder."""
        join_parts(map(self.part, range(part_count)), self.output, self.format)
        self._remove_files()
        self.close()
        with suppress(OSError):
            (self.path / _LOCK).unlink()
            self.path.rmdir()

    def _remove_files(self) -> None:
        """Remove the files of this module and its callers. Others in the folder are not touched."""
        for path in list(self.path.iterdir()):
            if not path.name.startswith(_OWN_NAMES):
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the folder, which keeps its parts."""
        with suppress(OSError):
            os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lock(path: Path) -> int:
    """Open a file that only one process can have open. The system releases it when the process ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        return descriptor
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise InvalidOption(f"another process writes to {quoted(str(path.parent))}") from None
    return descriptor
