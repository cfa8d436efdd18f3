"""The robots.txt files that decisions depend on, each stored once in a file named by its hash."""

import errno
import os
from pathlib import Path
from typing import Final

from canfetch.client.evidence.chain import CONTENT_FOLDER
from canfetch.errors import EvidenceError

# Hashes of files known to exist, which need no look at the disk. The set is cleared when it is full.
_MAX_STORED_HASHES: Final = 65_536


class ContentFiles:
    """Stores robots.txt files next to the segments.

    Args:
        folder: The folder of the segments.
        durable: Wait for the disk after every new file.
    """

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._folder = folder / CONTENT_FOLDER
        self._durable = durable
        self._stored_hashes: set[str] = set()

    def create_folder(self) -> None:
        """Create the folder of the files, and its parents.

        Raises: OSError: It cannot be created, or is a symbolic link: the files would not be part of the evidence.
        """
        if self._folder.is_symlink():
            raise OSError(errno.ELOOP, f"{CONTENT_FOLDER!r} is a symbolic link, expected a folder")
        self._folder.mkdir(parents=True, exist_ok=True)

    def store(self, sha256: str, content: bytes) -> None:
        """Store a file, unless it exists.

        Raises: EvidenceError.
        """
        if sha256 in self._stored_hashes:
            return
        if len(self._stored_hashes) == _MAX_STORED_HASHES:
            self._stored_hashes.clear()
        path = self._folder / sha256
        try:
            if not path.exists():
                self._write(path, content)
        except OSError as error:
            raise EvidenceError(f"{path}: decision not recorded: cannot store robots.txt: {error.strerror}") from None
        self._stored_hashes.add(sha256)

    def _write(self, path: Path, content: bytes) -> None:
        temporary = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
        with temporary.open("wb") as file:
            file.write(content)
            if self._durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
        if self._durable:
            sync_folder(self._folder)


def sync_folder(folder: Path) -> None:
    """Wait until the names of new files in `folder` are on the disk. Windows does this itself.

    Raises: OSError.
    """
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
