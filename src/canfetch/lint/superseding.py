"""One fault, one finding: which findings are dropped because another one on the same line has the same cause."""

from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from graphlib import TopologicalSorter

from canfetch.lint.check import AnyOccurrence, Check, LineOccurrence
from canfetch.lint.linted_file import LintedFile


def superseding_codes(checks: Collection[Check]) -> dict[str, tuple[str, ...]]:
    """Return for each check the codes of the checks that supersede it.

    The order is that in which the checks have to run: each one comes after those that supersede it.

    Raises: graphlib.CycleError: Two checks supersede each other.
    """
    # Few checks supersede others. All others only come before those that yield to each of them.
    superseding = [check for check in checks if check.supersedes]
    by_code = {
        check.code: tuple(
            other.code for other in (checks if check.yields_to_others else superseding) if _supersedes(other, check)
        )
        for check in checks
    }
    return {code: by_code[code] for code in TopologicalSorter(by_code).static_order()}


def _supersedes(one: Check, other: Check) -> bool:
    if one is other or one.yields_to_others:
        return False
    return other.yields_to_others or other.code.startswith(one.supersedes)


def _union(sets: list[set[int]]) -> AbstractSet[int]:
    return sets[0] if len(sets) == 1 else frozenset().union(*sets)


class ReportedLines:
    """The lines that the findings of superseding checks are about.

    Args:
        file: The file.
        superseding: The codes of the checks that supersede each check.
        enabled: The codes of the checks that run.
    """

    def __init__(self, file: LintedFile, superseding: Mapping[str, tuple[str, ...]], enabled: Collection[str]) -> None:
        self._file = file
        self._superseding = superseding
        self._lines: dict[str, set[int]] = {
            other: set() for code in enabled for other in superseding[code] if other in enabled
        }
        self._unread: dict[str, Iterator[AnyOccurrence]] = {}

    def without_superseded(self, check: Check, occurrences: Iterable[AnyOccurrence]) -> Iterator[AnyOccurrence]:
        """Yield the occurrences that no finding of another check explains, and note their lines.

        The checks that supersede this one must have run before, and their remaining occurrences must have been passed
        to `read_later`.
        """
        superseding = [code for code in self._superseding[check.code] if code in self._lines]
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

    def read_later(self, check: Check, occurrences: Iterator[AnyOccurrence]) -> None:
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
