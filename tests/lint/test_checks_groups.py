"""Checks of groups: edges at which they speak, and edges at which they do not."""

import pytest

from canfetch.lint import Finding, Linter

LINTER = Linter(findings_limit=None)


def findings(octets: bytes, code: str) -> list[Finding]:
    return [finding for finding in LINTER.lint(octets).findings if finding.check.code == code]


@pytest.mark.parametrize(
    "code, octets",
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
    ],
)
def test_it_fires(code: str, octets: bytes) -> None:
    assert findings(octets, code)


@pytest.mark.parametrize(
    "code, octets",
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
        ("CF311", b"User-agent: a\nDisallow: /\n\nUser-agent: b\nAllow: /x\n"),
        ("CF312", b"User-agent: a\nDisallow: /a\n\nUser-agent: b\nAllow: /a\n"),
        ("CF312", b"User-agent: *\nDisallow:\nAllow:\n"),
    ],
)
def test_it_does_not_fire(code: str, octets: bytes) -> None:
    assert not findings(octets, code)


@pytest.mark.parametrize(
    "code, octets, after",
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
def test_fixes(code: str, octets: bytes, after: bytes) -> None:
    assert LINTER.fix(octets, unsafe=True, only=[code]).content == after


@pytest.mark.parametrize(
    "code, octets, changes",
    [
        ("CF304", b"User-agent: a\nUser-agent: a\nAllow: /\n", False),
        ("CF304", b"User-agent: a\nCrawl-delay: 5\nUser-agent: a\nAllow: /\n", True),
        ("CF304", b"User-agent: a\nUser-agent: A\nAllow: /\n", True),
        ("CF306", b"User-agent: a\nDisallow: /\nUser-agent: b\nAllow: /\n", False),
        # To the standard of 1994 an allow is no rule, and the next user-agent line goes on with the group.
        ("CF306", b"User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /\n", True),
        ("CF306", b"User-agent: a\nDisallow: /\nUseragent: b\nDisallow: /\n", True),
    ],
)
def test_a_fix_says_whether_it_changes_verdicts(code: str, octets: bytes, *, changes: bool) -> None:
    fix = findings(octets, code)[0].fix
    assert fix is not None
    assert fix.changes_verdicts is changes


def test_a_blank_line_is_shown_to_part_yandex_from_the_others() -> None:
    found = findings(b"User-agent: *\nDisallow: /a\n\nDisallow: /b\n", "CF305")[0]
    assert {witness.crawler for witness in found.verdicts if witness.allowed} == {"YandexBot"}


def test_a_managed_block_names_crawlers_that_it_shares_with_the_file() -> None:
    octets = (
        b"# BEGIN Cloudflare Managed content\nUser-agent: *\nAllow: /\n\nUser-agent: b\nDisallow: /\n"
        b"# END Cloudflare Managed Content\n\nUser-agent: *\nDisallow: /x\n"
    )
    assert findings(octets, "CF310")[0].details["names"] == "`*`"


def test_all_that_one_disallow_covers_move_at_once() -> None:
    octets = b"User-agent: *\nDisallow: /\n" + b"".join(b"Allow: /%d\n" % number for number in range(100))
    fixed = LINTER.fix(octets, unsafe=True, only=["CF311"])
    assert len(fixed.fixed) == 1
    assert not findings(fixed.content, "CF311")


def test_a_path_of_two_slashes_is_asked_about_on_a_host() -> None:
    found = findings(b"User-agent: *\nDisallow: // x\nDisallow: //a\n\nDisallow: //b/c\n", "CF305")[0]
    assert found.verdicts[0].url == "https://example.com//b/c"
    assert not found.verdicts[0].allowed


def test_an_escape_parts_the_paths_of_an_allow_and_a_disallow_for_google() -> None:
    found = findings(b"User-agent: *\nAllow: /%7Ea\nDisallow: /~a\n", "CF312")[0]
    assert {witness.crawler for witness in found.verdicts if not witness.allowed} == {"Googlebot"}
    assert "crawlers that read both as the same path" in found.message()
