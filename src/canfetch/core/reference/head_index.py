"""Texts by their literal heads, so that few of them are compared with a target.

A head is the part of a text before its first star. Each head refers to the longest other head that it starts with, so
the heads that a target starts with form a chain, from the longest to the shortest.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from canfetch.core.patterns import split_segments
from canfetch.core.reference.segment_trie import NEVER, Branch


class HeadIndex:
    """Texts by their literal heads. The rank of a text is its position in the order of precedence."""

    __slots__ = ("_best_rank", "_exact_ranks", "_heads", "_parents", "_prefix_ranks", "_same_text", "_tries")

    def __init__(self, texts: Iterable[tuple[int, bytes]]) -> None:
        rank_by_text: dict[bytes, int] = {}
        # Equal texts are compared once, with the first rank.
        self._same_text: dict[int, list[int]] = {}
        for rank, text in texts:
            first = rank_by_text.setdefault(_collapse_stars(text) if b"*" in text else text, rank)
            if first != rank:
                self._same_text.setdefault(first, [first]).append(rank)
        prefixes: dict[bytes, int] = {}
        exact: dict[bytes, int] = {}
        tries: dict[bytes, Branch] = {}
        for text, rank in rank_by_text.items():
            if b"*" not in text:
                if text.endswith(b"$"):
                    exact[text[:-1]] = rank
                else:
                    prefixes[text] = rank
                continue
            head, middles, anchored = split_segments(text)
            trie = tries.get(head)
            if trie is None:
                trie = tries[head] = Branch(rank)
            trie.add(rank, middles, anchored=anchored)
        self._heads = sorted({*prefixes, *exact, *tries})
        self._prefix_ranks = [prefixes.get(head, NEVER) for head in self._heads]
        self._exact_ranks = [exact.get(head, NEVER) for head in self._heads]
        self._tries = [tries.get(head) for head in self._heads]
        self._parents: list[int] = []
        self._best_rank: list[int] = []
        heads, parents = self._heads, self._parents
        for index, head in enumerate(heads):
            # `_enclosing`, without a call for each head.
            parent = index - 1
            while parent >= 0 and not head.startswith(heads[parent]):
                parent = parents[parent]
            trie = self._tries[index]
            own = min(self._prefix_ranks[index], self._exact_ranks[index], NEVER if trie is None else trie.best_rank)
            parents.append(parent)
            self._best_rank.append(own if parent < 0 else min(own, self._best_rank[parent]))

    def _enclosing(self, text: bytes, index: int) -> int:
        # In sorted order, all heads between a prefix of `text` and `text` start with that prefix.
        while index >= 0 and not text.startswith(self._heads[index]):
            index = self._parents[index]
        return index

    def first(self, target: bytes, before: int) -> int:
        """Return the lowest rank of the texts that match, or `before` if no lower rank matches.

        Cost: O(log heads + the texts whose head the target starts with).
        """
        index = self._enclosing(target, bisect_right(self._heads, target) - 1)
        best = before
        while index >= 0 and self._best_rank[index] < best:
            if self._prefix_ranks[index] < best:  # noqa: PLR1730 - a call costs more than the search
                best = self._prefix_ranks[index]
            if self._exact_ranks[index] < best and len(self._heads[index]) == len(target):
                best = self._exact_ranks[index]
            trie = self._tries[index]
            if trie is not None and trie.best_rank < best:
                best = trie.first(target, len(self._heads[index]), best)
            index = self._parents[index]
        return best

    def all(self, target: bytes) -> Iterator[int]:
        """Yield the rank of every text that matches, in no particular order."""
        for rank in self._unique_ranks(target):
            yield from self._same_text.get(rank, (rank,))

    def _unique_ranks(self, target: bytes) -> Iterator[int]:
        index = self._enclosing(target, bisect_right(self._heads, target) - 1)
        while index >= 0:
            head = self._heads[index]
            if self._prefix_ranks[index] != NEVER:
                yield self._prefix_ranks[index]
            if self._exact_ranks[index] != NEVER and len(head) == len(target):
                yield self._exact_ranks[index]
            trie = self._tries[index]
            if trie is not None:
                yield from trie.all(target, len(head))
            index = self._parents[index]


def _collapse_stars(text: bytes) -> bytes:
    # Runs of stars are one star, and a final star is redundant, also before `$`.
    while b"**" in text:
        text = text.replace(b"**", b"*")
    if text.endswith((b"*", b"*$")):
        shorter = text[:-1] if text.endswith(b"*") else text[:-2]
        # A `$` before the star is literal. At the end it would be an anchor.
        return shorter + b"*" if shorter.endswith(b"$") else shorter
    return text
