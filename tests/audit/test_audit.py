"""Audits of sites on loopback: what is found, and what is not."""

import errno
import gzip
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest
from tests.audit.sites import HTML, PAGE, ROBOTS, cut, edge, publish, publish_six_faults, sitemap, with_sitemap
from tests.servers.broken import send_raw
from tests.servers.certificates import Authority
from tests.servers.dead_ports import full_queue_port, refusing_port
from tests.servers.proxy import ProxySite
from tests.servers.redirects import redirect
from tests.servers.valid import respond
from tests.servers.web import Behaviour, Exchange, Site

from canfetch import Client
from canfetch.access.responses import Failure, Response
from canfetch.audit import AuditKind, AuditPlan, AuditReport, audit, html_page, text_lines
from canfetch.audit.page_resources import MAX_LOADED
from canfetch.audit.served import check_hosts, find_added_lines, host_addresses, served_file
from canfetch.audit.site_requests import SiteRequests
from canfetch.audit.text_report import FindingGroup, by_severity, grouped, main_finding, rules_summary, severity_counts
from canfetch.author import SitePolicy, parse_policy, render_policy
from canfetch.author.site_policy import closed_policy
from canfetch.cli.origins.audit_markdown import markdown_lines
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.http_transport import HTTPTransport
from canfetch.core.origin import Origin
from canfetch.errors import InvalidOption, InvalidURL
from canfetch.lint import Severity

QUICK = AuditPlan(delay=0)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(user_agent="AuditBot/1.0") as running:
        yield running


def kinds(report: AuditReport) -> set[AuditKind]:
    return {one.kind for one in report.findings}


def found(report: AuditReport, kind: AuditKind) -> list[str | None]:
    return [one.url for one in report.findings if one.kind is kind]


def test_a_healthy_site_has_no_findings(client: Client, site: Site) -> None:
    publish(site, {"/": respond(PAGE, HTML), "/fish": respond(PAGE, HTML)})
    report = audit(client, f"{site.origin}/any/path", plan=QUICK)
    assert (kinds(report), report.error) == (set(), "")
    assert (report.origin, report.listed) == (site.origin, (1, 2, 1, 0))
    assert report.requests == len(site.requests) <= report.max_requests


def test_listed_pages_are_compared_with_what_is_served(client: Client, site: Site) -> None:
    page = b"<!doctype html><script src=/private/a.js></script><link rel=stylesheet href=/open.css>"
    publish(
        site,
        {
            "/private/x": respond(PAGE),
            "/hidden": respond(PAGE, HTML, "X-Robots-Tag: noindex"),
            "/meta": respond(b"<!doctype html><meta name=robots content=noindex>", HTML),
            "/moved": respond(b"", "Location: /hidden", status=301),
            "/gone": respond(b"", status=410),
            "/broken": respond(b"", status=503),
            "/styled": respond(page, HTML),
        },
    )
    report = audit(client, site.origin, plan=QUICK)
    expected = {
        AuditKind.LISTED_BLOCKED: ["/private/x"],
        AuditKind.LISTED_NOINDEX: ["/hidden", "/meta"],
        AuditKind.LISTED_REDIRECTED: ["/moved"],
        AuditKind.LISTED_MISSING: ["/gone"],
        AuditKind.LISTED_FAILING: ["/broken"],
        AuditKind.RESOURCE_BLOCKED: ["/private/a.js"],
    }
    assert {kind: sorted(map(str, found(report, kind))) for kind in kinds(report)} == {
        kind: [f"{site.origin}{path}" for path in paths] for kind, paths in expected.items()
    }
    assert site.count("/private/x") == site.count("/private/a.js") == 0


def test_the_page_that_a_listed_address_redirects_to(client: Client, site: Site) -> None:
    hidden = respond(PAGE, HTML, "X-Robots-Tag: noindex")
    moved = {path: respond(b"", "Location: /hidden", status=301) for path in ("/a", "/b")}
    publish(site, {**moved, "/c": respond(b"", "Location: /private/x", status=302), "/fish": respond(PAGE, HTML)})
    site.serve("/hidden", hidden)
    report = audit(client, site.origin, plan=QUICK)
    (noindex,) = (one for one in report.findings if one.kind is AuditKind.LISTED_NOINDEX)
    assert noindex.url == f"{site.origin}/hidden"
    # The order of the sample depends on the port.
    assert noindex.message.endswith((f"; {site.origin}/a redirects to it", f"; {site.origin}/b redirects to it"))
    assert (site.count("/hidden"), site.count("/private/x")) == (1, 0)
    assert len(found(report, AuditKind.LISTED_REDIRECTED)) == 3


def test_a_redirect_to_a_disallowed_page_and_to_itself(client: Client, site: Site) -> None:
    moved = {"/a": respond(b"", "Location: /private/x", status=301), "/b": respond(b"", "Location: /b", status=302)}
    publish(site, moved)
    report = audit(client, site.origin, plan=QUICK)
    assert found(report, AuditKind.LISTED_BLOCKED) == [f"{site.origin}/private/x"]
    assert site.count("/private/x") == 0
    messages = [one.message for one in report.findings if one.kind is AuditKind.LISTED_REDIRECTED]
    assert sorted(messages) == [
        f"status 301 leads to '{site.origin}/private/x'",
        "status 302 leads to itself",
    ]


def test_a_listed_page_that_forwards(client: Client, site: Site) -> None:
    page = b"<!doctype html><meta http-equiv=refresh content='0; url=/hidden'>" + PAGE
    publish(site, {"/a": respond(page, HTML), "/b": respond(PAGE, HTML, "Refresh: 1; url=/private/x")})
    site.serve("/hidden", respond(PAGE, HTML, "X-Robots-Tag: noindex"))
    report = audit(client, site.origin, plan=QUICK)
    assert sorted(map(str, found(report, AuditKind.LISTED_REDIRECTED))) == [f"{site.origin}/a", f"{site.origin}/b"]
    assert found(report, AuditKind.LISTED_NOINDEX) == [f"{site.origin}/hidden"]
    assert found(report, AuditKind.LISTED_BLOCKED) == [f"{site.origin}/private/x"]


def test_pages_that_one_search_engine_may_fetch_are_requested(client: Client, site: Site) -> None:
    page = b"<!doctype html><meta name=robots content=noindex><link rel=stylesheet href=/private/a.css>"
    publish(site, {"/fish": respond(page, HTML)}, robots=f"User-agent: bingbot\nDisallow: /\n\n{ROBOTS}")
    report = audit(client, site.origin, plan=QUICK)
    by_kind = {one.kind: one.message for one in report.findings}
    assert "for bingbot; in " in by_kind[AuditKind.LISTED_BLOCKED]
    assert by_kind[AuditKind.LISTED_NOINDEX].endswith("for Googlebot")
    assert ", for Googlebot; in " in by_kind[AuditKind.RESOURCE_BLOCKED]
    # The sitemap is not read by bingbot either, which is closed out of the site.
    assert AuditKind.SITEMAP_BLOCKED not in by_kind


@pytest.mark.parametrize(
    "robots, expected",
    [
        ("User-agent: *\nDisallow: /*.xml\n", AuditKind.SITEMAP_BLOCKED),
        ("User-agent: bingbot\nDisallow: /sitemap.xml\n", AuditKind.SITEMAP_BLOCKED),
        ("User-agent: AuditBot\nDisallow: /*.xml\n", AuditKind.NOT_ALLOWED),
    ],
)
def test_a_disallowed_sitemap(client: Client, site: Site, robots: str, expected: AuditKind) -> None:
    publish(site, {}, robots=robots)
    report = audit(client, site.origin, plan=QUICK)
    (one,) = (one for one in report.findings if one.kind in {AuditKind.SITEMAP_BLOCKED, AuditKind.NOT_ALLOWED})
    assert (one.kind, one.url) == (expected, f"{site.origin}/sitemap.xml")


STYLED = b"<!doctype html><link rel=stylesheet href=/a.css><script src=/a.js></script><style>@import '/b.css'</style>"


def test_what_styles_and_scripts_redirect_to_and_import(client: Client, site: Site) -> None:
    publish(site, {"/": respond(STYLED, HTML)})
    files = {
        "/a.css": respond(b"@import '/c.css'; @import url(/private/1.css);"),
        "/a.js": respond(b"", "Location: /private/2.js", status=302),
        "/b.css": respond(b"", "Location: /c.css", status=301),
        "/c.css": respond(b"@import '/a.css'; @import '/private/3.css';"),
    }
    for path, behaviour in files.items():
        site.serve(path, behaviour)
    report = audit(client, site.origin, plan=QUICK)
    ways = {
        str(one.url).removeprefix(site.origin): one.message.rpartition("; ")[2]
        for one in report.findings
        if one.kind is AuditKind.RESOURCE_BLOCKED
    }
    assert ways == {
        "/private/1.css": f"{site.origin}/a.css imports it",
        "/private/2.js": f"{site.origin}/a.js redirects to it",
        "/private/3.css": f"{site.origin}/c.css imports it",
    }
    assert [site.count(path) for path in files] == [1, 1, 1, 1]
    assert not any(request.target.startswith("/private/") for request in site.requests)


def test_no_further_style_is_requested_after_status_429(client: Client, site: Site) -> None:
    publish(site, {"/": respond(STYLED, HTML)})
    for path in ("/a.css", "/a.js", "/b.css"):
        site.serve(path, respond(b"", status=429))
    audit(client, site.origin, plan=QUICK)
    assert sum(site.count(path) for path in ("/a.css", "/a.js", "/b.css")) == 1


