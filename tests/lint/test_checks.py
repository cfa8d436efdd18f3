"""Every check: it fires on its bad example and not on its good one, and its fix does what it says."""

import re
import string
from importlib import import_module
from pkgutil import walk_packages

import pytest

from canfetch import PROFILES
from canfetch.core.equivalence import differing_profiles
from canfetch.lint import CHECKS, Category, Check, Linter, LintInput, LintReport, checks

EVERY_CHECK = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def linted(given: LintInput) -> LintReport:
    return Linter(findings_limit=None).lint(given)


def codes(report: LintReport) -> list[str]:
    return sorted(finding.check.code for finding in report.findings)


def test_each_module_below_checks_defines_one_check() -> None:
    modules = {module.name for module in walk_packages(checks.__path__, "canfetch.lint.checks.") if not module.ispkg}
    by_module = {}
    for name in modules:
        module = import_module(name)
        own = [value for value in vars(module).values() if isinstance(value, Check) and value.find.__module__ == name]
        assert own == [module.CHECK], name
        assert name.split(".")[-2] == module.CHECK.category, name
        by_module[name] = module.CHECK
    assert sorted(by_module.values(), key=lambda check: check.code) == list(CHECKS)


def test_codes_and_names_are_unique() -> None:
    assert len({check.code for check in CHECKS}) == len({check.name for check in CHECKS}) == len(CHECKS)


@EVERY_CHECK
def test_a_check_is_whole(check: Check) -> None:
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


@EVERY_CHECK
def test_it_fires_on_the_bad_example_alone(check: Check) -> None:
    assert check.code in codes(linted(check.bad))
    assert check.code not in codes(linted(check.good))


@EVERY_CHECK
def test_what_it_says_is_filled(check: Check) -> None:
    wanted = {name.partition("|")[0] for _, name, _, _ in string.Formatter().parse(check.message) if name}
    for finding in linted(check.bad).findings:
        if finding.check is check:
            assert set(finding.details) >= wanted
            assert "{" not in finding.message() or "{" in str(finding.details.values())


@EVERY_CHECK
def test_its_spans_are_places_of_the_file(check: Check) -> None:
    report = linted(check.bad)
    for finding in report.findings:
        start, end = finding.span
        assert 0 <= start <= end <= len(report.file.content)
        assert finding.start <= finding.end


@EVERY_CHECK
def test_its_fix_removes_the_finding_and_adds_none(check: Check) -> None:
    report = linted(check.bad)
    fixable = [finding for finding in report.findings if finding.check is check and finding.fix is not None]
    assert bool(fixable) is check.fixable
    for finding in fixable:
        assert finding.fix is not None
        fixed = Linter(findings_limit=None).fix(check.bad, unsafe=True, only=[check.code])
        after = linted(check.bad._replace(content=fixed.content))
        assert finding.check.code not in codes(after)
        left, before = codes(after), codes(report)
        assert all(left.count(code) <= before.count(code) for code in left)


@EVERY_CHECK
def test_a_fix_that_does_not_say_so_changes_no_verdict(check: Check) -> None:
    report = linted(check.bad)
    if any(f.check is check and f.fix and not f.fix.changes_verdicts for f in report.findings):
        fixed = Linter(findings_limit=None).fix(check.bad, only=[check.code])
        assert fixed.fixed
        assert differing_profiles(report.file.content, fixed.content) == ()


@EVERY_CHECK
def test_a_fix_that_says_so_is_not_made_unasked(check: Check) -> None:
    report = linted(check.bad)
    fixes = [f.fix for f in report.findings if f.check is check and f.fix]
    if fixes and all(fix.changes_verdicts for fix in fixes):
        fixed = Linter(findings_limit=None).fix(check.bad, only=[check.code])
        assert not fixed.fixed
        assert fixed.content == check.bad.content


@EVERY_CHECK
def test_witnesses_are_what_the_engines_say(check: Check) -> None:
    report = linted(check.bad)
    for finding in report.findings:
        for witness in finding.verdicts:
            assert witness.profile in PROFILES
            assert isinstance(witness.allowed, bool)


@EVERY_CHECK
def test_it_can_be_allowed_for_the_file(check: Check) -> None:
    if check.category in {Category.COMMENTS, Category.FILE} or check.bad.content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return  # a comment is no comment in a page or among NULs, and the comments' own checks look at it
    octets = check.bad.content.rstrip(b"\n") + b"\n\n# canfetch: allow-file " + check.name.encode() + b"\n"
    report = linted(check.bad._replace(content=octets))
    assert check.code not in codes(report)
    assert [finding for finding in report.suppressed if finding.check is check]
