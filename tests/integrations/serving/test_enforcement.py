"""Enforcement of the rules, and impostors, on real servers and with a real DNS server."""

import contextlib
import re
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, unquote, unquote_to_bytes

import pytest
from tests.author.policies import POLICIES
from tests.integrations.serving.conftest import NOW, RULES, Serve, make_site
from tests.integrations.serving.hosts import PAGE
from tests.integrations.serving.test_site import request
from tests.servers.dns import DNSServer

import canfetch
from canfetch.agents import REGISTRY, Crawler
from canfetch.author.servers.rules import build_server_rules
from canfetch.client.identity import IdentityVerifier
from canfetch.errors import InvalidOption, InvalidProductToken
from canfetch.integrations.serving import Enforcement, Site
from canfetch.integrations.serving.requests import Request
from canfetch.integrations.serving.trusted_proxies import TrustedProxies

GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
GPTBOT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"
REAL, FAKE = "66.249.66.1", "8.8.4.4"
_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0"


def enforced(robots: Any = RULES, *, allow_closed: bool = False, **options: Any) -> Site:
    return make_site(robots, allow_closed=allow_closed, enforcement=Enforcement(**options))


def test_crawler_is_refused_with_the_reason(serve: Serve) -> None:
    site = enforced()
    server = serve(site)
    answer = server.send("/private/notes?page=1", f"User-Agent: {GOOGLEBOT}")
    assert answer.status == 403
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.body == b"403 Forbidden: robots.txt disallows this for Googlebot\nline 2, Disallow: /private/\n"
    head = server.send("/private/", f"User-Agent: {GOOGLEBOT}", method="HEAD")
    assert (head.status, head.body) == (403, b"")
    assert server.send("/", f"User-Agent: {GOOGLEBOT}").body == PAGE
    assert server.send("/", f"User-Agent: {GPTBOT}").status == 403
    assert site.stats.refused == {"Googlebot": 2, "GPTBot": 1}
    assert site.stats.crawler_requests == 4


# The header of TelegramBot names Twitterbot, too.
TWITTERBOT = '[crawler.Twitterbot]\nfetch = "none"\n'
TELEGRAMBOT = '[crawler.TelegramBot]\ndisallow = ["/x"]\n'
TWO_NAMES = {"twitter": TWITTERBOT, "telegram": TELEGRAMBOT, "both": TWITTERBOT + TELEGRAMBOT}


@pytest.mark.parametrize("text", [*POLICIES.values(), *TWO_NAMES.values()], ids=[*POLICIES, *TWO_NAMES])
def test_rules_for_servers_identify_the_same_crawlers(text: str) -> None:
    policy = canfetch.author.parse_policy(text)
    site = enforced(canfetch.author.render_policy(policy), allow_closed=True)
    intents = build_server_rules(policy).intents
    for crawler in REGISTRY.crawlers:
        for header in (*(one.value for one in crawler.headers), *(f"{name}/1.0" for name in crawler.product_names)):
            found = next((one for one in intents if re.search(one.user_agent_regex, header, re.IGNORECASE)), None)
            rules = () if found is None else found.rules
            for target in ("/x", "/private/x", "/google/x", "/caf%C3%A9/x"):
                rule = next((rule for rule in rules if re.match(rule.regex, target)), None)
                is_refused = site.respond(request(target, headers={"user-agent": header})) is not None
                assert is_refused == (rule is not None and not rule.allow), (crawler.name, header, target)


def test_robots_txt_itself_is_never_refused(serve: Serve) -> None:
    assert serve(enforced()).send("/robots.txt", f"User-Agent: {GPTBOT}").body == RULES


@pytest.mark.parametrize(
    "target, is_refused",
    [
        ("/private/x", True),
        ("/%70rivate/x", True),
        ("/open/../private/x", True),
        (r"/\private/x", True),
        (r"/open/\x", False),
        ("/./private/", True),
        ("/private%2Fx", True),
        ("/private%2fx", True),
        ("/%2Fprivate/x", True),
        ("//private/x", True),
        ("/open//../private//x", True),
        ("/open/%2e%2e/private/x", True),
        ("/open/..%2Fprivate%2Fx", True),
        ("/private/%00", True),
        ("/private%252Fx", False),
        ("/open%2Fprivate/", False),
        ("/open?x=%2Fprivate%2F", False),
        ("/private", False),
        ("/Private/x", False),
        ("/open?/private/", False),
        ("/open/#/private/", False),
    ],
)
def test_target_is_compared_as_sent(serve: Serve, target: str, is_refused: object) -> None:
    status = serve(enforced()).send(target, f"User-Agent: {GOOGLEBOT}").status
    assert status == (403 if is_refused else 200)


