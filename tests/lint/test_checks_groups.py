"""Checks of groups: files that they report, files that they do not report, and fixes."""

import re

import pytest

from canfetch import parse
from canfetch.lint import Finding, Linter
from canfetch.lint.catalogue import LANGUAGES, load_catalogue

LINTER = Linter(severities="all", findings_limit=None)


def findings(content: bytes, code: str) -> list[Finding]:
    return [finding for finding in LINTER.lint(content).findings if finding.check.code == code]


@pytest.mark.parametrize(
    "code, content",
    [
        ("CF301", b"Disallow: /a\n\nUser-agent: *\nDisallow: /b\n"),
        ("CF301", b"# rules\n\nAllow: /\nDisallow: /a\n"),
        ("CF302", b"User-agent: *\n"),
        ("CF302", b"User-agent: *\nDisallow: /\n\nUser-agent: a\nCrawl-delay: 5\n"),
        ("CF303", b"User-agent: a\nDisallow: /x\n\nUser-agent: A\nDisallow: /y\n"),
        ("CF303", b"User-agent: *\nDisallow: /x\n\nUser-agent: *\nDisallow: /x\n"),
        ("CF304", b"User-agent: a\nUser-agent: b\nUser-agent: a\nDisallow: /\n"),
        ("CF304", b"User-agent: a/1\nUser-agent: A\nDisallow: /\n"),
        ("CF305", b"User-agent: *\n\nDisallow: /a\n"),
        ("CF305", b"User-agent: *\nDisallow: /a\n\n# b\n\nDisallow: /b\n"),
        ("CF305", b"User-agent: a\n\nUser-agent: b\nDisallow: /b\n"),
        ("CF306", b"User-agent: a\nDisallow: /\n# b\nUser-agent: b\nDisallow: /b\n"),
        ("CF306", b"Disallow: /\nUser-agent: b\nDisallow: /b\n"),
        ("CF307", b"User-agent: *\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\nAllow: /z\n"),
        ("CF307", b"User-agent: a\nDisallow: /y\n\nUser-agent: *\nDisallow: /x/*/y\n"),
        ("CF308", b"User-agent: a\nCrawl-delay: 5\nUser-agent: b\nDisallow: /\n"),
        ("CF308", b"User-agent: a\nSitemap: https://example.com/s\n\nUser-agent: b\nDisallow: /\n"),
        ("CF309", b"Request-rate: 1/5\nUser-agent: *\nDisallow: /\n"),
        ("CF309", b"Crawl-delay: 5\n"),
        ("CF310", b"# BEGIN Cloudflare Managed content\nUser-agent: *\nAllow: /\n"),
        ("CF310", b"User-agent: b\nAllow: /\n# BEGIN CLOUDFLARE MANAGED ROBOTS.TXT\n# END Cloudflare managed\n"),
        ("CF311", b"User-agent: *\nDisallow: /\nAllow: /a\n"),
        ("CF311", b"User-agent: *\nDisallow: /a/\nDisallow: /b/\nAllow: /a/b\n"),
        ("CF312", b"User-agent: *\nDisallow: /a\nAllow: /a\n"),
        ("CF312", b"User-agent: a\nDisallow: /%61\n\nUser-agent: a\nAllow: /a\n"),
        # Each crawler that reads the rule also reads an `Allow` in one of its groups.
        (
            "CF312",
            b"User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: a\nAllow: /x\n\nUser-agent: b\nAllow: /x\n",
        ),
        ("CF312", b"User-agent: *\nDisallow: */a\nDisallow: /*.pdf$\nDisallow: */ab\nAllow: */a\n"),
    ],
)
def test_reported(code: str, content: bytes) -> None:
    assert findings(content, code)


