"""`canfetch facts`: from files and from a real server."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import ROBOTS, serving
from tests.servers.dead_ports import refusing_port
from tests.servers.valid import respond

Run = Any
UNKEPT = ("--store", "none")
FILE = """\
User-agent: *
Disallow: /a
Crawl-delay: 10
Visit-time: 0000-1200
Visit-time: 1200-2400
Content-Signal: ai-train=no
License: https://example.com/terms

User-agent: GPTBot
User-agent: Claude\x1bBot
Disallow: /

Sitemap: /sitemap\x1b.xml
Host: www.example.com
"""


@pytest.mark.parametrize("profile", ["rfc9309", "google", "original1994"])
def test_patterns_that_match_nothing_are_not_listed(run: Run, folder: Path, profile: str) -> None:
    more = {"rfc9309": ["/x/../y"], "original1994": ["*x", "*", "/x/../y"]}
    void = ["a/", "https://a.example/", *more.get(profile, [])]
    lines = [f"Disallow: {pattern}" for pattern in [*void, "/b", "/d%7Ee"]]
    (folder / "void.txt").write_text("\n".join(["User-agent: *", *lines, "Allow: c", ""]))
    rules = [line.split() for line in run("facts", "void.txt", "--profile", profile).lines if "allowed" in line]
    assert ["disallowed", "/b", "/d%7Ee"] in rules
    assert not [words for words in rules if set(words) & {*void, "c"}]
    rows = json.loads(run("facts", "void.txt", "--profile", profile, "--format", "json").out)[0]["crawlers"]
    matching = [rule["pattern"] for rule in rows[-1]["rules"] if rule["matches"]]
    assert matching == ["/b", "/d%7Ee"]


def test_facts_of_a_file_in_words(run: Run, folder: Path) -> None:
    (folder / "some.txt").write_text(FILE)
    ran = run("facts", "some.txt", "--agent", "GPTBot", "--agent", "YandexBot")
    assert (ran.code, ran.err) == (1, "")
    assert ran.lines == [
        f"some.txt: {len(FILE)} bytes",
        "",
        "GPTBot: nothing may be fetched",
        "",
        "YandexBot (reads the group for *): some URLs may not be fetched",
        "  disallowed  /a",
        "  delay       10 s between requests (line 3); ignored by YandexBot",
        "  visits      00:00-12:00 UTC (line 4)",
        "  visits      12:00-24:00 UTC (line 5)",
        "              open now",
        "  training    no (line 6, content-signal: ai-train=no)",
        "  license     https://example.com/terms (line 7)",
        "",
        "  host        www.example.com (line 14); no crawler is known to read it",
        "  sitemap     /sitemap%1B.xml (line 13)",
    ]


def test_a_file_past_the_size_limit(run: Run, folder: Path) -> None:
    rules = "".join(f"Disallow: /folder/{number}/\n" for number in range(30_000))
    (folder / "large.txt").write_text(f"User-agent: *\n{rules}Sitemap: https://www.example.com/map.xml\n")
    ran = run("facts", "large.txt")
    (facts,) = run("facts", "large.txt", "--format", "json").rows("json")
    assert facts["robots_truncated"]
    assert facts["bytes_read"] < 512_000
    read = f"{facts['bytes_read']:,} bytes"
    assert ran.lines[:2] == [
        f"large.txt: {read}",
        f"  the file is longer than the size limit: these facts are from its first {read}",
    ]


def test_a_name_of_several_words_is_shown_as_a_whole(run: Run) -> None:
    file = b"User-agent: Screaming Frog SEO Spider\nUser-agent: Screamer\nDisallow: /\n"
    assert "Screaming Frog, Screamer: nothing may be fetched" in run("facts", "-", stdin=file).lines
    (facts,) = run("facts", "-", "--format", "json", stdin=file).rows("json")
    assert facts["crawlers"][0]["names"] == ["Screaming", "Screamer"]


def test_other_records_say_why_they_have_no_effect(run: Run, folder: Path) -> None:
    lines = [
        "Crawl-delay: 1",
        "User-agent: *",
        "Crawl-delay: s\x1boon",
        "Clean-param: ref /shop/",
        "Noindex: /a",
        "Contact: us",
        "A: b",
    ]
    (folder / "other.txt").write_text("\n".join(lines))
    assert run("facts", "other.txt").lines[-6:] == [
        "  other       1 (line 1, crawl-delay); outside of all groups, so that it applies to no crawler",
        "  other       s%1Boon (line 3, crawl-delay); the value cannot be read",
        "  other       ref /shop/ (line 4, clean-param)",
        "  other       /a (line 5, noindex); no known crawler reads it any more",
        "  other       us (line 6, contact); no known document defines it",
        "              1 more record: --format json has the first 100",
    ]


def test_facts_name_how_bing_reads_a_delay(run: Run, folder: Path) -> None:
    (folder / "delay.txt").write_text("User-agent: *\nCrawl-delay: 10\n")
    ran = run("facts", "delay.txt", "--agent", "bingbot", "--agent", "GPTBot")
    assert [line for line in ran.lines if "delay " in line] == [
        "  delay       10 s between requests (line 2); bingbot reads it as a window with one request",
        "  delay       10 s between requests (line 2)",
    ]
    (rows,) = run("facts", "delay.txt", "--agent", "msnbot", "--agent", "GPTBot", "--format", "ndjson").rows()
    assert [row["crawl_delay_as_window"] for row in rows["crawlers"]] == [["msnbot"], []]
    others = run("facts", "delay.txt").lines
    assert any("; ignored by Googlebot, " in line and line.endswith("window with one request") for line in others)


def test_a_control_token_fetches_nothing(run: Run, folder: Path) -> None:
    (folder / "token.txt").write_text(
        "User-agent: Google-Extended\nDisallow: /\n\nUser-agent: CCBot\nUser-agent: Applebot-Extended\nDisallow: /a\n"
    )
    lines = run("facts", "token.txt").lines
    assert lines[2] == "Google-Extended: control token, which fetches nothing; the controlled uses are not permitted"
    assert lines[4:6] == [
        "CCBot, Applebot-Extended: some URLs may not be fetched",
        "  tokens      Applebot-Extended: control token, which fetches nothing; the rules are about uses",
    ]
    ran = run("use", "/", "--agent", "Google-Extended", "--robots", "token.txt", "--purpose", "search")
    assert "Google-Extended fetches nothing, and the use of the URL is not permitted" in ran.out


def test_crawlers_are_grouped_without_agents(run: Run) -> None:
    ran = run("facts", "robots.txt")
    headings = [line for line in ran.lines if line and not line.startswith(" ")]
    assert headings[1:3] == [
        "GPTBot, CCBot: some URLs may not be fetched",
        "Googlebot: some URLs may not be fetched",
    ]
    assert headings[-1] == "All other crawlers (*): some URLs may not be fetched"
    assert "which ignore the group for *: everything may be fetched" in headings[-2]
    assert ran.code == 0
    assert ran.lines[-1] == "  sitemap     none"
    assert run("facts", "-", stdin=ROBOTS.encode()).lines[1:] == ran.lines[1:]


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_json_of_several_sources(run: Run, form: str) -> None:
    with serving(respond(FILE.encode())) as site:
        ran = run("facts", f"{site.origin}/page", "robots.txt", "nonsense:x", "missing.txt", *UNKEPT, "--format", form)
    rows = ran.rows(form)
    assert ran.code == 2
    live, local, *errors = rows
    assert live["source"] == f"{site.origin}/page"
    assert live["schema"] == "canfetch.facts/1"
    assert live["access"]["robots_url"] == f"{site.origin}/robots.txt"
    assert [row["may_fetch"] for row in live["crawlers"] if row["kind"] == "named"] == ["none"]
    assert (local["source"], local["access"]) == ("robots.txt", None)
    assert [error["source"] for error in errors] == ["nonsense:x", "missing.txt"]
    assert all(error["error"] in ran.err for error in errors)


def test_missing_and_unreachable_files(run: Run) -> None:
    with serving(respond(b"", status=404)) as site:
        missing = run("facts", site.origin, *UNKEPT)
    assert (missing.code, missing.lines[0]) == (0, f"{site.origin}/robots.txt: full-allow")
    assert "All other crawlers: everything may be fetched" in missing.lines
    with refusing_port() as port:
        closed = run("facts", f"http://127.0.0.1:{port}", *UNKEPT)
    assert (closed.code, closed.lines[0]) == (1, f"http://127.0.0.1:{port}/robots.txt: full-disallow")
    assert "All other crawlers: nothing may be fetched" in closed.lines


def test_note_about_a_misspelt_agent(run: Run) -> None:
    assert "did you mean 'GPTBot'?" in run("facts", "robots.txt", "--agent", "GTPBot").err


@pytest.mark.parametrize("arguments", [(), ("-", "-"), ("robots.txt", "--agent", "a b")])
def test_mistakes_are_errors(run: Run, arguments: tuple[str, ...]) -> None:
    ran = run("facts", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("canfetch: ")
