"""Refinement in the native engine, with the same answers as `Refinement`."""

from collections.abc import Callable, Container, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from canfetch.compare.budget import Budget, is_native
from canfetch.compare.domains import ORDINARY, READABLE_FIRST, Domain, domain_of
from canfetch.compare.patterns import ENCODED, Form, Pattern, RankedPattern
from canfetch.compare.rankings import Decisions, Key, RankedSide, Wanted, key_of
from canfetch.core.profiles import Profile

if TYPE_CHECKING:
    from canfetch._native import TargetDomain

# The status of a question that has reached its limit.
_TOO_LARGE: Final = "too large"
# The work of a question in Python, such as to confirm its target.
_PYTHON_STEPS: Final = 10
# The code of a pattern that a side does not have, and of a decision that does not matter.
_NONE: Final = 2


def native_refinement(sides: Sequence[RankedSide], profiles: tuple[Profile, Profile]) -> "NativeRefinement | None":
    """Return the sides in the native engine, or None if the Python engine is used."""
    return NativeRefinement(sides, profiles) if is_native() else None


class NativeRefinement:
    """Sides that the native engine compares.

    Args:
        sides: The sides.
        profiles: The profiles whose possible targets are considered.
    """

    __slots__ = ("_native", "_numbers", "_places", "_sides")

    def __init__(self, sides: Sequence[RankedSide], profiles: tuple[Profile, Profile]) -> None:
        from canfetch._native import Refinement  # noqa: PLC0415 - not on every platform

        self._sides = sides
        keys = sorted(dict.fromkeys(key_of(one) for side in sides for one in side.ranking.in_order))
        self._places: dict[Key, int] = {key: place for place, key in enumerate(keys)}
        self._numbers: dict[Pattern, int] = {}
        values = [(self._values(side), side.default) for side in sides]
        self._native = Refinement([_native_item(pattern) for _, pattern in keys], values, *_domains_of(*profiles))

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

    def shortest_target(
        self,
        wanted: Iterable[Wanted],
        within: Sequence[Pattern],
        outside: Sequence[Pattern],
        budget: Budget,
        *,
        shortest: bool,
    ) -> bytes | None:
        """Return the target that answers a question, or None if there is none.

        Args: wanted, within, outside, shortest: As the attributes of `Question`.
        Raises: Undecided.
        """
        budget.spend_in_python(_PYTHON_STEPS + (len(within) + len(outside)) // 8)
        target, status, states, steps = self._native.find(
            [bytes(map(_code, each)) for each in wanted],
            [self._number(one) for one in within],
            [self._number(one) for one in outside],
            shortest,
            budget.steps,
        )
        budget.count_states(states)
        budget.steps = steps
        if status == _TOO_LARGE:
            raise budget.exhausted()
        return target

    def describe(
        self,
        decisions: Decisions,
        candidates: Iterable[tuple[Sequence[Pattern], bool]],
        outside: Iterable[Pattern],
        budget: Budget,
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
        if status == _TOO_LARGE:
            raise budget.exhausted()
        return found

    def _number(self, pattern: Pattern) -> int:
        number = self._numbers.get(pattern)
        if number is None:
            number = self._numbers[pattern] = self._native.index_of(_native_item(pattern))
        return number


def native_differing_target(
    changed: Sequence[tuple[bool, bytes]],
    lists: tuple[Sequence[tuple[bool, bytes]], Sequence[tuple[bool, bytes]]],
    profile: Profile,
    budget: Budget,
    confirm: Callable[[bytes], bool],
) -> tuple[bytes | None, bool]:
    """Return the target of `RuleLists.differing_target`, and whether it is confirmed.

    Args:
        changed: The rules that make a difference.
        lists: Both lists.
        profile: Their profile.
        budget, confirm: As for `RuleLists.differing_target`.
    Raises: Undecided.
    """
    from canfetch._native import differing_target  # noqa: PLC0415 - not on every platform

    target, is_confirmed, status, states, budget.steps = differing_target(
        changed, *lists, profile.name, *_domains_of(profile, profile), confirm, budget.steps
    )
    budget.count_states(states)
    if status == _TOO_LARGE:
        raise budget.exhausted()
    return target, is_confirmed


def _code(decision: bool | None) -> int:  # noqa: FBT001 - a value, not a flag
    return _NONE if decision is None else decision


def _native_item(pattern: Pattern) -> tuple[bytes, tuple[bytes, ...], bool, int]:
    """Return a pattern as the native engine takes it."""
    return pattern.head, pattern.middles, pattern.anchored, int(pattern.form)


# Domains are created once, so that only a few are ever converted.
_domains: "dict[int, TargetDomain]" = {}


def _domains_of(first: Profile, second: Profile) -> "tuple[TargetDomain, TargetDomain]":
    """Return the ordinary and the complete targets on which two profiles are compared."""
    ordinary, complete = (_native_domain(domain_of(first, second, complete=complete)) for complete in (False, True))
    return ordinary, complete


def _native_domain(domain: Domain) -> "TargetDomain":
    """Return a domain as the native engine takes it."""
    from canfetch._native import TargetDomain  # noqa: PLC0415 - not on every platform

    native = _domains.get(id(domain))
    if native is None:
        native = _domains[id(domain)] = TargetDomain(
            [place & 0xFFFF for row in domain.table for place in row],
            domain.accepting,
            domain.needs_query,
            domain.classes if domain.complete else None,
            ORDINARY,
            bytes(READABLE_FIRST),
            [(_mask(ENCODED[form][0]), _mask(ENCODED[form][1])) for form in Form],
        )
    return native


def _mask(encoded: Container[int]) -> list[bool]:
    return [byte in encoded for byte in range(0x100)]
