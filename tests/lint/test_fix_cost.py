"""The cost of fixing a file in rounds, counted in comparisons of two versions."""

import sys
from types import FrameType

import pytest

from canfetch.lint import FixResult, Linter
from canfetch.lint.verdict_changes import VerdictChanges

LINTER = Linter(severities="all")


def overlapping_rules(count: int) -> bytes:
    """Return a file whose rules overlap, and differ in runs of stars. Most of their fixes change a verdict."""
    rules = (f"Disallow: /{'*' * (n % 9)}{'ab*ba*b'[n * 3 % 7 :][: n % 4]}{'*' * (n % 7)}" for n in range(count))
    return "\n".join(("User-agent: *", *rules, "")).encode()


def fix_and_count(content: bytes) -> tuple[FixResult, int]:
    count = 0

    def count_comparisons(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is VerdictChanges._changes.__code__

    sys.setprofile(count_comparisons)
    try:
        return LINTER.fix(content), count
    finally:
        sys.setprofile(None)


@pytest.mark.slow
def test_fixes_are_not_examined_again_in_each_round() -> None:
    fixed, comparisons = fix_and_count(overlapping_rules(120))
    assert fixed.fixed
    assert comparisons < 400
    assert fixed.report.undecided_fixes > 0
    assert LINTER.fix(fixed.content).fixed
