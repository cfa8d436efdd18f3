"""Redundant rules: those without which every URL has the same verdict."""

from collections.abc import Iterable, Sequence
from typing import Final

from canfetch.compare.budget import Budget, PortableBudget
from canfetch.compare.overlaps import Overlaps
from canfetch.compare.patterns import PatternsOfRules, RankedPattern, exemption, ranked_patterns
from canfetch.compare.questions import ComparedSides, Question
from canfetch.compare.rankings import RankedSide, Ranking
from canfetch.compare.witnesses import shortest_target
from canfetch.core.profiles import Profile
from canfetch.core.verdict import Rule

_DIFFERENT: Final = ((True, False), (False, True))


class RemovableRules:
    """The rules of one selection of groups, from which rules are removed.

    Args:
        rules: The rules, in file order.
        profile: The profile.
        budget: The work that is left.
        ranked: Returns the patterns of the rules.

    Attributes: by_line: The patterns of each rule, by its line.
    """

    __slots__ = ("_budget", "_compared", "_needed", "_removed", "_tried", "by_line")

    def __init__(
        self, rules: Sequence[Rule], profile: Profile, budget: Budget, ranked: PatternsOfRules = ranked_patterns
    ) -> None:
        patterns = list(ranked(rules, profile))
        self.by_line: dict[int, list[RankedPattern]] = {rule.line: [] for rule in rules}
        for one in patterns:
            if one.rule is not None:
                self.by_line[one.rule.line].append(one)
        if profile.robots_txt_allowed:
            patterns.append(exemption())
        self._budget = budget
        self._removed: set[int] = set()
        self._tried: frozenset[int] = frozenset()
        # A target about which each rule that was tried alone makes a difference.
        self._needed: dict[int, bytes] = {}
        ranking = Ranking(patterns, budget)
        sides = [RankedSide(ranking, one) for one in (self._value, self._value_without)]
        use_native = not isinstance(budget, PortableBudget)
        self._compared = ComparedSides(sides, (profile, profile), use_native=use_native)

    def _value(self, one: RankedPattern) -> bool | None:
        return None if one.rule is not None and one.rule.line in self._removed else one.allow

    def _value_without(self, one: RankedPattern) -> bool | None:
        return None if one.rule is not None and one.rule.line in self._tried else self._value(one)

    def are_redundant(self, lines: Iterable[int]) -> bool:
        """Return whether every URL has the same verdict without the rules in some lines.

        Raises: Undecided.
        """
        self._tried = frozenset(lines)
        own = [one for line in self._tried for one in self.by_line[line]]
        if not own:
            return True
        self._compared.update(own, own=(Overlaps(own), Overlaps(())))
        question = Question(
            self._compared,
            _DIFFERENT,
            # A target that no URL has keeps a rule that could be left out.
            confirm=lambda _: True,
            within=[one.pattern for one in own],
            shortest=False,
        )
        try:
            target = shortest_target(question, self._budget)
            if target is not None and len(self._tried) == 1:
                self._needed.update(dict.fromkeys(self._tried, target))
            return target is None
        finally:
            self._tried = frozenset()
            self._compared.update(own)

    def needed_without(self, removed: Iterable[int]) -> set[int]:
        """Return the lines whose rules still make a difference after other redundant rules were removed.

        Without redundant rules, all verdicts are the same. So a rule still makes a difference about a target that none
        of the removed rules matches.
        """
        patterns = [one for line in removed for one in self.by_line.get(line, ())]
        ranking = Ranking(patterns, self._budget)
        return {line for line, target in self._needed.items() if not ranking.matching(target)}

    def remove(self, line: int) -> None:
        """Leave out the rule in a line."""
        self._removed.add(line)
        self._compared.update(self.by_line[line])

    def restore(self) -> None:
        """Put back all rules that were left out."""
        changed = [one for line in self._removed for one in self.by_line[line]]
        self._removed.clear()
        self._compared.update(changed)
