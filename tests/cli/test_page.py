"""`canfetch page`: local pages and pages of real servers."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.dead_ports import refusing_port
from tests.servers.redirects import redirect
from tests.servers.valid import respond
from tests.servers.web import Site

pytest.importorskip("lxml", reason="lxml is not installed")

Run = Any
NOINDEX = b'<html><head>\n<meta name="robots" content="noindex">\n</head>'
AS_GOOGLE = ("--agent", "Googlebot")
UNKEPT = ("--store", "none")
HTML_TYPE = "Content-Type: text/html"


@pytest.fixture
def page(folder: Path) -> Path:
    (folder / "page.html").write_bytes(NOINDEX)
    return folder / "page.html"


@pytest.fixture
def ruled(site: Site) -> Site:
    """Return a server with a robots.txt that disallows /private."""
    site.serve("/robots.txt", BEHAVIOURS["rules"])
    return site


# --- local pages -------------------------------------------------------------------------------


def test_text_shows_every_decision_and_its_reason(run: Run, page: Path) -> None:
    ran = run(
        "page", "https://example.com/fish", "--html", page.name,
        "--response-header", "X-Robots-Tag: max-snippet: 50, no-follow",
        "--response-header", "X-Robots-Tag: unavailable_after: 2030-01-01", *AS_GOOGLE,
    )  # fmt: skip
    assert ran.lines == [
        "no: Googlebot may not index https://example.com/fish",
        "  noindex, meta element 1, line 2",
        "",
        "  list the URL        no                          noindex, meta element 1, line 2",
        "  index if embedded   no                          noindex, meta element 1, line 2",
        "  index images        yes",
        "  follow links        yes",
        "  show a snippet      yes, at most 50 characters  max-snippet: 50, X-Robots-Tag header 1",
        "  preview images      yes",
        "  preview video       yes",
        "  show a cached copy  yes",
        "  translate the page  yes",
        "  use for AI answers  yes, at most 50 characters  max-snippet: 50, X-Robots-Tag header 1",
        "  train on the text   yes",
        "  train on images     yes",
        "  unavailable after   2030-01-01T00:00:00Z",
        "",
        "  tokens      Googlebot, all agents",
        "  dialect     google",
        "  problem     no-follow, X-Robots-Tag header 1: unknown, misspelt (did you mean nofollow?)",
    ]
    assert (ran.code, ran.err) == (1, "")


def test_text_shows_links_and_notes(run: Run) -> None:
    html = b"<a rel=nofollow href=x>a</a><a rel='ugc nofollow'>b</a><p><span data-nosnippet>c</span></p>"
    ran = run("page", "--html", "-", *AS_GOOGLE, "--max-bytes", "90", stdin=html)
    assert ran.lines[0] == "yes: Googlebot may index this page"
    assert ran.lines[1] == "  no rule of the page restricts it"
    assert "  links       2 nofollow, 1 ugc" in ran.lines
    assert "  no snippet  1 with data-nosnippet" in ran.lines
    assert "  notes       html-truncated" in ran.lines
    assert ran.code == 0


def test_text_shows_robots_as_the_name_of_a_crawler(run: Run) -> None:
    ran = run("page", "--response-header", "X-Robots-Tag: robots: noindex", "--agent", "Googlebot")
    assert ran.code == 0
    note, problem = ran.lines[-2:]
    assert note == (
        "  note        X-Robots-Tag header 1: 'robots:' names no crawler, so the directives after it have no effect; "
        "remove 'robots:' to address all crawlers"
    )
    assert problem == "  problem     robots: noindex, X-Robots-Tag header 1: robots-as-agent"


def test_text_says_that_a_control_token_fetches_nothing(run: Run) -> None:
    ran = run("page", "--html", "-", "--agent", "Google-Extended", stdin=b"<html></html>")
    assert "  note        Google-Extended fetches nothing: other crawlers of Google look for this token" in ran.lines


def test_text_shows_limits(run: Run) -> None:
    headers = ("--response-header", "X-Robots-Tag: nocache, max-video-preview: 5, max-image-preview: standard")
    ran = run("page", *headers, "--agent", "bingbot")
    assert [" ".join(line.split()) for line in ran.lines if "at most" in line] == [
        "preview images yes, at most standard max-image-preview: standard, X-Robots-Tag header 1",
        "preview video yes, at most 5 seconds max-video-preview: 5, X-Robots-Tag header 1",
        "use for AI answers yes, at most title and snippet nocache, X-Robots-Tag header 1",
        "train on the text yes, at most title and snippet nocache, X-Robots-Tag header 1",
        "train on images yes, at most title and snippet nocache, X-Robots-Tag header 1",
    ]


def test_force_color_enables_colours(run: Run) -> None:
    ran = run("page", "--response-header", "X-Robots-Tag: noindex", *AS_GOOGLE, env={"FORCE_COLOR": "1"})
    assert ran.out.startswith("\x1b[31mno\x1b[0m: Googlebot")


def test_number_of_problem_lines_is_limited(run: Run) -> None:
    ran = run("page", "--response-header", f"X-Robots-Tag: {'x, ' * 25}noindex", *AS_GOOGLE)
    assert sum(line.startswith("  problem ") for line in ran.lines) == 21
    assert ran.lines[-1] == "  problem     5 more"


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_json_and_ndjson_have_the_verdicts(run: Run, page: Path, form: str) -> None:
    ran = run("page", "--html", page.name, *AS_GOOGLE, "--agent", "bingbot", "--format", form, "--now", "2026-01-31")
    rows = ran.rows(form)
    assert [(row["url"], row["agent_name"], row["schema"]) for row in rows] == [
        (None, "Googlebot", "canfetch.page-verdict/2"),
        (None, "bingbot", "canfetch.page-verdict/2"),
    ]
    assert rows[0]["may_index"]["directive"]["position"] == {
        "source": "meta", "number": 1, "line": 2, "offset": 13, "in_head": True,
    }  # fmt: skip
    assert (rows[0]["now"], rows[0]["fetched"], rows[0]["robots"]) == ("2026-01-31T00:00:00Z", None, None)
    assert rows[0]["page"]["schema"] == "canfetch.page/2"
    assert [row["dialect"] for row in rows] == ["google", "bing"]
    assert ran.code == 1


def test_local_page_that_robots_txt_disallows(run: Run, page: Path) -> None:
    ran = run("page", "/private/x", "--html", page.name, "--robots", "robots.txt", "--exact", "--agent", "ExampleBot")
    assert ran.lines[1] == "  robots.txt disallows the page, so its rules are never read"
    assert "list the URL        yes" in ran.out
    assert "  robots.txt  disallowed: line 2, Disallow: /private/" in ran.lines
    assert ran.code == 1


def test_page_with_a_tdm_file(run: Run, folder: Path) -> None:
    (folder / "tdmrep.json").write_text('[{"location": "/", "tdm-reservation": 1}]', encoding="utf-8")
    ran = run(
        "page", "/x", "--response-header", "X-Robots-Tag: all", "--tdm-file", "tdmrep.json", "--agent", "ExampleBot"
    )
    assert "  train on the text   no   tdm-reservation is 1, tdmrep.json entry 1" in ran.lines
    assert ran.code == 0


def test_quiet_prints_nothing(run: Run, page: Path) -> None:
    for more, code in ((), 1), (("--dialect", "apple"), 1), (("--format", "json"), 1):
        assert run("page", "--html", page.name, *AS_GOOGLE, "--quiet", *more) == (code, "", "")
    assert run("page", "--response-header", "x: y", *AS_GOOGLE, "-q") == (0, "", "")


# --- fetched pages -----------------------------------------------------------------------------


def test_page_is_fetched_after_robots_txt(run: Run, ruled: Site) -> None:
    ruled.serve("/fish", respond(NOINDEX, HTML_TYPE, "X-Robots-Tag: nofollow", "X-Robots-Tag: bingbot: noarchive"))
    ran = run("page", f"{ruled.origin}/fish", *AS_GOOGLE, "--agent", "bingbot", *UNKEPT, "--format", "json")
    google, bing = json.loads(ran.out)
    assert (google["may_index"]["allowed"], google["may_follow"]["allowed"]) == (False, False)
    assert (google["may_train"]["allowed"], bing["may_train"]["allowed"]) == (True, False)
    assert google["robots"]["access"]["robots_url"] == f"{ruled.origin}/robots.txt"
    assert google["fetched"] == {"url": f"{ruled.origin}/fish", "status": 200, "bytes": len(NOINDEX), "hops": []}
    # Each file is fetched once for all agents.
    assert [asked.target for asked in ruled.requests] == ["/robots.txt", "/fish", "/.well-known/tdmrep.json"]
    assert ran.code == 1


def test_disallowed_page_is_not_fetched(run: Run, ruled: Site) -> None:
    ran = run("page", f"{ruled.origin}/private", *AS_GOOGLE, *UNKEPT)
    assert ran.lines[0] == f"no: Googlebot may not index {ruled.origin}/private"
    assert "list the URL        yes" in ran.out
    assert ruled.count("/private") == 0
    assert ran.code == 1


def test_tdm_file_is_fetched_once_for_all_agents(run: Run, ruled: Site) -> None:
    ruled.serve("/fish", respond(b"<p>fish", HTML_TYPE))
    ruled.serve("/.well-known/tdmrep.json", respond(b'[{"location": "/f", "tdm-reservation": 1}]'))
    ran = run(
        "page", f"{ruled.origin}/fish", "--agent", "ExampleBot", "--agent", "Googlebot", *UNKEPT, "--format", "ndjson"
    )
    assert [json.loads(line)["may_train"]["reason"] for line in ran.lines] == ["reservation", "reservation"]
    assert ruled.count("/.well-known/tdmrep.json") == 1


def test_missing_tdm_file_restricts_nothing(run: Run, ruled: Site) -> None:
    ruled.serve("/fish", respond(b"<p>fish", HTML_TYPE))
    ran = run("page", f"{ruled.origin}/fish", "--agent", "ExampleBot", *UNKEPT, "--dialect", "restrictive")
    assert f"  fetched     {ruled.origin}/fish, 7 bytes" in ran.lines
    assert "train on the text   yes" in ran.out
    assert ruled.count("/.well-known/tdmrep.json") == 1


TDM_PLACE = "/.well-known/tdmrep.json"
BOTS = ("--agent", "ExampleBot", "--agent", "OtherBot")


@pytest.mark.parametrize(
    "behaviour, message",
    [
        (respond(b"", status=503), "responded with status 503"),
        (respond(b"", status=403), "responded with status 403"),
        (BEHAVIOURS["reset"], ": reset"),
        (redirect("/private"), "robots.txt disallows"),
        (redirect("ftp://example.com/x"), "cannot follow the redirect"),
        (redirect("http:"), "cannot follow the redirect"),
        (redirect(TDM_PLACE), "expected at most 10"),
    ],
)
def test_tdm_file_error_is_shown_and_the_file_fetched_once(run: Run, ruled: Site, behaviour: Any, message: str) -> None:
    ruled.serve("/fish", respond(b"<p>fish", HTML_TYPE))
    ruled.serve(TDM_PLACE, behaviour)
    ran = run("page", f"{ruled.origin}/fish", *BOTS, *UNKEPT)
    why = "tdmrep.json could not be fetched, so it may reserve the rights"
    assert sum(line.startswith("  train on the text   no ") and line.endswith(why) for line in ran.lines) == 2
    assert sum(line.startswith("  TDM file    ") and message in line for line in ran.lines) == 2
    assert ruled.count(TDM_PLACE) == 1
    ran = run("page", f"{ruled.origin}/fish", *BOTS, *UNKEPT, "--format", "ndjson")
    for row in map(json.loads, ran.lines):
        assert (row["may_train"]["allowed"], row["may_train"]["reason"]) == (False, "tdm-file-unreachable")
        assert message in row["page"]["tdm_file_problem"]


@pytest.mark.parametrize("status", [404, 410])
def test_tdm_file_404_or_410_reserves_nothing(run: Run, ruled: Site, status: int) -> None:
    ruled.serve("/fish", respond(b"<p>fish", HTML_TYPE))
    ruled.serve(TDM_PLACE, respond(b"", status=status))
    ran = run("page", f"{ruled.origin}/fish", *BOTS, *UNKEPT, "--format", "ndjson")
    assert [json.loads(line)["may_train"]["allowed"] for line in ran.lines] == [True, True]
    assert ruled.count(TDM_PLACE) == 1


def test_redirects_of_a_tdm_file_are_followed(run: Run, ruled: Site) -> None:
    ruled.serve("/fish", respond(b"<p>fish", HTML_TYPE))
    ruled.serve(TDM_PLACE, redirect("/tdm.json", 301))
    ruled.serve("/tdm.json", respond(b'[{"location": "/f", "tdm-reservation": 1}]'))
    ran = run("page", f"{ruled.origin}/fish", *BOTS, *UNKEPT, "--format", "ndjson")
    assert [json.loads(line)["may_train"]["reason"] for line in ran.lines] == ["reservation", "reservation"]
    assert (ruled.count(TDM_PLACE), ruled.count("/tdm.json")) == (1, 1)


def test_failed_page_is_fetched_once(run: Run, ruled: Site) -> None:
    ruled.serve("/fish", BEHAVIOURS["reset"])
    assert run("page", f"{ruled.origin}/fish", *BOTS, *UNKEPT).err.count("cannot fetch ") == 2
    assert ruled.count("/fish") == 1


def test_redirects_are_followed_and_checked_against_robots_txt(run: Run, ruled: Site) -> None:
    ruled.serve("/old", redirect("/fish#tail", 301))
    ruled.serve("/fish", respond(NOINDEX, HTML_TYPE))
    ruled.serve("/trap", redirect("/private"))
    ran = run("page", f"{ruled.origin}/old", *AS_GOOGLE, *UNKEPT)
    assert f"  redirected  301  {ruled.origin}/old" in ran.lines
    assert ran.lines[1] == "  noindex, meta element 1, line 2"
    ran = run("page", f"{ruled.origin}/trap", *AS_GOOGLE, *UNKEPT)
    assert "list the URL        yes" in ran.out
    assert ruled.count("/private") == 0


@pytest.mark.parametrize(
    "path, behaviour, message",
    [
        ("/loop", redirect("/loop"), "expected at most 10"),
        ("/far", redirect(f"ftp://example.com/{'x' * 5_000}"), "xxx...xxx"),
        ("/ftp", redirect("ftp://example.com/x"), "to 'ftp://example.com/x': expected an HTTP URL"),
        ("/odd", redirect("http://[::1/x"), "cannot follow the redirect"),
        ("/none", respond(b"", status=302), "to '': expected an HTTP URL"),
        ("/gone", respond(b"", status=410), "responded with status 410: expected a page"),
        ("/reset", BEHAVIOURS["reset"], "cannot fetch "),
    ],
)
def test_page_error_is_reported_in_one_line(run: Run, ruled: Site, path: str, behaviour: Any, message: str) -> None:
    ruled.serve(path, behaviour)
    for form in ("text", "ndjson"):
        ran = run("page", f"{ruled.origin}{path}", *AS_GOOGLE, *UNKEPT, "--format", form)
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert message in ran.err
        if form == "text":
            assert not ran.out
        else:
            row = json.loads(ran.out)
            assert (row["url"], row["may_index"]) == (f"{ruled.origin}{path}", None)
            assert message in row["error"]


def test_page_of_an_unreachable_origin_is_not_indexed(run: Run) -> None:
    with refusing_port() as port:
        ran = run("page", f"http://127.0.0.1:{port}/x", *AS_GOOGLE, *UNKEPT)
    assert ran.code == 1
    assert "  robots.txt  disallowed: robots.txt is unreachable" in ran.out
    assert ran.lines[1] == ("  robots.txt is unreachable, so the page may not be fetched and its rules are unknown")
    assert "forbids" not in ran.out


@pytest.mark.parametrize("form", ["text", "json"])
def test_quiet_reports_errors(run: Run, form: str) -> None:
    ran = run("page", "nonsense", *AS_GOOGLE, *UNKEPT, "-q", "--format", form)
    assert ran.refusal.startswith("canfetch: invalid URL 'nonsense'")


# --- invalid arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, subject, expected",
    [
        (("page",), "no agent", "--agent Googlebot"),
        (("page", *AS_GOOGLE), "no page", "--html FILE"),
        (("page", "/x", *AS_GOOGLE, *UNKEPT), "cannot fetch '/x'", "--html FILE"),
        (("page", "https://example.com/", *AS_GOOGLE, "--offline"), "--offline", "--html FILE"),
        (("page", "https://example.com/", *AS_GOOGLE, "--robots", "robots.txt"), "--robots requires", "--html"),
        (("page", "https://example.com/", *AS_GOOGLE, "--tdm-file", "tdm.json"), "--tdm-file requires", "--html"),
        (
            ("page", *AS_GOOGLE, "--response-header", "noindex"),
            "invalid --response-header 'noindex'",
            "X-Robots-Tag: noindex",
        ),
        (
            ("page", *AS_GOOGLE, "--response-header", "HTTP/1.1 404 Not Found", "--response-header", "a: b"),
            "status 404",
            "expected a page",
        ),
        (
            ("page", *AS_GOOGLE, "--response-header", "a: b", "--robots", "robots.txt"),
            "--robots requires",
            "the URL of the page",
        ),
        (
            ("page", "/", *AS_GOOGLE, "--html", "-", "--robots", "-"),
            "standard input can be read only once",
            "--html and --robots",
        ),
        (("page", *AS_GOOGLE, "--html", "missing.html"), "--html 'missing.html'", "no such file"),
        (("page", *AS_GOOGLE, "--html", "."), "--html '.': is a directory", "expected a file"),
        (
            ("page", *AS_GOOGLE, "--response-header", "a: b", "--tdm-file", "robots.txt"),
            "--tdm-file requires",
            "the URL of the page",
        ),
        (
            ("page", "nonsense", *AS_GOOGLE, "--response-header", "a: b"),
            "invalid URL 'nonsense'",
            "expected an absolute URL",
        ),
        (("page", "--agent", "a b", "--response-header", "a: b"), "invalid agent 'a b'", "without spaces"),
        (
            ("page", "--agent", "Googlebot/2.1", "--response-header", "a: b"),
            "invalid agent",
            "only the product token of that User-Agent header, 'Googlebot'",
        ),
        (("page", "--agent", "", "--response-header", "a: b"), "invalid agent ''", "expected a product token"),
        (("page", "--agent", "a b", "--exact", "--response-header", "a: b"), "invalid agent 'a b'", "without spaces"),
        (("page", *AS_GOOGLE, "--response-header", "a: b", "--now", "soon"), "--now 'soon'", "2026-01-31"),
        (("page", *AS_GOOGLE, "--dialect", "ask"), "'ask' is not one of", "'google'"),
    ],
)
def test_invalid_arguments_are_reported_in_one_line(
    run: Run, arguments: tuple[str, ...], subject: str, expected: str
) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert subject in ran.err
    assert expected in ran.err


@pytest.mark.skipif(sys.platform != "linux", reason="a file that opens and cannot be read")
def test_read_error_of_html_is_reported(run: Run) -> None:
    assert "cannot read --html" in run("page", *AS_GOOGLE, "--html", "/proc/self/mem").refusal


def test_control_characters_of_a_page_are_escaped(run: Run, ruled: Site) -> None:
    ruled.serve("/fish", respond(b"<meta name=robots content='\x1b[31m, no\x07index'>", HTML_TYPE))
    ran = run("page", f"{ruled.origin}/fish", *AS_GOOGLE, *UNKEPT)
    assert "\x1b" not in ran.out
    assert "%1B[31m" in ran.out


@pytest.mark.slow
def test_rfc3986_3_2_1_credentials_of_redirects_are_not_printed(run: Run, ruled: Site) -> None:
    with_password = ruled.origin.replace("://", "://us:secret@")
    ruled.serve("/old", redirect(f"{with_password}/moved"))
    ruled.serve("/moved", redirect(f"{with_password}/fish"))
    ruled.serve("/fish", respond(NOINDEX, HTML_TYPE))
    ruled.serve("/lost", redirect(f"{with_password}/missing"))
    ruled.serve("/odd", redirect("http://us:secret@[::1/x"))
    for path in ("/old", "/lost", "/odd"):
        for form in ("text", "ndjson"):
            ran = run("page", f"{ruled.origin}{path}", *AS_GOOGLE, *UNKEPT, "--format", form)
            assert "http://***@" in ran.out + ran.err
            assert "secret" not in ran.out + ran.err
