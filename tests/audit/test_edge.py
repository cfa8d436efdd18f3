"""The edge of a site: each way to refuse a crawler has a name, and a healthy site refuses none."""

import re
import time
from collections.abc import Iterator

import pytest
from tests.audit.sites import HTML, PAGE, cut, edge
from tests.servers.valid import respond
from tests.servers.web import Behaviour, Exchange, Site

from canfetch import Client
from canfetch.agents import REGISTRY
from canfetch.audit import AuditKind, AuditPlan, AuditReport, audit, text_lines
from canfetch.audit.edge import EdgeTest, crawler_header, edge_crawlers
from canfetch.audit.site_requests import SiteRequests
from canfetch.client.origin_state import OriginState
from canfetch.errors import RequestNotSent

ANUBIS = b'<!doctype html><title>Checking</title><script src="/.within.website/x/cmd/anubis/static/js"></script>'
INTERSTITIAL = b"<!doctype html><title>One moment</title><script>go()</script><noscript>Enable JavaScript</noscript>"
REFUSALS = {
    "unauthorized": respond(b"", "WWW-Authenticate: Basic", status=401),
    "payment-required": respond(b"", "crawler-price: USD 0.01", status=402),
    "forbidden": respond(b"", status=403),
    "rate-limited": respond(b"", "Retry-After: 60", status=429),
    "challenge": respond(ANUBIS, HTML, status=202),
    "challenge (200)": respond(ANUBIS, HTML),
    "challenge (unknown)": respond(INTERSTITIAL, HTML),
    "login-redirect": respond(b"", "Location: /account/login?next=/", status=302),
    "connection-cut": cut,
}


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


def run(site: Site, page: Behaviour, *, robots: bytes = b"User-agent: *\nAllow: /\n") -> AuditReport:
    site.serve("/robots.txt", respond(robots))
    site.serve("/", page)
    with Client(user_agent="AuditBot/1.0") as client:
        return audit(client, site.origin, plan=AuditPlan(delay=0, edge=("GPTBot", "Googlebot")))


def edge_findings(report: AuditReport) -> list[AuditKind]:
    return [one.kind for one in report.findings if one.kind.startswith("edge")]


@pytest.mark.parametrize("name", REFUSALS)
def test_each_refusal_has_a_name(site: Site, name: str) -> None:
    report = run(site, edge("GPTBot", REFUSALS[name]))
    assert [(answer.crawler, answer.answer) for answer in report.edge] == [
        ("browser", "page"),
        ("GPTBot", name.partition(" ")[0]),
        ("Googlebot", "page"),
    ]
    (refused,) = (one for one in report.findings if one.kind is AuditKind.EDGE_REFUSES)
    assert refused.message.startswith("GPTBot ")
    assert ("USD 0.01" in refused.message) is (name == "payment-required")


TEXT = b"<!doctype html><p>" + b"Salmon swim up the river. " * 40
SHELL = b"<!doctype html><title>Shop</title><div id=root></div><script src=/app.js></script>"
CLOUDFLARE = b"<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt={}</script>" + b"Wait. " * 9
FORM = TEXT + b"<form><div class=g-recaptcha></div></form>"


@pytest.mark.parametrize(
    "page, refusal, expected",
    [
        (SHELL, respond(CLOUDFLARE, HTML), "challenge"),
        (TEXT, respond(b"", status=202), "challenge"),
        (TEXT, respond(b"", HTML), "other-page"),
        (TEXT, respond(b"", status=204), "other-page"),
        (TEXT, respond(b"<!doctype html>Access Denied", HTML), "other-page"),
        (TEXT, respond(TEXT[:400], HTML), "page"),
        (FORM, respond(FORM, HTML), "page"),
    ],
)
def test_pages_that_are_not_the_page(site: Site, page: bytes, refusal: Behaviour, expected: str) -> None:
    report = run(site, edge("GPTBot", refusal, respond(page, HTML)))
    assert [answer.answer for answer in report.edge] == ["page", expected, "page"]
    assert (AuditKind.EDGE_REFUSES in edge_findings(report)) is (expected != "page")


