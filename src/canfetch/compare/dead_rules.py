"""Dead rules: rules that decide about no URL."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from canfetch.compare.budget import Budget
from canfetch.compare.compared_rules import ComparedRules, compared_rules
from canfetch.compare.patterns import ROBOTS_TXT_PATTERN, Pattern, RankedPattern, ranked_patterns
from canfetch.compare.questions import ComparedSides, Confirm, Question
from canfetch.compare.rankings import RankedSide, Ranking
from canfetch.compare.witnesses import shortest_target
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.verdict import Rule
from canfetch.errors import Undecided

_MAX_WINNERS: Final = 64


class RuleEffect(NamedTuple):
    """What a rule decides.

    Attributes:
        rule: The rule.
        example: A shortest URL that the rule decides, or None if the rule is dead.
        winners: For a dead rule, rules that win over it: each URL that it matches is decided by one of these, or by a
            rule that wins over them. There are none if it matches no URL, or only `/robots.txt`.
    """

    rule: Rule
    example: str | None
    winners: tuple[Rule, ...]


def dead_rules(robots: RobotsTxt, *, agent: str | Agent, steps: int | None = None) -> tuple[RuleEffect, ...]:
    """Return the rules for `agent` that decide no URL, each with the rules that always win.

    A rule that decides may still be redundant, because another rule would decide the same without it: see `minimize`.

    Args:
        robots: The file.
        agent: A product token or an `Agent`.
        steps: The limit of the work. The default takes about a second.
    Raises: InvalidProductToken; Undecided: The rules are too large to be decided within `steps`.
    Cost: O(bytes of the rules) for most files, and never more than `steps`.
    """
    return tuple(effect for effect in rule_effects(robots, agent=agent, steps=steps) if effect.example is None)


def rule_effects(robots: RobotsTxt, *, agent: str | Agent, steps: int | None = None) -> tuple[RuleEffect, ...]:
    """Return for each rule for `agent` an example of what it decides, or the rules that always win.

    Args, Raises, Cost: As for `dead_rules`.
    """
    return tuple(_RuleEffects(compared_rules(robots, agent), Budget(steps)))


class _RuleEffects:
    """Iterates over the effects of an agent's rules."""

    def __init__(self, rules: ComparedRules, budget: Budget) -> None:
        self._rules = rules
        self._budget = budget
        profile = rules.profile
        # Of equally ranked rules, the first line decides. Each text of a rule has a rank of its own.
        ranked = ranked_patterns(rules.rules, profile)
        patterns = [one._replace(rank=(*one.rank, number)) for number, one in enumerate(ranked)]
        self._texts: dict[Rule, list[RankedPattern]] = {}
        for one in patterns:
            if one.rule is not None:
                self._texts.setdefault(one.rule, []).append(one)
        self._ranking = Ranking(patterns, budget)
        self._rule: Rule | None = None
        self._one_rule = self._compared(self._ranking, lambda one: one.rule == self._rule)
        self._by_line = {rule.line: rule for rule in rules.rules}
        # An exempt `/robots.txt` is not decided by a rule.
        self._outside = [ROBOTS_TXT_PATTERN] if profile.robots_txt_allowed else []

    def __iter__(self) -> Iterator[RuleEffect]:
        for rule in self._rules.rules:
            own = [one.pattern for one in self._texts.get(rule, ())]
            # A void rule matches nothing.
            target = self._decided_by(rule, own) if own else None
            if target is not None:
                yield RuleEffect(rule, self._rules.url_of(target), ())
            else:
                yield RuleEffect(rule, None, self._winners(own) if own else ())

    def _decided_by(self, rule: Rule, own: Sequence[Pattern]) -> bytes | None:
        def confirm(target: bytes) -> bool:
            return self._decider(target) == rule

        previous = self._texts[self._rule] if self._rule is not None else []
        self._rule = rule
        self._one_rule.update([*previous, *self._texts[rule]])
        return self._target(self._one_rule, own, confirm, wanted=True)

    def _winners(self, own: Sequence[Pattern]) -> tuple[Rule, ...]:
        """Return rules that together win about all URLs that a dead rule matches: only one, if one is enough."""
        winners: list[Rule] = []
        while len(winners) < _MAX_WINNERS:
            target = self._not_won(own, winners)
            decider = None if target is None else self._decider(target)
            if decider is None:
                return tuple(winners)
            if self._not_won(own, [decider]) is None:
                return (decider,)
            winners.append(decider)
        raise Undecided(f"undecided: more than {_MAX_WINNERS} rules win over one", states=self._budget.states)

    def _not_won(self, own: Sequence[Pattern], winners: list[Rule]) -> bytes | None:
        """Return a target that a dead rule matches, but about which none of the winners wins."""

        def confirm(target: bytes) -> bool:
            return self._decider(target) not in (None, *winners)

        ranking = Ranking((one for rule in winners for one in self._texts[rule]), self._budget)
        compared = self._compared(ranking, lambda _: True)
        return self._target(compared, own, confirm, wanted=False)

    def _compared(self, ranking: Ranking, value: Callable[[RankedPattern], bool]) -> ComparedSides:
        profile = self._rules.profile
        side = RankedSide(ranking, value, default=False)
        return ComparedSides([side], (profile, profile))

    def _target(
        self, compared: ComparedSides, own: Sequence[Pattern], confirm: Confirm, *, wanted: bool
    ) -> bytes | None:
        question = Question(compared, [(wanted,)], confirm, own, self._outside)
        return shortest_target(question, self._budget)

    def _decider(self, target: bytes) -> Rule | None:
        rule = self._rules.bound.decide(self._rules.url_of(target)).rule
        # Verdicts contain the specificity of the text that matched.
        return None if rule is None else self._by_line[rule.line]
