"""Counts and findings of a comparison."""

from dataclasses import dataclass, field
from typing import NamedTuple


class Question(NamedTuple):
    """Everything that an answer depends on."""

    content: bytes
    profile: str
    tokens: tuple[bytes, ...]
    star_applies: bool
    url: str | bytes


class Difference(NamedTuple):
    """Two different answers in one field; either may be an exception."""

    field: str
    ours: object
    theirs: object


class Disagreement(NamedTuple):
    """A difference and its origin. `whole`: it needs the whole case, not only this URL."""

    origin: str
    against: str
    question: Question
    difference: Difference
    whole: bool

    def __str__(self) -> str:
        name, ours, theirs = self.difference
        return f"{self.origin}, profile {self.question.profile}, {name}: ours {ours!r}, {self.against} {theirs!r}"


STORED_DISAGREEMENTS = 40


@dataclass(slots=True)
class Tally:
    """The counts of a run, which can be added up.

    Attributes:
        cases: files, once for each profile.
        triples: (file, agent, URL) compared, once for each profile.
        refused: further ones with an invalid URL.
        ruled: triples that a rule decides.
        disallowed: triples that are disallowed.
        disagreed: triples or files that differ; `disagreements` contains the first ones.
    """

    cases: int = 0
    triples: int = 0
    refused: int = 0
    ruled: int = 0
    disallowed: int = 0
    disagreed: int = 0
    disagreements: list[Disagreement] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Add the counts of another run."""
        self.cases += other.cases
        self.triples += other.triples
        self.refused += other.refused
        self.ruled += other.ruled
        self.disallowed += other.disallowed
        self.disagreed += other.disagreed
        self.disagreements += other.disagreements[: STORED_DISAGREEMENTS - len(self.disagreements)]

    def note(self, disagreement: Disagreement) -> None:
        """Count a disagreement, and store the first ones."""
        self.disagreed += 1
        if len(self.disagreements) < STORED_DISAGREEMENTS:
            self.disagreements.append(disagreement)

    def summary(self) -> str:
        """Return the counts as one line."""
        share = 100 / max(self.triples, 1)
        return (
            f"triples={self.triples:,} disagreements={self.disagreed} files={self.cases:,} "
            f"ruled={self.ruled * share:.0f}% disallowed={self.disallowed * share:.0f}% refused={self.refused:,}"
        )
