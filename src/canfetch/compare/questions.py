"""What a comparison asks for: a shortest target on which some sides decide in a certain way."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from canfetch.compare.overlaps import Overlaps
from canfetch.compare.patterns import Pattern
from canfetch.compare.rankings import RankedSide, key_of
from canfetch.compare.sides import Wanted
from canfetch.core.profiles import Profile

Confirm = Callable[[bytes], bool]
"""Returns whether the engine has the expected verdicts about a target."""


_NONE: Final = Overlaps(())


class Question(NamedTuple):
    """A question about the possible targets of two profiles.

    Attributes:
        sides: The sides, at most two.
        wanted: The wanted decisions of all sides. None stands for a decision that does not matter.
        profiles: The profiles, or the same one twice.
        confirm: Asks the engine.
        within: Patterns of which one matches the target. Without any, each target will do.
        outside: Patterns of which none matches the target.
        own: For each side, the patterns that the other one does not have, or not with the same decision. It has to be
            complete if two sides are wanted to differ.
        shortest: Whether the target has to be a shortest one.
    """

    sides: Sequence[RankedSide]
    wanted: Sequence[Wanted]
    profiles: tuple[Profile, Profile]
    confirm: Confirm
    within: Sequence[Pattern] = ()
    outside: Sequence[Pattern] = ()
    own: Sequence[Overlaps] = (_NONE, _NONE)
    shortest: bool = True


def own_patterns(sides: Sequence[RankedSide]) -> list[Overlaps]:
    """Return the patterns that only one of two sides has, or not with the same decision. One side has none."""
    if len(sides) < 2:
        return [_NONE for _ in sides]
    return [
        Overlaps(one for one in side.ranking.in_order if other.value_at(key_of(one)) is not side.value(one))
        for side, other in (sides, sides[::-1])
    ]