@pytest.mark.parametrize(
    "code, content",
    [
        ("CF301", b"User-agent: *\n\nDisallow: /a\n"),
        ("CF301", b"Sitemap: https://example.com/s\nUser-agent: *\nDisallow:\n"),
        ("CF302", b"User-agent: *\nDisallow:\n"),
        ("CF302", b"User-agent: a\nUser-agent: b\nAllow: /\n"),
        ("CF303", b"User-agent: a\nUser-agent: A\nDisallow: /x\n"),
        ("CF303", b"User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /x\n"),
        ("CF304", b"User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n"),
        ("CF304", b"User-agent: a\nUser-agent: ab\nDisallow: /x\n"),
        ("CF305", b"User-agent: *\nDisallow: /a\n#\nDisallow: /b\n\nUser-agent: b\nDisallow:\n"),
        ("CF305", b"User-agent: *\nDisallow: /a\n\nSitemap: https://example.com/s\n"),
        ("CF305", b"User-agent: a\n\nUser-agent: b\n"),
        ("CF306", b"User-agent: a\nDisallow: /\n\n# b\nUser-agent: b\nDisallow: /b\n"),
        ("CF306", b"User-agent: a\nUser-agent: b\nDisallow: /b\n"),
        ("CF307", b"User-agent: *\nDisallow: /x\n\nUser-agent: a\nDisallow: /\n"),
        ("CF307", b"User-agent: *\nDisallow: /x\n\nUser-agent: a\nDisallow:\n"),
        ("CF307", b"User-agent: *\nDisallow: /x/y\n\nUser-agent: a\nDisallow: /x\n"),
        ("CF307", b"User-agent: *\nDisallow: /\n\nUser-agent: a\nDisallow: /x\n"),
        ("CF308", b"User-agent: a\nUser-agent: b\nCrawl-delay: 5\nDisallow: /\n"),
        ("CF308", b"User-agent: a\nCrawl-delay: 5\nDisallow:\n\nUser-agent: b\nDisallow: /\n"),
        ("CF309", b"User-agent: *\nCrawl-delay: 5\n"),
        ("CF309", b"Sitemap: https://example.com/s\nHost: example.com\n"),
        ("CF310", b"# Cloudflare is ours\nUser-agent: *\nAllow: /\n"),
        ("CF310", b"User-agent: *\nDisallow: /cloudflare-managed\n"),
        ("CF311", b"User-agent: *\nAllow: /a\nDisallow: /\n"),
        ("CF311", b"User-agent: *\nDisallow: /*.php\nAllow: /a.php\n"),
        # Parsers that use the first match find another rule before the disallow rule.
        ("CF311", b"User-agent: *\nAllow: /\nDisallow: /a/\nAllow: /a/b\n"),
        ("CF311", b"User-agent: *\nAllow: /\n\nUser-agent: b\nDisallow:\n\nUser-agent: *\nDisallow: /a\nAllow: /a/b\n"),
        ("CF311", b"User-agent: a\nDisallow: /\n\nUser-agent: b\nAllow: /x\n"),
        ("CF312", b"User-agent: a\nDisallow: /a\n\nUser-agent: b\nAllow: /a\n"),
        ("CF312", b"User-agent: *\nDisallow:\nAllow:\n"),
        # The rule decides for the crawler `b`.
        ("CF312", b"User-agent: a\nUser-agent: b\nDisallow: /\n\nUser-agent: a\nAllow: /\n"),
        # A longer rule decides instead of both.
        ("CF312", b"User-agent: *\nDisallow: /\nDisallow: **\nAllow: /\n"),
        ("CF312", b"User-agent: *\nDisallow: /?a=/\nDisallow: /?*a*=*%2F\nAllow: /?a=/\n"),
        ("CF312", b"User-agent: *\nDisallow: a\nAllow: a\n"),
    ],
)
def test_not_reported(code: str, content: bytes) -> None:
    assert not findings(content, code)


