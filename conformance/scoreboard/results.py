"""Ask implementations all cases of the profiles that they claim, and count the outcomes."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from conformance.cases import RAISED, Answer, Case, Question
from conformance.scoreboard.catalogue import BUILD, Adapter
from conformance.scoreboard.program import CRASHED, LARGE, SLOW, AdapterProgram

PASSED, SKIPPED, WRONG = "passed", "skipped", "wrong"
# From best to worst: a case has the worst outcome of its questions.
OUTCOMES = (SKIPPED, PASSED, WRONG, RAISED, LARGE, SLOW, CRASHED)
# What a program does, and not what it answers.
BREAKDOWNS = frozenset({LARGE, SLOW, CRASHED})

# The groups of levels that the scoreboard counts, in the order of its columns.
LEVELS = {
    "MUST": ("MUST", "MUST NOT"),
    "SHOULD": ("SHOULD", "SHOULD NOT"),
    "stated": ("stated", "example"),
    "Google": ("google",),
    "observed": ("observed",),
    "required": ("required",),
    "derived": ("derived",),
}
# Choices of this project.
OWN_LEVEL = "canfetch"
# What an implementation may decide for itself does not count: `either` is the MAY of the cases for clients.
OPTIONAL = {OWN_LEVEL: OWN_LEVEL, "MAY": "MAY", "either": "MAY"}
HOSTILE = "hostile"
# Some exceptions repeat the file.
ANSWER_CHARACTERS = 300

_SECTION = re.compile(r"RFC 9309 (?:sections? |erratum )(\d+(?:\.\d+)*)")


class Failure(NamedTuple):
    """The first question of a case that got a wrong answer."""

    question: Question
    outcome: str
    answer: str


class CaseResult(NamedTuple):
    """The outcome of one case in one profile."""

    case: Case
    outcome: str
    skipped: str = ""
    failure: Failure | None = None

    @property
    def counts(self) -> bool:
        """Whether the result counts: it is binding, or the program did not survive the question."""
        return self.case.level not in OPTIONAL or self.outcome in BREAKDOWNS


class Row(NamedTuple):
    """The results of an implementation in one profile. `older` are those of older versions, the newest first."""

    adapter: Adapter
    version: str
    profile: str
    results: tuple[CaseResult, ...]
    older: "tuple[Row, ...]" = ()

    def score(self, select: Callable[[Case], bool]) -> tuple[int, int]:
        """Return how many of the selected cases passed, and how many were asked."""
        outcomes = [result.outcome for result in self.results if select(result.case) and result.outcome != SKIPPED]
        return outcomes.count(PASSED), len(outcomes)

    def outcomes(self, select: Callable[[CaseResult], bool]) -> Counter[str]:
        """Return the number of selected results by outcome."""
        return Counter(result.outcome for result in self.results if select(result))

    def topics(self) -> tuple[int, int]:
        """Return of how many files with binding cases every case that counts passed, and how many were asked."""
        asked = [result for result in self.results if result.outcome != SKIPPED]
        files = {result.case.file for result in asked if result.case.level not in OPTIONAL}
        failed = {result.case.file for result in asked if result.counts and result.outcome != PASSED}
        return len(files - failed), len(files)

    def failures(self) -> list[CaseResult]:
        """Return the failed cases that count."""
        return [result for result in self.results if result.failure is not None and result.counts]


def run(releases: Sequence[Adapter], profile: str) -> Row:
    """Ask the versions of an adapter, which have been built, all cases of a profile."""
    newest = _run(releases[0], profile)
    older: list[Row] = []
    for adapter in releases[1:]:
        try:
            older.append(_run(adapter, profile))
        except ValueError as error:
            print(f"scoreboard: {adapter.label} is left out: {error}", file=sys.stderr)
    return newest._replace(older=tuple(older))


def _run(adapter: Adapter, profile: str) -> Row:
    with AdapterProgram(adapter.command(), adapter.process_environment(), adapter.asks) as program:
        cases = [case for case in adapter.cases() if profile in case.profiles]
        results = tuple(_run_case(adapter, program, case, profile) for case in cases)
    return Row(adapter, adapter.installed_version(BUILD), profile, results)


def _run_case(adapter: Adapter, program: AdapterProgram, case: Case, profile: str) -> CaseResult:
    outcome, skipped, failure = SKIPPED, "", None
    for question in case.questions():
        if question.profile != profile:
            continue
        if reason := adapter.reason_to_skip(question):
            skipped = reason
            continue
        answer = program.ask(question)
        if isinstance(answer, str):
            skipped = answer
            continue
        found = _outcome(answer, question.expected)
        if OUTCOMES.index(found) > OUTCOMES.index(outcome):
            outcome = found
            if found != PASSED:
                failure = Failure(question, found, str(answer)[:ANSWER_CHARACTERS])
        # Further questions about this file would cost the same time.
        if found in BREAKDOWNS:
            break
    return CaseResult(case, outcome, skipped, failure)


def _outcome(answer: Answer, expected: Answer) -> str:
    if answer.matches(expected, compare_lines=False, compare_reasons=False):
        return PASSED
    return outcome_of_text(str(answer))


def outcome_of_text(answer: str) -> str:
    """Return the outcome of an answer that differs from the expected one, by its text."""
    return next((kind for kind in (CRASHED, SLOW, LARGE, RAISED) if answer.startswith(f"error {kind}")), WRONG)


def level_group(case: Case) -> str:
    """Return the column of a case: a group of levels, `hostile`, or a level that does not count."""
    if case.level in OPTIONAL:
        return OPTIONAL[case.level]
    if case.file.startswith(HOSTILE):
        return HOSTILE
    return next(name for name, levels in LEVELS.items() if case.level in levels)


def section(case: Case) -> str:
    """Return the section of RFC 9309 that a case is taken from, or the document."""
    if found := _SECTION.match(case.source):
        return f"{found[1]}" if "erratum" not in case.source.split(";")[0] else "errata"
    if case.source.startswith("RFC 3986"):
        return "RFC 3986"
    if case.source.startswith(("Google", "google")):
        return "Google"
    return "other"
