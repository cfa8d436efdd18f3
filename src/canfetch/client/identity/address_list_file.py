"""The file with the published addresses of crawlers."""

import os
import time
from pathlib import Path
from typing import Final

from canfetch.agents.address_lists import AddressLists, parse_address_lists
from canfetch.client.procedure import Clock
from canfetch.client.watched_file import WatchedFile

# All lists of the registry together have about 100 KB.
MAX_FILE_BYTES: Final = 16 * 1024 * 1024


class AddressListFile:
    """The lists in a file that `refresh_address_lists` wrote, read again when the file changes.

    If the file vanishes or becomes invalid, the last good lists stay in use, and the problem is logged.

    Args:
        path: The path of the file.
        clock: Returns seconds since the epoch.
    Raises: InvalidAddressList: The file is invalid; OSError: It cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str], *, clock: Clock = time.time) -> None:
        self._file = WatchedFile(Path(path), parse_address_lists, max_bytes=MAX_FILE_BYTES, clock=clock)

    def current(self) -> AddressLists:
        """Return the lists."""
        return self._file.current()
