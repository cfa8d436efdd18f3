"""The linter: enabled checks, suppression comments, fixes and settings."""

import re
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import EXAMPLES

from canfetch import PROFILES, parse
from canfetch.core.equivalence import differing_profiles
from canfetch.errors import InvalidOption
from canfetch.lint import CHECKS, SEVERITY_SETS, Edit, Finding, Fix, Linter, LintInput, LintReport, Severities, Severity
from canfetch.lint.catalogue import ENGLISH
from canfetch.lint.configuration import LintSettings, parse_settings
from canfetch.lint.fix_rounds import FixChoice, apply_round
from canfetch.lint.fixes import apply_fixes
from canfetch.lint.formats.summaries import describe_fix, summarize_fixes
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import SEARCH_ENGINES
from canfetch.lint.suppression import find_suppressions

BAD = b"User-agent: *\nDisallow: /a$/\nDisallow /c/\n"


def names(report: LintReport) -> list[str]:
    return [finding.check.name for finding in report.findings]


@pytest.mark.parametrize(
    "content, left",
    [
        (b"User-agent: *\nDisallow: /a$b  # canfetch: allow dollar-inside\n", []),
        (b"User-agent: *\nDisallow: /a$b  #canfetch: allow CF402 -- we mean it\n", []),
        (b"User-agent: *\n# canfetch: allow dollar-inside\nDisallow: /a$b\n", []),
        (b"User-agent: *\n# canfetch: allow dollar-inside\n# because\n\nDisallow: /a$b\n", []),
        (b"User-agent: *\n# canfetch: allow dollar-inside\nDisallow: /x/\nDisallow: /a$b\n", ["dollar-inside"]),
        (b"User-agent: *\nDisallow: /a$b\n# canfetch: allow-file dollar-inside, missing-colon\nDisallow /c/\n", []),
        (b"User-agent: *\nDisallow: /a$b  # canfetch allow dollar-inside\n", ["dollar-inside"]),
        (
            b"User-agent: *\nDisallow: /a$b  # canfetch: permit dollar-inside\n",
            ["dollar-inside", "unknown-suppression"],
        ),
        (b"User-agent: *\nDisallow: /a$b  # canfetch: allow\n", ["dollar-inside", "unknown-suppression"]),
    ],
)
def test_comments_suppress_findings(content: bytes, left: list[str]) -> None:
    linter = Linter(select=["dollar-inside", "missing-colon", "unknown-suppression"])
    report = linter.lint(content)
    assert sorted(names(report)) == left
    assert len(report.findings) + len(report.suppressed) == len(
        names(linter.lint(content.replace(b"canfetch", b"x")))
    ) + ("unknown-suppression" in left)


def test_names_in_suppression_comments_have_spans() -> None:
    content = b"User-agent: *\nDisallow: /a  # canfetch: allow one, two -- why, not three\n"
    report = Linter(select=["CF901"]).lint(content)
    assert [finding.quoted for finding in report.findings] == [b"one", b"two"]
    assert list(find_suppressions(report.file)[0].lines) == [2]


def test_select_and_ignore_choose_the_checks() -> None:
    assert names(Linter(select=["CF4"]).lint(BAD)) == ["dollar-inside"]
    assert "dollar-inside" not in names(Linter(ignore=["dollar-inside"]).lint(BAD))
    assert Linter(select=["CF2"], ignore=["CF201"]).lint(BAD).findings == ()
    assert {check.code for check in Linter(severities="all").checks} == {check.code for check in CHECKS}
    # A selected check runs even if the default set leaves it out.
    assert names(Linter(select=["CF502"]).lint(b"User-agent: a1\nDisallow: /\n")) == ["token-cut-by-google"]
    assert Linter(select=["CF5"], severities="bing").lint(b"User-agent: a1\nDisallow: /\n").findings == ()


@pytest.mark.parametrize("name", SEVERITY_SETS)
def test_severity_set_enables_its_checks(name: str) -> None:
    linter = Linter(severities=name)
    engines = SEARCH_ENGINES if name == "default" else ()
    assert linter.checks == tuple(check for check in CHECKS if check.severities.in_set(name, engines) is not None)
    findings = linter.lint(BAD).findings
    assert findings
    for finding in findings:
        assert finding.severity is finding.check.severities.in_set(name)


