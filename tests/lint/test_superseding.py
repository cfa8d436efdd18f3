"""One fault, one finding: a check that supersedes another drops the findings of the other on its lines."""

from graphlib import CycleError

import pytest

from canfetch.lint import CHECKS, Linter
from canfetch.lint._tables import CHECK_TABLE
from generate_check_table import superseding_codes

PLACEHOLDER = b"User-agent: *\nDisallow: {{ path }}\nDisallow: private/\n"


def lines(linter: Linter, content: bytes) -> list[tuple[str, int]]:
    return [(finding.check.code, finding.line) for finding in linter.lint(content).findings]


def test_findings_with_the_same_cause_are_dropped_on_their_line_only() -> None:
    assert lines(Linter(select=["CF117", "CF401"]), PLACEHOLDER) == [("CF117", 2), ("CF401", 3)]


def test_a_check_that_does_not_run_supersedes_nothing() -> None:
    assert lines(Linter(ignore=["CF117"], select=["CF401"]), PLACEHOLDER) == [("CF401", 2), ("CF401", 3)]


def test_a_suppressed_finding_still_explains_the_others() -> None:
    content = PLACEHOLDER.replace(b"}}\n", b"}}  # canfetch: allow template-left\n")
    report = Linter(select=["CF117", "CF401"]).lint(content)
    assert [(one.check.code, one.line) for one in report.findings] == [("CF401", 3)]
    assert [(one.check.code, one.line) for one in report.suppressed] == [("CF117", 2)]


def test_findings_over_the_limit_still_explain_the_others() -> None:
    content = b"User-agent: *\n" + b'Disallow: "a/b"\n' * 5
    assert lines(Linter(select=["CF212", "CF401"], findings_limit=2), content) == [("CF212", 2), ("CF212", 3)]


def test_superseded_findings_are_not_fixed() -> None:
    content = b'User-agent: *\nDisallow: "a/b"\n'
    assert Linter().fix(content, unsafe=True, only=["CF401"]).content == content


def test_a_group_without_rules_is_explained_by_its_broken_lines() -> None:
    content = b"User-agent: a\nDisallow= /x\n\nUser-agent: b\n\nUser-agent: *\nDisallow: /y\n"
    assert ("CF302", 1) not in lines(Linter(), content)
    assert lines(Linter(select=["CF302"]), b"User-agent: a\nCrawl-delay: 1\n") == [("CF302", 1)]


@pytest.mark.parametrize(
    "content, code, superseded",
    [
        (b"User-agent: *\nDisallow: /a/\nAllow: /a/\n", "CF312", "CF311"),
        (b"User-agent: *\nDisallowAITraining: /\n", "CF621", "CF205"),
        (b"User-agent: *\nDisallow: /a/\n\nSitemap:\n", "CF219", "CF601"),
        (b"User-agent: *\nDisallow: /a/\nX-Robots-Tag: noindex\n", "CF611", "CF204"),
        (b"User-agent: *\nDisallow: /\xba\xf3\xcc\xa8/\n", "CF107", "CF409"),
        ("User-agent: *\nDisallow: /a/ \u2013 alt\n".encode(), "CF218", "CF409"),
    ],
)
def test_one_fault_has_one_finding(content: bytes, code: str, superseded: str) -> None:
    codes = {finding.check.code for finding in Linter().lint(content).findings}
    assert code in codes
    assert superseded not in codes


def test_checks_run_after_those_that_supersede_them() -> None:
    assert sorted(entry.code for entry in CHECK_TABLE) == [check.code for check in CHECKS]
    seen: set[str] = set()
    for entry in CHECK_TABLE:
        assert seen.issuperset(entry.superseded_by)
        seen.add(entry.code)


@pytest.mark.slow
def test_checks_must_not_supersede_each_other() -> None:
    first, second = CHECKS[0], CHECKS[1]
    both = (first._replace(supersedes=(second.code,)), second._replace(supersedes=(first.code,)))
    with pytest.raises(CycleError):
        superseding_codes(both)
