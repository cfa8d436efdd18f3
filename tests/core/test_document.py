"""RobotsTxt through the public API, with both engines."""

import copy
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import canfetch
from canfetch import PROFILES
from canfetch.core.agent import Agent
from canfetch.core.document import group_rows, keep_dot_segments
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


def test_allows_and_decide_apply_the_rules(robots: canfetch.RobotsTxt) -> None:
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
    "content",
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
def test_content_may_be_bytes_text_or_a_buffer(engine: str, content: Any) -> None:
    robots = canfetch.parse(content, engine=engine)
    assert robots.content == FILE
    assert type(robots.content) is bytes
    assert not robots.allows("/private", agent="FooBot")


def test_later_changes_of_a_buffer_have_no_effect(engine: str) -> None:
    buffer = bytearray(FILE)
    robots = canfetch.parse(buffer, engine=engine)
    buffer[:] = b"User-agent: *\n"
    assert robots.render() == FILE
    assert not robots.allows("/fish", agent="BarBot")


def test_text_may_contain_surrogate_escapes(engine: str) -> None:
    robots = canfetch.parse("User-agent: *\nDisallow: /caf\udce9", engine=engine)
    assert robots.content.endswith(b"/caf\xe9")
    assert not robots.allows("/caf%E9", agent="a")


