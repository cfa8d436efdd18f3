"""What a comparison asks for: a shortest target on which some sides decide in a certain way."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from canfetch.compare.native_refinement import NativeRefinement, native_refinement
from canfetch.compare.overlaps import Overlaps
from canfetch.compare.patterns import Pattern, RankedPattern
from canfetch.compare.rankings import RankedSide, Wanted, key_of
from canfetch.core.profiles import Profile

Confirm = Callable[[bytes], bool]
"""Returns whether the engine has the expected verdicts about a target."""


_NONE: Final = Overlaps(())


class ComparedSides:
    """One or two sides that questions are about.

    Args:
        sides: The sides, at most two.
        profiles: The profiles whose possible targets are considered, or the same one twice.
        use_native: Whether the native engine compares them, if it can.

    Attributes:
        sides, profiles: As above.
    """

    def __init__(
        self, sides: Sequence[RankedSide], profiles: tuple[Profile, Profile], *, use_native: bool = True
    ) -> None:
        self.sides = sides
        self.profiles = profiles
        self._use_native = use_native

    @cached_property
    def own(self) -> Sequence[Overlaps]:
        """For each side, the patterns that the other one does not have, or not with the same decision."""
        return [_NONE for _ in self.sides] if len(self.sides) < 2 else list(map(Overlaps, self.differing()))

    def differing(self) -> Sequence[Sequence[RankedPattern]]:
        """Return the same as lists. There have to be two sides."""
        one, other = (side.decisions() for side in self.sides)
        return [
            [each for each in side.ranking.in_order if decisions.get(key_of(each)) is not side.value(each)]
            for side, decisions in zip(self.sides, (other, one), strict=True)
        ]

    @cached_property
    def native(self) -> NativeRefinement | None:
        """The sides in the native engine, if it is used."""
        return native_refinement(self.sides, self.profiles) if self._use_native else None

    def update(self, changed: Iterable[RankedPattern], own: Sequence[Overlaps] | None = None) -> None:
        """Use the present decisions of some patterns, which have changed.

        Args:
            changed: The patterns.
            own: As the attribute. It is computed again by default.
        """
        if self.native is not None:
            self.native.update(changed)
        elif own is not None:
            self.own = own
        else:
            self.__dict__.pop("own", None)


class Question(NamedTuple):
    """A question about the possible targets of two profiles.

    Attributes:
        compared: The sides, and their profiles.
        wanted: The wanted decisions of all sides. None is a decision that does not matter.
        confirm: Asks the engine.
        within: Patterns of which one matches the target. Without any, each target will do.
        outside: Patterns of which none matches the target.
        shortest: Whether the target has to be a shortest one.
    """

    compared: ComparedSides
    wanted: Sequence[Wanted]
    confirm: Confirm
    within: Sequence[Pattern] = ()
    outside: Sequence[Pattern] = ()
    shortest: bool = True
