"""Changes of verdicts: which profiles read two versions of a file differently."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import EXAMPLES
from tests.lint.corpus import corpus_files, generated_files

from canfetch import PROFILES, RobotsTxt, parse
from canfetch.errors import InvalidOption, UnknownProfile
from canfetch.lint import Edit, Finding, Fix, Linter, LintInput, Severity
from canfetch.lint.fix_rounds import FailedFix, FixChoice, apply_chosen
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.verdict_changes import VerdictChanges

LINTER = Linter(severities="all", findings_limit=None)
LONGEST_MATCH = {"rfc9309", "strict", "google2019", "google", "googlebot", "bing", "yandex"}
FIRST_MATCH = {"draft1996", "original1994"}


def changed(before: str, after: str) -> set[str]:
    return set(VerdictChanges(before.encode()).changed_profiles(after.encode()))


@pytest.mark.parametrize("line", ["", "Disalow: /a", "Disallow /a", "Allow: /a"])
def test_profiles_that_are_compared_together_change_as_each_one_does_alone(line: str) -> None:
    before, other = b"User-agent: *\nDisallow: /a\nDisallow: /b\n", f"User-agent: *\n{line}\nDisallow: /b\n".encode()
    together = VerdictChanges(before)
    alone = {name: VerdictChanges(before) for name in PROFILES}
    expected = tuple(name for name in PROFILES if alone[name].changed_profiles(other, [name]))
    assert together.changed_profiles(other) == expected
    assert together.steps == sum(changes.steps for changes in alone.values())


@pytest.mark.parametrize(
    "before, after, profiles",
    [
        ("Disallow: /a\nDisallow: /a/b", "Disallow: /a", set()),
        ("Disallow: /a/b\nDisallow: /a", "Disallow: /a", set()),
        ("Disallow: /a\nAllow: /a/\nDisallow: /a/b", "Disallow: /a\nAllow: /a/", LONGEST_MATCH),
        ("Disallow: /*b\nDisallow: /a/b", "Disallow: /*b", FIRST_MATCH),
        ("Disallow: /a*", "Disallow: /a", FIRST_MATCH),
        ("Disallow: /a*\nAllow: /b", "Disallow: /a\nAllow: /b", FIRST_MATCH),
        ("Disallow: /a*\nAllow: /a/b", "Disallow: /a\nAllow: /a/b", FIRST_MATCH),
        ("Allow: /a/b\nDisallow: /a", "Disallow: /a\nAllow: /a/b", FIRST_MATCH - {"original1994"}),
        ("Disallow /a", "Disallow: /a", {"strict", "google2019", "yandex"} | FIRST_MATCH),
        ("Disalow: /a", "Disallow: /a", {"strict", "google2019", "yandex"} | FIRST_MATCH),
        ("\nDisallow: /a", "Disallow: /a", {"yandex"} | FIRST_MATCH),
        ("Disallow: /a?x=:\nDisallow: /a", "Disallow: /a", set()),
        ("Disallow: /a?x=:\nDisallow: /a?x=%3A", "Disallow: /a?x=:", {"google", "googlebot", "yandex", "original1994"}),
        ("Disallow: /%e4", "Disallow: /%E4", {"original1994"}),
        ("Disallow: /a$b", "Disallow: /a", set(PROFILES)),
        ("Crawl-delay: 5\nDisallow: /a", "Crawl-delay: 6\nDisallow: /a", set()),
        ("Disallow: /a\nSitemap: /s.xml", "Disallow: /a\nSitemap: https://example.com/s.xml", set()),
    ],
)
def test_changed_profiles(before: str, after: str, profiles: set[str]) -> None:
    assert changed(f"User-agent: *\n{before}\n", f"User-agent: *\n{after}\n") == profiles


@pytest.mark.parametrize(
    "before, after, profiles",
    [
        # An agent that has only the token of the second group.
        (
            "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: Googlebot-News\nDisallow: /a\n",
            "User-agent: Googlebot\nDisallow: /a\n",
            set(PROFILES),
        ),
        (
            "User-agent: a, b\nDisallow: /x\n",
            "User-agent: a\nUser-agent: b\nDisallow: /x\n",
            PROFILES.keys() - {"draft1996", "original1994"},
        ),
        # A blank line ends the group of `a` only for Yandex.
        ("User-agent: a\n\nUser-agent: *\nDisallow: /\n", "User-agent: *\nDisallow: /\n", {"yandex"}),
    ],
)
def test_agents_that_are_compared(before: str, after: str, profiles: set[str]) -> None:
    assert changed(before, after) == profiles


LINES = st.lists(
    st.sampled_from(
        [b"User-agent: a", b"User-agent: b", b"User-agent: *", b"Disallow: /x", b"Allow: /x/y", b"Disallow:", b""]
        + [b"Disallow: /*y$", b"Disalow: /x", b"Disallow /x", b"Allow: /x", b"# c", b"Disallow: x", b"Crawl-delay: 1"]
        + [b"Disallow: /x*", b"Disallow: /x/", b"Allow: /*x", b"Allow: /x$", b"Disallow: /x?q=:", b"Disallow: /x?q=%3a"]
        + [b"Allow: /x/index.html", b"User-agent: Googlebot", b"Disallow: /X"]
    ),
    max_size=9,
).map(b"\n".join)
URLS = ("/", "/x", "/x/", "/x/y", "/z/y", "/robots.txt", "/xy", "/x?q=:", "/x?q=%3A", "/x?q=:y", "/X", "/x/index.html")


def answers(robots: RobotsTxt) -> list[bool]:
    return [robots.allows(url, agent=agent) for agent in ("a", "b", "c", "Googlebot", "*") for url in URLS]


@pytest.mark.slow
@settings(max_examples=EXAMPLES or 40)
@given(LINES, LINES)
def test_profiles_that_are_not_reported_have_the_same_verdicts(one: bytes, other: bytes) -> None:
    reported = VerdictChanges(one).changed_profiles(other)
    for profile in PROFILES:
        if profile not in reported:
            assert answers(parse(one, profile=profile)) == answers(parse(other, profile=profile)), profile


PATTERNS = st.lists(st.sampled_from(["a", "b", "*", "/"]), max_size=4).map("".join)
TARGETS = [b"/" + bytes(rest) for length in range(6) for rest in product(b"ab/", repeat=length)]


RULE_FILES = st.lists(
    st.tuples(st.sampled_from(["Allow", "Disallow"]), PATTERNS, st.sampled_from(["", "$"])), max_size=5
).map(lambda rules: "User-agent: *\n" + "".join(f"{key}: /{path}{end}\n" for key, path, end in rules))


@pytest.mark.slow
@settings(max_examples=EXAMPLES or 40)
@given(RULE_FILES, st.integers(1, 5), st.sampled_from(["rfc9309", "google", "draft1996"]))
def test_removed_rules_that_are_not_reported_never_decide(content: str, removed: int, profile: str) -> None:
    lines = content.splitlines()
    other = "\n".join(line for index, line in enumerate(lines) if index != removed)
    reported = VerdictChanges(content.encode()).changed_profiles(other.encode(), [profile])
    before, after = (parse(text, profile=profile).rules_for("a") for text in (content, other))
    differs = before.allows_many(TARGETS) != after.allows_many(TARGETS)
    assert reported or not differs


def test_undecided_profiles_are_reported() -> None:
    rules = "".join(f"Disallow: /*{number}*{number + 1}*x\nAllow: /*{number}*y{number}*z\n" for number in range(40))
    before = f"User-agent: *\n{rules}Disallow: /*1*2*x*x\n"
    changes = VerdictChanges(before.encode())
    assert "rfc9309" in changes.changed_profiles(f"User-agent: *\n{rules}".encode(), steps=5000)


def test_groups_with_thousands_of_names_are_reported() -> None:
    # Google's parser reads only the letters of a name.
    letters = str.maketrans("0123456789", "ghijklmnop")
    names = "".join(f"User-agent: bot{number:x}\n".translate(letters) for number in range(3000))
    assert changed(f"{names}Disallow: /a\nDisallow: /a/b\n", f"{names}Disallow: /a\n") == set(PROFILES)


def test_content_past_the_size_limit_is_not_read() -> None:
    filler = "User-agent: *\n" + "# filler\n" * 60_000
    assert changed(filler + "Disallow: /a\n", filler + "Disallow: /b\n") == set()


def test_escapes_of_form_b_are_read_by_rules_that_start_within_them() -> None:
    # `:` is `%3A` in form (b) of the target, which the text `*3A)` of form (b) matches in part.
    before, after = "Disallow: /a?*3A%29\nAllow: /a?x\n", "Allow: /a?x\n"
    assert {"rfc9309", "bing"} <= changed(f"User-agent: *\n{before}", f"User-agent: *\n{after}")


PROFILE_CHOICES = st.sampled_from([("google",), ("googlebot",), ("rfc9309", "bing"), ("yandex",)])


@pytest.mark.slow
@settings(max_examples=EXAMPLES or 40)
@given(LINES, PROFILE_CHOICES)
def test_fixes_for_a_profile_preserve_its_verdicts(content: bytes, profiles: tuple[str, ...]) -> None:
    fixed = LINTER.fix(content, for_profiles=profiles).content
    for profile in profiles:
        assert answers(parse(content, profile=profile)) == answers(parse(fixed, profile=profile))
    assert VerdictChanges(content).changed_profiles(fixed, profiles) == ()
    assert LINTER.fix(fixed, for_profiles=profiles).content == fixed


@pytest.mark.slow
@pytest.mark.parametrize("profiles", [("google", "googlebot"), ("rfc9309",), ("yandex", "bing")], ids="-".join)
def test_fixes_for_a_profile_in_files_with_all_kinds_of_faults(profiles: tuple[str, ...]) -> None:
    more = 0
    for content in generated_files(40):
        fixed = LINTER.fix(content, for_profiles=profiles)
        assert VerdictChanges(content).changed_profiles(fixed.content, profiles) == ()
        more += fixed.content != LINTER.fix(content).content
    assert more > 20


@pytest.mark.service
def test_fixes_of_real_files_for_a_profile() -> None:
    for name, content in corpus_files(generated=200):
        for profile in ("googlebot", "rfc9309"):
            fixed = LINTER.fix(content, for_profiles=[profile])
            # The fixes of all rounds together take more steps than those of one.
            changes = VerdictChanges(content)
            assert changes.changed_profiles(fixed.content, [profile], steps=2_000_000) == (), name


def test_fixes_that_only_together_change_a_verdict_are_not_all_applied() -> None:
    file = LintedFile(LintInput(b"User-agent: *\nDisallow: /a\nDisallow: /a\nDisallow: /b\nDisallow: /b\n"))
    removals = [Fix((Edit(start, start + 12, b""),), changes_verdicts=True) for start in (14, 27, 40, 53)]
    check = Linter().checks[0]
    findings = [Finding(file, check, Severity.INFO, fix.edits[0][:2], {}, None, fix) for fix in removals]
    failed: set[FailedFix] = set()
    content, fixed = apply_chosen(file, findings, FixChoice(["rfc9309"]), failed)
    assert content.split() == b"User-agent: * Disallow: /a Disallow: /b".split()
    assert len(fixed) == 2
    assert len(failed) == 2


def test_fixes_for_a_profile_change_verdicts_in_others() -> None:
    content = b"User-agent: *\nDisallow /a/\nDisallow: /b#c\n"
    fixed = LINTER.fix(content, for_profiles=["googlebot"])
    assert fixed.content == b"User-agent: *\nDisallow: /a/\nDisallow: /b#c\n"
    assert "yandex" in VerdictChanges(content).changed_profiles(fixed.content)
    assert LINTER.fix(content, for_profiles=["googlebot", "yandex"]).content == content


@pytest.mark.slow
def test_fixes_past_the_limit_of_comparisons_are_counted() -> None:
    lines = [b"Disallow: a%d/\n" % number for number in range(40)]
    content = b"User-agent: *\n" + b"".join(lines)
    assert LINTER.fix(content, for_profiles=["google"]).report.undecided_fixes == 0
    # Each comparison parses the whole file, so a large one has few of them.
    large = content + b"#" + b"x" * 400_000 + b"\n"
    fixed = LINTER.fix(large, for_profiles=["google"])
    assert fixed.content == large
    assert 0 < fixed.report.undecided_fixes < 40
    assert LINTER.fix(large, for_profiles=["google"]).report.undecided_fixes == fixed.report.undecided_fixes


@pytest.mark.slow
def test_fixes_past_the_limit_of_rounds_are_counted() -> None:
    # Fixes of adjacent lines wait for the next round, so each round removes every second line.
    content = b"User-agent: *\nDisallow: /a\n" + b"Disallow: /a\n" * 80 + b"#" + b"x" * 480_000 + b"\n"
    fixed = LINTER.fix(content)
    assert fixed.content.count(b"Disallow") == 6
    assert fixed.report.undecided_fixes == 5
    again = LINTER.fix(fixed.content)
    assert again.content.count(b"Disallow") == 1
    assert again.report.undecided_fixes == 0


@pytest.mark.slow
def test_fix_that_is_not_decided_is_counted() -> None:
    letters = str.maketrans("0123456789", "ghijklmnop")
    names = "".join(f"User-agent: bot{number:x}\n".translate(letters) for number in range(3000))
    fixed = LINTER.fix(f"{names}Disallow: /a**b\n".encode(), for_profiles=["google"])
    assert fixed.report.undecided_fixes == 1
    assert [one.check.name for one in fixed.report.findings if one.fix is not None] == ["double-star"]


def test_profiles_of_a_fix_are_validated() -> None:
    with pytest.raises(UnknownProfile, match="unknown profile 'googel': did you mean 'google'"):
        LINTER.fix(b"", for_profiles=["googel"])
    with pytest.raises(TypeError, match="invalid for_profiles 'google': expected a list"):
        LINTER.fix(b"", for_profiles="google")
    with pytest.raises(InvalidOption, match="unsafe and for_profiles cannot be used together"):
        LINTER.fix(b"", unsafe=True, for_profiles=["google"])


def test_changed_profiles_of_findings() -> None:
    report = LINTER.lint(b"User-agent: *\n  Disallow: /b*\nDisallow /a/\nDisallow: /x$y\n")
    found = {finding.check.name: finding.changed_profiles for finding in report.findings}
    assert found["indented-record"] == ()
    assert found["dollar-inside"] == ()
    assert found["missing-colon"] == tuple(
        profile for profile in PROFILES if profile not in ("rfc9309", "google", "googlebot", "bing")
    )


@pytest.mark.slow
def test_changed_profiles_are_computed_within_a_budget() -> None:
    rules = b"".join(b"Disallow /%d/\n" % number for number in range(9000))
    report = Linter(select=["missing-colon"]).lint(b"User-agent: *\n" + rules)
    computed = [finding.changed_profiles is not None for finding in report.findings[:4]]
    assert computed == [True, False, False, False]
    # The answer stays the same.
    assert report.findings[0].changed_profiles is report.findings[0].changed_profiles
    assert report.findings[1].to_json()["fix"]["changed_profiles"] is None


@pytest.mark.slow
def test_fix_of_a_file_past_the_size_limit_does_not_reveal_its_tail() -> None:
    # A shorter file would have the last rule within the limit.
    head = b"User-agent: *\n    Disallow: /a/\n"
    content = head + b"#" * (512_000 - len(head) - 20) + b"\nDisallow: /reveal/\n"
    assert len(content) == 512_000
    over = content[:-1] + b"ed/\n"
    assert parse(over).allows("/revealed/", agent="a")
    assert LINTER.fix(over).content == over
    assert LINTER.fix(over, for_profiles=["rfc9309"]).content == over
