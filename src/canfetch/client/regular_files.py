"""Open regular files only: a pipe in a folder would block its readers. Replace files, and notice replaced ones."""

import errno
import io
import os
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from canfetch.client.private_files import PRIVATE_FILE_MODE, copy_permissions

TEMPORARY_PREFIX: Final = ".canfetch-"
"""How the name of a file begins that is not complete yet."""
# Without O_NONBLOCK, opening a named pipe waits for a writer. Windows has no such pipes, but needs O_BINARY.
_OPEN_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_regular_file(path: Path) -> io.BufferedReader:
    """Open a file for reading. Symbolic links are followed.

    Raises: OSError: The file cannot be opened, or is a directory, a named pipe, a socket or a device.
    """
    # Sockets cannot be opened, and opening a device can have effects. The check of the open file is the reliable one.
    _check_regular(path.stat(), path)
    descriptor = os.open(path, _OPEN_FLAGS)
    try:
        _check_regular(os.fstat(descriptor), path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_regular(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        code = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
        raise OSError(code, "not a regular file", str(path))


def is_same_file(path: Path, identity: os.stat_result) -> bool:
    """Return whether a path still leads to a file, or it cannot be known, as without permission for its folder."""
    try:
        return os.path.samestat(path.stat(), identity)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def create_file_like(path: Path, target: Path, *, is_private: bool = False) -> BinaryIO:
    """Create a file that replaces another one, with its owner, group and mode where that is possible.

    Args: is_private: Let only this user read the file.
    Raises: OSError.
    """
    status = target.stat() if target.exists() and not is_private else None
    # Nobody may open it with more permissions than it will have. A new file has those of any file of the user.
    mode = PRIVATE_FILE_MODE if is_private or status else 0o666
    stream = open(path, "xb", opener=partial(os.open, mode=mode))  # noqa: SIM115 - the caller closes it
    if status:
        copy_permissions(status, stream.fileno(), stat.S_IMODE(status.st_mode))
    return stream


def replace_file(path: str | os.PathLike[str], content: bytes, *, previous: bytes | None = None) -> None:
    """Write a file, or replace its content at once and keep its owner and permissions. Symbolic links are followed.

    Args: previous: The content that is replaced. If the file has other content by then, it is not replaced.
    Raises: OSError: The file cannot be written; it is unchanged then.
    """
    target = follow_links(path)
    temporary = target.with_name(f"{TEMPORARY_PREFIX}{os.urandom(8).hex()}")
    try:
        with create_file_like(temporary, target) as opened:
            # Fails if the file is read-only: its content is protected.
            temporary.open("r+b").close()
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        if previous is not None:
            _check_content(Path(path), previous)
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def follow_links(path: str | os.PathLike[str]) -> Path:
    """Return the file that a name leads to.

    Raises: PermissionError: The name is a link that another user may have put into a folder such as /tmp. Linux does
        not open files through such links either.
    """
    link = Path(path)
    if link.is_symlink():
        folder = link.parent.stat()
        is_shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
        if is_shared and link.lstat().st_uid not in {folder.st_uid, os.geteuid()}:
            raise PermissionError(errno.EACCES, "it is a symbolic link of another user")
    return Path(os.path.realpath(path))


def _check_content(path: Path, expected: bytes) -> None:
    with open_regular_file(path) as opened:
        is_same = opened.read(len(expected) + 1) == expected
    if not is_same:
        raise OSError(errno.EBUSY, "it has changed since it was read: run the command again")
