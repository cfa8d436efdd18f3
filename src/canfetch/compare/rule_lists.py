"""Lists of rules that have most of their rules in common, such as those of a file before and after a small change.

Only the rules that overlap a changed one are compared.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, count, islice
from operator import ne
from typing import Final

from canfetch.compare.budget import Budget, is_native
from canfetch.compare.direct import direct_match
from canfetch.compare.domains import domain_of
from canfetch.compare.native_refinement import native_differing_target
from canfetch.compare.overlaps import overlapping
from canfetch.compare.patterns import RankedPattern, deciding_patterns, ranked_patterns
from canfetch.compare.questions import ComparedSides, Confirm, Question
from canfetch.compare.rankings import RankedSide, Ranking
from canfetch.compare.witnesses import disagreement, shortest_target
from canfetch.core.profiles import Profile
from canfetch.core.verdict import Rule

_DIFFERENT: Final = ((True, False), (False, True))
# At most this many changed rules are tried before a search.
_MAX_DIRECT: Final = 64
# So few changed rules are searched in the lists themselves.
_FEW_CHANGED: Final = 4
# The time for the indices of a pattern, in steps of the Python engine.
_STEPS_PER_PATTERN: Final = 3
RuleText = tuple[bool, bytes]
"""A rule without its line: whether it allows, and its value."""


class RuleLists:
    """Compares lists of rules in one profile.

    Args: profile: The profile.
    """

    __slots__ = ("_patterns", "_profile")

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._patterns: dict[RuleText, tuple[RankedPattern, ...]] = {}

    def differing_target(
        self, before: Sequence[RuleText], after: Sequence[RuleText], budget: Budget, confirm: Confirm
    ) -> bytes | None:
        """Return a target about which two lists decide differently, or None if there is none.

        Args:
            before, after: The lists, in file order.
            budget: The work that is left.
            confirm: Asks the engine whether the verdicts about a target differ.
        Raises: Undecided: The budget is exhausted, or no target is confirmed.
        Cost: O(rules), and the search of the rules that overlap a changed one.
        """
        budget.spend_in_python((len(before) + len(after)) // 8)
        rules = self._changed(before, after)
        if is_native():
            target, is_confirmed = native_differing_target(rules, (before, after), self._profile, budget, confirm)
            if target is not None and not is_confirmed:
                raise disagreement(target)
            return target
        changed = [one for rule in rules for one in self._patterns_of(rule)]
        if not changed:
            return None
        for target in self._direct_matches(changed):
            budget.spend_in_python(1)
            if confirm(target):
                return target
        some = [one.pattern for one in changed]
        lists = [overlapping(chain.from_iterable(map(self._patterns_of, each)), some) for each in (before, after)]
        budget.spend_in_python(_STEPS_PER_PATTERN * sum(map(len, lists)))
        return self._search(lists, budget, confirm)

    def _direct_matches(self, changed: Iterable[RankedPattern]) -> Iterator[bytes]:
        """Yield targets that changed rules match. Most changes make a difference about the first of them."""
        targets = (direct_match(one.pattern) for one in islice(changed, _MAX_DIRECT))
        domain = domain_of(self._profile, self._profile, complete=True)
        return (target for target in targets if target is not None and domain.contains(target))

    def _search(self, lists: Sequence[list[RankedPattern]], budget: Budget, confirm: Confirm) -> bytes | None:
        sides = [self._side(patterns, budget) for patterns in lists]
        compared = ComparedSides(sides, (self._profile, self._profile))
        question = Question(compared, _DIFFERENT, confirm, shortest=False)
        return shortest_target(question, budget)

    def _changed(self, before: Sequence[RuleText], after: Sequence[RuleText]) -> Sequence[RuleText]:
        """Return the rules that only one list has, or that moved in a profile in which the order counts."""
        start, end = common_ends(before, after)
        parts = before[start : len(before) - end], after[start : len(after) - end]
        # In file order, because the order decides which targets are tried.
        changed = dict.fromkeys(chain.from_iterable(parts))
        if self._profile.first_match:
            return list(changed)
        few = len(changed) <= _FEW_CHANGED
        one, other = (before, after) if few else (frozenset(before), frozenset(after))
        return [rule for rule in changed if (rule in one) is not (rule in other)]

    def _side(self, patterns: Iterable[RankedPattern], budget: Budget) -> RankedSide:
        return RankedSide(Ranking(deciding_patterns(patterns, self._profile), budget))

    def _patterns_of(self, rule: RuleText) -> tuple[RankedPattern, ...]:
        patterns = self._patterns.get(rule)
        if patterns is None:
            allow, value = rule
            # Neither the line nor the specificity counts.
            patterns = self._patterns[rule] = tuple(ranked_patterns([Rule(allow, value, 0, 0)], self._profile))
        return patterns


def common_ends(before: Sequence[object], after: Sequence[object]) -> tuple[int, int]:
    """Return how many values two sequences have in common at the start, and then at the end."""
    shorter = min(len(before), len(after))
    start = next(compress(count(), map(ne, before, after)), shorter)
    end = next(compress(count(), map(ne, reversed(before), reversed(after))), shorter)
    return start, min(end, shorter - start)
