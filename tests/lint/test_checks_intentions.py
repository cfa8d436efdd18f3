"""Checks of files that do something else than their author meant: inputs reported, not reported, and fixes."""

import pytest

from canfetch.lint import Linter, Severity

LINTER = Linter(findings_limit=None)


def lines(text: str, code: str) -> list[int]:
    return [finding.line for finding in LINTER.lint(text.encode()).findings if finding.check.code == code]


def fixed(text: str, code: str) -> str:
    return LINTER.fix(text.encode(), unsafe=True, only=[code]).content.decode()


@pytest.mark.parametrize(
    "code, text, line",
    [
        ("CF313", "User-agent: *\nUser-agent: *\n# bad\n\nUser-agent: a\nDisallow: /*\n", 2),
        ("CF313", "User-agent: *\nUser-agent: a\nDisallow: /b/\nDisallow: /\n", 1),
        ("CF314", "User-agent: *\nDisallow: /a/\n\nUser-agent: b\nAllow: /c/\nAllow: /d/\n", 5),
        ("CF421", "User-agent: *\nDisallow: /*/*\n", 2),
        ("CF421", "User-agent: a\nAllow: /b/\nDisallow: /*/\n", 3),
        ("CF422", "User-agent: *\nDisallow: *?\n", 2),
        ("CF422", "User-agent: *\nAllow: /*.css?\nDisallow: /*?*\n", 3),
        ("CF423", "User-agent: *\nAllow: //a\nDisallow: /\n", 2),
        ("CF424", "User-agent: *\nDisallow: /?UTM_campaign\n", 2),
        ("CF424", "User-agent: *\nDisallow: /?sort=*\n", 2),
        ("CF432", "User-agent: *\nDisallow: /*?sort=\n", 2),
        ("CF432", "User-agent: *\nDisallow: /shop/*&sort=price*\n", 2),
        ("CF432", "User-agent: *\nDisallow: /a\nDisallow: *&view=old$\n", 3),
        ("CF432", "User-agent: *\nDisallow: /*?*&sort=\n", 2),
        ("CF425", "User-agent: *\nDisallow: /docs/*PDF$\n", 2),
        ("CF425", "User-agent: *\nDisallow: *php$\n", 2),
        ("CF709", "User-agent: *\nDisallow: # disallow everything\n", 2),
        ("CF709", "User-agent: a\nDisallow: /\n\n# Block all crawlers!\n\nUser-agent: *\nDisallow:\n", 7),
        ("CF710", "User-agent: *\nAllow: /ads.txt$\nAllow: /.well-known/security\nDisallow: *\n", 4),
    ],
)
def test_reported(code: str, text: str, line: int) -> None:
    assert lines(text, code) == [line]


