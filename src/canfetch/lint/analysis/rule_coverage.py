"""Which rules say what a shorter one says already.

1. The form of a pattern is its canonical one without stars that say nothing; equal forms match the same targets.
2. A form without `*` and `$` covers all that begin with it.
3. Groups that name one crawler are read together: an opposing rule in any of them counts.
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

# What is longer is no path that anybody means.
_LONGEST_OCTETS: Final = 2000
# So many rules with one `*` are compared with all the others of their group.
_MOST_WILDCARDS: Final = 32


def canonical_form(value: bytes) -> bytes:
    """Give the form of a pattern: equal forms match the same targets; empty where it can match nothing."""
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
    """Give the octets of a form with which every target that it matches begins."""
    head = form.partition(b"*")[0]
    return head[:-1] if head.endswith(b"$") and len(head) == len(form) else head


class CanonicalRule(NamedTuple):
    """A rule, and its form."""

    rule: LintedRule
    form: bytes

    @property
    def is_literal(self) -> bool:
        """Whether the form is a prefix of targets, and nothing else."""
        return b"*" not in self.form and not self.form.endswith(b"$")


def canonical_rules(rules: Iterable[LintedRule]) -> list[CanonicalRule]:
    """Give those rules that can match something, with their forms."""
    return [
        CanonicalRule(rule, form)
        for rule in rules
        if len(rule.value) <= _LONGEST_OCTETS and (form := canonical_form(rule.value))
    ]


def repeated_rules(group: LintedGroup) -> Iterator[tuple[LintedRule, LintedRule]]:
    """Give each rule of a group that says what an earlier one says, and that one."""
    first: dict[tuple[bool, bytes], LintedRule] = {}
    for rule, form in canonical_rules(group.rules):
        earlier = first.setdefault((rule.allow, form), rule)
        if earlier is not rule:
            yield rule, earlier


class _Heads:
    """The heads of rules that may stand in the way, with what the rules weigh."""

    def __init__(self) -> None:
        self._octets: dict[bytes, list[int]] = {}
        self._sorted: list[bytes] = []
        self._lengths: list[int] = []

    def add(self, head: bytes, octets: int) -> None:
        self._octets.setdefault(head, []).append(octets)

    def close(self) -> None:
        self._sorted = sorted(self._octets)
        self._lengths = sorted({len(head) for head in self._sorted})
        for octets in self._octets.values():
            octets.sort()

    def is_between(self, one: CanonicalRule, low: int, high: int) -> bool:
        """Say whether a rule that weighs `low` to `high` may match what `one` matches."""
        head = literal_prefix(one.form)
        for length in self._lengths:
            if length > len(head):
                break
            weights = self._octets.get(head[:length])
            if weights is not None:
                place = bisect_left(weights, low)
                if place < len(weights) and weights[place] <= high:
                    return True
        # What begins with more octets weighs more, unless stars that say nothing are counted; a tie is an allow.
        if (
            one.is_literal
            and high <= len(one.form) + 1
            and (one.rule.specificity == len(one.form) or not one.rule.allow)
        ):
            return False
        place = bisect_left(self._sorted, head)
        return place < len(self._sorted) and self._sorted[place].startswith(head)


class CoveredRule(NamedTuple):
    """A rule that changes nothing, the one that covers it, and all that say the same as it, itself among them."""

    rule: LintedRule
    covering: LintedRule
    equal: tuple[LintedRule, ...]


def covered_rules(file: LintedFile) -> Iterator[CoveredRule]:
    """Give each rule that a shorter one of its kind and group covers.

    Cost: O(octets of rules, times the lengths that rules have).
    """
    together = _groups_together(file)
    rules_of_google, cut_by_google = _read_by_google(file)
    heads: dict[tuple[int, bool], _Heads] = {}
    by_group = [canonical_rules(group.rules) for group in file.groups]
    for index, rules in enumerate(by_group):
        for one in rules:
            of_kind = heads.setdefault((together[index], one.rule.allow), _Heads())
            for octets in {one.rule.specificity, len(one.form)}:
                of_kind.add(literal_prefix(one.form), octets)
    for one in rules_of_google:
        of_kind = heads.setdefault((together[one.rule.group], one.rule.allow), _Heads())
        for octets in {one.rule.specificity, len(one.form)}:
            of_kind.add(literal_prefix(one.form), octets)
    for each in heads.values():
        each.close()
    nothing = _Heads()
    for index, rules in enumerate(by_group):
        if index in cut_by_google:
            continue
        for allow in (True, False):
            opposing = heads.get((together[index], not allow), nothing)
            yield from _covered_among([one for one in rules if one.rule.allow is allow], opposing)


def _read_by_google(file: LintedFile) -> tuple[list[CanonicalRule], frozenset[int]]:
    """Give the lines that are rules to Google's parser alone, and the groups in which it finds others' beginnings."""
    rules: list[LintedRule] = []
    cut: set[int] = set()
    for line in odd_lines(file, Oddity.PREFIX):
        name = prefix_name(file.key(line.record)).capitalize()
        group = line.record.group
        if group is None or group >= len(file.groups):
            continue
        if name in (ALLOW, DISALLOW):
            value = file.value(line.record)
            rules.append(LintedRule(line.record, name == ALLOW, value, len(value), group))
        elif name == USER_AGENT:
            cut.add(group)
    return canonical_rules(rules), frozenset(cut)


def _covered_among(rules: list[CanonicalRule], opposing: _Heads) -> Iterator[CoveredRule]:
    equal: dict[bytes, list[CanonicalRule]] = {}
    for one in rules:
        equal.setdefault(one.form, []).append(one)
    distinct = [ones[0] for ones in equal.values()]
    literals = {one.form: one for one in distinct if one.is_literal}
    lengths = sorted({len(form) for form in literals}, reverse=True)
    wildcards = [one for one in distinct if one.form.count(b"*") == 1 and not one.form.endswith(b"$")]
    wildcards = wildcards[:_MOST_WILDCARDS]
    for one in distinct:
        head = literal_prefix(one.form)
        if one.rule.allow and b"/index.htm" in one.form:
            continue  # to Google's parser it also allows the folder
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
        # As if stars that say nothing were there, and as if they were not.
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
    """Give each group the number of all that some crawler may read together with it."""
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
    """The forms of one kind in one group."""

    distinct: set[bytes]
    in_order: list[bytes]
    lengths: list[int]


class Neighbours:
    """The rules of each group, to ask what a rule would be among them with another value."""

    def __init__(self, file: LintedFile) -> None:
        forms: dict[tuple[int, bool], set[bytes]] = {}
        for rule, form in canonical_rules(file.rules):
            forms.setdefault((rule.group, rule.allow), set()).add(form)
        self._forms = {key: _Forms(some, sorted(some), sorted(set(map(len, some)))) for key, some in forms.items()}

    def would_stand_apart(self, record: Record, value: bytes) -> bool:
        """Say whether a rule with that value would be equal to no other of its kind and group, nor cover one."""
        return not self._is_related(record, value, allow=record.kind is RecordKind.ALLOW)

    def would_be_unopposed(self, record: Record, value: bytes) -> bool:
        """Say whether no rule of the other kind in its group begins with that value, or is a beginning of it.

        Where one does, readers that obey the first match may take another writing for another order.
        """
        return not self._is_related(record, value, allow=record.kind is not RecordKind.ALLOW)

    def _is_related(self, record: Record, value: bytes, *, allow: bool) -> bool:
        if len(value) > _LONGEST_OCTETS:
            return True  # that is not looked at
        forms = None if record.group is None else self._forms.get((record.group, allow))
        if forms is None:
            return False
        form = canonical_form(value)
        place = bisect_left(forms.in_order, form)
        if place < len(forms.in_order) and forms.in_order[place].startswith(form):
            return True
        return any(form[:length] in forms.distinct for length in forms.lengths if length < len(form))
