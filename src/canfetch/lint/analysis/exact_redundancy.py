"""Whether rules are redundant, compared exactly within a limit of work.

If Google's parser compares some of the rules in another spelling, they have to be redundant for it, too.
The limit counts what is the same in both engines, so that they report the same findings.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final

from canfetch.core.agent import Agent
from canfetch.core.agent_rules import AgentRules, find_deciding_rule, find_matching_rules
from canfetch.core.profiles import Profile, get_profile
from canfetch.core.verdict import Rule
from canfetch.errors import InvalidProductToken, InvalidURL, Undecided
from canfetch.lint.analysis.canonical_rules import MAX_VALUE_LENGTH, CanonicalRule
from canfetch.lint.analysis.google_spellings import google_spellings
from canfetch.lint.analysis.merged_rules import merged_rules
from canfetch.lint.linted_file import LintedFile, LintedRule

if TYPE_CHECKING:
    from canfetch.compare.budget import PortableBudget
    from canfetch.compare.patterns import RankedPattern
    from canfetch.compare.redundancy import RemovableRules

# The rules of a file that is compared.
MAX_RULES: Final = 2000
# The objects of one verdict, of a name, of one rule, and of one comparison besides those that it counts.
_OBJECTS_OF_VERDICT: Final = 10
_OBJECTS_OF_NAME: Final = 20
_OBJECTS_OF_RULE: Final = 10
_OBJECTS_OF_START: Final = 100
# The bytes of a URL that are compared with wildcards in the time of one object.
_BYTES_OF_OBJECT: Final = 1000
# At most this many opposing rules are considered before a comparison.
_MAX_OPPOSING: Final = 16
# Stands for `*` in URLs that few other patterns match.
_UNUSUAL: Final = b"~!"
# No file names this agent.
_UNNAMED: Final = Agent("~~")
_GOOGLE: Final = get_profile("google")
_new_tuple: Final = tuple.__new__
# The groups that a crawler reads together.
_Selection = tuple[int, ...]


class _Effect(IntEnum):
    """What changes without some rules."""

    NONE = 0
    TOGETHER = 1  # a verdict, if the rules that are left out are missing, too
    ALONE = 2  # a verdict


class ExactRedundancy:
    """Finds out whether every agent and every URL has the same verdict without some rules.

    Args:
        file: The file.
        objects: The limit of all comparisons, in objects of about a microsecond.
        objects_of_comparison: The limit of one comparison.

    Attributes: spellings: The rules that Google's parser compares in another spelling.
    """

    def __init__(self, file: LintedFile, objects: int, objects_of_comparison: int) -> None:
        self._file = file
        self._merged = merged_rules(file)
        self.spellings = google_spellings(file)
        self._profile = get_profile(file.robots.profile)
        self._is_comparable = file.compute_once(is_comparable)
        self._objects = objects if self._is_comparable else 0
        self._objects_of_comparison = objects_of_comparison
        self._patterns: dict[tuple[int, str], list[RankedPattern]] = {}
        # The limit of objects also limits the number and size of these comparisons.
        self._compared: dict[tuple[str, tuple[int, ...]], RemovableRules] = {}
        self._selections: dict[int, dict[_Selection, AgentRules]] = {}
        self._by_name: dict[str, tuple[_Selection, AgentRules] | None] = {}
        # The groups of each selection, and those that all crawlers of a group read.
        self._groups_of: dict[_Selection, frozenset[int]] = {}
        self._together: dict[int, frozenset[int]] = {}
        # The lines of redundant rules, without which the next ones are compared.
        self._left_out: set[int] = set()
        # The lines of rules that were redundant, but not together with these.
        self._alone: set[int] = set()

    def are_redundant(self, one: CanonicalRule, equal: Sequence[LintedRule], low: int) -> bool:
        """Return whether some rules are redundant, both alone and together with those that are left out.

        If so, they are left out, too.

        Args:
            one: The first of the rules.
            equal: Rules of one group with the same form.
            low: Another rule that matches the same URLs has at least this specificity.
        Returns: Whether this is proved. If not, it may be undecided.
        """
        if self._objects <= 0:
            return False
        lines = frozenset(rule.line for rule in equal)
        selections = self._selections_of(one.rule.group)
        found = _combined(
            self._without(lines, url, bound) for url in self._urls(one, low) for bound in selections.values()
        )
        is_proved = False
        if found is _Effect.NONE and selections:
            found = _combined(self._proved(one, lines, selection) for selection in selections)
            is_proved = found is _Effect.NONE
        self._note_effect(one, found)
        if is_proved:
            self.leave_out(equal)
        return is_proved

    def is_plainly_needed(self, one: CanonicalRule) -> bool:
        """Return whether a shortest URL that a rule matches shows that the rule is not redundant.

        Most rules are needed, and this is the fastest way to find out.
        """
        if self._objects <= 0:
            return False
        url, lines = _shortest_url(one), (one.rule.line,)
        selections = self._selections_of(one.rule.group)
        objects = self._objects
        for bound in selections.values():
            effect = self._without(lines, url, bound)
            if effect is not _Effect.NONE:
                self._note_effect(one, effect)
                return True
        # Otherwise, `are_redundant` counts the work.
        self._objects = objects
        return False

    def leave_out(self, rules: Iterable[LintedRule]) -> None:
        """Leave out redundant rules: no other rule may be redundant only because of them."""
        if self._is_comparable:
            self._left_out.update(rule.line for rule in rules)

    def was_redundant_alone(self, rule: LintedRule) -> bool:
        """Return whether a rule was redundant, but not together with those that were left out."""
        return rule.line in self._alone

    def is_read(self, group: int) -> bool:
        """Return whether some crawler may read a group."""
        return bool(self._selections_of(group))

    def read_with(self, group: int) -> frozenset[int]:
        """Return the groups that all crawlers of a group read, including itself. Without a crawler, there are none."""
        found = self._together.get(group)
        if found is None:
            selections = [self._groups_of[selection] for selection in self._selections_of(group)]
            found = frozenset.intersection(*selections) if selections else frozenset()
            self._together[group] = found
        return found

    def is_left_out(self, rule: LintedRule) -> bool:
        """Return whether a rule is left out."""
        return rule.line in self._left_out

    def decides_directly(self, one: CanonicalRule) -> bool:
        """Return whether a rule decides about a shortest URL that it matches, for a crawler that reads its group."""
        url = _shortest_url(one)
        deciding = (find_deciding_rule(bound, url)[1] for bound in self._selections_of(one.rule.group).values())
        try:
            return any(rule is not None and rule.line == one.rule.line for rule in deciding)
        except InvalidURL:
            return False

    def others(self, one: CanonicalRule) -> Iterator[list[Rule]]:
        """Yield the other rules that may match URLs of a rule, for each selection of groups."""
        for selection in self._selections_of(one.rule.group):
            yield [rule for rule in self._overlapping(one, selection) if rule.line != one.rule.line]

    def ranked_patterns(self, rules: Iterable[Rule], profile: Profile) -> "Iterator[RankedPattern]":
        """Yield the patterns of rules of the file. Comparisons have most rules in common.

        Args: profile: One in which the rank of a rule does not depend on other rules: its first rule does not win.
        """
        from canfetch.compare.patterns import ranked_patterns  # noqa: PLC0415 - few files need comparisons

        for rule in rules:
            key = rule.line, profile.name
            if key not in self._patterns:
                self._patterns[key] = list(ranked_patterns([rule], profile))
            yield from self._patterns[key]

    @cached_property
    def _wildcards(self) -> int:
        return sum(b"*" in rule.value for rule in self._file.rules)

    def _urls(self, one: CanonicalRule, low: int) -> Iterator[str]:
        """Yield a shortest URL that a rule matches, and then URLs that opposing rules also match."""
        yield _shortest_url(one)
        if b"*" in one.form:
            # Other patterns rarely match it.
            yield _url(one.form.removesuffix(b"$").replace(b"*", _UNUSUAL))
        opposing = self._merged.of(one.rule.group, allow=not one.rule.allow).overlapping(one)
        for other in islice(opposing, _MAX_OPPOSING):
            if other.rule.specificity >= low and not (_is_anchored(one) and _is_anchored(other)):
                yield _common_url(one, other)

    def _note_effect(self, one: CanonicalRule, effect: _Effect) -> None:
        """Note whether a rule is redundant alone, but not together with those that are left out."""
        if effect is _Effect.TOGETHER:
            self._alone.add(one.rule.line)
        elif self._alone:
            self._alone.discard(one.rule.line)

    def _without(self, lines: Collection[int], url: str, bound: AgentRules) -> _Effect:
        """Return what some rules change for a URL."""
        self._objects -= _OBJECTS_OF_VERDICT + self._wildcards * len(url) // _BYTES_OF_OBJECT
        try:
            allowed, deciding = find_deciding_rule(bound, url)
        except InvalidURL:
            return _Effect.NONE
        if deciding is None or deciding.line not in lines:
            return _Effect.NONE
        # Only now, because many equal rules match the same URLs.
        others = [rule for rule in find_matching_rules(bound, url)[2] if rule.line not in lines]
        if _decision(others) is not allowed:
            return _Effect.ALONE
        if not self._left_out:
            return _Effect.NONE
        remaining = [rule for rule in others if rule.line not in self._left_out]
        return _Effect.NONE if _decision(remaining) is allowed else _Effect.TOGETHER

    def _proved(self, one: CanonicalRule, lines: frozenset[int], selection: _Selection) -> _Effect:
        """Return what some rules change for all URLs. What is not decided counts as a change."""
        profiles = (self._profile, _GOOGLE) if self.spellings.overlap(one) else (self._profile,)
        return _combined(self._proved_in(profile, one, lines, selection) for profile in profiles)

    def _proved_in(self, profile: Profile, one: CanonicalRule, lines: frozenset[int], selection: _Selection) -> _Effect:
        """Return what some rules change for all URLs in a profile."""
        budget = self._budget
        available = min(self._objects, self._objects_of_comparison) - _OBJECTS_OF_START
        most = max(available, 0) // _OBJECTS_OF_RULE
        rules = list(islice(self._overlapping(one, selection), most + 1))
        before = budget.objects = available - _OBJECTS_OF_RULE * len(rules)
        self._objects -= _OBJECTS_OF_START + _OBJECTS_OF_RULE * len(rules)
        if len(rules) > most:
            return _Effect.ALONE
        compared = self._removable(rules, profile)
        try:
            if not compared.are_redundant(lines):
                return _Effect.ALONE
            left_out = [rule.line for rule in rules if rule.line in self._left_out]
            for line in left_out:
                compared.remove(line)
            return _Effect.NONE if not left_out or compared.are_redundant(lines) else _Effect.TOGETHER
        except Undecided:
            return _Effect.ALONE
        finally:
            compared.restore()
            self._objects -= before - max(budget.objects, 0)

    @cached_property
    def _budget(self) -> "PortableBudget":
        """The work that is left for one comparison."""
        from canfetch.compare.budget import PortableBudget  # noqa: PLC0415 - few files need comparisons

        return PortableBudget(0)

    def _removable(self, rules: Sequence[Rule], profile: Profile) -> "RemovableRules":
        """Return rules to compare. Most patterns with wildcards overlap the same ones."""
        from canfetch.compare.redundancy import RemovableRules  # noqa: PLC0415 - few files need comparisons

        key = profile.name, tuple([rule.line for rule in rules])
        found = self._compared.get(key)
        if found is None:
            found = self._compared[key] = RemovableRules(rules, profile, self._budget, self.ranked_patterns)
        return found

    def _overlapping(self, one: CanonicalRule, selection: _Selection) -> Iterator[Rule]:
        """Yield the rules that may decide about URLs that a rule matches."""
        groups = self._groups_of[selection]
        for allow in (True, False):
            for rule, _, _ in self._merged.of(one.rule.group, allow=allow).overlapping(one):
                if rule.group in groups:
                    yield _new_tuple(Rule, (allow, rule.value, rule.line, rule.specificity))

    def _selections_of(self, group: int) -> dict[_Selection, AgentRules]:
        """Return the groups that crawlers read together with a group, for each of its names, and their rules."""
        found = self._selections.get(group)
        if found is None:
            found = self._selections[group] = {}
            names = self._file.groups[group].names
            self._objects -= _OBJECTS_OF_NAME * len(names)
            for name in names if self._objects > 0 else ():
                if name not in self._by_name:
                    self._by_name[name] = self._selection_of(name)
                selection = self._by_name[name]
                # A name with bytes that no product token has is shown in another spelling, which no crawler has.
                if selection is not None and group in self._groups_of[selection[0]]:
                    found[selection[0]] = selection[1]
        return found

    def _selection_of(self, name: str) -> tuple[_Selection, AgentRules] | None:
        """Return the groups that a crawler reads, and its rules, or None if no crawler has this name."""
        try:
            bound = self._file.robots.rules_for(_UNNAMED if name == "*" else name)
        except InvalidProductToken:
            return None
        selection = tuple(bound.group_indices)
        self._groups_of.setdefault(selection, frozenset(selection))
        return selection, bound


def _combined(effects: Iterable[_Effect]) -> _Effect:
    """Return the first effect, if any."""
    return next((effect for effect in effects if effect is not _Effect.NONE), _Effect.NONE)


def _decision(rules: Sequence[Rule]) -> bool:
    """Return the decision of rules that match a URL, in order of precedence."""
    return rules[0].allow if rules else True


def is_comparable(file: LintedFile) -> bool:
    """Return whether the rules of a file are compared exactly.

    In larger files, comparisons would find few redundant rules in the time. Longer rules have no canonical form.
    """
    return len(file.rules) <= MAX_RULES and all(len(rule.value) <= MAX_VALUE_LENGTH for rule in file.rules)


def _shortest_url(one: CanonicalRule) -> str:
    return _url(one.form.translate(None, b"*$"))


def _common_url(one: CanonicalRule, other: CanonicalRule) -> str:
    """Return a URL that two rules match. At most one of the rules may end with `$`."""
    head = max(one.head, other.head, key=len)
    segments = [rule.form.removesuffix(b"$").split(b"*")[1:] for rule in sorted((one, other), key=_is_anchored)]
    return _url(b"".join([head, *segments[0], *segments[1]]))


def _is_anchored(rule: CanonicalRule) -> bool:
    return rule.form.endswith(b"$")


def _url(target: bytes) -> str:
    url = target.decode("utf-8", "surrogateescape")
    return url if url.startswith("/") else "/" + url
