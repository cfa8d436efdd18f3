"""The checks of statements that need more than a file, a command or a status. Each name is in statements.toml."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from tests.access.conftest import ScriptedOrigin

import canfetch
from canfetch.access.pacing import Pace
from canfetch.author import Refusal, parse_policy, render_policy
from canfetch.author.servers.apache import apache_rules, htaccess_rules
from canfetch.author.servers.rules import build_server_rules
from canfetch.client.pacers import Pacer
from canfetch.compare import difference
from canfetch.core.profiles import PROFILES
from canfetch.errors import InvalidLimit, OriginMismatch
from canfetch.integrations.serving import Enforcement, Site
from canfetch.integrations.serving.requests import Request
from canfetch.lint import Linter
from canfetch.pages import parse_page

DOCS: Final = Path(__file__).parents[2] / "docs"
RULES: Final = "User-agent: *\nDisallow: /x\n"
USER_AGENT: Final = "ExampleBot/1.0 (+https://example.com/bot)"
GROUPS: Final = (
    "user-agent: googlebot-news\ndisallow: /1\nuser-agent: *\ndisallow: /2\nuser-agent: googlebot\ndisallow: /3\n"
)
DAY: Final = 86_400.0


def other_schemes() -> None:
    """Any scheme with an authority has an origin."""
    assert str(canfetch.Origin.from_url("ftp://example.com/x")) == "ftp://example.com"
    assert canfetch.Origin.from_url("gopher://example.com/x").robots_url == "gopher://example.com/robots.txt"
    robots = canfetch.parse(RULES, url="ftp://example.com/robots.txt")
    assert not robots.allows("ftp://example.com/x", agent="ExampleBot")


def content_after_500_kib_is_ignored() -> None:
    """A rule after 500 KiB has no effect, and the linter reports the size."""
    start, end = b"User-agent: *\nDisallow: /a\n", b"Disallow: /b\n"
    content = start + b"#" * (500 * 1024 - len(start) - 1) + b"\n" + end
    robots = canfetch.parse(content, profile="google2019")
    assert not robots.allows("/a", agent="ExampleBot")
    assert robots.allows("/b", agent="ExampleBot")
    assert "CF103" in codes(content)


def codes(content: bytes) -> list[str]:
    """Return the codes of the findings in a file."""
    return [finding.check.code for finding in Linter().lint(content).findings]


def edition_of_2019_is_dated() -> None:
    """The profile and the page of sources have the date."""
    assert "July 2019" in PROFILES[canfetch.EDITIONS["google2019"].profile].source
    assert "Google's specification of July 2019" in (DOCS / "sources.md").read_text(encoding="utf-8")


def maximum_size_is_an_option() -> None:
    """A larger maximum reads more of the file, and a smaller one is refused."""
    content = b"User-agent: *\n" + b"#" * (500 * 1024) + b"\nDisallow: /x\n"
    assert canfetch.parse(content, profile="google2019").allows("/x", agent="ExampleBot")
    assert not canfetch.parse(content, profile="google2019", max_bytes=600 * 1024).allows("/x", agent="ExampleBot")
    with pytest.raises(InvalidLimit):
        canfetch.parse(content, max_bytes=1024)


def search_engines_read_sitemaps() -> None:
    """The registry lists the record for the crawlers, and its source is the protocol."""
    for name in ("Googlebot", "bingbot", "YandexBot", "Slurp"):
        crawler = canfetch.REGISTRY.get_crawler(name)
        assert crawler is not None, name
        assert "sitemap" in crawler.honours, name
    (record,) = canfetch.parse("Sitemap: https://example.com/s.xml\n").extensions
    assert "sitemaps.org" in record.source


def crawlers_of_google_obey() -> None:
    """Crawlers with the purpose of search obey, and only those of users may ignore the file."""
    for crawler in canfetch.REGISTRY.crawlers:
        if crawler.operator == "Google" and "search-index" in crawler.purposes:
            assert crawler.obeys == "yes", crawler.name


def requests_are_unconditional() -> None:
    """The client sends GET without conditions by default, also for a copy that has expired."""
    origin, now = ScriptedOrigin({"headers": {"ETag": '"1"'}}), [0.0]
    with canfetch.Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0]) as client:
        client.allows("https://example.com/")
        now[0] = 2 * DAY
        client.allows("https://example.com/")
    assert len(origin.requests) == 2
    assert not [name for request in origin.requests for name, _ in request.headers if name.startswith("If-")]


def file_governs_one_origin() -> None:
    """URLs of another host, protocol or port are refused."""
    robots = canfetch.parse(RULES, url="http://example.com/robots.txt")
    assert not robots.allows("http://example.com/x", agent="ExampleBot")
    for url in ("https://example.com/x", "http://example.com:8080/x", "http://www.example.com/x"):
        with pytest.raises(OriginMismatch):
            robots.allows(url, agent="ExampleBot")


def googlebot_image_uses_group_3() -> None:
    """Without a group of its own, Googlebot-Image uses that of Googlebot."""
    robots = canfetch.parse(GROUPS, profile="google2019")
    image = canfetch.agent("Googlebot-Image")
    assert not robots.allows("/3", agent=image)
    assert robots.allows("/1", agent=image)
    assert robots.allows("/2", agent=image)


def server_errors_are_repeated() -> None:
    """After a 503, the next request is due after a minute, and a success ends the failure."""
    origin, now = ScriptedOrigin({"status": 503}), [0.0]
    with canfetch.Client(user_agent=USER_AGENT, transport=origin, policy="google2019", clock=lambda: now[0]) as client:
        assert not client.allows("https://example.com/open")
        now[0] = 61.0
        origin.event = {"status": 200}
        assert client.allows("https://example.com/open")
    assert len(origin.requests) == 2


def thirty_days_of_server_errors() -> None:
    """Until 30 days nothing is allowed, and then the copy counts, or everything is allowed."""
    _check_thirty_days({"status": 200}, forbidden_is_allowed=False)
    _check_thirty_days({"status": 503}, forbidden_is_allowed=True)


def _check_thirty_days(first: dict[str, int], *, forbidden_is_allowed: bool) -> None:
    origin, now = ScriptedOrigin(first), [0.0]
    with canfetch.Client(user_agent=USER_AGENT, transport=origin, policy="google2019", clock=lambda: now[0]) as client:
        client.allows("https://example.com/open")
        origin.event = {"status": 503}
        now[0] = 2 * DAY
        assert not client.allows("https://example.com/open")
        now[0] = 33 * DAY
        assert client.allows("https://example.com/open")
        assert client.allows("https://example.com/forbidden") is forbidden_is_allowed


def crawling_is_suspended_with_503() -> None:
    """A suspended site responds with 503 and Retry-After."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    site = Site(RULES, environment="production", suspend_until=now + timedelta(hours=1), clock=now.timestamp)
    reply = site.respond(request("/robots.txt"))
    assert reply is not None
    assert reply.status == 503
    assert dict(reply.headers)["Retry-After"] == "3600"


