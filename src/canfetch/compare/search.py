"""The search for a shortest target that matches all of some patterns, and none of others.

1. All patterns are followed together, byte by byte, in order of length: so the first target that is found is a shortest
   one, and if none is found, there is none.
2. A state has the position in each pattern that can still match or fail. Equal states are explored once.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from canfetch.compare.budget import Budget
from canfetch.compare.domains import DEAD, READABLE_FIRST, Domain
from canfetch.compare.patterns import ENCODED, QUERY_MARK, Form, Pattern

# The position in a pattern that no continuation of the target matches.
_FAILED: Final = -1
# The steps of one byte, in addition to one for each pattern.
_STEPS_OF_A_BYTE: Final = 4

_Positions = tuple[tuple[int, int], ...]
"""The number of each pattern that can still match or fail, and the position in it."""


class _State(NamedTuple):
    """A state, the one before it, and the byte between them."""

    positions: _Positions
    place: int
    in_query: bool
    previous: "_State | None"
    byte: int

    def target(self) -> bytes:
        found = bytearray()
        state = self
        while state.previous is not None:
            found.append(state.byte)
            state = state.previous
        found.reverse()
        return bytes(found)


class _Automaton:
    """A pattern as a deterministic automaton: its states are positions in its bytes.

    Each segment is found at its first occurrence (Knuth, Morris and Pratt).

    Args:
        pattern: The pattern.
        rows: The moves of each segment that is already known. The moves of others are added.

    Attributes:
        end: The position after all bytes.
        form: The form of the target that the pattern is compared with.
    """

    __slots__ = ("_anchored", "_head", "_rows", "end", "form")

    def __init__(self, pattern: Pattern, rows: dict[bytes, list[dict[int, int]]]) -> None:
        self._head = pattern.head
        self.form = pattern.form
        self._anchored = pattern.anchored
        # For each position after the head, the moves within its segment, and the position at which the segment starts.
        self._rows: list[tuple[dict[int, int], int]] = []
        start = len(pattern.head)
        for segment in pattern.middles:
            if segment not in rows:
                rows[segment] = _moves(segment)
            self._rows += [(row, start) for row in rows[segment][: len(segment)]]
            start += len(segment)
        self.end = start
        if pattern.anchored and pattern.middles:
            self._rows.append((rows[pattern.middles[-1]][-1], start - len(pattern.middles[-1])))

    def after(self, position: int, byte: int) -> int:
        """Return the position after one more byte."""
        head = self._head
        if position < len(head):
            return position + 1 if head[position] == byte else _FAILED
        if self.has_ended(position):
            return _FAILED
        row, start = self._rows[position - len(head)]
        return start + row.get(byte, 0)

    def matches_from(self, position: int) -> bool:
        """Return whether the pattern matches all targets from here on."""
        return position == self.end and not self._anchored

    def has_ended(self, position: int) -> bool:
        """Return whether the pattern matches no longer target, because it is an anchored head that ends here."""
        return self._anchored and position == self.end and not self._rows

    def expected(self, position: int) -> Sequence[int] | dict[int, int]:
        """Return the bytes that find more of the pattern."""
        head = self._head
        return (head[position],) if position < len(head) else self._rows[position - len(head)][0]


class Search:
    """Patterns that are ready to be searched.

    Args:
        matched: The patterns that the target matches.
        avoided: The patterns that it does not match.
        budget: The work that is left.
    """

    __slots__ = ("_automata", "_budget", "_matched")

    def __init__(self, matched: Sequence[Pattern], avoided: Sequence[Pattern], budget: Budget) -> None:
        patterns = [*matched, *avoided]
        budget.spend(len(patterns) + sum(len(segment) for one in patterns for segment in one.middles))
        rows: dict[bytes, list[dict[int, int]]] = {}
        self._automata = [_Automaton(one, rows) for one in patterns]
        self._matched = len(matched)
        self._budget = budget

    def shortest_target(self, domain: Domain) -> bytes | None:
        """Return a shortest target, or None if there is none.

        Raises:
            Undecided: The budget is exhausted.
            NoOrdinaryByte: The search needs a complete domain.
        Cost: For each state and byte, a step for each pattern.
        """
        start = self._continuing((number, 0) for number in range(len(self._automata)))
        queue = deque([] if start is None else [_State(start, 0, in_query=False, previous=None, byte=0)])
        visited: set[object] = set()
        while queue:
            state = queue.popleft()
            self._budget.count_states(1)
            for byte, place in self._bytes(state, domain):
                positions = self._open(self._after(state, byte))
                if positions is None:
                    continue
                following = _State(positions, place, state.in_query or byte == QUERY_MARK, state, byte)
                if domain.accepting[place] and self._is_found(positions):
                    return following.target()
                remaining = self._continuing(positions)
                if remaining is not None and self._is_new(remaining, following, visited):
                    queue.append(following._replace(positions=remaining))
        return None

    def _bytes(self, state: _State, domain: Domain) -> Iterator[tuple[int, int]]:
        """Yield the bytes to try, and the place of each in the domain."""
        row = domain.table[state.place]
        expected: set[int] = set()
        for number, position in state.positions:
            automaton = self._automata[number]
            expected.update(automaton.expected(position))
            if automaton.form is not Form.AS_IS:
                expected.update(byte for byte in ENCODED[automaton.form][state.in_query] if row[byte] != DEAD)
                expected.add(QUERY_MARK)
        for byte in sorted({*expected, *domain.unexpected(state.place, expected)}, key=READABLE_FIRST.__getitem__):
            if row[byte] != DEAD:
                yield byte, row[byte]

    def _after(self, state: _State, byte: int) -> Iterator[tuple[int, int]]:
        """Yield the position in each open pattern after one more byte."""
        self._budget.spend(_STEPS_OF_A_BYTE + len(state.positions))
        for number, position in state.positions:
            automaton = self._automata[number]
            for piece in ENCODED[automaton.form][state.in_query].get(byte, (byte,)):
                position = automaton.after(position, piece)  # noqa: PLW2901 - the pieces of one byte
                # A pattern that matches within an escape matches, but no target ends there.
                if position == _FAILED or automaton.matches_from(position):
                    break
            yield number, position

    def _open(self, positions: Iterable[tuple[int, int]]) -> _Positions | None:
        """Return the positions in patterns that are still open, or None if no continuation is a target."""
        found: list[tuple[int, int]] = []
        for number, position in positions:
            has_matched = self._automata[number].matches_from(position)
            if not has_matched and position != _FAILED:
                found.append((number, position))
            elif has_matched is not (number < self._matched):
                return None
        return tuple(found)

    def _continuing(self, positions: Iterable[tuple[int, int]]) -> _Positions | None:
        """Return the same for longer targets: an anchored head that ends here has failed."""
        return self._open(
            (number, _FAILED if self._automata[number].has_ended(position) else position)
            for number, position in positions
        )

    def _is_found(self, positions: _Positions) -> bool:
        """Return whether the target that ends here matches all open patterns that it has to match, and no other."""
        return all(
            (position == self._automata[number].end) is (number < self._matched) for number, position in positions
        )

    def _is_new(self, positions: _Positions, state: _State, visited: set[object]) -> bool:
        """Return whether no state with the same remains was seen before."""
        is_encoded = any(self._automata[number].form is not Form.AS_IS for number, _ in positions)
        key = positions, state.place, is_encoded and state.in_query
        if key in visited:
            return False
        visited.add(key)
        return True


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
