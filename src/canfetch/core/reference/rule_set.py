"""The rules of the groups that an agent obeys, in the order in which they decide.

The most octets first, then allow before disallow, then the first line: whichever text matches first,
decides. To ask few of them, each hangs on its literal head, and heads know the longest head within them.

Source: RFC 9309 section 2.2.2.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from canfetch.core.patterns import PatternText, Segments, segments_of, texts_of
from canfetch.core.profiles import Profile


class RuleEntry(NamedTuple):
    """One text of one rule: allow or disallow, the rule's value as written, its line, and its specificity."""

    allow: bool
    value: bytes
    line: int
    specificity: int


class HeadIndex:
    """Texts by their literal heads; the rank of a text is its place in the order of decision."""

    __slots__ = ("_best_rank", "_certain", "_heads", "_parents", "_same_text", "_uncertain")

    def __init__(self, texts: Iterable[tuple[int, bytes]]) -> None:
        certain: dict[bytes, list[int]] = {}
        uncertain: dict[bytes, list[tuple[int, bytes, Segments]]] = {}
        ranks_by_text: dict[bytes, list[int]] = {}
        for rank, text in texts:
            ranks_by_text.setdefault(text, []).append(rank)
        # A text that many rules have is compared once, in the place of the first of them.
        self._same_text = {ranks[0]: ranks for ranks in ranks_by_text.values() if len(ranks) > 1}
        for text, (rank, *_) in ranks_by_text.items():
            segments = segments_of(text)
            if segments.middles or segments.anchored:
                needle = max(segments.middles, key=len, default=b"")
                uncertain.setdefault(segments.head, []).append((rank, needle, segments))
            else:
                certain.setdefault(segments.head, []).append(rank)
        self._heads = sorted({*certain, *uncertain})
        self._certain = [certain.get(head, []) for head in self._heads]
        self._uncertain = [uncertain.get(head, []) for head in self._heads]
        self._parents: list[int] = []
        self._best_rank: list[int] = []
        for index, head in enumerate(self._heads):
            parent = self._enclosing(head, index - 1)
            own = min([*self._certain[index][:1], *(row[0] for row in self._uncertain[index][:1])])
            self._parents.append(parent)
            self._best_rank.append(own if parent < 0 else min(own, self._best_rank[parent]))

    def _enclosing(self, octets: bytes, index: int) -> int:
        # Heads between a prefix of `octets` and `octets` itself, in order, all begin with that prefix.
        while index >= 0 and not octets.startswith(self._heads[index]):
            index = self._parents[index]
        return index

    def first(self, target: bytes, before: int) -> int:
        """Give the rank of the first text that matches, or `before` where none of a lower rank does.

        Cost: O(log heads + the texts whose head the target begins with).
        """
        index = self._enclosing(target, bisect_right(self._heads, target) - 1)
        best = before
        while index >= 0 and self._best_rank[index] < best:
            certain = self._certain[index]
            if certain and certain[0] < best:
                best = certain[0]
            for rank, needle, segments in self._uncertain[index]:
                if rank >= best:
                    break
                # Looking for the longest literal first tells most that do not match.
                if needle in target and segments.matches_behind_head(target):
                    best = rank
                    break
            index = self._parents[index]
        return best

    def all(self, target: bytes) -> Iterator[int]:
        """Yield the rank of every text that matches, in no order."""
        index = self._enclosing(target, bisect_right(self._heads, target) - 1)
        while index >= 0:
            for rank in self._certain[index]:
                yield from self._same_text.get(rank, (rank,))
            for rank, needle, segments in self._uncertain[index]:
                if needle in target and segments.matches_behind_head(target):
                    yield from self._same_text.get(rank, (rank,))
            index = self._parents[index]


class RuleSet:
    """The rules of one selection of groups, ready to decide."""

    __slots__ = ("entries", "form_a", "form_b", "rule_count")

    def __init__(self, rules: Iterable[tuple[bool, bytes, int]], profile: Profile) -> None:
        texts: dict[tuple[bool, bytes], tuple[PatternText, ...]] = {}
        found: list[tuple[RuleEntry, PatternText]] = []
        self.rule_count = 0
        for allow, value, line in rules:
            self.rule_count += 1
            of_value = texts.get((allow, value))
            if of_value is None:
                of_value = texts[allow, value] = texts_of(value, allow=allow, profile=profile)
            found += [(RuleEntry(allow, value, line, text.specificity), text) for text in of_value]
        found.sort(key=lambda item: (-item[0].specificity, not item[0].allow, item[0].line, item[1].form_b))
        self.entries = [entry for entry, _ in found]
        self.form_a = HeadIndex((rank, text.text) for rank, (_, text) in enumerate(found) if not text.form_b)
        form_b = [(rank, text.text) for rank, (_, text) in enumerate(found) if text.form_b]
        self.form_b = HeadIndex(form_b) if form_b else None