def request(path: str, user_agent: str = "ExampleBot/1.0") -> Request:
    """Return a request to a site."""
    return Request("GET", path, path.encode(), "example.com", None, {"user-agent": user_agent}.get)


def other_encodings_are_reported() -> None:
    """UTF-16 is read and reported, and other bytes are reported."""
    text = "User-agent: *\nDisallow: /caffè/\n"
    assert "CF107" in codes(text.encode("latin-1"))
    utf_16 = b"\xff\xfe" + text.encode("utf-16-le")
    assert not canfetch.parse(utf_16).allows("/caffè/", agent="ExampleBot")
    assert "CF106" in codes(utf_16)


def example_2_equals_its_combined_form() -> None:
    """No crawler gains or loses a URL."""
    before = canfetch.parse(
        "user-agent: googlebot-news\ndisallow: /fish\n\nuser-agent: *\ndisallow: /carrots\n\n"
        "user-agent: googlebot-news\ndisallow: /shrimp\n"
    )
    after = canfetch.parse(
        "user-agent: googlebot-news\ndisallow: /fish\ndisallow: /shrimp\n\nuser-agent: *\ndisallow: /carrots\n"
    )
    for name in ("Googlebot-News", "Googlebot", "Otherbot"):
        assert difference(before, after, agent=name) is None, name


def sitemaps_belong_to_no_group() -> None:
    """All sitemaps are returned, before, in and after groups."""
    robots = canfetch.parse(
        "sitemap: https://a.example/1\nuser-agent: a\nsitemap: https://a.example/2\ndisallow: /\n"
        "sitemap: https://a.example/3\n"
    )
    assert robots.sitemaps == tuple(f"https://a.example/{number}" for number in (1, 2, 3))
    assert not robots.allows("/", agent="a")


