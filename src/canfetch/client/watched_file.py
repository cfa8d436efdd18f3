"""A file that is read again when it changes.

The last good content stays in use while the file is missing or invalid. Replace the file atomically, with `os.replace`
or `mv`: a file that is written in place can be read half written, until its writer is done.
"""

import os
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final, Generic, TypeVar

from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.client.regular_files import open_regular_file
from canfetch.errors import CanfetchError

_Value = TypeVar("_Value")

# The time, size and inode of a file, and the time of the last change of these, of its content or of its permissions.
_Signature = tuple[int, int, int, int]
# A file that changed this recently can change again without another signature, because file systems round times.
_SETTLING_SECONDS: Final = 2.0


class WatchedFile(Generic[_Value]):
    """The parsed content of a file, read again if its content, time or permissions have changed.

    Safe for use by several threads, and after a fork: there is no lock, and at worst two threads read the same change.

    Args:
        path: The path of a regular file.
        parse: Turns the content into the value. It may raise a `CanfetchError`.
        max_bytes: Longer files are invalid.
        clock: Returns seconds since the epoch.
    Raises: OSError: The file cannot be read, or is too long. `parse` raised: the same exception.
    """

    def __init__(
        self,
        path: Path,
        parse: Callable[[bytes], _Value],
        *,
        max_bytes: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        # Servers may change their folder after the start.
        self.path = path.absolute()
        self._parse = parse
        self._max_bytes = max_bytes
        self._clock = clock
        self._problem: str | None = None
        # The signature of the last attempt, good or bad, and whether the file can change without another signature.
        self._seen: tuple[_Signature | None, bool] = (None, False)
        # The hash and the signature of the content that was parsed last, and the value or why there is none.
        self._parsed: tuple[tuple[bytes, _Signature], _Value | CanfetchError] | None = None
        self._value = self._read()
        self.reloads = 0
        self.failed_reloads = 0

    def current(self) -> _Value:
        """Return the value of the file as it is now, or the last good one.

        Cost: One system call. After a change, and for two seconds, the file is read as well. It is parsed once for each
            change.
        """
        try:
            signature = _signature(self.path.stat())
        except (OSError, ValueError) as error:
            self._seen = (None, False)
            self._report(str(getattr(error, "strerror", None) or error))
            return self._value
        seen, is_settled = self._seen
        if signature == seen and is_settled:
            return self._value
        try:
            value = self._read()
        except CanfetchError as error:
            self._report(str(error))
            # It is kept, and would keep what the caller has.
            error.__traceback__ = None
        except OSError as error:
            self._report(str(error.strerror or error))
        else:
            if signature != seen or self._problem is not None:
                self.reloads += 1
                CLIENT_LOGGER.info("read %s again", self.path)
            self._problem = None
            self._value = value
        return self._value

    def _read(self) -> _Value:
        with open_regular_file(self.path) as file:
            status = os.fstat(file.fileno())
            content = file.read(self._max_bytes + 1)
        is_settled = abs(self._clock() - status.st_mtime) > _SETTLING_SECONDS
        self._seen = (_signature(status), is_settled)
        if len(content) > self._max_bytes:
            raise OSError(0, f"longer than {self._max_bytes} bytes")
        return self._parse_once(content, status)

    def _parse_once(self, content: bytes, status: os.stat_result) -> _Value:
        """Return the value of content, which most readings of a file that was just changed have in common.

        `parse` may depend on the permissions of the file.
        """
        key = (sha256(content).digest(), _signature(status))
        parsed = self._parsed
        if parsed is None or parsed[0] != key:
            try:
                parsed = (key, self._parse(content))
            except CanfetchError as error:
                parsed = (key, error)
            self._parsed = parsed
        if isinstance(parsed[1], CanfetchError):
            raise parsed[1].with_traceback(None)
        return parsed[1]

    def _report(self, problem: str) -> None:
        # Logged once for each problem, not once for each request.
        if problem == self._problem:
            return
        self._problem = problem
        self.failed_reloads += 1
        CLIENT_LOGGER.error("%s: %s; the last good copy stays in use", self.path, problem)


def _signature(status: os.stat_result) -> _Signature:
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns
