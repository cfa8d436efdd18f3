"""Rules that describe the targets about which two sides decide in a certain way."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from canfetch.compare.budget import Budget
from canfetch.compare.patterns import Pattern
from canfetch.compare.questions import ComparedSides, Question
from canfetch.compare.rankings import Decisions, Wanted, are_as_wanted
from canfetch.compare.witnesses import disagreement, shortest_target

DecideAll = Callable[[Sequence[bytes]], Iterable[tuple[bool | None, bool | None]]]
"""Returns the verdicts of the engine about targets."""


class Candidate(NamedTuple):
    """A rule that may describe targets.

    Attributes:
        text: The rule as it is written.
        patterns: Its patterns.
        is_part: Whether it describes only a part in any case.
    """

    text: str
    patterns: tuple[Pattern, ...]
    is_part: bool = False


class Description(NamedTuple):
    """What a candidate describes.

    Attributes:
        candidate: The candidate.
        example: A shortest target with the decisions.
        other: A target with other decisions, or None if there is none.
        uncovered: A target that no listed rule matches of which all targets have the decisions. Without one, the
            candidate is not listed.
    """

    candidate: Candidate
    example: bytes
    other: bytes | None
    uncovered: bytes | None

    @property
    def is_whole(self) -> bool:
        """Whether all targets that the candidate matches have the decisions."""
        return self.other is None and not self.candidate.is_part


class Describing(NamedTuple):
    """Describes the targets about which two sides decide in a certain way.

    Attributes:
        compared: The sides.
        decisions: The decisions.
        outside: Patterns that match no described target.
        decide_all: Asks the engine.
        budget: The work that is left.
    """

    compared: ComparedSides
    decisions: Decisions
    outside: Sequence[Pattern]
    decide_all: DecideAll
    budget: Budget

    def describe(self, candidates: Sequence[Candidate]) -> list[Description]:
        """Return what each candidate describes, if anything, in the same order.

        Raises: Undecided; EngineError: The engine disagrees with the comparison.
        """
        native = self.compared.native
        if native is None:
            return self.describe_with_questions(candidates)
        items = [(one.patterns, one.is_part) for one in candidates]
        found = [
            Description(candidates[number], example, other, uncovered)
            for number, example, other, uncovered in native.describe(self.decisions, items, self.outside, self.budget)
        ]
        self._confirm(found)
        return found

    def describe_with_questions(self, candidates: Sequence[Candidate]) -> list[Description]:
        """Return the same with a question for each fact.

        Raises: As `describe`.
        """
        found: list[Description] = []
        for candidate in candidates:
            example = self.find(candidate.patterns, self.decisions)
            if example is not None:
                others: tuple[Wanted, Wanted] = (not self.decisions[0], None), (None, not self.decisions[1])
                other = None if candidate.is_part else self.find(candidate.patterns, *others, shortest=False)
                found.append(Description(candidate, example, other, None))
        covered: list[Pattern] = []
        for number, one in enumerate(found):
            if one.is_whole:
                uncovered = (
                    self.find(one.candidate.patterns, (None, None), outside=covered, shortest=False)
                    if covered
                    else one.example
                )
                found[number] = one._replace(uncovered=uncovered)
                covered += one.candidate.patterns if uncovered is not None else ()
        for number, one in enumerate(found):
            if not one.is_whole:
                uncovered = self.find(one.candidate.patterns, self.decisions, outside=covered, shortest=False)
                found[number] = one._replace(uncovered=uncovered)
        return found

    def find(
        self, within: Sequence[Pattern], *wanted: Wanted, outside: Iterable[Pattern] = (), shortest: bool = True
    ) -> bytes | None:
        """Return a target of some patterns with wanted decisions, outside of other patterns.

        Raises: As `describe`.
        """

        def confirm(target: bytes) -> bool:
            (found,) = self.decide_all([target])
            return None not in found and are_as_wanted(found, wanted)

        question = Question(self.compared, wanted, confirm, within, [*self.outside, *outside], shortest)
        return shortest_target(question, self.budget)

    def _confirm(self, found: Sequence[Description]) -> None:
        """Compare what was found with the verdicts of the engine.

        Raises: EngineError: They differ.
        """
        expected: dict[bytes, bool] = {}
        for one in found:
            expected[one.example] = True
            if one.other is not None:
                expected[one.other] = False
            if one.uncovered is not None and not one.is_whole:
                expected[one.uncovered] = True
        # About two microseconds each.
        self.budget.spend_in_python(2 * len(expected))
        decided = self.decide_all(list(expected))
        for (target, is_described), decisions in zip(expected.items(), decided, strict=True):
            if (decisions == self.decisions) is not is_described:
                raise disagreement(target)
