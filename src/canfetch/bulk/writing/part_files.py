"""The files of parts, each with a receipt: a part that was changed since it was written is recognised."""

import json
import shutil
import zlib
from pathlib import Path
from typing import Any, Final, NamedTuple

from canfetch.bulk.writing.part_writers import replaced

_READ_BYTES: Final = 1 << 20


class Receipt(NamedTuple):
    """The record of a complete part: its size in bytes, its CRC-32, and what its writer returned."""

    size: int
    checksum: int
    result: Any


class PartFiles(NamedTuple):
    """The parts in a folder, for the processes that write them.

    Attributes:
        folder: The folder.
        format: The format of the parts.
    """

    folder: Path
    format: str

    def path(self, number: int) -> Path:
        """Return the path of a part."""
        return self.folder / f"part-{number:08d}.{self.format}"

    def _receipt_path(self, number: int) -> Path:
        return self.folder / f"done-{number:08d}.json"

    def complete(self, number: int, result: Any = None) -> None:
        """Record that a part is complete.

        Args: result: A value of JSON, which its receipt has.
        """
        size, checksum = _measure(self.path(number))
        write_checked(self._receipt_path(number), [size, checksum, result])

    def receipt(self, number: int) -> Receipt | None:
        """Return the receipt of a part that is complete and as it was written.

        Otherwise, remove the part, and return None.
        """
        fields = read_checked(self._receipt_path(number))
        path = self.path(number)
        if fields is not None:
            receipt = Receipt(*fields)
            try:
                if path.stat().st_size == receipt.size and _measure(path) == receipt[:2]:
                    return receipt
            except OSError:
                # It does not exist, or cannot be read.
                pass
        remove(path)
        return None


def _measure(path: Path) -> tuple[int, int]:
    """Return the size and the CRC-32 of a file."""
    size = checksum = 0
    with path.open("rb") as stream:
        while data := stream.read(_READ_BYTES):
            size += len(data)
            checksum = zlib.crc32(data, checksum)
    return size, checksum


def write_checked(path: Path, value: Any) -> None:
    """Write a value of JSON and its checksum to a file that no other process writes."""
    content = json.dumps(value).encode()
    with replaced(path) as stream:
        stream.write(b"%08x %b" % (zlib.crc32(content), content))


def read_checked(path: Path) -> Any:
    """Return the value that `write_checked` wrote.

    If there is none or the file was changed, remove it, and return None.
    """
    try:
        checksum, _, content = path.read_bytes().partition(b" ")
        if b"%08x" % zlib.crc32(content) == checksum:
            return json.loads(content)
    except (OSError, ValueError, RecursionError):
        # It does not exist, is a folder, or cannot be read.
        pass
    remove(path)
    return None


def remove(path: Path) -> None:
    """Remove a file or a folder, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
