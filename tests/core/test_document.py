"""A parsed file and its questions, through the public names, in both engines."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import canfetch
from canfetch.core.agent import Agent
from canfetch.core.engines import supported_profiles
from canfetch.core.limits import COMPILED_RULES_LIMIT
from canfetch.core.verdict import Reason
from canfetch.errors import (
    EngineError,
    InvalidLimit,
    InvalidProductToken,
    InvalidRobotsURL,
    InvalidURL,
    OriginMismatch,
    UnknownProfile,
)

LIMIT = 500 * 1024
FILE = b"""\xef\xbb\xbfUser-agent: FooBot
Disallow: /private
Allow: /private/press
Crawl-delay: 2.5

User-agent: *
Disallow: /
Sitemap: https://example.com/sitemap.xml
sitemap:
"""


@pytest.fixture(scope="module")
def robots(engine: str) -> canfetch.RobotsTxt:
    return canfetch.parse(FILE, url="https://example.com/robots.txt", engine=engine)


def test_a_file_answers(robots: canfetch.RobotsTxt) -> None:
    assert robots.allows("https://example.com/private/press", agent="FooBot")
    assert not robots.allows("https://example.com/private", agent="foobot")
    assert not robots.allows(b"/fish", agent=Agent(["BarBot", "BazBot"]))
    assert robots.allows("/fish", agent=Agent(["BarBot", "FooBot"]))
    assert robots.allows("/fish", agent=Agent("BarBot", star_applies=False))
    verdict = robots.decide("https://example.com/private", agent="FooBot")
    assert (verdict.allowed, verdict.reason, verdict.line) == (False, Reason.DISALLOW_RULE, 2)
    assert verdict.profile == "rfc9309"
    assert robots.rules_for("FooBot").allows_many(["/private", "/fish"]) == [False, True]


@pytest.mark.parametrize(
    "octets",
    [
        FILE,
        FILE.decode(),
        "\ufeff" + FILE.decode()[1:],
        bytearray(FILE),
        memoryview(FILE),
        memoryview(FILE * 2)[: len(FILE)],
    ],
    ids=["bytes", "str", "marked", "bytearray", "memoryview", "part"],
)
def test_octets_may_come_as_any_of_these(engine: str, octets: Any) -> None:
    robots = canfetch.parse(octets, engine=engine)
    assert robots.content == FILE
    assert type(robots.content) is bytes
    assert not robots.allows("/private", agent="FooBot")


def test_a_buffer_that_changes_later_changes_nothing(engine: str) -> None:
    buffer = bytearray(FILE)
    robots = canfetch.parse(buffer, engine=engine)
    buffer[:] = b"User-agent: *\n"
    assert robots.render() == FILE
    assert not robots.allows("/fish", agent="BarBot")


def test_text_may_hold_what_is_no_utf8(engine: str) -> None:
    robots = canfetch.parse("User-agent: *\nDisallow: /caf\udce9", engine=engine)
    assert robots.content.endswith(b"/caf\xe9")
    assert not robots.allows("/caf%E9", agent="a")


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"content": None}, TypeError),
        ({"content": ["User-agent: *"]}, TypeError),
        ({"url": "https://example.com/folder/robots.txt"}, InvalidRobotsURL),
        ({"url": 7}, TypeError),
        ({"profile": "bing2"}, UnknownProfile),
        ({"max_bytes": LIMIT - 1}, InvalidLimit),
        ({"max_bytes": (1 << 29) + 1}, InvalidLimit),
        ({"content": b"a" * (LIMIT + 1), "max_bytes": 0}, InvalidLimit),
        ({"max_bytes": LIMIT + 0.5}, InvalidLimit),
        ({"max_bytes": "600000"}, TypeError),
        ({"engine": "rust"}, EngineError),
    ],
)
def test_the_callers_mistakes_raise(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        canfetch.parse(**({"content": FILE} | arguments))


@pytest.mark.parametrize("url", ["fish", "", "https://", "example.com/fish"])
def test_no_url_no_answer(robots: canfetch.RobotsTxt, url: str) -> None:
    rules = robots.rules_for("FooBot")
    for ask in (rules.allows, rules.decide):
        with pytest.raises(InvalidURL) as caught:
            ask(url)
        assert caught.value.index is None
    with pytest.raises(InvalidURL) as caught:
        rules.allows_many(["/fish", url])
    assert caught.value.index == 1


@pytest.mark.parametrize("url", [None, 7, ["/fish"], bytearray(b"/fish")])
def test_a_url_of_another_type_raises(robots: canfetch.RobotsTxt, url: Any) -> None:
    with pytest.raises(TypeError, match="expected str or bytes"):
        robots.allows(url, agent="FooBot")
    with pytest.raises(TypeError, match=r"index 0"):
        robots.rules_for("FooBot").allows_many([url])


def test_an_agent_is_a_token_or_an_agent(robots: canfetch.RobotsTxt) -> None:
    for ask in (robots.allows, robots.decide):
        with pytest.raises(InvalidProductToken, match="extract it from a User-Agent header"):
            ask("/fish", agent="Mozilla/5.0 (compatible; FooBot/1.0)")
        wrong: tuple[Any, ...] = (b"FooBot", ["FooBot"], None, {})
        for agent in wrong:
            with pytest.raises(TypeError, match="agent must be a str or an Agent, not"):
                ask("/fish", agent=agent)

    class Unhashable(str):
        __slots__ = ()
        __hash__ = None  # type: ignore[assignment]

    with pytest.raises(TypeError, match="unhashable"):
        robots.rules_for(Unhashable("FooBot"))


def test_an_agent_is_named(robots: canfetch.RobotsTxt) -> None:
    with pytest.raises(TypeError):
        robots.allows("/fish", "FooBot")  # type: ignore[call-arg]


def test_rfc9309_2_3_a_file_rules_over_its_own_origin(robots: canfetch.RobotsTxt) -> None:
    for url in ("https://example.com/fish", "https://EXAMPLE.com:443/fish", "//example.com/fish", "/fish"):
        assert robots.allows(url, agent="FooBot")
    for url in ("http://example.com/", "https://www.example.com/", "https://example.com:444/", "//example.com:80/"):
        with pytest.raises(OriginMismatch, match="but this file governs"):
            robots.decide(url, agent="FooBot")
    with pytest.raises(OriginMismatch) as caught:
        robots.rules_for("FooBot").allows_many(iter(["/", "https://example.com/", "https://www.example.com/"]))
    assert caught.value.index == 2


def test_without_a_url_any_origin_may_be_asked_about(engine: str) -> None:
    robots = canfetch.parse(FILE, engine=engine)
    assert robots.origin is None
    assert not robots.allows("ftp://elsewhere.example/private", agent="FooBot")


def test_a_file_at_a_name_beyond_ascii_rules_over_its_punycode(engine: str) -> None:
    robots = canfetch.parse(FILE, url="https://www.ex\u00e4mple.com/robots.txt", engine=engine)
    for url in (
        "https://www.xn--exmple-cua.com/fish",
        "https://www.ex\u00e4mple.com/fish",
        "https://www.EX\u00c4MPLE.com/fish",
    ):
        assert robots.allows(url, agent="FooBot")
    with pytest.raises(OriginMismatch):
        robots.allows("https://www.example.com/fish", agent="FooBot")
    with pytest.raises(InvalidURL):
        robots.allows("https://\u00ad/fish", agent="FooBot")


def test_rfc9309_2_2_4_sitemaps_belong_to_no_group(robots: canfetch.RobotsTxt) -> None:
    assert robots.sitemaps == ("https://example.com/sitemap.xml",)
    assert canfetch.parse(b"Sitemap: a\nUser-agent: b\nSitemap: a\nSitemap: c#d").sitemaps == ("a", "a", "c")


@pytest.mark.parametrize(
    "agent, seconds",
    [("FooBot", 2.5), ("BarBot", None), (Agent(["x", "FooBot"]), 2.5), (Agent("x", star_applies=False), None)],
)
def test_crawl_delay_is_of_the_agents_own_groups(
    robots: canfetch.RobotsTxt, agent: str | Agent, seconds: float | None
) -> None:
    assert robots.crawl_delay(agent=agent) == seconds


def test_of_several_crawl_delays_the_longest_counts(engine: str) -> None:
    body = b"""Crawl-delay: 99
