"""The work that a comparison may take."""

from typing import Final

from canfetch.compare.native_search import native_domain_class
from canfetch.errors import Undecided

PYTHON_STEPS: Final = 1_000_000
NATIVE_STEPS: Final = 40_000_000


def steps_for(microseconds: int) -> int:
    """Return about as many steps as the engine in use takes in this time."""
    return microseconds * (PYTHON_STEPS if native_domain_class() is None else NATIVE_STEPS) // 1_000_000


class Budget:
    """The steps that comparisons may still take, so that no file makes them slow or large.

    Args: steps: The steps of all comparisons together. One step moves one pattern by one byte. The default takes about
        one second: 40 million steps in the native engine, and a million in the Python engine.

    Attributes:
        limit: The steps at the beginning.
        steps: The steps that remain.
        states: The states that were explored.
    """

    __slots__ = ("_python_weight", "limit", "states", "steps")

    def __init__(self, steps: int | None = None) -> None:
        is_native = native_domain_class() is not None
        if steps is None:
            steps = NATIVE_STEPS if is_native else PYTHON_STEPS
        self._python_weight = NATIVE_STEPS // PYTHON_STEPS if is_native else 1
        self.limit = self.steps = steps
        self.states = 0

    def spend(self, steps: int) -> None:
        """Count steps.

        Raises: Undecided: There are not enough left.
        """
        self.steps -= steps
        if self.steps < 0:
            raise self.exhausted()

    def spend_in_python(self, objects: int) -> None:
        """Count the work of Python code, which takes as long as many steps of the native engine.

        Raises: Undecided: There are not enough steps left.
        """
        self.spend(objects * self._python_weight)

    def exhausted(self) -> Undecided:
        """Return the error for a comparison that has reached a limit."""
        return Undecided(
            f"undecided: too large: explored {self.states:,} states with a limit of {self.limit:,} steps",
            states=self.states,
        )
