"""What both clients return about an origin: its file, its access, and the records of the file."""

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.client.either import BOTH, EitherClient

import canfetch
from canfetch.access.responses import Failure, Response
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.transports import TransportRequest
from canfetch.core.verdict import Access, AccessInfo, Effect
from canfetch.errors import ClientClosed

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
URL = "https://example.com/fish"
FILE = b"""\
User-agent: ExampleBot
Crawl-delay: 7
Disallow: /private

User-agent: *
Disallow: /

Sitemap: https://example.com/sitemap.xml
Sitemap: /relative.xml
"""
DAY = 86_400.0

Query = Callable[..., Any]


class FileOrigin(ScriptedOrigin):
    """An origin that serves `FILE`, or plays an event if it has one."""

    def __init__(self, event: dict[str, Any] | None = None) -> None:
        super().__init__(event)
        self.has_file = event is None

    def send(self, request: TransportRequest) -> Response | Failure:
        answer = super().send(request)
        return Response(request.url, 200, (), FILE) if self.has_file else answer


@pytest.fixture(params=["sync", "async"])
def query(request: pytest.FixtureRequest) -> Query:
    """Return a function that calls a method of each client in turn."""

    def call(method: str, *arguments: Any, event: dict[str, Any] | None = None, at: Any = None, **keywords: Any) -> Any:
        options = keywords.pop("options", {})
        if at is not None:
            options = {**options, "clock": at}
        with EitherClient(request.param, FileOrigin(event), **options) as client:
            return getattr(client, method)(*arguments, **keywords)

    return call


def test_robots_returns_the_parsed_file(query: Query, engine: str) -> None:
    robots = query("robots", URL, options={"engine": engine, "profile": "google"})
    assert robots.content == FILE
    assert robots.profile == "google"
    assert robots.origin == canfetch.Origin.from_url(URL)
    assert not robots.allows("https://example.com/private", agent="ExampleBot")
    assert robots.allows("/fish", agent="ExampleBot")
    assert pickle.loads(pickle.dumps(robots)).origin == robots.origin  # noqa: S301 - our own pickle


def test_robots_rejects_urls_of_other_origins(query: Query, engine: str) -> None:
    robots = query("robots", URL, options={"engine": engine})
    for function in (robots.allows, robots.decide):
        with pytest.raises(canfetch.OriginMismatch, match=r"use https://www\.example\.com/robots\.txt"):
            function("https://www.example.com/fish", agent="ExampleBot")


def test_origins_with_one_file_have_their_own_robots() -> None:
    with canfetch.Client(user_agent=USER_AGENT, transport=FileOrigin()) as client:
        first, second = client.robots("https://a.example/"), client.robots("https://b.example:8443/")
    assert (str(first.origin), str(second.origin)) == ("https://a.example", "https://b.example:8443")
    assert first.allows("https://a.example/", agent="ExampleBot")
    with pytest.raises(canfetch.OriginMismatch):
        second.allows("https://a.example/", agent="ExampleBot")


def test_rfc9309_2_3_1_3_robots_of_an_unavailable_origin_is_empty(query: Query) -> None:
    robots = query("robots", URL, event={"status": 404})
    assert robots.content == b""
    assert robots.allows(URL, agent="ExampleBot")
    with pytest.raises(canfetch.OriginMismatch):
        robots.allows("https://other.example/", agent="ExampleBot")


@pytest.mark.parametrize("event", [{"status": 503}, {"failure": "refused"}, {"failure": "bad-tls"}])
def test_rfc9309_2_3_1_4_robots_of_an_unreachable_origin_raises(query: Query, event: dict[str, Any]) -> None:
    with pytest.raises(
        canfetch.OriginDisallowed, match=r"no robots.txt applies to https://example.com, and everything is disallowed: "
    ) as caught:
        query("robots", URL, event=event)
    assert isinstance(caught.value, OSError)


def test_robots_follows_the_access_policy(query: Query) -> None:
    assert query("robots", URL, event={"status": 503}, options={"policy": "yandex"}).content == b""
    with pytest.raises(canfetch.OriginDisallowed):
        query("robots", URL, event={"status": 403}, options={"policy": "draft1996"})


def test_robots_of_an_origin_that_became_unreachable_is_the_last_good_copy() -> None:
    now, origin = 1e9, FileOrigin()
    with canfetch.Client(
        user_agent=USER_AGENT, transport=origin, store=MemoryStore(), policy="google", clock=lambda: now
    ) as client:
        client.robots(URL)
        origin.has_file, origin.event = False, {"status": 503}
        now += 2 * DAY
        with pytest.raises(canfetch.OriginDisallowed):
            client.robots(URL)
        now += DAY
        assert client.robots(URL).content == FILE
        assert client.crawl_delay(URL) == 7
        assert len(client.sitemaps(URL)) == 2
        assert "last good copy" in client.access(URL).explanation
        now += 40 * DAY
        assert client.robots(URL, site_reachable=True).content == b""
        assert client.access(URL, site_reachable=True).effect == "full-allow"
        assert client.access(URL).effect == "full-disallow"
        with pytest.raises(canfetch.OriginDisallowed, match="unknown whether the site is reachable"):
            client.robots(URL)


