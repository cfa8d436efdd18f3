"""Protego's interface."""

import copy
import pickle
from datetime import time

import pytest

import canfetch
from canfetch.integrations.protego import Protego, RequestRate, VisitTime

FILE = """\
User-agent: *
Disallow: /private/
Crawl-delay: 2.5

User-agent: OneBot
Request-rate: 1/5 0600-2400
User-agent: TwoBot
Request-rate: 10/1m
Request-rate: 1/10
Visit-time: 0600-0845
Disallow: /two

Sitemap: https://example.com/a.xml
Host: www.example.com
Sitemap: https://example.com/b.xml
"""


@pytest.fixture(scope="module")
def parser() -> Protego:
    return Protego.parse(FILE)


@pytest.mark.parametrize(
    "user_agent",
    [
        "twobot",
        "TwoBot/1.0",
        "Mozilla/5.0 (compatible; TwoBot/1.0; +https://example.com/bot)",
        canfetch.Agent("TwoBot"),
    ],
    ids=["token", "product", "header", "agent"],
)
def test_user_agents_can_be_tokens_headers_and_agents(parser: Protego, user_agent: str | canfetch.Agent) -> None:
    for _ in range(2):
        # The second time, the rules are cached.
        assert not parser.can_fetch("https://example.com/two", user_agent)
        assert parser.can_fetch("https://example.com/private/", user_agent)
    assert parser.request_rate(user_agent) == (1, 10, None, None)


@pytest.mark.parametrize("user_agent", ["", "*", " ", "Mozilla/5.0 (X11) Firefox/1.0", "\x00", "/", "(x)"])
def test_text_that_identifies_no_crawler_selects_the_default_group(parser: Protego, user_agent: str) -> None:
    assert not parser.can_fetch("https://example.com/private/", user_agent)
    assert parser.crawl_delay(user_agent) == 2.5


def test_a_browser_is_its_first_product() -> None:
    parser = Protego.parse("User-agent: Mozilla\nDisallow: /")
    assert not parser.can_fetch("/", "Mozilla/5.0 (X11) Firefox/1.0")


@pytest.mark.parametrize(
    "url", ["private/x", "/private/x", "https://example.com/private/", "//example.com/private/", "mailto:private/x"]
)
def test_urls_without_a_slash_are_paths(parser: Protego, url: str) -> None:
    for _ in range(2):
        assert not parser.can_fetch(url, "FooBot")


@pytest.mark.parametrize("url", ["", "?private/", "#x", "x", "data:,x"])
def test_other_text_is_a_url_too(parser: Protego, url: str) -> None:
    assert parser.can_fetch(url, "FooBot")


def test_the_query_of_a_url_without_a_slash_counts() -> None:
    parser = Protego.parse("User-agent: *\nDisallow: /x?a")
    assert not parser.can_fetch("x?a=1#b", "FooBot")
    assert parser.can_fetch("x#?a", "FooBot")


def test_invalid_arguments_raise(parser: Protego) -> None:
    with pytest.raises(TypeError, match="user agent must be a str"):
        parser.can_fetch("/", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="user agent must be a str"):
        parser.crawl_delay(["FooBot"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="invalid URL of type NoneType"):
        parser.can_fetch(None, "FooBot")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Invalid IPv6 URL"):
        parser.can_fetch("http://[", "FooBot")


@pytest.mark.parametrize("content", [b"", None, 1])
def test_content_must_be_text(content: object) -> None:
    # A TypeError since Protego 0.7, and a ValueError before.
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match=r"Protego\.parse expects str, got "):
            Protego.parse(content)  # type: ignore[arg-type]


def test_rates_and_times_are_those_directly_below_the_user_agent_lines(parser: Protego) -> None:
    assert parser.request_rate("OneBot") == RequestRate(1, 5, time(6, 0), time(0, 0))
    assert parser.visit_time("OneBot") is None
    assert parser.visit_time("TwoBot") == VisitTime(time(6, 0), time(8, 45))
    assert parser.request_rate("*") is None
    assert parser.visit_time("*") is None


