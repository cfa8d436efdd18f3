"""The cases of the Google profiles agree with Google's own parser, in verdict and line."""

import re
from collections.abc import Callable

import pytest
from conformance.cases import Case, Question
from tests.conformance.case_files import CASES, by_file, check_each, parameters
from tests.differential.oracles import google, google_is_required, missing_google

# Bytes that Googlebot escapes before it calls the parser, because a URL cannot contain them.
UNSAFE = re.compile(rb"[\x00-\x20\x7F-\xFF\"<>\\^`{|}]")


@pytest.fixture(scope="module")
def google_parser() -> Callable[[bytes, bytes, bytes], tuple[bool, int]]:
    if reason := missing_google():
        if google_is_required():
            pytest.fail(f"{reason}, but CI requires it")
        pytest.skip(reason)
    return google()


def url_for_parser(question: Question) -> bytes | None:
    """Return the URL to pass to Google's parser, or None if the parser cannot answer the question."""
    if question.expected.error or len(question.agents) != 1 or not question.star_applies:
        return None
    if question.profile == "google":
        return question.url
    if question.profile != "googlebot" or question.expected.reason == "robots-txt":
        return None
    escaped = UNSAFE.sub(lambda match: b"%%%02X" % match[0][0], question.url)
    return re.sub(rb"%[0-9A-Fa-f]{2}", lambda match: match[0].upper(), escaped)


FILES = by_file(case for case in CASES if any(url_for_parser(question) is not None for question in case.questions()))


@pytest.mark.parametrize("file", parameters(FILES))
def test_google_parser_agrees(file: str, google_parser: Callable[[bytes, bytes, bytes], tuple[bool, int]]) -> None:
    check_each(FILES[file], lambda case: check(case, google_parser))


def check(case: Case, google_parser: Callable[[bytes, bytes, bytes], tuple[bool, int]]) -> None:
    for question in case.questions():
        url = url_for_parser(question)
        if url is not None:
            # Google's parser has no size limit, so larger files would give different verdicts.
            assert len(question.robots) <= 512_000
            answer = google_parser(question.robots, question.agents[0].encode(), url)
            assert answer == (question.expected.allowed, question.expected.line), question.url[:100]
