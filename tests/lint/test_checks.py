"""Properties of every check, shown by its own examples.

A new check needs no entry here. `FIXED_OTHERWISE` lists exceptions.
"""

import re
import string
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import pytest

from canfetch import PROFILES, REGISTRY, Agent, parse
from canfetch.lint import CHECKS, Category, Check, Finding, Linter, LintInput, LintReport, checks
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.verdict_changes import VerdictChanges

BY_CODE = {check.code: check for check in CHECKS}
FIXABLE = frozenset(check.code for check in CHECKS if check.fixable)
# They find nothing without a path, a URL, pages, a delivery or siblings.
NEEDS_INPUT = frozenset(check.code for check in CHECKS if check.requires)
# Their fixes do not result in the good example, which shows a better way that only the author knows.
FIXED_OTHERWISE = frozenset(["CF215", "CF219", "CF603", "CF902"])

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LINTER = Linter(severities="all", findings_limit=None)
LIGHTHOUSE = Linter(severities="lighthouse", findings_limit=None)


def check_params(codes: frozenset[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("check", [BY_CODE[code] for code in sorted(codes)], ids=lambda check: check.code)


EVERY_CHECK = check_params(frozenset(BY_CODE))


def linter(check: Check) -> Linter:
    # A check that yields to all others finds something only where the severity set lacks the others.
    return LIGHTHOUSE if check.yields_to_others else LINTER


@cache
def bad_report(code: str) -> LintReport:
    return linter(BY_CODE[code]).lint(BY_CODE[code].bad_input())


def own_findings(check: Check) -> list[Finding]:
    findings = [finding for finding in bad_report(check.code).findings if finding.check is check]
    assert findings
    return findings


def codes(report: LintReport) -> list[str]:
    return sorted(finding.check.code for finding in report.findings)


def test_each_module_defines_one_check_with_its_name() -> None:
    modules = [module.name for module in walk_packages(checks.__path__, "canfetch.lint.checks.") if not module.ispkg]
    defined = []
    for name in modules:
        module = import_module(name)
        own = [value for value in vars(module).values() if isinstance(value, Check) and value.find.__module__ == name]
        assert own == [module.CHECK]
        functions = {key for key, value in vars(module).items() if getattr(value, "__module__", "") == name}
        assert {key for key in functions if not key.startswith("_")} <= {"find", "unused_suppressions"}
        assert name.split(".")[-2:] == [module.CHECK.category, module.CHECK.name.replace("-", "_")]
        defined.append(module.CHECK)
    assert sorted(defined, key=lambda check: check.code) == list(CHECKS)


def test_codes_and_names_are_unique() -> None:
    assert len({check.code for check in CHECKS}) == len({check.name for check in CHECKS}) == len(CHECKS)


@pytest.mark.slow
def test_fixable_checks_are_those_whose_findings_have_fixes() -> None:
    with_fixes = {code for code, check in BY_CODE.items() if any(one.fix is not None for one in own_findings(check))}
    assert with_fixes == FIXABLE
    assert FIXED_OTHERWISE <= FIXABLE


@EVERY_CHECK
def test_check_is_complete(check: Check) -> None:
    assert re.fullmatch(r"CF[1-9]\d\d", check.code)
    assert NAME.fullmatch(check.name)
    assert check.category is list(Category)[int(check.code[2]) - 1]
    assert check.severities.in_set("all") is not None
    for text in (check.title, check.message, check.why, check.how_to_fix, check.source):
        assert text.strip() == text != ""
    assert not check.title.endswith(".")
    assert not check.message.endswith(".")
    assert check.why.endswith(".")
    assert check.how_to_fix.endswith(".")
    assert check.how_to_fix_here == "" or check.how_to_fix_here.endswith(".")
    for name, variant in check.variants.items():
        assert NAME.fullmatch(name)
        assert any(variant)
        assert not variant.message.endswith(".")
        assert variant.how_to_fix == "" or variant.how_to_fix.endswith(".")


@EVERY_CHECK
def test_check_reports_only_the_bad_example(check: Check) -> None:
    assert check.code in codes(bad_report(check.code))
    assert check.code not in codes(linter(check).lint(check.good_input()))


@EVERY_CHECK
def test_details_fill_the_message(check: Check) -> None:
    placeholders = {name.partition("|")[0] for _, name, _, _ in string.Formatter().parse(check.message) if name}
    for finding in own_findings(check):
        assert set(finding.details) >= placeholders
        assert "{" not in finding.message() or "{" in str(finding.details.values())


@EVERY_CHECK
def test_spans_are_inside_the_file(check: Check) -> None:
    size = len(bad_report(check.code).file.content)
    for finding in own_findings(check):
        start, end = finding.span
        assert 0 <= start <= end <= size
        assert finding.start <= finding.end


@check_params(NEEDS_INPUT)
def test_missing_input_means_no_finding(check: Check) -> None:
    assert check.requires is not None
    without = check.bad_input()._replace(**{check.requires: getattr(LintInput(b""), check.requires)})
    # The linter does not even run the check.
    assert list(check.find(LintedFile(without))) == []


def with_comment(check: Check, comment: str) -> LintInput:
    """Return the bad example with one more line at the start, or else at the end if the check needs the start."""
    bad = check.bad_input()
    if bad.content.startswith(b"\xff\xfe"):
        return bad._replace(content=bad.content + f"\n{comment}\n".encode("utf-16-le"))
    if check.code in codes(linter(check).lint(bad._replace(content=b"# comment\n" + bad.content))):
        return bad._replace(content=f"{comment}\n".encode() + bad.content)
    return bad._replace(content=bad.content.rstrip(b"\n") + f"\n\n{comment}\n".encode())


@EVERY_CHECK
def test_comment_suppresses_findings_in_the_whole_file(check: Check) -> None:
    report = linter(check).lint(with_comment(check, f"# canfetch: allow-file {check.name}"))
    assert check.code not in codes(report)
    assert check in [finding.check for finding in report.suppressed]


@check_params(FIXABLE)
def test_fix_removes_its_finding_and_adds_none(check: Check) -> None:
    before = codes(bad_report(check.code))
    fixed = LINTER.fix(check.bad_input(), unsafe=True, only=[check.code])
    assert check.code in [finding.check.code for finding in fixed.fixed]
    after = codes(LINTER.lint(check.bad_input()._replace(content=fixed.content)))
    assert check.code not in after
    assert all(after.count(code) <= before.count(code) for code in after)


@check_params(FIXABLE - FIXED_OTHERWISE)
def test_fix_results_in_the_good_example(check: Check) -> None:
    assert LINTER.fix(check.bad_input(), unsafe=True, only=[check.code]).content == check.good_input().content


@check_params(FIXABLE)
def test_default_fix_preserves_every_verdict(check: Check) -> None:
    content = check.bad_input().content
    fixed = LINTER.fix(check.bad_input(), only=[check.code])
    if any(one.fix is not None and not one.fix.changes_verdicts for one in own_findings(check)):
        assert fixed.fixed
    # Other fixes are applied only if they are proved to change nothing in this file.
    assert bool(fixed.fixed) is (fixed.content != content)
    assert VerdictChanges(content).changed_profiles(fixed.content) == ()


@pytest.mark.slow
def test_some_fixes_are_applied_only_on_request() -> None:
    unsafe = [check for check in CHECKS if check.fixable and not LINTER.fix(check.bad_input(), only=[check.code]).fixed]
    assert len(unsafe) > len(FIXABLE) / 2


@pytest.mark.slow
def test_verdicts_are_those_of_the_engine() -> None:
    with_verdicts = 0
    for check in CHECKS:
        verdicts = [verdict for finding in own_findings(check) for verdict in finding.verdicts]
        with_verdicts += bool(verdicts)
        for verdict in verdicts:
            assert verdict.profile in PROFILES
            crawler = REGISTRY.get_crawler(verdict.crawler)
            agent = Agent(verdict.crawler) if crawler is None else crawler.agent
            decided = parse(check.bad_input().content, profile=verdict.profile).decide(verdict.url, agent=agent)
            assert (verdict.allowed, verdict.line) == (decided.allowed, decided.line), check.code
    assert with_verdicts > len(CHECKS) / 4
