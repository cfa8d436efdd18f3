"""`canfetch use`: local sources, and those of real servers."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from tests.servers.redirects import redirect
from tests.servers.valid import respond
from tests.servers.web import Site

pytest.importorskip("lxml", reason="lxml is not installed")

Run = Any
TRAINING = ("--purpose", "training", "--agent", "ExampleBot")
UNKEPT = ("--store", "none")
EVIDENCE = ("--evidence", "evidence")
HTML_TYPE = "Content-Type: text/html"
TDM_PLACE = "/.well-known/tdmrep.json"


@pytest.fixture
def signals(folder: Path) -> str:
    (folder / "signals.txt").write_text("User-agent: *\nContent-Signal: ai-train=no, search=yes\nDisallow: /private\n")
    (folder / "tdm.json").write_text("[]")
    return "signals.txt"


# --- local sources -----------------------------------------------------------------------------


def test_text_shows_every_statement_and_what_was_not_read(run: Run, signals: str) -> None:
    ran = run("use", "/fish", *TRAINING, "--robots", signals, "--response-header", "Content-Usage: train-ai=y")
    line = "robots.txt, line 2: Content-Signal: ai-train=no, search=yes"
    assert ran.lines == [
        "disallowed: training with /fish, for ExampleBot",
        f"> disallow     {line} (the user-agent line is line 1, for *)",
        "  allow        headers, Content-Usage header: train-ai=y",
        "  combination  the most restrictive statement decides",
        "  not read     html",
        "  not read     tdmrep.json",
    ]
    assert ran.code == 1


def test_without_an_agent_the_answer_is_for_a_crawler_that_no_file_names(run: Run, signals: str) -> None:
    arguments = ("use", "/fish", "--purpose", "training", "--robots", signals)
    assert run(*arguments) == run(*arguments, "--agent", "*")
    assert run(*arguments).lines[0] == "disallowed: training with /fish, for *"


def test_the_status_line_of_a_response(run: Run, folder: Path) -> None:
    assert folder.is_dir()

    def answer(*headers: str) -> tuple[bool | None, list[str]]:
        options = [option for header in headers for option in ("--response-header", header)]
        (row,) = json.loads(run("use", "https://a.example/", *TRAINING, *options, "--format", "json").out)
        return row["allowed"], [one["text"] for one in row["statements"] if one["is_condition"]]

    refusal, price = "Content-Usage: train-ai=n", "crawler-price: USD 1"
    assert answer(refusal) == answer("HTTP/2 200 OK", refusal) == answer(refusal, "http/1.1 200") == (False, [])
    assert answer("HTTP/2 404", refusal) == (None, [])
    assert answer("HTTP/1.1 402 Payment Required", refusal, price) == (None, [price])
    assert answer("HTTP/1.1 402") == (None, ["402 Payment Required"])
    # The last of several heads, as in `POST /v1/use`.
    assert answer("HTTP/1.1 301", "X-Robots-Tag: noai", "HTTP/1.1 200", "Content-Usage: train-ai=y") == (True, [])


def test_a_file_for_several_origins_is_a_warning(run: Run, signals: str) -> None:
    urls = ("https://a.example/", "https://a.example:443/x", "https://b.example/", "/path")
    ran = run("use", *urls, *TRAINING, "--robots", signals)
    assert ran.err == (
        "canfetch: warning: --robots 'signals.txt' is used for 2 origins: 'https://a.example', 'https://b.example'\n"
    )
    assert run("use", *urls[:2], *TRAINING, "--robots", signals).err == ""
    assert run("use", *urls, *TRAINING, "--robots", signals, "--quiet").err == ran.err
    assert run("use", *urls, *TRAINING, "--response-header", "X: y").err == ""


def test_a_file_that_is_something_else_is_absent(run: Run, folder: Path) -> None:
    (folder / "empty.json").touch()
    header = ("--response-header", "Content-Type: application/pdf")
    ran = run("use", "/fish", *TRAINING, "--tdm-file", "empty.json", "--html", "-", *header, stdin=b"%PDF-1.7 <<a>>")
    assert ran.lines[2:-1] == [
        "  absent       html (the content is not HTML), tdmrep.json (an empty response in its place)",
        "  not read     robots.txt",
    ]
    assert ran.err == "canfetch: warning: --html - is a PDF document, not HTML\n"


@pytest.mark.parametrize(
    "content, warning",
    [
        (b"User-agent: *\nDisallow: /\n", "is text without an element, not HTML\n"),
        (b"", ""),
        (b"a <b>c", ""),
        (b"<!doctype html>", ""),
    ],
)
def test_a_file_that_is_not_html_is_a_warning(run: Run, folder: Path, content: bytes, warning: str) -> None:
    (folder / "page.html").write_bytes(content)
    ran = run("use", "/fish", *TRAINING, "--html", "page.html")
    assert ran.err == (warning and f"canfetch: warning: --html 'page.html' {warning}")


def test_exit_codes(run: Run, signals: str) -> None:
    complete = ("--robots", signals, "--html", "-", "--response-header", "X: y", "--tdm-file", "tdm.json")
    search = ("--purpose", "search", "--agent", "ExampleBot")
    assert run("use", "/fish", *search, *complete, stdin=b"<p>").code == 0
    assert run("use", "/private", *search, *complete, stdin=b"<p>").code == 1
    unread = run("use", "/fish", *search, "--robots", signals)
    assert unread.lines[-1] == "  A source that was not read could change the answer."
    assert unread.code == 2
    assert run("use", "/fish", *search, "--robots", signals, "--quiet") == (2, "", "")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--purpose", "training", "--agent", "ExampleBot"), "no URL: pass that of the content"),
        (("/x", "--purpose", "trainin", "--agent", "a"), "unknown purpose 'trainin': did you mean 'training'?"),
        (("/x", *TRAINING, "--response-header", "HTTP/1.1 4O4"), "invalid status line 'HTTP/1.1 4O4': expected a code"),
        (("/x", *TRAINING), "cannot fetch '/x': expected an absolute URL, or --robots FILE"),
        (("/x", *TRAINING, "--robots", "missing.txt"), "missing.txt"),
        (("/x", *TRAINING, "--response-header", "x"), "invalid --response-header 'x'"),
        (("/x", *TRAINING, "--response-header", '["X-Robots-Tag: noai"]'), "expected 'NAME: VALUE'"),
        (("/x", *TRAINING, "--response-header", "x: y", "--no-page"), "--no-page cannot be used with a file"),
        (("/x", *TRAINING, "--response-header", "x: y", "--timeout", "3"), "--timeout"),
        (("/x", *TRAINING, "--license", "l.xml", "--license", "l.xml"), "more than one --license without a URL"),
        (("/x", *TRAINING, *("--license", "https://a.example/=l.xml") * 2), "more than one --license for 'https://a"),
        (("/x", *TRAINING, "--license", "missing.xml"), "missing.xml"),
        (("/x", *TRAINING, "--license", "-", "--html", "-"), "is used by --html and --license"),
        (("https://example.com/", *TRAINING, "--offline"), "--offline requires --robots FILE"),
    ],
)
def test_wrong_arguments(run: Run, folder: Path, arguments: tuple[str, ...], message: str) -> None:
    assert folder.is_dir()
    assert message in run("use", *arguments).refusal


RSL = """<rsl xmlns="https://rslstandard.org/rsl"><content url="/">
<license><permits type="usage">search</permits></license></content></rsl>"""


def test_license_files(run: Run, folder: Path) -> None:
    (folder / "license=1.xml").write_text(RSL)
    (folder / "license.xml").write_text(RSL)
    (folder / "one.txt").write_text("License: https://www.example.com/license.xml?a=b\n")
    (folder / "two.txt").write_text("License: https://a.example/\nLicense: https://b.example/\n")
    term = "> disallow     license, {}, line 2 of the license for /: permits search only"
    term += " (which does not include training)"
    address = "https://www.example.com/license.xml?a=b"
    for license_file in ("license=1.xml", f"{address}=license.xml"):
        ran = run("use", "/fish", *TRAINING, "--robots", "one.txt", "--license", license_file)
        assert ran.lines[2] == term.format(address)
        assert ran.code == 1
    both = ("--license", "license.xml", "--license", "https://b.example/=license.xml")
    ran = run("use", "/fish", *TRAINING, "--robots", "two.txt", *both)
    assert ran.lines[3:5] == [term.format("https://a.example/"), term.format("https://b.example/")]
    for robots, problem in (("two.txt", "more than one license"), ("license.xml", "no license")):
        ran = run("use", "/fish", *TRAINING, "--robots", robots, "--quiet", "--license", "license.xml")
        assert (ran.code, ran.out) == (2, "")
        assert f"the sources name {problem} that was not passed: pass --license URL=FILE" in ran.err
    ran = run("use", "/fish", *TRAINING, "--license", f"x://={folder / 'license.xml'}")
    assert "invalid URL 'x://' of a license" in ran.err


# --- fetched sources ---------------------------------------------------------------------------


def serve(site: Site, robots: bytes, *, page: Any = None, tdm: Any = None) -> str:
    site.serve("/robots.txt", respond(robots))
    site.serve("/fish", page or respond(b"<p>fish", HTML_TYPE))
    site.serve(TDM_PLACE, tdm or respond(b"", status=404))
    return site.url("fish")


def objects(ran: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.lines]


def states(row: dict[str, Any]) -> dict[str, str]:
    return {source["name"]: source["state"] for source in row["sources"]}


def test_everything_is_fetched_once_for_all_agents(run: Run, site: Site) -> None:
    url = serve(site, b"User-agent: OtherBot\nDisallow: /\n", page=respond(b"<p>", HTML_TYPE, "X-Robots-Tag: noai"))
    ran = run("use", url, *TRAINING, "--agent", "ThirdBot", "--agent", "OtherBot", *UNKEPT, "--format", "ndjson")
    first, second, other = objects(ran)
    assert [row["allowed"] for row in (first, second, other)] == [False, False, False]
    assert [row["decided_by"][0]["kind"] for row in (first, other)] == ["page-directive", "rule"]
    assert states(first) == {"robots.txt": "read", "headers": "read", "html": "read", "tdmrep.json": "absent"}
    # OtherBot may not read the page, so its rules are unknown.
    assert states(other) == {
        "robots.txt": "read", "headers": "not-read", "html": "not-read", "tdmrep.json": "not-read"
    }  # fmt: skip
    assert [asked.target for asked in site.requests] == ["/robots.txt", "/fish", TDM_PLACE]
    assert (ran.code, ran.err) == (1, "")


def test_a_site_that_states_nothing(run: Run, site: Site) -> None:
    url = serve(site, b"User-agent: *\nAllow: /\n")
    ran = run("use", url, *TRAINING, *UNKEPT)
    assert [line.partition(" at ")[0] for line in ran.lines] == [
        f"not stated: training with {url}, for ExampleBot",
        "  nothing that was read and applies to ExampleBot states anything on training",
        "  absent       tdmrep.json",
        "  fetched      robots.txt",
        "  fetched      headers",
        "  fetched      html",
        "  requested    tdmrep.json",
    ]
    assert ran.code == 0


def test_a_page_has_times_only_for_the_agents_that_may_fetch_it(run: Run, site: Site) -> None:
    url = serve(site, b"User-agent: OtherBot\nDisallow: /\n")
    ran = run("use", url, *TRAINING, "--agent", "OtherBot", *UNKEPT, "--format", "ndjson")
    times = {
        row["agent_name"]: [(one["state"], one["requested_at"] is None) for one in row["sources"][1:3]]
        for row in objects(ran)
    }
    assert times == {"ExampleBot": [("read", False)] * 2, "OtherBot": [("not-read", True)] * 2}


def test_an_error_page_is_no_content(run: Run, site: Site) -> None:
    url = serve(site, b"", page=respond(b"", status=404))
    (row,) = objects(run("use", url, *TRAINING, *UNKEPT, "--format", "ndjson"))
    assert [(one["state"], one["fetched_at"], one["requested_at"] is None) for one in row["sources"][1:3]] == [
        ("unreachable", None, False)
    ] * 2


def test_a_price_is_a_condition(run: Run, site: Site) -> None:
    url = serve(site, b"", page=respond(b"", "Crawler-Price: USD 0.01", status=402))
    ran = run("use", url, *TRAINING, *UNKEPT)
    assert ran.lines[:6] == [
        f"conditional: training with {url}, for ExampleBot",
        "> condition    headers, status 402: crawler-price: USD 0.01 (payment is required)",
        "  combination  a condition, such as a payment, is not an allowance",
        "  absent       tdmrep.json",
        "  not read     headers (only those of status 402 were read)",
        "  unreachable  html (the server responded with status 402)",
    ]
    assert ran.code == 1


def test_a_web_page_in_place_of_robots_txt_is_mentioned(run: Run, site: Site) -> None:
    ran = run("use", serve(site, b"<html>"), *TRAINING, *UNKEPT)
    assert "  robots.txt   the content is HTML or XML without any record" in ran.lines
    assert ran.code == 0


def test_a_robots_txt_from_another_port_is_named(run: Run, site: Site) -> None:
    with Site() as other:
        other.serve("/robots.txt", respond(b"User-agent: *\nContent-Signal: ai-train=no\n"))
        url = serve(site, b"")
        site.serve("/robots.txt", redirect(other.url("robots.txt")))
        ran = run("use", url, *TRAINING, *UNKEPT)
        assert ran.lines[1].startswith(f"> disallow     robots.txt, line 2 of {other.url('robots.txt')}: ")


def test_a_robots_txt_from_another_host_is_named(run: Run, site: Site) -> None:
    url, other = serve(site, b""), site.url("other.txt").replace("127.0.0.1", "localhost")
    site.serve("/robots.txt", redirect(other))
    site.serve("/other.txt", respond(b"User-agent: *\nContent-Signal: ai-train=no\n"))
    ran = run("use", url, *TRAINING, *UNKEPT)
    place = f"robots.txt, line 2 of {other}"
    assert ran.lines[1] == f"> disallow     {place}: Content-Signal: ai-train=no (the user-agent line is line 1, for *)"
    assert ran.lines[4].startswith(f"  fetched      robots.txt from {other} at 20")
    assert ran.code == 1


def test_a_license_that_does_not_exist_is_named(run: Run, site: Site) -> None:
    url = serve(site, f"License: {site.url('license.xml')}\n".encode())
    site.serve("/license.xml", respond(b"", status=404))
    ran = run("use", url, *TRAINING, *UNKEPT)
    outside = "outside of all groups, so that it applies to crawlers whose groups have no such line"
    assert ran.lines[1:3] == [
        f"  fact         robots.txt, line 1: {site.url('license.xml')} (the license is absent; {outside})",
        f"  absent       tdmrep.json, license ({site.url('license.xml')})",
    ]
    assert ran.code == 0


@pytest.mark.parametrize(
    "changed, expected",
    [
        ({"page": respond(b"", status=402)}, ("headers", "not-read", 1)),
        ({"page": respond(b"", status=404)}, ("html", "unreachable", 2)),
        ({"tdm": respond(b"", status=503)}, ("tdmrep.json", "unreachable", 2)),
        ({"tdm": respond(b"{")}, ("tdmrep.json", "unreadable", 2)),
        ({"page": respond(b"%PDF", "Content-Type: application/pdf")}, ("html", "absent", 0)),
    ],
)
def test_what_could_not_be_read(run: Run, site: Site, changed: dict[str, Any], expected: tuple[str, str, int]) -> None:
    url = serve(site, b"", **changed)
    source, state, code = expected
    ran = run("use", url, *TRAINING, *UNKEPT, "--format", "ndjson")
    (row,) = objects(ran)
    assert (row["allowed"], states(row)[source], ran.code) == (None, state, code)


def test_an_unreachable_robots_txt_disallows(run: Run, site: Site) -> None:
    url = serve(site, b"")
    site.serve("/robots.txt", respond(b"", status=503))
    ran = run("use", url, *TRAINING, *UNKEPT, "--format", "ndjson")
    (row,) = objects(ran)
    assert (row["allowed"], states(row)["robots.txt"], ran.code) == (False, "unreachable", 2)
    assert site.count("/fish") == 0
    assert [(one["fetched_at"], one["requested_at"] is None) for one in row["sources"]] == [
        (None, one["name"] != "robots.txt") for one in row["sources"]
    ]
    (line,) = (line for line in run("use", url, *TRAINING, *UNKEPT).lines if " at 20" in line)
    assert line.startswith("  requested    robots.txt at 20")
    assert line.endswith("Z: unreachable")


def test_a_redirect_leads_to_the_statements_of_the_content(run: Run, site: Site) -> None:
    url = serve(site, b"User-agent: *\nContent-Signal: /fish ai-train=no\n")
    site.serve("/old", redirect("/fish"))
    ran = run("use", site.url("old"), *TRAINING, *UNKEPT, "--format", "ndjson")
    (row,) = objects(ran)
    assert (row["url"], row["content_url"], row["allowed"]) == (site.url("old"), url, False)
    assert [one["line"] for one in row["statements"]] == [2]
    urls = {one["name"]: one["url"] for one in row["sources"]}
    assert urls == {"robots.txt": None, "headers": site.url("old"), "html": None, "tdmrep.json": None}
    # Without the page, only the URL that was passed is known.
    ran = run("use", site.url("old"), *TRAINING, *UNKEPT, "--no-page", "--format", "ndjson")
    (row,) = objects(ran)
    assert (row["allowed"], row["is_final"], states(row)["headers"]) == (None, False, "not-read")


def test_a_site_that_redirects_to_another_one_keeps_its_statements(run: Run, site: Site) -> None:
    with Site() as other:
        url = serve(other, b"")
        site.serve("/robots.txt", respond(b"User-agent: *\nContent-Signal: ai-train=no\n"))
        site.serve(TDM_PLACE, respond(b'[{"location": "/", "tdm-reservation": 1}]'))
        site.serve("/moved", redirect(url))
        ran = run("use", site.url("moved"), *TRAINING, *UNKEPT, "--format", "ndjson")
        (row,) = objects(ran)
        assert (row["content_url"], row["allowed"], ran.code) == (url, False, 1)
        assert [one["place"] for one in row["decided_by"]] == [
            f"line 2 of {site.url('robots.txt')}", f"tdmrep.json entry 1 of {site.url(TDM_PLACE[1:])}"
        ]  # fmt: skip
        assert all(f"for {site.url('moved')}, which redirects" in one["note"] for one in row["decided_by"])
        found = [(one["name"], one["state"], one["url"], one["fetched_at"] is None) for one in row["sources"]]
        assert found == [
            ("robots.txt", "read", other.url("robots.txt"), False),
            ("headers", "read", url, False),
            ("html", "read", None, False),
            ("tdmrep.json", "absent", other.url(TDM_PLACE[1:]), True),
            ("robots.txt", "read", site.url("robots.txt"), False),
            ("headers", "read", site.url("moved"), False),
            ("tdmrep.json", "read", site.url(TDM_PLACE[1:]), False),
        ]
        ran = run("use", site.url("moved"), *TRAINING, *UNKEPT)
        assert f"  absent       tdmrep.json ({other.url(TDM_PLACE[1:])})" in ran.lines
        assert any(f"tdmrep.json from {site.url(TDM_PLACE[1:])} at 20" in line for line in ran.lines)


@pytest.mark.parametrize("more", [(), ("--no-page",), ("--quiet",)])
def test_an_answer_is_recorded_with_its_sources(run: Run, site: Site, folder: Path, more: tuple[str, ...]) -> None:
    rules = b"User-agent: *\nContent-Signal: ai-train=no\n"
    url = serve(site, rules, tdm=respond(b"[]"))
    site.serve("/old", redirect("/fish"))
    ran = run("use", site.url("old"), url, *TRAINING, *UNKEPT, *more, *EVIDENCE)
    assert ran.code == 1
    assert ran.err.startswith("canfetch: evidence head: evidence-") is ("--quiet" not in more)
    verified = run("evidence", "verify", "evidence")
    assert verified.code == 0
    assert verified.lines[1].strip() == "2 of 2 answers about uses were computed again from the stored sources"
    (folder / "evidence" / "content" / hashlib.sha256(rules).hexdigest()).write_bytes(b"")
    assert run("evidence", "verify", "evidence").code == 1


def test_an_answer_from_files_is_recorded(run: Run, folder: Path, signals: str) -> None:
    (folder / "license.xml").write_text(RSL)
    sources = ("--robots", signals, "--license", "https://a.example/=license.xml", "--tdm-file", "tdm.json")
    plain = run("use", "/fish", *TRAINING, *sources, "--format", "json")
    (folder / "key").write_text("k" * 16)
    recorded = run("use", "/fish", *TRAINING, *sources, "--format", "json", *EVIDENCE, "--evidence-key", "key")
    assert recorded.out == plain.out
    verified = run("evidence", "verify", "evidence", "--key-file", "key", "--format", "ndjson")
    (report,) = objects(verified)
    assert (report["status"], report["uses"], report["recomputed_uses"]) == ("valid", 1, 1)


def test_evidence_that_cannot_be_written_is_an_error(run: Run, signals: str, folder: Path) -> None:
    ran = run("use", "/fish", *TRAINING, "--robots", signals, "--evidence", signals)
    assert "--evidence: cannot write evidence to signals.txt" in ran.refusal
    ran = run("use", "/fish", *TRAINING, "--robots", signals, "--evidence-key", signals)
    assert "--evidence-key requires --evidence FOLDER" in ran.err
    assert not (folder / "evidence").exists()


def test_a_url_that_fails_costs_the_others_nothing(run: Run, site: Site) -> None:
    url = serve(site, b"User-agent: *\nContent-Signal: ai-train=yes\n")
    ran = run("use", "http://[zz]/", url, *TRAINING, *UNKEPT, "--format", "ndjson")
    failed, row = objects(ran)
    assert (failed["allowed"], "[zz]" in failed["error"], row["allowed"], ran.code) == (None, True, True, 2)


def test_statements_that_are_not_listed_are_counted(run: Any, folder: Path) -> None:
    (folder / "many.txt").write_text("User-agent: *\n" + "Content-Usage: train-ai=n\n" * 103, encoding="utf-8")
    ran = run("use", "https://a.example/", "--purpose", "training", "--agent", "GPTBot", "--robots", "many.txt")
    assert "  unlisted     3 more, over 100 of a kind" in ran.lines
