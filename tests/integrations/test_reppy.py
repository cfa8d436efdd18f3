"""reppy's interface."""

import pickle
import threading
import time
from typing import Any

import pytest
from tests.servers.valid import respond
from tests.servers.web import Site

import canfetch
from canfetch.integrations import reppy
from canfetch.integrations.reppy import exceptions
from canfetch.integrations.reppy.cache import AgentCache, BaseCache, ExpiringObject, RobotsCache
from canfetch.integrations.reppy.cache.policy import CachePolicyBase, DefaultObjectPolicy, ReraiseExceptionPolicy
from canfetch.integrations.reppy.robots import Agent, AllowAll, AllowNone, Robots
from canfetch.integrations.reppy.ttl import HeaderWithDefaultPolicy, TTLPolicyBase

FILE = """\
User-agent: *
Disallow: /private/
Crawl-delay: 2.5

User-agent: OneBot
Disallow: /
Allow: /one/
Crawl-delay: 0

Sitemap: https://example.com/a.xml
"""
URL = "https://example.com/robots.txt"


@pytest.fixture(scope="module")
def robots() -> Robots:
    return Robots.parse(URL, FILE)


@pytest.mark.parametrize("name", ["onebot", b"OneBot", "OneBot/1.0 (+https://example.com/bot)"])
def test_names_are_text_or_bytes(robots: Robots, name: str | bytes) -> None:
    for agent_allows in (lambda path: robots.allowed(path, name), robots.agent(name).allowed):
        for path in ("https://example.com/two", b"https://example.com/two", "/two", b"/two", "two"):
            assert not agent_allows(path)
        assert agent_allows("/one/")
        assert agent_allows("/robots.txt")


def test_urls_of_other_hosts_are_disallowed(robots: Robots) -> None:
    for allowed in (lambda path: robots.allowed(path, "FooBot"), robots.agent("FooBot").allowed):
        assert not allowed("https://www.example.com/")
        assert not allowed(b"//www.example.com/")
        assert allowed("http://example.com:8080/")
        assert allowed("//example.com/")
    assert Robots.parse("", FILE).allowed("https://www.example.com/", "FooBot")


def test_agents_have_delays_lengths_and_text(robots: Robots) -> None:
    assert robots.agent("FooBot").delay == 2.5
    assert robots.agent("OneBot").delay is None
    assert len(robots.agent("OneBot")) == 2
    assert str(robots.agent("FooBot")) == "Crawl-Delay: 2.5 [Directive(Disallow: /private/)]"
    assert str(robots.agent("OneBot")) == "[Directive(Allow: /one/), Directive(Disallow: /)]"
    assert str(robots) == (
        '{"*": Crawl-Delay: 2.5 [Directive(Disallow: /private/)], '
        '"onebot": [Directive(Allow: /one/), Directive(Disallow: /)]}'
    )
    assert robots.sitemaps == ["https://example.com/a.xml"]


def test_an_agent_can_be_built() -> None:
    agent = Agent()
    assert agent.allowed("/")
    assert len(agent) == 0
    assert agent.disallow("/a").allow(b"/a/b#c").disallow("/d\nAllow: /") is agent
    assert not agent.allowed("/a")
    assert agent.allowed("https://example.com/a/b")
    assert agent.allowed("/d")
    assert len(agent) == 3


def test_changes_of_an_agent_do_not_change_the_file(robots: Robots) -> None:
    agent = robots.agent("FooBot").disallow("/public/")
    assert not agent.allowed("/public/")
    assert not agent.allowed("/private/")
    assert not agent.allowed("https://www.example.com/")
    assert agent.delay == 2.5
    assert robots.allowed("/public/", "FooBot")
    assert Agent.from_robots(robots, "FooBot").allowed("/public/")


def test_files_expire() -> None:
    fresh, old = Robots.parse(URL, FILE, time.time() + 60), Robots.parse(URL, FILE, expires=5)
    assert not fresh.expired
    assert 0 < fresh.ttl <= 60
    assert old.expired
    assert old.ttl == 0
    assert old.expires == 5
    unlimited = Robots(URL, FILE.encode())
    assert not unlimited.expired
    assert unlimited.ttl == float("inf")


def test_files_that_allow_everything_or_nothing() -> None:
    assert AllowAll(URL, 5).allowed("/", "FooBot")
    assert AllowAll(URL, 5).expired
    assert not AllowNone(URL).allowed("/", "FooBot")
    assert AllowNone(URL).allowed("/robots.txt", "FooBot")


