"""`canfetch page --resources`: what pages of real servers load."""

import json
from typing import Any

import pytest
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.valid import respond
from tests.servers.web import Site

pytest.importorskip("lxml", reason="lxml is not installed")

Run = Any
UNKEPT = ("--store", "none")
HTML_TYPE = "Content-Type: text/html"
AGENTS = ("--agent", "Googlebot", "--agent", "GPTBot")


@pytest.fixture
def cdn() -> Any:
    """Return the server of another host, whose robots.txt disallows /private."""
    with Site() as running:
        running.serve("/robots.txt", BEHAVIOURS["rules"])
        yield running


@pytest.fixture
def page(site: Site, cdn: Site) -> str:
    """Return the URL of a page that loads files of both servers."""
    site.serve("/robots.txt", respond(b"User-agent: GPTBot\nDisallow: /app\n"))
    html = f"<script src=/app.js></script><img src={cdn.origin}/private/a.png><img src={cdn.origin}/b.png>"
    site.serve("/fish", respond(html.encode(), HTML_TYPE))
    return f"{site.origin}/fish"


def test_text_lists_each_resource_and_why_it_is_blocked(run: Run, page: str, site: Site, cdn: Site) -> None:
    ran = run("page", page, "--resources", *AGENTS, *UNKEPT)
    assert ran.lines == [
        f"{page}: 3 resources, 2 not for all agents",
        f"  no   script    {site.origin}/app.js",
        "         GPTBot: line 2, Disallow: /app",
        f"  no   image     {cdn.origin}/private/a.png",
        "         Googlebot, GPTBot: line 2, Disallow: /private",
        f"  yes  image     {cdn.origin}/b.png",
    ]
    assert (ran.code, ran.err) == (1, "")
    # The page and the files of robots.txt are fetched, and no resource.
    assert (site.count("/app.js"), cdn.count("/b.png"), cdn.count("/robots.txt")) == (0, 0, 1)


def test_json_has_verdicts_by_agent_and_the_origins(run: Run, page: str, site: Site, cdn: Site) -> None:
    ran = run("page", page, "--resources", *AGENTS, *UNKEPT, "--format", "ndjson")
    answer = json.loads(ran.out)
    assert answer["resources"][0] == {
        "url": f"{site.origin}/app.js",
        "kind": "script",
        "element": "script",
        "line": 1,
        "references": 1,
        "origin": site.origin,
        "verdicts": {
            "Googlebot": {"allowed": True, "reason": "no-group", "line": None},
            "GPTBot": {"allowed": False, "reason": "disallow-rule", "line": 2},
        },
        "error": None,
    }
    assert [origin["origin"] for origin in answer["origins"]] == [site.origin, cdn.origin]
    assert (answer["schema"], answer["url"], answer["fetched"]["status"]) == ("canfetch.resources/1", page, 200)


def test_a_page_whose_resources_are_all_allowed(run: Run, page: str) -> None:
    ran = run("page", page, "--resources", "--agent", "Googlebot", *UNKEPT, "--max-bytes", "30", "-q")
    assert (ran.code, ran.out) == (0, "")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--html", "page.html"), "--html cannot be combined with --resources"),
        (("--response-header", "a: b"), "--response-header cannot be combined"),
        (("--dialect", "google"), "--dialect cannot be combined"),
        (("--offline",), "--offline cannot be combined"),
    ],
)
def test_options_without_a_meaning_are_errors(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run("page", "https://example.com/", "--resources", "--agent", "Googlebot", *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_a_page_that_robots_txt_disallows_is_an_error(run: Run, site: Site) -> None:
    site.serve("/robots.txt", BEHAVIOURS["rules"])
    ran = run("page", f"{site.origin}/private", "--resources", "--agent", "Googlebot", *UNKEPT)
    assert ran.code == 2
    assert "robots.txt disallows" in ran.err
    assert run("page", "--resources", "--agent", "Googlebot").err.startswith("canfetch: no page: pass its URL")


def test_the_resources_of_a_page_of_an_unreachable_origin_are_an_error(run: Run, site: Site) -> None:
    site.serve("/robots.txt", respond(b"", status=503))
    url = f"{site.origin}/page"
    ran = run("page", url, "--resources", "--agent", "Googlebot", *UNKEPT)
    assert (ran.code, ran.err) == (2, f"canfetch: cannot fetch '{url}': robots.txt is unreachable: status 503\n")
