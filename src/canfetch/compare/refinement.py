"""The search for a shortest target by refinement: only the patterns that matter to the answer are searched.

1. The possible targets are divided into sets. The targets of a set match some patterns, and do not match others. A set
   is searched, which is fast for a few patterns. The first set has all targets that a question permits.
2. If another pattern decides about the shortest target of a set in an unwanted way, the set is divided: a target does
   not match this pattern, or it matches a pattern that wins over it. So sets contain only patterns that matter.
3. The set with the shortest target comes first, so that the first target with wanted decisions is a shortest one.
   If no set is left, there is none.
4. Two sides that have most patterns in common differ only if the first pattern that matches belongs to one of them.
   The first sets start with these patterns.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final, NamedTuple, TypeVar

from canfetch.compare.budget import Budget
from canfetch.compare.direct import (
    as_is,
    common_targets,
    direct_match,
    have_no_target,
    least_common_length,
    least_length,
    matches,
)
from canfetch.compare.domains import NoOrdinaryByte, domain_of
from canfetch.compare.overlaps import may_overlap
from canfetch.compare.patterns import Pattern, has_stray_percent
from canfetch.compare.questions import Question
from canfetch.compare.rankings import Key, Wanted, are_as_wanted, key_of
from canfetch.compare.search import Search

_KeyT = TypeVar("_KeyT")
# The work of a search besides its steps.
_SEARCH: Final = 20
# The bytes of long patterns that Python compares in one step.
_BYTES_PER_STEP: Final = 16
# If more patterns than these make a difference within a pattern, its targets are divided like those of any question.
_MAX_DIFFERING: Final = 8
# Comes before and after all others.
_FIRST: Key = ((), Pattern(b""))
_LAST: Key = ((1 << 62,), Pattern(b""))


class _TargetSet(NamedTuple):
    """Targets that match some patterns. Sets are ordered by the length of the shortest one.

    Attributes:
        length: No target of the set is shorter.
        number: The order of sets of the same length.
        wanted: The wanted decisions.
        matched: Patterns that the target matches.
        deciders: For each side, the pattern that has to decide. None is any pattern that `divided` does not exclude.
        divided: For each side without a decider, the last place in the order of precedence at which it was divided. For
            patterns that win over this one, there are other sets.
        avoided: Patterns that the target does not match.
        target: A shortest target, if it was searched for.
        siblings: The next sets, none of which has a shorter target.
    """

    length: int
    number: int
    wanted: Wanted
    matched: tuple[Pattern, ...]
    deciders: tuple[Key | None, ...]
    divided: tuple[Key, ...]
    avoided: tuple[Pattern, ...] = ()
    target: bytes | None = None
    siblings: "Iterator[_TargetSet] | None" = None


class Refinement:
    """The search for the answer to a question.

    Args:
        question: The question.
        budget: The work that is left.
    """

    __slots__ = ("_budget", "_numbers", "_outside", "_question", "_sets")

    def __init__(self, question: Question, budget: Budget) -> None:
        self._question = question
        self._budget = budget
        self._numbers = count()
        self._sets: list[_TargetSet] = []
        within = question.within
        # The others match nothing within.
        self._outside = [
            one for one in question.outside if not within or any(may_overlap(one, pattern) for pattern in within)
        ]

    def shortest_target(self) -> bytes | None:
        """Return a shortest target with wanted decisions, or None if there is none.

        Raises: Undecided.
        """
        for direct in self._direct_targets():
            if self._is_wanted(direct):
                return direct
        sets = self._sets = list(self._first_sets())
        heapify(sets)
        while sets:
            current: _TargetSet | None = self._pop()
            while current is not None:
                # Targets are checked in order of length, or at once if any one will do.
                if current.target is not None:
                    if self._is_wanted(current.target):
                        return current.target
                    current = self._divide(current)
                    continue
                current, is_later = self._with_least_length(current)
                if is_later:
                    heappush(sets, current)
                    break
                target = self._search(current)
                current = None if target is None else current._replace(length=len(target), target=target)
                if current is not None and self._question.shortest and sets and sets[0] < current:
                    heappush(sets, current)
                    current = None
        return None

    def _with_least_length(self, current: _TargetSet) -> tuple[_TargetSet, bool]:
        """Return a set with a better length, and whether other sets come first because of it."""
        if not self._question.shortest or len(current.matched) < 2:
            return current, False
        self._budget.spend_in_python(sum(map(least_length, current.matched)) // _BYTES_PER_STEP)
        current = current._replace(length=max(current.length, least_common_length(as_is(current.matched))))
        return current, bool(self._sets) and self._sets[0] < current

    def _pop(self) -> _TargetSet:
        """Return the set with the shortest target. It is replaced by the next one of its siblings."""
        current = heappop(self._sets)
        if current.siblings is None:
            return current
        sibling = next(current.siblings, None)
        if sibling is not None:
            heappush(self._sets, sibling._replace(siblings=current.siblings))
        return current._replace(siblings=None)

    def _direct_targets(self) -> Iterator[bytes]:
        """Yield targets that are as short as any that `within` permits."""
        within = self._question.within
        complete = domain_of(*self._question.compared.profiles, complete=True)
        least = min(map(least_length, within), default=0)
        for pattern in within:
            target = direct_match(pattern)
            if target is not None and len(target) == least and complete.contains(target):
                yield target

    def _first_sets(self) -> Iterator[_TargetSet]:
        within: list[tuple[Pattern, ...]] = [(pattern,) for pattern in self._question.within] or [()]
        for wanted in self._question.wanted:
            for matched in within:
                sets = None
                if len(wanted) == 2 and None not in wanted and wanted[0] is not wanted[1]:
                    sets = self._differing_sets(wanted, matched)
                yield from [self._undivided_set(wanted, matched)] if sets is None else sets

    def _differing_sets(self, wanted: Wanted, matched: tuple[Pattern, ...]) -> list[_TargetSet] | None:
        """Return sets with the first pattern that matches on both sides, or None if there are too many."""
        sides = self._question.compared.sides
        sets: list[_TargetSet] = []
        if all(side.default is decision for side, decision in zip(sides, wanted, strict=True)):
            sets.append(self._undivided_set(wanted, matched))
        for number, (own, side) in enumerate(zip(self._question.compared.own, sides, strict=True)):
            for one in own.of(matched[:1]):
                if side.value(one) is not wanted[number]:
                    continue
                if not all(may_overlap(one.pattern, pattern) for pattern in matched):
                    continue
                key = key_of(one)
                other = key if sides[1 - number].value_at(key) is wanted[1 - number] else None
                deciders = (key, other) if number == 0 else (other, key)
                sets.append(self._new_set(wanted, (*matched, one.pattern), deciders, (key, key)))
                if matched and len(sets) > _MAX_DIFFERING:
                    return None
        return sets

    def _undivided_set(self, wanted: Wanted, matched: tuple[Pattern, ...]) -> _TargetSet:
        sides = self._question.compared.sides
        return self._new_set(wanted, matched, (None,) * len(sides), (_FIRST,) * len(sides))

    def _new_set(
        self, wanted: Wanted, matched: Sequence[Pattern], deciders: tuple[Key | None, ...], divided: tuple[Key, ...]
    ) -> _TargetSet:
        self._budget.spend_in_python(1)
        patterns = tuple(dict.fromkeys(matched))
        length = max(map(least_length, patterns), default=1)
        return _TargetSet(length, next(self._numbers), wanted, patterns, deciders, divided)

    def _is_wanted(self, target: bytes) -> bool:
        question = self._question
        decisions = [side.decider(target)[1] for side in question.compared.sides]
        self._budget.spend_in_python(1 + len(self._outside))
        return are_as_wanted(decisions, question.wanted) and not any(matches(one, target) for one in self._outside)

    def _divide(self, current: _TargetSet) -> _TargetSet | None:
        """Return a set without the pattern that decides about its target, or None if there is no such set."""
        target = current.target
        assert target is not None
        current = current._replace(target=None)
        for one in self._outside:
            if matches(one, target):
                return current._replace(avoided=(*current.avoided, one))
        for number, (side, wanted) in enumerate(zip(self._question.compared.sides, current.wanted, strict=True)):
            winner, decision = side.decider(target)
            if wanted is None or decision is wanted:
                continue
            place = _LAST if winner is None else key_of(winner)
            if current.deciders[number] is None and current.divided[number] < place:
                siblings = self._divided_sets(current, number, place)
                first = next(siblings, None)
                if first is not None:
                    heappush(self._sets, first._replace(siblings=siblings))
                current = current._replace(divided=_replaced(current.divided, number, place))
            return None if winner is None else current._replace(avoided=(*current.avoided, winner.pattern))
        raise AssertionError("internal error: the rejected target has all wanted decisions")

    def _divided_sets(self, current: _TargetSet, number: int, end: Key) -> Iterator[_TargetSet]:
        """Yield sets for the patterns that win over the one at `end`, those of the shortest patterns first."""
        side = self._question.compared.sides[number]
        start = current.divided[number]
        candidates = side.ranking.overlapping(current.matched[:1])
        self._budget.spend_in_python(1 + len(candidates) // 2)
        for least, one in candidates:
            key = key_of(one)
            if not start < key < end or side.value(one) is not current.wanted[number]:
                continue
            if not all(may_overlap(one.pattern, pattern) for pattern in current.matched):
                continue
            if self._loses(current, number, key):
                continue
            self._budget.spend_in_python(1)
            yield current._replace(
                length=max(current.length, least),
                number=next(self._numbers),
                matched=(*(pattern for pattern in current.matched if pattern != one.pattern), one.pattern),
                deciders=_replaced(current.deciders, number, key),
            )

    def _loses(self, current: _TargetSet, number: int, key: Key) -> bool:
        """Return whether a pattern also decides on the other side, and in an unwanted way."""
        for other, (side, wanted, decider) in enumerate(
            zip(self._question.compared.sides, current.wanted, current.deciders, strict=True)
        ):
            if other != number and wanted is not None and decider is not None and key < decider:
                value = side.value_at(key)
                if value is not None and value is not wanted:
                    return True
        return False

    def _search(self, current: _TargetSet) -> bytes | None:
        """Return a shortest target of a set, or None if there is none."""
        patterns = [*current.matched, *current.avoided]
        profiles = self._question.compared.profiles
        complete = domain_of(*profiles, complete=True)
        self._budget.spend_in_python(_SEARCH + len(patterns))
        if have_no_target(current.matched, current.avoided):
            return None
        for target in _direct_targets_of(current, shortest=self._question.shortest):
            if complete.contains(target) and not any(matches(one, target) for one in current.avoided):
                return target
        search = Search(current.matched, current.avoided, self._budget)
        if not any(map(has_stray_percent, patterns)):
            try:
                return search.shortest_target(domain_of(*profiles, complete=False))
            except NoOrdinaryByte:
                pass
        return search.shortest_target(complete)


def _direct_targets_of(current: _TargetSet, *, shortest: bool) -> Iterator[bytes]:
    """Yield targets of the matched patterns that need no search."""
    direct = direct_match(current.matched[0]) if len(current.matched) == 1 and not current.avoided else None
    if direct is None:
        yield from common_targets(as_is(current.matched), shortest=shortest)
    else:
        yield direct


def _replaced(keys: tuple[_KeyT, ...], number: int, key: _KeyT) -> tuple[_KeyT, ...]:
    return (*keys[:number], key, *keys[number + 1 :])
