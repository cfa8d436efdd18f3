"""What a comparison counts, and what it found."""

from dataclasses import dataclass, field
from typing import NamedTuple


class Question(NamedTuple):
    """All that an answer depends on."""

    octets: bytes
    profile: str
    tokens: tuple[bytes, ...]
    star_applies: bool
    url: str | bytes


class Difference(NamedTuple):
    """Two answers to one question about one field; either may be an error."""

    field: str
    ours: object
    theirs: object


class Disagreement(NamedTuple):
    """A difference and where it came from; `whole` says that it needs the whole case, not this URL alone."""

    origin: str
    against: str
    question: Question
    difference: Difference
    whole: bool

    def __str__(self) -> str:
        name, ours, theirs = self.difference
        return f"{self.origin}, profile {self.question.profile}, {name}: ours {ours!r}, {self.against} {theirs!r}"


KEPT_DISAGREEMENTS = 40


@dataclass(slots=True)
class Tally:
    """Figures of a run; runs add up.

    Attributes:
        cases: files read, once for each profile.
        triples: (file, agent, URL) compared, once for each profile.
        refused: those beside them whose URL is none.
        ruled: triples that a rule decided.
        disallowed: triples that were disallowed.
        disagreed: how many triples or files differ; `disagreements` holds the first of them.
    """

    cases: int = 0
    triples: int = 0
    refused: int = 0
    ruled: int = 0
    disallowed: int = 0
    disagreed: int = 0
    disagreements: list[Disagreement] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Add another run's figures."""
        self.cases += other.cases
        self.triples += other.triples
        self.refused += other.refused
        self.ruled += other.ruled
        self.disallowed += other.disallowed
        self.disagreed += other.disagreed
        self.disagreements += other.disagreements[: KEPT_DISAGREEMENTS - len(self.disagreements)]

    def note(self, disagreement: Disagreement) -> None:
        """Count a disagreement, and keep it if there are few."""
        self.disagreed += 1
        if len(self.disagreements) < KEPT_DISAGREEMENTS:
            self.disagreements.append(disagreement)

    def summary(self) -> str:
        """Give the figures as one line."""
        share = 100 / max(self.triples, 1)
        return (
            f"triples={self.triples:,} disagreements={self.disagreed} files={self.cases:,} "
            f"ruled={self.ruled * share:.0f}% disallowed={self.disallowed * share:.0f}% refused={self.refused:,}"
        )
