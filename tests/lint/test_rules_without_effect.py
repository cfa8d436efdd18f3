"""Rules without effect: the findings are those of exact comparisons, and of all short URLs."""

import random
from collections.abc import Collection, Iterator
from functools import cache
from itertools import product

import pytest
from tests.lint.corpus import corpus_folder

from canfetch import RobotsTxt, parse
from canfetch.lint import Linter
from compare_dead_rules import CODES, GOOGLE, LARGE, LAST, LIMIT, NO_AGENT, NO_URL, TOGETHER, Comparison

LINTER = Linter(select=CODES, findings_limit=None)
AGENTS = ("x", "y", "z", "unnamed")


def findings(*lines: str) -> list[tuple[str, int, str]]:
    content = "\n".join(["User-agent: *", *lines, ""]).encode()
    return [
        (one.check.code, one.line, one.details.get("lines") or one.details.get("line", ""))
        for one in LINTER.lint(content).findings
    ]


def test_a_rule_that_a_longer_opposing_rule_always_beats_is_reported() -> None:
    assert findings("Allow: /grid/", "Disallow: /grid/*") == [("CF426", 2, "3")]
    assert findings("Disallow: /abc", "Allow: /*a*b*c") == [("CF426", 2, "3")]
    # Only together, the opposing rules match all URLs of the rule.
    assert findings("Disallow: */a/", "Allow: /a/*****", "Allow: /*/a/") == [("CF426", 2, "3, 4")]
    assert findings("Disallow: */a/", "Allow: /*/a/") == []


def test_of_repeated_rules_that_another_one_covers_each_has_one_finding() -> None:
    lines = ["Disallow: /a", "Disallow: /a***", "Disallow: */*$", "Allow: /a$"]
    assert [one[:2] for one in findings(*lines)] == [("CF405", 2), ("CF406", 3), ("CF426", 5)]


def test_a_rule_that_several_rules_cover_together_is_reported() -> None:
    assert findings("Disallow: /print", "Disallow: /*/print", "Disallow: */print/") == [("CF427", 4, "2, 3")]
    # Without line 4, the `Allow` line would win over line 2.
    lines = ["Disallow: /print", "Disallow: /*/print", "Disallow: */print/", "Allow: /print/"]
    assert findings(*lines) == [("CF426", 5, "4")]


def test_names_and_rules_with_bytes_that_no_crawler_and_no_url_has() -> None:
    # Nothing decides for a name that is shown in another spelling.
    assert LINTER.lint(b"Useragent \xad\nDisalow:\nAllow /\x1b").findings == ()
    assert LINTER.lint(b"User-agent: \xad\nDisallow: /a/b\nAllow: /a/*").findings == ()
    # The rule in line 2 matches no URL, and other checks report it.
    assert LINTER.lint(b"Useragent::\nAllow:/\0\nDisalow:").findings == ()
    assert findings("Disallow: /a\0", "Disallow: /a/*") == []


def test_a_rule_in_another_group_of_the_crawler_makes_a_rule_redundant() -> None:
    lines = ["Disallow: /a", "Disallow: /b", "", "User-agent: *", "User-agent: x", "Disallow: /a", "Disallow: /c"]
    # Without line 7, the crawler `x` may fetch `/a`.
    assert findings(*lines) == [("CF427", 2, "7")]


def test_a_group_without_effect_is_removed_as_a_whole() -> None:
    lines = ["Disallow: /a", "", "User-agent: *", "Disallow: /a", "", "User-agent: x", "Disallow: /b"]
    assert findings(*lines) == [("CF427", 5, "2")]
    content = "\n".join(["User-agent: *", *lines, ""]).encode()
    fixed = Linter(select=["CF427"]).fix(content, for_profiles=["rfc9309", "google"]).content
    assert fixed == b"User-agent: *\nDisallow: /a\n\n\nUser-agent: x\nDisallow: /b\n"
    # The group has another record.
    content = content.replace(b"/a\n\nUser-agent: x", b"/a\nCrawl-delay: 1\n\nUser-agent: x")
    assert Linter(select=["CF427"]).fix(content, unsafe=True).content == content


def test_an_allow_rule_that_makes_no_exception_is_reported() -> None:
    assert findings("Allow: /", "Disallow: /a") == [("CF428", 2, "")]
    assert findings("Allow: /a/b", "Disallow: /a") == []
    assert findings("Allow: /a", "Disallow: /a/b") == [("CF428", 2, "")]
    assert findings("Allow: /a/b", "Disallow: /*x", "Disallow: /c") == []
    assert findings("Allow: /robots.txt$", "Disallow: /") == [("CF428", 2, "")]
    # A group with `Allow` rules only is another fault.
    content = b"User-agent: *\nAllow: /a\nAllow: /b\n"
    assert [one.check.code for one in Linter(select=["CF314", "CF428"]).lint(content).findings] == ["CF314"]


