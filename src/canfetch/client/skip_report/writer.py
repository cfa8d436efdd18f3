"""Write a skip report: one line for each URL, to a file that threads and processes can share."""

import errno
import json
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from canfetch.client.argument_checks import check_callable, check_path
from canfetch.client.forking import reset_on_fork
from canfetch.client.private_files import PRIVATE_FILE_MODE, SPACE_ADVICE, create_private_folder, os_reason
from canfetch.client.procedure import Clock
from canfetch.client.skip_report.reader import MAX_LINE_BYTES, is_report_line
from canfetch.client.skip_report.skipped_page import encode_header, encode_page, skipped_page
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Verdict
from canfetch.errors import SkipReportError

if TYPE_CHECKING:
    from canfetch.client.frontier import SkippedURL

# O_NONBLOCK: a named pipe is refused, and opening one must not wait. Windows needs O_BINARY.
_OPEN_FLAGS: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
# A file system without locks, such as that of some networks.
_NO_LOCKS: Final = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL})


class SkipReport:
    """Append the URLs that a crawl does not fetch to a file, in the form of Browsertrix's `skippedPages.jsonl`.

    When `record` returns, the operating system has the line, and the line survives a crash of the process. Threads and
    processes can write to the same file: each line is one write, under a lock of the file. If a process is killed while
    it writes, at most its line is cut. The next line removes the cut one, and readers report it.

    The file can only be read by its owner. It has a header from the start, also if nothing is skipped.

    Args:
        path: The file, such as `reports/skippedPages.jsonl`. Its folder is created if it does not exist.
        clock: Returns the current time in seconds since the epoch.
    Raises: InvalidOption: The path or the clock is invalid. SkipReportError: The file cannot be written, or is not a
        skip report.
    """

    def __init__(self, path: str | os.PathLike[str], *, clock: Clock = time.time) -> None:
        check_callable("clock", clock)
        # Processes change their working directory.
        self.path: Path = check_path("path", path).absolute()
        self._clock = clock
        self._lock = threading.Lock()
        self._file: int | None = None
        self._is_closed = False
        # The size after the last own line. A file of another size may end with a cut line.
        self._size = -1
        # Whether the open file is known to be a skip report.
        self._is_checked = False
        self._append(b"")
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Open the file again in the child. A lock of the file is shared by all who inherit its descriptor."""
        self._lock = threading.Lock()
        self._release()

    def record(
        self,
        url: AnyURL,
        verdict: Verdict | None = None,
        *,
        error: str | None = None,
        seed_url: str = "",
        depth: int | None = None,
    ) -> None:
        """Append a URL that is not fetched.

        Args:
            url: The URL. Its user information is written as `***`.
            verdict: The verdict that disallows it, or None if the URL is invalid.
            error: Why the URL is invalid.
            seed_url: The start of the crawl that led to it, if it is known.
            depth: The number of links from there, if it is known. 0 is the start itself.
        Raises: SkipReportError: The report is closed, or the file cannot be written. The URL is not in the report then.
        Cost: One write.
        """
        page = skipped_page(url, verdict, at=self._clock(), error=error, seed_url=seed_url, depth=depth)
        line = encode_page(page)
        with self._lock:
            if self._is_closed:
                raise SkipReportError(f"{self.path}: skip report is closed")
            self._append(line)

    def on_skip(self, skipped: "SkippedURL") -> None:
        """Append a URL that a frontier drops: `Frontier(client, on_skip=report.on_skip)`.

        Raises: SkipReportError: As for `record`.
        """
        self.record(skipped.url, skipped.verdict, error=skipped.error)

    def close(self) -> None:
        """Close the file. A closed report can no longer record."""
        with self._lock:
            self._release()
            self._is_closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, line: bytes) -> None:
        try:
            self._append_to_file(line)
        except SkipReportError:
            raise
        except OSError as error:
            raise SkipReportError(f"cannot write the skip report {self.path}: {os_reason(error)}") from None

    def _append_to_file(self, line: bytes) -> None:
        if self._file is not None and os.fstat(self._file).st_nlink == 0:
            # The file was deleted, for example with the folder of an older crawl.
            self._release()
        if self._file is None:
            create_private_folder(self.path.parent)
            self._file = self._open()
        file = self._file
        with _locked(file):
            size = os.fstat(file).st_size
            # Other processes usually leave whole lines.
            if size != self._size and not (self._is_checked and size and _read_at(file, size - 1, 1) == b"\n"):
                size = self._repair(file, size)
            self._is_checked = True
            data = line if size else encode_header() + line
            if data:
                self._write(file, data, size)
            self._size = size + len(data)

    def _open(self) -> int:
        file = os.open(self.path, _OPEN_FLAGS, PRIVATE_FILE_MODE)
        if stat.S_ISREG(os.fstat(file).st_mode):
            return file
        os.close(file)
        raise SkipReportError(f"cannot write the skip report {self.path}: not a regular file")

    def _release(self) -> None:
        if self._file is not None:
            os.close(self._file)
        self._file, self._size, self._is_checked = None, -1, False

    def _repair(self, file: int, size: int) -> int:
        """Remove a cut line at the end, and return the new size.

        Raises: SkipReportError: The file is something else, which is not changed.
        """
        if not size:
            return 0
        start = _read_at(file, 0, MAX_LINE_BYTES)
        first, newline, _ = start.partition(b"\n")
        if not newline and encode_header().startswith(start):
            # The process that created the file was killed.
            os.ftruncate(file, 0)
            return 0
        if not is_report_line(first):
            raise SkipReportError(f"cannot write to {self.path}: it is not a skip report, choose another name")
        end = _read_at(file, max(0, size - MAX_LINE_BYTES), MAX_LINE_BYTES)
        if end.endswith(b"\n"):
            return size
        cut = end[end.rfind(b"\n") + 1 :]
        if _is_json(cut):
            # Only the end of the line is missing.
            self._write(file, b"\n", size)
            return size + 1
        os.ftruncate(file, size - len(cut))
        return size - len(cut)

    def _write(self, file: int, data: bytes, size: int) -> None:
        """Append bytes. If only a part of them can be written, it is removed."""
        try:
            if os.write(file, data) == len(data):
                return
        except OSError:
            self._truncate(file, size)
            raise
        self._truncate(file, size)
        raise SkipReportError(
            f"cannot write the skip report {self.path}: only a part of the line could be written: {SPACE_ADVICE}"
        )

    def _truncate(self, file: int, size: int) -> None:
        self._size = -1
        with suppress(OSError):
            os.ftruncate(file, size)


@contextmanager
def _locked(file: int) -> Iterator[None]:
    """Hold the lock of a file, which the system releases if the process ends. Windows has none."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        yield
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        yield
        return
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def _read_at(file: int, position: int, number: int) -> bytes:
    # Not `pread`, which Windows does not have. Each write goes to the end in any case.
    os.lseek(file, position, os.SEEK_SET)
    return os.read(file, number)


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