def test_the_complete_published_header_is_sent(site: Site) -> None:
    site.serve("/robots.txt", respond(b""))
    site.serve("/", respond(PAGE, HTML))
    with Client(user_agent="AuditBot/1.0") as client:
        report = audit(client, site.origin, plan=AuditPlan(delay=0, edge=("ClaudeBot",)))
    assert "ClaudeBot/1.0" in report.edge[1].user_agent


@pytest.mark.parametrize("name", [name for name in REFUSALS if name != "challenge (unknown)"])
def test_what_a_browser_gets_too_is_not_a_refusal(site: Site, name: str) -> None:
    report = run(site, REFUSALS[name])
    assert AuditKind.EDGE_REFUSES not in edge_findings(report)
    assert AuditKind.EDGE_UNKNOWN in edge_findings(report)


def test_a_crawler_is_requested_once_unless_its_request_fails(site: Site) -> None:
    run(site, edge("GPTBot", REFUSALS["forbidden"]))
    agents = [request.headers["user-agent"] for request in site.requests if request.target == "/"]
    assert sum("GPTBot" in agent for agent in agents) == 1


def test_a_disallowed_crawler_that_gets_the_page_is_noted(site: Site) -> None:
    report = run(site, respond(PAGE, HTML), robots=b"User-agent: GPTBot\nDisallow: /\n")
    assert edge_findings(report) == [AuditKind.EDGE_ADMITS]
    assert next(one.line for one in report.findings if one.kind is AuditKind.EDGE_ADMITS) == 2


def test_a_disallowed_crawler_that_is_refused_is_as_intended(site: Site) -> None:
    report = run(site, edge("GPTBot", REFUSALS["forbidden"]), robots=b"User-agent: GPTBot\nDisallow: /\n")
    assert edge_findings(report) == []


def test_the_page_behind_a_redirect_is_requested(site: Site) -> None:
    site.serve("/en/", edge("GPTBot", REFUSALS["forbidden"]))
    report = run(site, respond(b"", "Location: /en/", status=302))
    assert [one.url for one in report.findings if one.kind is AuditKind.EDGE_REFUSES] == [f"{site.origin}/en/"]


def test_a_redirect_to_another_page_than_that_of_a_browser(site: Site) -> None:
    site.serve("/robots.txt", respond(b""))
    moved = respond(b"", "Location: /en/?session=1", status=302)
    site.serve("/", edge("GPTBot", respond(b"", "Location: /sorry", status=302), moved))
    with Client(user_agent="AuditBot/1.0") as client:
        requests = SiteRequests(client, [], max_requests=10, delay=0, clock=time.time, sleep=None)
        test = EdgeTest(requests)
        test.run(f"{site.origin}/", edge_crawlers(("GPTBot", "Googlebot")))
    assert [one.kind for one in test.findings] == [AuditKind.EDGE_REFUSES, AuditKind.EDGE_UNKNOWN]


def test_a_limit_for_all_clients_is_not_a_refusal(site: Site) -> None:
    answers = [respond(PAGE, HTML)] * 2 + [respond(b"", status=429)]
    count = 0

    async def limited(exchange: Exchange) -> None:
        nonlocal count
        count += 1
        await answers[min(count, 3) - 1](exchange)

    report = run(site, limited)
    assert edge_findings(report) == [AuditKind.EDGE_UNKNOWN] * 2
    messages = [one.message for one in report.findings if one.kind is AuditKind.EDGE_UNKNOWN]
    assert [message.partition(": ")[0] for message in messages] == [
        "GPTBot has to slow down (429), but a browser no longer gets the page",
        "Googlebot and a mobile browser get the same",
    ]


