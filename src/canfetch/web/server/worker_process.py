"""A process that computes: it can be ended at any moment, and does not hold the interpreter lock of the server.

A computation is a function of a module and its arguments. The server and the process exchange frames, each a length and
a pickle. Both ends are this program, and no frame contains anything that a client has pickled.
"""

import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from typing import IO, Any, Final

from canfetch.errors import CanfetchError, WorkerKilled
from canfetch.web.server.error_places import describe_error

_LENGTH: Final = struct.Struct("<Q")
_BOOT: Final = "import sys; sys.path[:] = {path!r}; from canfetch.web.server.worker_process import main; main()"
# A new session has no terminal, so Ctrl-C ends only the server, which then ends its processes.
_DETACHED: Final[dict[str, Any]] = (
    {"start_new_session": True}
    if os.name == "posix"
    else {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
)


class ComputationFailed(Exception):
    """Raised for an unexpected error in a process. The message is its kind and place, and quotes no argument."""


class WorkerProcess:
    """A place for a process, which starts on its first use, and again after its end.

    Args: preload: A function of a module that imports what computations need.
    """

    def __init__(self, preload: Callable[[], object]) -> None:
        self._preload = preload
        self._calling = threading.Lock()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_killed = False
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The ID of the process, or None if it does not run."""
        process = self._process
        return None if process is None else process.pid

    def prepare(self) -> None:
        """Start the process, if it does not run or was killed. Blocks until it is ready.

        Raises: WorkerKilled; ComputationFailed.
        """
        with self._calling:
            if self._is_killed and self._process is not None:
                self._discard(self._process)
            self._is_killed = False
        if self._process is None:
            self.call(self._preload)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a function of a module. Blocks.

        Raises: WorkerKilled: The process was ended; ComputationFailed: An unexpected error; and each CanfetchError of
            the function.
        """
        with self._calling:
            return self._call(self._start(), function, arguments)

    def _call(self, process: subprocess.Popen[bytes], function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _write(process.stdin, (function, arguments))
            has_failed, value = _read(process.stdout)
        except (OSError, EOFError):
            self._discard(process)
            self._is_killed = False
            raise WorkerKilled("the process of a computation was ended") from None
        if has_failed:
            raise value
        return value

    def kill(self) -> None:
        """End the process, and the call that is blocked, or else the next call unless `prepare` is called before."""
        self._is_killed = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the process for good."""
        with self._lock:
            self._is_closed = True
        self.kill()
        # A call that is blocked discards its process itself.
        if self._calling.acquire(blocking=False):
            try:
                if self._process is not None:
                    self._discard(self._process)
            finally:
                self._calling.release()

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is not None and not self._is_killed and self._process.poll() is not None:
            # It ended between two calls.
            self._discard(self._process)
        with self._lock:
            if self._is_closed:
                raise WorkerKilled("the server is stopping")
            if self._process is None:
                command = [sys.executable, "-c", _BOOT.format(path=sys.path)]
                self._process = subprocess.Popen(  # noqa: S603 - this program
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **_DETACHED
                )
            if self._is_killed:
                self._process.kill()
            return self._process

    def _discard(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:
                # What was not sent is lost with the process.
                continue
        with self._lock:
            if self._process is process:
                self._process = None


def _write(stream: IO[bytes], value: Any) -> None:
    frame = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(frame)))
    stream.write(frame)
    stream.flush()


def _read(stream: IO[bytes]) -> Any:
    return pickle.loads(_read_exactly(stream, _LENGTH.unpack(_read_exactly(stream, _LENGTH.size))[0]))  # noqa: S301 - see above


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def main() -> None:
    """Compute until standard input is closed, which also ends a computation that runs."""
    if os.name == "posix":
        # Service managers send it to all processes. The server completes its requests first.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    # What a library prints must not get into the answers.
    os.dup2(2, 1)
    calls: queue.SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...]]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(calls,), name="canfetch-calls", daemon=True).start()
    while True:
        function, arguments = calls.get()
        _write(answers, _outcome(function, arguments))
        # The memory of a large file is freed before the next call.
        del function, arguments


def _receive(calls: "queue.SimpleQueue[Any]") -> None:
    try:
        while True:
            calls.put(_read(sys.stdin.buffer))
    except EOFError:
        os._exit(0)
    except BaseException:  # noqa: BLE001 - unpickling can raise anything
        # A function that this process does not find. Otherwise the call would wait forever.
        traceback.print_exc()
        os._exit(1)


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """Return whether a function failed, and its result or error."""
    try:
        return False, function(*arguments)
    except CanfetchError as error:
        return True, _sendable(error)
    except Exception as error:  # noqa: BLE001 - its message could quote a draft
        return True, ComputationFailed(describe_error(error))


def _sendable(error: CanfetchError) -> Exception:
    """Return an error in a form that can be pickled: itself, unless its constructor has required options."""
    try:
        copy: CanfetchError = pickle.loads(pickle.dumps(error))  # noqa: S301 - written here
    except Exception:  # noqa: BLE001 - whatever the constructor raises
        return ComputationFailed(describe_error(error))
    return copy