def test_a_style_of_a_page_that_no_search_engine_may_fetch_is_decided_about_on_another_page(
    client: Client, site: Site
) -> None:
    page = respond(b"<!doctype html><link rel=stylesheet href=/private/a.css>", HTML)
    publish(site, {"/": page, "/fish": page}, robots=f"User-agent: AuditBot\nDisallow:\n\n{ROBOTS}Disallow: /$\n")
    report = audit(client, site.origin, plan=QUICK)
    (blocked,) = (one for one in report.findings if one.kind is AuditKind.RESOURCE_BLOCKED)
    assert blocked.message.endswith(f"; in {site.origin}/fish")


def test_a_limited_number_of_styles_is_requested(client: Client, site: Site) -> None:
    links = b"".join(b"<link rel=stylesheet href=/%d.css>" % number for number in range(MAX_LOADED + 10))
    publish(site, {"/": respond(b"<!doctype html>" + links, HTML)})
    report = audit(client, site.origin, plan=QUICK)
    assert sum(request.target.endswith(".css") for request in site.requests) == MAX_LOADED
    assert kinds(report) == set()


@pytest.mark.parametrize("fields", [("Refresh: 0; url=/start",), ()])
def test_the_page_that_the_home_page_forwards_to(client: Client, site: Site, fields: tuple[str, ...]) -> None:
    body = b"" if fields else b"<!doctype html><meta http-equiv=refresh content='0; url=/start'>"
    robots = f"{ROBOTS}\nUser-agent: bingbot\nDisallow: /start\n"
    publish(site, {"/": respond(body, HTML, *fields)}, robots=robots)
    site.serve("/start", respond(PAGE, HTML, "X-Robots-Tag: noindex"))
    report = audit(client, site.origin, plan=replace(QUICK, edge=("GPTBot",)))
    assert found(report, AuditKind.HOME_BLOCKED) == found(report, AuditKind.HOME_NOINDEX) == [f"{site.origin}/start"]
    assert {request.headers["user-agent"] for request in site.requests if request.target == "/"} == {"AuditBot/1.0"}


@pytest.mark.parametrize("value", ["300; url=/start", "300", "0; url=/", "0; url=/back"])
def test_a_home_page_that_is_replaced_later_or_by_itself(client: Client, site: Site, value: str) -> None:
    publish(site, {"/": respond(PAGE, HTML, f"Refresh: {value}")})
    site.serve("/start", respond(PAGE, HTML, "X-Robots-Tag: noindex"))
    site.serve("/back", respond(PAGE, HTML, "Refresh: 0; url=/"))
    assert kinds(audit(client, site.origin, plan=replace(QUICK, sample=0))) == set()


def test_all_pages_are_requested_and_each_fault_is_one_finding(client: Client, site: Site) -> None:
    hidden = [f"/hidden/{number}" for number in range(3)]
    paths = {f"/page/{number}": respond(PAGE, HTML) for number in range(40)}
    paths |= {path: respond(PAGE, HTML, "X-Robots-Tag: noindex") for path in hidden}
    paths |= {f"/private/{number}": respond(PAGE) for number in range(7)}
    publish(site, paths)
    report = audit(client, site.origin, plan=replace(QUICK, sample=None))
    assert report.counts[AuditKind.LISTED_BLOCKED] == 7
    assert sorted(map(str, found(report, AuditKind.LISTED_NOINDEX))) == [f"{site.origin}{path}" for path in hidden]
    assert kinds(report) == {AuditKind.LISTED_BLOCKED, AuditKind.LISTED_NOINDEX}
    assert report.listed == (1, 50, 43, 0)


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(1_000, marks=pytest.mark.slow),
        pytest.param(50_000, marks=[pytest.mark.service, pytest.mark.nightly]),
    ],
)
def test_a_large_sitemap_has_one_finding_for_each_fault(client: Client, pages: int) -> None:
    blocked, hidden = (range(number) for number in (pages // 250, pages // 1_000))
    paths = [f"/private/{number}" for number in blocked] + [f"/hidden-{number}" for number in hidden]
    paths += [f"/page-{number}" for number in range(pages - len(paths))]
    noindex = respond(PAGE, HTML, "X-Robots-Tag: noindex")
    with Site(behaviours={"page": respond(PAGE, HTML), "hidden": noindex}) as site:
        publish(site, {})
        site.serve("/sitemap.xml", respond(sitemap(f"{site.origin}{path}" for path in paths)))
        report = audit(client, site.origin, plan=replace(QUICK, sample=None))
    assert report.counts == {AuditKind.LISTED_BLOCKED: len(blocked), AuditKind.LISTED_NOINDEX: len(hidden)}
    assert report.listed == (1, pages, pages - len(blocked), 0)


def test_pages_on_many_hosts_cost_few_requests(client: Client, site: Site) -> None:
    publish(site, {})
    listed = [f"http://127.0.0.{number}:{site.port}/" for number in range(2, 200)]
    site.serve("/sitemap.xml", respond(sitemap(listed)))
    report = audit(client, site.origin, plan=replace(QUICK, sample=0))
    assert report.listed.urls == len(listed)
    assert report.requests < 60
    assert any("not fetched" in one.message for one in report.findings if one.kind is AuditKind.LIMIT_REACHED)


def test_the_sample_depends_only_on_the_urls(client: Client, site: Site) -> None:
    paths = {f"/{number}": respond(PAGE, HTML) for number in range(30)}
    seen = []
    for order in (paths, dict(reversed(paths.items()))):
        publish(site, order)
        before = len(site.requests)
        audit(client, site.origin, plan=replace(QUICK, sample=5))
        seen.append([request.target for request in site.requests[before:] if request.target[1:].isdigit()])
    assert len(seen[0]) == 5
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    "status, kind",
    [
        (503, AuditKind.ROBOTS_UNREACHABLE),
        (404, AuditKind.ROBOTS_MISSING),
        (403, AuditKind.ROBOTS_REFUSED),
        (301, AuditKind.ROBOTS_REFUSED),
    ],
)
def test_sites_without_a_file(client: Client, site: Site, status: int, kind: AuditKind) -> None:
    # 301 is a loop.
    site.serve("/robots.txt", respond(b"", "Location: /robots.txt", status=status))
    report = audit(client, site.origin, plan=QUICK)
    assert (report.error, kind in kinds(report)) == ("", True)
    assert AuditKind.SITE_CLOSED not in kinds(report)
    intended = kinds(audit(client, site.origin, plan=QUICK, source=ROBOTS.encode()))
    assert (AuditKind.SERVED_DIFFERS in intended) is (status != 503)
    assert AuditKind.ROBOTS_MISSING not in intended
    json.dumps(report.to_json())


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "the sitemap is empty (0 bytes)"),
        (sitemap([]), "the sitemap lists no URLs"),
        (b"\n", "the sitemap lists no URLs"),
        (b"<sitemapindex></sitemapindex>", "the sitemap index lists no sitemaps"),
    ],
)
def test_a_sitemap_without_urls(client: Client, site: Site, content: bytes, message: str) -> None:
    publish(site, {})
    site.serve("/sitemap.xml", respond(content))
    (one,) = audit(client, site.origin, plan=QUICK).findings
    assert (one.kind, one.severity, one.message) == (
        AuditKind.SITEMAP_FAULT,
        Severity.WARNING,
        message,
    )


def test_a_site_without_a_server_cannot_be_audited(client: Client) -> None:
    with refusing_port() as port:
        report = audit(client, f"http://127.0.0.1:{port}", plan=replace(QUICK, edge=("GPTBot",)))
    assert kinds(report) == {AuditKind.SITE_UNREACHABLE}
    assert "Connection refused" in report.error


async def _dead_host(exchange: Exchange) -> None:
    with refusing_port() as port:
        await exchange.respond(301, b"", f"Location: http://127.0.0.1:{port}/robots.txt")


async def _silent(exchange: Exchange) -> None:
    await exchange.wait_closed()


@pytest.mark.parametrize(
    "behaviour",
    [
        cut,
        send_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + ROBOTS.encode()),
        send_raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nfoo"),
        _dead_host,
        _silent,
    ],
)
def test_a_server_with_a_broken_robots_txt_is_audited(site: Site, behaviour: Behaviour) -> None:
    publish(site, {})
    site.serve("/robots.txt", behaviour)
    with Site() as other, Client(user_agent="AuditBot/1.0", read_timeout=0.3) as client:
        other.serve("/robots.txt", respond(ROBOTS.encode()))
        report = audit(client, site.origin, plan=QUICK)
        of_other = audit(client, other.origin, plan=replace(QUICK, hosts=(site.origin,)))
    assert (report.error, report.findings[0].kind) == ("", AuditKind.ROBOTS_UNREACHABLE)
    assert report.findings[0].url == f"{site.origin}/robots.txt"
    assert ("redirects to" in report.findings[0].message) is (behaviour is _dead_host)
    assert AuditKind.SITE_UNREACHABLE not in kinds(report)
    assert AuditKind.HOST_UNREACHABLE in kinds(of_other)


@pytest.mark.parametrize("options", [{"connect_timeout": 0.2}, {"timeout": 0.2}])
def test_a_server_that_accepts_no_connection_in_time_is_not_audited(options: dict[str, float]) -> None:
    with full_queue_port() as port, Client(user_agent="AuditBot/1.0", **options) as client:  # type: ignore[arg-type]
        report = audit(client, f"http://127.0.0.1:{port}", plan=QUICK)
    assert kinds(report) == {AuditKind.SITE_UNREACHABLE}


def test_a_server_that_the_system_cannot_connect_to_in_time_is_not_audited(
    monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    def fail(*_: object) -> NoReturn:
        raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))

    monkeypatch.setattr("canfetch.client.transports.connections._create_socket", fail)
    report = audit(client, "http://127.0.0.1:9", plan=QUICK)
    assert kinds(report) == {AuditKind.SITE_UNREACHABLE}


