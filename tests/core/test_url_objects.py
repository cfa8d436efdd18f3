"""URL objects of other libraries, wherever a URL is accepted."""

import asyncio
import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from unittest.mock import Mock
from urllib.parse import urlparse, urlsplit

import httpx2
import pytest
import yarl
from tests.access.conftest import Awaited, ScriptedOrigin

import canfetch
from canfetch.core.origin import find_origin

TEXT = "https://example.com/forbidden?b=1"
ROBOTS_URL = "https://example.com/robots.txt"
FILE = b"User-agent: *\nDisallow: /forbidden\nClean-param: b\n"


class TupleURL(NamedTuple):
    """A URL like that of rfc3986, whose `str` shows its fields."""

    scheme: str
    authority: str
    path: str

    @property
    def host(self) -> str:
        return self.authority

    def unsplit(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


class PlainURL:
    """A URL like that of pydantic, with attributes and `str`."""

    def __init__(self, text: str) -> None:
        self.scheme, self.host = text.partition("://")[0], "example.com"
        self._text = text

    def __str__(self) -> str:
        return self._text


LIBRARIES: dict[str, Callable[[str], Any]] = {
    "httpx2": httpx2.URL,
    "yarl": yarl.URL,
    "urlsplit": urlsplit,
    "urlparse": urlparse,
    "urlsplit-bytes": lambda text: urlsplit(text.encode()),
    "unsplit": lambda text: TupleURL(*re.fullmatch("(https)://([^/]*)(.*)", text).groups()),  # type: ignore[union-attr]
    "str": PlainURL,
}


@pytest.fixture(params=LIBRARIES)
def make(request: pytest.FixtureRequest) -> Callable[[str], Any]:
    """Return the function of each library in turn that makes a URL."""
    return LIBRARIES[request.param]


@pytest.fixture(params=["python", "native", "both"])
def any_engine(request: pytest.FixtureRequest) -> str:
    """Return each engine in turn, and both at once."""
    name: str = request.param
    if name != "python":
        request.getfixturevalue("both_engines")
    return name


def test_file_and_rules_accept_url_objects(make: Callable[[str], Any], any_engine: str) -> None:
    robots = canfetch.parse(FILE, url=make(ROBOTS_URL), engine=any_engine)
    assert robots.origin == canfetch.Origin.from_url(make(TEXT)) == find_origin(make(TEXT))
    rules = robots.rules_for("a")
    assert not robots.allows(make(TEXT), agent="a")
    assert not robots.allows(make(TEXT), agent="a")
    assert robots.decide(make(TEXT), agent="a") == robots.decide(TEXT, agent="a")
    assert not rules.allows(make(TEXT))
    assert rules.decide(make(TEXT)) == rules.decide(TEXT)
    assert rules.allows_many([make(TEXT), "/open", make(ROBOTS_URL)]) == [False, True, True]
    assert robots.canonical(make(TEXT)) == "https://example.com/forbidden"
    assert robots.usage(make(TEXT), agent="a", purpose="training").verdict.line == 2
    assert robots.page_rules(make(TEXT), agent="a") == ()
    assert robots.with_url(make("https://www.example.com/robots.txt")).origin != robots.origin
    assert canfetch.robots_url(make(TEXT)) == ROBOTS_URL


def test_errors_show_the_text_of_the_url(make: Callable[[str], Any], any_engine: str) -> None:
    robots = canfetch.parse(FILE, url="https://www.example.com/robots.txt", engine=any_engine)
    for function in (robots.rules_for("a").allows, robots.rules_for("a").decide):
        with pytest.raises(canfetch.OriginMismatch, match=r"^b?'https://example.com/forbidden\?b=1' belongs to"):
            function(make(TEXT))
    with pytest.raises(canfetch.OriginMismatch) as caught:
        robots.rules_for("a").allows_many(["/", make(TEXT)])
    assert caught.value.index == 1


@pytest.mark.parametrize(
    "url", [urlsplit("fish"), PlainURL("mailto:a@example.com"), yarl.URL("fish"), httpx2.URL("fish")]
)
def test_url_object_that_is_not_absolute_raises(url: Any, any_engine: str) -> None:
    rules = canfetch.parse(FILE, engine=any_engine).rules_for("a")
    for function in (rules.allows, rules.decide, canfetch.robots_url):
        with pytest.raises(
            canfetch.InvalidURL, match=r"^invalid URL '(fish|mailto:a@example.com)': expected an absolute"
        ):
            function(url)
    with pytest.raises(canfetch.InvalidURL) as caught:
        rules.allows_many(["/", url])
    assert caught.value.index == 1


@pytest.mark.parametrize(
    "value",
    [
        7,
        7.5,
        None,
        True,
        Path("/fish"),
        PurePosixPath("/fish"),
        ["/fish"],
        bytearray(b"/"),
        date(2026, 1, 1),
        object(),
        Mock(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_objects_raise(value: Any, any_engine: str) -> None:
    robots = canfetch.parse(FILE, engine=any_engine)
    rules = robots.rules_for("a")
    expected = (
        rf"^invalid URL of type {type(value).__name__}: expected str or bytes, or a URL object such as httpx2\.URL$"
    )
    for function in (rules.allows, rules.decide, canfetch.robots_url, lambda url: robots.allows(url, agent="b")):
        with pytest.raises(TypeError, match=expected):
            function(value)
    with pytest.raises(TypeError, match=rf"^invalid URL of type {type(value).__name__} \(index 1\): expected"):
        rules.allows_many(["/", value])


def test_clients_accept_url_objects(make: Callable[[str], Any], tmp_path: Path) -> None:
    with (
        canfetch.EvidenceRecorder(tmp_path) as recorder,
        canfetch.Client(user_agent="a", transport=ScriptedOrigin()) as client,
        canfetch.Client(user_agent="a", transport=ScriptedOrigin(), evidence=recorder) as recording,
    ):
        for _ in range(2):
            assert not client.allows(make(TEXT))
            assert client.allows(make(ROBOTS_URL), agent="b")
            assert client.decide(make(TEXT)).line == client.decide(TEXT).line == 2
        assert client.robots(make(TEXT)).origin == canfetch.Origin.from_url(TEXT)
        assert client.cached_state(make(TEXT)) is client.origin_state(make(TEXT))
        assert not recording.allows(make(TEXT))
    [segment] = tmp_path.glob("*.ndjson")
    urls = [json.loads(line).get("url") for line in segment.read_text(encoding="utf-8").splitlines()]
    assert TEXT in urls

    async def run() -> bool:
        async with canfetch.AsyncClient(user_agent="a", transport=Awaited(ScriptedOrigin())) as client:
            assert (await client.decide(make(TEXT))).line == 2
            return await client.allows(make(TEXT))

    assert not asyncio.run(run())


def test_unavailable_and_unreachable_origins_accept_url_objects(make: Callable[[str], Any]) -> None:
    for status, allowed in ((404, True), (503, False)):
        with canfetch.Client(user_agent="a", transport=ScriptedOrigin({"status": status})) as client:
            assert client.allows(make(TEXT)) is allowed
            assert client.allows(make(TEXT)) is allowed
            assert client.decide(make(TEXT)).allowed is allowed
