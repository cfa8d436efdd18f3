"""Files that only their owner may read: what a crawler fetched, decided and plans is nobody else's business.

Windows has no such modes. There, a file has the permissions of its folder.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

PRIVATE_FILE_MODE: Final = 0o600
_FOLDER_MODE: Final = 0o700


def create_private_file(path: str | os.PathLike[str]) -> None:
    """Create an empty file with mode 0600 if it does not exist. SQLite gives its logs the mode of their database.

    The mode of an existing file belongs to its owner, and is not changed.

    Raises: OSError.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE_MODE))


def create_private_folder(path: str | os.PathLike[str]) -> None:
    """Create a folder and its parents with mode 0700 where they do not exist.

    Raises: OSError.
    """
    folder = Path(path)
    # `Path.mkdir` gives the mode to the last folder only.
    for parent in reversed(folder.parents):
        if not parent.exists():
            parent.mkdir(_FOLDER_MODE, exist_ok=True)
    folder.mkdir(_FOLDER_MODE, exist_ok=True)
