"""The decisions of several sides, and which of the remaining patterns still matter to them."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Final, NamedTuple

from canfetch.compare.patterns import Pattern, Side
from canfetch.compare.tracks import Track, Waiting

Decisions = tuple[bool, ...]
"""The decision of each side about one target."""
Wanted = tuple[bool | None, ...]
"""The wanted decision of each side, or None if it does not matter."""

_ABSENT: Final = 2


def are_as_wanted(decisions: Sequence[bool | None], wanted: Iterable[Wanted]) -> bool:
    """Return whether decisions are as in one of the wanted ones."""
    return any(all(one in (decision, None) for decision, one in zip(decisions, each, strict=True)) for each in wanted)


class Standing(NamedTuple):
    """How the sides stand after some bytes of a target.

    Attributes:
        decisions: The decision of each side so far.
        limits: The index from which on patterns no longer matter to each side. Without any that matter, it is 0.
    """

    decisions: tuple[int, ...]
    limits: tuple[int, ...]


class SideTable:
    """The decision of each pattern on each side.

    Args:
        sides: The sides.
        keys: The rank and the pattern of all patterns, in order of precedence.

    Attributes:
        start: How the sides stand before the first byte.
    """

    __slots__ = (
        "_differ",
        "_shared",
        "_sides",
        "_useful",
        "_values",
        "_wanted",
        "start",
    )

    def __init__(self, sides: Sequence[Side], keys: Sequence[tuple[tuple[int, ...], Pattern]]) -> None:
        self._sides = range(len(sides))
        indices = {key: index for index, key in enumerate(keys)}
        self._values = [bytearray([_ABSENT]) * len(keys) for _ in sides]
        for values, side in zip(self._values, sides, strict=True):
            for one in side.patterns:
                values[indices[one.rank, one.pattern]] = one.allow
        self.start = Standing(tuple(int(side.default) for side in sides), (len(keys),) * len(sides))
        # Patterns that both of the first two sides have.
        self._shared = bytearray(
            len(sides) > 1 and self._values[0][index] == self._values[1][index] != _ABSENT for index in range(len(keys))
        )
        self._wanted: frozenset[Decisions] = frozenset()
        # Whether all of them are different on the first two sides.
        self._differ = False
        self._useful: dict[tuple[int, ...], bool] = {}

    def want(self, wanted: Iterable[Decisions]) -> None:
        """Set the decisions that are wanted."""
        self._wanted = frozenset(wanted)
        self._differ = len(self._sides) > 1 and all(one[0] != one[1] for one in self._wanted)
        self._useful.clear()

    def is_wanted(self, decisions: Decisions) -> bool:
        """Return whether these decisions are wanted."""
        return decisions in self._wanted

    def after_matches(self, standing: Standing, matched: list[int]) -> Standing:
        """Return how the sides stand after these patterns have matched."""
        if not matched:
            return standing
        decisions, limits = list(standing.decisions), list(standing.limits)
        for side in self._sides:
            values = self._values[side]
            best = min((index for index in matched if index < limits[side] and values[index] != _ABSENT), default=-1)
            if best >= 0:
                decisions[side], limits[side] = values[best], best
        return Standing(tuple(decisions), tuple(limits))

    def decisions(self, standing: Standing, at_end: list[int]) -> Decisions:
        """Return the decisions about the target that ends here."""
        if not at_end:
            return tuple(map(bool, standing.decisions))
        decisions = list(standing.decisions)
        for side in self._sides:
            values, limit = self._values[side], standing.limits[side]
            best = min((index for index in at_end if index < limit and values[index] != _ABSENT), default=-1)
            if best >= 0:
                decisions[side] = values[best]
        return tuple(map(bool, decisions))

    def with_lowest_limits(self, tracks: Sequence[Track], standing: Standing) -> Standing:
        """Return how the sides stand, with the lowest limits that change nothing for the remaining patterns."""
        decisions, limits = standing
        lowest = [self._limit(tracks, side, decisions[side], limits[side]) for side in self._sides]
        return Standing(decisions, tuple(lowest))

    def _limit(self, tracks: Sequence[Track], side: int, decision: int, limit: int) -> int:
        """Return the rank from which on no remaining pattern changes the decision of a side."""
        if not limit:
            return 0
        values = self._values[side]
        opposite = 1 - decision
        highest = -1
        for track in tracks:
            for index in reversed(track.heads):
                if index <= highest:
                    break
                if index < limit and values[index] == opposite:
                    highest = index
                    break
            highest = max(highest, self._highest_waiting(track.waiting, side, opposite, limit))
        return highest + 1

    def _highest_waiting(self, waiting: Waiting, side: int, opposite: int, limit: int) -> int:
        if not waiting.segments:
            return -1
        key = side, opposite, limit
        highest = waiting.highest.get(key)
        if highest is None:
            values = self._values[side]
            highest = next(
                (index for index in reversed(waiting.texts) if index < limit and values[index] == opposite), -1
            )
            waiting.highest[key] = highest
        return highest

    def matters(self, index: int, limits: tuple[int, ...]) -> bool:
        """Return whether a pattern matters to some side."""
        return any(
            index < limit and values[index] != _ABSENT for limit, values in zip(limits, self._values, strict=True)
        )

    def is_useful(self, tracks: Sequence[Track], standing: Standing) -> bool:
        """Return whether some longer target may have wanted decisions."""
        decisions, limits = standing
        # A side without remaining patterns has only one decision left.
        possible = tuple([3 if limit else 1 << decision for decision, limit in zip(decisions, limits, strict=True)])
        useful = self._useful.get(possible)
        if useful is None:
            options = [[value for value in (0, 1) if mask >> value & 1] for mask in possible]
            useful = self._useful[possible] = any(tuple(map(bool, one)) in self._wanted for one in product(*options))
        return useful and not (self._differ and decisions[0] == decisions[1] and self._are_equal(tracks, standing))

    def _are_equal(self, tracks: Sequence[Track], standing: Standing) -> bool:
        """Return whether the first two sides decide alike about all longer targets."""
        decisions, limits = standing
        for track in tracks:
            if not all(self._is_equal(index, decisions, limits) for index in track.heads):
                return False
            waiting = track.waiting
            if waiting.segments:
                key = decisions[0], limits[0], limits[1]
                equal = waiting.equal.get(key)
                if equal is None:
                    equal = all(self._is_equal(index, decisions, limits) for index in waiting.texts)
                    waiting.equal[key] = equal
                if not equal:
                    return False
        return True

    def _is_equal(self, index: int, decisions: tuple[int, ...], limits: tuple[int, ...]) -> bool:
        if index < limits[0] and index < limits[1]:
            return bool(self._shared[index])
        # Only one side has this pattern left. It may not change the decision.
        return all(index >= limits[side] or self._values[side][index] in (_ABSENT, decisions[side]) for side in (0, 1))
