"""What remains of patterns after some bytes of a target.

1. As long as a target agrees with the literal head of a pattern, the pattern is in the list of its head.
2. After its head, a pattern waits for one segment after the other. A segment is found at its first occurrence, so that
   each pattern is in one state: the number of bytes of the segment that the target ends with (Knuth, Morris and Pratt).
3. Only segments of which some bytes are found are moved one by one. The others wait together, and a byte finds those
   that start with it. All steps after the heads are stored, because most of them are repeated.
"""

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from canfetch.compare.limits import Budget
from canfetch.compare.patterns import Pattern

Progress = tuple[tuple[int, int], ...]
"""Waiting segments of which some bytes are found: the number of the segment, and of the bytes."""


class _Segment(NamedTuple):
    """A segment of a pattern.

    Attributes:
        text: The index of the pattern.
        content: Its bytes.
        moves: For each number of found bytes, the next number after each byte that some are found after.
        is_last: Whether no segment comes after it.
        anchored: Whether it has to end the target.
    """

    text: int
    content: bytes
    moves: list[dict[int, int]]
    is_last: bool
    anchored: bool


class Waiting:
    """Segments that patterns wait for, one for each pattern."""

    __slots__ = ("equal", "filtered", "highest", "segments", "starts", "texts")

    def __init__(self, segments: tuple[int, ...], table: list[_Segment]) -> None:
        self.segments = segments
        self.texts = sorted(table[number].text for number in segments)
        self.starts: dict[int, list[int]] = {}
        for number in segments:
            self.starts.setdefault(table[number].content[0], []).append(number)
        # What the search derives from it.
        self.filtered: dict[tuple[int, ...], Waiting] = {}
        self.highest: dict[tuple[int, int, int], int] = {}
        self.equal: dict[tuple[int, int, int], bool] = {}


class Step(NamedTuple):
    """The result of one or more bytes.

    Attributes:
        waiting, progress: What remains.
        matched: The patterns whose match ends here, in any order.
        at_end: The patterns that match if the target ends here.
    """

    waiting: Waiting
    progress: Progress
    matched: tuple[int, ...]
    at_end: tuple[int, ...]


class Track(NamedTuple):
    """What remains of the patterns that are compared with one form of the target.

    Attributes:
        heads: The patterns whose heads go on.
        depth: The bytes of the heads that are found.
        waiting, progress: The segments after the heads.
    """

    heads: Sequence[int]
    depth: int
    waiting: Waiting
    progress: Progress

    @property
    def is_empty(self) -> bool:
        """Whether no pattern remains."""
        return not self.heads and not self.waiting.segments


class SegmentTable:
    """The segments of all patterns.

    Args:
        patterns: The patterns, in order of precedence.
        budget: Counts each segment that moves.
    """

    __slots__ = ("_budget", "_segments", "_steps", "_waiting", "first_segments")

    def __init__(self, patterns: Iterable[Pattern], budget: Budget) -> None:
        self._segments: list[_Segment] = []
        self._budget = budget
        self._waiting: dict[tuple[int, ...], Waiting] = {}
        self._steps: dict[tuple[Waiting, Progress, int], Step] = {}
        # The first segment of each pattern, or -1.
        self.first_segments: list[int] = []
        moves: dict[bytes, list[dict[int, int]]] = {}
        for text, pattern in enumerate(patterns):
            self.first_segments.append(len(self._segments) if pattern.middles else -1)
            for content in pattern.middles:
                known = moves.get(content)
                if known is None:
                    budget.spend(len(content))
                    known = moves[content] = _moves(content)
                self._segments.append(_Segment(text, content, known, is_last=False, anchored=False))
            if pattern.middles:
                last = self._segments[-1]
                self._segments[-1] = last._replace(is_last=True, anchored=pattern.anchored)

    def wait(self, segments: Iterable[int]) -> Waiting:
        """Return the object for these segments. There is only one."""
        key = tuple(sorted(segments))
        waiting = self._waiting.get(key)
        if waiting is None:
            self._budget.spend(len(key) + 1)
            waiting = self._waiting[key] = Waiting(key, self._segments)
        return waiting

    def text_of(self, segment: int) -> int:
        """Return the index of the pattern that a segment belongs to."""
        return self._segments[segment].text

    def expected(self, waiting: Waiting, progress: Progress) -> set[int]:
        """Return the bytes that find more of some segment."""
        found = set(waiting.starts)
        for number, length in progress:
            found.update(self._segments[number].moves[length])
        return found

    def step(self, waiting: Waiting, progress: Progress, byte: int) -> Step:
        """Return what remains after one more byte."""
        key = waiting, progress, byte
        step = self._steps.get(key)
        if step is None:
            step = self._steps[key] = self._step(waiting, progress, byte)
        return step

    def _step(self, waiting: Waiting, progress: Progress, byte: int) -> Step:
        starts = waiting.starts.get(byte, ())
        self._budget.spend(1 + len(progress) + len(starts))
        moved: list[tuple[int, int]] = []
        in_progress: set[int] = set()
        for number, length in progress:
            in_progress.add(number)
            new = self._segments[number].moves[length].get(byte)
            if new is not None:
                moved.append((number, new))
        moved += [(number, 1) for number in starts if number not in in_progress]
        remaining: list[tuple[int, int]] = []
        matched: list[int] = []
        at_end: list[int] = []
        done: set[int] = set()
        following: list[int] = []
        for number, length in moved:
            segment = self._segments[number]
            if length < len(segment.content):
                remaining.append((number, length))
            elif not segment.is_last:
                done.add(number)
                following.append(number + 1)
            elif segment.anchored:
                remaining.append((number, length))
                at_end.append(segment.text)
            else:
                matched.append(segment.text)
                done.add(number)
        if done:
            waiting = self.wait([*(number for number in waiting.segments if number not in done), *following])
        remaining.sort(key=itemgetter(0))
        return Step(waiting, tuple(remaining), tuple(matched), tuple(at_end))


def _moves(content: bytes) -> list[dict[int, int]]:
    """Return for each number of found bytes the next number after each byte. Other bytes lead to 0."""
    moves: list[dict[int, int]] = []
    border = 0
    for length in range(len(content) + 1):
        # The moves of the longest border, which is shorter.
        row = dict(moves[border]) if length else {}
        if length < len(content):
            byte = content[length]
            next_border = row.get(byte, 0)
            row[byte] = length + 1
        else:
            next_border = 0
        moves.append(row)
        if length:
            border = next_border
    return moves