def test_a_response_that_exceeds_the_time_of_the_fetch_is_an_answer(site: Site) -> None:
    publish(site, {})
    site.serve("/robots.txt", _silent)
    with Client(user_agent="AuditBot/1.0", timeout=0.3) as client:
        report = audit(client, site.origin, plan=QUICK)
    assert (report.error, report.findings[0].kind) == ("", AuditKind.ROBOTS_UNREACHABLE)


def test_a_report_of_a_site_without_a_server_names_the_file_and_what_to_do(client: Client) -> None:
    with refusing_port() as port:
        report = audit(client, f"http://127.0.0.1:{port}", plan=QUICK).to_json()
    for text in ("\n".join(text_lines(report)), html_page([report]), "\n".join(markdown_lines([report]))):
        assert f"127.0.0.1:{port}/robots.txt" in text
        assert "Check the address, its DNS entry" in text
        assert text.count("Connection refused") == 1


def test_a_page_in_place_of_robots_txt(client: Client, site: Site) -> None:
    site.serve("/robots.txt", respond(PAGE, HTML))
    assert AuditKind.NOT_ROBOTS in kinds(audit(client, site.origin, plan=QUICK))


@pytest.mark.parametrize("rule", ["Disallow: /", "Disallow: /fish"])
def test_crawlers_of_google_find_no_rules_in_utf_16(client: Client, site: Site, rule: str) -> None:
    publish(site, {"/fish": respond(PAGE, HTML)})
    robots = f"User-agent: *\n{rule}\n\nUser-agent: AuditBot\nDisallow:\n\nSitemap: {site.origin}/sitemap.xml\n"
    site.serve("/robots.txt", respond(robots.encode("utf-16")))
    report = audit(client, site.origin, plan=QUICK)
    assert any("CF106" in one.message for one in report.findings)
    assert AuditKind.SITE_CLOSED not in kinds(report)
    blocked = [one.message for one in report.findings if one.kind in {AuditKind.HOME_BLOCKED, AuditKind.LISTED_BLOCKED}]
    assert len(blocked) == (2 if rule.endswith("/") else 1)
    assert all("bingbot" in message and "Googlebot" not in message for message in blocked)
    (search,) = (one for one in report.purposes if one.name == "search-index")
    access = {name: row.may_fetch for row in search.crawlers for name in row.names}
    assert access["Googlebot"] == "all"
    assert access["bingbot"] == ("none" if rule.endswith("/") else "some")


def test_a_closed_site_is_not_requested(client: Client, site: Site) -> None:
    publish(site, {"/fish": respond(PAGE)}, robots="User-agent: *\nDisallow: /\n")
    report = audit(client, site.origin, plan=replace(QUICK, edge=("Googlebot",)))
    assert {AuditKind.SITE_CLOSED, AuditKind.EDGE_UNKNOWN} <= kinds(report)
    assert {request.target.partition("?")[0] for request in site.requests} == {"/robots.txt"}
    assert AuditKind.NOT_ALLOWED in kinds(report)
    assert AuditKind.SITEMAP_FAULT not in kinds(report)


def test_compressed_sitemaps_and_sitemaps_of_other_hosts(client: Client, site: Site) -> None:
    with Site() as other:
        robots = f"User-agent: *\nDisallow: /private/\nSitemap: {other.origin}/sitemap.xml.gz\n"
        site.serve("/robots.txt", respond(robots.encode()))
        listed = sitemap([f"{site.origin}/private/a", f"{other.origin}/b"])
        other.serve("/sitemap.xml.gz", respond(gzip.compress(listed)))
        other.serve("/b", respond(PAGE, HTML))
        report = audit(client, site.origin, plan=QUICK)
    assert found(report, AuditKind.LISTED_BLOCKED) == [f"{site.origin}/private/a"]
    # A sitemap must not let the audit send requests to the servers of others.
    assert (report.listed.requested, other.count("/b")) == (0, 0)


@pytest.mark.parametrize(
    "home, kind",
    [
        (respond(PAGE, HTML, "X-Robots-Tag: noindex"), AuditKind.HOME_NOINDEX),
        (respond(b"<!doctype html><meta name=robots content=noindex>", HTML), AuditKind.HOME_NOINDEX),
        (respond(b"", status=500), AuditKind.HOME_FAILING),
        (respond(b"", status=403), AuditKind.HOME_FAILING),
        (respond(b"", "Location: /", status=302), AuditKind.HOME_FAILING),
        (respond(b"<script src=/cdn-cgi/challenge-platform/x.js></script>", HTML), AuditKind.HOME_FAILING),
        (respond(b"<!doctype html><script src=/private/a.js></script>", HTML), AuditKind.RESOURCE_BLOCKED),
    ],
)
def test_faults_of_the_home_page(client: Client, site: Site, home: Behaviour, kind: AuditKind) -> None:
    publish(site, {"/": home, "/fish": respond(PAGE, HTML)})
    report = audit(client, site.origin, plan=QUICK)
    assert kinds(report) == {kind}
    site.serve("/sitemap.xml", respond(sitemap([f"{site.origin}/"])))
    assert kinds(audit(client, site.origin, plan=QUICK)) == {kind}


@pytest.mark.parametrize(
    "rules, line, names",
    [
        ("User-agent: *\nDisallow: /en/\n", 2, "Googlebot, bingbot"),
        ("User-agent: AuditBot\nDisallow:\n\nUser-agent: *\nDisallow: /en/\n", 5, "Googlebot, bingbot"),
        ("User-agent: Googlebot\nDisallow: /en/\n", 2, "Googlebot"),
    ],
)
def test_a_home_page_behind_a_redirect_that_search_engines_may_not_fetch(
    client: Client, site: Site, rules: str, line: int, names: str
) -> None:
    publish(site, {"/": respond(b"", "Location: /en/", status=302), "/en/": respond(PAGE, HTML)}, robots=rules)
    report = audit(client, site.origin, plan=replace(QUICK, sample=0))
    (blocked,) = (one for one in report.findings if one.kind is AuditKind.HOME_BLOCKED)
    assert (blocked.severity, blocked.url, blocked.line) == (Severity.ERROR, f"{site.origin}/en/", line)
    assert blocked.message == f"line {line}, Disallow: /en/, for {names}; {site.origin}/ redirects to it"


def test_a_home_page_that_search_engines_may_not_fetch(client: Client, site: Site) -> None:
    publish(site, {"/blog/": respond(PAGE, HTML)}, robots="User-agent: *\nDisallow: /\nAllow: /blog/\n")
    report = audit(client, site.origin, plan=QUICK)
    assert found(report, AuditKind.HOME_BLOCKED) == [f"{site.origin}/"]
    assert AuditKind.SITE_CLOSED not in kinds(report)


@pytest.mark.parametrize(
    "robots, also",
    [
        (respond(b"User-agent: *\nDisallow: /\n"), {AuditKind.NOT_ALLOWED}),
        # No rule disallows it, so the product token of the audit changes nothing.
        (respond(b"", status=500), set()),
    ],
)
def test_a_home_page_on_a_closed_host(client: Client, site: Site, robots: Behaviour, also: set[AuditKind]) -> None:
    with Site() as other:
        other.serve("/robots.txt", robots)
        publish(site, {"/": respond(b"", f"Location: {other.origin}/home", status=301)})
        report = audit(client, site.origin, plan=replace(QUICK, sample=0))
    assert found(report, AuditKind.HOME_BLOCKED) == [f"{other.origin}/home"]
    assert kinds(report) == {AuditKind.HOME_BLOCKED, *also}


def test_an_accident_of_the_host_of_the_home_page_is_no_finding(client: Client, site: Site) -> None:
    with Site() as other:
        other.serve("/robots.txt", cut, respond(ROBOTS.encode()))
        other.serve("/home", respond(PAGE, HTML))
        publish(site, {"/": respond(b"", f"Location: {other.origin}/home", status=301)})
        report = audit(client, site.origin, plan=replace(QUICK, sample=0))
    assert kinds(report) == set()


@pytest.mark.parametrize("status", [401, 403])
def test_a_site_with_a_password_is_closed_as_intended(client: Client, site: Site, status: int) -> None:
    for path in ("/robots.txt", "/"):
        site.serve(path, respond(b"", status=status))
    closed = render_policy(closed_policy()).encode()
    report = audit(client, site.origin, plan=QUICK, source=closed)
    assert (report.at_least(Severity.WARNING), report.error) == ([], "")
    # Without the password, the intended file is missing.
    site.serve("/", respond(PAGE, HTML))
    assert AuditKind.SERVED_DIFFERS in kinds(audit(client, site.origin, plan=QUICK, source=closed))
    # An open site is not meant to refuse.
    site.serve("/", respond(b"", status=status))
    opened = audit(client, site.origin, plan=QUICK, source=ROBOTS.encode())
    assert {AuditKind.SERVED_DIFFERS, AuditKind.HOME_FAILING} <= {one.kind for one in opened.at_least(Severity.ERROR)}


def test_noindex_is_no_fault_of_a_site_that_is_meant_to_be_closed(client: Client, site: Site) -> None:
    closed = "User-agent: AuditBot\nDisallow:\n\nUser-agent: *\nDisallow: /\n"
    page = respond(PAGE, HTML, "X-Robots-Tag: noindex")
    publish(site, {"/": page, "/fish": page}, robots=closed)
    source = with_sitemap(site, closed)
    report = audit(client, site.origin, plan=QUICK, source=source)
    assert report.at_least(Severity.WARNING) == []
    assert {AuditKind.HOME_NOINDEX, AuditKind.LISTED_BLOCKED} <= kinds(report)


