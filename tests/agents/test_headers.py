"""Every published header is identified everywhere, and no header of a browser or a library is, anywhere."""

import asyncio
import io
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.author.servers import REFUSED, SERVERS, RunningServer, render_rules, running

import canfetch
from canfetch.agents import CRAWLERS, Crawler, PublishedHeader, find_crawler
from canfetch.agents.declarations import name_regex, names_in
from canfetch.agents.other_clients import is_other_client
from canfetch.agents.registry import names_to_look_up
from canfetch.author.servers.rules import build_server_rules
from canfetch.errors import InvalidOption
from canfetch.integrations import wsgi
from canfetch.integrations.asgi import RobotsMiddleware
from canfetch.integrations.serving import Enforcement, Site
from canfetch.logs import RobotsHistory, analyze

SENDERS = [crawler for crawler in CRAWLERS if not crawler.token_only]
PUBLISHED = [(crawler, header.value) for crawler in SENDERS for header in crawler.headers]
BROWSERS = [row["value"] for row in json.loads((Path(__file__).parent / "other_headers.json").read_bytes())]
# No header of theirs was found, neither on the operator's pages nor in lists.
WITHOUT_HEADER = {
    "AIWebIndex",
    "Baiduspider-ads",
    "Baiduspider-cpro",
    "Baiduspider-favo",
    "Baiduspider-mobile",
    "Baiduspider-news",
    "Baiduspider-video",
    "BingVideoPreview",
    "CloudflareBrowserRenderingCrawler",
    "ExaSearchBot",
    "LAIONDownloader",
    "SemrushBot-OCOB",
    "TongyiBot",
    "YiyanBot",
    "bedrockbot",
}
# In server rules, these crawlers have an intent only if the policy names them.
NAMED = "".join(f"[crawler.'{crawler.name}']\nfetch = 'none'\n" for crawler in SENDERS if crawler.retired)
POLICY = canfetch.author.parse_policy(f"[everyone]\nfetch = 'none'\ninclude_star_ignorers = true\n{NAMED}")
OTHERS = "Mozilla/5.0 (compatible; OtherBot/1.0; +https://example.com/GPTBot), me+GPTBot@example.com"


def test_every_crawler_has_a_header_or_is_listed() -> None:
    assert {crawler.name for crawler in SENDERS if not crawler.headers} == WITHOUT_HEADER
    assert not any(crawler.headers for crawler in CRAWLERS if crawler.token_only)


def test_names_in_headers_of_browsers_are_known() -> None:
    names = {name for header in BROWSERS for name in names_to_look_up(header)}
    # The names of models are left out, of which each has its own.
    assert all(is_other_client(name.upper()) for name in names if re.fullmatch("[a-z_-]+", name))
    for name in (
        *("Edg", "Edge", "OPR", "SamsungBrowser", "CriOS", "FxiOS", "YaBrowser", "Instagram", "DuckDuckGo", "Safari"),
        *("Wget", "curl", "Go-http-client", "python-requests", "okhttp", "Python-urllib", "Apache-HttpClient", "w3m"),
        *("Windows", "Win64", "x64", "x86_64", "NT", "10.0", "10_15_7", "K", "iPhone", "like", "Gecko"),
    ):
        assert is_other_client(name), name
    for name in ("ExampleBot", "MJ12bot", "360Spider", "Edgy", "crio"):
        assert not is_other_client(name), name


def test_every_header_has_a_source() -> None:
    headers = [header for crawler in CRAWLERS for header in crawler.headers]
    assert len({header.value for header in headers}) == len(headers) > 300
    for header in headers:
        assert header.value.isascii()
        assert header.value.strip() == header.value
        assert header.source.startswith("https://") is (header.source_kind == "operator")


