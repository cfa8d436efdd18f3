"""Properties of every check, shown by its own examples.

A test of a property that not every check has is parametrised over the checks that have it. `SAFE` and `WITH_VERDICTS`
list their codes, and a test compares these lists with what the checks do.
"""

import re
import string
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import pytest

from canfetch import PROFILES, REGISTRY, Agent, parse
from canfetch.core.equivalence import differing_profiles
from canfetch.lint import CHECKS, Category, Check, Finding, Linter, LintInput, LintReport, checks

BY_CODE = {check.code: check for check in CHECKS}
# Their fixes change no verdict.
SAFE = frozenset(["CF114", "CF115", "CF207", "CF208", "CF209", "CF304", "CF306", "CF405", "CF603", "CF902"])
# The fix of the bad example is proved to change no verdict, but that of others is not.
PROVED_SAFE = frozenset(["CF406", "CF427", "CF428"])
FIXABLE = frozenset(check.code for check in CHECKS if check.fixable)
# They find nothing without a path, a URL, pages or a delivery.
NEEDS_INPUT = frozenset(check.code for check in CHECKS if check.requires or check.category is Category.DELIVERY)
# Their bad examples change what crawlers may fetch, and the findings show it.
WITH_VERDICTS = frozenset(
    ["CF201", "CF202", "CF203", "CF205", "CF206", "CF210", "CF211", "CF212", "CF213", "CF214", "CF215"]
    + ["CF216", "CF217", "CF218", "CF301", "CF305", "CF307", "CF308", "CF312", "CF401", "CF407", "CF415"]
    + ["CF417", "CF501", "CF503", "CF508", "CF512", "CF513", "CF621", "CF701", "CF702", "CF703", "CF704"]
    + ["CF706", "CF707"]
    + ["CF112", "CF313", "CF421", "CF422", "CF424", "CF425", "CF709", "CF710"]
)
# Their fixes do not result in the good example, which shows a better way that only the author knows.
FIXED_OTHERWISE = frozenset(["CF107", "CF215", "CF219", "CF603", "CF902"])
# These checks find nothing if the file ends or starts with one more line.
NOT_AT_END = frozenset(["CF103", "CF114"])

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


def test_lists_of_codes_are_complete() -> None:
    findings = {code: own_findings(check) for code, check in BY_CODE.items()}
    fixes = {code: [one.fix for one in found if one.fix is not None] for code, found in findings.items()}
    assert {code for code, found in fixes.items() if found} == FIXABLE
    assert {code for code, found in fixes.items() if any(not fix.changes_verdicts for fix in found)} == SAFE
    assert {code for code, found in findings.items() if any(one.verdicts for one in found)} == WITH_VERDICTS
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
    if check.requires is None:
        without = check.bad_input()._replace(delivery=None, siblings={})
    else:
        without = check.bad_input()._replace(**{check.requires: getattr(LintInput(b""), check.requires)})
    assert check.code not in codes(LINTER.lint(without))


@EVERY_CHECK
def test_comment_suppresses_findings_in_the_whole_file(check: Check) -> None:
    comment = f"# canfetch: allow-file {check.name}\n"
    content = check.bad_input().content
    if content.startswith(b"\xff\xfe"):
        content += f"\n{comment}".encode("utf-16-le")
    elif check.code in NOT_AT_END:
        content = comment.encode() + content
    else:
        content = content.rstrip(b"\n") + f"\n\n{comment}".encode()
    report = linter(check).lint(check.bad_input()._replace(content=content))
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


@check_params(SAFE)
def test_safe_fix_preserves_every_verdict(check: Check) -> None:
    fixed = LINTER.fix(check.bad_input(), only=[check.code])
    assert fixed.fixed
    assert differing_profiles(bad_report(check.code).file.content, fixed.content) == ()


@check_params(FIXABLE - SAFE - PROVED_SAFE)
def test_unsafe_fix_is_applied_only_on_request(check: Check) -> None:
    fixed = LINTER.fix(check.bad_input(), only=[check.code])
    assert not fixed.fixed
    assert fixed.content == check.bad_input().content


@check_params(WITH_VERDICTS)
def test_verdicts_are_those_of_the_engine(check: Check) -> None:
    verdicts = [verdict for finding in own_findings(check) for verdict in finding.verdicts]
    assert verdicts
    for verdict in verdicts:
        assert verdict.profile in PROFILES
        crawler = REGISTRY.get_crawler(verdict.crawler)
        agent = Agent(verdict.crawler) if crawler is None else crawler.agent
        decided = parse(check.bad_input().content, profile=verdict.profile).decide(verdict.url, agent=agent)
        assert (verdict.allowed, verdict.line) == (decided.allowed, decided.line)
