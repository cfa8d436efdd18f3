"""The profile `google` returns the verdict and the line of Google's parser for any file."""

from collections.abc import Callable

import pytest
from tests.differential.oracles import google
from tests.differential.reporting import report
from tests.differential.runner import Job, run

import canfetch

pytestmark = pytest.mark.usefixtures("needs_google")


def check(job: Job, triples: int, workers: int, note: Callable[[str], None], *, seed: int) -> None:
    tally = run(job, triples=triples, workers=workers, seed=seed).tally
    note(tally.summary())
    assert not tally.disagreed, report(job, tally.disagreements)
    assert tally.triples >= triples
    # Most comparisons must reach a rule.
    assert tally.ruled > 0.5 * tally.triples
    assert tally.disallowed > 0.15 * tally.triples


@pytest.mark.slow
@pytest.mark.usefixtures("both_engines")
def test_google_native_engine_verdict_and_line(triples: int, workers: int, note: Callable[[str], None]) -> None:
    check(Job("google", "native", ("google",)), triples, workers, note, seed=0)


@pytest.mark.slow
def test_google_python_engine_verdict_and_line(triples: int, workers: int, note: Callable[[str], None]) -> None:
    check(Job("google", "python", ("google",)), triples // 10, workers, note, seed=1)


@pytest.mark.slow
def test_googlebot_verdict_and_line_for_the_encoded_url(
    engine: str, triples: int, workers: int, note: Callable[[str], None]
) -> None:
    check(Job("google", engine, ("googlebot",)), triples // 20, workers, note, seed=2)


def test_google_files_of_any_size(engine: str) -> None:
    # Google's parser has no size limit, so `max_bytes` is the size of the file.
    filler = b"User-agent: other\nDisallow: /" + b"x" * 400 + b"\n"
    content = filler * 1_500 + b"User-agent: *\nDisallow: /late\n"
    lines = content.count(b"\n")
    assert google()(content, b"bot", b"https://example.com/late") == (False, lines)
    whole = canfetch.parse(content, profile="google", max_bytes=len(content), engine=engine)
    verdict = whole.decide("https://example.com/late", agent="bot")
    assert (verdict.allowed, verdict.line) == (False, lines)
    assert canfetch.parse(content, profile="google", engine=engine).allows("/late", agent="bot")