@pytest.mark.parametrize("crawler", [crawler for crawler in SENDERS if crawler.headers], ids=lambda one: str(one.name))
def test_every_published_header_is_identified_refused_and_counted(crawler: Crawler) -> None:
    site = Site(
        f"User-agent: {crawler.name}\nDisallow: /\n",
        environment="production",
        allow_closed=True,
        enforcement=Enforcement(),
    )
    for header in crawler.headers:
        assert find_crawler(header.value) is crawler, header.value
        assert asgi_status(site, header.value) == 403, header.value
        assert wsgi_status(site, header.value) == 403, header.value
        assert any(regex.search(header.value) for regex in server_regexes()), header.value
    log = "".join(map(log_line, (header.value for header in crawler.headers)))
    history = RobotsHistory.from_file(canfetch.parse(f"User-agent: {crawler.name}\nDisallow: /\n"))
    (counted,) = analyze([io.BytesIO(log.encode())], history).crawlers
    assert (counted.name, counted.requests, counted.disallowed_requests) == (
        crawler.name,
        len(crawler.headers),
        len(crawler.headers),
    )


def asgi_status(site: Site, user_agent: str) -> int:
    statuses: list[int] = []

    async def app(_scope: object, _receive: object, _send: object) -> None:
        statuses.append(200)

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        statuses.append(message.get("status", 0))

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/x",
        "raw_path": b"/x",
        "query_string": b"",
        "headers": [(b"host", b"example.com"), (b"user-agent", user_agent.encode("latin-1"))],
        "client": ("192.0.2.1", 50_000),
    }
    asyncio.run(RobotsMiddleware(app, site)(scope, app, send))  # type: ignore[arg-type] # it does not receive
    return statuses[0]


def wsgi_status(site: Site, user_agent: str) -> int:
    statuses: list[int] = []

    def app(_environ: object, _start_response: object) -> list[bytes]:
        statuses.append(200)
        return []

    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/x", "HTTP_HOST": "example.com", "HTTP_USER_AGENT": user_agent}
    wsgi.RobotsMiddleware(app, site)(environ, lambda status, *_: statuses.append(int(status[:3])))  # type: ignore[arg-type] # writes nothing
    return statuses[0]


@cache
def server_regexes() -> list[re.Pattern[str]]:
    intents = build_server_rules(POLICY).intents
    return [re.compile(regex, re.IGNORECASE) for intent in intents for regex in intent.user_agent_regexes]


def log_line(user_agent: str) -> str:
    return f'192.0.2.1 - - [22/Nov/2026:12:00:00 +0000] "GET /x HTTP/1.1" 200 68 "-" "{user_agent}"\n'


def test_browsers_apps_devices_and_libraries_are_no_crawlers() -> None:
    assert len(BROWSERS) >= 500
    site = Site("User-agent: *\nDisallow: /\n", environment="test", enforcement=Enforcement())
    for header in [*BROWSERS, OTHERS]:
        assert find_crawler(header) is None, header
        assert wsgi_status(site, header) == 200, header
        assert not any(regex.search(header) for regex in server_regexes()), header
    log = "".join(map(log_line, BROWSERS))
    report = analyze([io.BytesIO(log.encode())], RobotsHistory.from_file(canfetch.parse("")))
    assert report.crawlers == ()
    assert (report.other_requests, report.bad_lines) == (len(BROWSERS), 0)


