"""IDs of the holders of leases. On Linux, an ID shows whether its process still runs.

A process that was killed releases nothing. A store that all processes of a machine use can end its leases at once, if
it is certain that the process has ended. The ID names the start of the system, the namespace of process numbers, and
the number and the start of the process. Other machines and containers, and a system that was started again, cannot be
judged.
"""

import os
import threading
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

_NUMBERS: Final = count(1)
_PROC: Final = Path("/proc")
_BOOT_ID: Final = _PROC / "sys/kernel/random/boot_id"
_PID_NAMESPACE: Final = _PROC / "self/ns/pid"
# Positions after the name of the program, which can contain spaces and parentheses: see proc_pid_stat(5).
_STATE: Final = 0
_START_TIME: Final = 19
_ENDED_STATES: Final = ("Z", "X", "x")


class _ProcessStatus(NamedTuple):
    state: str
    started_at: str


def new_holder() -> str:
    """Return the ID of a new holder in this process."""
    process = f"{_namespace()}/{os.getpid()}/{_started_at(os.getpid())}"
    return f"{process}:{threading.get_ident()}:{next(_NUMBERS)}:{os.urandom(4).hex()}"


def has_ended(holder: str) -> bool:
    """Return whether the process of a holder has certainly ended. The holder can be any text."""
    try:
        namespace, pid_text, started_at = holder.partition(":")[0].rsplit("/", 2)
        pid = int(pid_text)
    except ValueError:
        return False
    if not namespace or not started_at or namespace != _namespace() or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        # It runs as another user. Its status can be hidden.
        pass
    status = _status(pid)
    return status is not None and (status.state in _ENDED_STATES or status.started_at != started_at)


def _namespace() -> str:
    """Return what a process number is unique in, or an empty text if that is unknown."""
    try:
        return f"{_BOOT_ID.read_text(encoding='ascii').strip()}/{_PID_NAMESPACE.readlink()}".replace(":", "")
    except (OSError, ValueError):
        return ""


def _started_at(pid: int) -> str:
    status = _status(pid)
    return "" if status is None else status.started_at


def _status(pid: int) -> _ProcessStatus | None:
    try:
        fields = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return _ProcessStatus(fields[_STATE], fields[_START_TIME])
    except (OSError, IndexError):
        return None
