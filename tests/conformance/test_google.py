"""The expectations of the Google profiles are what Google's own parser says, verdict and line."""

import re
from collections.abc import Callable
from operator import attrgetter

import pytest
from conformance.cases import Case, Question, load
from tests.differential.oracles import google, google_is_due, why_no_google

CASES = [case for case in load() if {"google", "googlebot"} & set(case.profiles)]
# What a crawler escapes before it asks: octets that no URL may hold.
UNSAFE = re.compile(rb"[\x00-\x20\x7F-\xFF\"<>\\^`{|}]")


@pytest.fixture(scope="module")
def ask_google() -> Callable[[bytes, bytes, bytes], tuple[bool, int]]:
    if reason := why_no_google():
        if google_is_due():
            pytest.fail(f"{reason}, and in CI it must be")
        pytest.skip(reason)
    return google()


def asked(question: Question) -> bytes | None:
    """Give the URL as Google's parser is asked for it, or None where the question is not the parser's."""
    if question.expected.error or len(question.agents) != 1 or not question.star_applies:
        return None
    if question.profile == "google":
        return question.url
    if question.profile != "googlebot" or question.expected.reason == "robots-txt":
        return None
    escaped = UNSAFE.sub(lambda match: b"%%%02X" % match[0][0], question.url)
    return re.sub(rb"%[0-9A-Fa-f]{2}", lambda match: match[0].upper(), escaped)


@pytest.mark.parametrize("case", CASES, ids=attrgetter("id"))
def test_google_says_so(case: Case, ask_google: Callable[[bytes, bytes, bytes], tuple[bool, int]]) -> None:
    for question in case.questions():
        url = asked(question)
        if url is not None:
            # Google's parser has no limit of its own: what is past it would count.
            assert len(question.robots) <= 512_000
            answer = ask_google(question.robots, question.agents[0].encode(), url)
            assert answer == (question.expected.allowed, question.expected.line), question.url[:100]
