"""The search for a shortest target by refinement: only the patterns that matter to the answer are searched.

1. A goal is a pattern that the target matches, and patterns that it does not match. It is searched, which is fast for
   a few patterns. Its shortest target is never longer than the shortest one with wanted decisions.
2. If another pattern decides about this target in an unwanted way, the goal is divided: the target does not match this
   pattern, or it matches a pattern that wins over it. So goals contain only patterns that matter.
3. The goal with the shortest target comes first, so that the first target with wanted decisions is a shortest one.
   If no goal is left, there is none.
4. Two sides that have most patterns in common differ only if the first pattern that matches belongs to one of them.
   Goals start with these patterns.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final, NamedTuple, TypeVar

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
from canfetch.compare.limits import Budget
from canfetch.compare.native_search import NativeSearch, native_domain_class
from canfetch.compare.overlaps import may_overlap
from canfetch.compare.patterns import Pattern, RankedPattern, Side, has_stray_percent
from canfetch.compare.questions import Question
from canfetch.compare.rankings import Key, key_of
from canfetch.compare.search import Search
from canfetch.compare.sides import Wanted, are_as_wanted

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


class _Goal(NamedTuple):
    """Targets that match some patterns. Goals are ordered by the length of the shortest one.

    Attributes:
        length: No target of the goal is shorter.
        number: The order of goals of the same length.
        wanted: The wanted decisions.
        matched: Patterns that the target matches.
        deciders: For each side, the pattern that has to decide. None stands for any that `divided` does not exclude.
        divided: For each side without a decider, the last place in the order of precedence at which it was divided. For
            patterns that win over this one, there are other goals.
        avoided: Patterns that the target does not match.
        target: A shortest target, if it was searched for.
        siblings: The next goals, none of which has a shorter target.
    """

    length: int
    number: int
    wanted: Wanted
    matched: tuple[Pattern, ...]
    deciders: tuple[Key | None, ...]
    divided: tuple[Key, ...]
    avoided: tuple[Pattern, ...] = ()
    target: bytes | None = None
    siblings: "Iterator[_Goal] | None" = None


class Refinement:
    """The search for the answer to a question.

    Args:
        question: The question.
        budget: The work that is left.
    """

    __slots__ = ("_budget", "_goals", "_numbers", "_outside", "_question")

    def __init__(self, question: Question, budget: Budget) -> None:
        self._question = question
        self._budget = budget
        self._numbers = count()
        self._goals: list[_Goal] = []
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
        goals = self._goals = list(self._first_goals())
        heapify(goals)
        while goals:
            goal: _Goal | None = self._pop()
            while goal is not None:
                # Targets are checked in order of length, or at once if any one will do.
                if goal.target is not None:
                    if self._is_wanted(goal.target):
                        return goal.target
                    goal = self._divide(goal)
                    continue
                goal, is_later = self._with_least_length(goal)
                if is_later:
                    heappush(goals, goal)
                    break
                target = self._search(goal)
                goal = None if target is None else goal._replace(length=len(target), target=target)
                if goal is not None and self._question.shortest and goals and goals[0] < goal:
                    heappush(goals, goal)
                    goal = None
        return None

    def _with_least_length(self, goal: _Goal) -> tuple[_Goal, bool]:
        """Return a goal with a better length, and whether other goals come first because of it."""
        if not self._question.shortest or len(goal.matched) < 2:
            return goal, False
        self._budget.spend_in_python(sum(map(least_length, goal.matched)) // _BYTES_PER_STEP)
        goal = goal._replace(length=max(goal.length, least_common_length(as_is(goal.matched))))
        return goal, bool(self._goals) and self._goals[0] < goal

    def _pop(self) -> _Goal:
        """Return the goal with the shortest target. It is replaced by the next one of its siblings."""
        goal = heappop(self._goals)
        if goal.siblings is None:
            return goal
        sibling = next(goal.siblings, None)
        if sibling is not None:
            heappush(self._goals, sibling._replace(siblings=goal.siblings))
        return goal._replace(siblings=None)

    def _direct_targets(self) -> Iterator[bytes]:
        """Yield targets that are as short as any that `within` permits."""
        within = self._question.within
        complete = domain_of(*self._question.compared.profiles, complete=True)
        least = min(map(least_length, within), default=0)
        for pattern in within:
            target = direct_match(pattern)
            if target is not None and len(target) == least and complete.contains(target):
                yield target

    def _first_goals(self) -> Iterator[_Goal]:
        within: list[tuple[Pattern, ...]] = [(pattern,) for pattern in self._question.within] or [()]
        for wanted in self._question.wanted:
            for matched in within:
                goals = None
                if len(wanted) == 2 and None not in wanted and wanted[0] is not wanted[1]:
                    goals = self._differing_goals(wanted, matched)
                yield from [self._undivided_goal(wanted, matched)] if goals is None else goals

    def _differing_goals(self, wanted: Wanted, matched: tuple[Pattern, ...]) -> list[_Goal] | None:
        """Return goals with the first pattern that matches on both sides, or None if there are too many."""
        sides = self._question.compared.sides
        goals: list[_Goal] = []
        if all(side.default is decision for side, decision in zip(sides, wanted, strict=True)):
            goals.append(self._undivided_goal(wanted, matched))
        for number, (own, side) in enumerate(zip(self._question.compared.own, sides, strict=True)):
            for one in own.of(matched[:1]):
                if side.value(one) is not wanted[number]:
                    continue
                if not all(may_overlap(one.pattern, pattern) for pattern in matched):
                    continue
                key = key_of(one)
                other = key if sides[1 - number].value_at(key) is wanted[1 - number] else None
                deciders = (key, other) if number == 0 else (other, key)
                goals.append(self._goal(wanted, (*matched, one.pattern), deciders, (key, key)))
                if matched and len(goals) > _MAX_DIFFERING:
                    return None
        return goals

    def _undivided_goal(self, wanted: Wanted, matched: tuple[Pattern, ...]) -> _Goal:
        sides = self._question.compared.sides
        return self._goal(wanted, matched, (None,) * len(sides), (_FIRST,) * len(sides))

    def _goal(
        self, wanted: Wanted, matched: Sequence[Pattern], deciders: tuple[Key | None, ...], divided: tuple[Key, ...]
    ) -> _Goal:
        self._budget.spend_in_python(1)
        patterns = tuple(dict.fromkeys(matched))
        length = max(map(least_length, patterns), default=1)
        return _Goal(length, next(self._numbers), wanted, patterns, deciders, divided)

    def _is_wanted(self, target: bytes) -> bool:
        question = self._question
        decisions = [side.decider(target)[1] for side in question.compared.sides]
        self._budget.spend_in_python(1 + len(self._outside))
        return are_as_wanted(decisions, question.wanted) and not any(matches(one, target) for one in self._outside)

    def _divide(self, goal: _Goal) -> _Goal | None:
        """Return a goal without the pattern that decides about its target, or None if there is no such goal."""
        target = goal.target
        assert target is not None
        goal = goal._replace(target=None)
        for one in self._outside:
            if matches(one, target):
                return goal._replace(avoided=(*goal.avoided, one))
        for number, (side, wanted) in enumerate(zip(self._question.compared.sides, goal.wanted, strict=True)):
            winner, decision = side.decider(target)
            if wanted is None or decision is wanted:
                continue
            place = _LAST if winner is None else key_of(winner)
            if goal.deciders[number] is None and goal.divided[number] < place:
                siblings = self._divided_goals(goal, number, place)
                first = next(siblings, None)
                if first is not None:
                    heappush(self._goals, first._replace(siblings=siblings))
                goal = goal._replace(divided=_replaced(goal.divided, number, place))
            return None if winner is None else goal._replace(avoided=(*goal.avoided, winner.pattern))
        raise AssertionError("a target that is not wanted has an unwanted decision")

    def _divided_goals(self, goal: _Goal, number: int, end: Key) -> Iterator[_Goal]:
        """Yield goals for the patterns that win over the one at `end`, those of the shortest patterns first."""
        side = self._question.compared.sides[number]
        start = goal.divided[number]
        candidates = side.ranking.overlapping(goal.matched[:1])
        self._budget.spend_in_python(1 + len(candidates) // 2)
        for least, one in candidates:
            key = key_of(one)
            if not start < key < end or side.value(one) is not goal.wanted[number]:
                continue
            if not all(may_overlap(one.pattern, pattern) for pattern in goal.matched):
                continue
            if self._loses(goal, number, key):
                continue
            self._budget.spend_in_python(1)
            yield goal._replace(
                length=max(goal.length, least),
                number=next(self._numbers),
                matched=(*(pattern for pattern in goal.matched if pattern != one.pattern), one.pattern),
                deciders=_replaced(goal.deciders, number, key),
            )

    def _loses(self, goal: _Goal, number: int, key: Key) -> bool:
        """Return whether a pattern also decides on the other side, and in an unwanted way."""
        for other, (side, wanted, decider) in enumerate(
            zip(self._question.compared.sides, goal.wanted, goal.deciders, strict=True)
        ):
            if other != number and wanted is not None and decider is not None and key < decider:
                value = side.value_at(key)
                if value is not None and value is not wanted:
                    return True
        return False

    def _search(self, goal: _Goal) -> bytes | None:
        """Return a shortest target of a goal, or None if there is none."""
        patterns = [*goal.matched, *goal.avoided]
        profiles = self._question.compared.profiles
        complete = domain_of(*profiles, complete=True)
        self._budget.spend_in_python(_SEARCH + len(patterns))
        if have_no_target(goal.matched, goal.avoided):
            return None
        for target in _direct_targets_of(goal, shortest=self._question.shortest):
            if complete.contains(target) and not any(matches(one, target) for one in goal.avoided):
                return target
        ranks = [((number,), pattern) for number, pattern in enumerate(patterns)]
        ranked = [RankedPattern(rank, allow=True, pattern=pattern) for rank, pattern in ranks]
        matched = len(goal.matched)
        sides = [Side([one], default=False) for one in ranked[:matched]]
        sides.append(Side(ranked[matched:], default=False))
        wanted = [(*[True] * matched, False)]
        search = search_for(sides, ranks, self._budget)
        if not any(map(has_stray_percent, patterns)):
            try:
                return next(iter(search.targets(domain_of(*profiles, complete=False), wanted, 1)), None)
            except NoOrdinaryByte:
                pass
        return next(iter(search.targets(complete, wanted, 1)), None)


def search_for(sides: Sequence[Side], patterns: Sequence[Key], budget: Budget) -> Search | NativeSearch:
    """Return the search of the engine. The patterns are in order of precedence."""
    return (Search if native_domain_class() is None else NativeSearch)(sides, patterns, budget)


def _direct_targets_of(goal: _Goal, *, shortest: bool) -> Iterator[bytes]:
    """Yield targets of the matched patterns that need no search."""
    direct = direct_match(goal.matched[0]) if len(goal.matched) == 1 and not goal.avoided else None
    if direct is None:
        yield from common_targets(as_is(goal.matched), shortest=shortest)
    else:
        yield direct


def _replaced(keys: tuple[_KeyT, ...], number: int, key: _KeyT) -> tuple[_KeyT, ...]:
    return (*keys[:number], key, *keys[number + 1 :])
