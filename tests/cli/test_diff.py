"""`canfetch diff`."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from canfetch.core.profiles import PROFILES

Run = Any
OLD = "User-agent: *\nDisallow: /old/\nDisallow: /both/\n\nUser-agent: GPTBot\nDisallow: /\n"
NEW = (
    "User-agent: *\nDisallow: /both/\nDisallow: /new/\nAllow: /new/public/\n\n"
    "User-agent: GPTBot\nAllow: /blog/\nDisallow: /\n"
)


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "old.txt").write_text(OLD, encoding="utf-8")
    (folder / "new.txt").write_text(NEW, encoding="utf-8")


def test_agents_with_the_same_change_are_one_row(run: Run) -> None:
    ran = run("diff", "old.txt", "new.txt", "--agent", "GPTBot", "--agent", "Googlebot", "--agent", "bingbot")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == (
        "GPTBot\n  gains /blog/\n        such as /blog/\n\n"
        "Googlebot, bingbot\n  loses /new/ (in part)\n        such as /new/\n  gains /old/\n        such as /old/\n\n"
        "3 agents compared: 2 with lost URLs, 3 with gained URLs.\n"
    )


def test_all_crawlers_and_any_other_agent_are_compared_by_default(run: Run) -> None:
    ran = run("diff", "old.txt", "new.txt")
    assert ran.code == 1
    assert ran.lines[0].startswith("any other agent, ")
    assert "GPTBot" in ran.lines


def test_equivalent_files_have_no_difference(run: Run, folder: Path) -> None:
    (folder / "same.txt").write_text(OLD.replace("/old/", "/old/*") + "Disallow: /x\n", encoding="utf-8")
    ran = run("diff", "old.txt", "same.txt", "--agent", "GPTBot", "--agent", "Googlebot")
    assert ran == (0, "No change for 2 agents: the files are equivalent for every URL.\n", "")


@pytest.mark.parametrize(
    "condition, code",
    [
        ("any loses /new/", 1),
        ("any loses /new/public/", 0),
        ("Any loses /new/", 1),
        ("ANY loses /new/public/", 0),
        ("GPTBot gains", 1),
        ("GPTBot gains /blog/x$", 1),
        ("GPTBot loses", 0),
        ("GPTBot changes /shop/", 0),
        ("Googlebot changes /old/", 1),
    ],
)
def test_conditions_decide_about_the_exit_code(run: Run, condition: str, code: int) -> None:
    ran = run("diff", "old.txt", "new.txt", "--fail-on", condition)
    assert ran.code == code
    assert (f"--fail-on '{condition}' holds: " in ran.out) is bool(code)


@pytest.mark.parametrize(
    "verb, change", [("loses", "loses /new/"), ("gains", "gains /old/"), ("changes", "loses /new/")]
)
def test_a_condition_that_holds_is_shown_with_an_example(run: Run, verb: str, change: str) -> None:
    ran = run("diff", "old.txt", "new.txt", "--fail-on", f"Googlebot {verb}")
    assert ran.lines[-1] == f"--fail-on 'Googlebot {verb}' holds: Googlebot {change}"
    listed = run("diff", "old.txt", "new.txt", "--fail-on", f"Googlebot {verb}", "--format", "markdown")
    word, url = change.split()
    assert listed.lines[-1] == f"- :x: `Googlebot {verb}`: `Googlebot` {word} `{url}`"


@pytest.mark.parametrize(
    "condition, message",
    [
        ("GPTBot", "canfetch: invalid --fail-on 'GPTBot': expected AGENT loses|gains|changes [PATTERN]"),
        ("GPTBot stops /", "canfetch: invalid --fail-on 'GPTBot stops /': expected AGENT"),
        ("a/b loses", "canfetch: --fail-on: invalid agent 'a/b'"),
        ("GPTBot,CCBot loses", "canfetch: --fail-on: invalid agent 'GPTBot,CCBot': expected one name without"),
        ("any loses blog", "canfetch: --fail-on 'any loses blog': invalid pattern 'blog': expected a path pattern"),
        ("any loses /a#b", "canfetch: --fail-on 'any loses /a#b': invalid pattern '/a#b': it matches no URL, because"),
        ("any loses /robots.txt$", "canfetch: --fail-on 'any loses /robots.txt$': invalid pattern '/robots.txt$': it "),
        ("any loses /./", "canfetch: --fail-on 'any loses /./': invalid pattern '/./': it matches no URL, because"),
    ],
)
def test_invalid_conditions(run: Run, condition: str, message: str) -> None:
    ran = run("diff", "old.txt", "new.txt", "--fail-on", condition)
    assert ran.code == 2
    assert ran.err.startswith(message)


def test_json(run: Run) -> None:
    ran = run("diff", "old.txt", "new.txt", "--agent", "GPTBot", "--format", "json", "--fail-on", "any gains")
    assert json.loads(ran.out) == {
        "schema": "canfetch.diff/1",
        "old": "old.txt",
        "new": "new.txt",
        "agents": 1,
        "changes": [
            {
                "agents": ["GPTBot"],
                "newly_allowed": {
                    "patterns": ["/blog/"],
                    "partial_patterns": [],
                    "examples": ["/blog/"],
                    "listed": [],
                },
                "newly_disallowed": {"patterns": [], "partial_patterns": [], "examples": [], "listed": []},
            }
        ],
        "failures": [{"condition": "any gains", "agent": "GPTBot", "url": "/blog/"}],
    }


def test_markdown_and_html_escape_the_files(run: Run, folder: Path) -> None:
    (folder / "new.txt").write_text("User-agent: *\nDisallow: /a|<b>`\n", encoding="utf-8")
    (folder / "old.txt").write_text("", encoding="utf-8")
    options = ("diff", "old.txt", "new.txt", "--agent", "GPTBot", "--fail-on", "any loses /a|<b>`")
    markdown = run(*options, "--format", "markdown")
    assert markdown.code == 1
    assert "| `GPTBot` | loses | `` /a\\|<b>` `` | `/a%7C%3Cb%3E%60` |" in markdown.lines
    html = run(*options, "--format", "html")
    assert "<code>/a|&lt;b&gt;`</code>" in html.out
    assert "<b>" not in html.out


def test_listed_urls_are_counted(run: Run, folder: Path) -> None:
    (folder / "urls.txt").write_text("https://example.com/new/x\n/new/public/x\n\n/old/\n", encoding="utf-8")
    ran = run("diff", "old.txt", "new.txt", "--agent", "Googlebot", "--urls-file", "urls.txt")
    assert ran.out.count("        1 of 3 listed URLs\n") == 2


@pytest.mark.parametrize("agent", ["Googlebot", "GPTBot"])
def test_an_invalid_listed_url_is_reported_with_its_line(run: Run, folder: Path, agent: str) -> None:
    urls = "/new/x\n\nfish\n# a note\n/old/\n/" + "x" * (1 << 20) + "\n"
    (folder / "urls.txt").write_text(urls, encoding="utf-8")
    ran = run("diff", "old.txt", "new.txt", "--agent", agent, "--urls-file", "urls.txt")
    assert ran.code == 2
    first, second, third = ran.err.splitlines()
    assert first.startswith("canfetch: urls.txt:3: invalid URL 'fish': expected an absolute URL")
    assert second.startswith("canfetch: urls.txt:4: invalid URL '# a note': expected")
    assert third.startswith("canfetch: urls.txt:6: invalid URL '/xxx")
    assert " of 2 listed URLs\n" in ran.out
    # They are also reported if nothing changes.
    assert run("diff", "old.txt", "old.txt", "--agent", agent, "--urls-file", "urls.txt").err == ran.err


def test_missing_files_and_two_standard_inputs(run: Run) -> None:
    assert run("diff", "old.txt", "nothing.txt").err == "canfetch: cannot read 'nothing.txt': no such file\n"
    assert run("diff", "-", "-").code == 2
    assert run("diff", "-", "old.txt", "--agent", "GPTBot", stdin=OLD.encode()).code == 0


@pytest.mark.parametrize("profile", PROFILES)
def test_a_site_that_is_opened_gains_everything(run: Run, folder: Path, profile: str) -> None:
    (folder / "open.txt").write_text("User-agent: *\nDisallow:\n")
    (folder / "closed.txt").write_text("User-agent: *\nDisallow: /\n")
    ran = run("diff", "closed.txt", "open.txt", "--agent", "Foo", "--profile", profile, "--format", "json")
    (change,) = json.loads(ran.out)["changes"]
    urls = change["newly_allowed"]
    assert [*urls["patterns"], *urls["partial_patterns"]] == ["/"]


SITEMAP = """<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://example.com/new/x</loc></url>
  <url><loc>https://example.com/new/public/x</loc></url>
  <url><loc>https://example.com/old/</loc></url>
