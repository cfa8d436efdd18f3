"""The robots.txt files of groups that wait for the turns for which the files were obtained.

A crawl can have any number of groups. If files were obtained for all of them before the first turn, they would not
fit into memory, and the first ones would have to be obtained again. So a file is kept until its turn, and no check is
started while many files wait.
"""

from heapq import heappop, heappush
from math import inf
from typing import Final, NamedTuple

from canfetch.access.pacing import Pace
from canfetch.client.origin_state import OriginState

_MAX_FILES: Final = 2000
_MAX_BYTES: Final = 32 * 1024 * 1024


class CheckedOrigin(NamedTuple):
    """The state of an origin, and the limits that its file sets.

    Attributes: usable_until: Until when the state can be used once, although its file has expired.
    """

    state: OriginState
    pace: Pace
    usable_until: float = -inf

    @property
    def memory_bytes(self) -> int:
        """The approximate memory of the state, in bytes."""
        file = self.state.file
        return self.state.memory_bytes + (0 if file is None else len(file.content))


class AwaitedFile(NamedTuple):
    """The file of an origin of a group."""

    name: str
    checked: CheckedOrigin


class AwaitedFiles:
    """The files, at most one for each group.

    Args: max_due: The number of files whose groups can have their turns, from which no more should be obtained.
    """

    def __init__(self, max_due: int) -> None:
        self._max_due = max_due
        self._files: dict[int, AwaitedFile] = {}
        self._bytes = 0
        # When groups can have their turns, and those that can.
        self._times: list[tuple[float, int]] = []
        self._due: set[int] = set()

    def add(self, group: int, file: AwaitedFile) -> AwaitedFile | None:
        """Keep the file of a group, and return the one that it replaces."""
        replaced = self.pop(group)
        self._files[group] = file
        self._bytes += file.checked.memory_bytes
        self._due.add(group)
        return replaced

    def set_due(self, group: int, due_at: float) -> None:
        """Note when a group can have its turn, in the time of the frontier."""
        if group in self._files:
            self._due.discard(group)
            heappush(self._times, (due_at, group))

    def pop(self, group: int) -> AwaitedFile | None:
        """Remove the file of a group, and return it."""
        file = self._files.pop(group, None)
        if file is not None:
            self._bytes -= file.checked.memory_bytes
            self._due.discard(group)
        return file

    def is_full(self, now: float) -> bool:
        """Return whether no more files should be obtained now."""
        while self._times and self._times[0][0] <= now:
            _, group = heappop(self._times)
            if group in self._files:
                self._due.add(group)
        return len(self._due) >= self._max_due or len(self._files) >= _MAX_FILES or self._bytes >= _MAX_BYTES

    def clear(self) -> None:
        """Remove all files."""
        self._files.clear()
        self._times.clear()
        self._due.clear()
        self._bytes = 0