@pytest.mark.parametrize(
    "target",
    [
        b"/exact",
        b"/exact#a",
        b"/exact#?a",
        b"/exact%00a",
        b"//exact",
        b"/ex%61ct",
        b"/exact%0A",
        # Bottle drops bytes that are not UTF-8.
        b"/exa%FFct",
        b"/%E9exact",
        b"/%FF/exact",
        b"/exact%C0%AF",
    ],
)
def test_exact_path_is_refused_in_all_spellings(target: bytes) -> None:
    site = enforced(b"User-agent: *\nDisallow: /exact$\n")
    assert site.respond(request("/x", target=target, headers={"user-agent": GOOGLEBOT})) is not None
    assert site.respond(request("/x", target=b"/exactly", headers={"user-agent": GOOGLEBOT})) is None


@pytest.mark.parametrize("rule", [b"/a[b]/", b"/a%5Bb%5D/"])
@pytest.mark.parametrize("target", [b"/a[b]/x", b"/a%5Bb%5D/x", b"/a%5bb]/x", b"/%61[b%5D%2Fx"])
def test_brackets_are_refused_in_all_spellings(rule: bytes, target: bytes) -> None:
    site = enforced(b"User-agent: *\nDisallow: " + rule + b"\n")
    assert site.respond(request("/a[b]/x", target=target, headers={"user-agent": GOOGLEBOT})) is not None
    assert site.respond(request("/a[c]/x", target=b"/a%5Bc%5D/x", headers={"user-agent": GOOGLEBOT})) is None


@pytest.mark.parametrize(
    "target",
    [
        "/private/..",
        "/private/../",
        "/private/../x",
        "/private/../x?y",
        "/private/..?y",
        "/private/%2e%2e/",
        "/private/.%2E/x",
        "/private/..//",
        "/private//../..//x",
        "/private%2F..%2Fx",
        "/private/x/../../y",
        "//private/../x",
        "/a/../private/x",
        "/private/open/../x",
        "/x/../report",
        "/reports/./report",
        "/x/./y/../z",
        "/./q",
        "/x/.",
    ],
)
def test_dot_segments_are_compared_resolved_and_as_they_are(target: str) -> None:
    rules = (
        b"User-agent: *\nDisallow: /private/\nAllow: /private/open/\nDisallow: /report$\nDisallow: /reports/*/report$\n"
        b"Disallow: /x/*/z\nDisallow: /*/q$\nDisallow: /*.$\n"
    )
    path = unquote(target.partition("?")[0])
    # Each operator has a profile.
    for crawler in (GOOGLEBOT, GPTBOT, "bingbot/2.0", "YandexBot/3.0"):
        for application_path, sent in ((path, target), (path, "/open"), ("/open", target)):
            sent_by = request(application_path, target=sent.encode(), headers={"user-agent": crawler})
            assert enforced(rules).respond(sent_by) is not None


@pytest.mark.parametrize(
    "target",
    [
        "/private/open/x",
        "/private/open/./x",
        "/.well-known/private/x",
        "/open/.private/..x",
        "/x?/private/..",
    ],
)
def test_dot_segments_that_no_reading_disallows_pass(target: str) -> None:
    site = enforced(b"User-agent: *\nDisallow: /private/\nAllow: /private/open/\n")
    for crawler in (GOOGLEBOT, GPTBOT):
        sent = request(target.partition("?")[0], target=target.encode(), headers={"user-agent": crawler})
        assert site.respond(sent) is None


@pytest.mark.parametrize(
    "target",
    [
        "/open/../x",
        "/open/..",
        "/private/open/../../x",
        "/f/%2e%2e/static/x",
        "/f/%252e%252e/static/x",
        "/f/..%5cstatic/x",
        "/f/a%00//../x",
        "/f/..%00/x",
        "/f/.%09./x",
        "/f/.%ff./x",
    ],
)
def test_a_path_that_leads_out_of_a_folder_passes_only_if_nothing_is_disallowed(target: str) -> None:
    """Views of static files resolve it within their folder, whose name is not known."""
    path = unquote(target, errors="surrogateescape")
    for rules, is_refused in ((b"Disallow: /*/hidden$", True), (b"Disallow:", False), (b"Allow: /private/", False)):
        site = enforced(b"User-agent: *\n" + rules + b"\n")
        for crawler in (GOOGLEBOT, GPTBOT):
            sent = request(path, target=target.encode(), headers={"user-agent": crawler})
            assert (site.respond(sent) is not None) is is_refused
        assert site.respond(request(path, target=target.encode(), headers={"user-agent": FIREFOX})) is None