def test_records_of_the_whole_file_do_not_separate_user_agent_lines() -> None:
    parser = Protego.parse("User-agent: a\nSitemap: /s\nHost: h\nUser-agent: b\nVisit-time: 0600 0845\nDisallow: /x")
    assert parser.visit_time("a") == parser.visit_time("b") == (time(6, 0), time(8, 45))


def test_the_last_valid_visit_time_counts() -> None:
    parser = Protego.parse(
        "User-agent: *\nVisit-time: 0100-0200\nVisit-time: 0300-0400\nVisit-time: x\nRequest-rate: x"
    )
    assert parser.visit_time("a") == (time(3, 0), time(4, 0))
    assert parser.request_rate("a") is None


def test_sitemaps_and_host(parser: Protego) -> None:
    assert list(parser.sitemaps) == ["https://example.com/a.xml", "https://example.com/b.xml"]
    assert next(parser.sitemaps) == "https://example.com/a.xml"
    assert parser.preferred_host == "www.example.com"


@pytest.mark.parametrize(
    "line, sitemaps",
    [
        ("Sitemap https://example.com/s.xml", ["https://example.com/s.xml"]),
        ("sitemap  http://example.com/s.xml # all", ["http://example.com/s.xml"]),
        ("SITEMAP HTTPS://example.com/s.xml", ["https://example.com/s.xml"]),
        ("Sitemap https: see the home page", []),
        ("Sitemap ftp://example.com/s.xml", []),
        ("Our sitemap https://example.com/s.xml", []),
    ],
)
def test_sitemap_without_a_colon_after_the_key(line: str, sitemaps: list[str]) -> None:
    parser = Protego.parse(f"Sitemap: /a.xml\n{line}\nUser-agent: *\nDisallow: /b\nSitemap: /z.xml\n")
    assert list(parser.sitemaps) == ["/a.xml", *sitemaps, "/z.xml"]
    assert not parser.can_fetch("/b", "FooBot")


def test_without_parse_the_file_is_empty() -> None:
    parser = Protego()
    assert parser.can_fetch("/", "FooBot")
    assert parser.crawl_delay("FooBot") is None
    assert parser.request_rate("FooBot") is None
    assert parser.visit_time("FooBot") is None
    assert list(parser.sitemaps) == []
    assert parser.preferred_host is None


def test_a_profile_changes_the_answers() -> None:
    content = "User-agent: *\nAllow: /d/index.html\nDisallow: /d/"
    assert not Protego.parse(content).can_fetch("/d/", "FooBot")
    assert Protego.parse(content, profile="google").can_fetch("/d/", "FooBot")
    with pytest.raises(canfetch.CanfetchError, match="unknown"):
        Protego.parse(content, profile="protego")


def test_the_parsed_file_explains_the_answers(parser: Protego) -> None:
    verdict = parser.robots.decide("/two", agent="TwoBot")
    assert verdict.rule is not None
    assert verdict.rule.line == 11


def test_thousands_of_user_agents_are_bounded(parser: Protego) -> None:
    for number in range(1000):
        assert not parser.can_fetch("/private/", f"Bot{number}")
    assert len(parser._answers.by_user_agent) <= 256


def test_parsers_can_be_subclassed_pickled_and_copied(parser: Protego) -> None:
    class Own(Protego):
        def __init__(self) -> None:
            super().__init__()
            self.name = "own"

    own = Own.parse(FILE)
    assert isinstance(own, Own)
    assert own.name == "own"
    for clone in (pickle.loads(pickle.dumps(parser)), copy.copy(parser), copy.deepcopy(parser)):  # noqa: S301 - own data
        assert isinstance(clone, Protego)
        assert not clone.can_fetch("/two", "TwoBot")
    rate, visit = parser.request_rate("TwoBot"), parser.visit_time("TwoBot")
    assert pickle.loads(pickle.dumps((rate, visit))) == (rate, visit)  # noqa: S301 - own data


def test_instances_pass_isinstance_checks_of_protego() -> None:
    protego = pytest.importorskip("protego")
    parser = Protego.parse(FILE)
    assert isinstance(parser, protego.Protego)
    assert isinstance(parser.request_rate("TwoBot"), protego.RequestRate)
    assert isinstance(parser.visit_time("TwoBot"), protego.VisitTime)
    assert isinstance(parser.visit_time("TwoBot"), VisitTime)