def robots_txt_is_requested_first() -> None:
    """The client requests robots.txt once, before its first answer."""
    origin = ScriptedOrigin()
    with canfetch.Client(user_agent=USER_AGENT, transport=origin) as client:
        assert client.allows("https://example.com/a")
        assert not client.allows("https://example.com/forbidden")
    assert [sent.url for sent in origin.requests] == ["https://example.com/robots.txt"]


def subdomains_need_their_own_file() -> None:
    """Each subdomain has its own robots.txt."""
    urls = ["http://ejemplo.com/x", "http://a.ejemplo.com/x"]
    assert [canfetch.Origin.from_url(url).robots_url for url in urls] == [
        "http://ejemplo.com/robots.txt",
        "http://a.ejemplo.com/robots.txt",
    ]


def ports_and_protocols_need_their_own_file() -> None:
    """The file of http://example.com applies neither to port 8080 nor to https."""
    robots = canfetch.parse(RULES, url="http://example.com/robots.txt")
    for url in ("http://example.com:8080/", "https://example.com/"):
        with pytest.raises(OriginMismatch):
            robots.allows(url, agent="ExampleBot")


def search_engines_of_the_article_obey() -> None:
    """The registry has a crawler for each search engine, and none ignores the file."""
    for name in ("Baiduspider", "DuckDuckBot", "Googlebot", "Slurp", "YandexBot", "Teoma"):
        crawler = canfetch.REGISTRY.get_crawler(name)
        assert crawler is not None, name
        assert crawler.obeys in {"yes", "not-documented"}, name
    assert not any("AOL" in crawler.operator for crawler in canfetch.REGISTRY.crawlers)


def archive_team_ignores_robots_txt() -> None:
    """The entry states it."""
    (crawler,) = (one for one in canfetch.REGISTRY.crawlers if one.operator == "Archive Team")
    assert crawler.obeys == "no"


def servers_respond_with_an_error() -> None:
    """Server rules and middlewares refuse what the rules of the site disallow."""
    policy = parse_policy('[crawler.GPTBot]\nfetch = "none"\n')
    assert "return 403 " in render_policy(policy, "nginx")
    site = Site(policy, environment="production", enforcement=Enforcement())
    reply = site.respond(request("/x", "GPTBot/1.0"))
    assert reply is not None
    assert reply.status == 403


def servers_respond_with_other_content() -> None:
    """Server rules and middlewares can send a text instead."""
    policy = parse_policy('[crawler.GPTBot]\nfetch = "none"\n[refusal]\nstatus = 200\ntext = "Contenido alternativo"\n')
    assert 'return 200 "Contenido alternativo";' in render_policy(policy, "nginx")
    site = Site(
        policy, environment="production", enforcement=Enforcement(refusal=Refusal(200, "Contenido alternativo"))
    )
    reply = site.respond(request("/x", "GPTBot/1.0"))
    assert reply is not None
    assert (reply.status, reply.body) == (200, b"Contenido alternativo\n")


def crawl_delay_is_read() -> None:
    """The delay is a number of seconds."""
    assert canfetch.parse("User-agent: *\nCrawl-delay: 10\n").crawl_delay(agent="ExampleBot") == 10


def request_rate_is_read() -> None:
    """The example of the article is one request in five seconds."""
    (rate,) = canfetch.parse("User-agent: *\nRequest-rate: 1/5\n").request_rates(agent="ExampleBot")
    assert (rate.requests, rate.seconds) == (1, 5)


def visit_time_is_read() -> None:
    """The example of the article is from 6:00 to 8:45."""
    (window,) = canfetch.parse("User-agent: *\nVisit-time: 0600-0845\n").visit_times(agent="ExampleBot")
    assert (window.start_seconds, window.end_seconds) == (6 * 3600, 8 * 3600 + 45 * 60)


def google_does_not_read_crawl_delay() -> None:
    """The registry does not list the record for Googlebot, but for bingbot."""
    googlebot, bingbot = map(canfetch.REGISTRY.get_crawler, ("Googlebot", "bingbot"))
    assert googlebot is not None
    assert bingbot is not None
    assert "crawl-delay" not in googlebot.honours
    assert "crawl-delay" in bingbot.honours


