"""Texts with stars, by the segments behind their literal head: what many of them share is looked for once.

The first place of a segment behind the one before is always the best, so a search never goes back; and
texts that begin with the same segments share each search. A branch is made only where texts part.
"""

from collections.abc import Iterable, Iterator
from typing import Final

NEVER: Final = 1 << 62
# From so many children on, the runs of octets that the target holds are listed first: a look-up spares a search.
_MANY_CHILDREN: Final = 256
# Runs of these lengths are listed. A segment's first and last run of the longest that fits cover all of it, or most.
_SHORT_RUN: Final = 4
_LONG_RUNS: Final = (64, 32, 16)


class Leaf:
    """The rest of one text, behind segments that no other text shares yet: `middles` from `start` on."""

    __slots__ = ("anchored", "best_rank", "middles", "start")

    def __init__(self, rank: int, middles: tuple[bytes, ...], start: int, *, anchored: bool) -> None:
        self.best_rank = rank
        self.middles = middles
        self.start = start
        self.anchored = anchored

    def matches(self, target: bytes, position: int) -> bool:
        """Say whether the rest matches the target from `position` on.

        Cost: O(octets of the target times octets of the text) at worst, linear as a rule.
        """
        middles = self.middles
        last = len(middles) - 1
        for index in range(self.start, len(middles)):
            middle = middles[index]
            if index == last and self.anchored:
                # The last one must reach the end: its leftmost occurrence may not.
                return len(target) - len(middle) >= position and target.endswith(middle)
            found = target.find(middle, position)
            if found < 0:
                return False
            position = found + len(middle)
        return True


class Branch:
    """What may follow the same segments: the end of a text, a last segment at the target's end, more segments.

    Texts are added in the order of their ranks, so that whatever comes first in a branch has the least rank.
    """

    __slots__ = ("best_rank", "children", "ends", "own_rank")

    def __init__(self, rank: int) -> None:
        self.best_rank = rank
        self.own_rank = NEVER
        self.ends: list[tuple[bytes, int]] = []
        self.children: dict[bytes, Leaf | Branch] = {}

    def add(self, rank: int, middles: tuple[bytes, ...], *, anchored: bool) -> None:
        """Add a text by its segments; its rank is over those of all before.

        Args: anchored: the last segment, and there is one, must end the target.
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
                child = branch.children[segment] = _parted(child)
            branch = child
        if anchored:
            branch.ends.append((middles[-1], rank))
        else:
            branch.own_rank = min(branch.own_rank, rank)

    def first(self, target: bytes, start: int, before: int) -> int:
        """Give the least rank of a text that matches from `start` on, or `before` where none is below it.

        Cost: O(octets of the target) for each branch and leaf that is reached.
        """
        best = before
        runs: Runs | None = None
        reached = [(self, start)]
        while reached:
            branch, position = reached.pop()
            if branch.own_rank < best:  # noqa: PLR1730 - a call costs more than the comparison
                best = branch.own_rank
            if branch.ends:
                best = branch.first_end(target, position, best)
            children: Iterable[tuple[bytes, Leaf | Branch]] = branch.children.items()
            if len(branch.children) >= _MANY_CHILDREN:
                runs = runs or Runs(target)
                children = branch.likely_children(runs)
            for segment, child in children:
                if child.best_rank >= best:
                    break
                found = target.find(segment, position)
                if found < 0:
                    continue
                behind = found + len(segment)
                if isinstance(child, Branch):
                    reached.append((child, behind))
                elif child.matches(target, behind):
                    best = child.best_rank
        return best

    def first_end(self, target: bytes, position: int, before: int) -> int:
        """Give the least rank of a text whose last segment ends the target, or `before` where none is below it."""
        for last, rank in self.ends:
            if rank >= before:
                break
            if len(target) - len(last) >= position and target.endswith(last):
                return rank
        return before

    def likely_children(self, runs: "Runs") -> Iterator[tuple[bytes, "Leaf | Branch"]]:
        """Yield the children whose segment may be in a target of these runs, in the order of their ranks."""
        short = runs.of(_SHORT_RUN)
        for segment, child in self.children.items():
            if len(segment) < _SHORT_RUN or (segment[-_SHORT_RUN:] in short and runs.may_hold(segment)):
                yield segment, child

    def all(self, target: bytes, start: int) -> Iterator[int]:
        """Yield the rank of every text that matches from `start` on, in no order."""
        runs: Runs | None = None
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
                runs = runs or Runs(target)
                children = branch.likely_children(runs)
            for segment, child in children:
                found = target.find(segment, position)
                if found >= 0:
                    behind = found + len(segment)
                    if isinstance(child, Branch):
                        reached.append((child, behind))
                    elif child.matches(target, behind):
                        yield child.best_rank


def _parted(leaf: Leaf) -> Branch:
    # A branch in the leaf's place, which has the leaf alone so far.
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


class Runs:
    """The runs of octets that a target holds, by their length; listed when they are asked for."""

    __slots__ = ("_by_octets", "_target")

    def __init__(self, target: bytes) -> None:
        self._target = target
        self._by_octets: dict[int, frozenset[bytes]] = {}

    def of(self, octets: int) -> frozenset[bytes]:
        """Give the runs of that length.

        Cost: O(octets of the target times the length) at the first call.
        """
        found = self._by_octets.get(octets)
        if found is None:
            target = self._target
            starts = range(len(target) - octets + 1)
            found = self._by_octets[octets] = frozenset([target[start : start + octets] for start in starts])
        return found

    def may_hold(self, segment: bytes) -> bool:
        """Say whether the first and the last run of a segment are here; a search in regular text is slow.

        Cost: O(octets of the segment).
        """
        for octets in _LONG_RUNS:
            if len(segment) >= octets:
                runs = self.of(octets)
                return segment[:octets] in runs and segment[-octets:] in runs
        return True
