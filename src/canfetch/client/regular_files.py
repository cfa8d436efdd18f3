"""Open regular files only: a pipe in a folder would block its readers. Replace files, and notice replaced ones."""

import errno
import io
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from canfetch.client.private_files import create_private_file

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


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, or replace its content at once and keep its permissions. Symbolic links are followed.

    Raises: OSError: The file cannot be written; it is unchanged then.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f"{TEMPORARY_PREFIX}{os.urandom(8).hex()}")
    try:
        if target.exists():
            # Nobody may open it with more permissions than it will have.
            create_private_file(temporary)
            temporary.chmod(target.stat().st_mode & 0o7777)
        with temporary.open("ab") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