@pytest.mark.parametrize(
    "code, content, after",
    [
        ("CF301", b"# a\nDisallow: /a\n", b"# a\nUser-agent: *\nDisallow: /a\n"),
        ("CF302", b"User-agent: a # b\n", b"User-agent: a # b\nDisallow:\n"),
        ("CF302", b"User-agent: a", b"User-agent: a\nDisallow:"),
        ("CF304", b"User-agent: a\nUser-agent: a\nAllow: /\n", b"User-agent: a\nAllow: /\n"),
        ("CF305", b"User-agent: *\n\n\nAllow: /a\n \nAllow: /b\n\n", b"User-agent: *\nAllow: /a\nAllow: /b\n\n"),
        (
            "CF306",
            b"User-agent: a\r\nDisallow: /\r\n# b\r\nUser-agent: b\r\nAllow: /\r\n",
            b"User-agent: a\r\nDisallow: /\r\n\r\n# b\r\nUser-agent: b\r\nAllow: /\r\n",
        ),
        (
            "CF308",
            b"User-agent: a\nCrawl-delay: 5\n# b\n\nUser-agent: b\nAllow: /\n",
            b"User-agent: a\nCrawl-delay: 5\nDisallow:\n# b\n\nUser-agent: b\nAllow: /\n",
        ),
        ("CF311", b"User-agent: *\nDisallow: /\nAllow: /a", b"User-agent: *\nAllow: /a\nDisallow: /\n"),
    ],
)
def test_fix(code: str, content: bytes, after: bytes) -> None:
    assert LINTER.fix(content, unsafe=True, only=[code]).content == after


@pytest.mark.parametrize(
    "code, content, changes",
    [
        ("CF304", b"User-agent: a\nUser-agent: a\nAllow: /\n", False),
        ("CF304", b"User-agent: a\nCrawl-delay: 5\nUser-agent: a\nAllow: /\n", True),
        ("CF304", b"User-agent: a\nUser-agent: A\nAllow: /\n", True),
        ("CF306", b"User-agent: a\nDisallow: /\nUser-agent: b\nAllow: /\n", False),
        # In the 1994 standard, `Allow` is not a rule, so the next user-agent line continues the group.
        ("CF306", b"User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /\n", True),
        ("CF306", b"User-agent: a\nDisallow: /\nUseragent: b\nDisallow: /\n", True),
    ],
)
def test_fix_declares_whether_it_changes_verdicts(code: str, content: bytes, *, changes: bool) -> None:
    fix = findings(content, code)[0].fix
    assert fix is not None
    assert fix.changes_verdicts is changes


def test_blank_line_ends_the_group_only_for_yandex() -> None:
    found = findings(b"User-agent: *\nDisallow: /a\n\nDisallow: /b\n", "CF305")[0]
    assert {verdict.crawler for verdict in found.verdicts if verdict.allowed} == {"YandexBot"}


def test_managed_block_lists_crawlers_that_also_have_own_groups() -> None:
    content = (
        b"# BEGIN Cloudflare Managed content\nUser-agent: *\nAllow: /\n\nUser-agent: b\nDisallow: /\n"
        b"# END Cloudflare Managed Content\n\nUser-agent: *\nDisallow: /x\n"
    )
    assert findings(content, "CF310")[0].details["names"] == "`*`"


def test_one_fix_moves_all_allows_that_a_disallow_covers() -> None:
    content = b"User-agent: *\nDisallow: /\n" + b"".join(b"Allow: /%d\n" % number for number in range(100))
    fixed = LINTER.fix(content, unsafe=True, only=["CF311"])
    assert len(fixed.fixed) == 1
    assert not findings(fixed.content, "CF311")


def test_path_with_two_slashes_is_shown_with_a_host() -> None:
    found = findings(b"User-agent: *\nDisallow: // x\nDisallow: //a\n\nDisallow: //b/c\n", "CF305")[0]
    assert found.verdicts[0].url == "https://example.com//b/c"
    assert not found.verdicts[0].allowed