@pytest.mark.parametrize(
    "target, is_refused",
    [
        (b"/a.pdf/", True),
        (b"/a.pdf//", True),
        (b"/a.pdf/.", True),
        (b"/a.pdf%2F%2e", True),
        (b"/a.pdf/x/..", True),
        (b"/a.pdf\\", True),
        (b"/a.pdf%5C", True),
        (b"/a.pdf/%5C/", True),
        (b"/a.pdf/x", False),
        (b"/a.pdf%5Cx", False),
        # A page and a folder can differ.
        (b"/page/", False),
    ],
)
def test_slashes_and_backslashes_after_a_file_are_ignored(target: bytes, is_refused: object) -> None:
    site = enforced(b"User-agent: *\nDisallow: /a.pdf$\nDisallow: /page$\n")
    path = unquote(target.decode())
    reply = site.respond(request(path, target=target, headers={"user-agent": GOOGLEBOT}))
    assert (reply is not None) is is_refused


@pytest.mark.parametrize("path", ["zz/private/x", "@/private/x", ":80/private/x", "private/x"])
def test_a_path_without_a_slash_can_start_at_its_first_slash(path: str) -> None:
    """As in the DispatcherMiddleware of Werkzeug."""
    sent = request(path, target=path.encode(), headers={"user-agent": GOOGLEBOT})
    assert enforced().respond(sent) is not None


def test_escaped_slash_is_not_a_slash_if_the_server_reports_the_raw_target(serve: Serve) -> None:
    site = enforced(b"User-agent: *\nDisallow: /a%2Fb\n")
    status = serve(site).send("/a%2Fb", f"User-Agent: {GOOGLEBOT}").status
    # wsgiref reports the decoded path only.
    assert status in (200, 403)
    reply = site.respond(request("/a/b", target=b"/a%2Fb", headers={"user-agent": GOOGLEBOT}))
    assert reply is not None


@pytest.mark.parametrize(
    "target", [b"/%7Eold/x", b"/./%7eold/x", b"//%7Eold/x", b"/%7Eold%2Fx", b"/%5C%7Eold/x", b"http://h/%2e/%7Eold/x"]
)
@pytest.mark.parametrize("reports_target", [True, False])
def test_a_rule_with_an_escape_that_needs_none_holds_for_each_reading(target: bytes, *, reports_target: bool) -> None:
    site = enforced(b"User-agent: *\nDisallow: /%7Eold/\n")
    path = unquote(target.decode().removeprefix("http://h"))
    sent = request(path, target=target if reports_target else quote(path).encode(), headers={"user-agent": GOOGLEBOT})
    assert site.respond(sent) is not None


@pytest.mark.parametrize(
    "target",
    [
        b"/static/%FF%5Cprivate/x",
        b"/static/%5C%FFprivate/x",
        b"/static/rep.pdf%FF%5C",
        b"/static/rep.pdf/%0A",
        b"/static/%5crep.pdf%0A",
        b"/static/rep.pdf%5C%0A",
        b"/item/5%FF%0a",
    ],
)
def test_readings_are_combined(target: bytes) -> None:
    site = enforced(b"User-agent: *\nDisallow: /static/private/\nDisallow: /static/rep.pdf$\nDisallow: /item/5$\n")
    path = unquote_to_bytes(target).decode("utf-8", "surrogateescape")
    assert site.respond(request(path, target=target, headers={"user-agent": GOOGLEBOT})) is not None


@pytest.mark.parametrize("pattern", ["/%7Eold/", "/%70rivate/", "/a%2Db/", "/*?q=%7E"])
def test_a_rule_with_an_escape_that_needs_none_holds_for_the_target_as_it_was_sent(pattern: str) -> None:
    site = enforced(f"User-agent: *\nDisallow: {pattern}\n".encode())
    target = pattern.replace("*", "x").encode()
    path = unquote(target.decode()).partition("?")[0]
    assert site.respond(request(path, target=target, headers={"user-agent": GOOGLEBOT})) is not None


@pytest.mark.parametrize(
    "target", [b"*", b"", b"http://[/", b"example.com:443", b"\xff\xfe", b"http://example.com/open"]
)
def test_unusual_targets_pass(target: bytes) -> None:
    assert enforced().respond(request("/x", target=target, headers={"user-agent": GOOGLEBOT})) is None


@pytest.mark.parametrize(
    "target",
    [
        b"http://example.com/private/x",
        b"HTTPS://example.com/private/x",
        b"http:///private/x",
        b"http://@/private/x",
        b"http:/private/x",
        b"http://example.com//private/x",
        b"http://example.com/private%2Fx",
        b"http://example.com/open/..%2fprivate/x",
        b"http:%2fprivate/x",
        b"http:%2F%2Fprivate/x",
        b"http:private/x",
        b"x:/private/x",
        b"%2fprivate/x",
        b"%2Fprivate%2Fx",
        b"%2f%2fprivate/x",
        b"private/x",
    ],
)
def test_absolute_target_is_checked(target: bytes) -> None:
    assert enforced().respond(request("/x", target=target, headers={"user-agent": GOOGLEBOT})) is not None


