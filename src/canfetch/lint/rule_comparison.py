"""Comparison of two ordered lists of rules: the targets on which they decide differently.

1. Each text is a deterministic automaton over the bytes of a target, so two lists are compared exactly: state by state,
   not by sampling.
2. A state is what remains of both lists. Rules that can no longer decide are dropped from it. If both lists are then
   equal, no longer target makes a difference.
3. The work has a limit. Without it, a few dozen patterns with several `*` could have millions of states.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from canfetch.core.escapes import RESERVED_DATA
from canfetch.core.patterns import Segments

_MATCHED: Final = -1
_DEAD: Final = -2
_SLASH: Final = ord("/")
_QUERY_MARK: Final = ord("?")
_RESERVED: Final = frozenset(RESERVED_DATA)
# One of these represents all bytes that no rule expects.
_ORDINARY: Final = b"xyzabcdefghijklmnopqrstuvw0123456789XYZABCDEFGHIJKLMNOPQRSTUVW-._~"


class WorkLimitReached(Exception):
    """Raised when a comparison would exceed its limit. Callers of the linter never see it."""


class WorkLimit:
    """The number of steps that comparisons may still take. One step advances one rule by one byte."""

    __slots__ = ("steps",)

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def spend(self, steps: int) -> None:
        """Count steps.

        Raises: WorkLimitReached: There are not enough left.
        """
        self.steps -= steps
        if self.steps < 0:
            raise WorkLimitReached("the comparison of the rules has too many steps")


class OrderedText(NamedTuple):
    """One text of a rule. In a list of them, the first one that matches decides.

    Attributes:
        allow: Whether the rule allows.
        segments: The text.
        form_b: Whether it is compared with form (b) of the target.
    """

    allow: bool
    segments: Segments
    form_b: bool = False


class _Automaton:
    """Matches one text byte by byte. A state is the number of bytes that the completed segments and this one have."""

    __slots__ = ("_borders", "_head_end", "_last", "_segments", "_starts", "final", "start")

    def __init__(self, segments: Segments) -> None:
        parts = (segments.head, *segments.middles)
        self._segments = parts
        self._borders = [_borders(part) for part in parts]
        self._starts = [0]
        for part in parts:
            # The end of a segment and the start of the next one are different numbers.
            self._starts.append(self._starts[-1] + len(part) + 1)
        self._last = len(parts) - 1
        self._head_end = len(segments.head)
        # The only state in which a target may end, if the end is anchored.
        self.final = self._starts[self._last] + len(parts[-1]) if segments.anchored else _DEAD
        self.start = self._state(0, 0)

    def _state(self, part: int, length: int) -> int:
        while length == len(self._segments[part]):
            if part == self._last:
                return self.final if self.final != _DEAD else _MATCHED
            part, length = part + 1, 0
        return self._starts[part] + length

    def _part(self, state: int) -> int:
        part = self._last
        while self._starts[part] > state:
            part -= 1
        return part

    def next_in_head(self, state: int) -> int | None:
        """Return the only byte that does not end the match, or None after the head."""
        return self._segments[0][state] if state < self._head_end else None

    def expected(self, state: int) -> bytes:
        """Return the bytes that may lead to a state other than the start of the segment."""
        part = self._part(state)
        length = state - self._starts[part]
        return self._segments[part][length : length + 1] if part == 0 else self._segments[part][: length + 1]

    def step(self, state: int, byte: int) -> int:
        """Return the state after one more byte."""
        part = self._part(state)
        text, length = self._segments[part], state - self._starts[part]
        if part == 0:
            return self._state(0, length + 1) if length < len(text) and text[length] == byte else _DEAD
        borders = self._borders[part]
        if length == len(text):
            length = borders[length - 1]
        while length and text[length] != byte:
            length = borders[length - 1]
        return self._state(part, length + 1 if text[length] == byte else 0)


def _borders(text: bytes) -> list[int]:
    """Return for each prefix the length of the longest shorter prefix that it ends with (Knuth, Morris and Pratt)."""
    borders = [0] * len(text)
    length = 0
    for index in range(1, len(text)):
        while length and text[length] != text[index]:
            length = borders[length - 1]
        length += text[length] == text[index]
        borders[index] = length
    return borders


# What remains of a text: whether it allows, its automaton, whether it is compared with form (b), and its state.
_Rest = tuple[bool, _Automaton, bool, int]


class _Side(NamedTuple):
    """What remains of one list: the decision of the text that has matched, and the texts before it."""

    fallback: bool
    rests: tuple[_Rest, ...]

    @property
    def key(self) -> object:
        # Only the order of opposing texts matters.
        return self.fallback, tuple(frozenset(run) for _, run in groupby(self.rests, itemgetter(0)))

    def decide(self) -> bool:
        """Return the decision for the target that ends here."""
        return next((allow for allow, text, _, state in self.rests if state == text.final), self.fallback)


def _side(rests: Iterable[_Rest]) -> _Side:
    kept: list[_Rest] = []
    seen: set[tuple[_Automaton, bool, int]] = set()
    fallback = True
    for rest in rests:
        state = rest[3]
        if state == _MATCHED:
            fallback = rest[0]
            break
        if state != _DEAD and rest[1:] not in seen:
            seen.add(rest[1:])
            kept.append(rest)
    while kept and kept[-1][0] is fallback:
        kept.pop()
    return _Side(fallback, tuple(kept))


def differing_targets(
    before: Sequence[OrderedText], after: Sequence[OrderedText], limit: WorkLimit, *, slash_first: bool = True
) -> Iterator[bytes]:
    """Yield targets on which two lists decide differently, the shortest first. Without any, the lists are equivalent.

    Not every target is the target of some URL, so the caller has to check it. Not all differing targets are yielded,
    but at least one if there are any.

    Args:
        before, after: The lists.
        limit: The work that remains.
        slash_first: Whether every target starts with a slash.
    Raises: WorkLimitReached: The limit is reached, and there may be further differences.
    """
    first, second = _sides(before, after, limit)
    queue: deque[_State] = deque([_State(b"", False, first, second)])
    if slash_first:
        queue = deque(_next_states(queue[0], {_SLASH}, limit))
    visited: set[object] = set()
    while queue:
        state = queue.popleft()
        if state.first.decide() is not state.second.decide():
            yield state.target
        symbols = _symbols(state)
        # One byte that no text expects represents all of these.
        symbols.add(next((byte for byte in _ORDINARY if byte not in symbols), _ORDINARY[0]))
        for following in _next_states(state, symbols, limit):
            if following.key not in visited:
                visited.add(following.key)
                queue.append(following)


class _State(NamedTuple):
    """What remains of both lists after the bytes of `target`."""

    target: bytes
    in_query: bool
    first: _Side
    second: _Side

    @property
    def key(self) -> object:
        # Form (b) encodes some bytes only in the query.
        query = self.in_query and any(form_b for side in self[2:] for _, _, form_b, _ in side.rests)
        return self.first.key, self.second.key, query


def _sides(before: Iterable[OrderedText], after: Iterable[OrderedText], limit: WorkLimit) -> Iterator[_Side]:
    automata: dict[Segments, _Automaton] = {}
    for texts in (before, after):
        rests: list[_Rest] = []
        for allow, segments, form_b in texts:
            automaton = automata.get(segments)
            if automaton is None:
                limit.spend(1)
                automaton = automata[segments] = _Automaton(segments)
            rests.append((allow, automaton, form_b, automaton.start))
        yield _side(rests)


def _next_states(state: _State, symbols: set[int], limit: WorkLimit) -> Iterator[_State]:
    """Yield the states after each of these bytes in which the lists still differ."""
    first, second = (_step(side, symbols, limit, in_query=state.in_query) for side in (state.first, state.second))
    for byte in sorted(symbols):
        if first[byte].key != second[byte].key:
            in_query = state.in_query or byte == _QUERY_MARK
            yield _State(state.target + bytes([byte]), in_query, first[byte], second[byte])


def _symbols(state: _State) -> set[int]:
    """Return the bytes that some text expects."""
    symbols: set[int] = set()
    for side in (state.first, state.second):
        for _, text, form_b, place in side.rests:
            symbols.update(text.expected(place))
            if form_b:
                # Form (b) of the target has an escape for each of these in a query.
                symbols |= _RESERVED if state.in_query else {_QUERY_MARK}
    return symbols


def _step(side: _Side, symbols: set[int], limit: WorkLimit, *, in_query: bool) -> dict[int, _Side]:
    """Return what remains of a list after each of these bytes."""
    nexts: dict[int, list[_Rest]] = {byte: [] for byte in symbols}
    for allow, text, form_b, state in side.rests:
        expected = None if form_b else text.next_in_head(state)
        if expected is not None:
            limit.spend(1)
            if expected in nexts:
                nexts[expected].append((allow, text, form_b, text.step(state, expected)))
            continue
        limit.spend(len(symbols))
        for byte, rests in nexts.items():
            new = state
            for piece in b"%%%02X" % byte if form_b and in_query and byte in _RESERVED else (byte,):
                if new >= 0:
                    new = text.step(new, piece)
            rests.append((allow, text, form_b, new))
    # A list in which nothing has matched allows.
    return {byte: _side([*rests, (side.fallback, _ANYTHING, False, _MATCHED)]) for byte, rests in nexts.items()}


_ANYTHING: Final = _Automaton(Segments(b"", (), anchored=False))