ANDROID = "Mozilla/5.0 (Linux; Android 13; SM-G991B Build/TP1A.220624.014; wv) AppleWebKit/537.36 (KHTML, like Gecko)"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
IN_APPS = [
    f"{ANDROID} Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36",
    (
        f"{ANDROID} Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36 Instagram 312.1.0.34.111 Android "
        "(33/13; 420dpi; 1080x2177; samsung; SM-G991B; o1s; exynos2100; en_US; 548323757)"
    ),
    f"{IPHONE} Mobile/15E148 Instagram 285.0.0.15.109 (iPhone12,1; iOS 16_5; en_US; en; scale=2.00; 828x1792; 4793)",
    f"{ANDROID} Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/446.0.0.42.110;]",
    (
        f"{ANDROID} Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36 "
        "[FB_IAB/Orca-Android;FBAV/439.0.0.29.119;FBPN/com.facebook.orca;]"
    ),
    (
        f"{IPHONE} Mobile/20F66 [FBAN/FBIOS;FBDV/iPhone12,1;FBMD/iPhone;FBSN/iOS;FBSV/16.5;FBSS/2;FBID/phone;"
        "FBLC/en_US;FBOP/5]"
    ),
    f"{IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/446.0.0.31.114;FBBV/553;FBDV/iPhone12,1;FBMD/iPhone;FBSN/iOS;FBSV/16.5",
    (
        f"{IPHONE} Mobile/15E148 musical_ly_30.0.0 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/en Region/US "
        "ByteFullLocale/en isDarkMode/0 WKWebView/1 RevealType/Dialog BytedanceWebview/d8a21c6 FalconTag/6F1"
    ),
    (
        f"{ANDROID} Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36 trill_2023007030 JsSdk/1.0 NetType/WIFI "
        "Channel/googleplay AppName/musical_ly app_version/30.7.3 ByteLocale/en ByteFullLocale/en Region/GB Android"
    ),
    f"{IPHONE} Mobile/15E148 Twitter for iPhone/9.61",
    f"{ANDROID} Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36 TwitterAndroid",
    f"{IPHONE} Mobile/15E148 MicroMessenger/8.0.34(0x18002230) NetType/WIFI Language/en",
    f"{IPHONE} Version/16.5 Mobile/15E148 Safari/604.1 [LinkedInApp]/9.27.3891",
    f"{IPHONE} Mobile/15E148 Snapchat/12.34.0.35 (like Safari/8614.1.25, panda)",
    f"{ANDROID} Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36 ExampleApp/1.0 SM-G991B",
    "Mozilla/5.0 (compatible; Konqueror/4.5; Linux) KHTML/4.5.3 (like Gecko)",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/534.34 (KHTML, like Gecko) konqueror/5.0 Safari/534.34",
    "Opera/9.80 (Android 4.1.2; Linux; Opera Mobi/ADR-1309251116) Presto/2.11.355 Version/12.10 Android",
]
GOOGLEBOT_SMARTPHONE = (
    "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/130.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
)
GOOGLEBOT_IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 8_3 like Mac OS X) AppleWebKit/600.1.4 (KHTML, like Gecko) Version/8.0 "
    "Mobile/12F70 Safari/600.1.4 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
)


def site_that_names(names: Iterable[str]) -> Site:
    """Return a site whose file disallows everything for names."""
    lines = "".join(f"User-agent: {name}\n" for name in names)
    return Site(f"{lines}Disallow: /\n", environment="production", enforcement=Enforcement())


def all_words(header: str) -> set[str]:
    """Return all words of a header that a file can name."""
    return {word for word in re.split(r"[\s/()\[\];,]+", header) if word and "*" not in word}


def test_browsers_pass_although_the_file_names_their_app_or_platform() -> None:
    site = site_that_names(("Android", "iPhone", "Konqueror", "Instagram", "FBAV", "FBOP", "TikTok", "SM-G991B"))
    assert [header for header in IN_APPS if wsgi_status(site, header) != 200] == []
    browsers = [header for header in BROWSERS if header.startswith(("Mozilla/", "Opera/"))]
    assert len(browsers) > 200
    for header in [*IN_APPS, *browsers]:
        assert wsgi_status(site_that_names(all_words(header)), header) == 200, header


def test_browsers_apps_and_libraries_pass_whatever_other_words_of_their_headers_the_file_names() -> None:
    for header in BROWSERS:
        declared = next(iter(names_to_look_up(header)), "")
        others = {*map(str.lower, all_words(header)), *names_in(header)} - {declared}
        assert wsgi_status(site_that_names(sorted(others)), header) == 200, header


