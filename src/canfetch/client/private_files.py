"""Files that only their owner may read: what a crawler fetched, decided and plans is private.

Windows has no such modes. There, a file has the permissions of its folder.
"""

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

PRIVATE_FILE_MODE: Final = 0o600
SPACE_ADVICE: Final = "free some space, or use another disk"
_FOLDER_MODE: Final = 0o700
_KINDS: Final = (
    (stat.S_ISREG, "is a file"),
    (stat.S_ISDIR, "is a directory"),
    (stat.S_ISFIFO, "is a named pipe"),
    (stat.S_ISSOCK, "is a socket"),
)
_FULL_CODES: Final = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG})


def create_private_file(path: str | os.PathLike[str]) -> None:
    """Create an empty file with mode 0600 if it does not exist. SQLite gives its logs the mode of their database.

    The mode of an existing file belongs to its owner, and is not changed. If the path is a symbolic link to a missing
    file, that file is created.

    Raises: OSError.
    """
    with suppress(FileExistsError):
        # O_EXCL does not follow symbolic links, and SQLite would create their targets with another mode.
        os.close(os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE_MODE))


def copy_permissions(file: os.stat_result, descriptor: int, mode: int) -> None:
    """Give an open file the owner and the group of another file, as far as the process may do so, and then a mode.

    If the group cannot be kept, its permissions are not given to another one: the group and all others get only those
    that both have in `mode`. Setuid and setgid bits are not kept.
    """
    if sys.platform == "win32":
        return
    # Before the mode, because the first group must not get permissions.
    for owner, group in ((-1, file.st_gid), (file.st_uid, -1)):
        with suppress(OSError):
            os.fchown(descriptor, owner, group)
    if os.fstat(descriptor).st_gid != file.st_gid:
        common = mode & mode >> 3 & stat.S_IRWXO
        mode = mode & stat.S_IRWXU | common << 3 | common
    with suppress(OSError):
        os.fchmod(descriptor, mode & 0o777)


def create_private_folder(path: str | os.PathLike[str]) -> None:
    """Create a folder and its parents with mode 0700 where they do not exist.

    Raises: OSError: Such as NotADirectoryError, if there is something else with the name of a folder.
    """
    folder = Path(path)
    try:
        # `Path.mkdir` gives the mode to the last folder only.
        for parent in reversed(folder.parents):
            if not parent.exists():
                parent.mkdir(_FOLDER_MODE, exist_ok=True)
        folder.mkdir(_FOLDER_MODE, exist_ok=True)
    except FileExistsError as error:
        found = kind_of_path(error.filename) or "is not a folder"
        raise NotADirectoryError(errno.ENOTDIR, f"{error.filename!r} {found}, expected a folder") from None


def kind_of_path(path: str | os.PathLike[str]) -> str | None:
    """Return what is at a path, as the end of a sentence, or None if that is nothing, or unknown."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError) as error:
        return "is a circle of symbolic links" if getattr(error, "errno", None) == errno.ELOOP else None
    return next((text for is_kind, text in _KINDS if is_kind(mode)), "is a device")


def os_reason(error: OSError) -> str:
    """Return the message of an error of the system, with the fix if there is no space."""
    reason = error.strerror or str(error) or type(error).__name__
    return f"{reason}: {SPACE_ADVICE}" if error.errno in _FULL_CODES else reason
