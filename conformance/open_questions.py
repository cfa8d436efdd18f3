"""What RFC 9309 leaves open, and the cases whose expected results are therefore choices of this project: open.toml."""

import tomllib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from conformance.cases import ROOT


class OpenQuestion(NamedTuple):
    """A question that a section of the RFC leaves open, and the patterns of the cases that it affects."""

    title: str
    section: str
    text: str
    quotes: tuple[str, ...]
    patterns: tuple[str, ...]


def open_questions(root: Path = ROOT) -> list[OpenQuestion]:
    """Return the open questions, in the order in which patterns are compared."""
    tables = tomllib.loads((root / "open.toml").read_bytes().decode())["question"]
    return [
        OpenQuestion(each["title"], each["section"], each["text"], tuple(each["quotes"]), tuple(each["cases"]))
        for each in tables
    ]


def find_question(case: str, questions: Iterable[OpenQuestion]) -> OpenQuestion | None:
    """Return the first question with a pattern that the ID of the case matches."""
    return next((each for each in questions if any(fnmatchcase(case, pattern) for pattern in each.patterns)), None)
