"""Dead rules: rules that decide about no URL."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.compare.compared_rules import ComparedRules, compared_rules
from canfetch.compare.limits import Budget
from canfetch.compare.overlaps import Overlaps
from canfetch.compare.patterns import RankedPattern, Side, exemption, ranked_patterns
from canfetch.compare.witnesses import Confirm, shortest_target
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.verdict import Rule
from canfetch.errors import Undecided

_MAX_WINNERS: Final = 64


class RuleEffect(NamedTuple):
    """What a rule decides.

    Attributes:
        rule: The rule.
        example: A shortest URL about which it decides, or None if the rule is dead.
        winners: For a dead rule, rules that win over it: each URL that it matches is decided by one of these, or by a
            rule that wins over them. There are none if it matches no URL, or only `/robots.txt`.
    """

    rule: Rule
    example: str | None
    winners: tuple[Rule, ...]


def dead_rules(robots: RobotsTxt, *, agent: str | Agent, steps: int | None = None) -> tuple[RuleEffect, ...]:
    """Return the rules for `agent` that decide about no URL, each with the rules that always win.

    A rule that decides may still be redundant, because without it another rule would decide alike: see `minimize`.

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
        # Of equally ranked rules, the first line decides. Each text of a rule has a rank of its own.
        ranked = ranked_patterns(rules.rules, rules.profile)
        self._patterns: list[RankedPattern] = [
            one._replace(rank=(*one.rank, number)) for number, one in enumerate(ranked)
        ]
        self._overlaps = Overlaps(self._patterns)

    def __iter__(self) -> Iterator[RuleEffect]:
        texts: dict[Rule, list[RankedPattern]] = {}
        for one in self._patterns:
            if one.rule is not None:
                texts.setdefault(one.rule, []).append(one)
        for rule in self._rules.rules:
            own = texts.get(rule)
            if not own:
                # A void rule matches nothing.
                yield RuleEffect(rule, None, ())
                continue
            overlapping = self._overlaps.of(own)
            target = self._decided_by(rule, own, overlapping)
            if target is None:
                yield RuleEffect(rule, None, self._winners(own, overlapping))
            else:
                yield RuleEffect(rule, self._rules.url_of(target), ())

    def _decided_by(self, rule: Rule, own: list[RankedPattern], overlapping: list[RankedPattern]) -> bytes | None:
        side = self._side([one._replace(allow=one.rule == rule) for one in overlapping])

        def confirm(target: bytes) -> bool:
            return self._decider(target) == rule

        return self._shortest_target([side], (True,), confirm, own)

    def _winners(self, own: list[RankedPattern], overlapping: list[RankedPattern]) -> tuple[Rule, ...]:
        """Return rules that together win about all URLs that a dead rule matches: only one, if one is enough."""
        winners: list[Rule] = []
        while len(winners) < _MAX_WINNERS:
            target = self._not_won(own, overlapping, winners)
            decider = None if target is None else self._decider(target)
            if decider is None:
                return tuple(winners)
            if self._not_won(own, overlapping, [decider]) is None:
                return (decider,)
            winners.append(decider)
        raise Undecided(f"undecided: more than {_MAX_WINNERS} rules win over one", states=self._budget.states)

    def _not_won(self, own: list[RankedPattern], overlapping: list[RankedPattern], winners: list[Rule]) -> bytes | None:
        """Return a target that a dead rule matches, but about which none of the winners wins."""
        matched = Side([one._replace(allow=True) for one in own], default=False)
        if self._rules.profile.robotparser_rewritten:
            # A longer pattern may match less of a target, so that only the decision counts.
            patterns = [one._replace(allow=one.rule in winners) for one in overlapping]
        else:
            patterns = [one._replace(allow=True) for one in overlapping if one.rule in winners]

        def confirm(target: bytes) -> bool:
            return self._decider(target) not in (None, *winners)

        # `/robots.txt` is not decided by a rule.
        return self._shortest_target([matched, self._side(patterns, exempt=True)], (True, False), confirm, own)

    def _side(self, patterns: list[RankedPattern], *, exempt: bool = False) -> Side:
        profile = self._rules.profile
        if profile.robots_txt_allowed:
            patterns = [*patterns, exemption(allow=exempt)]
        return Side(patterns, default=False, longest_match=profile.robotparser_rewritten)

    def _decider(self, target: bytes) -> Rule | None:
        if self._rules.allows(target) is None:
            return None
        return self._without_specificity(self._rules.bound.decide(self._rules.url_of(target)).rule)

    def _without_specificity(self, rule: Rule | None) -> Rule | None:
        # Verdicts contain the specificity of the text that matched.
        return None if rule is None else next(one for one in self._rules.rules if one.line == rule.line)

    def _shortest_target(
        self, sides: list[Side], wanted: tuple[bool, ...], confirm: Confirm, own: list[RankedPattern]
    ) -> bytes | None:
        profile = self._rules.profile
        return shortest_target(sides, [wanted], (profile, profile), self._budget, confirm, matching=own)
