"""`canfetch.allows`: a single decision about a file, with both engines."""

from typing import Any

import pytest

import canfetch
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.errors import EngineError, InvalidProductToken, InvalidURL, UnknownProfile

FILE = b"User-agent: FooBot\nDisallow: /private\nAllow: /private/press\n\nUser-agent: *\nDisallow: /*?q=\n"


@pytest.mark.parametrize(
    "url, agent, allowed",
    [
        ("https://example.com/private/a", "FooBot", False),
        (b"/private/press", "FooBot", True),
        ("/a?q=1", "FooBot", True),
        ("/a?q=1", "BarBot", False),
        ("/a?q=1", canfetch.Agent(["BarBot", "FooBot"]), True),
        ("/a?q=1", canfetch.Agent("BarBot", star_applies=False), True),
        ("//example.com/robots.txt", "BarBot", True),
    ],
)
def test_the_result_is_that_of_a_parsed_file(url: str | bytes, agent: Any, allowed: object, engine: str) -> None:
    assert canfetch.allows(FILE, url, agent=agent, engine=engine) is allowed
    assert canfetch.parse(FILE, engine=engine).allows(url, agent=agent) is allowed


@pytest.mark.parametrize(
    "content",
    [
        FILE.decode(),
        bytearray(FILE),
        memoryview(FILE),
        b"\xff\xfe" + FILE.decode().encode("utf-16-le"),
        b"\xfe\xff" + FILE.decode().encode("utf-16-be"),
        FILE + b"#" * DEFAULT_MAX_BYTES,
    ],
    ids=["str", "bytearray", "memoryview", "utf-16-le", "utf-16-be", "too large"],
)
def test_content_is_that_of_parse(content: Any, engine: str) -> None:
    assert not canfetch.allows(content, "/private", agent="FooBot", engine=engine)


def test_the_profile_is_that_of_parse(engine: str) -> None:
    content = b"User-agent: *\nDisallow: /a\nAllow: /a/index.html\n"
    assert not canfetch.allows(content, "/a/", agent="x", engine=engine)
    assert canfetch.allows(content, "/a/", agent="x", profile="google", engine=engine)


def test_the_default_engine_and_both_engines(both_engines: str) -> None:
    assert not canfetch.allows(FILE, "/private", agent="FooBot")
    assert not canfetch.allows(FILE, "/private", agent="FooBot", engine=both_engines)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"url": "example.com"}, InvalidURL),
        ({"url": 1}, TypeError),
        ({"agent": "Foo Bot"}, InvalidProductToken),
        ({"agent": ["FooBot"]}, TypeError),
        ({"profile": "rfc9310"}, UnknownProfile),
        ({"engine": "rust"}, EngineError),
        ({"content": 1}, TypeError),
    ],
)
def test_errors_are_those_of_a_parsed_file(arguments: dict[str, Any], error: type[Exception], engine: str) -> None:
    content, url, agent, profile, engine = (
        {"content": FILE, "url": "/", "agent": "FooBot", "profile": "rfc9309", "engine": engine} | arguments
    ).values()
    with pytest.raises(error) as parsed:
        canfetch.parse(content, profile=profile, engine=engine).allows(url, agent=agent)
    with pytest.raises(error) as once:
        canfetch.allows(content, url, agent=agent, profile=profile, engine=engine)
    assert str(once.value) == str(parsed.value)


def test_a_url_as_content_is_reported_at_the_call() -> None:
    with pytest.warns(UserWarning, match="is a URL, not the content") as warnings:
        canfetch.allows("https://example.com/robots.txt", "/", agent="x")
    assert warnings[0].filename == __file__
