"""The linter: what it asks, what it allows, and how it mends."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canfetch.core.equivalence import differing_profiles
from canfetch.errors import InvalidOption
from canfetch.lint import CHECKS, SEVERITY_SETS, Edit, Finding, Fix, Linter, LintInput, LintReport, Severities, Severity
from canfetch.lint.configuration import LintSettings, parse_settings
from canfetch.lint.fix_rounds import apply_round
from canfetch.lint.fixes import apply_fixes
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.suppression import find_suppressions

BAD = b"User-agent: *\nDisallow: /a$b\nDisallow /c/\n"


def names(report: LintReport) -> list[str]:
    return [finding.check.name for finding in report.findings]


@pytest.mark.parametrize(
    "octets, left",
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
def test_comments_allow_findings(octets: bytes, left: list[str]) -> None:
    linter = Linter(select=["dollar-inside", "missing-colon", "unknown-suppression"])
    report = linter.lint(octets)
    assert sorted(names(report)) == left
    assert len(report.findings) + len(report.suppressed) == len(
        names(linter.lint(octets.replace(b"canfetch", b"x")))
    ) + ("unknown-suppression" in left)


def test_a_name_of_a_suppression_has_its_place() -> None:
    octets = b"User-agent: *\nDisallow: /a  # canfetch: allow one, two -- why, not three\n"
    report = Linter(select=["CF901"]).lint(octets)
    assert [finding.quoted for finding in report.findings] == [b"one", b"two"]
    assert list(find_suppressions(octets, report.file.records)[0].lines) == [2]


def test_what_is_asked_is_chosen() -> None:
    assert names(Linter(select=["CF4"]).lint(BAD)) == ["dollar-inside"]
    assert "dollar-inside" not in names(Linter(ignore=["dollar-inside"]).lint(BAD))
    assert Linter(select=["CF2"], ignore=["CF201"]).lint(BAD).findings == ()
    assert {check.code for check in Linter().checks} == {check.code for check in CHECKS}


@pytest.mark.parametrize("profile", SEVERITY_SETS)
def test_a_profile_asks_what_it_judges(profile: str) -> None:
    linter = Linter(severities=profile)
    assert linter.checks == tuple(check for check in CHECKS if check.severities.in_set(profile) is not None)
    for finding in linter.lint(BAD).findings:
        assert finding.severity is finding.check.severities.in_set(profile)


def test_severities_are_the_highest_or_others() -> None:
    assert Severities(rfc=Severity.INFO, yandex=Severity.ERROR).in_set("all") is Severity.ERROR
    assert Severities(rfc=Severity.INFO).in_set("google") is None
    report = Linter(select=["CF402"], severity_overrides={"dollar-inside": Severity.INFO}).lint(BAD)
    assert [finding.severity for finding in report.findings] == [Severity.INFO]


def test_paths_have_checks_of_their_own() -> None:
    linter = Linter(select=["CF402"], ignore_in={"old/*": ["CF4"]})
    assert linter.lint(LintInput(BAD, path="old/robots.txt")).findings == ()
    assert linter.lint(LintInput(BAD, path="new/robots.txt")).findings


@pytest.mark.parametrize(
    "options, says",
    [
        ({"severities": "none"}, "unknown severity set 'none'"),
        ({"select": ["CF9999"]}, "'CF9999'"),
        ({"ignore": ["no-such-check"]}, "'no-such-check'"),
        ({"severity_overrides": {"no-such-check": Severity.INFO}}, "'no-such-check'"),
        ({"ignore_in": {"*": ["no-such-check"]}}, "'no-such-check'"),
        ({"findings_limit": 0}, "invalid findings_limit 0"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidOption, match=says):
        Linter(**options)  # type: ignore[arg-type]


def test_much_of_one_check_is_cut_and_said() -> None:
    octets = b"User-agent: *\n" + b"".join(b"Disallow: /a%d$b\n" % number for number in range(50))
    report = Linter(select=["CF402"], findings_limit=10).lint(octets)
    assert (len(report.findings), report.cut) == (10, ("dollar-inside",))
    assert Linter(select=["CF402"], findings_limit=50).lint(octets).cut == ()
    assert Linter(select=["CF402"], findings_limit=None).lint(octets).cut == ()


def test_fixes_that_change_verdicts_are_asked_for() -> None:
    fixed = Linter().fix(BAD)
    assert b"Disallow /c/" in fixed.content
    fixed = Linter().fix(BAD, unsafe=True)
    assert b"Disallow: /c/" in fixed.content
    assert "missing-colon" in [finding.check.name for finding in fixed.fixed]
    assert "missing-colon" not in names(fixed.report)


def test_mending_twice_is_mending_once() -> None:
    octets = b"\xef\xbb\xbfUser-agent: *\r\n  Disallow : /a*\n\n\nDisallow: /a*\nuser-agent: *\n"
    once = Linter().fix(octets, unsafe=True).content
    assert Linter().fix(once, unsafe=True).content == once


def test_what_is_past_the_limit_stays() -> None:
    octets = b"User-agent: *\n  Disallow: /a/\n" + b"# filler\n" * 60_000 + b"Disallow: /tail/"
    fixed = Linter().fix(octets, only=["indented-record"])
    assert fixed.content.startswith(b"User-agent: *\nDisallow: /a/\n")
    assert fixed.content.endswith(b"Disallow: /tail/")


def test_a_fix_that_does_not_hold_what_it_says_is_not_made() -> None:
    file = LintedFile(LintInput(b"User-agent: *\n  Disallow: /a/\nDisallow: /x/\n"))
    wrong = Fix((Edit(26, 29, b"/b/"),))
    right = Fix((Edit(30, 30, b"# as it was\n"),))
    findings = [
        Finding(file, check, Severity.INFO, fix.edits[0][:2], {}, None, fix)
        for check, fix in zip(CHECKS, (wrong, right), strict=False)
    ]
    barred: set[tuple[str, bytes]] = set()
    assert apply_round(file, findings, barred) == (file.content, [])
    assert barred == {(CHECKS[0].code, b"/a/")}
    octets, made = apply_round(file, findings[1:], barred)
    assert octets == b"User-agent: *\n  Disallow: /a/\n# as it was\nDisallow: /x/\n"
    assert made == findings[1:]


def test_edits_of_one_fix_are_made_together_or_not_at_all() -> None:
    first = Fix((Edit(0, 2, b"X"), Edit(8, 9, b"")))
    crossing = Fix((Edit(4, 5, b"Y"), Edit(1, 3, b"Z")))
    touching = Fix((Edit(2, 3, b"T"),))
    far = Fix((Edit(5, 5, b"+"),))
    assert apply_fixes(b"0123456789", [first, crossing, touching, far]) == (b"X234+5679", [True, False, False, True])


@settings(max_examples=60)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_nothing_raises_and_every_span_is_a_place(octets: bytes) -> None:
    report = Linter(findings_limit=None).lint(octets)
    for finding in report.findings:
        assert 0 <= finding.span[0] <= finding.span[1] <= len(report.file.content)
        assert finding.to_json()["start"]["line"] == finding.line >= 1
    fixed = Linter().fix(octets)
    if report.file.robots.source_encoding == "utf-8":
        assert differing_profiles(octets, fixed.content) == ()


def test_settings_are_read() -> None:
    settings_read = parse_settings(
        {
            "severities": "google",
            "select": ["CF2"],
            "ignore": ["CF201"],
            "severity": {"dollar-inside": "error"},
            "ignore-in": {"old/*": ["CF4"]},
            "fail-on": "warning",
            "language": "it",
        },
        "canfetch.toml",
    )
    assert settings_read == LintSettings(
        severities="google",
        select=("CF2",),
        ignore=("CF201",),
        severity_overrides={"dollar-inside": Severity.ERROR},
        ignore_in={"old/*": ("CF4",)},
        fail_on=Severity.WARNING,
        language="it",
    )
    assert parse_settings({}, "x") == LintSettings()


@pytest.mark.parametrize(
    "table, says",
    [
        ({"severites": "google"}, "canfetch.toml: unknown key 'severites': did you mean 'severities'?"),
        ({"severities": 3}, "canfetch.toml, severities: unknown severity set 3: choose from 'all', 'rfc'"),
        ({"select": "CF2"}, "canfetch.toml, select: expected a list of strings"),
        ({"select": [2]}, "canfetch.toml, select: expected a list of strings"),
        ({"severity": {"CF2": "bad"}}, "canfetch.toml, severity: unknown severity 'bad'"),
        ({"severity": ["CF2"]}, "canfetch.toml, severity: expected a table"),
        ({"ignore-in": {"*": "CF2"}}, "canfetch.toml, ignore-in: expected a list of strings"),
        ({"fail-on": 1}, "canfetch.toml, fail-on: unknown severity '1'"),
        ({"language": "tlh"}, "canfetch.toml, language: unknown language 'tlh': choose from 'en'"),
    ],
)
def test_settings_that_cannot_be_meant_are_named(table: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidOption) as raised:
        parse_settings(table, "canfetch.toml")
    assert str(raised.value).startswith(says)


def test_a_finding_in_plain_values() -> None:
    (finding,) = Linter(select=["CF201"]).lint(BAD).findings
    plain = finding.to_json()
    assert plain["schema"] == "canfetch.finding/1"
    assert (plain["code"], plain["severity"]) == ("CF201", "error")
    assert plain["start"] == {"line": 3, "column": 0}
    assert BAD[slice(*plain["span"])] == b"Disallow /c/"
    assert {witness["crawler"]: witness["allowed"] for witness in plain["verdicts"]} == {
        "Googlebot": False,
        "bingbot": False,
        "YandexBot": True,
        "ExampleBot": False,
    }
    assert plain["effect"] == "Googlebot, bingbot and other crawlers may not fetch /c/, YandexBot may"
    assert plain["fix"] == {"changes_verdicts": True, "edits": [{"span": [37, 38], "replacement": ": "}]}


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
            b"User-agent: *\nDisallow: /#nothing\nDisallow: /p\n",
            b"User-agent: *\nDisallow: /%23nothing\nDisallow: /p\n",
        ),
        (
            "User-agent: *\nDisallow: /a\nDisallow: /b\n\nUser\u2013agent: BadBot\nDisallow: /a\n".encode(),
            b"User-agent: *\nDisallow: /a\nDisallow: /b\n\nUser-agent: BadBot\nDisallow: /a\n",
        ),
    ],
)
def test_what_a_line_is_is_mended_before_what_lines_do_together(before: bytes, after: bytes) -> None:
    assert Linter().fix(before, unsafe=True).content == after


@pytest.mark.parametrize(
    "line", ["Usar-agent: BadBot", "Agente de usuario: BadBot", "User-agents BadBot", "User\u200b-agent: b"]
)
def test_nothing_is_taken_away_while_a_line_may_be_meant_as_a_user_agent_line(line: str) -> None:
    octets = f"User-agent: *\nDisallow: /a\n\n{line}\nDisallow: /a\n".encode()
    assert Linter().fix(octets).content.count(b"Disallow: /a\n") == 2


@pytest.mark.parametrize(
    "octets",
    [
        "User-agent: *\n  Disallow: /a".encode("utf-16"),
        "User-agent: *\n  Disallow: /a".encode("utf-16-le"),
        "User-agent: *\n  Disallow: /a".encode("utf-32"),
    ],
)
def test_another_encoding_is_not_written_anew_unasked(octets: bytes) -> None:
    assert Linter().fix(octets).content == octets


def test_utf_16_is_written_anew_on_request() -> None:
    octets = "User-agent: *\nDisallow: /a\n".encode("utf-16")
    assert Linter().fix(octets, unsafe=True).content == b"User-agent: *\nDisallow: /a\n"
    other = "User-agent: *\nDisallow: /a".encode("utf-32")
    assert Linter().fix(other, unsafe=True).content == other


def test_findings_that_are_allowed_do_not_count_against_the_limit() -> None:
    allowed = b"".join(b"Disallow: /a%d$b  # canfetch: allow dollar-inside\n" % number for number in range(30))
    report = Linter(findings_limit=20).lint(b"User-agent: *\n" + allowed + b"Disallow: /z$y\n")
    assert names(report) == ["dollar-inside"]
    assert (len(report.suppressed), report.cut) == (30, ())


def test_comments_that_allow_nothing_are_cut_like_all_findings() -> None:
    octets = b"User-agent: *\n" + b"Disallow: /a/  # canfetch: allow dollar-inside\n" * 30
    report = Linter(select=["CF402", "CF902"], findings_limit=10).lint(octets)
    assert (len(report.findings), report.cut) == (10, ("unused-suppression",))


@pytest.mark.parametrize(
    "octets",
    [
        b"User-agent: *\nDisallow: /x  # canfetch: allow directory-without-slash -- known\n",
        b"# canfetch: allow-file redirected, file-name, not-at-root\nUser-agent: *\nDisallow: /x/\n",
        b"User-agent: *\nDisallow: /a/\n# canfetch: allow blank-line-in-group\n\nDisallow: /b/\n",
        b"User-agent: *\nDisallow: /a#b  # canfetch: allow hash-cuts-value\n",
        b"# canfetch: allow-file unused-suppression\nUser-agent: *\nDisallow: /a/  # canfetch: allow dollar-inside\n",
    ],
)
def test_comments_that_are_of_use_or_may_be_are_left_alone(octets: bytes) -> None:
    report = Linter(ignore=["CF7"]).lint(octets)
    assert report.findings == ()
    assert Linter().fix(octets, unsafe=True).content == octets


def test_paths_are_below_the_folder_of_the_configuration() -> None:
    linter = Linter(select=["CF402"], ignore_in={"old/*": ["CF4"]}, folder="/site")
    assert linter.lint(LintInput(BAD, path="/site/old/robots.txt")).findings == ()
    assert linter.lint(LintInput(BAD, path="/site/new/../old/robots.txt")).findings == ()
    assert linter.lint(LintInput(BAD, path="/old/robots.txt")).findings