@pytest.mark.parametrize(
    "header",
    [
        "OtherBot/1.0",
        "python-requests/2.32 OtherBot/1.0",
        "Go-http-client/1.1 (OtherBot/2.0; +https://other.example)",
        "(OtherBot/1.0)",
        "OtherBot.com bot",
        "My crawler: OtherBot/1.0",
        '"OtherBot/1.0"',
        "curl/8 (otherbot)",
        "Java/1.8 OtherBot",
        "[OtherBot/1]",
        "Mozilla/5.0 (compatible; OtherBot.com)",
        "Mozilla/5.0 OtherBot (Windows NT 10.0; Win64; x64) Gecko/20100101 Firefox/118.0",
        "Mozilla/5.0 (compatible; OtherBot.com; +https://other.example)",
        f"{ANDROID} (compatible; MyBot/1.0; +https://my.example/bot) OtherBot/1.0",
    ],
)
def test_names_that_only_the_file_has_are_words_as_in_server_rules(header: str) -> None:
    assert re.search(name_regex(["OtherBot"]), header, re.IGNORECASE)
    site = site_that_names(("OtherBot",))
    assert wsgi_status(site, header) == 403
    # The name is that of the file, in whatever letter case clients send it.
    assert site.stats.refused == {"OtherBot": 1}
    exempt = Site(
        "User-agent: OtherBot\nDisallow: /\n", environment="production", enforcement=Enforcement(exempt=["otherbot"])
    )
    assert wsgi_status(exempt, header) == 200


@pytest.mark.parametrize("header", ["MyOtherBot/1.0", "curl/8 OtherBot-like", "curl/8 (+https://x.example/OtherBot)"])
def test_parts_of_words_and_urls_are_no_names_that_only_the_file_has(header: str) -> None:
    assert not re.search(name_regex(["OtherBot"]), header, re.IGNORECASE)
    assert wsgi_status(site_that_names(("OtherBot",)), header) == 200


def test_names_of_libraries_count_only_as_the_product() -> None:
    site = site_that_names(("curl", "python-requests"))
    statuses = {
        "curl/8.5": 403,
        "python-requests/2.32": 403,
        "curl/8 (OtherBot)": 403,
        "OtherBot/1.0 (curl/8)": 200,
        "OtherBot/1.0 python-requests/2.32": 200,
    }
    assert {header: wsgi_status(site, header) for header in statuses} == statuses


@pytest.mark.parametrize("header", [GOOGLEBOT_SMARTPHONE, GOOGLEBOT_IPHONE], ids=["android", "iphone"])
def test_crawlers_with_the_header_of_a_phone_are_matched_by_their_own_name(header: str) -> None:
    platforms = ("Android", "iPhone", "Nexus", "Mobile", "Safari")
    assert wsgi_status(site_that_names(platforms), header) == 200
    assert wsgi_status(site_that_names((*platforms, "Googlebot")), header) == 403


@pytest.mark.parametrize(
    "header",
    [
        f"{ANDROID} Chrome/120.0.0.0 Mobile Safari/537.36 (compatible; OtherBot/1.0; +https://other.example/bot)",
        f"{ANDROID} Chrome/120.0.0.0 Mobile Safari/537.36 (compatible; OtherBot/1.0)",
        "Mozilla/5.0 (X11; Linux; U; OtherBot 1.0; http://other.example/bot) Gecko OtherBot/1.0",
        "Mozilla/5.0 (X11; Linux) OtherBot/1.0 (http://other.example/bot)",
        f"{ANDROID} Chrome/120.0.0.0 Mobile Safari/537.36 (compatible; OtherBot; Android)",
        f"{IPHONE} Mobile/15E148 Safari/604.1; OtherBot/1.0",
        "Mozilla/5.0 (Linux; Android 13; compatible; OtherBot) AppleWebKit/537.36 (KHTML, like Gecko)",
        "Mozilla/5.0 (X11; Linux x86_64; OtherBot/1.0; bot@other.example) AppleWebKit/537.36 (KHTML, like Gecko)",
        "Mozilla/5.0 (compatible; OtherBot/1.0; Android)",
        "OtherBot/1.0 (iPhone; Android)",
    ],
)
def test_crawlers_that_only_the_file_names_are_refused_although_they_name_a_platform(header: str) -> None:
    assert wsgi_status(site_that_names(("Android", "iPhone")), header) == 200
    assert wsgi_status(site_that_names(("OtherBot",)), header) == 403


