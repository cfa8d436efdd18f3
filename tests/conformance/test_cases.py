"""Every conformance case, through the public API, with both engines."""

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import attrgetter

import pytest
from conformance.cases import Answer, Case, Question
from tests.conformance.case_files import CASES, by_file, check_each

import canfetch
from canfetch import RobotsTxt
from canfetch.core.engines import supported_profiles

FILES = by_file(CASES)


def answer_all(questions: list[Question], engine: str) -> Iterator[Answer]:
    """Answer questions about one file in one profile. The file is parsed once."""
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
    yield from (answer(robots, question, engine) for question in questions)


def answer(robots: RobotsTxt, question: Question, engine: str) -> Answer:
    tokens = question.agents or (canfetch.product_token(question.user_agent or ""),)
    agent = canfetch.Agent(tokens, star_applies=question.star_applies)
    try:
        verdict = robots.decide(question.url, agent=agent)
    except canfetch.OriginMismatch:
        return Answer(error="origin-mismatch")
    except canfetch.InvalidURL:
        return Answer(error="invalid-url")
    assert robots.rules_for(agent).allows(question.url) is verdict.allowed
    if not question.max_bytes:
        allowed = canfetch.allows(question.robots, question.url, agent=agent, profile=question.profile, engine=engine)
        assert allowed is verdict.allowed
    return Answer(verdict.allowed, verdict.line or 0, str(verdict.reason))


@pytest.mark.parametrize("file", FILES)
def test_cases(file: str, engine: str) -> None:
    supported = supported_profiles(engine)
    cases = [case for case in FILES[file] if not set(supported).isdisjoint(case.profiles)]
    if not cases:
        pytest.skip("only the Python engine supports these profiles")
    check_each(cases, lambda case: check(case, engine, supported))


def check(case: Case, engine: str, supported: Collection[str]) -> None:
    wrong = []
    for profile, questions in groupby(case.questions(), attrgetter("profile")):
        if profile not in supported:
            continue
        same_file = list(questions)
        for question, actual in zip(same_file, answer_all(same_file, engine), strict=True):
            if not actual.matches(question.expected):
                url = question.url[:100].decode("utf-8", "backslashreplace")
                wrong.append(f"{profile}, {question.agents}, {url!r}: expected {question.expected}, got {actual}")
    assert not wrong, "\n".join([case.why, *wrong])
