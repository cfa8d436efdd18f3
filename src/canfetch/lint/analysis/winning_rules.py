"""The rules that decide about all URLs that a rule without effect matches."""

from collections.abc import Sequence
from typing import Final

from canfetch.compare.budget import PortableBudget
from canfetch.compare.patterns import ROBOTS_TXT_PATTERN, Pattern, PatternsOfRules, RankedPattern, ranked_patterns
from canfetch.compare.questions import ComparedSides, Question
from canfetch.compare.rankings import RankedSide, Ranking
from canfetch.compare.witnesses import shortest_target
from canfetch.core.profiles import Profile
from canfetch.core.verdict import Rule
from canfetch.errors import Undecided

# With more of them, none is named.
_MAX_WINNERS: Final = 16


class WinningRules:
    """Finds the rules that win over one rule.

    Args:
        rule: The rule.
        others: The other rules that may match its URLs.
        profile: The profile.
        budget: The work that is left.
        ranked: Returns the patterns of rules.
    """

    def __init__(
        self,
        rule: Rule,
        others: Sequence[Rule],
        profile: Profile,
        budget: PortableBudget,
        ranked: PatternsOfRules = ranked_patterns,
    ) -> None:
        self._profile = profile
        self._budget = budget
        self._own = list(ranked([rule], profile))
        self._others = list(ranked(others, profile))
        self._outside = [ROBOTS_TXT_PATTERN] if profile.robots_txt_allowed else []

    def overriding(self) -> list[Rule] | None:
        """Return opposing rules that together match all URLs of the rule and win over it, or None.

        Raises: Undecided.
        """
        rank = min(one.rank for one in self._own)
        allow = self._own[0].allow
        return self._matching([one for one in self._others if one.allow is not allow and one.rank < rank])

    def deciding(self) -> list[Rule] | None:
        """Return rules that together match all URLs of the rule.

        None means that no other rule matches some URL.

        Raises: Undecided.
        """
        return self._matching(self._others)

    def _matching(self, patterns: Sequence[RankedPattern]) -> list[Rule] | None:
        """Return those of some patterns' rules that together match all URLs, the first ones in order of precedence."""
        if not patterns:
            return None
        side = RankedSide(Ranking(patterns, self._budget))
        winners: list[RankedPattern] = []
        while len(winners) < _MAX_WINNERS:
            target = self._unmatched(winners)
            if target is None:
                return [one.rule for one in winners if one.rule is not None]
            winner, _ = side.decider(target)
            if winner is None:
                return None
            if self._unmatched([winner]) is None:
                return [winner.rule] if winner.rule is not None else []
            winners.append(winner)
        raise Undecided(f"undecided: more than {_MAX_WINNERS} rules win over one", states=self._budget.states)

    def _unmatched(self, winners: Sequence[RankedPattern]) -> bytes | None:
        """Return a target that the rule matches, but none of the winners."""
        side = RankedSide(Ranking(winners, self._budget), _is_matched, default=False)
        compared = ComparedSides([side], (self._profile, self._profile), use_native=False)
        within: list[Pattern] = [one.pattern for one in self._own]
        question = Question(compared, [(False,)], lambda _: True, within, self._outside)
        return shortest_target(question, self._budget)


def _is_matched(_: RankedPattern) -> bool:
    return True
