"""The rules of one side of a comparison in order of precedence, and which of them decides about a target."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from canfetch.compare.budget import Budget
from canfetch.compare.direct import least_length
from canfetch.compare.overlaps import Overlaps
from canfetch.compare.patterns import Form, Pattern, RankedPattern, in_form
from canfetch.core.patterns import Segments

# The index finds a segment by this many of its bytes.
_GRAM: Final = 4
_new_tuple: Final = tuple.__new__
Key = tuple[tuple[int, ...], Pattern]
"""The rank and the pattern: the place in the order of precedence."""
Decisions = tuple[bool, ...]
"""The decision of each side about one target."""
Wanted = tuple[bool | None, ...]
"""The wanted decision of each side, or None if it does not matter."""


def are_as_wanted(decisions: Sequence[bool | None], wanted: Iterable[Wanted]) -> bool:
    """Return whether decisions are as in one of the wanted ones."""
    return any(all(one in (decision, None) for decision, one in zip(decisions, each, strict=True)) for each in wanted)


def key_of(one: RankedPattern) -> Key:
    """Return the place of a pattern in the order of precedence."""
    return one.rank, one.pattern


def _by_length(patterns: Iterable[RankedPattern]) -> Sequence[tuple[int, RankedPattern]]:
    return sorted(((least_length(one.pattern), one) for one in patterns), key=itemgetter(0))


class _FormIndex:
    """The patterns that are compared with one form of the target.

    A pattern is found by its head, or by the first bytes of its longest segment if that is longer.
    """

    __slots__ = ("_by_gram", "_by_head", "_lengths")

    def __init__(self, patterns: Iterable[tuple[int, Pattern]]) -> None:
        self._by_head: dict[bytes, list[tuple[int, Segments]]] = {}
        self._by_gram: list[dict[bytes, list[tuple[int, Segments]]]] = [{} for _ in range(_GRAM + 1)]
        for index, (head, middles, anchored, _) in patterns:
            entry = index, _new_tuple(Segments, (head, middles, anchored))
            longest = max(middles, key=len) if middles else b""
            if len(longest) < len(head):
                self._by_head.setdefault(head, []).append(entry)
            else:
                gram = longest[:_GRAM]
                self._by_gram[len(gram)].setdefault(gram, []).append(entry)
        self._lengths = sorted({len(head) for head in self._by_head})

    def candidates(self, text: bytes) -> Iterator[tuple[int, Segments]]:
        """Yield the patterns that may match, by their index."""
        for length in self._lengths:
            if length > len(text):
                break
            yield from self._by_head.get(text[:length], ())
        for length, by_gram in enumerate(self._by_gram):
            if by_gram:
                grams = {text[start : start + length] for start in range(len(text) - length + 1)}
                for gram in grams & by_gram.keys():
                    yield from by_gram[gram]


class Ranking:
    """Patterns in order of precedence, with an index for matching.

    Args:
        patterns: The patterns, in any order.
        budget: Counts the patterns that are compared with targets.
    """

    __slots__ = ("_budget", "_by_length", "_indices", "_keys", "_last", "_overlaps", "in_order")

    def __init__(self, patterns: Iterable[RankedPattern], budget: Budget) -> None:
        self._budget = budget
        self.in_order = sorted(patterns, key=key_of)
        self._keys = list(map(key_of, self.in_order))
        self._indices: dict[Form, _FormIndex] = {}
        self._overlaps: Overlaps | None = None
        self._by_length: Sequence[tuple[int, RankedPattern]] = ()
        self._last: tuple[bytes, list[RankedPattern]] = (b"", [])

    def matching(self, target: bytes) -> list[RankedPattern]:
        """Return the patterns that match a target, in order of precedence.

        Cost: O(bytes of the target, distinct lengths of heads, and the bytes of the patterns that are likely to match).
        """
        if self._last[0] != target:
            if not self._indices:
                for form in {one.pattern.form for one in self.in_order}:
                    of_form = ((at, one.pattern) for at, one in enumerate(self.in_order) if one.pattern.form is form)
                    self._indices[form] = _FormIndex(of_form)
            found: list[int] = []
            for form, index in self._indices.items():
                text = in_form(target, form)
                candidates = list(index.candidates(text))
                # About half a microsecond each.
                self._budget.spend_in_python(1 + len(candidates) // 2)
                found += [
                    at
                    for at, segments in candidates
                    if text.startswith(segments.head) and segments.matches_after_head(text)
                ]
            self._last = target, [self.in_order[at] for at in sorted(found)]
        return self._last[1]

    def overlapping(self, patterns: Sequence[Pattern]) -> Sequence[tuple[int, RankedPattern]]:
        """Return the patterns that may match a common target with one of `patterns`, or all without any.

        Each comes with the least length of the targets that it matches, and the shortest comes first.
        """
        if self._overlaps is None:
            self._overlaps = Overlaps(self.in_order)
            self._by_length = _by_length(self.in_order)
        found = self._overlaps.of(patterns)
        return self._by_length if len(found) == len(self.in_order) else _by_length(found)

    def at(self, key: Key) -> Sequence[RankedPattern]:
        """Return the patterns at a place. The same rule may occur twice."""
        return self.in_order[bisect_left(self._keys, key) : bisect_right(self._keys, key)]


class RankedSide(NamedTuple):
    """One side of a comparison: a decision for each target.

    Attributes:
        ranking: All patterns.
        value: Returns the decision of a pattern, or None if this side does not have it.
        default: The decision if none matches.
    """

    ranking: Ranking
    value: Callable[[RankedPattern], bool | None] = attrgetter("allow")
    default: bool = True

    def decider(self, target: bytes) -> tuple[RankedPattern | None, bool]:
        """Return the pattern that decides about a target, if any, and its decision."""
        for one in self.ranking.matching(target):
            value = self.value(one)
            if value is not None:
                return one, value
        return None, self.default

    def value_at(self, key: Key) -> bool | None:
        """Return the decision of the pattern at a place in the order of precedence, or None if there is none."""
        values = map(self.value, self.ranking.at(key))
        return next((value for value in values if value is not None), None)

    def decisions(self) -> dict[Key, bool]:
        """Return the decisions of all places, as `value_at`."""
        found: dict[Key, bool] = {}
        for one in reversed(self.ranking.in_order):
            value = self.value(one)
            if value is not None:
                found[key_of(one)] = value
        return found
