"""Rules that may match a common URL."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, takewhile
from typing import Final

from canfetch.core.escapes import RESERVED_DATA, has_reserved_data
from canfetch.lint.analysis.canonical_rules import CanonicalRule

# If more heads than these start with the head of a rule, they are not examined one by one.
_MAX_LONGER: Final = 64
# If more rules have the same form, only the first ones are considered.
_MAX_EQUAL: Final = 16
# Bytes of queries that have no other encoding, and are not part of one.
_PLAIN_IN_QUERY: Final = bytes(set(range(256)) - set(RESERVED_DATA) - set(b"%"))


class RulesByHead:
    """Rules that are found by their literal prefix, and by their specificity.

    Two rules overlap only if the head of one starts with that of the other. What follows a character of the query that
    has two encodings is left out.

    Args: rules: The rules.
    """

    def __init__(self, rules: Sequence[CanonicalRule]) -> None:
        self._all = rules
        self._specificities: dict[bytes, list[int]] = {}
        for rule, form, head in rules:
            specificities = self._specificities.setdefault(_comparable(head) if b"?" in head else head, [])
            specificities.append(rule.specificity)
            if rule.specificity != len(form):
                specificities.append(len(form))
        for specificities in self._specificities.values():
            if len(specificities) > 1:
                specificities.sort()
        self._lengths = sorted(set(map(len, self._specificities)))

    @cached_property
    def _sorted(self) -> list[bytes]:
        return sorted(self._specificities)

    @cached_property
    def _by_form(self) -> dict[bytes, list[CanonicalRule]]:
        rules: dict[bytes, list[CanonicalRule]] = {}
        for one in self._all:
            rules.setdefault(one.form, []).append(one)
        return rules

    @cached_property
    def _rules(self) -> dict[bytes, list[CanonicalRule]]:
        rules: dict[bytes, list[CanonicalRule]] = {}
        for one in self._all:
            rules.setdefault(_comparable(one.head), []).append(one)
        return rules

    @cached_property
    def after_shorter_heads(self) -> frozenset[int]:
        """The lines of the rules whose head starts with that of another one of these rules, or is equal to it."""
        return frozenset([one.rule.line for one in rules_after_shorter_heads(self._all)])

    def is_between(self, one: CanonicalRule, low: int, high: int) -> bool:
        """Return whether a rule with a specificity from `low` to `high` may match some target that `one` matches."""
        head = _comparable(one.head)
        for length in self._lengths:
            if length > len(head):
                break
            if self._has_between(head[:length], low, high):
                return True
        # A longer prefix means a higher specificity, unless superfluous stars count. An allow rule wins a tie.
        if (
            one.is_literal
            and len(head) == len(one.head)
            and high <= len(one.form) + 1
            and (one.rule.specificity == len(one.form) or not one.rule.allow)
        ):
            return False
        return any(
            number == _MAX_LONGER or self._has_between(longer, low, high)
            for number, longer in enumerate(self._longer(head))
        )

    def with_heads_of(self, target: bytes) -> Iterator[CanonicalRule]:
        """Yield the rules with whose heads a target starts: all that match it, and others."""
        head = _comparable(target)
        for length in takewhile(len(head).__ge__, self._lengths):
            yield from self._rules.get(head[:length], ())

    def covering(self, one: CanonicalRule) -> Iterator[CanonicalRule]:
        """Yield other rules with the same form, and some without `*` and `$` with which the form starts."""
        yield from (other for other in self._with_form(one.form) if other.rule is not one.rule)
        for length in takewhile(len(one.head).__ge__, self._lengths):
            if length < len(one.form):
                yield from self._with_form(one.head[:length])

    def _with_form(self, form: bytes) -> Iterable[CanonicalRule]:
        return self._by_form.get(form, [])[:_MAX_EQUAL]

    def overlapping(self, one: CanonicalRule) -> Iterator[CanonicalRule]:
        """Yield the rules that may match some target that `one` matches."""
        head = _comparable(one.head)
        for length in self._lengths:
            if length >= len(head):
                break
            yield from self._rules.get(head[:length], ())
        for longer in self._longer(head):
            yield from self._rules[longer]

    def has_overlapping(self, one: CanonicalRule) -> bool:
        """Return whether a rule may match some target that `one` matches."""
        return next(self.overlapping(one), None) is not None

    def _has_between(self, head: bytes, low: int, high: int) -> bool:
        specificities = self._specificities.get(head)
        if specificities is None:
            return False
        index = bisect_left(specificities, low)
        return index < len(specificities) and specificities[index] <= high

    def _longer(self, head: bytes) -> Iterator[bytes]:
        """Yield the heads that start with this one."""
        for longer in islice(self._sorted, bisect_left(self._sorted, head), None):
            if not longer.startswith(head):
                return
            yield longer


def rules_after_shorter_heads(rules: Iterable[CanonicalRule]) -> Iterator[CanonicalRule]:
    """Yield the rules whose head starts with the head of another rule, or is equal to it.

    Cost: O(rules · log rules).
    """
    by_head: dict[bytes, list[CanonicalRule]] = {}
    for one in rules:
        head = one.head
        by_head.setdefault(_comparable(head) if b"?" in head else head, []).append(one)
    # In sorted order, the heads that start with a head come directly after it.
    shorter: list[bytes] = []
    for head in sorted(by_head):
        while shorter and not head.startswith(shorter[-1]):
            shorter.pop()
        if shorter or len(by_head[head]) > 1:
            yield from by_head[head]
        shorter.append(head)


def _comparable(head: bytes) -> bytes:
    """Return the part of a head that is the same in all encodings of a URL."""
    if b"?" not in head or not has_reserved_data(head):
        return head
    path, mark, query = head.partition(b"?")
    return path + mark + query[: len(query) - len(query.lstrip(_PLAIN_IN_QUERY))]
