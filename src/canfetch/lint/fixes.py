"""Fixes: edits that replace parts of a file.

1. The edits of a fix are applied together or not at all, and never overlap those of another fix in the same round.
2. A fix without `changes_verdicts` preserves every verdict in every profile.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """Replaces the bytes from `start` to `end` of the file, half open, with `replacement`."""

    start: int
    end: int
    replacement: bytes


class Fix(NamedTuple):
    """The fix of one finding.

    Attributes:
        edits: The edits, in file order. Without edits, the fix is to save the file again as UTF-8.
        changes_verdicts: Whether some verdict changes in some profile.
    """

    edits: tuple[Edit, ...]
    changes_verdicts: bool = False


def replace_span(start: int, end: int, replacement: bytes, *, changes_verdicts: bool = False) -> Fix:
    """Return the fix that replaces one span."""
    return Fix((Edit(start, end, replacement),), changes_verdicts)


def apply_fixes(content: bytes, fixes: Iterable[Fix]) -> tuple[bytes, list[bool]]:
    """Apply fixes in order, skipping those that touch an earlier one.

    Returns: The new content, and whether each fix was applied.
    Cost: O(bytes + edits · log edits).
    """
    edits: list[Edit] = []
    taken: list[tuple[int, int]] = []
    applied: list[bool] = []
    for fix in fixes:
        free = all(_is_free(edit, taken) for edit in fix.edits)
        applied.append(free)
        if free:
            for edit in fix.edits:
                insort(taken, (edit.start, edit.end))
            edits += fix.edits
    parts: list[bytes] = []
    position = 0
    for edit in sorted(edits):
        parts += (content[position : edit.start], edit.replacement)
        position = edit.end
    parts.append(content[position:])
    return b"".join(parts), applied


def _is_free(edit: Edit, taken: list[tuple[int, int]]) -> bool:
    # Adjacent spans are not free either: a fix may rely on the line end that its neighbour replaces.
    index = bisect_left(taken, (edit.start, edit.end))
    before = index == 0 or taken[index - 1][1] < edit.start
    after = index == len(taken) or edit.end < taken[index][0]
    return before and after
