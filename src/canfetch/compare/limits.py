"""The work that a comparison may take."""

from typing import Final

from canfetch.errors import Undecided

DEFAULT_STEPS: Final = 1_000_000
"""Enough for files of 100 KB whose rules have nothing in common. One step moves one pattern by one byte."""


class Budget:
    """The steps that comparisons may still take, so that no file makes them slow or large.

    Args: steps: The steps of all comparisons together.

    Attributes:
        limit: The steps at the beginning.
        steps: The steps that remain.
        states: The states that were explored.
    """

    __slots__ = ("limit", "states", "steps")

    def __init__(self, steps: int = DEFAULT_STEPS) -> None:
        self.limit = self.steps = steps
        self.states = 0

    def spend(self, steps: int) -> None:
        """Count steps.

        Raises: Undecided: There are not enough left.
        """
        self.steps -= steps
        if self.steps < 0:
            raise Undecided(
                f"undecided: too large: explored {self.states:,} states in {self.limit:,} steps; "
                "pass a higher `steps` to continue",
                states=self.states,
            )
