"""Witnesses: the shortest URL on which some sides decide in a certain way, confirmed by the engine."""

from canfetch.compare.budget import Budget
from canfetch.compare.questions import Question
from canfetch.compare.refinement import Refinement
from canfetch.errors import EngineError


def shortest_target(question: Question, budget: Budget) -> bytes | None:
    """Return a shortest target with wanted decisions that the engine confirms, or None if there is none.

    Raises:
        Undecided: The budget is exhausted.
        EngineError: The engine disagrees with the comparison.
    """
    native = question.compared.native
    if native is not None:
        _, wanted, _, within, outside, shortest = question
        target = native.shortest_target(wanted, within, outside, budget, shortest=shortest)
    else:
        target = Refinement(question, budget).shortest_target()
    if target is None or question.confirm(target):
        return target
    raise disagreement(target)


def disagreement(target: bytes) -> EngineError:
    """Return the error for a target about which the comparison and the engine disagree."""
    return EngineError(f"the comparison and the engine disagree on {target!r}: please report this file")