def allow_first_is_equal_in_all_profiles_with_allow() -> None:
    """The example of the article has the same verdicts in every profile that reads Allow."""
    content = "User-agent: *\nAllow: /directorio1/miarchivo.html\nDisallow: /directorio1/\n"
    for name, profile in PROFILES.items():
        robots = canfetch.parse(content, profile=name)
        assert not robots.allows("/directorio1/otro.html", agent="ExampleBot"), name
        assert robots.allows("/directorio1/miarchivo.html", agent="ExampleBot") is not profile.ignore_allow, name


def host_is_read() -> None:
    """The record is in the extensions of the file."""
    (record,) = canfetch.parse("Host: alojamiento.ejemplo.com\n").extensions.by_name("host")
    assert record.value == b"alojamiento.ejemplo.com"


def apache_sets_the_header() -> None:
    """The same policy is rendered for the configuration and for .htaccess."""
    rules = build_server_rules(parse_policy('[[page]]\npaths = ["/*.pdf$"]\nrules = ["noindex"]\n'))
    for render in (apache_rules, htaccess_rules):
        assert 'Header always add X-Robots-Tag "noindex"' in "\n".join(render(rules))


def meta_element_restricts_a_page() -> None:
    """A page with the element may not be indexed."""
    page = parse_page('<meta name="robots" content="noindex">')
    assert not page.decide(agent="Googlebot", now=0).may_index.allowed


def robots_url_of_a_site() -> None:
    """The file of www.example.com."""
    assert canfetch.Origin.from_url("http://www.example.com/a/b").robots_url == "http://www.example.com/robots.txt"


def robots_url_of_the_glossary() -> None:
    """The file of www.miol.it."""
    assert canfetch.Origin.from_url("http://www.miol.it/help/").robots_url == "http://www.miol.it/robots.txt"


def allow_everything_can_be_left_out() -> None:
    """Without the second group, the verdicts are the same."""
    group = "User-agent: Googlebot\nDisallow: /nogooglebot/\n"
    before, after = canfetch.parse(group + "\nUser-agent: *\nAllow: /\n"), canfetch.parse(group)
    for name in ("Googlebot", "ExampleBot", "bingbot"):
        assert difference(before, after, agent=name) is None, name


def subdomains_and_ports_can_have_a_file() -> None:
    """The two addresses of the guide are addresses of a robots.txt."""
    for url in ("http://website.example.com/robots.txt", "http://example.com:8181/robots.txt"):
        robots = canfetch.parse(RULES, url=url)
        assert not robots.allows(url.replace("robots.txt", "x"), agent="ExampleBot")


def requests_are_paced() -> None:
    """Requests wait for the delay of the file, and a page is not requested twice in a row without a wait."""
    waits: list[float] = []
    now = [0.0]

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    origin = ScriptedOrigin({"body": "User-agent: *\nCrawl-delay: 3\n"})
    with canfetch.Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0]) as client:
        client.allows("https://example.com/")
        state = client.origin_state("https://example.com/")
    pacer = Pacer(canfetch.agent("ExampleBot"), Pace(), clock=lambda: now[0], sleep=sleep)
    pacer.wait(state)
    pacer.wait(state)
    assert sum(waits) >= 3


CHECKS: Final[dict[str, Callable[[], None]]] = {
    check.__name__: check
    for check in (
        allow_everything_can_be_left_out,
        allow_first_is_equal_in_all_profiles_with_allow,
        apache_sets_the_header,
        archive_team_ignores_robots_txt,
        content_after_500_kib_is_ignored,
        crawl_delay_is_read,
        crawlers_of_google_obey,
        crawling_is_suspended_with_503,
        example_2_equals_its_combined_form,
        edition_of_2019_is_dated,
        file_governs_one_origin,
        google_does_not_read_crawl_delay,
        googlebot_image_uses_group_3,
        host_is_read,
        maximum_size_is_an_option,
        meta_element_restricts_a_page,
        other_encodings_are_reported,
        other_schemes,
        ports_and_protocols_need_their_own_file,
        request_rate_is_read,
        requests_are_paced,
        requests_are_unconditional,
        robots_txt_is_requested_first,
        robots_url_of_a_site,
        robots_url_of_the_glossary,
        search_engines_of_the_article_obey,
        search_engines_read_sitemaps,
        server_errors_are_repeated,
        servers_respond_with_an_error,
        servers_respond_with_other_content,
        sitemaps_belong_to_no_group,
        subdomains_and_ports_can_have_a_file,
        subdomains_need_their_own_file,
        thirty_days_of_server_errors,
        visit_time_is_read,
    )
}