def test_escape_makes_paths_different_for_google() -> None:
    found = findings(b"User-agent: *\nAllow: /%7Ea\nDisallow: /~a\n", "CF312")[0]
    assert {verdict.crawler for verdict in found.verdicts if not verdict.allowed} == {"Googlebot"}
    assert "crawlers that read both as the same path" in found.message()


@pytest.mark.parametrize(
    "code, group, other",
    [
        ("CF312", b"User-agent: a\nDisallow: /x\n", b"User-agent: a\nAllow: /x\n"),
        ("CF413", b"User-agent: a\nAllow:\n", b""),
        ("CF418", b"User-agent: a\nDisallow: /robots.txt\n", b""),
        ("CF426", b"User-agent: a\nDisallow: /x\n", b"User-agent: a\nAllow: /*x\n"),
        ("CF701", b"User-agent: *\nDisallow: /\n", b"User-agent: a\nDisallow: /\n"),
        ("CF707", b"User-agent: *\nDisallow: /$\n", b""),
    ],
)
def test_the_advice_to_remove_a_rule_is_also_right_for_the_last_rule_of_a_group(
    code: str, group: bytes, other: bytes
) -> None:
    following = b"\nUser-agent: b\nDisallow: /private/\n\n" + other
    (finding,) = findings(group + following, code)
    assert finding.line == 2
    agent = group.splitlines()[0].split()[1]
    reader = "unnamed" if agent == b"*" else agent.decode()
    # Without any rule, the group would be merged with the next one.
    merged = parse(b"User-agent: " + agent + b"\n" + following)
    assert not merged.allows("/private/", agent=reader)
    followed = b"User-agent: " + agent + b"\nDisallow:\n" + following
    assert parse(followed).allows("/private/", agent=reader)
    assert not parse(followed).allows("/private/", agent="b")
    assert not findings(followed, code)
    for language in LANGUAGES:
        assert "`Disallow:`" in load_catalogue(language).texts(finding.check).how_to_fix


@pytest.mark.parametrize(
    "content, line",
    [
        (b"Disallow: /a\n\nUser-agent: *\nDisallow: /b\n", 3),
        (b"# a\nAllow: /\nDisallow: /a\nUser-agent: a\nUser-agent: b\nDisallow:\n\nUser-agent: c\nDisallow:\n", 4),
        (b"Disallow: /a\r\nSitemap: https://example.com/s\r\nuseragent: a", 3),
    ],
)
def test_advice_about_rules_outside_of_groups_names_the_first_user_agent_line(content: bytes, line: int) -> None:
    (finding,) = findings(content, "CF301")
    assert finding.how_to_fix() == (
        "Write a `User-agent` line above the rules. `User-agent: *` applies to all crawlers. "
        f"The first `User-agent` line is line {line}: if the rules are meant for its group, move them there."
    )
    for language in LANGUAGES:
        catalogue = load_catalogue(language)
        advice = finding.how_to_fix(catalogue)
        assert advice.startswith(catalogue.texts(finding.check).how_to_fix)
        assert re.findall("[0-9]+", advice) == [str(line)]
        assert advice == finding.to_json(catalogue)["how_to_fix"]


@pytest.mark.parametrize("content", [b"Disallow: /a\n", b"Disallow: /a\n# User-agent: *\nUser agnt *\nDisallow: /b\n"])
def test_advice_about_rules_outside_of_groups_names_no_line_without_a_user_agent_line(content: bytes) -> None:
    (finding,) = findings(content, "CF301")
    for language in LANGUAGES:
        catalogue = load_catalogue(language)
        assert finding.how_to_fix(catalogue) == catalogue.texts(finding.check).how_to_fix


def test_groups_of_the_same_crawler_have_one_finding_about_inheritance() -> None:
    general = b"User-agent: *\nDisallow: /p/\n\n"
    twice = general + b"User-agent: FooBot\nDisallow: /a/\n\nUser-agent: foobot\nDisallow: /b/\n"
    assert [finding.line for finding in findings(twice, "CF307")] == [4]