@pytest.mark.parametrize(
    "path",
    [
        "/private/x",
        "//private/x",
        "/private//x",
        "/private/x\n",
        "private/x",
        # Quart takes a path without a slash at its start for a URL.
        " /private/x",
        "\t/private/x",
        "http:/private/x",
        "x://a/private/x",
        "\x1cprivate/x",
        "x:/open/../private/x",
        "/private/\udcffx",
        "/\udcff/private/x",
        "/\t/private/x",
    ],
)
def test_path_that_the_application_receives_is_checked(path: str) -> None:
    headers = {"user-agent": GOOGLEBOT}
    assert enforced().respond(request(path, target=b"/open", headers=headers)) is not None
    assert enforced().respond(request(path, target=b"*", headers=headers)._replace(method="OPTIONS")) is None


@pytest.mark.parametrize("path", ["x://[/open", " /open", "\udcff"])
def test_paths_that_are_no_urls_pass(path: str) -> None:
    assert enforced().respond(request(path, target=b"/open", headers={"user-agent": GOOGLEBOT})) is None


def test_a_star_as_target_is_about_the_whole_server_only_with_options() -> None:
    site = enforced(b"User-agent: *\nDisallow: /*\n", allow_closed=True)
    for method, is_refused in (("OPTIONS", False), ("GET", True), ("POST", True)):
        sent = request("*", target=b"*", headers={"user-agent": GOOGLEBOT})._replace(method=method)
        reply = site.respond(sent)
        assert (reply is not None) == is_refused


def test_query_is_compared_with_the_path_that_the_application_receives() -> None:
    site = enforced(b"User-agent: *\nDisallow: /a?b=\n")
    headers = {"user-agent": GOOGLEBOT}
    for query, is_refused in ((b"?b=c", True), (b"?b=c#d", True), (b"?c", False), (b"", False)):
        reply = site.respond(request("/a", target=b"/open" + query, headers=headers))
        assert (reply is not None) is is_refused


@pytest.mark.parametrize(
    "target, query, is_refused",
    [
        (b"/a?q=se\tcret", b"q=secret", True),
        (b"/a?q=se\tcret", b"q=se\tcret", True),
        (b"/a?q=se\tcret", None, True),
        (b"/a?q=secret", b"", True),
        (b"/a", b"q=secret", True),
        (b"/a?q=secre\tx", b"q=secrex", False),
        (b"/a?q=se%09cret", b"q=se%09cret", False),
    ],
)
def test_query_that_the_application_receives_is_checked(target: bytes, query: bytes | None, is_refused: object) -> None:
    site = enforced(b"User-agent: *\nDisallow: /a?q=secret\n")
    reply = site.respond(request("/a", target=target, headers={"user-agent": GOOGLEBOT})._replace(query=query))
    assert (reply is not None) is is_refused


# The path of the application always has the prefix. The target has it unless a proxy removed it.
@pytest.mark.parametrize(
    "target, path, is_refused",
    [
        (b"/private/x", "/api/private/x", True),
        (b"/api/private/x", "/api/private/x", True),
        (b"%2fprivate/x", "/api/private/x", True),
        (b"/%61pi/private/x", "/api/private/x", True),
        (b"//api//private/x", "/api//private/x", True),
        (b"http://example.com/private/x", "/api/private/x", True),
        (b"/open/x", "/api/open/x", False),
        (b"/top/x", "/api/top/x", False),
        (b"/api/top/x", "/api/top/x", False),
        (b"//api/top/x", "/api/top/x", False),
        (b"/api", "/api", False),
        (b"/apis/x", "/api/apis/x", True),
    ],
)
def test_prefix_is_part_of_what_is_compared(target: bytes, path: str, is_refused: object) -> None:
    site = enforced(b"User-agent: *\nDisallow: /api/private/\nDisallow: /top/\nDisallow: /api/api\n")
    for prefix in ("/api", "/api/"):
        sent = request(path, target=target, headers={"user-agent": GOOGLEBOT})._replace(prefix=prefix)
        assert (site.respond(sent) is not None) is is_refused, prefix


def test_unknown_crawler_is_refused_only_if_the_file_names_it() -> None:
    site = enforced()
    for user_agent, is_refused in (("BadBot/1.0", True), ("badbot", True), ("OtherBot/1.0", False)):
        reply = site.respond(request("/private/", headers={"user-agent": user_agent}))
        assert (reply is not None) is is_refused
    assert site.stats.refused == {"BadBot": 2}


