"""Refinement in the native engine, with the same answers as `Refinement`."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from canfetch.compare.domains import domain_of
from canfetch.compare.native_search import TOO_LARGE, native_class, native_domain, native_item
from canfetch.compare.patterns import Pattern, RankedPattern
from canfetch.compare.rankings import Key, RankedSide, key_of
from canfetch.core.profiles import Profile

if TYPE_CHECKING:
    from canfetch._native import Refinement
    from canfetch.compare.limits import Budget
    from canfetch.compare.questions import Question
    from canfetch.compare.sides import Decisions

# The work of a question in Python, such as to confirm its target.
_PYTHON_STEPS: Final = 10
# The code of a pattern that a side does not have, and of a decision that does not matter.
_NONE: Final = 2


def native_refinement(sides: Sequence[RankedSide], profiles: tuple[Profile, Profile]) -> "NativeRefinement | None":
    """Return the sides in the native engine, or None if it cannot be used."""
    refinement = native_class("Refinement")
    if refinement is None:
        return None
    return NativeRefinement(refinement, sides, profiles)


class NativeRefinement:
    """Sides that the native engine compares.

    Args:
        native: The class of the native engine.
        sides: The sides.
        profiles: The profiles whose possible targets are considered.
    """

    __slots__ = ("_native", "_numbers", "_places", "_sides")

    def __init__(
        self, native: "type[Refinement]", sides: Sequence[RankedSide], profiles: tuple[Profile, Profile]
    ) -> None:
        self._sides = sides
        keys = sorted(dict.fromkeys(key_of(one) for side in sides for one in side.ranking.in_order))
        self._places: dict[Key, int] = {key: place for place, key in enumerate(keys)}
        self._numbers: dict[Pattern, int] = {}
        domains = [native_domain(domain_of(*profiles, complete=complete)) for complete in (False, True)]
        values = [(self._values(side), side.default) for side in sides]
        self._native = native([native_item(pattern) for _, pattern in keys], values, *domains)

    def _values(self, side: RankedSide) -> bytes:
        values = bytearray([_NONE]) * len(self._places)
        # Of equal places, the first decision counts.
        for one in reversed(side.ranking.in_order):
            value = side.value(one)
            if value is not None:
                values[self._places[key_of(one)]] = value
        return bytes(values)

    def update(self, changed: Iterable[RankedPattern]) -> None:
        """Use the present decisions of some patterns."""
        for one in changed:
            key = key_of(one)
            for number, side in enumerate(self._sides):
                self._native.set_value(number, self._places[key], _code(side.value_at(key)))

    def shortest_target(self, question: "Question", budget: "Budget") -> bytes | None:
        """Return a shortest target with wanted decisions, or None if there is none.

        Raises: Undecided.
        """
        budget.spend_in_python(_PYTHON_STEPS + (len(question.within) + len(question.outside)) // 8)
        target, status, states, steps = self._native.find(
            [bytes(map(_code, wanted)) for wanted in question.wanted],
            [self._number(one) for one in question.within],
            [self._number(one) for one in question.outside],
            question.shortest,
            budget.steps,
        )
        budget.count_states(states)
        budget.steps = steps
        if status == TOO_LARGE:
            raise budget.exhausted()
        return target

    def describe(
        self,
        decisions: "Decisions",
        candidates: Iterable[tuple[Sequence[Pattern], bool]],
        outside: Iterable[Pattern],
        budget: "Budget",
    ) -> list[tuple[int, bytes, bytes | None, bytes | None]]:
        """Return what candidates describe, as `Describing.describe`: patterns, and whether they are only a part.

        Raises: Undecided.
        """
        numbers = [([self._number(one) for one in patterns], is_part) for patterns, is_part in candidates]
        budget.spend_in_python(_PYTHON_STEPS + len(numbers))
        found, status, states, steps = self._native.describe(
            decisions, numbers, [self._number(one) for one in outside], budget.steps
        )
        budget.count_states(states)
        budget.steps = steps
        if status == TOO_LARGE:
            raise budget.exhausted()
        return found

    def _number(self, pattern: Pattern) -> int:
        number = self._numbers.get(pattern)
        if number is None:
            number = self._numbers[pattern] = self._native.index_of(native_item(pattern))
        return number


def _code(decision: bool | None) -> int:  # noqa: FBT001 - a value, not a flag
    return _NONE if decision is None else decision