@pytest.mark.parametrize(
    "header, name",
    [
        ("Wget/1.21.3 (linux-gnu)", "Wget"),
        ("python-requests/2.32", "python-requests"),
        ("Mozilla/5.0 (compatible; Hark/1.0; +https://hark.example/bot)", "Hark"),
    ],
)
def test_programs_and_crawlers_with_a_contact_are_refused_under_the_names_of_other_clients(
    header: str, name: str
) -> None:
    assert is_other_client(name)
    assert wsgi_status(site_that_names((name,)), header) == 403


@pytest.mark.parametrize(
    "header, name",
    [
        ("WhatsApp/2.23.20.0 A", "WhatsApp"),
        ("whatsapp", "WhatsApp"),
        ("Mozilla/5.0 (compatible; WhatsApp/2.0)", "WhatsApp"),
        ("WhatsApp/794299312 CFNetwork/3826.500.111.2.2 Darwin/24.4.0", None),
        ("Pinterest/0.2 (+https://www.pinterest.com/bot.html)", "Pinterestbot"),
        ("Pinterest/0.2  (+https://www.pinterest.com/bot.html)", "Pinterestbot"),
        ("Pinterest/0.2\t(+https://www.pinterest.com/bot.html) ", "Pinterestbot"),
        ("Mozilla/5.0 (compatible;  Pinterest/0.2; +https://www.pinterest.com/bot.html)", "Pinterestbot"),
        ("Mozilla/5.0 (compatible;Pinterest/0.2)", "Pinterestbot"),
        ("WhatsApp/2.23.20.0   A", "WhatsApp"),
        ("WhatsApp/2.23  CFNetwork/3826", None),
        ("WhatsApp" + " " * 60_000 + "xx", None),
        ("compatible;" + " " * 60_000 + "x", None),
        ("Pinterest for Android/9.0.4 (K83CA; 9)", None),
        ("Pinterestbot/1.0 Pinterest for Android", "Pinterestbot"),
        ("Baiduspider+(+http://www.baidu.com/search/spider.htm)", "Baiduspider"),
        ("AhrefsBot.Feeds v0.1; http://ahrefs.com/", "AhrefsBot"),
        ("Mail.RU_Bot.GPTBot", "Mail.RU_Bot"),
        ("archive.org_bot", "archive.org_bot"),
        ("x" * 20_000 + " GPTBot/1.2 " + "y" * 20_000, "GPTBot"),
        ("[GPTBot/1.2]", "GPTBot"),
        ("GPTBot-Other/1.0", None),
        ("me.GPTBot", None),
        ("x (mail GPTBot@openai.com)", None),
        ("x (GPTBot.Feeds@openai.com)", None),
        ("x (GPTBot+crawl@openai.com)", None),
        ("x (crawl+GPTBot@openai.com)", None),
        ("x (GPTBot@)", None),
        ("GPTBot.Feeds+", "GPTBot"),
        ("GPTBot+Feeds/1.0@openai.com", "GPTBot"),
        ("=GPTBot/1.2", "GPTBot"),
        ("+GPTBot/1.2", None),
        ("GPTBot+" * 9_000 + "@", None),
        ("a." * 30_000 + "GPTBot", None),
        ("WhatsApp " * 7_000, None),
    ],
)
def test_names_are_words_and_names_of_apps_stand_alone(header: str, name: str | None) -> None:
    found = find_crawler(header)
    assert (None if found is None else found.name) == name


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"headers": "ExampleBot/1.0"}, "invalid headers 'ExampleBot/1.0': expected a tuple of PublishedHeader"),
        ({"headers": ("ExampleBot/1.0",)}, "expected a tuple of PublishedHeader"),
        ({"headers": (PublishedHeader("", "a page"),)}, "expected a value and a source of each header"),
        ({"headers": (PublishedHeader("ExampleBot", "a page", "rumour"),)}, "unknown source_kind 'rumour'"),  # type: ignore[arg-type] # invalid
        ({"app_names": ("OtherApp",)}, "invalid app_names .*: expected product names of the crawler"),
        ({"app_names": "ExampleBot"}, "invalid app_names 'ExampleBot': expected a tuple of str"),
    ],
    ids=str,
)
def test_invalid_entries(fields: dict[str, Any], message: str) -> None:
    crawler = Crawler(("ExampleBot",), "Example", ("research",), "https://example.com/bot")
    with pytest.raises(InvalidOption, match=message):
        canfetch.REGISTRY.with_crawlers(crawler._replace(**fields))