@pytest.mark.parametrize(
    "user_agent",
    [
        GOOGLEBOT,
        GPTBOT,
        "Googlebot/2.1",
        "WhatsApp/2.24.20 A",
        (
            f"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) {_CHROME} Mobile Safari/537.36 "
            "(compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 "
            "Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)"
        ),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://bing.com/bingbot.htm) "
            "Chrome/131.0.0.0 Safari/537.36"
        ),
        f"Mozilla/5.0 (Linux; Android 5.0) {_CHROME} Mobile Safari/537.36 (compatible; Bytespider; a@bytedance.com)",
        f"Mozilla/5.0 (Linux; Android 5.0) {_CHROME} (compatible; BadBot/2.0)",
        # As their operators publish them.
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
        f"Mozilla/5.0 (X11; Linux x86_64) {_CHROME} Safari/537.36; compatible; OAI-SearchBot/1.3; +https://openai.com/",
        "Mozilla/5.0 (compatible) AI2Bot (+https://www.allenai.org/crawler)",
        "Mozilla/5.0 GPTBot/1.2",
        # Two fields, which servers join.
        f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME} Safari/537.36, GPTBot/1.2",
        f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME} Safari/537.36,GPTBot/1.2",
        # Padding.
        "Mozilla/5.0 (compatible; " + "x" * 4000 + "; GPTBot/1.2)",
        "GPTBot/1.2 " + "x" * 20_000,
        "x" * 20_000 + " GPTBot/1.2",
        "BadBot/1.2 " + "x" * 20_000,
        "Mozilla/5.0 " + "x" * 20_000 + " (compatible; BadBot/1.2)",
    ],
)
def test_crawlers_declare_themselves_in_many_ways(user_agent: str) -> None:
    assert enforced().respond(request("/private/", headers={"user-agent": user_agent})) is not None


def test_every_crawler_of_the_registry_is_recognised_by_its_usual_headers() -> None:
    enforcement = Enforcement()
    for crawler in REGISTRY.crawlers:
        for name in crawler.product_names:
            for form in (f"{name}/1.0", f"Mozilla/5.0 (compatible; {name}/1.0; +https://example.com/bot)"):
                found = enforcement.read(form)
                assert found is not None
                assert found.known is not None
                assert found.known.entry is not None
                assert name in found.known.entry.product_names


def test_crawler_that_ignores_the_star_group_is_not_refused_by_it() -> None:
    headers = {"user-agent": "AdsBot-Google (+http://www.google.com/adsbot.html)"}
    assert enforced().respond(request("/private/", headers=headers)) is None


def test_reading_of_the_operator_counts_too() -> None:
    # Google applies an Allow of index.html to its folder, too.
    site = enforced(b"User-agent: *\nDisallow: /\nAllow: /shop/index.html\n", allow_closed=True)
    for user_agent, is_refused in ((GOOGLEBOT, False), ("Baiduspider", True)):
        reply = site.respond(request("/shop/", headers={"user-agent": user_agent}))
        assert (reply is not None) is is_refused


def test_exempt_and_additional_crawlers() -> None:
    own = Crawler(("ExampleBot",), "Example", ("research",), "https://example.com/bot")
    site = enforced(registry=REGISTRY.with_crawlers(own), exempt=["googlebot"])
    assert site.respond(request("/private/", headers={"user-agent": GOOGLEBOT})) is None
    assert site.respond(request("/private/", headers={"user-agent": "ExampleBot/1.0"})) is not None


def test_nothing_is_enforced_without_a_file() -> None:
    def fail(host: str) -> bytes | None:
        if host == "example.com":
            return None
        raise OSError("down")

    site = enforced(fail)
    for host in ("example.com", "example.org"):
        assert site.respond(request("/private/", host=host, headers={"user-agent": GOOGLEBOT})) is None