def test_path_or_file_in_the_place_of_content_has_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "robots.txt"
    path.write_bytes(b"")
    with pytest.raises(TypeError, match=r"must be bytes or str, not \w+Path: pass path.read_bytes\(\)"):
        canfetch.parse(path)  # type: ignore[arg-type]
    with path.open("rb") as file, pytest.raises(TypeError, match=r"not BufferedReader: pass file.read\(\)"):
        canfetch.parse(file)  # type: ignore[arg-type]


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
        ({"max_bytes": "512000"}, InvalidLimit),
        ({"max_bytes": None}, InvalidLimit),
        ({"engine": "rust"}, EngineError),
    ],
)
def test_invalid_arguments_raise(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        canfetch.parse(**({"content": FILE} | arguments))


@pytest.mark.parametrize("url", ["fish", "", "https://", "example.com/fish"])
def test_invalid_url_raises(robots: canfetch.RobotsTxt, url: str) -> None:
    rules = robots.rules_for("FooBot")
    for function in (rules.allows, rules.decide):
        with pytest.raises(InvalidURL) as caught:
            function(url)
        assert caught.value.index is None
    with pytest.raises(InvalidURL) as caught:
        rules.allows_many(["/fish", url])
    assert caught.value.index == 1


@pytest.mark.parametrize("url", [None, 7, ["/fish"], bytearray(b"/fish")])
def test_url_of_wrong_type_raises(robots: canfetch.RobotsTxt, url: Any) -> None:
    with pytest.raises(TypeError, match="expected str or bytes"):
        robots.allows(url, agent="FooBot")
    with pytest.raises(TypeError, match=r"index 0"):
        robots.rules_for("FooBot").allows_many([url])


def test_invalid_agent_raises(robots: canfetch.RobotsTxt) -> None:
    for function in (robots.allows, robots.decide):
        with pytest.raises(InvalidProductToken, match="extract it from a User-Agent header"):
            function("/fish", agent="Mozilla/5.0 (compatible; FooBot/1.0)")
        wrong: tuple[Any, ...] = (b"FooBot", ["FooBot"], None, {})
        for agent in wrong:
            with pytest.raises(TypeError, match="agent must be a str or an Agent, not"):
                function("/fish", agent=agent)

    class Unhashable(str):
        __slots__ = ()
        __hash__ = None  # type: ignore[assignment]

    with pytest.raises(TypeError, match="unhashable"):
        robots.rules_for(Unhashable("FooBot"))


def test_agent_is_keyword_only(robots: canfetch.RobotsTxt) -> None:
    with pytest.raises(TypeError):
        robots.allows("/fish", "FooBot")  # type: ignore[call-arg]


def test_rfc9309_2_3_file_governs_its_own_origin(robots: canfetch.RobotsTxt) -> None:
    for url in ("https://example.com/fish", "https://EXAMPLE.com:443/fish", "//example.com/fish", "/fish"):
        assert robots.allows(url, agent="FooBot")
    for url in ("http://example.com/", "https://www.example.com/", "https://example.com:444/", "//example.com:80/"):
        with pytest.raises(OriginMismatch, match="but this file governs"):
            robots.decide(url, agent="FooBot")
    with pytest.raises(OriginMismatch) as caught:
        robots.rules_for("FooBot").allows_many(iter(["/", "https://example.com/", "https://www.example.com/"]))
    assert caught.value.index == 2


def test_file_without_url_governs_any_origin(engine: str) -> None:
    robots = canfetch.parse(FILE, engine=engine)
    assert robots.origin is None
    assert not robots.allows("ftp://elsewhere.example/private", agent="FooBot")


def test_host_beyond_ascii_equals_its_punycode(engine: str) -> None:
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


def test_rfc9309_2_2_4_sitemaps_do_not_belong_to_groups(robots: canfetch.RobotsTxt) -> None:
    assert robots.sitemaps == ("https://example.com/sitemap.xml",)
    assert canfetch.parse(b"Sitemap: a\nUser-agent: b\nSitemap: a\nSitemap: c#d").sitemaps == ("a", "a", "c")


@pytest.mark.parametrize(
    "agent, seconds",
    [("FooBot", 2.5), ("BarBot", None), (Agent(["x", "FooBot"]), 2.5), (Agent("x", star_applies=False), None)],
)
def test_crawl_delay_is_that_of_the_agents_groups(
    robots: canfetch.RobotsTxt, agent: str | Agent, seconds: float | None
) -> None:
    assert robots.crawl_delay(agent=agent) == seconds


def test_longest_crawl_delay_counts(engine: str) -> None:
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


@pytest.mark.slow
def test_crawl_delays_of_ten_thousand_groups_take_linear_time(engine: str) -> None:
    # Searching a list of the agent's groups for each would take a hundred million steps.
    robots = canfetch.parse(b"User-agent: *\nAllow: /\nCrawl-delay: 1\n" * 12_000, engine=engine)
    assert robots.crawl_delay(agent="a") == 1.0


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "content",
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
def test_render_returns_the_original_bytes(engine: str, profile: str, content: bytes) -> None:
    robots = canfetch.parse(content, profile=profile, engine=engine)
    assert robots.render() == content
    assert robots.source_encoding != "utf-8" or robots.content + robots.tail == content


@pytest.mark.parametrize(
    "content",
    [b"a" * (LIMIT + 9), b"a\r\n" * (LIMIT // 3) + b"b\r\nc", b"\xef\xbb\xbf" + b"\r\n" * LIMIT],
    ids=["one", "many", "blank"],
)
def test_rfc9309_2_5_render_includes_the_tail(engine: str, content: bytes) -> None:
    robots = canfetch.parse(content, engine=engine)
    assert robots.tail != b""
    assert robots.render() == robots.content + robots.tail == content


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_transcoded_and_rendered_unchanged(engine: str, encoding: str) -> None:
    content = "\ufeffUser-agent: *\nDisallow: /\u30c4\n".encode(encoding)
    robots = canfetch.parse(content, engine=engine)
    assert robots.source_encoding == encoding
    assert not robots.allows("/%E3%83%84", agent="a")
    assert [robots.content[slice(*record.span)] for record in robots.records][1] == "Disallow: /\u30c4\n".encode()
    assert robots.render() == content
    # Google's parser only reads UTF-8.
    assert canfetch.parse(content, profile="google", engine=engine).allows("/%E3%83%84", agent="a")


def test_rfc9309_2_5_content_past_the_limit_is_ignored(engine: str) -> None:
    head = b"User-agent: *\nAllow: /\n"
    content = head + b"#" * (LIMIT - len(head) - 5) + b"\nDisallow: /private\nDisallow: /a\n"
    robots = canfetch.parse(content, engine=engine)
    # A rule that is cut at the limit would disallow everything that starts with `/` or `/priv`.
    assert robots.allows("/private", agent="a")
    assert robots.tail == b"Disallow: /private\nDisallow: /a\n"
    assert len(robots.records) == 3
    longer = canfetch.parse(content, max_bytes=LIMIT + 100, engine=engine)
    assert (longer.allows("/private", agent="a"), longer.max_bytes) == (False, LIMIT + 100)


def test_file_can_be_copied_and_pickled(robots: canfetch.RobotsTxt) -> None:
    for twin in (pickle.loads(pickle.dumps(robots)), copy.copy(robots), copy.deepcopy(robots)):  # noqa: S301
        assert (twin.content, twin.origin, twin.profile) == (robots.content, robots.origin, robots.profile)
        assert twin.decide("/private", agent="FooBot") == robots.decide("/private", agent="FooBot")
        with pytest.raises(OriginMismatch):
            twin.allows("http://example.com/", agent="FooBot")
        assert type(twin) is type(robots)


@pytest.mark.parametrize("arguments", [(), (FILE,), (FILE, "https://example.com/robots.txt")])
def test_the_class_cannot_be_called(arguments: tuple[Any, ...]) -> None:
    message = "^RobotsTxt has no public constructor: use canfetch.parse\\(content\\)$"
    with pytest.raises(TypeError, match=message):
        canfetch.RobotsTxt(*arguments)
    with pytest.raises(TypeError, match=message):
        canfetch.RobotsTxt(content=FILE)


def test_files_have_the_public_class_and_a_constructor_without_cost(robots: canfetch.RobotsTxt) -> None:
    for file in (robots, robots.with_url("https://example.com/robots.txt"), robots.with_profile("google")):
        assert isinstance(file, canfetch.RobotsTxt)
        assert repr(type(file)) == repr(canfetch.RobotsTxt)
        # A constructor in Python would take a fifth of the time of a small file.
        assert type(file).__init__ is object.__init__
        assert type(file).__new__ is object.__new__
    with pytest.raises(TypeError, match="not RobotsTxt"):
        canfetch.parse(robots)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["content", "tail", "source_encoding", "profile", "origin", "groups", "sitemaps"])
def test_file_is_immutable(robots: canfetch.RobotsTxt, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(robots, name, b"User-agent: *")


@pytest.mark.parametrize("content", [FILE, FILE.decode().encode("utf-16"), FILE + b"#" * 600_000])
def test_with_url_returns_the_file_of_another_origin(engine: str, content: bytes) -> None:
    robots = canfetch.parse(content, engine=engine)
    moved = robots.with_url("https://www.example.com/robots.txt")
    assert robots.origin is None
    assert str(moved.origin) == "https://www.example.com"
    assert (moved.content, moved.tail, moved.source_encoding) == (robots.content, robots.tail, robots.source_encoding)
    assert moved.render() == content
    assert moved.groups == robots.groups
    assert not moved.allows("https://www.example.com/private", agent="FooBot")
    assert not robots.allows("https://other.example/private", agent="FooBot")
    with pytest.raises(OriginMismatch):
        moved.allows("https://other.example/private", agent="FooBot")
    assert pickle.loads(pickle.dumps(moved)).origin == moved.origin  # noqa: S301 - our own pickle
    with pytest.raises(InvalidRobotsURL):
        robots.with_url("https://www.example.com/fish")


def test_repr_of_a_file(robots: canfetch.RobotsTxt) -> None:
    assert repr(robots) == f"<RobotsTxt of https://example.com: {len(FILE)} bytes, profile rfc9309>"
    assert repr(canfetch.parse(b"", profile="google")) == "<RobotsTxt: 0 bytes, profile google>"


def test_groups_and_records_are_cached(robots: canfetch.RobotsTxt) -> None:
    assert robots.groups is robots.groups
    assert robots.records is robots.records


def test_rows_are_those_of_the_groups(robots: canfetch.RobotsTxt) -> None:
    rows = [
        ([(agent.token.encode(), agent.line) for agent in group.user_agents], [rule[:3] for rule in group.rules])
        for group in robots.groups
    ]
    assert rows
    assert [(list(agents), list(rules)) for agents, rules in group_rows(robots)] == rows


def test_rules_of_agents_are_cached_up_to_a_limit(engine: str) -> None:
    robots = canfetch.parse(FILE, engine=engine)
    rules = robots.rules_for("FooBot")
    assert robots.rules_for("FooBot") is rules
    assert robots.rules_for(Agent("FooBot")) is robots.rules_for(Agent("FooBot"))
    for index in range(1000):
        assert not robots.allows("/fish", agent=f"bot{index}")
        assert len(robots._bound_by_agent) <= 256
    assert not rules.allows("/private")
    assert not robots.allows("/private", agent="FooBot")


@pytest.mark.slow
def test_cached_rules_are_limited_in_total(engine: str) -> None:
    shared = b"".join(b"User-agent: bot%d\n" % index for index in range(30))
    own = b"".join(b"User-agent: bot%d\nDisallow: /own%d\n" % (index, index) for index in range(30))
    body = own + shared + b"".join(b"Disallow: /%d\n" % index for index in range(5000))
    robots = canfetch.parse(body, engine=engine)
    for _ in range(2):
        for index in range(30):
            assert not robots.allows(f"/own{index}", agent=f"bot{index}")
            assert robots.allows("/own-not", agent=f"bot{index}")
    cached = sum(bound.rule_count for bound in robots._bound_by_agent.values())
    assert 5000 < cached <= COMPILED_RULES_LIMIT


def test_rules_can_be_copied_and_pickled(robots: canfetch.RobotsTxt) -> None:
    rules = robots.rules_for(Agent(["BarBot", "FooBot"]))
    for twin in (pickle.loads(pickle.dumps(rules)), copy.copy(rules), copy.deepcopy(rules)):  # noqa: S301
        assert twin.agent == rules.agent
        assert twin.decide("/private") == rules.decide("/private")
        assert twin.allows("https://example.com/fish")
        with pytest.raises(OriginMismatch):
            twin.allows("https://example.org/fish")


def test_file_can_be_shared_between_threads(engine: str) -> None:
    body = b"".join(b"User-agent: bot%d\nDisallow: /%d\n" % (index, index) for index in range(400))
    robots = canfetch.parse(body, engine=engine)

    def decide(index: int) -> tuple[bool, int | None, int, int]:
        bot, path = f"bot{index % 400}", f"/{index % 400}"
        verdict = robots.decide(path, agent=bot)
        return robots.allows(path, agent=bot), verdict.line, len(robots.groups), len(robots.records)

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(decide, range(2000)))
    assert answers == [(False, index % 400 * 2 + 2, 400, 800) for index in range(2000)]


def test_bing_group_without_crawl_delay_uses_that_of_star(engine: str) -> None:
    content = b"User-agent: *\nCrawl-delay: 7\nUser-agent: a\nDisallow: /\nUser-agent: b\nCrawl-delay: 2\nDisallow: /\n"
    content = content.replace(b"7\n", b"7\nDisallow: /x\n")
    bing = canfetch.parse(content, profile="bing", engine=engine)
    assert [bing.crawl_delay(agent=agent) for agent in ("a", "b", "c")] == [7, 2, 7]
    rfc9309 = canfetch.parse(content, engine=engine)
    assert [rfc9309.crawl_delay(agent=agent) for agent in ("a", "b", "c")] == [None, 2, 7]
    assert canfetch.parse(b"", profile="bing", engine=engine).crawl_delay(agent="a") is None


def test_with_profile_returns_the_file_in_another_profile(engine: str) -> None:
    robots = canfetch.parse("User-agent: *\nDisallowAITraining: /", url="https://example.com/robots.txt", engine=engine)
    google = robots.with_profile("google")
    assert (google.profile, google.content, google.origin) == ("google", robots.content, robots.origin)
    assert (robots.allows("/x", agent="a"), google.allows("/x", agent="a")) == (True, False)
    assert robots.with_profile("yandex").profile == "yandex"
    assert robots.with_profile("yandex").with_profile("google").allows("/x", agent="a") is False
    with pytest.raises(canfetch.errors.UnknownProfile):
        robots.with_profile("altavista")


@pytest.mark.parametrize("profile", PROFILES)
def test_dot_segments_can_be_kept(engine: str, profile: str) -> None:
    robots = canfetch.parse("User-agent: *\nDisallow: /a/\nDisallow: /x/../y\n", profile=profile, engine=engine)
    kept = keep_dot_segments(robots)
    assert (kept.profile, kept.groups) == (profile, robots.groups)
    for url in ("/a/../b", "/x/../y", "https://example.com/a/.."):
        verdict = kept.decide(url, agent="a")
        assert (verdict.allowed, verdict.target.decode()) == (False, url.removeprefix("https://example.com"))
        assert robots.allows(url, agent="a") is PROFILES[profile].remove_dot_segments


def test_draft1996_target_contains_plain_stars_and_dollars(engine: str) -> None:
    for profile in ("draft1996", "original1994"):
        robots = canfetch.parse(b"User-agent: *\nDisallow: /a*b$\n", profile=profile, engine=engine)
        for url in (b"/a*b$", b"/a*b$\x01\x01s*", b"/x", b"/a*b$?\x01d$"):
            verdict = robots.decide(url, agent="x")
            assert verdict.target == url
            assert robots.decide(verdict.target, agent="x") == verdict
    # A decoded percent sign is escaped again, so that it does not start another escape.
    assert canfetch.parse(b"", profile="draft1996", engine=engine).decide("/%2541", agent="x").target == b"/%2541"


def test_bing_agent_that_ignores_star_ignores_its_crawl_delay(engine: str) -> None:
    bing = canfetch.parse(b"User-agent: *\nCrawl-delay: 7\nDisallow: /\n", profile="bing", engine=engine)
    assert bing.crawl_delay(agent=Agent("AdIdxBot", star_applies=False)) is None


@pytest.mark.parametrize(
    "text, advice",
    [
        ("https://example.com/robots.txt", "a URL, not the content of a robots.txt: fetch it with canfetch.Client"),
        ("HTTP://example.com\n", "a URL, not the content of a robots.txt"),
        ("robots.txt", "a file name, not the content of a robots.txt: pass Path(...).read_bytes()"),
        (" ./my site/ROBOTS.TXT\r\n", "a file name, not the content of a robots.txt"),
        ("www.Example-1.com", "the name of a host or a file, not the content of a robots.txt: fetch it with canfetch"),
        ("xn--bcher-kva.example\n", "the name of a host or a file, not the content of a robots.txt"),
    ],
)
def test_name_instead_of_content_is_a_warning(text: str, advice: str) -> None:
    with pytest.warns(UserWarning, match=re.escape(f"content {text.strip()!r} is {advice}")) as caught:
        robots = canfetch.parse(text)
    assert [warning.filename for warning in caught] == [__file__]
    assert robots.content == text.encode()


@pytest.mark.parametrize(
    "content",
    [
        b"robots.txt",
        b"https://example.com/robots.txt",
        "",
        "Disallow: /robots.txt",
        "# see robots.txt",
        "robots.txt\nUser-agent: *",
        "https://example.com/ is our site",
        "httpx: //example.com",
        "example",
        "1.2",
        "example.com/",
        "-a.example",
        "a b.example",
        "x" * 10_000 + ".txt",
    ],
)
def test_content_is_not_taken_for_a_name(content: bytes | str) -> None:
    # Warnings are errors in tests.
    assert len(canfetch.parse(content).content) == len(content)