User-agent: a
CRAWL-DELAY : 1
Disallow: /
crawl-delay: 10 # seconds
Crawl-delay: much
Crawl-delays: 50
User-agent: b
Crawl-delay: 20
Disallow:
User-agent: a
Crawl-delay: 3
"""
    robots = canfetch.parse(body, engine=engine)
    assert robots.crawl_delay(agent="a") == 10.0
    assert robots.crawl_delay(agent="b") == 20.0
    assert robots.crawl_delay(agent="c") is None


def test_crawl_delays_of_ten_thousand_groups_cost_their_number(engine: str) -> None:
    # Looking each up in a list of the agent's groups would take a hundred million steps.
    robots = canfetch.parse(b"User-agent: *\nAllow: /\nCrawl-delay: 1\n" * 12_000, engine=engine)
    assert robots.crawl_delay(agent="a") == 1.0


@pytest.mark.parametrize("profile", supported_profiles("native"))
@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"\xef\xbb\xbf",
        b"\n",
        b"User-agent: *\r\n\r\rDisallow: /",
        b"\xff\xfeU\0:\0 \0a\0\n",
        b"\xfe\xff\xd8",
        b"\xef\xbbDisallow",
        b"\0" * 9,
    ],
)
def test_a_file_renders_back_to_its_octets(engine: str, profile: str, octets: bytes) -> None:
    robots = canfetch.parse(octets, profile=profile, engine=engine)
    assert robots.render() == octets
    assert robots.source_encoding != "utf-8" or robots.content + robots.tail == octets


@pytest.mark.parametrize(
    "octets",
    [b"a" * (LIMIT + 9), b"a\r\n" * (LIMIT // 3) + b"b\r\nc", b"\xef\xbb\xbf" + b"\r\n" * LIMIT],
    ids=["one", "many", "blank"],
)
def test_rfc9309_2_5_a_file_over_the_limit_renders_back_to_its_octets(engine: str, octets: bytes) -> None:
    robots = canfetch.parse(octets, engine=engine)
    assert robots.tail != b""
    assert robots.render() == robots.content + robots.tail == octets


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_read_and_rendered_as_it_came(engine: str, encoding: str) -> None:
    octets = "\ufeffUser-agent: *\nDisallow: /\u30c4\n".encode(encoding)
    robots = canfetch.parse(octets, engine=engine)
    assert robots.source_encoding == encoding
    assert not robots.allows("/%E3%83%84", agent="a")
    assert [robots.content[slice(*record.span)] for record in robots.records][1] == "Disallow: /\u30c4\n".encode()
    assert robots.render() == octets
    # Google's parser reads UTF-8 alone.
    assert canfetch.parse(octets, profile="google", engine=engine).allows("/%E3%83%84", agent="a")


def test_rfc9309_2_5_what_is_past_the_limit_counts_for_nothing(engine: str) -> None:
    head = b"User-agent: *\nAllow: /\n"
    octets = head + b"#" * (LIMIT - len(head) - 5) + b"\nDisallow: /private\nDisallow: /a\n"
    robots = canfetch.parse(octets, engine=engine)
    # Read as far as it goes, it would forbid all that begins with `/`, or `/priv`.
    assert robots.allows("/private", agent="a")
    assert robots.tail == b"Disallow: /private\nDisallow: /a\n"
    assert len(robots.records) == 3
    assert not canfetch.parse(octets, max_bytes=LIMIT + 100, engine=engine).allows("/private", agent="a")


def test_a_file_survives_copies_and_processes(robots: canfetch.RobotsTxt) -> None:
    for twin in (pickle.loads(pickle.dumps(robots)), copy.copy(robots), copy.deepcopy(robots)):  # noqa: S301
        assert (twin.content, twin.origin, twin.profile) == (robots.content, robots.origin, robots.profile)
        assert twin.decide("/private", agent="FooBot") == robots.decide("/private", agent="FooBot")
        with pytest.raises(OriginMismatch):
            twin.allows("http://example.com/", agent="FooBot")


def test_a_file_shows_what_it_is(robots: canfetch.RobotsTxt) -> None:
    assert repr(robots) == f"<RobotsTxt of https://example.com: {len(FILE)} bytes, profile rfc9309>"
    assert repr(canfetch.parse(b"", profile="google")) == "<RobotsTxt: 0 bytes, profile google>"


def test_groups_and_records_are_made_once(robots: canfetch.RobotsTxt) -> None:
    assert robots.groups is robots.groups
    assert robots.records is robots.records


def test_agents_are_bound_once_and_in_bounded_number(engine: str) -> None:
    robots = canfetch.parse(FILE, engine=engine)
    rules = robots.rules_for("FooBot")
    assert robots.rules_for("FooBot") is rules
    assert robots.rules_for(Agent("FooBot")) is robots.rules_for(Agent("FooBot"))
    for index in range(1000):
        assert not robots.allows("/fish", agent=f"bot{index}")
        assert len(robots._rules_by_agent) <= 256
    assert not rules.allows("/private")
    assert not robots.allows("/private", agent="FooBot")


def test_agents_that_share_many_rules_keep_few_of_them(engine: str) -> None:
    shared = b"".join(b"User-agent: bot%d\n" % index for index in range(60))
    own = b"".join(b"User-agent: bot%d\nDisallow: /own%d\n" % (index, index) for index in range(60))
    body = own + shared + b"".join(b"Disallow: /%d\n" % index for index in range(5000))
    robots = canfetch.parse(body, engine=engine)
    for _ in range(2):
        for index in range(60):
            assert not robots.allows(f"/own{index}", agent=f"bot{index}")
            assert robots.allows("/own-not", agent=f"bot{index}")
    held = sum(rules._bound.rule_count for rules in robots._rules_by_agent.values())
    assert 5000 < held <= COMPILED_RULES_LIMIT


def test_bound_rules_travel(robots: canfetch.RobotsTxt) -> None:
    rules = robots.rules_for(Agent(["BarBot", "FooBot"]))
    for twin in (pickle.loads(pickle.dumps(rules)), copy.copy(rules), copy.deepcopy(rules)):  # noqa: S301
        assert twin.agent == rules.agent
        assert twin.decide("/private") == rules.decide("/private")
        assert twin.allows("https://example.com/fish")
        with pytest.raises(OriginMismatch):
            twin.allows("https://example.org/fish")


def test_threads_may_ask_at_once(engine: str) -> None:
    body = b"".join(b"User-agent: bot%d\nDisallow: /%d\n" % (index, index) for index in range(400))
    robots = canfetch.parse(body, engine=engine)

    def ask(index: int) -> tuple[bool, int | None, int, int]:
        bot, path = f"bot{index % 400}", f"/{index % 400}"
        verdict = robots.decide(path, agent=bot)
        return robots.allows(path, agent=bot), verdict.line, len(robots.groups), len(robots.records)

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(ask, range(2000)))
    assert answers == [(False, index % 400 * 2 + 2, 400, 800) for index in range(2000)]


def test_bing_a_group_without_a_crawl_delay_has_that_of_star(engine: str) -> None:
    octets = b"User-agent: *\nCrawl-delay: 7\nUser-agent: a\nDisallow: /\nUser-agent: b\nCrawl-delay: 2\nDisallow: /\n"
    octets = octets.replace(b"7\n", b"7\nDisallow: /x\n")
    bing = canfetch.parse(octets, profile="bing", engine=engine)
    assert [bing.crawl_delay(agent=agent) for agent in ("a", "b", "c")] == [7, 2, 7]
    rfc9309 = canfetch.parse(octets, engine=engine)
    assert [rfc9309.crawl_delay(agent=agent) for agent in ("a", "b", "c")] == [None, 2, 7]
    assert canfetch.parse(b"", profile="bing", engine=engine).crawl_delay(agent="a") is None


def test_the_same_file_as_another_profile_reads_it(engine: str) -> None:
    robots = canfetch.parse("User-agent: *\nDisallowAITraining: /", url="https://example.com/robots.txt", engine=engine)
    google = robots.with_profile("google")
    assert (google.profile, google.content, google.origin) == ("google", robots.content, robots.origin)
    assert (robots.allows("/x", agent="a"), google.allows("/x", agent="a")) == (True, False)
    # Python's engine alone does this one, and does it whichever the file was parsed with.
    assert robots.with_profile("cpython-old").profile == "cpython-old"
    assert robots.with_profile("cpython-old").with_profile("google").allows("/x", agent="a") is False
    with pytest.raises(canfetch.errors.UnknownProfile):
        robots.with_profile("altavista")


def test_draft1996_a_verdict_shows_the_target_with_its_signs(engine: str) -> None:
    for profile in ("draft1996", "original1994"):
        robots = canfetch.parse(b"User-agent: *\nDisallow: /a*b$\n", profile=profile, engine=engine)
        for url in (b"/a*b$", b"/a*b$\x01\x01s*", b"/x", b"/a*b$?\x01d$"):
            verdict = robots.decide(url, agent="x")
            assert verdict.target == url
            assert robots.decide(verdict.target, agent="x") == verdict
    # A decoded percent sign stays an escape, so that it makes no other.
    assert canfetch.parse(b"", profile="draft1996", engine=engine).decide("/%2541", agent="x").target == b"/%2541"


def test_bing_an_agent_for_which_star_does_not_apply_has_no_delay_of_its(engine: str) -> None:
    bing = canfetch.parse(b"User-agent: *\nCrawl-delay: 7\nDisallow: /\n", profile="bing", engine=engine)
    assert bing.crawl_delay(agent=Agent("AdIdxBot", star_applies=False)) is None
