"""Rules without effect that no single rule of their group covers, found by exact comparisons within a limit of work.

1. Without such a rule, every URL has the same verdict for every agent, and also without all of them and the repeated
   and covered rules together.
2. An allow rule whose URLs no shorter rule disallows needs no comparison. The only rule of a group is not reported for
   this reason: it states that the crawler may fetch everything.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, NamedTuple

from canfetch.core.patterns import is_void
from canfetch.core.profiles import get_profile
from canfetch.core.verdict import Rule
from canfetch.errors import Undecided
from canfetch.lint.analysis.canonical_rules import CanonicalRule, canonical_rules, matches_everything
from canfetch.lint.analysis.exact_redundancy import ExactRedundancy, is_comparable
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.line_fixes import remove_line
from canfetch.lint.analysis.merged_rules import merged_rules
from canfetch.lint.analysis.repeated_rules import repeated_rules
from canfetch.lint.analysis.rule_coverage import covered_rules, covers_encoded
from canfetch.lint.check import VARIANT, LineOccurrence, Occurrence
from canfetch.lint.fixes import Fix
from canfetch.lint.linted_file import LintedFile, LintedRule

if TYPE_CHECKING:
    from canfetch.compare.budget import PortableBudget

# The limits in objects of about a microsecond: of all comparisons of a file that find rules, of one of them, and of
# those that find the rules that win.
_OBJECTS: Final = 50_000
_OBJECTS_OF_COMPARISON: Final = 10_000
_OBJECTS_OF_WINNERS: Final = 20_000
_OBJECTS_OF_RULE: Final = 10
# A rule may be redundant together with others only after these are left out.
_MAX_PASSES: Final = 8
# The rules that a message names.
_MAX_NAMED: Final = 3


class Cause(Enum):
    """Why a rule has no effect."""

    OVERRIDDEN = "overridden"  # opposing rules win for all of its URLs
    REDUNDANT = "redundant"  # other rules result in the same verdicts
    ALLOWED = "allowed"  # an allow rule, without which its URLs are allowed as well


class IneffectiveRule(NamedTuple):
    """A rule without effect.

    Attributes:
        rule: The rule.
        cause: Why it has no effect.
        winners: Rules that win over it, or decide alike. Each URL that it matches is decided by one of these, or by a
            rule that wins over them.
        in_whole_group: Whether no rule of its group has an effect.
    """

    rule: LintedRule
    cause: Cause
    winners: tuple[Rule, ...]
    in_whole_group: bool = False


def ineffective_rules(file: LintedFile, cause: Cause) -> Iterable[IneffectiveRule]:
    """Yield the rules that have no effect for one cause, in file order. None of them is repeated or covered.

    Cost: O(rules), and exact comparisons within a limit, at the first call.
    """
    return (found for found in file.compute_once(_ineffective_rules) if found.cause is cause)


def _ineffective_rules(file: LintedFile) -> list[IneffectiveRule]:
    if len(file.rules) < 2 or not file.compute_once(is_comparable) or merged_rules(file).rules_of_google:
        return []
    search = _Search(file)
    found = sorted(search.redundant(), key=lambda one: one.rule.line)
    described = (search.describe(one) for one in found)
    return [one._replace(in_whole_group=search.has_no_effect(one.rule.group)) for one in described if one is not None]


class _Search:
    """The search for the rules of a file without which no verdict changes."""

    def __init__(self, file: LintedFile) -> None:
        self._merged = merged_rules(file)
        self._exact = ExactRedundancy(file, _OBJECTS, _OBJECTS_OF_COMPARISON)
        self._profile = get_profile(file.robots.profile)
        # The lines of rules that need no comparison, each with a rule of another group that covers it, if any.
        self._plain: dict[int, LintedRule | None] = {}
        left_out = {rule.line: rule for rule, _ in repeated_rules(file)}
        left_out |= {rule.line: rule for covered in covered_rules(file) for rule in covered.equal}
        self._exact.leave_out(left_out.values())
        # The number of rules that each group keeps.
        self._kept = Counter(rule.group for rule in file.rules if rule.line not in left_out)
        split, after_shorter = self._merged.split_by_google, self._merged.after_shorter_heads
        self._candidates = [
            one
            for group, rules in enumerate(canonical_rules(file))
            if group not in split
            for one in rules
            # A literal disallow rule is necessary if no other rule matches its shortest URL.
            if (one.rule.allow or not one.is_literal or one.rule.line in after_shorter)
            and one.rule.line not in left_out
            and self._may_be_redundant(one)
        ]

    def redundant(self) -> list[CanonicalRule]:
        """Return the rules without which no verdict changes, and leave them out."""
        found: list[CanonicalRule] = []
        # Long rules first: short ones tend to cover them.
        remaining = sorted(self._candidates, key=lambda one: (-len(one.rule.value), -one.rule.line))
        for _ in range(_MAX_PASSES):
            before = len(found)
            for one in remaining:
                if self._is_redundant(one):
                    self._kept[one.rule.group] -= 1
                    found.append(one)
            if len(found) == before:
                break
            remaining = [one for one in remaining if self._exact.was_redundant_alone(one.rule)]
        return found

    def describe(self, one: CanonicalRule) -> IneffectiveRule | None:
        """Return why a rule has no effect, or None if that is undecided."""
        rule = one.rule
        other = self._plain.get(rule.line)
        if other is not None:
            return IneffectiveRule(rule, Cause.REDUNDANT, (_as_rule(other),))
        try:
            overridden = None if self._exact.decides_directly(one) else self._winners(one, overriding=True)
            if overridden:
                return IneffectiveRule(rule, Cause.OVERRIDDEN, overridden)
            winners = None if rule.line in self._plain else self._winners(one, overriding=False)
        except Undecided:
            return None
        if winners:
            return IneffectiveRule(rule, Cause.REDUNDANT, winners)
        return IneffectiveRule(rule, Cause.ALLOWED, ()) if rule.allow else None

    def has_no_effect(self, group: int) -> bool:
        """Return whether no rule of a group has an effect."""
        return self._kept[group] == 0

    @cached_property
    def _budget(self) -> "PortableBudget":
        """The work that is left for finding the rules that win."""
        from canfetch.compare.budget import PortableBudget  # noqa: PLC0415 - few files need comparisons

        return PortableBudget(_OBJECTS_OF_WINNERS)

    def _may_be_redundant(self, one: CanonicalRule) -> bool:
        rule, form, _ = one
        # Other checks report a rule that matches no URL.
        if form is not rule.value and is_void(rule.value, self._profile):
            return False
        # Google's parser also allows the folder of an index page.
        return not (rule.allow and b"/index.htm" in form)

    def _is_redundant(self, one: CanonicalRule) -> bool:
        rule = one.rule
        is_last = self._kept[rule.group] == 1
        may_be_redundant = not (rule.allow and is_last)
        if may_be_redundant and self._exact.is_plainly_needed(one):
            return False
        if not self._exact.spellings.overlap(one):
            self._find_plain(one, is_last=is_last)
        if rule.line in self._plain:
            self._exact.leave_out([rule])
            return True
        return may_be_redundant and self._exact.are_redundant(one, [rule], 0)

    def _find_plain(self, one: CanonicalRule, *, is_last: bool) -> None:
        """Note a rule that needs no comparison."""
        rule, group = one.rule, one.rule.group
        high = max(len(one.form) + 1, rule.specificity)
        may_be_allowed = rule.allow and not is_last and self._exact.is_read(group)
        if may_be_allowed and not self._merged.of(group, allow=False).is_between(one, 0, high):
            self._plain[rule.line] = None
            return
        alike = self._merged.of(group, allow=rule.allow)
        if rule.line not in alike.after_shorter_heads and b"?" not in one.head:
            return
        opposing = self._merged.of(group, allow=not rule.allow)
        together = self._exact.read_with(group)
        for other in alike.covering(one):
            if other.rule.group not in together or self._exact.is_left_out(other.rule):
                continue
            is_equal = other.form == one.form and other.rule.specificity >= rule.specificity
            low = min(other.rule.specificity, len(other.form))
            if is_equal or (not opposing.is_between(one, low, high) and covers_encoded(other.form, one.form)):
                self._plain[rule.line] = other.rule
                return

    def _winners(self, one: CanonicalRule, *, overriding: bool) -> tuple[Rule, ...] | None:
        """Return the rules that win over a rule, or decide about its URLs without it. None if there are no such rules.

        Args: overriding: Whether only opposing rules that win count.
        Raises: Undecided.
        """
        from canfetch.lint.analysis.winning_rules import WinningRules  # noqa: PLC0415 - few files need comparisons

        rule = _as_rule(one.rule)
        found: dict[int, Rule] = {}
        for others in self._exact.others(one):
            self._budget.spend_in_python(_OBJECTS_OF_RULE * len(others))
            search = WinningRules(rule, others, self._profile, self._budget, self._exact.ranked_patterns)
            winners = search.overriding() if overriding else search.deciding()
            if winners is None:
                return None
            found.update((winner.line, winner) for winner in winners)
        return tuple(found[line] for line in sorted(found))


def _as_rule(rule: LintedRule) -> Rule:
    return Rule(rule.allow, rule.value, rule.line, rule.specificity)


FixOfGroup = Callable[[LintedFile, IneffectiveRule], Fix | None]
"""Returns the fix for a rule whose whole group has no effect."""


def _keep_group(_: LintedFile, __: IneffectiveRule) -> None:
    """Return no fix: without its last rule, the group would be merged with the next one."""


def ineffective_occurrences(
    file: LintedFile, cause: Cause, fix_of_group: FixOfGroup = _keep_group
) -> Iterator[LineOccurrence]:
    """Yield a place for each rule that has no effect for one cause."""
    for ineffective in ineffective_rules(file, cause):
        yield LineOccurrence(ineffective.rule.line, partial(_occurrence, file, ineffective, fix_of_group))


def _occurrence(file: LintedFile, ineffective: IneffectiveRule, fix_of_group: FixOfGroup) -> Occurrence:
    rule, winners = ineffective.rule, ineffective.winners
    fix: Callable[[], Fix | None]
    if ineffective.in_whole_group:
        fix = partial(fix_of_group, file, ineffective)
    else:
        fix = partial(remove_line, rule.record, changes_verdicts=True)
    named = _as_text(file, winners) if winners else {}
    if any(file.records[winner.line - 1].group != rule.group for winner in winners):
        named[VARIANT] = "other-group"
    elif rule.allow and matches_everything(rule.value):
        named[VARIANT] = "whole-site"
    query = query_for(rule.value, contrast_only=True)
    return Occurrence(file.text_span(rule.record), {"pattern": file.text(rule.value), **named}, query, fix)


def _as_text(file: LintedFile, winners: Sequence[Rule]) -> dict[str, str]:
    """Return the patterns and the lines of the first winners, for a message."""
    more = ["…"] if len(winners) > _MAX_NAMED else []
    named = winners[:_MAX_NAMED]
    return {
        "rules": ", ".join([f"`{file.text(rule.pattern)}`" for rule in named] + more),
        "lines": ", ".join([str(rule.line) for rule in named] + more),
    }
