"""Rules that are redundant because a shorter rule already has their effect.

1. The form of a pattern is canonical and has no superfluous `*`. Patterns with equal forms match the same targets.
2. A form without `*` and `$` covers all forms that start with it.
3. Groups with a product token in common are merged, so an opposing rule in any of them counts.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from canfetch.core.escapes import canonical
from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.analysis.key_names import ALLOW, DISALLOW, USER_AGENT
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines, prefix_name
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule

# Longer values are skipped.
_MAX_VALUE_LENGTH: Final = 2000
# At most this many rules with one `*` are compared with all other rules of their group.
_MAX_WILDCARDS: Final = 32


def canonical_form(value: bytes) -> bytes:
    """Return the form of a pattern, or an empty value if it cannot match. Equal forms match the same targets."""
    form = canonical(value)
    if form[:1] not in (b"/", b"*"):
        return b""
    if form.endswith(b"*$"):
        form = form[:-1]
    form = form.rstrip(b"*")
    if b"**" in form:
        first, *rest = form.split(b"*")
        form = first + b"".join(b"*" + part for part in rest if part)
    return form or b"/"


def literal_prefix(form: bytes) -> bytes:
    """Return the bytes that every target matched by a form starts with."""
    head = form.partition(b"*")[0]
    return head[:-1] if head.endswith(b"$") and len(head) == len(form) else head


class CanonicalRule(NamedTuple):
    """A rule and its form."""

    rule: LintedRule
    form: bytes

    @property
    def is_literal(self) -> bool:
        """Whether the form is a plain prefix, without `*` and `$`."""
        return b"*" not in self.form and not self.form.endswith(b"$")


def canonical_rules(rules: Iterable[LintedRule]) -> list[CanonicalRule]:
    """Return the rules that can match a target, with their forms."""
    return [
        CanonicalRule(rule, form)
        for rule in rules
        if len(rule.value) <= _MAX_VALUE_LENGTH and (form := canonical_form(rule.value))
    ]


def repeated_rules(group: LintedGroup) -> Iterator[tuple[LintedRule, LintedRule]]:
    """Yield each rule of a group that repeats an earlier one, and the earlier one."""
    first: dict[tuple[bool, bytes], LintedRule] = {}
    for rule, form in canonical_rules(group.rules):
        earlier = first.setdefault((rule.allow, form), rule)
        if earlier is not rule:
            yield rule, earlier


class _Heads:
    """The literal prefixes of opposing rules, with the specificities of these rules."""

    def __init__(self) -> None:
        self._specificities: dict[bytes, list[int]] = {}
        self._sorted: list[bytes] = []
        self._lengths: list[int] = []

    def add(self, head: bytes, specificity: int) -> None:
        self._specificities.setdefault(head, []).append(specificity)

    def close(self) -> None:
        self._sorted = sorted(self._specificities)
        self._lengths = sorted({len(head) for head in self._sorted})
        for specificities in self._specificities.values():
            specificities.sort()

    def is_between(self, one: CanonicalRule, low: int, high: int) -> bool:
        """Return whether a rule with a specificity from `low` to `high` may match some target that `one` matches."""
        head = literal_prefix(one.form)
        for length in self._lengths:
            if length > len(head):
                break
            specificities = self._specificities.get(head[:length])
            if specificities is not None:
                index = bisect_left(specificities, low)
                if index < len(specificities) and specificities[index] <= high:
                    return True
        # A longer prefix means a higher specificity, unless superfluous stars count. An allow rule wins a tie.
        if (
            one.is_literal
            and high <= len(one.form) + 1
            and (one.rule.specificity == len(one.form) or not one.rule.allow)
        ):
            return False
        index = bisect_left(self._sorted, head)
        return index < len(self._sorted) and self._sorted[index].startswith(head)


class CoveredRule(NamedTuple):
    """A redundant rule, the rule that covers it, and all rules with the same form, including the redundant one."""

    rule: LintedRule
    covering: LintedRule
    equal: tuple[LintedRule, ...]


def covered_rules(file: LintedFile) -> Iterator[CoveredRule]:
    """Yield each rule that a shorter rule of the same kind and group covers.

    Cost: O(bytes of rules · distinct lengths of rules).
    """
    together = _groups_together(file)
    rules_of_google, split_by_google = _read_by_google(file)
    heads: dict[tuple[int, bool], _Heads] = {}
    by_group = [canonical_rules(group.rules) for group in file.groups]
    for index, rules in enumerate(by_group):
        for one in rules:
            of_kind = heads.setdefault((together[index], one.rule.allow), _Heads())
            for specificity in {one.rule.specificity, len(one.form)}:
                of_kind.add(literal_prefix(one.form), specificity)
    for one in rules_of_google:
        of_kind = heads.setdefault((together[one.rule.group], one.rule.allow), _Heads())
        for specificity in {one.rule.specificity, len(one.form)}:
            of_kind.add(literal_prefix(one.form), specificity)
    for each in heads.values():
        each.close()
    nothing = _Heads()
    for index, rules in enumerate(by_group):
        if index in split_by_google:
            continue
        for allow in (True, False):
            opposing = heads.get((together[index], not allow), nothing)
            yield from _covered_among([one for one in rules if one.rule.allow is allow], opposing)


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
            rules.append(LintedRule(line.record, name == ALLOW, value, len(value), group))
        elif name == USER_AGENT:
            split.add(group)
    return canonical_rules(rules), frozenset(split)


def _covered_among(rules: list[CanonicalRule], opposing: _Heads) -> Iterator[CoveredRule]:
    equal: dict[bytes, list[CanonicalRule]] = {}
    for one in rules:
        equal.setdefault(one.form, []).append(one)
    distinct = [ones[0] for ones in equal.values()]
    literals = {one.form: one for one in distinct if one.is_literal}
    lengths = sorted({len(form) for form in literals}, reverse=True)
    wildcards = [one for one in distinct if one.form.count(b"*") == 1 and not one.form.endswith(b"$")]
    wildcards = wildcards[:_MAX_WILDCARDS]
    for one in distinct:
        head = literal_prefix(one.form)
        if one.rule.allow and b"/index.htm" in one.form:
            continue  # Google's parser also allows the folder
        covering = next(
            (
                literals[head[:length]]
                for length in lengths
                if length <= len(head) and head[:length] != one.form and head[:length] in literals
            ),
            None,
        ) or _wildcard_that_covers(one, head, wildcards)
        if covering is None:
            continue
        # With and without superfluous stars.
        low = min(covering.rule.specificity, len(covering.form))
        high = max(len(one.form) + 1, *(other.rule.specificity for other in equal[one.form]))
        if not opposing.is_between(one, low, high):
            yield CoveredRule(one.rule, covering.rule, tuple(other.rule for other in equal[one.form]))


def _wildcard_that_covers(one: CanonicalRule, head: bytes, wildcards: list[CanonicalRule]) -> CanonicalRule | None:
    for other in wildcards:
        start, _, inner = other.form.partition(b"*")
        if other.form != one.form and head.startswith(start) and head.find(inner, len(start)) >= 0:
            return other
    return None


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


class _Forms(NamedTuple):
    """The forms of the allow rules, or of the disallow rules, of one group."""

    distinct: set[bytes]
    in_order: list[bytes]
    lengths: list[int]


class Neighbours:
    """The rules of each group, to find out how a rewritten rule would relate to the others."""

    def __init__(self, file: LintedFile) -> None:
        forms: dict[tuple[int, bool], set[bytes]] = {}
        for rule, form in canonical_rules(file.rules):
            forms.setdefault((rule.group, rule.allow), set()).add(form)
        self._forms = {key: _Forms(some, sorted(some), sorted(set(map(len, some)))) for key, some in forms.items()}

    def would_be_unrelated(self, record: Record, value: bytes) -> bool:
        """Return whether a rule with this value would not repeat, cover or be covered by another in its group."""
        return not self._is_related(record, value, allow=record.kind is RecordKind.ALLOW)

    def would_be_unopposed(self, record: Record, value: bytes) -> bool:
        """Return whether no opposing rule of the group starts with this value, or is a prefix of it.

        With an opposing rule, a fix may change verdicts of crawlers that obey the first match.
        """
        return not self._is_related(record, value, allow=record.kind is not RecordKind.ALLOW)

    def _is_related(self, record: Record, value: bytes, *, allow: bool) -> bool:
        if len(value) > _MAX_VALUE_LENGTH:
            return True  # not examined
        forms = None if record.group is None else self._forms.get((record.group, allow))
        if forms is None:
            return False
        form = canonical_form(value)
        index = bisect_left(forms.in_order, form)
        if index < len(forms.in_order) and forms.in_order[index].startswith(form):
            return True
        return any(form[:length] in forms.distinct for length in forms.lengths if length < len(form))
