"""Every conformance case, through the public API, with both engines."""

import math
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

import pytest
from conformance.cases import Answer, Case, Question
from tests.conformance.case_files import CASES, STANDARD_LIBRARY, by_file, check_each, parameters

import canfetch
from canfetch import RobotsTxt

FILES = by_file(CASES)
# `canfetch.allows` parses the file for each question, and the few larger files take most of the time.
SMALL_BYTES = 4_000


def answer_all(questions: list[Question], engine: str, one_shot_bytes: float) -> Iterator[Answer]:
    """Answer questions about one file in one profile. The file is parsed once.

    `canfetch.allows` is compared for the first question, and for all questions if the file is small enough.
    """
    first = questions[0]
    try:
        robots = canfetch.parse(
            first.robots,
            url=first.robots_url,
            profile=first.profile,
            max_bytes=first.max_bytes or 512_000,
            engine=engine,
        )
    except canfetch.errors.InvalidRobotsURL:
        yield from (Answer(error="invalid-robots-url") for _ in questions)
        return
    is_small = len(first.robots) <= one_shot_bytes
    for question in questions:
        yield answer(robots, question, engine, one_shot=is_small or question is first)


def answer(robots: RobotsTxt, question: Question, engine: str, *, one_shot: bool) -> Answer:
    tokens = question.agents or (canfetch.product_token(question.user_agent or ""),)
    agent = canfetch.Agent(tokens, star_applies=question.star_applies)
    try:
        verdict = robots.decide(question.url, agent=agent)
    except canfetch.OriginMismatch:
        return Answer(error="origin-mismatch")
    except canfetch.InvalidURL:
        return Answer(error="invalid-url")
    assert robots.rules_for(agent).allows(question.url) is verdict.allowed
    if one_shot and not question.max_bytes:
        allowed = canfetch.allows(question.robots, question.url, agent=agent, profile=question.profile, engine=engine)
        assert allowed is verdict.allowed
    return Answer(verdict.allowed, verdict.line or 0, str(verdict.reason))


@pytest.mark.parametrize("file", parameters(FILES))
def test_cases(file: str, engine: str) -> None:
    check_each(FILES[file], lambda case: check(case, engine, SMALL_BYTES))


@pytest.mark.nightly
def test_one_shot_decisions_of_large_files(engine: str) -> None:
    large = [case for case in CASES if len(next(case.questions()).robots) > SMALL_BYTES]
    assert large
    check_each(large, lambda case: check(case, engine, math.inf))


def check(case: Case, engine: str, one_shot_bytes: float) -> None:
    wrong = []
    for profile, questions in groupby(case.questions(), attrgetter("profile")):
        if profile in STANDARD_LIBRARY:
            continue
        same_file = list(questions)
        answers = answer_all(same_file, engine, one_shot_bytes)
        for question, actual in zip(same_file, answers, strict=True):
            if not actual.matches(question.expected):
                url = question.url[:100].decode("utf-8", "backslashreplace")
                wrong.append(f"{profile}, {question.agents}, {url!r}: expected {question.expected}, got {actual}")
    assert not wrong, "\n".join([case.why, *wrong])
