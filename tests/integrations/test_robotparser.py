"""The interface of urllib.robotparser."""

import copy
import pickle
import time
import urllib.robotparser
from typing import Any

import pytest
from tests.servers.valid import respond
from tests.servers.web import Site

import canfetch
from canfetch.errors import UnknownProfile
from canfetch.integrations.robotparser import RequestRate, RobotFileParser

FILE = """\
User-agent: *
Crawl-delay: 2.5
Disallow: /private/
Disallow:

User-agent: OneBot
Request-rate: 10/1m
User-agent: TwoBot
Crawl-delay: 3
Request-rate: 1/10
Request-rate: 5/10 0600-0845
Disallow: /two

Sitemap: https://example.com/a.xml
"""


@pytest.fixture
def parser() -> RobotFileParser:
    parser = RobotFileParser()
    parser.parse(FILE.splitlines())
    return parser


def test_nothing_may_be_fetched_before_the_file_is_parsed() -> None:
    parser = RobotFileParser("https://example.com/robots.txt")
    assert (parser.url, parser.host, parser.path) == (
        "https://example.com/robots.txt",
        "example.com",
        "/robots.txt",
    )
    assert parser.mtime() == 0
    assert not parser.can_fetch("FooBot", "/")
    assert parser.crawl_delay("FooBot") is None
    assert parser.request_rate("FooBot") is None
    assert parser.site_maps() is None
    assert str(parser) == ""
    parser.modified()
    assert 0 < parser.mtime() <= time.time()
    assert parser.can_fetch("FooBot", "/")


def test_flags_that_callers_set_win(parser: RobotFileParser) -> None:
    parser.allow_all = True
    assert parser.can_fetch("FooBot", "/private/")
    parser.disallow_all = True
    assert not parser.can_fetch("FooBot", "/")


@pytest.mark.parametrize(
    "user_agent", ["twobot", "TwoBot/1.0", canfetch.Agent("TwoBot")], ids=["token", "header", "agent"]
)
def test_answers_for_a_user_agent(parser: RobotFileParser, user_agent: str | canfetch.Agent) -> None:
    for _ in range(2):
        assert not parser.can_fetch(user_agent, "https://example.com/two")
        assert parser.can_fetch(user_agent, "https://example.com/private/")
    assert parser.crawl_delay(user_agent) == 3
    assert isinstance(parser.crawl_delay(user_agent), int)
    assert parser.request_rate(user_agent) == RequestRate(requests=1, seconds=10)


def test_delays_rates_and_sitemaps(parser: RobotFileParser) -> None:
    assert parser.crawl_delay("FooBot") == 2.5
    assert parser.request_rate("FooBot") is None
    assert parser.request_rate("OneBot") == (10, 60)
    assert parser.site_maps() == parser.sitemaps == ["https://example.com/a.xml"]


@pytest.mark.parametrize(
    "lines",
    [
        FILE.splitlines(keepends=True),
        iter(FILE.splitlines()),
        FILE.replace("\n", "\r\n").splitlines(keepends=True),
        FILE,
    ],
    ids=["with line ends", "iterator", "CRLF", "text"],
)
def test_lines_can_have_line_ends(parser: RobotFileParser, lines: list[str] | str) -> None:
    other = RobotFileParser()
    other.parse(lines)
    assert str(other) == str(parser)


def test_lines_of_another_type_raise() -> None:
    parser = RobotFileParser()
    with pytest.raises(TypeError):
        parser.parse([b"User-agent: *"])  # type: ignore[list-item]
    assert parser.mtime() == 0


def test_parse_replaces_what_was_parsed_before(parser: RobotFileParser) -> None:
    parser.parse(["User-agent: *", "Disallow: /other"])
    assert parser.can_fetch("FooBot", "/private/")
    assert not parser.can_fetch("FooBot", "/other")
    assert parser.site_maps() is None


def test_text_shows_the_entries_and_then_the_default_entry(parser: RobotFileParser) -> None:
    assert str(parser) == (
        "User-agent: OneBot\nUser-agent: TwoBot\nCrawl-delay: 3\nRequest-rate: 1/10\nDisallow: /two\n\n"
        "User-agent: *\nCrawl-delay: 2.5\nDisallow: /private/\nAllow: "
    )
    (entry,) = parser.entries
    assert entry.useragents == ["OneBot", "TwoBot"]
    assert entry.rulelines == [("/two", False)]
    assert parser.default_entry is not None
    assert parser.default_entry.delay == 2.5


