"""The smallest difference between two lists of lines.

1. Myers' algorithm finds the changes with the fewest lines.
2. Where that takes too many steps, the lists are split at the lines that both have exactly once, in the same order, as
   in a patience diff. Each part is then compared on its own.
3. A part without such lines is replaced as a whole. So the number of steps is bounded, whatever the lines are.

Source: E. Myers, An O(ND) Difference Algorithm and Its Variations, 1986; B. Cohen, patience diff.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

# The steps of one search, enough for about 600 changed lines, and those of all searches of a comparison.
_SEARCH_STEPS: Final = 200_000
_ALL_STEPS: Final = 1_000_000
# How often a part is split into smaller parts.
_MAX_DEPTH: Final = 4


class Change(NamedTuple):
    """A range of lines that replaces another. Line numbers count from 0, and ranges are half open."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def find_changes(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Change]:
    """Return the changes that turn `old` into `new`, in order, with at least one unchanged line between them.

    Their lines are as few as possible, unless more than about 600 lines differ.

    Cost: O(lines · log lines), and a bounded number of steps.
    """
    unchanged = [(-1, -1), *_Comparison(old, new).unchanged(), (len(old), len(new))]
    return [
        Change(old_line + 1, next_old, new_line + 1, next_new)
        for (old_line, new_line), (next_old, next_new) in pairwise(unchanged)
        if next_old - old_line > 1 or next_new - new_line > 1
    ]


class _Comparison:
    """Finds the lines that two lists have in common."""

    def __init__(self, old: Sequence[Hashable], new: Sequence[Hashable]) -> None:
        # Numbers are compared faster than lines.
        numbers: dict[Hashable, int] = {}
        self._old = [numbers.setdefault(line, len(numbers)) for line in old]
        self._new = [numbers.setdefault(line, len(numbers)) for line in new]
        self._steps_left = _ALL_STEPS

    def unchanged(self) -> Iterator[tuple[int, int]]:
        """Yield the unchanged lines as pairs of line numbers, in order."""
        return self._compare(Change(0, len(self._old), 0, len(self._new)), 0)

    def _compare(self, part: Change, depth: int) -> Iterator[tuple[int, int]]:
        old_start, old_end, new_start, new_end = part
        while old_start < old_end and new_start < new_end and self._old[old_start] == self._new[new_start]:
            yield old_start, new_start
            old_start, new_start = old_start + 1, new_start + 1
        while old_start < old_end and new_start < new_end and self._old[old_end - 1] == self._new[new_end - 1]:
            old_end, new_end = old_end - 1, new_end - 1
        if old_start < old_end and new_start < new_end:
            inner = Change(old_start, old_end, new_start, new_end)
            found = self._search(inner)
            if found is not None:
                yield from found
            elif depth < _MAX_DEPTH:
                yield from self._compare_between(self._anchors(inner), inner, depth)
        yield from zip(range(old_end, part.old_end), range(new_end, part.new_end), strict=True)

    def _compare_between(self, anchors: list[tuple[int, int]], part: Change, depth: int) -> Iterator[tuple[int, int]]:
        if not anchors:
            return
        old_start, new_start = part.old_start, part.new_start
        for old_line, new_line in anchors:
            yield from self._compare(Change(old_start, old_line, new_start, new_line), depth + 1)
            yield old_line, new_line
            old_start, new_start = old_line + 1, new_line + 1
        yield from self._compare(Change(old_start, part.old_end, new_start, part.new_end), depth + 1)

    def _anchors(self, part: Change) -> list[tuple[int, int]]:
        """Return most lines that occur once in both lists and in the same order."""
        old_counts = Counter(self._old[part.old_start : part.old_end])
        new_counts = Counter(self._new[part.new_start : part.new_end])
        places = {self._new[line]: line for line in range(part.new_start, part.new_end)}
        pairs = [
            (line, places[number])
            for line, number in enumerate(self._old[part.old_start : part.old_end], part.old_start)
            if old_counts[number] == 1 and new_counts[number] == 1
        ]
        # The longest increasing subsequence of the new lines: for each length, the pair that ends the best one.
        ends: list[int] = []
        best: list[int] = []
        before: list[int] = []
        for index, (_, new_line) in enumerate(pairs):
            length = bisect_left(ends, new_line)
            before.append(best[length - 1] if length else -1)
            ends[length : length + 1] = [new_line]
            best[length : length + 1] = [index]
        anchors: list[tuple[int, int]] = []
        index = best[-1] if best else -1
        while index >= 0:
            anchors.append(pairs[index])
            index = before[index]
        return anchors[::-1]

    def _search(self, part: Change) -> list[tuple[int, int]] | None:
        """Return the unchanged lines of a part, as many as possible, or None if there are not enough steps left."""
        old, new = self._old[part.old_start : part.old_end], self._new[part.new_start : part.new_end]
        limit = min(_SEARCH_STEPS, self._steps_left)
        steps = 0
        # For each number of changes, the furthest old line on each diagonal from -changes to +changes.
        history: list[list[int]] = []
        furthest: list[int] = []
        for changes in range(len(old) + len(new) + 1):
            steps += changes + 1
            if steps > limit:
                break
            previous, furthest = furthest, []
            for index in range(changes + 1):
                if changes == 0:
                    old_line = 0
                elif _is_insertion(previous, index, changes):
                    old_line = previous[index]
                else:
                    old_line = previous[index - 1] + 1
                new_line = start = old_line - (2 * index - changes)
                while old_line < len(old) and new_line < len(new) and old[old_line] == new[new_line]:
                    old_line, new_line = old_line + 1, new_line + 1
                steps += new_line - start
                furthest.append(old_line)
                if old_line >= len(old) and new_line >= len(new):
                    self._steps_left -= steps
                    return _retrace(history, part, changes)
            history.append(furthest)
        self._steps_left -= steps
        return None


def _is_insertion(previous: list[int], index: int, changes: int) -> bool:
    """Return whether the furthest line on a diagonal is reached by an insertion rather than by a deletion."""
    return index == 0 or (index < changes and previous[index - 1] < previous[index])


def _retrace(history: list[list[int]], part: Change, changes: int) -> list[tuple[int, int]]:
    """Return the unchanged lines of the path that a search found."""
    old_line, new_line = part.old_end - part.old_start, part.new_end - part.new_start
    unchanged: list[tuple[int, int]] = []
    while changes >= 0:
        index = (old_line - new_line + changes) // 2
        if changes == 0:
            before = start = 0
        else:
            previous = history[changes - 1]
            if _is_insertion(previous, index, changes):
                before = start = previous[index]
            else:
                before = previous[index - 1]
                start = before + 1
        while old_line > start:
            old_line, new_line = old_line - 1, new_line - 1
            unchanged.append((part.old_start + old_line, part.new_start + new_line))
        if before == start:
            new_line -= 1
        old_line = before
        changes -= 1
    return unchanged[::-1]
