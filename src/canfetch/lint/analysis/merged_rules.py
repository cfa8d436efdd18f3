"""Rules that crawlers read together, because their groups have a product token in common."""

from functools import cached_property
from itertools import chain

from canfetch.lint.analysis.canonical_rules import CanonicalRule, canonical_rules, with_forms
from canfetch.lint.analysis.key_names import ALLOW, DISALLOW, USER_AGENT
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines, prefix_name
from canfetch.lint.analysis.rule_overlaps import RulesByHead, rules_after_shorter_heads
from canfetch.lint.linted_file import LintedFile, LintedRule


class MergedRules:
    """The allow rules, and the disallow rules, that some crawler reads together with those of a group.

    They are collected on first use, because most files have no rule that another one covers.

    Args: file: The file.

    Attributes:
        rules_of_google: The rules that only Google's parser reads.
        split_by_google: The groups inside which only Google's parser starts another group.
    """

    def __init__(self, file: LintedFile) -> None:
        self._file = file
        self.rules_of_google, self.split_by_google = _read_by_google(file)
        self._by_head: dict[tuple[int, bool], RulesByHead] = {}

    def of(self, group: int, *, allow: bool) -> RulesByHead:
        """Return the rules of one kind that are read together with those of a group."""
        key = self._together[group], allow
        found = self._by_head.get(key)
        if found is None:
            rules = self._rules.get(key[0], ())
            found = self._by_head[key] = RulesByHead([one for one in rules if one.rule.allow is allow])
        return found

    @cached_property
    def after_shorter_heads(self) -> frozenset[int]:
        """The lines of rules whose head starts with, or is, that of another rule that is read together with them."""
        rules = chain.from_iterable(map(rules_after_shorter_heads, self._rules.values()))
        return frozenset([one.rule.line for one in rules])

    @cached_property
    def _together(self) -> list[int]:
        return _groups_together(self._file)

    @cached_property
    def _rules(self) -> dict[int, list[CanonicalRule]]:
        """The rules, by the number of the groups that are read together."""
        rules: dict[int, list[CanonicalRule]] = {}
        for one in chain(chain.from_iterable(canonical_rules(self._file)), self.rules_of_google):
            rules.setdefault(self._together[one.rule.group], []).append(one)
        return rules


def merged_rules(file: LintedFile) -> MergedRules:
    """Return the rules of a file that crawlers read together, which all checks share."""
    return file.compute_once(MergedRules)


def _read_by_google(file: LintedFile) -> tuple[list[CanonicalRule], frozenset[int]]:
    """Return the rules that only Google's parser reads, and the groups inside which it alone starts another group."""
    rules: list[LintedRule] = []
    split: set[int] = set()
    for line in odd_lines(file, Oddity.PREFIX):
        name = prefix_name(file.key(line.record)).capitalize()
        group = line.record.group
        if group is None or group >= len(file.groups):
            continue
        if name in (ALLOW, DISALLOW):
            value = file.value(line.record)
            rules.append(LintedRule(line.record.line, name == ALLOW, value, len(value), group, file.records))
        elif name == USER_AGENT:
            split.add(group)
    return with_forms(file, rules), frozenset(split)


def _groups_together(file: LintedFile) -> list[int]:
    """Return a number for each group. Groups that some crawler merges have the same number."""
    parents = list(range(len(file.groups)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    named: dict[str, int] = {}
    for group in file.groups:
        for name in group.names:
            other = named.setdefault(name, group.index)
            parents[root(group.index)] = root(other)
    return [root(index) for index in range(len(parents))]
