"""One fault, one finding: which findings are dropped because another one on the same line has the same cause."""

from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet

from canfetch.lint.check import AnyOccurrence, LineOccurrence
from canfetch.lint.check_entry import CheckEntry
from canfetch.lint.linted_file import LintedFile


def _union(sets: list[set[int]]) -> AbstractSet[int]:
    return sets[0] if len(sets) == 1 else frozenset().union(*sets)


class ReportedLines:
    """The lines that the findings of superseding checks are about.

    Args:
        file: The file.
        superseding: The codes of the checks that run and supersede another one that runs.
    """

    def __init__(self, file: LintedFile, superseding: Collection[str]) -> None:
        self._file = file
        self._lines: dict[str, set[int]] = {code: set() for code in superseding}
        self._unread: dict[str, Iterator[AnyOccurrence]] = {}

    def without_superseded(self, check: CheckEntry, occurrences: Iterable[AnyOccurrence]) -> Iterator[AnyOccurrence]:
        """Yield the occurrences that no finding of another check explains, and note their lines.

        The checks that supersede this one must have run before, and their remaining occurrences must have been passed
        to `read_later`.
        """
        superseding = [code for code in check.superseded_by if code in self._lines]
        own = self._lines.get(check.code)
        explained: AbstractSet[int] | None = None
        for one in occurrences:
            if explained is None:
                explained = _union([lines for code in superseding if (lines := self._complete_lines(code))])
            if isinstance(one, LineOccurrence):
                if one.line in explained:
                    continue
                if own is not None:
                    own.add(one.line)
            elif own is not None or explained:
                first = self._line(one.span[0])
                if first in explained or not explained.isdisjoint(one.lines):
                    continue
                if own is not None:
                    own.update(range(first, self._line(max(one.span[0], one.span[1] - 1)) + 1), one.lines)
            yield one

    def read_later(self, check: CheckEntry, occurrences: Iterator[AnyOccurrence]) -> None:
        """Read the remaining occurrences of a check when a check that it supersedes finds something."""
        if check.code in self._lines:
            self._unread[check.code] = occurrences

    def _complete_lines(self, code: str) -> set[int]:
        unread = self._unread.pop(code, None)
        if unread is not None:
            deque(unread, maxlen=0)
        return self._lines[code]

    def _line(self, offset: int) -> int:
        return max(bisect_right(self._file.line_starts, offset), 1)
