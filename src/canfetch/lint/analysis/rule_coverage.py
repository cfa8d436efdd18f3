"""Rules that are redundant because a shorter rule already has their effect.

1. The form of a pattern is canonical and has no superfluous `*`. Patterns with equal forms match the same targets.
2. A form without `*` and `$` covers all forms that start with it.
3. Groups with a product token in common are merged, so an opposing rule in any of them counts.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate, chain, count, pairwise
from typing import Final, NamedTuple

from canfetch.core.escapes import PLAIN, canonical
from canfetch.lint.analysis.key_names import ALLOW, DISALLOW, USER_AGENT
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines, prefix_name
from canfetch.lint.linted_file import LintedFile, LintedRule

# Longer values are skipped.
MAX_VALUE_LENGTH: Final = 2000
# At most this many rules with one `*` are compared with all other rules of their group.
_MAX_WILDCARDS: Final = 32
# If a wildcard matches more than this part of the heads, those that it matches are left out of the next searches.
_TAILS_SHARE: Final = 8
# Bytes that are neither special in patterns nor changed in the canonical form.
_LITERAL: Final = bytes(set(PLAIN) - set(b"*$"))
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
    return tuple(_with_forms(file, group.rules) for group in file.groups)


class _Forms(dict[bytes, tuple[bytes, bytes]]):
    """The form and the head of each value, computed once, because many rules have the same value."""

    def __missing__(self, value: bytes) -> tuple[bytes, bytes]:
        form = canonical_form(value)
        found = self[value] = form, literal_prefix(form)
        return found


def _forms(file: LintedFile) -> _Forms:  # noqa: ARG001 - one for each file
    return _Forms()


def form_in(file: LintedFile, value: bytes) -> bytes:
    """Return the canonical form of a pattern in a file. Rules with the same value share the computation."""
    return file.compute_once(_forms)[value][0]


def _with_forms(file: LintedFile, rules: Iterable[LintedRule]) -> list[CanonicalRule]:
    forms = file.compute_once(_forms)
    found: list[CanonicalRule] = []
    for rule in rules:
        value = rule.value
        if len(value) > MAX_VALUE_LENGTH:
            continue
        if value[:1] == b"/" and not value.translate(None, _LITERAL):
            found.append(_new_tuple(CanonicalRule, (rule, value, value)))
        else:
            form, head = forms[value]
            if form:
                found.append(_new_tuple(CanonicalRule, (rule, form, head)))
    return found


def repeated_rules(file: LintedFile) -> Iterator[tuple[LintedRule, LintedRule]]:
    """Yield each rule that repeats an earlier one of its group, and the earlier one."""
    for rules in canonical_rules(file):
        if len({(one.rule.allow, one.form) for one in rules}) == len(rules):
            continue
        first: dict[tuple[bool, bytes], LintedRule] = {}
        for rule, form, _ in rules:
            earlier = first.setdefault((rule.allow, form), rule)
            if earlier is not rule:
                yield rule, earlier


class _Heads:
    """The literal prefixes of opposing rules, with the specificities of these rules."""

    def __init__(self, rules: Iterable[CanonicalRule]) -> None:
        self._specificities: dict[bytes, list[int]] = {}
        for one in rules:
            rule, form, head = one
            specificities = self._specificities.setdefault(head, [])
            specificities.append(rule.specificity)
            if rule.specificity != len(form):
                specificities.append(len(form))
        for specificities in self._specificities.values():
            if len(specificities) > 1:
                specificities.sort()
        self._lengths = sorted(set(map(len, self._specificities)))

    def __len__(self) -> int:
        return len(self._specificities)

    @cached_property
    def _sorted(self) -> list[bytes]:
        return sorted(self._specificities)

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


def covered_rules(file: LintedFile) -> Iterable[CoveredRule]:
    """Return each rule that a shorter rule of the same kind and group covers.

    Cost: O(bytes of rules · log rules), and a search for each of a few wildcards, at the first call.
    """
    return file.compute_once(_CoveredRules)


class _CoveredRules:
    """The redundant rules of a file, each found when it is first reached, because a report shows only some of many."""

    def __init__(self, file: LintedFile) -> None:
        self._found: list[CoveredRule] = []
        self._others = _iter_covered(file)

    def __iter__(self) -> Iterator[CoveredRule]:
        for place in count():
            if place == len(self._found):
                following = next(self._others, None)
                if following is None:
                    return
                self._found.append(following)
            yield self._found[place]


def _iter_covered(file: LintedFile) -> Iterator[CoveredRule]:
    by_group = canonical_rules(file)
    if all(len(rules) < 2 for rules in by_group):
        return
    rules_of_google, split_by_google = _read_by_google(file)
    opposing = _OpposingHeads(file, rules_of_google)
    for index, rules in enumerate(by_group):
        if len(rules) < 2 or index in split_by_google:
            continue
        for allow in (True, False):
            heads: _Heads | None = None
            for covering, covered in _covered_among([one for one in rules if one.rule.allow is allow]):
                heads = opposing.of(index, allow=not allow) if heads is None else heads
                if not heads:
                    yield CoveredRule(covered[0].rule, covering.rule, tuple([one.rule for one in covered]))
                    continue
                # With and without superfluous stars.
                low = min(covering.rule.specificity, len(covering.form))
                high = max([len(covered[0].form) + 1, *[one.rule.specificity for one in covered]])
                if not heads.is_between(covered[0], low, high):
                    yield CoveredRule(covered[0].rule, covering.rule, tuple([one.rule for one in covered]))


class _OpposingHeads:
    """The heads of the allow rules, and of the disallow rules, that some crawler reads together with those of a group.

    They are collected on first use, because most files have no rule that another one covers.
    """

    def __init__(self, file: LintedFile, rules_of_google: list[CanonicalRule]) -> None:
        self._file = file
        self._rules_of_google = rules_of_google
        self._together: list[int] = []
        self._rules: dict[tuple[int, bool], list[CanonicalRule]] = {}
        self._heads: dict[tuple[int, bool], _Heads] = {}

    def of(self, group: int, *, allow: bool) -> _Heads:
        if not self._together:
            self._together = _groups_together(self._file)
            for one in chain(chain.from_iterable(canonical_rules(self._file)), self._rules_of_google):
                self._rules.setdefault((self._together[one.rule.group], one.rule.allow), []).append(one)
        key = self._together[group], allow
        heads = self._heads.get(key)
        if heads is None:
            heads = self._heads[key] = _Heads(self._rules.get(key, ()))
        return heads


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
    return _with_forms(file, rules), frozenset(split)


class _Covered(NamedTuple):
    """Rules of the same form, and a rule that covers them."""

    covering: CanonicalRule
    equal: list[CanonicalRule]


def _covered_among(rules: list[CanonicalRule]) -> Iterator[_Covered]:
    """Yield the rules that another one covers, in file order. All of them allow, or all of them disallow."""
    if len(rules) < 2:
        return
    literals: dict[bytes, CanonicalRule] = {}
    others: dict[bytes, CanonicalRule] = {}
    for one in rules:
        (literals if len(one.head) == len(one.form) else others).setdefault(one.form, one)
    heads = sorted({*literals, *[one.head for one in others.values()]})
    longest = _covering_literals(literals, heads)
    wildcards = [one for form, one in others.items() if form.count(b"*") == 1 and not form.endswith(b"$")]
    by_wildcards: dict[bytes, CanonicalRule] = {}
    if wildcards:
        heads = [head for head in heads if head not in longest]
        by_wildcards = _covering_wildcards(heads, wildcards[:_MAX_WILDCARDS])
    covered = {*longest, *by_wildcards, *(one.head for one in others.values() if one.head in literals)}
    equal: dict[bytes, list[CanonicalRule]] = {}
    for one in rules if covered else ():
        if one.head in covered:
            equal.setdefault(one.form, []).append(one)
    for form, ones in equal.items():
        head = ones[0].head
        # A rule with the same head is shorter, unless it is the rule itself.
        same_head = None if form == head else literals.get(head)
        covering = same_head or longest.get(head) or by_wildcards.get(head)
        # Google's parser also allows the folder of an index page.
        if covering is not None and not (ones[0].rule.allow and b"/index.htm" in form):
            yield _new_tuple(_Covered, (covering, ones))


def _covering_literals(literals: dict[bytes, CanonicalRule], heads: list[bytes]) -> dict[bytes, CanonicalRule]:
    """Return for each head the longest of these rules, without `*` and `$`, that covers all rules with the head.

    Args:
        literals: The rules, by form.
        heads: The heads, sorted. All forms are among them.
    """
    covering: dict[bytes, CanonicalRule] = {}
    end = 0
    # In sorted order, the heads that start with a head come directly after it. Most files have no such pair.
    if not any(map(bytes.startswith, heads[1:], heads)):
        return covering
    for place, (head, following) in enumerate(pairwise(heads)):
        if not following.startswith(head) or place < end or head not in literals:
            continue
        end = bisect_left(heads, head + b"\xff", place)
        # The forms that a head starts with are on a stack.
        stack = [head]
        for longer in heads[place + 1 : end]:
            while not longer.startswith(stack[-1]):
                stack.pop()
            covering[longer] = literals[stack[-1]]
            if longer in literals:
                stack.append(longer)
    return covering


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
        found = list(tails.containing(inner))
        for head in found:
            covering.setdefault(head, rule)
        # Texts without these heads are shorter, but have to be joined again.
        if len(found) * _TAILS_SHARE > len(tails):
            by_start.clear()
    return covering


class _Tails:
    """What follows the same start in each of several heads, joined to one text that is searched at once."""

    def __init__(self, heads: list[bytes], start_length: int) -> None:
        self._heads = heads
        # Forms contain no line ends.
        self._text = b"\n".join([head[start_length:] for head in heads])
        self._ends = list(accumulate(len(head) - start_length + 1 for head in heads))

    def __len__(self) -> int:
        return len(self._heads)

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
