"""Fixes: octets that take the place of others.

1. Edits of one fix are made all or not at all, and never overlap those of another in one round.
2. A fix that does not say that it changes verdicts keeps every verdict in every profile.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """Octets `start` to `end` of the file, half open, become `replacement`."""

    start: int
    end: int
    replacement: bytes


class Fix(NamedTuple):
    """What mends a finding: its edits, in order, and whether any profile gives another verdict then.

    A fix without edits is made by writing the file anew, in UTF-8.
    """

    edits: tuple[Edit, ...]
    changes_verdicts: bool = False


def replacing(start: int, end: int, replacement: bytes, *, changes_verdicts: bool = False) -> Fix:
    """Give the fix that replaces one span."""
    return Fix((Edit(start, end, replacement),), changes_verdicts)


def applied(octets: bytes, fixes: Iterable[Fix]) -> tuple[bytes, list[bool]]:
    """Make fixes, in order, and say of each whether it was made: one that touches an earlier one is not.

    Cost: O(octets + edits · log edits).
    """
    edits: list[Edit] = []
    taken: list[tuple[int, int]] = []
    made: list[bool] = []
    for fix in fixes:
        free = all(_is_free(edit, taken) for edit in fix.edits)
        made.append(free)
        if free:
            for edit in fix.edits:
                insort(taken, (edit.start, edit.end))
            edits += fix.edits
    parts: list[bytes] = []
    position = 0
    for edit in sorted(edits):
        parts += (octets[position : edit.start], edit.replacement)
        position = edit.end
    parts.append(octets[position:])
    return b"".join(parts), made


def _is_free(edit: Edit, taken: list[tuple[int, int]]) -> bool:
    # Spans that touch are not free either: what one does to the end of a line, the other has not seen.
    place = bisect_left(taken, (edit.start, edit.end))
    before = place == 0 or taken[place - 1][1] < edit.start
    behind = place == len(taken) or edit.end < taken[place][0]
    return before and behind