def test_repeated_rules_that_conflict_with_another_are_reported_once() -> None:
    content = b"User-agent: *\nAllow: /a\nDisallow: /a\nDisallow: /b\n"
    assert [one.check.code for one in Linter(select=["CF312", "CF426"]).lint(content).findings] == ["CF312"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_rule_that_conflicts_with_another_has_one_finding_and_no_effect(seed: int) -> None:
    urls = short_urls("ab/?z", 4)
    linter = Linter(select=[*CODES, "CF312"], findings_limit=None)
    found = 0
    for content in generated_files(seed, 200):
        report = linter.lint(content)
        lines = [one.line for one in report.findings]
        assert len(lines) == len(set(lines)), content
        conflicting = {one.line for one in report.findings if one.check.code == "CF312"}
        robots = parse(content)
        for without in ({line} for line in conflicting):
            assert verdicts(robots, urls) == verdicts(parse(with_void(content, without)), urls), content
        found += len(conflicting)
    assert found > 10


def test_rules_that_are_redundant_only_together_are_not_both_reported() -> None:
    # Without either of the last two, `/abcdz` is disallowed by the other.
    for order in product((0, 1), repeat=2):
        rules = ["Disallow: /abcd", "Disallow: /abcd*z"]
        others = ["Disallow: /a", "Allow: /*z"]
        lines = [*rules[:: 1 - 2 * order[0]], *others[:: 1 - 2 * order[1]]]
        assert len(findings(*lines)) == 1


def test_google_reads_other_rules() -> None:
    # Google's parser also allows the folder of an index page, and reads keys by their prefix.
    assert findings("Allow: /a/index.html", "Disallow: /b") == []
    assert findings("Allow: /a", "Disallow: /b", "Disallow-x: /a") == []


def test_google_reads_rules_in_another_spelling() -> None:
    assert findings("Disallow: /~a", "Disallow: /%7Ea") == []
    assert findings("Disallow: /~a", "Disallow: /%7Ea/b", "Disallow: /~a/c") == [("CF406", 4, "2")]
    # Each spelling is covered, and each one has a finding.
    assert findings("Disallow: /", "Disallow: /a b", "Disallow: /a%20b") == [("CF406", 3, "2"), ("CF406", 4, "2")]
    # For Google, line 4 is longer than line 3.
    assert findings("Disallow: /%7E", "Allow: /*a/b/", "Disallow: /%7Ea/b") == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_findings_are_also_right_for_google(seed: int) -> None:
    urls = [url.replace("t", "%61").replace("B", "%7B") for url in short_urls("at/{B", 4) if url[:2] != "//"]
    found = 0
    for content in generated_files(seed, 40, ("a", "%61", "/", "*", "{", "%7B")):
        compared = Comparison(content)
        assert not compared.wrong, content
        before, after = (parse(file, profile="google") for file in (content, with_void(content, compared.reported)))
        assert verdicts(before, urls) == verdicts(after, urls), content
        found += len(compared.reported)
    assert found > 60


def test_a_very_long_rule_is_not_left_out_of_comparisons() -> None:
    rule = "/" + "a" * 2001
    assert findings("Disallow: /*a", f"Allow: {rule}", "Allow: /b") == []


@cache
def short_urls(characters: str, length: int) -> list[str]:
    return ["/" + "".join(rest) for size in range(length + 1) for rest in product(characters, repeat=size)]


def verdicts(robots: RobotsTxt, urls: list[str]) -> list[list[bool]]:
    return [robots.rules_for(agent).allows_many(urls) for agent in AGENTS]


def with_void(content: bytes, lines: Collection[int]) -> bytes:
    """Return a file in which some rules match nothing, so that each group keeps a rule."""
    numbered = enumerate(content.splitlines(keepends=True), 1)
    return b"".join(b"Disallow: x\n" if number in lines else line for number, line in numbered)


def generated_files(seed: int, count: int, parts: tuple[str, ...] = ("a", "b", "/", "*", "?")) -> Iterator[bytes]:
    randomness = random.Random(seed)  # noqa: S311 - reproducible test data
    for _ in range(count):
        lines: list[str] = []
        for _ in range(randomness.randrange(1, 4)):
            lines += [
                f"User-agent: {name}" for name in randomness.sample(("*", "x", "y"), randomness.choice((1, 1, 2)))
            ]
            for _ in range(randomness.randrange(1, 7)):
                value = randomness.choice(("/", "/", "/", "*", "/a", "/*", "*/"))
                value += "".join(randomness.choices(parts, (5, 3, 2, 3, 1, 2)[: len(parts)], k=randomness.randrange(4)))
                value += randomness.choice(("", "", "", "$", "*", "%2F"))
                lines.append(randomness.choice(("Allow: ", "Disallow: ", "Disallow: ")) + value)
        yield "\n".join([*lines, ""]).encode()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_findings_are_those_of_exact_comparisons_and_of_all_short_urls(seed: int) -> None:
    urls = short_urls("ab/?z", 5)
    found = 0
    for content in generated_files(seed, 40):
        compared = Comparison(content)
        assert not compared.wrong, content
        assert LIMIT not in compared.missing.values(), content
        overridden = {line for line, code in compared.reported.items() if code == "CF426"}
        # A rule that others beat decides about no URL.
        assert overridden <= compared.dead.keys()
        robots = parse(content)
        for without in ({line} for line in compared.reported), [compared.reported.keys()]:
            for lines in without:
                assert verdicts(robots, urls) == verdicts(parse(with_void(content, lines)), urls), content
        found += len(compared.reported)
    assert found > 60


@pytest.mark.slow
def test_each_rule_without_effect_of_real_files_is_reported_or_explained() -> None:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("CANFETCH_CORPUS is not set")
    reasons = {NO_AGENT, NO_URL, LAST, TOGETHER, GOOGLE, LARGE, LIMIT}
    undecided = 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file())[::4]:
        compared = Comparison(path.read_bytes())
        assert not compared.wrong, path.name
        assert set(compared.missing.values()) <= reasons
        undecided += list(compared.missing.values()).count(LIMIT)
    assert undecided < 50
