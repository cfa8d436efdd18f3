"""Report formats: each is valid and complete, and has the right locations."""

import json
import os
import re
import sys
import tomllib
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from tests.lint.corpus import corpus_files
from tests.missing import skip_unless_ci

from canfetch.lint import CHECKS, LANGUAGES, Linter, LintInput, LintReport, Severity, load_catalogue
from canfetch.lint.formats.github import github_lines, github_problem
from canfetch.lint.formats.gitlab import gitlab_issues
from canfetch.lint.formats.html import html_page
from canfetch.lint.formats.junit import junit_document
from canfetch.lint.formats.sarif import sarif_log
from canfetch.lint.formats.summaries import (
    describe_fix,
    summarize_findings,
    summarize_fixes,
    summarize_lines,
    summarize_notes,
    summarize_undecided,
)

SCHEMA = Path(sys.prefix) / ".canfetch" / "sarif-schema.json"
ODD = (
    "User-agent: *\nDisallow /caf\u00e9/\nDisallow: /a$b\nDisallow: /x\u2028<b>&amp;$y\n".encode()
    + b"Disallow: /\xff$z\n"
)


@pytest.fixture(scope="module")
def odd() -> LintReport:
    return Linter().lint(LintInput(ODD, path="public html/robots.txt"))


@pytest.fixture(scope="module")
def sarif_schema() -> Any:
    if not SCHEMA.exists():
        skip_unless_ci("the SARIF schema is missing: make test downloads it")
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def validator(sarif_schema: Any) -> Any:
    kind: Any = jsonschema.validators.validator_for(sarif_schema)
    kind.check_schema(sarif_schema)
    return kind(sarif_schema)


@pytest.mark.slow
def test_sarif_log_without_findings_is_complete(validator: Any) -> None:
    for reports in ([], [Linter().lint(b"User-agent: *\nDisallow: /a/\n")]):
        log = json.loads(json.dumps(sarif_log(reports, version="0.1.0")))
        validator.validate(log)
        assert log["runs"][0]["results"] == []
        assert [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]] == [check.code for check in CHECKS]


