"""Patterns that may match a common target: all that a question about one rule depends on."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final

from canfetch.compare.patterns import Pattern, RankedPattern, fixed_head

# With more heads, most patterns overlap one of them.
_MAX_HEADS: Final = 32


class Overlaps:
    """Finds the patterns that overlap others.

    Two patterns overlap only if the literal head of one starts with that of the other. The query after its `?` is left
    out, because the forms of a target differ there.

    Args: patterns: All patterns.
    """

    __slots__ = ("_heads", "_indices", "_lengths", "_patterns")

    def __init__(self, patterns: Iterable[RankedPattern]) -> None:
        self._patterns = list(patterns)
        pairs = sorted((fixed_head(one.pattern), index) for index, one in enumerate(self._patterns))
        self._heads = [head for head, _ in pairs]
        self._indices = [index for _, index in pairs]
        self._lengths = sorted({len(head) for head in self._heads})

    def of(self, some: Iterable[Pattern]) -> Sequence[RankedPattern]:
        """Return the patterns that may match a target that one of `some` matches, in the original order.

        Without any in `some`, all patterns are returned.

        Cost: O(bytes of their heads, plus patterns found, and the logarithm of all) in general.
        """
        heads = set(map(fixed_head, some))
        if not heads or self._start_with(heads):
            return self._patterns
        found: set[int] = set()
        for head in heads:
            for length in self._lengths:
                if length >= len(head):
                    break
                found.update(self._with_head(head[:length]))
            # All heads that start with this one are neighbours.
            for position in range(bisect_left(self._heads, head), len(self._heads)):
                if not self._heads[position].startswith(head):
                    break
                found.add(self._indices[position])
        return [self._patterns[position] for position in sorted(found)]

    def _start_with(self, heads: Iterable[bytes]) -> bool:
        """Return whether all heads start with one of some."""
        if not self._heads:
            return True
        first, last = self._heads[0], self._heads[-1]
        return any(first.startswith(head) and last.startswith(head) for head in heads)

    def _with_head(self, head: bytes) -> Iterable[int]:
        for position in range(bisect_left(self._heads, head), len(self._heads)):
            if self._heads[position] != head:
                return
            yield self._indices[position]


def overlapping(patterns: Iterable[RankedPattern], some: Iterable[Pattern]) -> list[RankedPattern]:
    """Return the patterns that may match a target that one of `some` matches, in the original order.

    For a single question, this is faster than `Overlaps`.

    Cost: O(patterns, plus bytes of the heads of `some`).
    """
    patterns = list(patterns)
    heads = set(map(fixed_head, some))
    if len(heads) > _MAX_HEADS:
        return patterns
    starts = {head[:length] for head in heads for length in range(len(head) + 1)}
    longer = tuple(heads)
    return [one for one in patterns if (head := fixed_head(one.pattern)) in starts or head.startswith(longer)]


def may_overlap(one: Pattern, other: Pattern) -> bool:
    """Return whether two patterns may match a common target, as far as their heads show."""
    if one.form is other.form:
        head, other_head = one.head, other.head
    else:
        head, other_head = fixed_head(one), fixed_head(other)
    return head.startswith(other_head) or other_head.startswith(head)