def test_invalid_arguments_raise(parser: RobotFileParser) -> None:
    with pytest.raises(TypeError, match="user agent must be a str"):
        parser.can_fetch(None, "/")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="invalid URL of type NoneType"):
        parser.can_fetch("FooBot", None)  # type: ignore[arg-type]
    with pytest.raises(canfetch.CanfetchError, match="unknown"):
        RobotFileParser(profile="python")


@pytest.mark.parametrize("profile", ["cpython-old", "cpython-new"])
def test_removed_profiles_name_their_replacement(profile: str) -> None:
    with pytest.raises(UnknownProfile, match=f"'{profile}'.*call urllib.robotparser$"):
        RobotFileParser(profile=profile)


def test_parsers_can_be_subclassed_pickled_and_copied(parser: RobotFileParser) -> None:
    class Own(RobotFileParser):
        def __init__(self, url: str) -> None:
            super().__init__(url)
            self.name = "own"

    own = Own("https://example.com/robots.txt")
    own.parse(FILE.splitlines())
    assert own.name == "own"
    assert not own.can_fetch("FooBot", "/private/")
    for clone in (pickle.loads(pickle.dumps(parser)), copy.copy(parser), copy.deepcopy(parser)):  # noqa: S301 - own data
        assert isinstance(clone, RobotFileParser)
        assert not clone.can_fetch("TwoBot", "/two")
        assert clone.mtime() == parser.mtime()
    rate = parser.request_rate("TwoBot")
    assert pickle.loads(pickle.dumps(rate)) == rate  # noqa: S301 - own data


def test_instances_pass_isinstance_checks_of_the_original(parser: RobotFileParser) -> None:
    # The type checker knows that no class can inherit from both.
    original: Any = urllib.robotparser
    assert isinstance(parser, original.RobotFileParser)
    assert isinstance(parser.request_rate("TwoBot"), original.RequestRate)
    assert isinstance(parser.request_rate("TwoBot"), RequestRate)


def test_read_parses_the_file(site: Site) -> None:
    site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /private\n"))
    parser = RobotFileParser(f"{site.origin}/robots.txt")
    parser.read()
    assert 0 < parser.mtime() <= time.time() + 1
    assert not parser.can_fetch("FooBot", "/private")
    assert parser.can_fetch("FooBot", "/")


@pytest.mark.parametrize("status, allow_all", [(404, True), (401, True), (503, False)])
def test_read_sets_the_flags(site: Site, status: int, *, allow_all: bool) -> None:
    site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /x", status=status))
    parser = RobotFileParser(f"{site.origin}/robots.txt")
    parser.read()
    assert (parser.allow_all, parser.disallow_all) == (allow_all, not allow_all)
    assert parser.mtime() == 0
    assert parser.can_fetch("FooBot", "/x") is allow_all


def test_a_later_read_replaces_the_flags(site: Site) -> None:
    site.serve("/robots.txt", respond(b"", status=404), respond(b"User-agent: *\nDisallow: /"))
    parser = RobotFileParser(f"{site.origin}/robots.txt")
    parser.read()
    assert parser.can_fetch("FooBot", "/")
    parser.read()
    assert not parser.can_fetch("FooBot", "/")


def test_an_unreachable_site_disallows_everything() -> None:
    parser = RobotFileParser("http://name.invalid/robots.txt")
    parser.read()
    assert parser.disallow_all
    assert not parser.can_fetch("FooBot", "http://name.invalid/")


@pytest.mark.parametrize("url", ["", "robots.txt", "/robots.txt"])
def test_read_needs_an_absolute_url(url: str) -> None:
    with pytest.raises(ValueError, match="invalid"):
        RobotFileParser(url).read()


def test_a_client_fetches_once_and_identifies_the_crawler(site: Site) -> None:
    site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /private\n"))
    with canfetch.Client(user_agent="ExampleBot/1.0") as client:
        for _ in range(2):
            parser = RobotFileParser(f"{site.origin}/robots.txt", client=client)
            parser.read()
            assert not parser.can_fetch("FooBot", "/private")
    assert site.count("/robots.txt") == 1
