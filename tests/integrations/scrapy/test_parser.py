"""`RobotParser`, the parser for Scrapy's ROBOTSTXT_PARSER."""

import pytest
import scrapy.robotstxt
from scrapy.utils.misc import build_from_crawler, load_object
from tests.integrations.scrapy.crawlers import make_crawler

from canfetch.errors import InvalidOption
from canfetch.integrations.scrapy import RobotParser

CONTENT = b"""\
User-agent: *
Disallow: /private
Crawl-delay: 2

User-agent: ExampleBot
Disallow: /fish
Crawl-delay: 0.5

Sitemap: https://example.com/sitemap.xml
"""


def make_parser(content: bytes = CONTENT) -> RobotParser:
    return build_from_crawler(RobotParser, make_crawler(), content)


def test_setting_finds_the_class() -> None:
    found = load_object("canfetch.integrations.scrapy.RobotParser")
    assert found is RobotParser
    assert issubclass(found, scrapy.robotstxt.RobotParser)


@pytest.mark.parametrize(
    "user_agent, forbidden",
    [
        ("ExampleBot", "fish"),
        (b"examplebot", "fish"),
        ("ExampleBot/1.0 (+https://example.com/bot)", "fish"),
        ("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)", "fish"),
        ("OtherBot", "private"),
        ("*", "private"),
        ("", "private"),
        ("Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0", "private"),
        (b"\xff\xfe", "private"),
    ],
    ids=["token", "bytes", "header", "compatible", "other", "star", "empty", "browser", "undecodable"],
)
def test_user_agents(user_agent: str | bytes, forbidden: str) -> None:
    parser = make_parser()
    for path in ("fish", "private"):
        assert parser.allowed(f"https://example.com/{path}", user_agent) is (path != forbidden)
        assert parser.allowed(f"https://example.com/{path}".encode(), user_agent) is (path != forbidden)
    assert parser.crawl_delay(user_agent) == (0.5 if forbidden == "fish" else 2)


def test_sitemaps_and_file() -> None:
    parser = make_parser()
    assert list(parser.sitemaps()) == ["https://example.com/sitemap.xml"]
    assert parser.robots.decide("/private", agent="OtherBot").line == 2


def test_urls_that_scrapy_accepts_do_not_raise() -> None:
    parser = make_parser()
    assert not parser.allowed("private", "OtherBot")
    assert parser.allowed("fish", "OtherBot")


def test_without_delay() -> None:
    assert make_parser(b"").crawl_delay("ExampleBot") is None


def test_latin_1_path_disallows_only_that_path() -> None:
    parser = make_parser(b"User-agent: *\nDisallow: /\xe9\n")
    assert parser.allowed("https://example.com/page", "ExampleBot")


def test_without_crawler() -> None:
    assert RobotParser.from_crawler(None, b"User-agent: *\nDisallow: /").allowed("https://example.com/", "X") is False


@pytest.mark.slow
def test_profile() -> None:
    content = b"User-agent: *\nDisallow: /*.gif\n"
    crawler = make_crawler({"CANFETCH_PROFILE": "original1994"})
    assert RobotParser.from_crawler(crawler, content).allowed("https://example.com/a.gif", "ExampleBot")
    with pytest.raises(InvalidOption, match=r"^invalid CANFETCH_PROFILE: unknown profile 'goggle'"):
        RobotParser.from_crawler(make_crawler({"CANFETCH_PROFILE": "goggle"}), content)