def test_sarif_result_has_location_and_fix(validator: Any, odd: LintReport) -> None:
    log = json.loads(json.dumps(sarif_log([odd], version="0.1.0")))
    validator.validate(log)
    results = {result["ruleId"]: result for result in log["runs"][0]["results"]}
    location = results["CF201"]["locations"][0]["physicalLocation"]
    assert unquote(location["artifactLocation"]["uri"]) == "public html/robots.txt"
    # Columns count characters: the last letter is one.
    assert location["region"] == {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 16}
    (change,) = results["CF201"]["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    start = replacement["deletedRegion"]["byteOffset"]
    assert ODD[start : start + replacement["deletedRegion"]["byteLength"]] == b" "
    assert replacement["insertedContent"]["text"] == ": "
    fix = results["CF201"]["fixes"][0]
    assert fix["properties"] == {
        "safe": False,
        "changesVerdicts": True,
        "changedProfiles": [
            "strict",
            "google2019",
            "yandex",
            "draft1996",
            "original1994",
        ],
    }
    assert fix["description"]["text"].startswith("Write a colon after the key. (fixable with --unsafe-fixes")


def test_sarif_rules_have_their_full_text_and_a_page_if_its_address_is_known(validator: Any) -> None:
    for documentation in (None, "https://example.org/canfetch"):
        log = json.loads(json.dumps(sarif_log([], version="1.2.3", documentation=documentation)))
        validator.validate(log)
        for rule, check in zip(log["runs"][0]["tool"]["driver"]["rules"], CHECKS, strict=True):
            for text in (rule["help"]["text"], rule["help"]["markdown"]):
                assert check.why in text
                assert check.how_to_fix in text
                assert check.source in text
            page = None if documentation is None else f"{documentation}/checks/{check.code}.html"
            assert rule.get("helpUri") == page


def test_sarif_marks_suppressed_findings(validator: Any) -> None:
    log = sarif_log([Linter().lint(b"User-agent: *\nDisallow: /a$b  # canfetch: allow dollar-inside\n")], version="1")
    validator.validate(log)
    (result,) = log["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "inSource"}]


@pytest.mark.slow
def test_sarif_log_of_many_files_is_valid(validator: Any) -> None:
    linter = Linter(findings_limit=20)
    reports = [linter.lint(LintInput(content, path=name)) for name, content in corpus_files(30)]
    log = json.loads(json.dumps(sarif_log(reports, version="0.1.0")))
    validator.validate(log)
    assert len(log["runs"][0]["results"]) == sum(len(one.findings) + len(one.suppressed) for one in reports)


def test_sarif_validator_rejects_an_invalid_log(validator: Any) -> None:
    log = sarif_log([], version="0.1.0")
    del log["runs"][0]["tool"]
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(log)


def test_github_commands_are_single_lines(odd: LintReport) -> None:
    lines = list(github_lines([odd]))
    assert len(lines) == len(odd.grouped())
    for line in lines:
        assert line.startswith(("::error file=public html/robots.txt,line=", "::warning ", "::notice "))
        assert "\n" not in line
        head, _, message = line[2:].partition("::")
        assert message
        assert len(head.split(",")) == 6  # properties are escaped, so there are no other commas


def test_github_properties_are_escaped() -> None:
    report = Linter().lint(LintInput(b"Disallow: /\n", path="a,b:c%0A/robots.txt"))
    line = next(iter(github_lines([report])))
    assert "file=a%2Cb%3Ac%250A/robots.txt,line=1," in line


def test_gitlab_issues_have_the_required_fields(odd: LintReport) -> None:
    issues = gitlab_issues([odd, odd])
    for issue in issues:
        assert set(issue) >= {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"]["path"] == "public html/robots.txt"
        assert issue["location"]["positions"]["begin"]["line"] >= 1
    assert gitlab_issues([]) == []
    fingerprints = [issue["fingerprint"] for issue in gitlab_issues([odd])]
    assert len(set(fingerprints)) == len(fingerprints)


def test_fingerprints_do_not_depend_on_lines_before() -> None:
    before = gitlab_issues([Linter().lint(b"User-agent: *\nDisallow: /a$b\n")])
    after = gitlab_issues([Linter().lint(b"# new\nUser-agent: *\nDisallow: /a$b\n")])
    assert [issue["fingerprint"] for issue in before] == [issue["fingerprint"] for issue in after]


def test_junit_has_a_case_for_each_finding(odd: LintReport) -> None:
    clean = Linter().lint(b"User-agent: *\nDisallow: /a/\n")
    root = ET.fromstring(junit_document([odd, clean]))  # noqa: S314 - written by this test
    suites = root.findall("testsuite")
    failing = len(odd.at_least(Severity.WARNING).findings)
    assert 0 < failing < len(odd.findings)
    assert [int(suite.get("failures", "-1")) for suite in suites] == [failing, 0]
    assert [len(suite.findall("testcase")) for suite in suites] == [len(odd.findings), 1]
    assert len(root.findall("testsuite/testcase/failure")) == failing
    assert len(root.findall("testsuite/testcase/system-out")) == len(odd.findings) - failing
    strict = ET.fromstring(junit_document([odd], fail_on=Severity.INFO))  # noqa: S314 - written by this test
    assert len(strict.findall("testsuite/testcase/failure")) == len(odd.findings)


@pytest.mark.parametrize(
    "content", [b"\0\x01\x1b[31m", b"Disallow: /\xed\xa0\x80$x\n", "Disallow: /\ufffe$\uffff".encode()]
)
def test_junit_is_valid_xml_for_any_content(content: bytes) -> None:
    report = Linter().lint(LintInput(content, path="a\x00b\ud800"))
    root = ET.fromstring(junit_document([report], fail_on=Severity.INFO))  # noqa: S314 - written by this test
    assert len(root.findall("testsuite/testcase/failure")) == len(report.findings)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)


def test_html_escapes_content_of_the_file() -> None:
    report = Linter().lint(LintInput(b"User-agent: *\nDisallow: /<script>alert(1)</script>$x\n", path="<b>.txt"))
    page = html_page([report])
    tags = _Tags()
    tags.feed(page)
    assert tags.tags.count("script") == 1  # the controls of the page
    assert "b" not in tags.tags
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert tags.tags.count("article") == len(report.grouped())
    assert "http" not in page.partition("<main>")[0]  # self-contained


def placeholders(message: str) -> set[str]:
    return {re.split("[|}]", part)[0] for part in message.split("{")[1:]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_renders_every_format(odd: LintReport, language: str) -> None:
    catalogue = load_catalogue(language)
    assert f'<html lang="{language}">' in html_page([odd], catalogue)
    assert len(list(github_lines([odd], catalogue))) == len(odd.grouped())
    assert len({catalogue.phrase(severity.label) for severity in Severity}) == len(Severity)


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_translated_texts_are_complete_and_have_the_same_placeholders(language: str) -> None:
    catalogue = load_catalogue(language)
    translated = [check for check in CHECKS if catalogue.texts(check).title != check.title]
    assert translated
    for check in translated:
        texts = catalogue.texts(check)
        # Only the sentence about a place can be missing, and only if English has none.
        assert [bool(text.strip()) for text in texts[:-1]] == [
            bool(text) for text in load_catalogue("en").texts(check)[:-1]
        ]
        assert texts.why != check.why
        assert texts.how_to_fix != check.how_to_fix
        assert placeholders(texts.message) == placeholders(check.message)
        assert placeholders(texts.how_to_fix_here) == placeholders(check.how_to_fix_here)
        assert texts.variants.keys() == check.variants.keys()
        for name, english in check.variants.items():
            for text, original in zip(texts.variants[name], english, strict=True):
                assert bool(text) is bool(original)
                assert text != original or not text
                assert placeholders(text) == placeholders(original)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_format_with_advice_has_the_sentence_about_the_place(language: str) -> None:
    catalogue = load_catalogue(language)
    # With a fix, because SARIF has advice only in fixes.
    report = Linter(select=["CF301"]).lint(b"Disallow: /a\n\nUser-agent: b\nDisallow: /b\n")
    (finding,) = report.findings
    advice = finding.how_to_fix(catalogue)
    assert finding.to_json(catalogue)["how_to_fix"] == advice
    assert advice in junit_document([report], catalogue)
    (result,) = sarif_log([report], version="1", catalogue=catalogue)["runs"][0]["results"]
    assert result["fixes"][0]["description"]["text"].startswith(advice)
    text = "".join(html_page([report], catalogue).replace("<code>", "`").replace("</code>", "`"))
    assert advice in text


@pytest.mark.slow
def test_a_check_is_translated_into_all_languages_or_none() -> None:
    names = files("canfetch.lint").joinpath("languages").iterdir()
    tables = {Path(str(name)).stem: set(tomllib.loads(name.read_text(encoding="utf-8"))) for name in names}
    assert set(tables) == set(LANGUAGES) - {"en"}
    assert len({frozenset(codes) for codes in tables.values()}) == 1
    assert tables["de"] - {"phrases"} <= {check.code for check in CHECKS}


@pytest.mark.parametrize(
    "content, summaries",
    [
        (b"User-agent: *\nDisallow: /a/\n", ["No problems found.", ""]),
        (
            b"User-agent: *\nDisallow /a/\n",
            ["Found 1 problem (1 error, 0 warnings).", "1 fixable with --unsafe-fixes."],
        ),
        (
            b"User-agent: *\n  Disallow: /a/\nDisallow: /b/",
            ["No problems found.", "2 fixable with --fix."],
        ),
        (
            b"User-agent: *\nDisallow /a/\nDisallow: /b/",
            ["Found 1 problem (1 error, 0 warnings).", "1 fixable with --fix, 1 more with --unsafe-fixes."],
        ),
    ],
)
def test_summaries_count_findings_and_fixes(content: bytes, summaries: list[str]) -> None:
    report = Linter().lint(content)
    catalogue = load_catalogue("en")
    assert [summarize_findings(report, catalogue), summarize_fixes(report, catalogue)] == summaries


@pytest.mark.parametrize(
    "rules, check, text",
    [
        (b"  Disallow: /a/\n", "indented-record", "fixable with --fix"),
        (
            b"Disallow: /a*\n",
            "trailing-star",
            "fixable with --unsafe-fixes, which changes verdicts in draft1996 and original1994",
        ),
        (
            b"Disallow /b\n",
            "missing-colon",
            "all profiles except rfc9309, google, googlebot and bing",
        ),
        (
            b"Disallow: /a\nDisallow: /a/b\n",
            "covered-rule",
            "fixable with --fix",
        ),
        (
            b"Disallow: private/\n",
            "no-leading-slash",
            "fixable with --unsafe-fixes, which changes what some crawlers may fetch",
        ),
    ],
)
def test_fixes_name_the_profiles_that_they_change(rules: bytes, check: str, text: str) -> None:
    report = Linter(severities="all", select=[check]).lint(b"User-agent: *\n" + rules)
    (finding,) = report.findings
    assert text in describe_fix(finding, load_catalogue("en"))
    assert text in html_page([report])
    for language in LANGUAGES:
        described = describe_fix(finding, load_catalogue(language))
        assert "{" not in described
        assert "--" in described
    assert (
        describe_fix(
            Linter(select=["CF402"]).lint(b"User-agent: *\nDisallow: /a$b\n").findings[0], load_catalogue("en")
        )
        == ""
    )


def test_messages_fill_placeholders_once() -> None:
    message = "{count|rule|rules} of `{name}` in {other}"
    check = CHECKS[0]._replace(code="CF000", message=message)
    catalogue = load_catalogue("en")
    assert catalogue.message(check, {"count": "1", "name": "{count}"}) == "1 rule of `{count}` in {other}"
    assert catalogue.message(check, {"count": "2", "name": "}{"}) == "2 rules of `}{` in {other}"


def test_counts_have_the_separators_of_the_language_and_lines_none() -> None:
    check = CHECKS[0]._replace(code="CF000", message="{count|rule|rules}, {size}, line {line}")
    details = {"count": "2048", "size": "> 512000", "line": "22278"}
    messages = {language: load_catalogue(language).message(check, details) for language in ("en", "de", "es", "ja")}
    assert messages == {
        "en": "2,048 rules, > 512,000, line 22278",
        "de": "2.048 rules, > 512.000, line 22278",
        "es": "2048 rules, > 512.000, line 22278",
        "ja": "2,048 rules, > 512,000, line 22278",
    }


@pytest.mark.slow
def test_file_names_are_escaped_in_uris(validator: Any) -> None:
    for name in ("a:b%41?c=d;e,f.txt", "\udcff.txt", "#.txt"):
        report = Linter().lint(LintInput(b"Disallow: /\n", path=name))
        log = json.loads(json.dumps(sarif_log([report], version="0.1.0")).encode())
        validator.validate(log)
        uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert os.fsdecode(unquote_to_bytes(uri)) == name
        assert not set(":?#;") & set(uri)
        html_page([report]).encode()
        json.dumps(gitlab_issues([report]), ensure_ascii=False).encode()


@pytest.mark.slow
def test_sarif_messages_escape_placeholders_and_links(validator: Any) -> None:
    content = b"User-agent: *\nDisallow: /{0}/[x](http://evil.example)$y\n"
    log = sarif_log([Linter(select=["CF402"]).lint(content)], version="0.1.0")
    validator.validate(log)
    text = log["runs"][0]["results"][0]["message"]["text"]
    assert "/{{0}}/\\[x\\](http://evil.example)" in text


def test_every_format_reports_unreadable_files(validator: Any) -> None:
    problems = [("gone.txt", "no such file")]
    log = sarif_log([], version="0.1.0", problems=problems)
    validator.validate(log)
    (invocation,) = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "gone.txt: no such file"
    (issue,) = gitlab_issues([], problems=problems)
    assert (issue["severity"], issue["location"]["path"]) == ("blocker", "gone.txt")
    root = ET.fromstring(junit_document([], problems=problems))  # noqa: S314 - written by this test
    assert root.find("testsuite/testcase/error") is not None
    assert "no such file" in html_page([], problems=problems)
    assert github_problem("a,b.txt", "no\nfile") == "::error file=a%2Cb.txt,title=canfetch lint::no%0Afile"


NOTES = (
    b"User-agent: *\nDisallow: /a/*\nDisallow: /b/*\n  Disallow: /c/\nDisallow: /d.js$d\nDisallow /e/\nDisallow: /f/*\n"
)


def test_every_format_reports_undecided_fixes(validator: Any) -> None:
    report = Linter().lint(LintInput(b"User-agent: *\nDisallow: /\n", path="a.txt"))._replace(undecided_fixes=3)
    text = "3 fixes were left, because the file has too many rules to examine all fixes."
    assert summarize_undecided(report, load_catalogue("en")) == text
    assert summarize_undecided(report._replace(undecided_fixes=0), load_catalogue("en")) == ""
    assert report.to_json()["undecided_fixes"] == 3
    log = json.loads(json.dumps(sarif_log([report], version="0.1.0")))
    validator.validate(log)
    assert log["runs"][0]["invocations"] == [
        {
            "executionSuccessful": True,
            "toolExecutionNotifications": [{"level": "note", "message": {"text": f"a.txt: {text}"}}],
        }
    ]
    assert list(github_lines([report]))[-1] == f"::notice file=a.txt,title=canfetch lint::{text}"
    issue = gitlab_issues([report])[0]
    assert (issue["description"], issue["severity"], issue["location"]["path"]) == (text, "info", "a.txt")
    suite = ET.fromstring(junit_document([report]))[0]  # noqa: S314 - written by this test
    assert suite[-1].tag == "system-out"
    assert suite[-1].text == text
    assert text in html_page([report])


def test_groups_are_sorted_by_severity_and_join_notes_of_a_check() -> None:
    groups = Linter().lint(NOTES).grouped()
    assert [[(one.check.code, one.line) for one in group] for group in groups] == [
        [("CF201", 6)],
        [("CF402", 5)],
        [("CF403", 2), ("CF403", 3), ("CF403", 7)],
        [("CF208", 4)],
    ]


@pytest.mark.slow
def test_grouping_loses_and_repeats_nothing() -> None:
    linter = Linter(severities="all", findings_limit=20)
    for _, content in corpus_files(30):
        report = linter.lint(content)
        flat = [finding for group in report.grouped() for finding in group]
        assert sorted(map(id, flat)) == sorted(map(id, report.findings))
        firsts = [(-group[0].severity, group[0].span) for group in report.grouped()]
        assert firsts == sorted(firsts)
        shown = [finding for severity in Severity for finding in report.at_least(severity).findings]
        assert len(shown) == sum(finding.severity for finding in report.findings)


def test_notes_are_summarized_by_check() -> None:
    report = Linter().lint(NOTES)
    catalogue = load_catalogue("en")
    assert summarize_notes(report, catalogue) == "4 notes: trailing-star (3), indented-record."
    hidden = "4 notes: trailing-star (3), indented-record. Show with --show info."
    assert summarize_notes(report, catalogue, hidden=True) == hidden
    assert summarize_notes(report.at_least(Severity.WARNING), catalogue) == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_of_a_group_are_listed_up_to_ten(language: str) -> None:
    content = b"User-agent: *\n" + b"".join(b"Disallow: /%d/*\n" % number for number in range(13))
    (group,) = Linter(select=["CF403"]).lint(content).grouped()
    catalogue = load_catalogue(language)
    text = summarize_lines(group[1:], catalogue)
    assert "12" in text
    assert catalogue.phrase("comma").join(map(str, range(3, 13))) + ", ..." in text
    assert summarize_lines([], catalogue) == ""


def test_github_has_one_notice_for_each_check() -> None:
    lines = list(github_lines([Linter().lint(NOTES)]))
    assert [line.partition(" ")[0] for line in lines] == ["::error", "::warning", "::notice", "::notice"]
    assert lines[2].endswith("(also on 2 lines: 3, 7)")


@pytest.mark.slow
def test_html_has_controls_data_and_links() -> None:
    report = Linter().lint(NOTES)
    page = html_page([report], documentation="https://example.org/canfetch")
    assert '<a href="https://example.org/canfetch/checks/CF201.html">CF201 missing-colon</a>' in page
    assert "also on 2 lines: 3, 7" in page
    assert re.findall(r'data-severity="(\w+)" data-line="(\d+)" data-check="(\w+)"', page) == [
        ("error", "6", "CF201"),
        ("warning", "5", "CF402"),
        ("info", "2", "CF403"),
        ("info", "4", "CF208"),
    ]
    assert "<nav hidden>" in page
    assert page.count('type="checkbox"') == len(Severity)
    assert "<a " not in html_page([report], documentation=None)
