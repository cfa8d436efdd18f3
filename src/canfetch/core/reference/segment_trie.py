"""Texts with stars, by the segments after their literal head: shared segments are searched once.

The first occurrence of a segment after the previous one is always the best, so the search never backtracks. Texts that
start with the same segments share each search. A branch is created only if texts differ.
"""

from collections.abc import Iterable, Iterator
from typing import Final

NEVER: Final = 1 << 62
# With at least this many children, the substrings of the target are listed first: a look-up is faster than a search.
_MANY_CHILDREN: Final = 256
# The lengths of these substrings. The first and last substring of the longest fitting length cover most of a segment.
_SHORT: Final = 4
_LONG: Final = (64, 32, 16)


class Leaf:
    """The rest of one text, after the segments that it shares with others: `middles` from `start` on."""

    __slots__ = ("anchored", "best_rank", "middles", "start")

    def __init__(self, rank: int, middles: tuple[bytes, ...], start: int, *, anchored: bool) -> None:
        self.best_rank = rank
        self.middles = middles
        self.start = start
        self.anchored = anchored

    def matches(self, target: bytes, position: int) -> bool:
        """Return whether the rest matches the target from `position` on.

        Cost: O(bytes of the target times bytes of the text) at worst, usually linear.
        """
        middles = self.middles
        last = len(middles) - 1
        for index in range(self.start, len(middles)):
            middle = middles[index]
            if index == last and self.anchored:
                # The last segment must end the target, which its leftmost occurrence may not do.
                return len(target) - len(middle) >= position and target.endswith(middle)
            found = target.find(middle, position)
            if found < 0:
                return False
            position = found + len(middle)
        return True


class Branch:
    """The texts that start with the same segments: they end here, end with an anchored segment, or continue.

    Texts are added in the order of their ranks, so the first ones in a branch have the lowest ranks.
    """

    __slots__ = ("best_rank", "children", "ends", "own_rank")

    def __init__(self, rank: int) -> None:
        self.best_rank = rank
        self.own_rank = NEVER
        self.ends: list[tuple[bytes, int]] = []
        self.children: dict[bytes, Leaf | Branch] = {}

    def add(self, rank: int, middles: tuple[bytes, ...], *, anchored: bool) -> None:
        """Add a text by its segments. Its rank must be higher than those added before.

        Args: anchored: whether the last segment must end the target. There must be a segment then.
        Cost: O(segments).
        """
        branch = self
        for start in range(len(middles) - 1 if anchored else len(middles)):
            segment = middles[start]
            child = branch.children.get(segment)
            if child is None:
                branch.children[segment] = Leaf(rank, middles, start + 1, anchored=anchored)
                return
            if isinstance(child, Leaf):
                child = branch.children[segment] = _to_branch(child)
            branch = child
        if anchored:
            branch.ends.append((middles[-1], rank))
        else:
            branch.own_rank = min(branch.own_rank, rank)

    def first(self, target: bytes, start: int, before: int) -> int:
        """Return the lowest rank of a text that matches from `start` on, or `before` if no lower rank matches.

        Cost: O(bytes of the target) for each branch and leaf that is reached.
        """
        best = before
        substrings: Substrings | None = None
        reached = [(self, start)]
        while reached:
            branch, position = reached.pop()
            if branch.own_rank < best:  # noqa: PLR1730 - a call costs more than the comparison
                best = branch.own_rank
            if branch.ends:
                best = branch.first_end(target, position, best)
            children: Iterable[tuple[bytes, Leaf | Branch]] = branch.children.items()
            if len(branch.children) >= _MANY_CHILDREN:
                substrings = substrings or Substrings(target)
                children = branch.likely_children(substrings)
            for segment, child in children:
                if child.best_rank >= best:
                    break
                found = target.find(segment, position)
                if found < 0:
                    continue
                after = found + len(segment)
                if isinstance(child, Branch):
                    reached.append((child, after))
                elif child.matches(target, after):
                    best = child.best_rank
        return best

    def first_end(self, target: bytes, position: int, before: int) -> int:
        """Return the lowest rank of a text whose last segment ends the target, or `before` if no lower rank does."""
        for last, rank in self.ends:
            if rank >= before:
                break
            if len(target) - len(last) >= position and target.endswith(last):
                return rank
        return before

    def likely_children(self, substrings: "Substrings") -> Iterator[tuple[bytes, "Leaf | Branch"]]:
        """Yield the children whose segment may occur in the target, in the order of their ranks."""
        short = substrings.of_length(_SHORT)
        for segment, child in self.children.items():
            if len(segment) < _SHORT or (segment[-_SHORT:] in short and substrings.may_hold(segment)):
                yield segment, child

    def all(self, target: bytes, start: int) -> Iterator[int]:
        """Yield the rank of every text that matches from `start` on, in no particular order."""
        substrings: Substrings | None = None
        reached = [(self, start)]
        while reached:
            branch, position = reached.pop()
            if branch.own_rank != NEVER:
                yield branch.own_rank
            for last, rank in branch.ends:
                if len(target) - len(last) >= position and target.endswith(last):
                    yield rank
            children: Iterable[tuple[bytes, Leaf | Branch]] = branch.children.items()
            if len(branch.children) >= _MANY_CHILDREN:
                substrings = substrings or Substrings(target)
                children = branch.likely_children(substrings)
            for segment, child in children:
                found = target.find(segment, position)
                if found >= 0:
                    after = found + len(segment)
                    if isinstance(child, Branch):
                        reached.append((child, after))
                    elif child.matches(target, after):
                        yield child.best_rank


def _to_branch(leaf: Leaf) -> Branch:
    # A branch that replaces the leaf and contains only its text.
    branch = Branch(leaf.best_rank)
    rest = len(leaf.middles) - leaf.start
    if rest == 0:
        branch.own_rank = leaf.best_rank
    elif rest == 1 and leaf.anchored:
        branch.ends.append((leaf.middles[-1], leaf.best_rank))
    else:
        further = Leaf(leaf.best_rank, leaf.middles, leaf.start + 1, anchored=leaf.anchored)
        branch.children[leaf.middles[leaf.start]] = further
    return branch


class Substrings:
    """The substrings of a target by length, listed when first needed."""

    __slots__ = ("_by_length", "_target")

    def __init__(self, target: bytes) -> None:
        self._target = target
        self._by_length: dict[int, frozenset[bytes]] = {}

    def of_length(self, length: int) -> frozenset[bytes]:
        """Return the substrings of a length.

        Cost: O(bytes of the target times the length) at the first call.
        """
        found = self._by_length.get(length)
        if found is None:
            target = self._target
            starts = range(len(target) - length + 1)
            found = self._by_length[length] = frozenset([target[start : start + length] for start in starts])
        return found

    def may_hold(self, segment: bytes) -> bool:
        """Return whether the start and the end of a segment occur, because searching repetitive text is slow.

        Cost: O(bytes of the segment).
        """
        for length in _LONG:
            if len(segment) >= length:
                substrings = self.of_length(length)
                return segment[:length] in substrings and segment[-length:] in substrings
        return True
