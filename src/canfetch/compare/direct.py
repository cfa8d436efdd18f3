"""Decisions about one target, without a search.

No target that matches a pattern is shorter than the bytes of the pattern. If one of exactly these bytes has the wanted
decisions, the search is not necessary. So it is only made for the few rules that others cover.
"""

from collections.abc import Iterable, Iterator, Sequence

from canfetch.compare.forms import in_form
from canfetch.compare.patterns import Pattern, RankedPattern, Side
from canfetch.compare.sides import Decisions
from canfetch.core.patterns import Segments


def shortest_matches(patterns: Iterable[RankedPattern]) -> Iterator[bytes]:
    """Yield targets that are as short as any that one of the patterns matches."""
    targets = {_shortest_match(one.pattern) for one in patterns}
    shortest = min(map(len, targets), default=0)
    yield from sorted(target for target in targets if len(target) == shortest)


def decide_directly(target: bytes, sides: Sequence[Side]) -> Decisions | None:
    """Return the decisions about a target, or None if they depend on the lengths of matches.

    Cost: O(bytes of the target times bytes of the patterns) at worst.
    """
    if any(side.longest_match for side in sides):
        return None
    return tuple(_decide(target, side) for side in sides)


def _decide(target: bytes, side: Side) -> bool:
    best: RankedPattern | None = None
    for one in side.patterns:
        if (best is None or one.rank < best.rank) and _matches(one.pattern, target):
            best = one
    return side.default if best is None else best.allow


def _shortest_match(pattern: Pattern) -> bytes:
    text = b"".join((pattern.head, *pattern.middles))
    return text if text.startswith(b"/") else b"/" + text


def _matches(pattern: Pattern, target: bytes) -> bool:
    target = in_form(target, pattern.form)
    segments = Segments(pattern.head, pattern.middles, pattern.anchored)
    return target.startswith(pattern.head) and segments.matches_after_head(target)
