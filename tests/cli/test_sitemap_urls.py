"""`canfetch sitemaps --urls`: the URLs of sitemaps, with the verdicts of agents, from real servers and files."""

from pathlib import Path
from typing import Any

import pytest
from tests.servers.valid import respond
from tests.servers.web import Site

Run = Any
UNKEPT = ("--store", "none")
ROBOTS = "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n\n"


def urlset(*urls: str) -> bytes:
    entries = "".join(f"<url><loc>{url}</loc><lastmod>2026-11-25</lastmod></url>" for url in urls)
    return f"<urlset>{entries}</urlset>".encode()


def serve(site: Site) -> None:
    """Serve a robots.txt with an index, and its sitemap."""
    site.serve("/robots.txt", respond(f"{ROBOTS}Sitemap: {site.url('index.xml')}\n".encode()))
    index = f"<sitemapindex><sitemap><loc>{site.url('s.xml')}</loc></sitemap></sitemapindex>"
    site.serve("/index.xml", respond(index.encode()))
    site.serve("/s.xml", respond(urlset(site.url("a"), site.url("private/b"))))


def test_urls_of_a_site(run: Run, site: Site) -> None:
    serve(site)
    ran = run("sitemaps", site.origin, "--urls", *UNKEPT)
    assert ran == (0, f"{site.url('a')}\n{site.url('private/b')}\n", "canfetch: 2 sitemaps, 2 entries\n")


def test_verdicts_are_joined_and_counted(run: Run, site: Site) -> None:
    serve(site)
    agents = ("--agent", "Googlebot", "--agent", "GPTBot")
    ran = run("sitemaps", site.origin, "--urls", *agents, *UNKEPT)
    assert ran.lines == [
        f"allowed     {site.url('a')}  Googlebot  no rule for * matches",
        f"disallowed  {site.url('a')}  GPTBot  line 5, Disallow: /",
        f"disallowed  {site.url('private/b')}  Googlebot  line 2, Disallow: /private",
        f"disallowed  {site.url('private/b')}  GPTBot  line 5, Disallow: /",
    ]
    assert (ran.code, ran.err) == (
        1,
        "canfetch: 2 sitemaps, 2 entries; 1 disallowed for Googlebot; 2 disallowed for GPTBot\n",
    )
    blocked = run("sitemaps", site.origin, "--urls", "--agent", "Googlebot", "--blocked", *UNKEPT)
    assert (blocked.code, blocked.lines) == (1, [ran.lines[2]])


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_json_has_urls_sitemaps_and_counts(run: Run, site: Site, form: str) -> None:
    serve(site)
    ran = run("sitemaps", site.origin, "nonsense:x", "--urls", "--agent", "Googlebot", *UNKEPT, "--format", form)
    rows = ran.rows(form)
    assert [row["type"] for row in rows] == ["error", "url", "url", "sitemap", "sitemap", "summary"]
    assert rows[2] == {
        "type": "url",
        "url": site.url("private/b"),
        "lastmod": "2026-11-25",
        "sitemap": site.url("s.xml"),
        "accepted": True,
        "verdicts": {"Googlebot": {"allowed": False, "reason": "disallow-rule", "line": 2}},
    }
    assert (rows[3]["index"], rows[4]["kind"], rows[4]["problems"]) == (site.url("index.xml"), "index", [])
    assert rows[5] == {"type": "summary", "sitemaps": 2, "urls": 2, "blocked": {"Googlebot": 1}}
    assert ran.code == 2


def test_local_sitemap_and_draft_need_no_requests(run: Run, folder: Path) -> None:
    (folder / "s.xml").write_bytes(urlset("https://a.example/a", "https://b.example/private/b", "x\x7f"))
    (folder / "draft.txt").write_text(ROBOTS)
    ran = run("sitemaps", "--sitemap", "./s.xml", "--robots", "draft.txt", "--agent", "bingbot")
    assert ran.lines == [
        "allowed     https://a.example/a  bingbot  no rule for * matches",
        "disallowed  https://b.example/private/b  bingbot  line 2, Disallow: /private",
    ]
    assert ran.err == (
        "canfetch: warning: ./s.xml: invalid URL 'x%7F': expected an absolute http or https URL\n"
        "canfetch: 1 sitemap, 3 entries; 1 disallowed for bingbot\n"
    )
    assert ran.code == 1


def test_draft_decides_about_a_live_sitemap(run: Run, site: Site, folder: Path) -> None:
    serve(site)
    (folder / "draft.txt").write_text(f"User-agent: *\nDisallow: /a\nSitemap: {site.url('index.xml')}\n")
    ran = run("sitemaps", "--robots", "draft.txt", "--urls", "--agent", "bingbot", "--blocked", *UNKEPT)
    assert ran.lines == [f"disallowed  {site.url('a')}  bingbot  line 2, Disallow: /a"]


def test_faults_are_reported_and_the_code_is_2(run: Run, site: Site) -> None:
    serve(site)
    site.serve("/s.xml", respond(b"<html></html>"))
    ran = run("sitemaps", site.origin, "--urls", *UNKEPT)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[0] == f"canfetch: {site.url('s.xml')}: not a sitemap: the root element is html"


def test_a_line_that_is_not_a_url_is_not_counted_as_a_sitemap(run: Run, folder: Path) -> None:
    (folder / "robots.txt").write_text("Sitemap: /s.xml\n")
    ran = run("sitemaps", "--robots", "robots.txt", "--urls", *UNKEPT)
    assert (ran.code, ran.err.splitlines()[-1]) == (2, "canfetch: 0 sitemaps, 0 entries")


def test_public_only_refuses_a_sitemap_on_loopback(run: Run, site: Site) -> None:
    ran = run("sitemaps", "--sitemap", site.url("s.xml"), "--public-only", "--proxy", "none", *UNKEPT)
    assert (ran.code, ran.out) == (2, "")
    assert site.requests == []


def test_site_without_sitemaps(run: Run, site: Site) -> None:
    ran = run("sitemaps", site.origin, "--urls", *UNKEPT)
    assert (ran.code, ran.out, ran.err) == (1, "", "canfetch: no sitemaps\ncanfetch: 0 sitemaps, 0 entries\n")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--urls",), "expected either origins, such as https://example.com, or --robots FILE, or --sitemap URL"),
        (("https://a.example", "--sitemap", "s.xml"), "--sitemap and origins cannot be used together: "),
        (("https://a.example", "--urls", "--blocked"), "--blocked requires --agent TOKEN"),
        (("https://a.example", "--agent", "GPTBot"), "--agent requires --urls"),
        (("--sitemap", "./missing.xml"), "cannot read --sitemap './missing.xml': no such file"),
        (("--sitemap", "-", "--robots", "-"), "standard input can be read only once"),
    ],
)
def test_mistakes_are_errors(run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert run("sitemaps", *arguments, *UNKEPT).refusal.startswith(f"canfetch: {message}")
