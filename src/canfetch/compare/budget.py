"""The work that a comparison may take."""

from typing import Final

from canfetch.core.engines import engine_name
from canfetch.errors import Undecided

PYTHON_STEPS: Final = 1_000_000
NATIVE_STEPS: Final = 40_000_000


def is_native() -> bool:
    """Return whether the native engine compares files."""
    return engine_name() != "python"


def steps_for(microseconds: int) -> int:
    """Return about as many steps as the engine in use takes in this time."""
    return microseconds * (NATIVE_STEPS if is_native() else PYTHON_STEPS) // 1_000_000


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
        native = is_native()
        if steps is None:
            steps = NATIVE_STEPS if native else PYTHON_STEPS
        elif not isinstance(steps, int):
            raise TypeError(f"steps must be a whole number or None, not {type(steps).__name__}")
        self._python_weight = NATIVE_STEPS // PYTHON_STEPS if native else 1
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

    def count_states(self, states: int) -> None:
        """Count explored states."""
        self.states += states

    def exhausted(self) -> Undecided:
        """Return the error for a comparison that has reached a limit."""
        explored = f", after {self.states:,} states" if self.states else ""
        return Undecided(
            f"undecided: the rules are too large for a limit of {self.limit:,} steps{explored}", states=self.states
        )


class PortableBudget(Budget):
    """The work that comparisons may take, with a limit that both engines reach at the same question.

    A step of one engine is not a step of the other. So Python answers questions with this budget, also if the native
    engine is used. The budget counts the objects of the refinement and the states of searches. Each state counts as
    `OBJECTS_PER_STATE` objects.

    Args: objects: The objects of all comparisons together. Each takes about a microsecond.
    Attributes: objects: The objects that remain.
    """

    OBJECTS_PER_STATE: Final = 10

    __slots__ = ("objects",)

    def __init__(self, objects: int) -> None:
        super().__init__()
        self.objects = objects

    def spend(self, steps: int) -> None:
        """Do nothing: the states of a search limit its steps."""

    def spend_in_python(self, objects: int) -> None:
        """Count objects.

        Raises: Undecided: There are not enough left.
        """
        self.objects -= objects
        if self.objects < 0:
            raise self.exhausted()

    def count_states(self, states: int) -> None:
        """Count explored states.

        Raises: Undecided: There are not enough objects left.
        """
        super().count_states(states)
        self.spend_in_python(self.OBJECTS_PER_STATE * states)