def test_robots_url() -> None:
    assert Robots.robots_url("http://user@example.com:80/path;a?b#c") == "http://example.com/robots.txt"
    assert Robots.robots_url(b"https://example.com:8080") == "https://example.com:8080/robots.txt"
    with pytest.raises(ValueError, match="invalid"):
        Robots.robots_url("http://:::cnn.com/")


def test_invalid_arguments_raise(robots: Robots) -> None:
    with pytest.raises(TypeError):
        robots.allowed(None, "FooBot")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        robots.allowed("/", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Robots.parse(URL, None)  # type: ignore[arg-type]
    with pytest.raises(canfetch.CanfetchError, match="unknown"):
        Robots(URL, "", profile="reppy")


def test_files_and_agents_can_be_pickled(robots: Robots) -> None:
    # The data is this test's own.
    assert not pickle.loads(pickle.dumps(robots)).allowed("/private/", "FooBot")  # noqa: S301
    assert not pickle.loads(pickle.dumps(robots.agent("FooBot"))).allowed("/private/")  # noqa: S301


def test_a_fetch_parses_the_file(site: Site) -> None:
    site.serve("/robots.txt", respond(FILE.encode(), "Cache-Control: max-age=1200"))
    seen: list[Any] = []
    robots = reppy.Robots.fetch(
        f"{site.origin}/robots.txt",
        headers={"user-agent": "ExampleBot/1.0", "From": "bot@example.com"},
        timeout=(5, 20),
        after_response_hook=seen.append,
        after_parse_hook=seen.append,
    )
    response, parsed = seen
    assert parsed is robots
    assert (response.status_code, response.content) == (200, FILE.encode())
    assert response.headers["CACHE-CONTROL"] == response.headers.get("cache-control") == "max-age=1200"
    assert len(response.headers) == len(list(response.headers))
    assert 1100 < robots.ttl <= 1200
    assert not robots.allowed(f"{site.origin}/private/", "FooBot")
    (request,) = site.requests
    assert request.headers["user-agent"] == "ExampleBot/1.0"
    assert request.headers["from"] == "bot@example.com"


@pytest.mark.parametrize(
    "number, policy, kind",
    [(404, "rfc9309", AllowAll), (403, "rfc9309", AllowAll), (403, "draft1996", AllowNone)],
    ids=["404", "403", "403 in the draft"],
)
def test_client_errors_follow_the_access_policy(site: Site, number: int, policy: str, kind: type[Robots]) -> None:
    site.serve("/robots.txt", respond(b"", status=number))
    robots = Robots.fetch(f"{site.origin}/robots.txt", policy=policy, timeout=10)
    assert type(robots) is kind
    assert 3500 < robots.ttl <= 3600


def test_a_server_error_raises(site: Site) -> None:
    site.serve("/robots.txt", respond(b"", status=503))
    with pytest.raises(exceptions.BadStatusCode) as raised:
        Robots.fetch(f"{site.origin}/robots.txt")
    assert raised.value.args[1] == 503


@pytest.mark.parametrize("url", ["gobbledygook", "", "/robots.txt", "gopher://example.com/robots.txt"])
def test_a_malformed_url_raises(url: str) -> None:
    seen: list[Any] = []
    with pytest.raises(exceptions.ReppyException) as raised:
        Robots.fetch(url, after_response_hook=seen.append)
    assert seen == [raised.value]
    assert raised.value.url == url
    assert isinstance(raised.value, exceptions.MalformedUrl)


def test_failures_raise_and_are_reported(site: Site, tls_site: Site) -> None:
    with pytest.raises(exceptions.ConnectionException):
        Robots.fetch("http://name.invalid/robots.txt")
    with pytest.raises(exceptions.SSLException):
        Robots.fetch(f"{tls_site.origin}/robots.txt")
    site.serve("/robots.txt", respond(b"", "Location: /robots.txt", status=301))
    assert isinstance(Robots.fetch(f"{site.origin}/robots.txt"), AllowAll)
    with pytest.raises(exceptions.ExcessiveRedirects):
        Robots.fetch(f"{site.origin}/robots.txt", policy="rfc9309+redirect_overflow=unreachable")


def test_the_size_can_be_limited(site: Site) -> None:
    site.serve("/robots.txt", respond(FILE.encode()))
    with pytest.raises(exceptions.ContentTooLong):
        Robots.fetch(f"{site.origin}/robots.txt", max_size=5)
    assert Robots.fetch(f"{site.origin}/robots.txt", None, 1_048_576).robots.content == FILE.encode()


def test_invalid_options_raise() -> None:
    with pytest.raises(canfetch.CanfetchError, match="invalid timeout"):
        Robots.fetch(URL, timeout="soon")
    with pytest.raises(TypeError, match="proxies"):
        Robots.fetch(URL, proxies={})


class FakeResponse:
    """A response with headers only."""

    def __init__(self, **headers: str) -> None:
        self.headers = headers


DATE = "Sun, 22 Nov 2026 08:00:00 GMT"
LATER = "Sun, 22 Nov 2026 08:30:00 GMT"


@pytest.mark.parametrize(
    "headers, seconds",
    [
        ({}, 3600),
        ({"cache-control": "public, max-age=1200"}, 1200),
        ({"cache-control": 'S-MaxAge="1200"', "expires": DATE}, 1200),
        ({"cache-control": "max-age=5"}, 600),
        ({"cache-control": "max-age=99999999"}, 86400),
        ({"cache-control": "no-store, max-age=1200"}, 600),
        ({"cache-control": "max-age=x", "expires": LATER, "date": DATE}, 1800),
        ({"expires": "Thu, 01 Jan 1970 00:00:00 GMT"}, 600),
        ({"expires": "never"}, 3600),
        ({"expires": LATER, "date": "x"}, None),
    ],
    ids=str,
)
def test_headers_define_the_lifetime(headers: dict[str, str], seconds: float | None) -> None:
    policy = HeaderWithDefaultPolicy(default=3600, minimum=600)
    found = policy.ttl(FakeResponse(**headers))
    assert found == seconds if seconds is not None else 600 <= found <= 86400
    assert policy.expires(FakeResponse()) > time.time() + 3500


def test_base_classes_are_not_implemented() -> None:
    with pytest.raises(NotImplementedError):
        TTLPolicyBase().ttl(FakeResponse())
    with pytest.raises(NotImplementedError):
        CachePolicyBase().exception(URL, ValueError())
    with pytest.raises(NotImplementedError):
        BaseCache(1).fetch(URL)


def test_an_expiring_object_is_created_once_and_again_after_it_expires() -> None:
    results = iter([(time.time() + 600, "one"), (0, "two"), (0, ValueError("three"))])
    found = ExpiringObject(lambda: next(results))
    threads = [threading.Thread(target=found.get) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found.get() == "one"
    assert found.exception is None
    found.expires = 0
    assert found.get() == "two"
    with pytest.raises(ValueError, match="three"):
        found.get()
    assert str(found.exception) == "three"


def test_caches_fetch_once(site: Site) -> None:
    site.serve("/robots.txt", respond(FILE.encode()))
    cache = RobotsCache(capacity=10, timeout=10)
    agents = AgentCache("OneBot", capacity=10)
    for _ in range(2):
        assert not cache.allowed(f"{site.origin}/private/", "FooBot")
        assert cache.allowed(f"{site.origin}/one/", "OneBot")
        assert not agents.allowed(f"{site.origin}/two")
    assert isinstance(cache.get(f"{site.origin}/"), Robots)
    assert isinstance(agents.get(f"{site.origin}/"), Agent)
    assert site.count("/robots.txt") == 2


def test_a_cache_disallows_everything_after_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    url = "http://name.invalid/"
    assert isinstance(RobotsCache(1).get(url), AllowNone)
    assert not AgentCache("FooBot", 1).allowed(url)
    assert "cannot fetch http://name.invalid/robots.txt" in caplog.text
    policy = DefaultObjectPolicy(ttl=600, factory=AllowAll)
    assert RobotsCache(1, cache_policy=policy).allowed(url, "FooBot")
    with pytest.raises(exceptions.ConnectionException):
        RobotsCache(1, ReraiseExceptionPolicy(ttl=600)).get(url)


def test_a_cache_is_bounded() -> None:
    class LengthCache(BaseCache):
        def fetch(self, url: str) -> tuple[float, int]:
            return time.time() + 60, len(url)

    cache = LengthCache(2)
    for host in ("a", "b", "a", "c"):
        assert cache.get(f"https://{host}.example/x") == len("https://a.example/robots.txt")
    assert list(cache.cache) == ["https://a.example/robots.txt", "https://c.example/robots.txt"]