def test_names_of_apps_of_added_crawlers() -> None:
    crawler = Crawler(("Fish.App",), "Example", ("preview",), "https://example.com/bot", app_names=("Fish.App",))
    registry = canfetch.REGISTRY.with_crawlers(crawler)
    assert registry.find_crawler("fish.app/2.0 (+https://example.com/bot)") is crawler
    assert registry.find_crawler("Mozilla/5.0 (Linux; Android 14) Chrome/131 Fish.App/24") is None


@given(st.lists(st.sampled_from([*"ab.@+-_/ ;é", "Fish", "Fish.App"])).map("".join))
def test_servers_and_the_registry_find_the_same_names(header: str) -> None:
    for name in ("fish", "fish.app"):
        assert (name in names_in(header)) == bool(re.search(name_regex([name]), header, re.IGNORECASE)), name


def test_words_are_read_in_bounded_time() -> None:
    # Each dot could be the end of a name.
    assert len(names_in("a." * 30_000)) <= 64
    assert len(names_in("a.b" * 1_000 + " " + "c." * 1_000)) <= 128


@pytest.fixture(scope="module", params=SERVERS)
def closed_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Each server in turn, with rules that refuse all crawlers of the registry."""
    rules = render_rules(POLICY, request.param)
    with running(request.param, rules, tmp_path_factory.mktemp(request.param)) as server:
        yield server


@pytest.mark.service
def test_server_rules_refuse_every_published_header(closed_server: RunningServer) -> None:
    passed = [header for _, header in PUBLISHED if closed_server.get("/x", header).status != REFUSED]
    assert passed == []


@pytest.mark.service
def test_server_rules_pass_browsers(closed_server: RunningServer) -> None:
    refused = [header for header in BROWSERS if closed_server.get("/x", header).status == REFUSED]
    assert refused == []


@pytest.mark.service
@pytest.mark.parametrize(
    "fields",
    [
        "GPTBot/1.2\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
        "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0\r\nUser-Agent: GPTBot/1.2",
        f"{'x' * 1_100} GPTBot/1.2",
        f"GPTBot/1.2 {'x' * 1_100}",
        f"{'zz ' * 2_300} GPTBot/1.2",
        "\xe9GPTBot/1.2",
    ],
    ids=["first", "last", "late", "early", "after words", "after a byte"],
)
def test_server_rules_find_the_name_anywhere(
    closed_server: RunningServer, fields: str, request: pytest.FixtureRequest
) -> None:
    status = closed_server.send_line("GET /x HTTP/1.1", fields)
    is_second_for_nginx = "nginx" in request.node.name and "last" in request.node.name
    # Since nginx 1.23, the variable has all fields. Caddy refuses a long header whatever it has.
    is_long_for_caddy = "caddy" in request.node.name and len(fields) > 1_024
    assert status == (431 if is_long_for_caddy else REFUSED) or (is_second_for_nginx and status == 200)


def test_traefik_rules_have_the_same_regex() -> None:
    rules = canfetch.author.render_policy(POLICY, "traefik")
    for intent in build_server_rules(POLICY).intents:
        assert f"(?i){intent.user_agent_regex}" in rules


def test_a_crawler_with_a_number_as_its_name_is_matched() -> None:
    """The header is that of 80legs, and its token the one that its operator states."""
    header = "Mozilla/5.0 (compatible; 008/0.83; http://www.80legs.com/webcrawler.html) Gecko/2008032620"
    assert wsgi_status(site_that_names(("008",)), header) == 403
    assert wsgi_status(site_that_names(("008",)), header.replace("http://www.", "www.")) == 403
    assert wsgi_status(site_that_names(("Gecko",)), header) == 200
