"""Rules that are redundant because a shorter rule already has their effect.

1. The form of a pattern is canonical and has no superfluous `*`. Patterns with equal forms match the same targets.
2. A form without `*` and `$` covers all forms that start with it.
3. Groups with a product token in common are merged, so an opposing rule in any of them counts.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, islice
from typing import Final, NamedTuple

from canfetch.core.escapes import canonical
from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.analysis.key_names import ALLOW, DISALLOW, USER_AGENT
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines, prefix_name
from canfetch.lint.linted_file import LintedFile, LintedRule

# Longer values are skipped.
_MAX_VALUE_LENGTH: Final = 2000
# At most this many rules with one `*` are compared with all other rules of their group.
_MAX_WILDCARDS: Final = 32
_new_tuple: Final = tuple.__new__


def canonical_form(value: bytes) -> bytes:
    """Return the form of a pattern, or an empty value if it cannot match. Equal forms match the same targets."""
    form = canonical(value)
    if form[:1] not in (b"/", b"*"):
        return b""
    if b"*" not in form:
        return form
    if form.endswith(b"*$"):
        form = form[:-1]
    form = form.rstrip(b"*")
    if b"**" in form:
        first, *rest = form.split(b"*")
        form = first + b"".join(b"*" + part for part in rest if part)
    return form or b"/"


def literal_prefix(form: bytes) -> bytes:
    """Return the bytes that every target matched by a form starts with."""
    if b"*" in form:
        return form.partition(b"*")[0]
    return form.removesuffix(b"$")


class CanonicalRule(NamedTuple):
    """A rule and its form.

    Attributes:
        rule: The rule.
        form: Its form.
        head: The bytes that every target matched by the form starts with.
    """

    rule: LintedRule
    form: bytes
    head: bytes

    @property
    def is_literal(self) -> bool:
        """Whether the form is a plain prefix, without `*` and `$`."""
        return len(self.head) == len(self.form)


def matches_everything(value: bytes) -> bool:
    """Return whether a pattern matches every target."""
    return not value.strip(b"*/$") and canonical_form(value) == b"/"


def canonical_rules(file: LintedFile) -> tuple[list[CanonicalRule], ...]:
    """Return for each group the rules that can match a target, with their forms.

    Cost: O(bytes of rules) at the first call.
    """
    return file.compute_once(_canonical_rules)


def _canonical_rules(file: LintedFile) -> tuple[list[CanonicalRule], ...]:
    return tuple(_with_forms(group.rules) for group in file.groups)


def _with_forms(rules: Iterable[LintedRule]) -> list[CanonicalRule]:
    return [
        _new_tuple(CanonicalRule, (rule, form, literal_prefix(form)))
        for rule in rules
        if len(rule.value) <= _MAX_VALUE_LENGTH and (form := canonical_form(rule.value))
    ]


def repeated_rules(file: LintedFile) -> Iterator[tuple[LintedRule, LintedRule]]:
    """Yield each rule that repeats an earlier one of its group, and the earlier one."""
    for rules in canonical_rules(file):
        first: dict[tuple[bool, bytes], LintedRule] = {}
        for rule, form, _ in rules:
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
        head = one.head
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


def covered_rules(file: LintedFile) -> tuple[CoveredRule, ...]:
    """Return each rule that a shorter rule of the same kind and group covers.

    Cost: O(bytes of rules · log rules), and a search for each of a few wildcards, at the first call.
    """
    return file.compute_once(_covered_rules)


def _covered_rules(file: LintedFile) -> tuple[CoveredRule, ...]:
    return tuple(_iter_covered(file))


def _iter_covered(file: LintedFile) -> Iterator[CoveredRule]:
    by_group = canonical_rules(file)
    if all(len(rules) < 2 for rules in by_group):
        return
    together = _groups_together(file)
    rules_of_google, split_by_google = _read_by_google(file)
    heads: dict[tuple[int, bool], _Heads] = defaultdict(_Heads)
    for one in chain(chain.from_iterable(by_group), rules_of_google):
        of_kind = heads[together[one.rule.group], one.rule.allow]
        of_kind.add(one.head, one.rule.specificity)
        if one.rule.specificity != len(one.form):
            of_kind.add(one.head, len(one.form))
    for each in heads.values():
        each.close()
    nothing = _Heads()
    for index, rules in enumerate(by_group):
        if len(rules) < 2 or index in split_by_google:
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
            rules.append(LintedRule(line.record.line, name == ALLOW, value, len(value), group, file.records))
        elif name == USER_AGENT:
            split.add(group)
    return _with_forms(rules), frozenset(split)


def _covered_among(rules: list[CanonicalRule], opposing: _Heads) -> Iterator[CoveredRule]:
    if len(rules) < 2:
        return
    equal: dict[bytes, list[CanonicalRule]] = {}
    for one in rules:
        equal.setdefault(one.form, []).append(one)
    # Google's parser also allows the folder of an index page.
    distinct = [ones[0] for form, ones in equal.items() if not (ones[0].rule.allow and b"/index.htm" in form)]
    by_literals = _covering_literals([ones[0] for ones in equal.values()])
    wildcards = (ones[0] for form, ones in equal.items() if form.count(b"*") == 1 and not form.endswith(b"$"))
    by_form = {one.form: _literal_for(one, by_literals) for one in distinct}
    uncovered = {one.head for one in distinct if by_form[one.form] is None}
    by_wildcards = _covering_wildcards(sorted(uncovered), islice(wildcards, _MAX_WILDCARDS))
    for one in distinct:
        covering = by_form[one.form] or by_wildcards.get(one.head)
        if covering is None:
            continue
        # With and without superfluous stars.
        low = min(covering.rule.specificity, len(covering.form))
        high = max(len(one.form) + 1, *(other.rule.specificity for other in equal[one.form]))
        if not opposing.is_between(one, low, high):
            yield CoveredRule(one.rule, covering.rule, tuple(other.rule for other in equal[one.form]))


class _Literals(NamedTuple):
    """The rules without `*` and `$`, by form, and for each head of a rule the longest of them that covers it."""

    rules: dict[bytes, CanonicalRule]
    covering: dict[bytes, CanonicalRule]


def _covering_literals(rules: list[CanonicalRule]) -> _Literals:
    literals = {one.form: one for one in rules if one.is_literal}
    covering: dict[bytes, CanonicalRule] = {}
    # In sorted order, the forms that a head starts with are on a stack.
    stack: list[bytes] = []
    for head in sorted({one.head for one in rules}):
        while stack and not head.startswith(stack[-1]):
            stack.pop()
        if stack:
            covering[head] = literals[stack[-1]]
        if head in literals:
            stack.append(head)
    return _Literals(literals, covering)


def _literal_for(one: CanonicalRule, literals: _Literals) -> CanonicalRule | None:
    own = None if one.is_literal else literals.rules.get(one.head)
    return own or literals.covering.get(one.head)


def _covering_wildcards(heads: list[bytes], wildcards: Iterable[CanonicalRule]) -> dict[bytes, CanonicalRule]:
    """Return for each head the first of these rules, with one `*`, that matches all targets that start with it.

    Args: heads: The heads, sorted.
    """
    covering: dict[bytes, CanonicalRule] = {}
    by_start: dict[bytes, _Tails] = {}
    for rule in wildcards:
        start, _, inner = rule.form.partition(b"*")
        tails = by_start.get(start)
        if tails is None:
            first, end = bisect_left(heads, start), bisect_left(heads, start + b"\xff")
            tails = by_start[start] = _Tails([head for head in heads[first:end] if head not in covering], len(start))
        found = dict.fromkeys(tails.containing(inner), rule)
        if found:
            covering.update(found)
            by_start.clear()
    return covering


class _Tails:
    """What follows the same start in each of several heads, joined to one text that is searched at once."""

    def __init__(self, heads: list[bytes], start_length: int) -> None:
        self._heads = heads
        # Forms contain no line ends.
        self._text = b"\n".join([head[start_length:] for head in heads])
        self._ends = list(accumulate(len(head) - start_length + 1 for head in heads))

    def containing(self, inner: bytes) -> Iterator[bytes]:
        """Yield the heads whose tails contain `inner`."""
        found = self._text.find(inner)
        while found >= 0:
            index = bisect_right(self._ends, found)
            yield self._heads[index]
            found = self._text.find(inner, self._ends[index])


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
        for rule, form, _ in chain.from_iterable(canonical_rules(file)):
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