</urlset>
"""


def test_urls_of_sitemaps_are_counted(run: Run, folder: Path) -> None:
    (folder / "map.xml").write_text(SITEMAP, encoding="utf-8")
    (folder / "more.xml.gz").write_bytes(gzip.compress(SITEMAP.encode(), mtime=0))
    (folder / "urls.txt").write_text("/new/y\n", encoding="utf-8")
    options = ("diff", "old.txt", "new.txt", "--agent", "Googlebot", "--sitemap", "map.xml")
    assert run(*options).out.count("        1 of 3 listed URLs\n") == 2
    report = json.loads(run(*options, "--sitemap", "more.xml.gz", "--urls-file", "urls.txt", "--format", "json").out)
    (change,) = report["changes"]
    assert change["newly_disallowed"]["listed"] == ["/new/y", *["https://example.com/new/x"] * 2]


def test_an_invalid_url_of_a_sitemap_is_reported_and_the_others_are_counted(run: Run, folder: Path) -> None:
    (folder / "map.xml").write_text(SITEMAP.replace("https://example.com/new/public/x", "fish\x7f"), encoding="utf-8")
    (folder / "urls.txt").write_text("cat\n/new/y\n", encoding="utf-8")
    options = ("diff", "old.txt", "new.txt", "--agent", "Googlebot", "--sitemap", "map.xml")
    ran = run(*options)
    assert ran.code == 2
    assert ran.err.startswith("canfetch: map.xml: invalid URL 'fish%7F': expected an absolute URL")
    assert len(ran.err.splitlines()) == 1
    assert ran.out.count("        1 of 2 listed URLs\n") == 2
    ran = run(*options[:-1], "-", stdin=(folder / "map.xml").read_bytes())
    assert ran.err.startswith("canfetch: standard input: invalid URL 'fish%7F'")
    # The list and all sitemaps are read, and the exit code is that of the invalid URLs.
    ran = run(*options, "--sitemap", "map.xml", "--urls-file", "urls.txt", "--fail-on", "any loses /new/")
    assert ran.code == 2
    assert [line.split(": invalid")[0] for line in ran.err.splitlines()] == [
        "canfetch: urls.txt:1",
        *["canfetch: map.xml"] * 2,
    ]
    assert " of 5 listed URLs\n" in ran.out


@pytest.mark.parametrize(
    "content, message",
    [
        (b"\x93\x00\xff\x81" * 50, "not a sitemap: it is not XML, and no line has a URL"),
        (gzip.compress(SITEMAP.encode(), mtime=0)[:-1], "the gzip data ends early"),
        (gzip.compress(b"https://example.com/a\n" * 9, mtime=0)[:-9], "the gzip data ends early"),
        (SITEMAP.replace("urlset", "sitemapindex"), "it is a sitemap index, expected its sitemaps"),
        (SITEMAP[:200], "invalid XML: "),
        ("<html></html>", "cannot read --sitemap 'map.xml': not a sitemap: the root element is html"),
        ("\n", "cannot read --sitemap 'map.xml': it is empty"),
    ],
    ids=["bytes", "gzip-xml", "gzip-text", "index", "cut", "html", "empty"],
)
def test_invalid_sitemaps_are_errors(run: Run, folder: Path, content: str | bytes, message: str) -> None:
    (folder / "map.xml").write_bytes(content.encode() if isinstance(content, str) else content)
    ran = run("diff", "old.txt", "new.txt", "--agent", "Googlebot", "--sitemap", "map.xml")
    assert ran.code == 2
    assert message in ran.err


def test_an_empty_list_is_an_error(run: Run, folder: Path) -> None:
    (folder / "urls.txt").write_text("\n", encoding="utf-8")
    ran = run("diff", "old.txt", "new.txt", "--agent", "Googlebot", "--urls-file", "urls.txt")
    assert ran == (2, "", "canfetch: --urls-file 'urls.txt' is empty: expected one URL per line\n")
    (folder / "urls.txt").write_text("example.com/a\n", encoding="utf-8")
    ran = run("diff", "old.txt", "new.txt", "--agent", "Googlebot", "--urls-file", "urls.txt")
    assert ran.code == 2
    assert ran.err.endswith("; did you mean 'https://example.com/a'?\n")


def test_a_token_like_a_known_one_is_noted(run: Run) -> None:
    note = "canfetch: note: unknown crawler 'GPTBto': did you mean 'GPTBot'?\n"
    assert run("diff", "old.txt", "new.txt", "--agent", "GPTBto").err == note
    assert run("diff", "old.txt", "new.txt", "--agent", "GPTBto", "--fail-on", "GPTBto loses").err == note
    assert run("diff", "old.txt", "new.txt", "--fail-on", "GPTBto loses").err == note
    product = "canfetch: note: unknown crawler 'Gemini': did you mean 'Google-Extended'?\n"
    assert run("diff", "old.txt", "new.txt", "--fail-on", "Gemini loses").err == product
    assert run("diff", "old.txt", "new.txt", "--agent", "GPTBto", "--exact").err == ""


def test_a_file_may_name_what_no_other_profile_reads(run: Run, folder: Path) -> None:
    (folder / "new.txt").write_text("User-agent: A,B\nDisallow: /\n", encoding="utf-8")
    ran = run("diff", "old.txt", "new.txt", "--profile", "original1994")
    assert (ran.code, ran.err) == (1, "")
    assert "A,B" in ran.out


@pytest.mark.parametrize("agent", ["GPTBot", None])
def test_files_that_are_too_large_are_named_with_the_agent_and_what_to_do(
    run: Run, agent: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("canfetch.compare.budget.NATIVE_STEPS", 10)
    monkeypatch.setattr("canfetch.compare.budget.PYTHON_STEPS", 10)
    ran = run("diff", "old.txt", "new.txt", *(() if agent is None else ("--agent", agent)))
    assert ran.refusal.startswith(
        "canfetch: cannot compare 'old.txt' with 'new.txt': undecided: the rules are too large for a limit of 10 steps"
    )
    assert f", for {agent or 'any other agent'}; compare other agents with --agent, or " in ran.err


@pytest.mark.parametrize("command", [("diff", "old.txt"), ("minimize",)])
def test_a_url_is_not_a_file(run: Run, command: tuple[str, ...]) -> None:
    ran = run(*command, "https://example.com/robots.txt")
    message = "canfetch: cannot read 'https://example.com/robots.txt': expected a file, not a URL\n"
    assert (ran.code, ran.out, ran.err) == (2, "", message)


def test_markdown_marks_only_tokens_and_patterns_as_code(run: Run) -> None:
    ran = run("diff", "old.txt", "new.txt", "--format", "markdown")
    row = next(line for line in ran.lines if "any other agent" in line)
    assert row.startswith("| any other agent, `")
    assert "| `/new/` (in part) |" in ran.out
    failed = run("diff", "old.txt", "new.txt", "--fail-on", "any loses /new/", "--format", "markdown")
    assert failed.lines[-1] == "- :x: `any loses /new/`: any other agent loses `/new/`"
    assert "<code>/new/</code> (in part)" in run("diff", "old.txt", "new.txt", "--format", "html").out
