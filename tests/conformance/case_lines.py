"""Questions as lines of text, for programs without a JSON parser, as `rust/core/examples/answer_cases.rs` explains."""

import subprocess
from collections.abc import Iterable, Sequence

from conformance.cases import Answer, Case, Question
from tests.conformance.case_files import STANDARD_LIBRARY

from canfetch.core.text import encode_text


def is_answered(question: Question) -> bool:
    """Return whether a program is asked. Its library does not compare the origins of files and URLs."""
    return question.profile not in STANDARD_LIBRARY and question.robots_url is None


def to_line(question: Question) -> str:
    fields = [
        question.profile,
        str(question.max_bytes or 512_000),
        str(int(question.star_applies)),
        " ".join(encode_text(token).hex() for token in question.agents) or f"header {_header(question)}",
        question.robots.hex(),
        question.url.hex(),
    ]
    return "\t".join(fields) + "\n"


def _header(question: Question) -> str:
    return (question.user_agent or "").encode().hex()


def from_line(line: str) -> Answer:
    if line == "error":
        return Answer(error="invalid-url")
    allowed, number, reason = line.split("\t")
    return Answer(allowed == "1", int(number), reason)


def wrong_answers(program: Sequence[str], cases: Iterable[Case]) -> tuple[list[str], int]:
    """Ask a program. Return its wrong answers, and the number of questions."""
    questions = [question for case in cases for question in case.questions() if is_answered(question)]
    lines = "".join(map(to_line, questions))
    done = subprocess.run(program, input=lines, capture_output=True, encoding="utf-8", timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    answers = [from_line(line) for line in done.stdout.splitlines()]
    pairs = zip(questions, answers, strict=True)
    wrong = [
        f"{question.case}, {question.profile}: {answer}, expected {question.expected}"
        for question, answer in pairs
        if not answer.matches(question.expected)
    ]
    return wrong, len(questions)