def _http_1_0(page: bytes) -> Behaviour:
    async def behaviour(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.0 200 OK\r\n\r\n" + page)

    return behaviour


def _flaky(every: int, fault: Behaviour) -> Behaviour:
    count = 0

    async def behaviour(exchange: Exchange) -> None:
        nonlocal count
        count += 1
        await (fault if count % every == 0 else respond(PAGE, HTML))(exchange)

    return behaviour


def _slow(parts: int) -> Behaviour:
    async def behaviour(exchange: Exchange) -> None:
        size = -(-len(PAGE) // parts)
        await exchange.send(f"HTTP/1.1 200 OK\r\nContent-Length: {len(PAGE)}\r\nConnection: close\r\n\r\n".encode())
        for start in range(0, len(PAGE), size):
            await exchange.send(PAGE[start : start + size])

    return behaviour


def _healthy(step: int) -> Iterator[Behaviour]:
    """Yield behaviours of sites that treat all clients alike, each `step`-th of more than a thousand."""
    prerendered = b"<!doctype html><title>Fish</title><p>" + b"Fish for crawlers. " * 30
    for words in range(0, 960, 5 * step):
        page = b"<!doctype html><title>Fish</title><script src=/a.js></script><p>" + b"fish " * words
        yield respond(page, HTML)
        yield respond(page)
        yield _http_1_0(page)
        yield respond(page + b"<div class=g-recaptcha></div>", HTML)
        yield edge("Googlebot", respond(prerendered, HTML))
    for every in range(2, 2 + 24 // step):
        for fault in (cut, respond(b"", status=503), respond(b"", status=500)):
            yield _flaky(every, fault)
        yield _slow(every)
    for status in (301, 302, 303, 307, 308):
        yield respond(b"", "Location: /fish", status=status)
        yield respond(b"", "Location: https://www.example.com/", status=status)
    yield respond(b"")


def check_healthy(site: Site, step: int) -> int:
    """Return the number of behaviours that were checked."""
    site.serve("/robots.txt", respond(b"User-agent: *\nAllow: /\n"))
    number = 0
    with Client(user_agent="AuditBot/1.0") as client:
        for number, behaviour in enumerate(_healthy(step), 1):
            site.serve("/", behaviour)
            requests = SiteRequests(client, [], max_requests=10, delay=0, clock=time.time, sleep=None)
            test = EdgeTest(requests)
            test.run(f"{site.origin}/", edge_crawlers(("GPTBot", "Googlebot")))
            assert [one for one in test.findings if one.kind is AuditKind.EDGE_REFUSES] == [], number
    return number


def test_healthy_sites_give_no_alarm(site: Site) -> None:
    assert check_healthy(site, 24) > 50


@pytest.mark.slow
def test_a_thousand_healthy_sites_give_no_alarm(site: Site) -> None:
    assert check_healthy(site, 1) > 1_000


def edge_files(
    site: Site, name: str, refusal: Behaviour, robots: bytes = b"User-agent: *\nDisallow: /x/\n"
) -> AuditReport:
    site.serve("/robots.txt", edge(name, refusal, respond(robots)))
    site.serve("/", respond(PAGE, HTML))
    with Client(user_agent="AuditBot/1.0") as client:
        return audit(client, site.origin, plan=AuditPlan(delay=0, sample=0, edge=("GPTBot", "Googlebot")))


@pytest.mark.parametrize(
    "refusal, severity, part",
    [
        (respond(b"User-agent: *\nDisallow: /\n"), "error", "which disallows / (in part) for GPTBot"),
        (respond(b"User-agent: GPTBot\nDisallow:\n"), "warning", "which allows /x/ for GPTBot"),
        (respond(b"", status=403), "warning", "GPTBot gets status 403 in place of robots.txt, which allows /x/"),
        (respond(PAGE, HTML), "warning", "GPTBot gets other content in place of robots.txt, which allows /x/"),
        (respond(ANUBIS, HTML), "warning", "GPTBot gets a page that checks for a browser in place of robots.txt"),
        (respond(b"", status=429), "error", "(status 429), so the whole site is disallowed for it"),
        (respond(b"", status=503), "error", "(status 503), so the whole site is disallowed for it"),
        (cut, "error", "so the whole site is disallowed for it"),
    ],
)
def test_a_crawler_that_gets_another_robots_txt(site: Site, refusal: Behaviour, severity: str, part: str) -> None:
    report = edge_files(site, "GPTBot", refusal)
    (one,) = (one for one in report.findings if one.kind.startswith("edge"))
    assert (one.kind, one.severity.label, one.url is not None) == (AuditKind.EDGE_ROBOTS, severity, True)
    assert one.message.startswith("GPTBot ")
    assert part in one.message
    assert report.requests <= report.max_requests


@pytest.mark.parametrize(
    "refusal, robots",
    [
        (respond(b"# For you\nUser-agent: *\nDisallow: /x/\n"), b"User-agent: *\nDisallow: /x/\n"),
        # What the file has for others does not concern the crawler.
        (respond(b"User-agent: *\nDisallow: /x/\nUser-agent: CCBot\nDisallow: /\n"), b"User-agent: *\nDisallow: /x/\n"),
        (respond(b"", status=403), b"User-agent: *\nAllow: /\n"),
        (respond(b"", status=403), b"User-agent: GPTBot\nDisallow: /\n"),
    ],
)
def test_a_robots_txt_with_the_same_effect_for_the_crawler(site: Site, refusal: Behaviour, robots: bytes) -> None:
    assert AuditKind.EDGE_ROBOTS not in edge_findings(edge_files(site, "GPTBot", refusal, robots))
    agents = [request.headers["user-agent"] for request in site.requests if request.target == "/robots.txt"]
    assert sum("GPTBot" in agent for agent in agents) == sum("Googlebot" in agent for agent in agents) == 1


def test_an_outage_of_robots_txt_is_not_taken_for_a_rule(site: Site) -> None:
    down: list[Exchange] = []

    async def behaviour(exchange: Exchange) -> None:
        if down or "GPTBot" in exchange.request.headers["user-agent"]:
            down.append(exchange)
        await exchange.respond(503 if down else 200, b"User-agent: *\nDisallow: /x/\n")

    site.serve("/robots.txt", behaviour)
    site.serve("/", respond(PAGE, HTML))
    with Client(user_agent="AuditBot/1.0") as client:
        report = audit(client, site.origin, plan=AuditPlan(delay=0, sample=0, edge=("GPTBot", "Googlebot")))
    (one,) = (one for one in report.findings if one.kind.startswith("edge"))
    assert (one.kind, one.message) == (
        AuditKind.EDGE_UNKNOWN,
        "GPTBot cannot read robots.txt, but the audit no longer can either",
    )


def test_the_robots_txt_that_a_crawler_is_redirected_to_is_compared(site: Site) -> None:
    site.serve("/for-bots", respond(b"", "Location: /other.txt", status=301))
    site.serve("/other.txt", respond(b"User-agent: *\nDisallow: /\n"))
    report = edge_files(site, "GPTBot", respond(b"", "Location: /for-bots", status=302))
    (one,) = (one for one in report.findings if one.kind.startswith("edge"))
    assert "which disallows / (in part) for GPTBot" in one.message
    (last,) = (request for request in site.requests if request.target == "/other.txt")
    assert "GPTBot" in last.headers["user-agent"]


def test_a_failure_of_a_redirect_target_is_confirmed(site: Site) -> None:
    robots = respond(b"User-agent: *\nDisallow: /x/\n")
    requests = 0

    async def behaviour(exchange: Exchange) -> None:
        nonlocal requests
        requests += 1
        await (respond(b"", status=503) if requests == 1 else robots)(exchange)

    site.serve("/other.txt", behaviour)
    report = edge_files(site, "GPTBot", respond(b"", "Location: /other.txt", status=302))
    assert edge_findings(report) == []


def test_a_redirect_target_that_only_the_crawler_cannot_read(site: Site) -> None:
    site.serve("/other.txt", edge("GPTBot", respond(b"", status=503), respond(b"")))
    report = edge_files(site, "GPTBot", respond(b"", "Location: /other.txt", status=302))
    (one,) = (one for one in report.findings if one.kind.startswith("edge"))
    assert (one.kind, one.severity.label) == (AuditKind.EDGE_ROBOTS, "error")
    assert report.requests <= report.max_requests


def test_a_redirect_target_that_nobody_can_read_is_not_an_error(site: Site) -> None:
    site.serve("/other.txt", respond(b"", status=503))
    report = edge_files(site, "compatible", respond(b"", "Location: /other.txt", status=302))
    assert [(one.kind, one.message) for one in report.findings if one.kind.startswith("edge")] == [
        (
            AuditKind.EDGE_UNKNOWN,
            f"{name} is redirected from robots.txt to '{site.origin}/other.txt', which the audit cannot read either",
        )
        for name in ("GPTBot", "Googlebot")
    ]
    assert report.requests <= report.max_requests


def test_a_redirect_target_that_cannot_be_requested_concerns_one_crawler(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin_state = Client.origin_state

    def state(client: Client, url: str, **options: bool) -> OriginState:
        if "other.example" in url:
            raise RequestNotSent("http://other.example/ was not requested: no name server answered")
        return origin_state(client, url, **options)

    monkeypatch.setattr(Client, "origin_state", state)
    report = edge_files(site, "compatible", respond(b"", "Location: http://other.example/x.txt", status=302))
    assert [(one.kind, one.message) for one in report.findings if one.kind.startswith("edge")] == [
        (
            AuditKind.EDGE_UNKNOWN,
            (
                f"{name} is redirected from robots.txt to 'http://other.example/x.txt', so its file was not compared: "
                "http://other.example/ was not requested: no name server answered"
            ),
        )
        for name in ("GPTBot", "Googlebot")
    ]


def test_a_robots_txt_of_a_crawler_that_redirects_without_end_is_not_compared(site: Site) -> None:
    report = edge_files(site, "GPTBot", respond(b"", "Location: /robots.txt", status=302))
    (one,) = (one for one in report.findings if one.kind is AuditKind.EDGE_UNKNOWN)
    assert one.message == (
        f"GPTBot is redirected from robots.txt to '{site.origin}/robots.txt', so its file was not compared"
    )
    assert report.requests <= report.max_requests


def test_a_crawler_that_gets_other_preferences_on_the_use_of_content(site: Site) -> None:
    robots = b"User-agent: *\nContent-Signal: ai-train=no\nDisallow: /x/\n"
    report = edge_files(site, "GPTBot", respond(robots.replace(b"=no", b"=yes")), robots)
    (one,) = (one for one in report.findings if one.kind is AuditKind.EDGE_ROBOTS)
    assert one.message == (
        "GPTBot gets another robots.txt, which states allow for training, where the audit's file states disallow"
    )
    assert one.line == 2


def test_the_file_past_the_cache_is_not_one_of_the_crawler(site: Site) -> None:
    fresh = b"User-agent: *\nDisallow: /new/\n"
    site.serve("/robots.txt?canfetch=0", respond(fresh))
    site.serve("/robots.txt", edge("GPTBot", respond(fresh), respond(b"User-agent: *\nDisallow: /x/\n")))
    site.serve("/", respond(PAGE, HTML))
    with Client(user_agent="AuditBot/1.0") as client:
        plan = AuditPlan(delay=0, sample=0, edge=("GPTBot",))
        report = audit(client, site.origin, plan=plan, clock=lambda: 0.0)
    assert AuditKind.STALE_CACHE in {one.kind for one in report.findings}
    assert edge_findings(report) == []


MOBILE = "Location: /m/"


def for_mobile(refusal: Behaviour, page: Behaviour | None = None) -> Behaviour:
    """Redirect mobile browsers, and crawlers that request pages as one."""
    return edge("Mobile", refusal, page)


def test_a_site_that_redirects_mobile_browsers_refuses_no_crawler(site: Site) -> None:
    site.serve("/m/", respond(PAGE, HTML))
    report = run(site, for_mobile(respond(b"", MOBILE, status=302)))
    assert [(one.crawler, one.answer) for one in report.edge] == [
        ("browser", "page"),
        ("GPTBot", "page"),
        ("Googlebot", "redirect"),
        ("mobile browser", "redirect"),
    ]
    assert edge_findings(report) == []
    assert report.requests <= report.max_requests


def test_a_crawler_that_the_mobile_page_refuses(site: Site) -> None:
    site.serve("/m/", edge("Googlebot", respond(b"", status=403)))
    report = run(site, for_mobile(respond(b"", MOBILE, status=302)))
    assert [(one.kind, one.url) for one in report.findings if one.kind.startswith("edge")] == [
        (AuditKind.EDGE_REFUSES, f"{site.origin}/m/")
    ]


def test_a_crawler_that_is_refused_where_mobile_browsers_are_redirected(site: Site) -> None:
    site.serve("/m/", respond(PAGE, HTML))
    report = run(site, edge("Googlebot", respond(b"", status=403), for_mobile(respond(b"", MOBILE, status=302))))
    assert edge_findings(report) == [AuditKind.EDGE_REFUSES]


def test_a_shorter_page_for_mobile_browsers_is_no_finding(site: Site) -> None:
    report = run(site, for_mobile(respond(b"<!doctype html><p>Fish", HTML), respond(TEXT, HTML)))
    assert edge_findings(report) == []


SHORT = b"<!doctype html><title>Fish</title><script src=/m.js></script><p>Fish"


@pytest.mark.parametrize("short", [SHORT, b"<!doctype html><p>Fish"])
def test_a_crawler_that_is_refused_where_mobile_browsers_get_a_shorter_page(site: Site, short: bytes) -> None:
    mobile = for_mobile(respond(short, HTML), respond(TEXT, HTML))
    report = run(site, edge("Googlebot", respond(b"", status=403), mobile))
    assert [(one.crawler, one.answer) for one in report.edge] == [
        ("browser", "page"),
        ("GPTBot", "page"),
        ("Googlebot", "forbidden"),
        ("mobile browser", "page"),
    ]
    assert edge_findings(report) == [AuditKind.EDGE_REFUSES]


def test_a_shorter_page_with_a_script_for_mobile_browsers_is_no_challenge(site: Site) -> None:
    report = run(site, for_mobile(respond(SHORT, HTML), respond(TEXT, HTML)))
    assert [one.answer for one in report.edge] == ["page"] * 4
    assert edge_findings(report) == []


@pytest.mark.parametrize("short", [SHORT, b"<!doctype html><p>Fish"])
def test_a_shorter_mobile_page_that_is_hidden_from_one_crawler(site: Site, short: bytes) -> None:
    mobile = for_mobile(respond(short, HTML), respond(TEXT, HTML))
    report = run(site, edge("Googlebot", respond(short, HTML, "X-Robots-Tag: noindex"), mobile))
    (one,) = (one for one in report.findings if one.kind is AuditKind.HOME_NOINDEX)
    assert one.message.endswith(", for Googlebot, and not in the page that a browser gets")
    assert edge_findings(report) == []


def test_a_challenge_in_place_of_the_page_for_mobile_browsers(site: Site) -> None:
    half = respond(TEXT[: len(TEXT) // 2], HTML)
    report = run(site, edge("Googlebot", respond(INTERSTITIAL, HTML), for_mobile(half, respond(TEXT, HTML))))
    assert [one.answer for one in report.edge] == ["page", "page", "challenge", "page"]
    assert edge_findings(report) == [AuditKind.EDGE_REFUSES]


def test_a_redirect_of_mobile_browsers_with_a_path_for_each_request(site: Site) -> None:
    count = 0

    async def moved(exchange: Exchange) -> None:
        nonlocal count
        count += 1
        await exchange.respond(302, b"", f"Location: /m/{count}/")

    report = run(site, for_mobile(moved))
    (one,) = (one for one in report.findings if one.kind.startswith("edge"))
    assert (one.kind, one.message) == (
        AuditKind.EDGE_UNKNOWN,
        (
            f"Googlebot and a mobile browser get different redirects: redirected to '{site.origin}/m/1/'; redirected "
            f"to '{site.origin}/m/2/'"
        ),
    )


def test_a_redirect_of_mobile_browsers_to_a_page_that_the_audit_may_not_request(site: Site) -> None:
    page = for_mobile(respond(b"", MOBILE, status=302))
    report = run(site, page, robots=b"User-agent: AuditBot\nDisallow: /m/\n")
    (one,) = (one for one in report.findings if one.kind.startswith("edge"))
    assert (one.kind, one.severity.label) == (AuditKind.EDGE_UNKNOWN, "info")
    assert one.message == f"Googlebot and a mobile browser get the same: redirected to '{site.origin}/m/'"


@pytest.mark.parametrize(
    "name, header",
    [
        (
            "Googlebot",
            (
                "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/142.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
            ),
        ),
        (
            "GPTBot",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot",
        ),
        ("AhrefsBot", "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)"),
        (
            "YouBot",
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; YouBot/1.0; "
                "+https://docs.you.com/youbot; env:prod) Chrome/142.0.0.0 Safari/537.36"
            ),
        ),
        # Its other headers are those of its crawlers for news and pictures, and of older ones.
        ("Sogou", "Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)"),
        # The operator publishes only the name.
        (
            "meta-externalagent",
            "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
        ),
    ],
)
def test_the_current_published_header_is_sent(name: str, header: str) -> None:
    (crawler,) = edge_crawlers((name,))
    assert crawler_header(crawler) == header


def test_no_header_is_sent_with_a_placeholder() -> None:
    headers = [crawler_header(crawler) for crawler in REGISTRY.crawlers if crawler.headers]
    assert [header for header in headers if re.search(r"[WX]\.[XY]", header)] == []


@pytest.mark.parametrize(
    "name, hidden, severity",
    [
        ("Googlebot", respond(PAGE, HTML, "X-Robots-Tag: noindex"), "error"),
        ("Googlebot", respond(PAGE.replace(b"<title>", b"<meta name=robots content=noindex><title>"), HTML), "error"),
        ("GPTBot", respond(PAGE, HTML, "X-Robots-Tag: noindex"), "warning"),
    ],
)
@pytest.mark.parametrize("path", ["/", "/en/"])
def test_a_page_that_is_hidden_from_one_crawler(
    site: Site, path: str, name: str, hidden: Behaviour, severity: str
) -> None:
    page = edge(name, hidden)
    site.serve("/en/", page)
    report = run(site, page if path == "/" else respond(b"", "Location: /en/", status=302))
    (one,) = (one for one in report.findings if one.kind is AuditKind.HOME_NOINDEX)
    assert (one.severity.label, one.url) == (severity, f"{site.origin}{path}")
    assert one.message.endswith(f", for {name}, and not in the page that a browser gets")
    assert edge_findings(report) == []


def test_a_page_that_is_hidden_from_all_is_one_finding(site: Site) -> None:
    report = run(site, respond(PAGE, HTML, "X-Robots-Tag: noindex"))
    assert [one.kind for one in report.findings if one.kind is AuditKind.HOME_NOINDEX] == [AuditKind.HOME_NOINDEX]


@pytest.mark.parametrize("page", [REFUSALS["forbidden"], REFUSALS["challenge (200)"]])
def test_a_home_page_that_only_the_audit_does_not_get(site: Site, page: Behaviour) -> None:
    report = run(site, edge("AuditBot", page))
    (one,) = (one for one in report.findings if one.kind is AuditKind.HOME_FAILING)
    assert one.severity.label == "warning"
    assert one.message.endswith(", but a browser gets the page: the server refuses the name of the audit")
    assert "--user-agent" in one.advice
    (failing,) = (one for one in run(site, page).findings if one.kind is AuditKind.HOME_FAILING)
    assert failing.severity.label == "error"


@pytest.mark.parametrize("status, times", [(503, 2), (429, 1)])
def test_a_home_page_that_fails_for_a_time_does_not_refuse_the_audit(site: Site, status: int, times: int) -> None:
    count = 0

    async def behaviour(exchange: Exchange) -> None:
        nonlocal count
        count += 1
        await (respond(b"", status=status) if count <= times else respond(PAGE, HTML))(exchange)

    report = run(site, behaviour)
    (one,) = (one for one in report.findings if one.kind is AuditKind.HOME_FAILING)
    assert (one.severity.label, one.message) == ("error", f"status {status}")
    assert report.requests <= report.max_requests


@pytest.mark.parametrize(
    "robots, part",
    [
        (respond(b"User-agent: AuditBot\nDisallow: /\n"), "--user-agent"),
        (respond(b"", status=503), "Serve robots.txt"),
    ],
)
def test_what_to_do_if_the_page_may_not_be_requested(site: Site, robots: Behaviour, part: str) -> None:
    site.serve("/robots.txt", robots)
    with Client(user_agent="AuditBot/1.0") as client:
        report = audit(client, site.origin, plan=AuditPlan(delay=0, edge=("GPTBot",)))
    (one,) = (one for one in report.findings if one.kind is AuditKind.EDGE_UNKNOWN)
    assert part in one.advice
    assert part in "\n".join(text_lines(report.to_json()))
