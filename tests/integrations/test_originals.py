"""The interfaces behave like the originals on any file, user agent and URL, except for the differences listed here.

Verdicts are compared where both read a file in the same way: tests/differential compares the readings themselves.
"""

import urllib.robotparser
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.peers.suites import is_rewritten

from canfetch.integrations.protego import Protego
from canfetch.integrations.robotparser import RobotFileParser

KEYS = ["User-agent", "Disallow", "Allow", "Crawl-delay", "Request-rate", "Visit-time", "Sitemap", "Host"]
NAMES = ["*", "FooBot", "BarBot"]
PATHS = ["/", "/a", "/a/b", "/a/b/c", "/d.gif", ""]
NUMBERS = ["1", "2.5", "0", "x", "-1", "1/5", "10/1m", "3/10s", "0/5", "1/5 0600-0845", ""]
TIMES = ["0600-0845", "0600 0845", "2500-2600", "x", ""]
VALUES = {
    "User-agent": NAMES,
    "Disallow": PATHS,
    "Allow": PATHS,
    "Crawl-delay": NUMBERS,
    "Request-rate": NUMBERS,
    "Visit-time": TIMES,
    "Sitemap": ["https://example.com/a.xml", "/b.xml", ""],
    "Host": ["example.com", "https://example.com:8080", ""],
}
USER_AGENTS = ["FooBot", "foobot/1.0", "BarBot", "OtherBot", "*", ""]
URLS = ["/", "/a", "/a/b?c", "https://example.com/a/b", "https://example.com", "//example.com/d.gif", "d.gif", "", "?x"]
# Arguments of other types.
WRONG: list[Any] = [None, 1, [], b"x", {}]


@st.composite
def records(draw: st.DrawFn, keys: tuple[str, ...]) -> str:
    key = draw(st.sampled_from(keys))
    return f"{key}: {draw(st.sampled_from(VALUES[key]))}"


@st.composite
def files(draw: st.DrawFn, *keys: str) -> str:
    """Draw a file of groups that end with a rule, so that the originals separate them as RFC 9309 does."""
    lines: list[str] = []
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3)):
        lines += [f"User-agent: {name}", *draw(st.lists(records(keys), max_size=4)), "Disallow: /end"]
    return "\n".join(lines)