def test_all_is_the_highest_severity_and_overrides_win() -> None:
    assert Severities(rfc=Severity.INFO, yandex=Severity.ERROR).in_set("all") is Severity.ERROR
    assert Severities(rfc=Severity.INFO).in_set("google") is None
    report = Linter(select=["CF402"], severity_overrides={"dollar-inside": Severity.INFO}).lint(BAD)
    assert [finding.severity for finding in report.findings] == [Severity.INFO]


def test_ignore_in_matches_paths() -> None:
    linter = Linter(select=["CF402"], ignore_in={"old/*": ["CF4"]})
    assert linter.lint(LintInput(BAD, path="old/robots.txt")).findings == ()
    assert linter.lint(LintInput(BAD, path="new/robots.txt")).findings


@pytest.mark.parametrize(
    "options, message",
    [
        ({"severities": "none"}, "unknown severity set 'none'"),
        ({"select": ["CF9999"]}, "'CF9999'"),
        ({"ignore": ["no-such-check"]}, "'no-such-check'"),
        ({"severity_overrides": {"no-such-check": Severity.INFO}}, "'no-such-check'"),
        ({"ignore_in": {"*": ["no-such-check"]}}, "'no-such-check'"),
        ({"findings_limit": 0}, "invalid findings_limit 0"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Linter(**options)  # type: ignore[arg-type]


def test_findings_over_the_limit_are_dropped() -> None:
    content = b"User-agent: *\n" + b"".join(b"Disallow: /a%d$b\n" % number for number in range(50))
    report = Linter(select=["CF402"], findings_limit=10).lint(content)
    assert (len(report.findings), report.truncated_checks) == (10, ("dollar-inside",))
    assert Linter(select=["CF402"], findings_limit=50).lint(content).truncated_checks == ()
    assert Linter(select=["CF402"], findings_limit=None).lint(content).truncated_checks == ()


def test_unsafe_fixes_need_a_flag() -> None:
    fixed = Linter().fix(BAD)
    assert b"Disallow /c/" in fixed.content
    fixed = Linter().fix(BAD, unsafe=True)
    assert b"Disallow: /c/" in fixed.content
    assert "missing-colon" in [finding.check.name for finding in fixed.fixed]
    assert "missing-colon" not in names(fixed.report)


@pytest.mark.parametrize(
    "before, after",
    [
        (b"User-agent: *\nDisallow: /a\nDisallow: /ab\n", b"User-agent: *\nDisallow: /a\n"),
        (
            b"User-agent: *\nDisallow: /a/\nDisallow: /a*/\nDisallow: /a/b/\n",
            b"User-agent: *\nDisallow: /a/\nDisallow: /a*/\n",
        ),
        # For parsers that use the first match, the rule has an effect.
        (b"User-agent: *\nDisallow: /a*\n", b"User-agent: *\nDisallow: /a*\n"),
        # No verdict changes, but a delay.
        (
            b"User-agent: bingbot\nCrawl-delay: 5s\nDisallow: /a\n",
            b"User-agent: bingbot\nCrawl-delay: 5s\nDisallow: /a\n",
        ),
    ],
)
def test_fixes_that_are_proved_to_change_nothing_are_applied(before: bytes, after: bytes) -> None:
    linter = Linter(severities="all")
    result = linter.fix(before)
    assert result.content == after
    assert not any(finding.has_safe_fix for finding in result.report.findings)
    assert any(finding.has_safe_fix for finding in linter.lint(before).findings) is (before != after)


def test_all_formats_state_the_same_about_each_fix() -> None:
    content = b"User-agent: bingbot\nCrawl-delay: 5s\nDisallow: /a\nDisallow: /ab\nDisallow: /c*\nDisallow: /d"
    report = Linter(severities="all").lint(content)
    fixes = {finding.check.code: finding.to_json()["fix"] for finding in report.findings if finding.fix is not None}
    stated = {
        code: (fix["safe"], fix["changes_verdicts"], bool(fix["changed_profiles"])) for code, fix in fixes.items()
    }
    assert stated == {
        "CF604": (False, False, False),
        "CF406": (True, False, False),
        "CF403": (False, True, True),
        "CF114": (True, False, False),
    }
    fixed = Linter(severities="all").fix(content)
    assert {finding.check.code for finding in fixed.fixed} == {"CF406", "CF114"}
    assert summarize_fixes(report, ENGLISH) == "2 fixable with --fix, 2 more with --unsafe-fixes."
    delay = next(finding for finding in report.findings if finding.check.code == "CF604")
    assert describe_fix(delay, ENGLISH).endswith("no verdict but records other than rules")


def test_fix_that_writes_a_rule_is_not_said_to_change_no_verdict() -> None:
    report = Linter(select=["CF206"]).lint(b"Benutzer-Agent: *\nVerbieten: /intern/\n")
    assert [describe_fix(finding, ENGLISH) for finding in report.findings] == [
        "fixable with --unsafe-fixes, which changes what some crawlers may fetch"
    ] * 2


def test_effects_of_fixes_do_not_depend_on_the_order_of_questions() -> None:
    rules = b"".join(b"Disallow: /a%d\n" % number for number in range(20))
    content = b"User-agent: *\nDisallow: /a\n" + rules + b"# %s\n" % (b"y" * 30_000)
    one, other = (Linter().lint(content).findings for _ in range(2))
    answers = [finding.has_safe_fix for finding in one]
    assert answers == [finding.has_safe_fix for finding in reversed(other)][::-1]
    assert True in answers
    # The limit of parsed bytes is reached.
    assert one[-1].changed_profiles is None


@pytest.mark.parametrize(
    "content, refusal",
    [
        (b"<!DOCTYPE html>\n<html><p>Disallow /a\n", "the content is HTML or XML, not a robots.txt"),
        (
            "User-agent: *\nDisallow: /a".encode("utf-16-be"),
            "the content is UTF-16 without a byte order mark, not a robots.txt",
        ),
    ],
)
def test_files_that_are_not_a_robots_txt_have_no_fixes(content: bytes, refusal: str) -> None:
    result = Linter(severities="all").fix(content)
    assert result.refusal == refusal
    assert result.content == content
    assert result.report.findings
    assert not [finding for finding in result.report.findings if finding.fix is not None]


@pytest.mark.parametrize(
    "content",
    [
        b"google.com, pub-1234567890, DIRECT, f08c47fec0942fa0\nappnexus.com, 1234, RESELLER\n",
        b"RewriteEngine On\nRewriteCond %{HTTP_USER_AGENT} GPTBot\nRewriteRule .* - [F]\n",
        b'{"message":"Not Found"}\n',
        b"# Example\n> A site\n## Docs\n- [API](https://example.com/api)\n",
        b"Contact: mailto:security@example.com\nExpires: 2027-01-01T00:00:00Z\n",
    ],
)
def test_files_of_other_kinds_are_named_and_have_no_fixes(content: bytes) -> None:
    report = Linter().lint(content)
    assert not [finding for finding in report.findings if finding.fix is not None]
    (note,) = [finding for finding in report.findings if finding.check.code == "CF113"]
    assert "this is probably another file" in note.message()


@pytest.mark.parametrize(
    "content", [b"# nothing\n", b"Crawl-delay: x\n", b"Verbieten: /a/\n", b"Sitemaps: https://example.com/s.xml\n"]
)
def test_files_with_a_record_or_a_broken_one_are_not_of_another_kind(content: bytes) -> None:
    assert not [one for one in Linter().lint(content).findings if "another file" in one.message()]


def test_files_with_too_few_records_have_no_fixes() -> None:
    content = b"Allow: /a\n" + b"Some text, and more of it.\n" * 6
    report = Linter().lint(content)
    assert not [finding for finding in report.findings if finding.fix is not None]
    assert Linter().fix(content, unsafe=True).refusal == "not a robots.txt: 2 of 7 lines are known records"


def test_fixes_of_broken_keys_make_a_file_a_robots_txt() -> None:
    report = Linter().lint(b"Benutzer-Agent: *\nVerbieten: /intern/\n")
    assert [finding.check.code for finding in report.findings if finding.fix is not None] == ["CF206", "CF206"]


def test_fixes_of_utf_16_are_not_safe() -> None:
    result = Linter().fix(b"\xff\xfe" + "User-agent: *\nDisallow: /a".encode("utf-16-le"))
    fixable = [finding for finding in result.report.findings if finding.fix is not None]
    assert "CF114" in [finding.check.code for finding in fixable]
    assert not any(finding.has_safe_fix for finding in fixable)
    assert {finding.changed_profiles for finding in fixable} == {None}


def test_fixing_is_idempotent() -> None:
    content = b"\xef\xbb\xbfUser-agent: *\r\n  Disallow : /a*\n\n\nDisallow: /a*\nuser-agent: *\n"
    once = Linter().fix(content, unsafe=True).content
    assert Linter().fix(once, unsafe=True).content == once


@pytest.mark.slow
def test_fixing_preserves_content_after_the_size_limit() -> None:
    content = b"User-agent: *\n  Disallow: /a/\n" + b"# filler\n" * 60_000 + b"Disallow: /tail/"
    fixed = Linter().fix(content, only=["indented-record"])
    assert fixed.content.startswith(b"User-agent: *\nDisallow: /a/\n")
    assert fixed.content.endswith(b"Disallow: /tail/")


def test_fix_that_changes_verdicts_undeclared_is_not_applied() -> None:
    file = LintedFile(LintInput(b"User-agent: *\n  Disallow: /a/\nDisallow: /x/\n"))
    wrong = Fix((Edit(26, 29, b"/b/"),))
    right = Fix((Edit(30, 30, b"# as it was\n"),))
    findings = [
        Finding(file, check, Severity.INFO, fix.edits[0][:2], {}, None, fix)
        for check, fix in zip(CHECKS, (wrong, right), strict=False)
    ]
    failed: set[tuple[str, bytes]] = set()
    content, fixed = apply_round(file, findings, FixChoice(PROFILES, keep_extensions=True), failed)
    assert failed == {(CHECKS[0].code, file.content)}
    assert content == b"User-agent: *\n  Disallow: /a/\n# as it was\nDisallow: /x/\n"
    assert fixed == findings[1:]


@pytest.mark.parametrize("key", ["\uc0ac\uc6a9\uc790 \uc5d0\uc774\uc804\ud2b8", "Usr-agnt", "Uzer-agent", "Useragents"])
def test_rules_below_an_unread_user_agent_line_are_not_duplicates(key: str) -> None:
    # The author meant a second group, so its rules must not be removed as duplicates of the first one's.
    content = f"User-agent: *\nDisallow: /a\n{key}: BadBot\nDisallow: /a\n".encode()
    assert Linter().fix(content).content == content


def test_edits_of_a_fix_are_applied_together_or_not_at_all() -> None:
    first = Fix((Edit(0, 2, b"X"), Edit(8, 9, b"")))
    crossing = Fix((Edit(4, 5, b"Y"), Edit(1, 3, b"Z")))
    touching = Fix((Edit(2, 3, b"T"),))
    far = Fix((Edit(5, 5, b"+"),))
    assert apply_fixes(b"0123456789", [first, crossing, touching, far]) == (b"X234+5679", [True, False, False, True])


KEYS = [
    b"User-agent",
    b"Useragent",
    b"user agent",
    b"Disallow",
    b"disalow",
    b"Allow",
    b"ALLOW",
    b"Sitemap",
    b"Crawl-delay",
]
KEYS += [
    b"Host",
    b"Noindex",
    b"Content-Signal",
    b"Content-Usage",
    b"Clean-param",
    b"Request-rate",
    b"Foo",
    b"<html>",
    b"",
]
VALUES = [
    b"*",
    b"/",
    b"",
    b"/a",
    b"/a*",
    b"/a/*",
    b"/a/b",
    b"/a$",
    b"*/a",
    b"/**",
    b"/*?",
    b"/$",
    b"/a$b",
    b"/%2f",
    b"/%zz",
    b"/a b",
]
VALUES += [
    b"/\xc3\xa9",
    b"/\xad",
    b"\xad",
    b"/\0",
    b"\0",
    b"/\x1b",
    b"GPTBot",
    b"Googlebot",
    b"GPTBot, CCBot",
    b"# c",
    b"/a#b",
]
VALUES += [
    b"10",
    b"1e999",
    b"1/10",
    b"search=yes, ai-train=no",
    b"train-ai=n",
    b"https://a.example/s.xml",
    b"/a/../b",
    b"//a",
]
AGENTS = ["GPTBot", "Googlebot", "CCBot", "a", "e", "unnamed"]
URLS = [
    "/",
    "/a",
    "/a/",
    "/a/b",
    "/a/b/c",
    "/b/a",
    "/a?",
    "/?",
    "/a%20b",
    "/a$b",
    "/%2F",
    "/%25zz",
    "/%zz",
    "/%C3%A9",
    "/%AD",
    "/GPTBot",
]
URLS += [
    "/a%23b",
    "/a%00",
    "/%1B",
    "/%00",
    "/%85",
    "/a%85",
    "/10",
    "/robots.txt",
    "/*",
    "/$",
    "//a",
    "/a/../b",
    "/b",
    "/x",
    "/train-ai=n",
]
LINES = st.tuples(
    st.sampled_from([b"", b" ", b"\t"]),
    st.sampled_from(KEYS),
    st.sampled_from([b": ", b": ", b":", b" ", b"=", b" : ", b"::", b""]),
    st.sampled_from(VALUES),
    st.sampled_from([b"\n", b"\n", b"\n\n", b"\r\n", b"\r", b"\x0b", b"\x85", b"\xe2\x80\xa8", b" # c\n"]),
).map(b"".join)
CONTENTS = (
    st.lists(LINES, max_size=12).map(b"".join)
    | st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
)


@pytest.mark.slow
@settings(max_examples=EXAMPLES or 40)
@given(CONTENTS)
def test_any_content_can_be_linted_and_fixed(content: bytes) -> None:
    report = Linter(findings_limit=None).lint(content)
    for finding in report.findings:
        assert 0 <= finding.span[0] <= finding.span[1] <= len(report.file.content)
        assert finding.to_json()["start"]["line"] == finding.line >= 1
    fixed = Linter().fix(content)
    if report.file.robots.source_encoding == "utf-8":
        for profile in differing_profiles(content, fixed.content):
            # Another meaning by its rules, but no other verdict.
            before, after = (parse(one, profile=profile) for one in (content, fixed.content))
            for agent in AGENTS:
                for url in URLS:
                    assert before.allows(url, agent=agent) is after.allows(url, agent=agent), (profile, agent, url)


def test_settings_are_parsed() -> None:
    parsed = parse_settings(
        {
            "severities": "google",
            "select": ["CF2"],
            "ignore": ["CF201"],
            "severity": {"dollar-inside": "error"},
            "ignore-in": {"old/*": ["CF4"]},
            "fix-for": ["googlebot", "bing"],
            "fail-on": "error",
            "show": "info",
            "language": "it",
        },
        "canfetch.toml",
    )
    assert parsed == LintSettings(
        severities="google",
        select=("CF2",),
        ignore=("CF201",),
        severity_overrides={"dollar-inside": Severity.ERROR},
        ignore_in={"old/*": ("CF4",)},
        fix_for=("googlebot", "bing"),
        fail_on=Severity.ERROR,
        show=Severity.INFO,
        language="it",
    )
    assert parse_settings({}, "x") == LintSettings()


@pytest.mark.parametrize(
    "table, message",
    [
        ({"severites": "google"}, "canfetch.toml: unknown key 'severites': did you mean 'severities'?"),
        ({"severities": 3}, "canfetch.toml, severities: unknown severity set 3: choose from 'default', 'all'"),
        ({"select": "CF2"}, "canfetch.toml, select: expected a list of strings"),
        ({"select": [2]}, "canfetch.toml, select: expected a list of strings"),
        ({"severity": {"CF2": "bad"}}, "canfetch.toml, severity: unknown severity 'bad'"),
        ({"severity": ["CF2"]}, "canfetch.toml, severity: expected a table"),
        ({"ignore-in": {"*": "CF2"}}, "canfetch.toml, ignore-in: expected a list of strings"),
        ({"fix-for": "google"}, "canfetch.toml, fix-for: expected a list of parsing profiles"),
        ({"fix-for": ["googel"]}, "canfetch.toml, fix-for: unknown profile 'googel': did you mean 'google'?"),
        ({"fail-on": 1}, "canfetch.toml, fail-on: unknown severity '1'"),
        ({"language": "tlh"}, "canfetch.toml, language: unknown language 'tlh': choose from 'en'"),
    ],
)
def test_invalid_settings_are_rejected(table: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidOption) as raised:
        parse_settings(table, "canfetch.toml")
    assert str(raised.value).startswith(message)


def test_finding_to_json() -> None:
    (finding,) = Linter(select=["CF201"]).lint(BAD).findings
    data = finding.to_json()
    page = (Path(__file__).resolve().parents[2] / "docs" / "linting.md").read_text(encoding="utf-8")
    table = page.partition("| key | value |")[2].partition("\n\n")[0]
    documented = [key for row in table.splitlines()[2:] for key in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(data) == sorted(documented)
    assert data["schema"] == "canfetch.finding/2"
    assert (data["code"], data["severity"]) == ("CF201", "error")
    assert data["start"] == {"line": 3, "column": 0}
    assert BAD[slice(*data["span"])] == b"Disallow /c/"
    assert {verdict["crawler"]: verdict["allowed"] for verdict in data["verdicts"]} == {
        "Googlebot": False,
        "bingbot": False,
        "YandexBot": True,
        "*": False,
    }
    assert data["effect"] == "because of line 3, Googlebot, bingbot and other crawlers may not fetch /c/; YandexBot may"
    assert data["fix"] == {
        "safe": False,
        "changes_verdicts": True,
        "changed_profiles": [
            "strict",
            "google2019",
            "yandex",
            "draft1996",
            "original1994",
        ],
        "edits": [{"span": [37, 38], "replacement": ": "}],
    }


@pytest.mark.parametrize(
    "before, after",
    [
        (b"Usar-agent: BadBot\nDisallow: /\n", b"User-agent: BadBot\nDisallow: /\n"),
        (b"User-agent = BadBot\nDisallow: /\n", b"User-agent: BadBot\nDisallow: /\n"),
        ("User\u2013agent: BadBot\nDisallow: /\n".encode(), b"User-agent: BadBot\nDisallow: /\n"),
        (b"User-agent BadBot 2\nDisallow: /\n", b"User-agent BadBot 2\nDisallow: /\n"),
        (
            b"User-agent: *\nDisallow: /private/\n\nUsar-agent: BadBot\nDisallow: /\n",
            b"User-agent: *\nDisallow: /private/\n\nUser-agent: BadBot\nDisallow: /\n",
        ),
        (
            "User-agent: *\nDisallow: /a\nDisallow: /b\n\nUser\u2013agent: BadBot\nDisallow: /a\n".encode(),
            b"User-agent: *\nDisallow: /a\nDisallow: /b\n\nUser-agent: BadBot\nDisallow: /a\n",
        ),
    ],
)
def test_single_lines_are_fixed_before_groups(before: bytes, after: bytes) -> None:
    assert Linter().fix(before, unsafe=True).content == after


@pytest.mark.parametrize(
    "line", ["Usar-agent: BadBot", "Agente de usuario: BadBot", "User-agents BadBot", "User\u200b-agent: b"]
)
def test_no_rule_is_removed_if_a_line_may_be_a_user_agent_line(line: str) -> None:
    content = f"User-agent: *\nDisallow: /a\n\n{line}\nDisallow: /a\n".encode()
    assert Linter().fix(content).content.count(b"Disallow: /a\n") == 2


@pytest.mark.parametrize(
    "content",
    [
        "User-agent: *\n  Disallow: /a".encode("utf-16"),
        "User-agent: *\n  Disallow: /a".encode("utf-16-le"),
        "User-agent: *\n  Disallow: /a".encode("utf-32"),
    ],
)
def test_safe_fixes_do_not_change_the_encoding(content: bytes) -> None:
    assert Linter().fix(content).content == content


def test_unsafe_fixes_convert_utf_16() -> None:
    content = "User-agent: *\nDisallow: /a\n".encode("utf-16")
    assert Linter().fix(content, unsafe=True).content == b"User-agent: *\nDisallow: /a\n"
    other = "User-agent: *\nDisallow: /a".encode("utf-32")
    assert Linter().fix(other, unsafe=True).content == other


def test_suppressed_findings_do_not_count_against_the_limit() -> None:
    allowed = b"".join(b"Disallow: /a%d$b  # canfetch: allow dollar-inside\n" % number for number in range(30))
    report = Linter(findings_limit=20).lint(b"User-agent: *\n" + allowed + b"Disallow: /z$y\n")
    assert names(report) == ["dollar-inside"]
    assert (len(report.suppressed), report.truncated_checks) == (30, ())


def test_unused_suppressions_count_against_the_limit() -> None:
    content = b"User-agent: *\n" + b"Disallow: /a/  # canfetch: allow dollar-inside\n" * 30
    report = Linter(select=["CF402", "CF902"], findings_limit=10).lint(content)
    assert (len(report.findings), report.truncated_checks) == (10, ("unused-suppression",))


@pytest.mark.parametrize(
    "content",
    [
        b"User-agent: *\nDisallow: /x  # canfetch: allow directory-without-slash -- known\n",
        b"# canfetch: allow-file redirected, file-name, not-at-root\nUser-agent: *\nDisallow: /x/\n",
        b"User-agent: *\nDisallow: /a/\n# canfetch: allow blank-line-in-group\n\nDisallow: /b/\n",
        b"User-agent: *\nDisallow: /a/#b  # canfetch: allow hash-cuts-value\n",
        b"# canfetch: allow-file unused-suppression\nUser-agent: *\nDisallow: /a/  # canfetch: allow dollar-inside\n",
    ],
)
def test_useful_suppression_comments_are_not_reported(content: bytes) -> None:
    report = Linter(ignore=["CF7"]).lint(content)
    assert report.findings == ()
    assert Linter().fix(content, unsafe=True).content == content


def test_ignore_in_is_relative_to_the_folder() -> None:
    linter = Linter(select=["CF402"], ignore_in={"old/*": ["CF4"]}, folder="/site")
    assert linter.lint(LintInput(BAD, path="/site/old/robots.txt")).findings == ()
    assert linter.lint(LintInput(BAD, path="/site/new/../old/robots.txt")).findings == ()
    assert linter.lint(LintInput(BAD, path="/old/robots.txt")).findings


@pytest.mark.slow
def test_reports_are_freed_without_the_garbage_collector() -> None:
    linter = Linter(severities="all")
    for check in CHECKS:
        report = linter.lint(check.bad_input())
        report.to_json()
        file = weakref.ref(report.file)
        del report
        assert file() is None, check.name


@pytest.mark.parametrize(
    "file, message",
    [
        ("User-agent: *", "file must be bytes or a LintInput, not str: pass text.encode()"),
        (Path("robots.txt"), ": pass path.read_bytes()"),
        (LintInput("User-agent: *"), "content must be bytes, not str: pass text.encode()"),  # type: ignore[arg-type]
    ],
)
def test_file_must_be_bytes_or_lint_input(file: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        Linter().lint(file)


@pytest.mark.parametrize("option", ["select", "ignore"])
def test_checks_must_not_be_one_str(option: str) -> None:
    with pytest.raises(TypeError, match=r"invalid checks 'CF201': expected a list, such as \['CF201'\]"):
        Linter(**{option: "CF201"})  # type: ignore[arg-type]


def test_findings_as_flat_rows() -> None:
    content = b"User-agent: bingbot\nCrawl-delay: 5s\nDisallow: /a\nDisallow: /ab\nfoo: \xff"
    report = Linter(severities="all").lint(content)
    rows = [finding.to_dict() for finding in report.findings]
    assert {type(value) for row in rows for value in row.values()} <= {str, int, bool, type(None)}
    for row, finding in zip(rows, report.findings, strict=True):
        plain = finding.to_json()
        assert {key: row[key] for key in ("code", "name", "severity", "message", "effect", "source")} == {
            key: plain[key] for key in ("code", "name", "severity", "message", "effect", "source")
        }
        assert (row["line"], row["fixable"]) == (finding.line, finding.fix is not None)


@pytest.mark.slow
def test_small_file_is_linted_without_comparisons_pages_and_deliveries() -> None:
    content = b"User-agent: *\nDisallow: /a\nDisallow: /b/\nSitemap: https://example.com/sitemap.xml\n"
    code = f"import sys; from canfetch.lint import Linter; Linter().lint({content!r}); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    parts = ("canfetch.compare", "canfetch.pages", "canfetch.access", "tomllib")
    assert "canfetch.lint.linter" in modules
    assert not [name for name in modules if name.startswith(parts)]