@pytest.mark.parametrize("path", ["/", "/robots.txt", "/sitemap.xml", "/fish"])
@pytest.mark.parametrize("status", [500, 503, None])
def test_one_accident_is_no_finding(client: Client, site: Site, path: str, status: int | None) -> None:
    publish(site, {"/fish": respond(PAGE, HTML)})
    accident = cut if status is None else respond(b"", status=status)
    listed = respond(sitemap([f"{site.origin}/fish"]))
    usual = {"/robots.txt": respond(with_sitemap(site)), "/sitemap.xml": listed}.get(path, respond(PAGE, HTML))
    site.serve(path, accident, usual)
    report = audit(client, site.origin, plan=QUICK)
    assert (kinds(report), report.error) == (set(), "")
    assert site.count(path) > 1


def test_the_limits_of_the_audit_are_no_faults_of_the_site(client: Client, site: Site) -> None:
    publish(site, {"/fish": respond(PAGE, HTML)})
    assert kinds(audit(client, site.origin, plan=replace(QUICK, limit=1))) == {AuditKind.LIMIT_REACHED}
    publish(site, {"/fish": respond(PAGE, HTML)}, robots="User-agent: AuditBot\nDisallow: /\n")
    assert kinds(audit(client, site.origin, plan=QUICK)) == {AuditKind.NOT_ALLOWED}


def test_an_address_whose_robots_txt_is_its_home_page_differs(client: Client, site: Site) -> None:
    publish(site, {})
    with Site() as other:
        other.serve("/robots.txt", respond(b"", "Location: /", status=301))
        other.serve("/", respond(PAGE, HTML))
        report = audit(client, site.origin, plan=replace(QUICK, hosts=(other.origin,)))
    (differs,) = (one for one in report.findings if one.kind is AuditKind.HOST_DIFFERS)
    assert differs.message.endswith("so no rule applies")


def test_lines_in_front_are_found_by_their_effect(client: Client, site: Site) -> None:
    managed = "# Managed\nUser-agent: ClaudeBot\nDisallow: /\n\nUser-agent: *\nContent-Signal: ai-train=no\n\n"
    site.serve("/robots.txt", respond(f"{managed}{ROBOTS}".encode()))
    report = audit(client, site.origin, plan=QUICK, source=ROBOTS.encode())
    assert {AuditKind.ADDED_LINES, AuditKind.SERVED_DIFFERS, AuditKind.USAGE_DIFFERS} <= kinds(report)
    lines, differs, usage = (
        next(one for one in report.findings if one.kind is kind)
        for kind in (AuditKind.ADDED_LINES, AuditKind.SERVED_DIFFERS, AuditKind.USAGE_DIFFERS)
    )
    assert lines.message == "not in the intended file: lines 1-6 before the intended ones"
    assert differs.message == "the served file disallows / (in part) for ClaudeBot because of the added lines"
    assert differs.url == f"{site.origin}/"
    assert usage.message == "training: the served file states disallow, the intended one unknown"


def test_a_name_of_several_words_is_shown_as_a_whole(client: Client, site: Site) -> None:
    site.serve("/robots.txt", respond(f"User-agent: Screaming Frog SEO Spider\nDisallow: /\n\n{ROBOTS}".encode()))
    report = audit(client, site.origin, plan=QUICK, source=ROBOTS.encode())
    (differs,) = (one for one in report.findings if one.kind is AuditKind.SERVED_DIFFERS)
    assert differs.message == "the served file disallows / (in part) for Screaming Frog because of the added lines"