def result(call: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a call returns, or the type of its exception."""
    try:
        return call(*arguments)
    except (TypeError, ValueError, AttributeError) as error:
        return type(error)


def is_error(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, Exception)


def protego_answers(kind: Any, content: str, user_agent: Any, url: Any) -> dict[str, Any]:
    parser = kind.parse(content)
    return {
        "can_fetch": result(lambda: parser.can_fetch(url, user_agent)),
        "crawl_delay": result(lambda: parser.crawl_delay(user_agent)),
        "request_rate": result(lambda: parser.request_rate(user_agent)),
        "visit_time": result(lambda: parser.visit_time(user_agent)),
        "sitemaps": list(parser.sitemaps),
        "preferred_host": parser.preferred_host,
    }


@given(files("Disallow", "Allow", "Sitemap", "Host"), st.sampled_from(USER_AGENTS), st.sampled_from(URLS))
def test_protego_has_the_same_answers(content: str, user_agent: str, url: str) -> None:
    protego = pytest.importorskip("protego")
    ours = protego_answers(Protego, content, user_agent, url)
    assert ours == protego_answers(protego.Protego, content, user_agent, url)


@given(st.sampled_from(["Crawl-delay", "Request-rate", "Visit-time"]), st.data())
def test_protego_has_the_same_limits(key: str, data: st.DataObject) -> None:
    # One record in each group: of several, canfetch takes the slowest and Protego the last.
    protego = pytest.importorskip("protego")
    value, user_agent = data.draw(st.sampled_from(VALUES[key])), data.draw(st.sampled_from(USER_AGENTS))
    content = f"User-agent: FooBot\n{key}: {value}\nDisallow: /a\nUser-agent: *\nDisallow: /b\n{key}: 1/7"
    ours = protego_answers(Protego, content, user_agent, "/")
    theirs = protego_answers(protego.Protego, content, user_agent, "/")
    assert ours == theirs
    assert {name: type(value) for name, value in ours.items() if not isinstance(value, tuple)} == {
        name: type(value) for name, value in theirs.items() if not isinstance(value, tuple)
    }


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_protego_rejects_the_same_types(wrong: Any) -> None:
    protego = pytest.importorskip("protego")
    # Protego compares the user agent only with the names of groups.
    content = "User-agent: FooBot\nDisallow: /a"
    for kind in (Protego, protego.Protego):
        with pytest.raises(TypeError):
            kind.parse(wrong)
    for name, found in protego_answers(Protego, content, wrong, "/").items():
        if name in {"can_fetch", "crawl_delay", "request_rate", "visit_time"}:
            # Protego raises an AttributeError or a TypeError.
            assert found is TypeError
            assert is_error(protego_answers(protego.Protego, content, wrong, "/")[name])
    ours = protego_answers(Protego, content, "FooBot", wrong)["can_fetch"]
    theirs = protego_answers(protego.Protego, content, "FooBot", wrong)["can_fetch"]
    # Bytes are a URL for canfetch.
    assert (ours, is_error(theirs)) == ((True, True) if wrong == b"x" else (TypeError, True))


def robotparser_answers(parser: Any, content: str, user_agent: Any, url: Any) -> dict[str, Any]:
    before = result(lambda: parser.can_fetch(user_agent, url)), result(lambda: parser.crawl_delay(user_agent))
    # urllib.robotparser keeps sitemaps without a value.
    parser.parse([line for line in content.splitlines() if line != "Sitemap: "])
    return {
        "before": before,
        "can_fetch": result(lambda: parser.can_fetch(user_agent, url)),
        "crawl_delay": result(lambda: parser.crawl_delay(user_agent)),
        "request_rate": result(lambda: parser.request_rate(user_agent)),
        "site_maps": parser.site_maps(),
        "sitemaps": list(parser.sitemaps),
        "text": str(parser),
        "flags": (parser.allow_all, parser.disallow_all, parser.mtime() > 0),
    }


@given(st.sampled_from(["Disallow: /a", "Disallow: ", "Allow: /"]), st.sampled_from(USER_AGENTS), st.sampled_from(URLS))
def test_robotparser_has_the_same_answers_by_default(rule: str, user_agent: str, url: str) -> None:
    # Files that all parsers read in the same way.
    content = f"User-agent: FooBot\nCrawl-delay: 3\nRequest-rate: 1/5\n{rule}\n\nUser-agent: *\nDisallow: /d.gif"
    ours = robotparser_answers(RobotFileParser(), content, user_agent, url)
    theirs = robotparser_answers(urllib.robotparser.RobotFileParser(), content, user_agent, url)
    if is_rewritten():
        # The order of the entries changed with the rewrite.
        del ours["text"], theirs["text"]
    if url == "d.gif":
        # A URL without a slash matches no rule of robotparser.
        del ours["can_fetch"], theirs["can_fetch"]
    assert ours == theirs


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_robotparser_rejects_the_same_types(wrong: Any) -> None:
    # The originals compare the user agent only with the names of groups.
    lines = ["User-agent: FooBot", "Disallow: /a"]
    ours, theirs = RobotFileParser(), urllib.robotparser.RobotFileParser()
    for parser in (ours, theirs):
        parser.parse(lines)
    for call in ("crawl_delay", "request_rate"):
        assert is_error(result(getattr(theirs, call), wrong))
        assert result(getattr(ours, call), wrong) is TypeError
    assert is_error(result(lambda: theirs.can_fetch(wrong, "/")))
    assert result(lambda: ours.can_fetch(wrong, "/")) is TypeError
    if wrong != b"x":
        assert is_error(result(lambda: theirs.can_fetch("FooBot", wrong)))
        assert result(lambda: ours.can_fetch("FooBot", wrong)) is TypeError
    for flag in ("allow_all", "disallow_all"):
        # Flags decide before any argument is read.
        for parser in (ours, theirs):
            setattr(parser, flag, True)
        assert ours.can_fetch(wrong, wrong) is theirs.can_fetch(wrong, wrong)