@pytest.mark.parametrize(
    "code, text",
    [
        ("CF313", "User-agent: *\nUser-agent: a\nDisallow: /b/\n"),
        ("CF313", "User-agent: a\nUser-agent: *\nDisallow: /\n"),
        ("CF313", "User-agent: *\nDisallow:\nUser-agent: a\nDisallow: /\n"),
        ("CF313", "User-agent: *\nUser-agent: *\nDisallow: /\n"),
        ("CF314", "User-agent: *\nAllow: /\n"),
        ("CF314", "User-agent: *\nAllow: /a/\nAllow: /\n"),
        ("CF314", "User-agent: *\nAllow: /a/\nDisallow:\n"),
        ("CF314", "User-agent: *\nAllow: /a/\n\nUser-agent: *\nDisallow: /\n"),
        ("CF314", "User-agent:\nAllow: /a/\n"),
        ("CF421", "User-agent: *\nDisallow: /*/a/\n"),
        ("CF421", "User-agent: *\nAllow: /folder/page\nDisallow: /*/\n"),
        ("CF422", "User-agent: *\nDisallow: /*?sort=\n"),
        ("CF422", "User-agent: *\nDisallow: /?\n"),
        ("CF423", "User-agent: *\nDisallow: /*//\n"),
        ("CF423", "User-agent: *\nDisallow: // a comment\n"),
        ("CF424", "User-agent: *\nDisallow: /?s=\n"),
        ("CF432", "User-agent: *\nDisallow: /*?sort=\nDisallow: /*&sort=\n"),
        ("CF432", "User-agent: *\nDisallow: /*&sort=\nDisallow: /*?\n"),
        ("CF432", "User-agent: *\nDisallow: /*sort=\nDisallow: /*&sort=\n"),
        ("CF432", "User-agent: *\nAllow: /*?page=\n"),
        ("CF432", "User-agent: *\nDisallow: /search?q=\n"),
        ("CF432", "User-agent: *\nDisallow: /index.php?title=*&diff=\n"),
        ("CF424", "User-agent: *\nDisallow: /?sid=7198470\n"),
        ("CF424", "User-agent: *\nDisallow: /?utm_source=\nDisallow: /*?utm_\n"),
        ("CF425", "User-agent: *\nDisallow: /*.pdf$\nDisallow: /*pdf\nDisallow: /*-html$\n"),
        ("CF709", "# Block all robots\nUser-agent: *\nDisallow:\nDisallow: /\n"),
        ("CF709", "# Block all robots from /private\nUser-agent: *\nDisallow:\n"),
        ("CF709", "# To block all robots, write a slash\nUser-agent: *\nDisallow:\n"),
        ("CF709", "# Block all robots\nUser-agent: a\nDisallow: /\n\nUser-agent: *\nDisallow:\n"),
        ("CF710", "User-agent: *\nAllow: /public/\nDisallow: /\n"),
        ("CF710", "User-agent: *\nAllow: /shop\nDisallow: /\n"),
        ("CF710", "User-agent: *\nAllow: /*/shop$\nDisallow: /\n"),
        ("CF710", "User-agent: *\nAllow: /*.html\nDisallow: /\n"),
        ("CF710", "User-agent: *\nAllow: /robots.txt\nDisallow: /\n"),
    ],
)
def test_not_reported(code: str, text: str) -> None:
    assert lines(text, code) == []


@pytest.mark.parametrize(
    "code, before, after",
    [
        (
            "CF313",
            "User-agent: *\nUser-agent: a\nDisallow: /\n",
            "User-agent: *\nDisallow:\n\nUser-agent: a\nDisallow: /\n",
        ),
        (
            "CF313",
            "User-agent: *\r\n\r\nUser-agent: a\r\nDisallow: /\r\n",
            "User-agent: *\r\nDisallow:\r\n\r\nUser-agent: a\r\nDisallow: /\r\n",
        ),
        ("CF424", "User-agent: *\nDisallow: /?gclid\n", "User-agent: *\nDisallow: /*?gclid\nDisallow: /*&gclid\n"),
        (
            "CF432",
            "User-agent: *\r\nDisallow: /a/*?sort=  # x\r\n",
            "User-agent: *\r\nDisallow: /a/*?sort=  # x\r\nDisallow: /a/*&sort=\r\n",
        ),
        (
            "CF432",
            "User-agent: *\nDisallow: *?*&sort=\n",
            "User-agent: *\nDisallow: *?*&sort=\nDisallow: *?sort=\n",
        ),
        ("CF425", "User-agent: *\nDisallow: *js$\n", "User-agent: *\nDisallow: *.js$\n"),
    ],
)
def test_fix(code: str, before: str, after: str) -> None:
    assert fixed(before, code) == after


def test_no_fix_closes_the_site_of_a_star_that_runs_into_a_group() -> None:
    content = b"User-agent: *\n\nUser-agent: BadBot\nDisallow: /\n"
    after = Linter(severities="all").fix(content, unsafe=True)
    assert after.report.file.robots.allows("/", agent="ExampleBot")
    assert not after.report.file.robots.allows("/", agent="BadBot")


def test_a_closed_site_with_a_list_of_open_crawlers_is_deliberate() -> None:
    text = "User-agent: *\nAllow: /ads.txt\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /a/\n"
    found = [one.severity for one in LINTER.lint(text.encode()).findings if one.check.code == "CF710"]
    assert found == [Severity.INFO]