@pytest.mark.parametrize(
    "agent, delay", [(None, 7.0), ("ExampleBot", 7.0), ("OtherBot", None), (canfetch.Agent("ExampleBot"), 7.0)]
)
def test_crawl_delay_of_the_agent(query: Query, agent: Any, delay: float | None) -> None:
    assert query("crawl_delay", URL, agent=agent) == delay


def test_sitemaps_as_written(query: Query) -> None:
    assert query("sitemaps", URL) == ("https://example.com/sitemap.xml", "/relative.xml")


@pytest.mark.parametrize("event", [{"status": 404}, {"status": 503}, {"failure": "refused"}])
def test_without_a_file_there_is_no_delay_and_no_sitemap(query: Query, event: dict[str, Any]) -> None:
    assert query("crawl_delay", URL, event=event) is None
    assert query("sitemaps", URL, event=event) == ()


@pytest.mark.parametrize(
    "event, access, effect",
    [
        (None, "successful", "conditional-allow"),
        ({"status": 404}, "unavailable", "full-allow"),
        ({"status": 503}, "unreachable", "full-disallow"),
    ],
)
def test_access_is_that_of_the_verdicts(query: Query, event: dict[str, Any] | None, access: str, effect: str) -> None:
    info = query("access", URL, event=event, at=lambda: 1e9)
    assert isinstance(info, AccessInfo)
    assert (info.access, info.effect, info.robots_url) == (access, effect, "https://example.com/robots.txt")
    assert info.access is Access(access)
    assert info.effect is Effect(effect)
    assert query("decide", URL, event=event, at=lambda: 1e9).access == info


@pytest.mark.parametrize("method", ["robots", "crawl_delay", "sitemaps", "access"])
def test_methods_share_the_fetch_and_reject_invalid_urls(method: str) -> None:
    origin = FileOrigin()
    client = canfetch.Client(user_agent=USER_AGENT, transport=origin)
    call = getattr(client, method)
    call(URL)
    assert client.allows(URL)
    assert len(origin.requests) == 1
    with pytest.raises(canfetch.InvalidURL):
        call("/fish")
    client.close()
    call(URL)
    with pytest.raises(ClientClosed):
        call("https://other.example/")


def test_invalid_agent_of_crawl_delay_raises(query: Query) -> None:
    with pytest.raises(canfetch.InvalidProductToken):
        query("crawl_delay", URL, agent="ExampleBot/1.0", event={"status": 404})


@pytest.mark.parametrize("event", [None, {"status": 404}, {"status": 503}])
def test_verdict_of_a_client_can_be_copied_and_pickled(query: Query, event: dict[str, Any] | None) -> None:
    verdict = query("decide", URL, event=event)
    assert type(verdict) is canfetch.ClientVerdict
    assert isinstance(verdict, canfetch.Verdict)
    for same in (
        copy.deepcopy(verdict),
        pickle.loads(pickle.dumps(verdict)),  # noqa: S301 - our own pickle
        verdict._replace(allowed=verdict.allowed),
    ):
        assert type(same) is canfetch.ClientVerdict
        assert same == verdict
    assert verdict.to_json()["access"] == verdict.access.to_json()
    assert list(verdict.to_json()) == list(canfetch.parse(FILE).decide("/", agent="a").to_json())
    assert str(verdict)
    with pytest.raises(TypeError, match=r"use \.allowed"):
        bool(verdict)


def test_both_clients_have_the_same_methods() -> None:
    def methods(client: type) -> dict[str, list[str]]:
        return {
            name: list(inspect.signature(member).parameters)
            for name, member in inspect.getmembers(client, inspect.isfunction)
            if not name.startswith("_")
        }

    assert methods(canfetch.Client) == methods(canfetch.AsyncClient)


@BOTH
def test_cached_state_is_in_memory_and_fresh(kind: str) -> None:
    now = 1e9
    client = EitherClient(kind, FileOrigin(), clock=lambda: now)
    assert client.cached_state(URL) is None
    state = client.origin_state(URL)
    assert client.cached_state("https://EXAMPLE.com:443/other") is state
    now += 2 * DAY
    assert client.cached_state(URL) is None
    assert client.cached_state(URL, offline=True) is state
    with pytest.raises(canfetch.InvalidURL):
        client.cached_state("/fish")
