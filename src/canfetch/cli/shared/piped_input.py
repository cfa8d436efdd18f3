"""Data on standard input that a command without `-` would ignore."""

import os
import select
import stat
import sys
from typing import Final

# The command before a pipe can start later. Shells start all commands of a pipe at the same time.
_WAIT_SECONDS: Final = 0.2


def has_piped_data() -> bool:
    """Return whether standard input is a pipe or a file with data that nothing has read. No data is consumed.

    Terminals, closed and empty inputs have none. Schedulers and CI runners often leave a pipe open to which nothing is
    written, so a pipe is awaited only for a moment.
    """
    try:
        descriptor = sys.stdin.fileno()
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode):
            return os.lseek(descriptor, 0, os.SEEK_CUR) < status.st_size
        if not (stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)) or sys.platform == "win32":
            return False
        readable, _, _ = select.select([descriptor], [], [], _WAIT_SECONDS)
        return bool(readable) and _waiting_bytes(descriptor) > 0
    except (AttributeError, OSError, ValueError):
        # Closed, or replaced by an object without a descriptor.
        return False


def _waiting_bytes(descriptor: int) -> int:
    import fcntl  # noqa: PLC0415 - not on Windows
    import termios  # noqa: PLC0415 - as above

    answer = fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))
    return int.from_bytes(answer, sys.byteorder)