def test_a_pattern_with_urls_that_do_not_change_is_named_as_a_part(client: Client, site: Site) -> None:
    intended = b"User-agent: *\nDisallow: /*?\nDisallow: /shop/filter/\nAllow: /shop/filter/\n"
    site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /*?\nDisallow: /search/\n"))
    with Site() as other:
        other.serve("/robots.txt", respond(intended))
        report = audit(client, site.origin, plan=replace(QUICK, hosts=(other.origin,)), source=intended)
        swapped = audit(client, other.origin, plan=replace(QUICK, hosts=(site.origin,)), source=intended)
    for one, kind in ((report, AuditKind.SERVED_DIFFERS), (swapped, AuditKind.HOST_DIFFERS)):
        (differs,) = (found for found in one.findings if found.kind is kind)
        assert " disallows /search/ (in part), /shop/filter/ (in part) for " in differs.message


def test_a_line_behind_is_named_by_its_number(client: Client, site: Site) -> None:
    site.serve("/robots.txt", respond(f"{ROBOTS}# Managed\n".encode()))
    report = audit(client, site.origin, plan=QUICK, source=ROBOTS.encode())
    (added,) = (one for one in report.findings if one.kind is AuditKind.ADDED_LINES)
    number = ROBOTS.count("\n") + 1
    assert (
        added.message
        == f"not in the intended file: line {number} after the intended ones, without an effect on a verdict"
    )


def test_the_intended_file_can_be_a_policy(client: Client, site: Site) -> None:
    site.serve("/robots.txt", respond(b"User-agent: *\nAllow: /\n"))
    policy = parse_policy('[everyone]\ndisallow = ["/private/"]\n')
    report = audit(client, site.origin, plan=QUICK, source=policy)
    assert found(report, AuditKind.SERVED_DIFFERS) == [f"{site.origin}/private/"]
    site.serve("/robots.txt", respond(b"# Another text\nUser-agent: *\nDisallow: /private/\n"))
    assert AuditKind.SERVED_DIFFERS not in kinds(audit(client, site.origin, plan=QUICK, source=policy))


@pytest.mark.parametrize(
    "source, served, expected",
    [
        (b"a\nb\n", b"a\nb", []),
        (b"a\nb\n", b"x\n\na \n\nb\n", [(1, 1, "before")]),
        (b"a\nb\n", b"x\ny\na\nb\nz\n", [(1, 2, "before"), (5, 5, "after")]),
        (b"a\nb\n", b"a\nx\n\ny\nb\n", [(2, 4, "between")]),
        (b"a\nb\nc\n", b"a\nx\nb\ny\nc\n", []),
        (b"a\nb\n", b"a\nx\n", []),
        (b"a\na\n", b"a\na\na\n", [(3, 3, "after")]),
        (b"", b"a\n", []),
        (b"ab\n", b"xab\n", []),
        (b"a\n", b"\xef\xbb\xbfa\nb\n", [(2, 2, "after")]),
    ],
)
def test_added_lines(source: bytes, served: bytes, expected: list[tuple[int, int, str]]) -> None:
    assert find_added_lines(source, served) == expected


def test_a_stale_cache_is_found(client: Client, site: Site) -> None:
    publish(site, {})
    site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /\n"))
    now = 1_800_000_000.0
    site.serve(f"/robots.txt?canfetch={int(now * 1000):x}", respond(b"User-agent: *\nAllow: /\n"))
    report = audit(client, site.origin, plan=QUICK, clock=lambda: now)
    (stale,) = (one for one in report.findings if one.kind is AuditKind.STALE_CACHE)
    assert stale.message.startswith("the file that crawlers get disallows / for ")


def test_addresses_of_the_site_are_compared(client: Client, site: Site) -> None:
    publish(site, {})
    with Site() as same, Site() as other, refusing_port() as port:
        same.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /private/\n# and a comment\n"))
        other.serve("/robots.txt", respond(b"User-agent: *\nAllow: /\n"))
        hosts = (same.origin, other.origin, f"http://127.0.0.1:{port}")
        report = audit(client, site.origin, plan=replace(QUICK, hosts=hosts))
    assert [host.is_same for host in report.hosts] == [True, False, None]
    assert found(report, AuditKind.HOST_DIFFERS) == [f"{other.origin}/private/"]
    assert len(found(report, AuditKind.HOST_UNREACHABLE)) == 1


@pytest.mark.parametrize(
    "origin, expected",
    [
        ("https://example.com", ["http://example.com", "https://www.example.com", "http://www.example.com"]),
        ("http://www.example.com", ["https://www.example.com", "https://example.com", "http://example.com"]),
        ("https://example.co.uk", ["http://example.co.uk", "https://www.example.co.uk", "http://www.example.co.uk"]),
        ("https://www.a.example.com", ["http://www.a.example.com", "https://a.example.com", "http://a.example.com"]),
        ("https://staging.shop.test", ["http://staging.shop.test"]),
        ("https://shop.github.io", ["http://shop.github.io"]),
        ("https://a.b.co.uk", ["http://a.b.co.uk"]),
        ("https://example.com:8443", []),
        ("http://localhost", []),
        ("http://127.0.0.1", []),
        ("http://[::1]", []),
    ],
)
def test_addresses_of_a_host(origin: str, expected: list[str]) -> None:
    assert list(map(str, host_addresses(Origin.from_url(origin), ()))) == expected


def test_purposes_name_who_is_open_and_by_which_line(client: Client, site: Site) -> None:
    robots = "User-agent: *\nDisallow: /private/\nContent-Signal: ai-train=no\n\nUser-agent: GPTBot\nDisallow: /\n"
    publish(site, {}, robots=robots)
    report = audit(client, site.origin, plan=QUICK)
    training = next(one for one in report.purposes if one.name == "training")
    rows = {row.may_fetch: row for row in training.crawlers if not row.token_only}
    assert rows["none"].names == ("GPTBot",)
    assert rows["none"].lines == (5, 6)
    assert "ClaudeBot" in rows["some"].names
    assert training.use is not None
    assert training.use.allowed is False
    assert [statement.line for statement in training.use.decided_by] == [3]


def test_lines_are_those_that_the_crawler_reads(client: Client, site: Site) -> None:
    page = b"<!doctype html><script src=/private/a.js></script>"
    google = "User-agent: Googlebot\nDisallow: /private/a\n"
    others = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: PetalBot\nDisallow: /\n"
    publish(site, {"/fish": respond(page, HTML)}, robots=f"{ROBOTS}\n{google}\n{others}")
    report = audit(client, site.origin, plan=QUICK)
    (blocked,) = (one.message for one in report.findings if one.kind is AuditKind.RESOURCE_BLOCKED)
    assert blocked.startswith(
        "line 5, Disallow: /private/a, for Googlebot; line 2, Disallow: /private/, for bingbot; in "
    )
    lines = {row.names: row.lines for purpose in report.purposes for row in purpose.crawlers if row.may_fetch == "none"}
    assert lines["GPTBot",] == (7, 8)
    assert lines["PetalBot",] == (10, 11)


def test_other_files_add_to_what_is_stated(client: Client, site: Site) -> None:
    publish(site, {}, robots=f"User-agent: *\nAllow: /\nLicense: {site.origin}/license.xml\n")
    site.serve("/.well-known/tdmrep.json", respond(b'[{"location": "*", "tdm-reservation": 1}]'))
    license_text = b"""<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>
        <prohibits type="usage">search</prohibits></license></content></rsl>"""
    site.serve("/license.xml", respond(license_text, "Content-Type: application/rsl+xml"))
    report = audit(client, site.origin, plan=QUICK)
    uses = {one.name: one.use for one in report.purposes if one.use is not None}
    assert (uses["training"].allowed, uses["search-index"].allowed) == (False, False)
    text = "\n".join(text_lines(report.to_json()))
    assert "use of the content: not permitted; tdmrep.json entry 1: tdm-reservation 1" in text
    assert [statement.kind for statement in uses["search-index"].decided_by] == ["license"]


def test_findings_of_one_kind_can_have_two_severities() -> None:
    severities = ("error", "warning", "warning")
    found = [
        {"kind": "sitemap-fault", "severity": severity, "meaning": "A fault.", "advice": ""} for severity in severities
    ]
    report = {"findings": found, "counts": {"sitemap-fault": 10}}
    assert [(len(found), number) for _, found, number in grouped(report)] == [(1, 1), (2, 9)]


def test_each_cause_is_shown_before_more_of_the_first() -> None:
    group = FindingGroup(AuditKind.LISTED_BLOCKED, [{"message": name} for name in "aaaaaaaaabc"], 11)
    assert [(len(found), times) for found, times in group.causes(5)] == [(3, " (9 times)"), (1, ""), (1, "")]
    assert [(len(found), times) for found, times in group.causes(2)] == [(1, " (9 times)"), (1, "")]


def test_purposes_of_a_file_with_many_groups(client: Client, site: Site) -> None:
    groups = "".join(f"User-agent: Bot{number}\nDisallow: /{number}\n\n" for number in range(150))
    publish(site, {}, robots=f"{groups}User-agent: GPTBot\nDisallow: /\n")
    report = audit(client, site.origin, plan=QUICK)
    training = next(one for one in report.purposes if one.name == "training")
    rows = {row.may_fetch: row for row in training.crawlers if not row.token_only}
    assert rows["none"].names == ("GPTBot",)
    assert "ClaudeBot" in rows["all"].names


def test_long_lists_of_lines_are_cut(client: Client, site: Site) -> None:
    publish(site, {}, robots="User-agent: *\nDisallow: /x\n" * 400)
    report = audit(client, site.origin, plan=QUICK).to_json()
    rows = [row for purpose in report["purposes"] for row in purpose["crawlers"] if row["may_fetch"] == "some"]
    assert {(len(row["lines"]), row["line_count"]) for row in rows} == {(100, 400)}
    for text in ("\n".join(text_lines(report)), html_page([report])):
        assert text.count("(lines 1, 3, 5, 7, 9 and 395 more)") == len(rows)


def test_a_fault_of_the_whole_site_comes_before_findings_of_the_linter(client: Client, site: Site) -> None:
    publish(site, {}, robots="User-agent: *\nDisallow: /\n")
    report = audit(client, site.origin, plan=QUICK)
    errors = [one.kind for one in report.findings if one.severity is Severity.ERROR]
    assert (errors[0], errors[-1]) == (AuditKind.SITE_CLOSED, AuditKind.LINT)


BAD_FILE = """User-agent: *
Disallow: /cart/
Disallow: /(intern|staging)/
Disallow: /[a-z]+/x

User-agent: Googlebot
Disallow: /search

Sitemap: /sitemap.xml
Sitemap: {origin}/missing.xml
"""


def test_what_does_more_to_access_is_first(client: Client, site: Site) -> None:
    publish(site, {}, robots=BAD_FILE.format(origin=site.origin))
    report = audit(client, site.origin, plan=QUICK)
    plain = report.to_json()
    assert [(one.found[0]["severity"], one.meaning) for one in grouped(plain)] == [
        ("warning", "A group that lacks rules of the `*` group."),
        ("error", "A regular expression instead of a pattern."),
        ("error", "A sitemap has a fault."),
        ("error", "A sitemap without scheme and host."),
    ]
    lacks = "`Googlebot` has its own group, which lacks 3 rules of the `*` group, such as `/cart/`."
    assert main_finding(plain) == lacks
    named = "<code>Googlebot</code> has its own group, which lacks 3 rules of the <code>*</code> group"
    assert f"The most important one: {named}" in html_page([plain])


def test_findings_of_the_linter_have_the_advice_of_their_check(client: Client, site: Site) -> None:
    publish(site, {}, robots=BAD_FILE.format(origin=site.origin))
    plain = audit(client, site.origin, plan=QUICK).to_json()
    advice = "Write one pattern for each path, with `*` for any run of characters."
    assert [one["advice"] for one in plain["findings"] if "CF416" in one["message"]] == [advice, advice]
    lines = list(text_lines(plain))
    assert lines.count(f"  -> {advice}") == 1
    assert "<p><b>What to do:</b> Write one pattern for each path, with <code>*</code> for" in html_page([plain])
    assert "Correct the line." not in "".join((*lines, html_page([plain])))


def test_notes_of_the_linter_are_counted(client: Client, site: Site) -> None:
    publish(site, {}, robots=f"{ROBOTS}Disallow: /a*\nDisallow: /b*\nDisallow: /b/c/\n")
    notes = [one for one in audit(client, site.origin, plan=QUICK).findings if one.kind is AuditKind.LINT_NOTES]
    assert [(one.message, one.severity) for one in notes] == [
        ("3 notes: trailing-star (2), covered-rule (1)", Severity.INFO)
    ]


def test_advice_of_the_linter_is_about_the_place(client: Client, site: Site) -> None:
    publish(site, {}, robots="Disallow: /a\n\nUser-agent: *\nDisallow: /b\n")
    plain = audit(client, site.origin, plan=QUICK).to_json()
    (advice,) = (one["advice"] for one in plain["findings"] if "CF301" in one["message"])
    assert "The first `User-agent` line is line 3: " in advice
    assert f"  -> {advice}" in list(text_lines(plain))


def test_a_sitemap_that_the_linter_reports_is_no_second_fault(client: Client, site: Site) -> None:
    publish(site, {}, robots=BAD_FILE.format(origin=site.origin))
    report = audit(client, site.origin, plan=QUICK)
    assert [one.message for one in report.findings if "itemap" in one.message] == [
        f"the sitemap cannot be fetched: '{site.origin}/missing.xml' responded with status 404",
        "CF601 sitemap-not-absolute: `/sitemap.xml` is not an absolute URL",
    ]
    # A comment that hides the finding of the linter hides only this one.
    robots = "User-agent: *\nDisallow: /x/\n# canfetch: allow sitemap-not-absolute\nSitemap: /sitemap.xml\n"
    publish(site, {}, robots=robots)
    hidden = audit(client, site.origin, plan=QUICK)
    assert [(one.kind, one.url) for one in hidden.findings] == [(AuditKind.SITEMAP_FAULT, "/sitemap.xml")]


def test_control_tokens_permit_a_use_and_fetch_nothing(client: Client, site: Site) -> None:
    publish(site, {}, robots="User-agent: *\nDisallow: /x/\n\nUser-agent: Google-Extended\nDisallow: /\n")
    report = audit(client, site.origin, plan=QUICK)
    (training,) = (one for one in report.purposes if one.name == "training")
    assert [(one.may_fetch, one.token_only) for one in training.crawlers] == [
        ("some", False),
        ("some", True),
        ("none", True),
    ]
    assert training.crawlers[2].names == ("Google-Extended",)
    lines = list(text_lines(report.to_json()))
    assert "  control tokens, permit no use: Google-Extended (lines 4, 5)" in lines
    assert "  use of the content: nothing stated" in lines
    assert "training of AI models, 28 of 28; " in html_page([report.to_json()])
    # Crawlers that fetch read the group of this name.
    (search,) = (one for one in report.purposes if one.name == "search-index")
    assert ["Yandex" in one.names for one in search.crawlers if not one.token_only] == [True]


def test_the_page_for_a_client_is_in_words(client: Client, site: Site) -> None:
    publish(site, {"/": edge("GPTBot", respond(b"", status=403))}, robots="User-agent: *\nDisalow: /y\n")
    report = audit(client, site.origin, plan=AuditPlan(delay=0, edge=("GPTBot",))).to_json()
    page = html_page([report | {"checked_at": "2026-11-06T17:05:09.5Z"}])
    assert (
        "<p>The audit found 1 error, 1 warning and 1 note. The most important one: A crawler that robots.txt allows "
        in page
    )
    assert " training of AI models, 28 of 28; " in page
    assert "6 November 2026, 17:05 UTC; " in page
    assert "<li><code>Disalow</code> is a misspelling of <code>Disallow</code>: crawlers" in page
    assert "line 2 (Disalow: /y); CF202 misspelt-key</span>" in page
    assert '<td data-head="Answer"><span class="long">the page</span></td><td data-head="Status">200</td>' in page
    assert '<span class="long">the request is forbidden</span></td><td data-head="Status">403</td>' in page
    assert "canfetch lint" not in page
    lines = list(text_lines(report))
    assert {"Edge, browser: page", "Edge, GPTBot: forbidden, the request is forbidden"} <= set(lines)


def test_a_preference_that_stops_nobody_is_noted(client: Client, site: Site) -> None:
    publish(site, {}, robots="User-agent: *\nAllow: /\nContent-Signal: ai-train=no\n")
    report = audit(client, site.origin, plan=QUICK)
    assert kinds(report) == {AuditKind.STATED_ONLY}


def test_pages_wait_for_the_crawl_delay(client: Client, site: Site) -> None:
    publish(site, {f"/{number}": respond(PAGE, HTML) for number in range(3)}, robots=f"{ROBOTS}Crawl-delay: 30\n")
    now = 1_800_000_000.0
    slept = []

    def sleep(seconds: float) -> None:
        nonlocal now
        slept.append(seconds)
        now += seconds

    samples: list[tuple[int, float]] = []

    def announce(pages: int, seconds: float) -> None:
        samples.append((pages, seconds))

    report = audit(client, site.origin, plan=QUICK, clock=lambda: now, sleep=sleep, on_sample=announce)
    assert report.listed.requested == 3
    assert samples == [(3, 30.0)]
    assert slept == [30.0] * (report.requests - 2)


@pytest.mark.parametrize("limit", range(1, 14))
def test_the_limit_of_requests_ends_the_audit(client: Client, site: Site, limit: int) -> None:
    with Site() as other:
        publish(site, {f"/{number}": respond(PAGE, HTML) for number in range(20)})
        site.serve("/", respond(b"", f"Location: {other.origin}/", status=302))
        other.serve("/robots.txt", respond(b""))
        other.serve("/", respond(PAGE, HTML))
        report = audit(client, site.origin, plan=replace(QUICK, limit=limit, edge=("GPTBot",)))
        assert (report.requests, len(site.requests) + len(other.requests)) == (limit, limit)
    assert report.error == ""
    assert AuditKind.LIMIT_REACHED in kinds(report)


def test_a_site_that_asks_for_fewer_requests_gets_no_more(client: Client, site: Site) -> None:
    publish(site, {f"/{number}": respond(b"", status=429) for number in range(20)})
    report = audit(client, site.origin, plan=QUICK)
    assert report.listed.requested == 1
    assert kinds(report) == {AuditKind.SLOWED_DOWN}


def _messages(report: AuditReport, kind: AuditKind) -> list[str]:
    return [one.message for one in report.findings if one.kind is kind]


@pytest.mark.parametrize("fault", [None, respond(b"", status=500)])
@pytest.mark.parametrize("page", [PAGE, b"<!doctype html><link rel=stylesheet href=a.css><script src=b.js></script>"])
def test_pages_over_the_limit_of_requests_are_counted(
    client: Client, site: Site, page: bytes, fault: Behaviour | None
) -> None:
    pages = {f"/{number}": fault or respond(page, HTML) for number in range(30)}
    publish(site, {"/": respond(page, HTML), **pages})
    seen = set()
    for limit in range(4, 20, 3):
        before = len(site.requests)
        report = audit(client, site.origin, plan=AuditPlan(delay=0, sample=20, limit=limit))
        requested = {one.target for one in site.requests[before:]} & pages.keys()
        assert report.listed.requested == len(requested)
        # The sitemap is one of two that may not be read.
        if report.listed.urls:
            seen.add(len(requested))
            reached = _messages(report, AuditKind.LIMIT_REACHED)[-1]
            assert reached.endswith(f": {20 - len(requested)} pages not requested")
    assert len(seen) > 3


def test_the_page_that_asks_for_fewer_requests_was_requested(client: Client, site: Site) -> None:
    publish(site, {f"/{number}": respond(PAGE, HTML) for number in range(30)})
    site.serve("/7", respond(b"", status=429))
    report = audit(client, site.origin, plan=replace(QUICK, sample=None))
    requested = {one.target for one in site.requests if one.target[1:].isdigit()}
    assert report.listed.requested == len(requested)
    left = 30 - len(requested)
    pages = "1 page" if left == 1 else f"{left} pages"
    assert _messages(report, AuditKind.SLOWED_DOWN) == [f"the site asks for fewer requests: {pages} not requested"]


def test_the_target_of_a_redirect_can_ask_for_fewer_requests(client: Client, site: Site) -> None:
    publish(site, {f"/{number}": respond(b"", "Location: /moved", status=301) for number in range(5)})
    site.serve("/moved", respond(b"", status=429))
    report = audit(client, site.origin, plan=QUICK)
    assert (report.listed.requested, found(report, AuditKind.SLOWED_DOWN)) == (1, [f"{site.origin}/moved"])


def test_what_only_the_audit_may_not_request_is_counted(client: Client, site: Site) -> None:
    page = respond(b"<!doctype html><link rel=stylesheet href=/p.css><script src=/q.js></script>", HTML)
    pages = {f"/p/{number}": page for number in range(3)} | {f"/q/{number}": page for number in range(2)}
    robots = "User-agent: AuditBot\nDisallow: /p/\nDisallow: /p.css\n\nUser-agent: *\nDisallow:\n"
    publish(site, {"/": page, **pages}, robots=robots)
    report = audit(client, site.origin, plan=QUICK)
    assert [(one.message, one.url) for one in report.findings if one.kind is AuditKind.NOT_ALLOWED] == [
        ("line 2, Disallow: /p/: 3 listed pages not requested", next(iter(_listed_first(report)))),
        ("line 3, Disallow: /p.css: 1 script or style file not requested", f"{site.origin}/p.css"),
    ]
    assert (report.listed.requested, report.listed.disallowed) == (2, 3)


def _listed_first(report: AuditReport) -> Iterator[str]:
    return (one.url for one in report.findings if one.url is not None and "/p/" in one.url)


def test_reports_escape_what_sites_send(client: Client, site: Site) -> None:
    publish(site, {"/moved": respond(b"", "Location: /<script>alert(1)</script>\x1b", status=301)})
    report = audit(client, site.origin, plan=QUICK).to_json()
    page = html_page([report, report])
    assert "<script" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;" in page
    assert all(line.isprintable() for line in text_lines(report))


@pytest.mark.parametrize("origin", ["example", "ftp://example.com"])
def test_invalid_origins_raise(client: Client, origin: str) -> None:
    with pytest.raises(InvalidURL, match=f"^invalid (origin|URL) '{origin}'"):
        audit(client, origin)


@pytest.mark.parametrize(
    "values, error",
    [
        ({"sample": -1}, "invalid sample -1: "),
        ({"sample": 2.5}, "invalid sample 2.5: "),
        ({"limit": 0}, "invalid limit 0: "),
        ({"max_sitemaps": 0}, "invalid max_sitemaps 0: "),
        ({"delay": float("nan")}, "invalid delay nan: "),
        ({"delay": -1}, "invalid delay -1: "),
        ({"delay": "1"}, "invalid delay '1': "),
        ({"edge": "GPTBot"}, "invalid edge 'GPTBot': "),
        ({"edge": ("Google-Extended",)}, "invalid crawler 'Google-Extended': it fetches nothing"),
        ({"edge": ("GTPBot",)}, "GTPBot"),
        ({"hosts": ("nonsense",)}, "invalid URL 'nonsense'"),
    ],
)
def test_a_plan_checks_its_values(values: dict[str, Any], error: str) -> None:
    with pytest.raises((InvalidOption, InvalidURL, TypeError), match=f"^.*{re.escape(error)}"):
        AuditPlan(**values)


def test_added_lines_are_named_if_the_cache_has_an_older_file(client: Client, site: Site) -> None:
    publish(site, {})
    site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /old/\n"))
    now = 1_800_000_000.0
    fresh = f"User-agent: GPTBot\nDisallow: /\n\n{ROBOTS}"
    site.serve(f"/robots.txt?canfetch={int(now * 1000):x}", respond(fresh.encode()))
    report = audit(client, site.origin, plan=QUICK, source=ROBOTS.encode(), clock=lambda: now)
    (added,) = (one for one in report.findings if one.kind is AuditKind.ADDED_LINES)
    assert added.message == (
        "past the cache, not in the intended file: lines 1-2 before the intended ones; "
        "because of them, the file past the cache disallows / (in part) for GPTBot"
    )
    assert {AuditKind.SERVED_DIFFERS, AuditKind.STALE_CACHE} <= kinds(report)


def serve_past_cache(site: Site, content: str) -> Callable[[], float]:
    """Serve a file past the cache, and return the clock for which that is its address."""
    now = 1_800_000_000.0
    site.serve(f"/robots.txt?canfetch={int(now * 1000):x}", respond(content.encode()))
    return lambda: now


def test_lines_past_the_cache_are_quoted_with_an_address_to_open(client: Client, site: Site) -> None:
    site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /old/\n"))
    clock = serve_past_cache(site, f"{ROBOTS}# Managed\nUser-agent: GPTBot\nDisallow: /\n")
    report = audit(client, site.origin, plan=QUICK, source=ROBOTS.encode(), clock=clock)
    (added,) = (one for one in report.findings if one.kind is AuditKind.ADDED_LINES)
    url = f"{site.origin}/robots.txt?canfetch={int(clock() * 1000):x}"
    assert (added.url, added.line, added.text) == (url, 3, "# Managed")
    assert set(found(report, AuditKind.STALE_CACHE)) == {url}
    assert f"    {url}, line 3 (# Managed)" in list(text_lines(report.to_json()))


OPEN_TO_ONE = f"{ROBOTS}\nUser-agent: GPTBot\nAllow: /open/\n"


@pytest.mark.parametrize("fresh", [OPEN_TO_ONE, f"{OPEN_TO_ONE}# Managed\n", "User-agent: *\nAllow: /\n"])
def test_a_line_of_an_older_file_is_not_taken_for_an_added_one(client: Client, site: Site, fresh: str) -> None:
    # The intended file has the same line for others.
    site.serve("/robots.txt", respond(f"{OPEN_TO_ONE}Disallow: /private/\n".encode()))
    clock = serve_past_cache(site, fresh)
    report = audit(client, site.origin, plan=QUICK, source=OPEN_TO_ONE.encode(), clock=clock)
    assert {AuditKind.SERVED_DIFFERS, AuditKind.STALE_CACHE} <= kinds(report)
    # Only the comment past the cache is an added line.
    added = [one.message for one in report.findings if one.kind is AuditKind.ADDED_LINES]
    assert [message.partition(",")[0] for message in added] == ["past the cache"] * ("Managed" in fresh)
    assert not any("because of the added lines" in one.message for one in report.findings)


def test_added_lines_with_the_time_of_the_response(client: Client, site: Site) -> None:
    site.serve("/robots.txt", respond(f"# 12:00\nUser-agent: GPTBot\nDisallow: /\n\n{ROBOTS}".encode()))
    clock = serve_past_cache(site, f"# 12:01\nUser-agent: GPTBot\nDisallow: /\n\n{ROBOTS}")
    report = audit(client, site.origin, plan=QUICK, source=ROBOTS.encode(), clock=clock)
    assert [(one.url, one.line) for one in report.findings if one.kind is AuditKind.ADDED_LINES] == [
        (f"{site.origin}/robots.txt", 1)
    ]


def test_what_the_linter_reports_because_of_added_lines_is_one_finding(client: Client, site: Site) -> None:
    managed = "Usre-agent: GPTBot\nDisalow: /\nCrawl-delay: soon\n\n"
    source = f"{ROBOTS}Disalow: /own/\n"
    site.serve("/robots.txt", respond(f"{managed}{source}".encode()))
    report = audit(client, site.origin, plan=QUICK, source=source.encode())
    own = [(one.line, one.text) for one in report.findings if one.kind is AuditKind.LINT]
    assert own == [(7, "Disalow: /own/")]
    (caused,) = (one for one in report.findings if "the linter" in one.message)
    assert caused.severity is Severity.WARNING
    assert (caused.kind, caused.line, caused.text) == (AuditKind.ADDED_LINES, 1, "Usre-agent: GPTBot")
    assert "CF202 misspelt-key" in caused.message


def test_findings_quote_the_line(client: Client, site: Site) -> None:
    long = "Disallow: /" + "x" * 3_000
    publish(site, {"/private/a": respond(PAGE)}, robots=f"{ROBOTS}Disalow: /y\n{long}$$*\n")
    report = audit(client, site.origin, plan=QUICK)
    quoted = {one.line: one.text for one in report.findings if one.line is not None}
    assert (quoted[2], quoted[3]) == ("Disallow: /private/", "Disalow: /y")
    assert all(one.text is None or len(one.text) <= 201 for one in report.findings)
    lines = list(text_lines(report.to_json()))
    assert f"    {site.origin}/robots.txt, line 3 (Disalow: /y)" in lines
    # A message that quotes the line is enough.
    assert f"    {site.origin}/private/a, line 2 of robots.txt" in lines


def test_sites_with_the_same_rules(client: Client, site: Site) -> None:
    reports = []
    with Site() as second, Site() as third:
        for number, one in enumerate((site, second, third)):
            one.serve("/robots.txt", respond(f"# {number}\nuser-agent: A\nDisallow: /{number // 2}\n".encode()))
            reports.append(audit(client, one.origin, plan=replace(QUICK, sample=0)).to_json())
        assert rules_summary(reports[:2]) == "All 2 sites with a robots.txt have the same rules."
        assert rules_summary(reports[1:]) == "Each of 2 sites has rules of its own."
        assert rules_summary(reports) == (
            f"2 of 3 sites have the same rules as {site.origin}. Other rules: {third.origin}."
        )
    assert rules_summary(reports[:1]) == rules_summary([{"origin": name, "rules": None} for name in "ab"]) == ""
    assert rules_summary(reports) in html_page(reports)


class Recorder(HTTPTransport):
    """A transport that keeps whether each URL was requested after a redirect to another origin."""

    def __init__(self) -> None:
        super().__init__()
        self.crossed: dict[str, bool] = {}

    def send(self, request: TransportRequest) -> Response | Failure:
        self.crossed[request.url] = request.cross_origin
        return super().send(request)


def test_requests_after_a_redirect_to_another_origin_are_marked(site: Site) -> None:
    transport = Recorder()
    with Site() as other, Client(user_agent="ExampleBot/1.0", transport=transport) as client:
        publish(site, {"/": redirect(other.url("home"))})
        publish(other, {"/home": respond(b"x")})
        audit(client, site.origin, plan=replace(QUICK, sample=0))
        assert (transport.crossed[f"{site.origin}/"], transport.crossed[other.url("home")]) == (False, True)


def test_credentials_of_the_client_are_sent_to_the_site_only(site: Site) -> None:
    headers = {"Authorization": "Bearer secret"}
    with Site() as other, Client(user_agent="ExampleBot/1.0", headers=headers) as client:
        publish(site, {"/": redirect(other.url("home"))})
        publish(other, {"/home": respond(b"x")})
        audit(client, site.origin, plan=replace(QUICK, sample=0))
        for one, is_named in ((site, True), (other, False)):
            sent = ["authorization" in each.headers for each in one.requests if each.target == "/robots.txt"]
            assert set(sent) == {is_named}


def test_another_address_with_an_invalid_certificate_is_a_finding(client: Client, site: Site, tmp_path: Path) -> None:
    publish(site, {})
    requests = SiteRequests(client, [], max_requests=9, delay=0, clock=lambda: 1_800_000_000.0, sleep=None)
    served = served_file(requests.state(f"{site.origin}/"), requests.clock())
    with Site(tls=Authority(tmp_path).expired()) as expired, refusing_port() as port:
        # Found by their names, and not passed as hosts.
        addresses = [Origin.from_url(one) for one in (expired.origin, f"https://127.0.0.1:{port}")]
        checks, findings = check_hosts(requests, served, addresses, [], {})
    assert [one.is_same for one in checks] == [None, None]
    assert [(one.kind, one.url) for one in findings] == [(AuditKind.HOST_UNREACHABLE, f"{expired.origin}/robots.txt")]
    assert "tls: " in findings[0].message


def test_the_answer_of_a_proxy_is_not_one_of_another_address(client: Client, site: Site) -> None:
    publish(site, {})
    direct = SiteRequests(client, [], max_requests=9, delay=0, clock=lambda: 1_800_000_000.0, sleep=None)
    served = served_file(direct.state(f"{site.origin}/"), direct.clock())
    addresses = [Origin.from_url(f"{scheme}://www.shop.example/") for scheme in ("https", "http")]
    with (
        ProxySite(refusal="502 Bad Gateway") as proxy,
        Client(user_agent="AuditBot/1.0", transport=HTTPTransport(proxy=f"http://127.0.0.1:{proxy.port}")) as proxied,
    ):
        requests = SiteRequests(proxied, [], max_requests=9, delay=0, clock=lambda: 1_800_000_000.0, sleep=None)
        assert check_hosts(requests, served, addresses, [], {})[1] == []
        named = check_hosts(requests, served, addresses, addresses, {})[1]
        alone = check_hosts(requests, served, addresses[1:], [], {})[1]
    assert [one.kind for one in named] == [AuditKind.HOST_UNREACHABLE] * 2
    # Without the answer for https, the proxy is not known.
    assert [one.status for one in alone] == [502]


@pytest.mark.parametrize("content", [PAGE, "User-agent: *\nDisallow: /x/\n".encode("utf-16-be"), b"\x1f\x8b\x08data"])
def test_addresses_with_the_same_page_in_place_of_robots_txt(client: Client, site: Site, content: bytes) -> None:
    with Site() as other, Site() as right:
        for one in (site, other):
            one.serve("/robots.txt", respond(content, HTML))
        right.serve("/robots.txt", respond(ROBOTS.encode()))
        report = audit(client, site.origin, plan=replace(QUICK, hosts=(other.origin, right.origin)))
    assert AuditKind.NOT_ROBOTS in kinds(report)
    assert [host.is_same for host in report.hosts] == [True, False]
    assert found(report, AuditKind.HOST_DIFFERS) == [f"{right.origin}/private/"]


def test_the_report_of_the_documentation(client: Client, site: Site) -> None:
    with Site() as other:
        intended = publish_six_faults(site, other)
        plan = AuditPlan(delay=0, hosts=(other.origin,), edge=("bingbot", "Googlebot"))
        report = audit(client, site.origin, source=intended, plan=plan)
    names = {site.origin: "https://www.example.com", other.origin: "https://example.com"}
    lines = list(text_lines(report.to_json()))
    for origin, name in names.items():
        lines = [line.replace(origin, name) for line in lines]
        intended = intended.replace(origin.encode(), name.encode())
    page = (Path(__file__).parents[2] / "docs" / "audit-report.md").read_text(encoding="utf-8")
    file, *shown = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert file.encode() == intended
    quoted = "".join(shown).splitlines()
    assert [line for line in quoted if line not in lines] == []
    headings = [line for line in lines if line.startswith(("error: ", "warning: ")) and "(lint, " not in line]
    assert [line for line in headings if line not in quoted] == []
    assert "training of AI models, 27 of 28; " in html_page([report.to_json()])


@pytest.mark.slow
def test_policy_is_compared_in_the_environment_of_the_host(client: Client) -> None:
    with Site() as site, Site() as other:
        publish(site, {})
        hosts = [str(Origin.from_url(one.origin)).removeprefix("http://") for one in (site, other)]
        policy = parse_policy(
            f"""
            [everyone]
            disallow = ["/private/"]
            [environment.production]
            hosts = ["{hosts[0]}"]
            [environment.staging]
            hosts = ["{hosts[1]}"]
            closed = true
            """
        )
        publish(other, {}, robots=render_policy(policy.for_environment("staging")))
        # The other address has the file of its own environment.
        report = audit(client, site.origin, source=policy, plan=replace(QUICK, hosts=(other.origin,)))
        assert (kinds(report) - {AuditKind.ADDED_LINES}, report.environment) == (set(), "production")
        assert [host.is_same for host in report.hosts] == [False]
        # That the crawlers and the audit may fetch nothing is intended.
        closed = audit(client, other.origin, source=policy, plan=QUICK)
        assert closed.environment == closed.to_json()["environment"] == "staging"
        assert closed.at_least(Severity.WARNING) == []
        assert "  compared with the environment staging of the policy" in text_lines(closed.to_json())
        assert "<p>compared with the environment staging of the policy</p>" in html_page([closed.to_json()])
        # Both are wrong in the other environment.
        swapped = replace(QUICK, environment="staging")
        assert AuditKind.SERVED_DIFFERS in kinds(audit(client, site.origin, source=policy, plan=swapped))
        publish(other, {})
        opened = audit(client, other.origin, source=policy, plan=QUICK)
        assert AuditKind.SERVED_DIFFERS in kinds(opened)
        named = audit(client, site.origin, source=policy, plan=replace(QUICK, hosts=(other.origin,)))
        assert found(named, AuditKind.SERVED_DIFFERS) != []
        unknown = parse_policy("[environment.production]\nhosts = ['www.example.com']")
        report = audit(client, site.origin, source=unknown, plan=QUICK)
        unnamed = audit(client, other.origin, source=policy, plan=replace(QUICK, environment="production"))
        assert AuditKind.UNKNOWN_ENVIRONMENT not in kinds(unnamed)
        # A further address that the policy does not know is closed by it, too.
        with Site() as third:
            third.serve("/robots.txt", respond(ROBOTS.encode()))
            opened = audit(client, site.origin, source=policy, plan=replace(QUICK, hosts=(third.origin,)))
            closing = render_policy(policy.for_host("third.example")).encode()
            third.serve("/robots.txt", respond(closing))
            right = audit(client, site.origin, source=policy, plan=replace(QUICK, hosts=(third.origin,)))
    assert {AuditKind.UNKNOWN_ENVIRONMENT, AuditKind.SERVED_DIFFERS} <= kinds(report)
    assert report.environment is None
    assert found(opened, AuditKind.UNKNOWN_ENVIRONMENT) == [f"{third.origin}/robots.txt"]
    assert AuditKind.SERVED_DIFFERS in kinds(opened)
    assert AuditKind.UNKNOWN_ENVIRONMENT in kinds(right)
    assert not {AuditKind.SERVED_DIFFERS, AuditKind.HOST_DIFFERS} & kinds(right)


def test_a_policy_is_not_taken_for_a_robots_txt(client: Client) -> None:
    with pytest.raises(InvalidOption, match="the source is a policy in TOML"):
        audit(client, "http://127.0.0.1:1", source=b"\xef\xbb\xbf[everyone]\ndisallow = ['/x']\n", plan=QUICK)


def test_sites_with_an_error_of_the_whole_site_are_first(client: Client, site: Site) -> None:
    publish(site, {"/": respond(b"", status=403)})
    failing = audit(client, site.origin, plan=QUICK).to_json()
    robots = f"User-agent: *\nDisallow:\nSitemap: {site.origin}/a.xml\nSitemap: {site.origin}/b.xml\n"
    publish(site, {}, robots=robots)
    site.serve("/sitemap.xml", respond(b"<urlset>"))
    small = audit(client, site.origin, plan=QUICK).to_json()
    numbers = [severity_counts(report)["error"] for report in (small, failing)]
    assert numbers[0] > numbers[1] == 1
    assert by_severity([small, failing]) == [1, 0]


@pytest.mark.parametrize("extra", [1, 1_000_000])
def test_the_size_of_a_cut_file_is_not_made_up(client: Client, site: Site, extra: int) -> None:
    content = ROBOTS.encode() + b"#" * (512_000 + extra - len(ROBOTS))
    site.serve("/robots.txt", respond(content))
    report = audit(client, site.origin, plan=QUICK)
    assert any("the file has > 512,000 bytes; " in one.message for one in report.findings)


def test_long_messages_are_cut(client: Client, site: Site) -> None:
    publish(site, {"/private/a": respond(PAGE)}, robots=f"User-agent: *\nDisallow: /private{'*' * 100_000}\n")
    report = audit(client, site.origin, plan=QUICK).to_json()
    (blocked,) = (one for one in report["findings"] if one["kind"] == "listed-blocked")
    assert blocked["message"].startswith("line 2, Disallow: /private*")
    assert max(len(one["message"]) for one in report["findings"]) == 2_001


@pytest.mark.parametrize("source", [None, b"", parse_policy("")], ids=["none", "file", "policy"])
def test_environment_requires_a_policy_with_environments(client: Client, source: SitePolicy | bytes | None) -> None:
    with pytest.raises(InvalidOption, match="environment"):
        audit(client, "http://127.0.0.1:1", source=source, plan=replace(QUICK, environment="staging"))


def test_environment_must_be_one_of_the_policy(client: Client) -> None:
    policy = parse_policy("[environment.production]\nhosts = ['127.0.0.1']")
    with pytest.raises(InvalidOption, match="unknown environment 'prod': did you mean 'production'"):
        audit(client, "http://127.0.0.1:1", source=policy, plan=replace(QUICK, environment="prod"))


def test_a_sitemap_on_a_host_without_a_server_is_a_fault(client: Client, site: Site) -> None:
    with refusing_port() as port:
        robots = f"User-agent: *\nDisallow:\nSitemap: http://127.0.0.1:{port}/sitemap.xml\n"
        publish(site, {}, robots=robots)
        report = audit(client, site.origin, plan=QUICK)
    (fault,) = report.findings
    assert (fault.kind, fault.severity) == (AuditKind.SITEMAP_FAULT, Severity.ERROR)
    assert "Connection refused" in fault.message


def test_an_address_of_a_closed_environment_may_have_a_password(client: Client, site: Site) -> None:
    with Site() as other:
        other.serve("/robots.txt", respond(b"", status=401))
        publish(site, {}, robots="User-agent: *\nDisallow:\n")
        hosts = [str(Origin.from_url(one.origin)).removeprefix("http://") for one in (site, other)]
        policy = parse_policy(
            f"[environment.production]\nhosts = ['{hosts[0]}']\n"
            f"[environment.staging]\nhosts = ['{hosts[1]}']\nclosed = true"
        )
        plan = replace(QUICK, hosts=(other.origin,))
        assert AuditKind.SERVED_DIFFERS not in kinds(audit(client, site.origin, source=policy, plan=plan))
        other.serve("/robots.txt", respond(b"", status=404))
        assert AuditKind.SERVED_DIFFERS in kinds(audit(client, site.origin, source=policy, plan=plan))


def test_an_address_with_the_intended_file_is_right(client: Client, site: Site) -> None:
    publish(site, {}, robots="User-agent: *\nAllow: /\n")
    with Site() as other:
        other.serve("/robots.txt", respond(ROBOTS.encode()))
        plan = replace(QUICK, hosts=(other.origin,))
        report = audit(client, site.origin, source=ROBOTS.encode(), plan=plan)
        without = audit(client, site.origin, plan=plan)
    assert AuditKind.HOST_DIFFERS not in kinds(report)
    assert AuditKind.SERVED_DIFFERS in kinds(report)
    assert [host.is_same for host in report.hosts] == [False]
    assert AuditKind.HOST_DIFFERS in kinds(without)


def test_the_changes_past_the_cache_are_counted(client: Client, site: Site) -> None:
    publish(site, {})
    site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /old/\n"))
    now = 1_800_000_000.0
    added = "User-agent: GPTBot\nDisallow: /\n\n", "\nUser-agent: CCBot\nDisallow: /x/\nDisallow: /private/\n"
    fresh = added[0] + ROBOTS + added[1]
    site.serve(f"/robots.txt?canfetch={int(now * 1000):x}", respond(fresh.encode()))
    report = audit(client, site.origin, plan=QUICK, source=ROBOTS.encode(), clock=lambda: now)
    (found_lines,) = (one for one in report.findings if one.kind is AuditKind.ADDED_LINES)
    assert found_lines.message.endswith("; and 1 more difference")


def test_each_kind_of_finding_is_documented() -> None:
    documented = (Path(__file__).parents[2] / "docs/audit.md").read_text("utf-8")
    assert [kind for kind in AuditKind if f"`{kind}`" not in documented] == []