def test_function_is_not_called_for_browsers() -> None:
    calls: list[str] = []

    def robots(host: str) -> bytes:
        calls.append(host)
        return RULES

    site = enforced(robots)
    site.respond(request("/private/", headers={"user-agent": f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME}"}))
    assert not calls


@pytest.fixture(scope="module")
def dns() -> Iterator[DNSServer]:
    with DNSServer(
        {"crawl-1.googlebot.com": [REAL]},
        pointers={REAL: ["crawl-1.googlebot.com"], FAKE: ["host.example.net"]},
        broken=["1.1.1.1"],
    ) as server:
        yield server


def verifying(dns: DNSServer, **options: Any) -> Site:
    identity = IdentityVerifier(reverse=dns.reverse, resolve=dns.resolve, timeout=30.0)
    return enforced(identity=identity, trusted_proxies=["127.0.0.0/8", "::1"], **options)


def test_impostors_are_found(serve: Serve, dns: DNSServer) -> None:
    site = verifying(dns, block_impostors=True)
    server = serve(site)

    def status(address: str, target: str = "/") -> int:
        return server.send(target, f"User-Agent: {GOOGLEBOT}", f"X-Forwarded-For: {address}").status

    assert status(REAL) == 200
    answer = server.send("/", f"User-Agent: {GOOGLEBOT}", f"X-Forwarded-For: {FAKE}")
    assert answer.status == 403
    assert answer.body == b"403 Forbidden: this client is not Googlebot\n8.8.4.4 is host.example.net\n"
    # Undecided: a lookup that fails, a private address, and no address at all.
    assert status("1.1.1.1") == 200
    assert status("10.0.0.1") == 200
    assert status("nonsense") == 200
    assert server.send("/", f"User-Agent: {GPTBOT}", f"X-Forwarded-For: {FAKE}").status == 403  # by the rules
    assert server.send("/robots.txt", f"User-Agent: {GOOGLEBOT}", f"X-Forwarded-For: {FAKE}").status == 200
    assert server.send("/", "User-Agent: curl/8", f"X-Forwarded-For: {FAKE}").status == 200
    stats = site.stats
    assert (stats.verified, stats.undecided, dict(stats.impostors)) == (1, 3, {"Googlebot": 1})


def test_undecided_requests_are_refused_on_request(serve: Serve, dns: DNSServer) -> None:
    site = verifying(dns, block_impostors=True, block_undecided=True)
    server = serve(site)

    def status(address: str, agent: str = GOOGLEBOT, target: str = "/") -> int:
        return server.send(target, f"User-Agent: {agent}", f"X-Forwarded-For: {address}").status

    assert status(REAL) == 200
    answer = server.send("/", f"User-Agent: {GOOGLEBOT}", "X-Forwarded-For: 1.1.1.1")
    assert answer.status == 403
    assert answer.body.startswith(b"403 Forbidden: this client may not be Googlebot\nthe name of 1.1.1.1 cannot be")
    assert [status(FAKE), status("10.0.0.1"), status("nonsense")] == [403, 403, 403]
    assert status("1.1.1.1", target="/robots.txt") == 200
    assert status("1.1.1.1", agent="curl/8") == 200
    assert (site.stats.verified, site.stats.undecided, dict(site.stats.impostors)) == (1, 3, {"Googlebot": 1})


def test_impostors_are_only_counted_by_default(serve: Serve, dns: DNSServer) -> None:
    site = verifying(dns)
    server = serve(site)
    server.send("/", f"User-Agent: {GOOGLEBOT}", f"X-Forwarded-For: {REAL}")
    assert server.send("/", f"User-Agent: {GOOGLEBOT}", f"X-Forwarded-For: {FAKE}").body == PAGE
    assert site.stats.impostors == {"Googlebot": 1}


@pytest.mark.parametrize(
    "options, statuses, counts",
    [
        # The statuses of "/" and "/private/", for the crawler, an impostor, and an address that cannot be looked up.
        ({}, [(200, 200), (200, 403), (200, 200)], (2, 2, 1, 1)),
        ({"block_impostors": True}, [(200, 200), (403, 403), (200, 200)], (2, 2, 1, 1)),
        ({"block_impostors": True, "block_undecided": True}, [(200, 200), (403, 403), (403, 403)], (2, 1, 1, 2)),
    ],
    ids=["count", "block-impostors", "block-undecided"],
)
def test_exempt_crawler_is_verified(
    serve: Serve,
    dns: DNSServer,
    options: dict[str, bool],
    statuses: list[tuple[int, int]],
    counts: tuple[int, int, int, int],
) -> None:
    site = verifying(dns, exempt=["googlebot"], **options)
    server = serve(site)

    def send(address: str, target: str) -> int:
        return server.send(target, f"User-Agent: {GOOGLEBOT}", f"X-Forwarded-For: {address}").status

    sent = [(send(address, "/"), send(address, "/private/")) for address in (REAL, FAKE, "1.1.1.1")]
    assert sent == statuses
    answer = server.send("/private/", f"User-Agent: {GOOGLEBOT}", f"X-Forwarded-For: {FAKE}")
    assert answer.body.startswith(b"403 Forbidden: robots.txt disallows this for Googlebot\n")
    stats = site.stats
    verified, undecided, impostors, refused = counts
    assert (stats.verified, stats.undecided, stats.impostors) == (verified, undecided, {"Googlebot": impostors})
    assert stats.refused == {"Googlebot": refused + 1}
    assert stats.crawler_requests == 7


def test_suspension_lasts_for_impostors_of_an_exempt_crawler(dns: DNSServer) -> None:
    identity = IdentityVerifier(reverse=dns.reverse, resolve=dns.resolve, timeout=30.0)
    until = datetime.fromtimestamp(NOW + 60, UTC)
    site = make_site(suspend_until=until, enforcement=Enforcement(exempt=["Googlebot"], identity=identity))

    def status(address: str, user_agent: str = GOOGLEBOT) -> int:
        reply = site.respond(request("/", headers={"user-agent": user_agent}, peer=address))
        return 200 if reply is None else reply.status

    assert [status(REAL), status(FAKE), status("1.1.1.1"), status(REAL, GPTBOT)] == [200, 503, 200, 503]
    assert (site.stats.suspended, site.stats.verified, site.stats.undecided) == (2, 1, 1)
    assert not site.stats.impostors


def test_exempt_crawler_that_cannot_be_verified() -> None:
    options: dict[str, Any] = {"exempt": ["ExampleBot"], "identity": IdentityVerifier(dns=False)}
    robots = b"User-agent: ExampleBot\nDisallow: /\n"
    site = enforced(robots, **options, block_impostors=True)
    assert site.respond(request("/x", headers={"user-agent": "ExampleBot/1.0"})) is None
    options |= {"block_impostors": True, "block_undecided": True}
    with pytest.raises(InvalidOption, match=r"invalid exempt 'ExampleBot': .* has to be in the registry"):
        Enforcement(**options)
    own = Crawler(("ExampleBot",), "Example", ("research",), "https://example.com/bot")
    site = enforced(robots, **options, registry=REGISTRY.with_crawlers(own))
    reply = site.respond(request("/x", headers={"user-agent": "ExampleBot/1.0"}))
    assert reply is not None
    assert (reply.status, site.stats.refused) == (403, {"ExampleBot": 1})


def test_forwarded_address_counts_only_from_trusted_proxies(serve: Serve, dns: DNSServer) -> None:
    identity = IdentityVerifier(reverse=dns.reverse, resolve=dns.resolve, timeout=30.0)
    site = enforced(identity=identity, block_impostors=True)
    answer = serve(site).send("/", f"User-Agent: {GOOGLEBOT}", f"X-Forwarded-For: {FAKE}")
    assert answer.status == 200
    assert (site.stats.undecided, site.stats.verified) == (1, 0)


@pytest.mark.parametrize(
    "peer, field, expected",
    [
        ("192.0.2.1", None, "192.0.2.1"),
        ("192.0.2.1", REAL, "192.0.2.1"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", REAL, REAL),
        ("::ffff:10.0.0.1", REAL, REAL),
        # Values from the client come before those that the proxies appended.
        ("10.0.0.1", f"{REAL}, {FAKE}", FAKE),
        ("10.0.0.1", f"{REAL},{FAKE}, 10.0.0.2", FAKE),
        ("10.0.0.1", f" {FAKE}:51234 ", FAKE),
        ("10.0.0.1", "[2001:4860:4801:10::1]:443", "2001:4860:4801:10::1"),
        ("10.0.0.1", "2001:4860:4801:10::1", "2001:4860:4801:10::1"),
        ("10.0.0.1", f"{REAL}, unknown", None),
        ("10.0.0.1", "\xff\xfe", None),
        ("10.0.0.1", "10.0.0.2", None),
        ("10.0.0.1", "10.0.0.2," * 5000, None),
        ("10.0.0.1", REAL + ",10.0.0.2" * 5000, None),
        (None, REAL, REAL),
        ("", None, None),
        ("somewhere", REAL, "somewhere"),
    ],
)
def test_client_address(peer: str | None, field: str | None, expected: str | None) -> None:
    assert TrustedProxies(["10.0.0.0/8", "unix"]).client_address(peer, field) == expected


@pytest.mark.parametrize("proxies, expected", [((), None), (("unix",), REAL), (("10.0.0.0/8",), None)])
def test_unix_socket_is_not_trusted_by_default(proxies: Sequence[str], expected: str | None) -> None:
    assert TrustedProxies(proxies).client_address(None, REAL) == expected
    request = Request("GET", "/", b"/", "example.com", None, {"x-forwarded-for": REAL}.get)
    assert Enforcement(trusted_proxies=proxies).client_address(request) == expected


@pytest.mark.parametrize(
    "options, message",
    [
        ({"trusted_proxies": "10.0.0.0/8"}, r"expected a list, such as \['10.0.0.0/8'\]"),
        ({"trusted_proxies": b"10.0.0.0/8"}, "expected a list"),
        ({"trusted_proxies": ["10.0.0.1/8"]}, "invalid trusted proxy '10.0.0.1/8'"),
        ({"trusted_proxies": [7]}, "invalid trusted proxy 7"),
        ({"exempt": "GPTBot"}, r"expected a list, such as \['GPTBot'\]"),
        ({"exempt": b"GPTBot"}, "expected a list"),
        ({"registry": "crawlers.json"}, "invalid registry 'crawlers.json': expected a Registry"),
        ({"registry": list(REGISTRY.crawlers[:1])}, "expected a Registry"),
        ({"identity": True}, "invalid identity True: expected an IdentityVerifier or None"),
        ({"block_impostors": "no"}, "invalid block_impostors 'no': expected True or False"),
        ({"block_undecided": 1}, "invalid block_undecided 1: expected True or False"),
        ({"block_impostors": True}, "block_impostors requires identity"),
        ({"block_undecided": True}, "block_undecided requires block_impostors=True"),
    ],
    ids=str,
)
def test_invalid_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Enforcement(**options)


@pytest.mark.parametrize("padding", ["a", "; a) (a", "\xe9", "a/1 "])
def test_both_ends_of_a_long_header_count(padding: str) -> None:
    for header in (f"Googlebot/2.1 {padding * 20_000}", f"{padding * 20_000} Googlebot/2.1"):
        assert enforced().respond(request("/private/", headers={"user-agent": header})) is not None


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"


@pytest.mark.parametrize("other", [FIREFOX, "curl/8.5.0", "Foo/1.0"])
@pytest.mark.parametrize("name, separator", [("ExampleBot", ", "), ("Googlebot", ", "), ("Googlebot", ",")])
def test_each_of_two_headers_counts(name: str, other: str, separator: str) -> None:
    # WSGI servers join them without a space, and then a name that is not in the registry is not found after another.
    site = enforced(b"User-agent: ExampleBot\nUser-agent: Googlebot\nDisallow: /\n", allow_closed=True)
    for values in ([f"{name}/1.0", other], [other, f"{name}/1.0"]):
        assert site.respond(request("/x", headers={"user-agent": separator.join(values)})) is not None, values
    assert site.respond(request("/x", headers={"user-agent": f"{FIREFOX},gzip(gfe)"})) is None


def test_invalid_exemption() -> None:
    with pytest.raises(InvalidProductToken):
        Enforcement(exempt=["GPTBot/1.0"])


def test_flood_of_headers_is_bounded() -> None:
    enforcement = Enforcement()
    site = make_site(enforcement=enforcement)
    for number in range(2000):
        site.respond(request("/private/", headers={"user-agent": f"Bot{number}/1.0 (Googlebot{number})"}))
    assert enforcement._read.cache_info().currsize == 1024
    assert site.stats.crawler_requests == 0
    assert not site.stats.refused


@pytest.mark.parametrize(
    "user_agent",
    [
        "",
        " ",
        "\xff\xfe\x80",
        "(" * 60_000,
        "Googlebot" * 7000,
        ";" * 60_000,
        f"{'a' * 4_096} Googlebot/2.1 {'a' * 4_096}",
        "\0",
        "/",
    ],
    ids=["empty", "blank", "bytes", "parentheses", "long", "semicolons", "middle", "nul", "slash"],
)
def test_malformed_headers_pass(user_agent: str) -> None:
    assert enforced().respond(request("/private/", headers={"user-agent": user_agent})) is None


def test_malformed_requests_are_handled_by_real_servers(serve: Serve) -> None:
    server = serve(enforced())
    with contextlib.suppress(ConnectionError):
        assert server.send("/private/" + "x" * 60_000, f"User-Agent: {GOOGLEBOT}").status in (403, 414, 431)
    with contextlib.suppress(ConnectionError):
        assert server.send(b"/private/\xff\xe9", f"User-Agent: {GOOGLEBOT}").status in (400, 403)
    with contextlib.suppress(ConnectionError):
        assert server.send("/private/%FF%E9%00", f"User-Agent: {GOOGLEBOT}").status in (400, 403)
    with contextlib.suppress(ConnectionError):
        assert server.send("/", b"User-Agent: \xff\xfe GPTBot/1.0 \x80").status in (200, 400, 403)
    assert server.send("/robots.txt", "User-Agent: x", "X-Forwarded-For: \xff").body == RULES


def test_threads_count_every_request() -> None:
    site = enforced()

    def work() -> None:
        for _ in range(200):
            site.respond(request("/private/", headers={"user-agent": GOOGLEBOT}))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert site.stats.refused == {"Googlebot": 800}


def test_stats_as_json_and_for_prometheus() -> None:
    site = enforced(b'User-agent: Bad"Bot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n')
    site.respond(request())
    site.respond(request(headers={"if-none-match": "*"}))
    site.respond(request("/private/", headers={"user-agent": GOOGLEBOT}))
    site.respond(request("/", headers={"user-agent": 'Bad"Bot'}))
    stats = site.stats
    assert stats.to_json() == {
        "served": 1,
        "not_modified": 1,
        "failed": 0,
        "suspended": 0,
        "crawler_requests": 2,
        "refused": {"Googlebot": 1, 'Bad"Bot': 1},
        "verified": 0,
        "undecided": 0,
        "impostors": {},
        "unchecked": {},
        "signatures": {},
    }
    text = stats.to_prometheus()
    assert "# TYPE canfetch_site_served_total counter\ncanfetch_site_served_total 1\n" in text
    assert 'canfetch_site_refused_total{crawler="Bad\\"Bot"} 1\n' in text
    assert text.endswith("\n")
