"""The robots.txt of the target of a redirect is the file of its own origin too."""

import asyncio
import json
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.access.client_harness import open_client
from tests.access.scripted_web import ScriptedWeb
from tests.servers.certificates import Authority
from tests.servers.fixtures import authority
from tests.servers.redirects import redirect
from tests.servers.valid import rules
from tests.servers.web import Site
from tests.transports.harness import LOOPBACK, TRANSPORT_NAMES

from canfetch.access.entries import CacheEntry
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.stores import Store
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest

__all__ = ["authority"]

FIRST, TARGET = "http://example.com", "https://www.example.com"
FIRST_URL, TARGET_URL = f"{FIRST}/robots.txt", f"{TARGET}/robots.txt"
REDIRECT: dict[str, dict[str, Any]] = {FIRST_URL: {"location": TARGET_URL}, TARGET_URL: {"status": 200}}
HOUR = 3600.0
OPEN, CLOSED = {"body": "User-agent: *\nDisallow: /old\n"}, {"body": "User-agent: *\nDisallow: /\n"}


def make_client(web: ScriptedWeb, store: Store | None = None, now: float = 0.0, **options: Any) -> Client:
    defaults: dict[str, Any] = {"user_agent": "ExampleBot/1.0", "clock": lambda: now}
    return Client(transport=web, store=store, **(defaults | options))


@pytest.mark.parametrize("transport_name", TRANSPORT_NAMES)
def test_one_request_for_each_url(transport_name: str, authority: Authority) -> None:
    with Site(behaviours={"rules": rules}) as target:
        behaviours = {"middle": redirect(target.robots_url("rules"), 301)}
        with Site(behaviours=behaviours) as middle:
            behaviours = {"first": redirect(middle.robots_url("middle"), 308)}
            with (
                Site(behaviours=behaviours) as first,
                open_client(transport_name, ssl_context=authority.client(), resolve=LOOPBACK) as client,
            ):
                sites = [first, middle, target]
                for url in (first.robots_url("first"), target.robots_url("rules"), middle.robots_url("middle")):
                    origin = url.removesuffix("/robots.txt")
                    assert client.allows(f"{origin}/", f"{origin}/private") == [True, False]
                    assert [len(site.requests) for site in sites] == [1, 1, 1]
                states = [
                    client.origin_state(site.robots_url(label))
                    for site, label in zip(sites, ("first", "middle", "rules"), strict=True)
                ]
                assert [len(state.entry.hops) for state in states] == [2, 1, 0]
                assert {state.entry.url for state in states} == {target.robots_url("rules")}


@pytest.mark.parametrize("name, requests", [("Authorization", 2), ("X-Api-Key", 2), ("From", 1)])
def test_file_that_was_requested_without_credentials_is_not_shared(name: str, requests: int) -> None:
    web = ScriptedWeb(REDIRECT)
    with make_client(web, headers={name: "bot@example.com"}) as client:
        client.allows(FIRST)
        client.allows(TARGET)
    assert [request.url for request in web.requests].count(TARGET_URL) == requests
    web = ScriptedWeb(REDIRECT)
    with make_client(web, headers={name: "bot@example.com"}) as client:
        client.allows(TARGET)
        client.allows(FIRST)
    assert [request.url for request in web.requests].count(TARGET_URL) == requests


class Session(ScriptedWeb):
    """A transport that has a cookie for the target, from its first response on or from the start."""

    def __init__(self, *, has_cookie: bool) -> None:
        super().__init__(REDIRECT)
        self._has_cookie = has_cookie

    def adds_credentials(self, url: str) -> bool:
        return self._has_cookie and url == TARGET_URL

    def send(self, request: TransportRequest) -> Response | Failure:
        self._has_cookie |= request.url == TARGET_URL
        return super().send(request)


@pytest.mark.parametrize(
    "has_cookie, origins, requested",
    [
        (True, [FIRST, TARGET], [FIRST_URL, TARGET_URL, TARGET_URL]),
        (True, [TARGET, FIRST], [TARGET_URL, FIRST_URL, TARGET_URL]),
        (False, [FIRST, TARGET], [FIRST_URL, TARGET_URL]),
        (False, [TARGET, FIRST], [TARGET_URL, FIRST_URL, TARGET_URL]),
    ],
)
def test_file_is_shared_unless_the_transport_adds_credentials(
    *, has_cookie: bool, origins: list[str], requested: list[str]
) -> None:
    web = Session(has_cookie=has_cookie)
    with make_client(web) as client:
        for origin in origins:
            client.allows(origin)
    assert web.urls == requested


def test_vary_of_the_target_counts_for_its_origin() -> None:
    store = MemoryStore()
    web = ScriptedWeb(
        {
            FIRST_URL: {"location": TARGET_URL, "headers": {"Vary": "User-Agent"}},
            TARGET_URL: {"headers": {"Vary": "X-Region"}},
        }
    )
    make_client(web, store).allows(FIRST)
    assert web.urls == [FIRST_URL, TARGET_URL]
    entries = {key: store.get(key) for key in store.keys()}  # noqa: SIM118 - a store is not a dictionary
    names = {key: [field.name for field in entry.vary] for key, entry in entries.items() if entry is not None}
    assert names == {FIRST: ["user-agent", "x-region"], TARGET: ["x-region"]}
    # The redirect varies by the user agent, the file does not.
    other = make_client(web, store, user_agent="OtherBot/1.0")
    assert not other.allows(f"{TARGET}/forbidden")
    assert web.urls == []
    assert not other.allows(f"{FIRST}/forbidden")
    assert web.urls == [FIRST_URL]
    regional = make_client(web, store, headers={"X-Region": "north"})
    regional.allows(TARGET)
    regional.allows(FIRST)
    assert web.urls == [TARGET_URL, FIRST_URL]
    assert [field.name for field in regional.origin_state(FIRST).entry.vary] == ["user-agent", "x-region"]


def test_a_file_that_a_redirect_led_to_is_stored_while_another_worker_has_the_lease() -> None:
    """The worker that has the lease looks for newer entries at the end of its fetch."""
    store = MemoryStore()
    assert store.acquire_lease(TARGET, holder="another worker", seconds=60)
    make_client(ScriptedWeb(REDIRECT), store).allows(FIRST)
    assert sorted(store.keys()) == [FIRST, TARGET]
    assert list(store._leases) == [TARGET]


class Overlapping(ScriptedWeb):
    """A web in which the first request for the target is answered after a second fetch of it has ended.

    Args:
        old: The answer to the first request.
        new: The answer to the second one.
    """

    def __init__(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        super().__init__({FIRST_URL: {"location": TARGET_URL}, TARGET_URL: new})
        self._old = old
        self.second: Callable[[], object] | None = None

    def send(self, request: TransportRequest) -> Response | Failure:
        if request.url == TARGET_URL and self.second is not None:
            second, self.second = self.second, None
            # Another thread, as the lock of an origin is not acquired twice by one thread.
            thread = threading.Thread(target=second)
            thread.start()
            thread.join()
            return ScriptedWeb({request.url: self._old}).send(request)
        return super().send(request)


@pytest.mark.parametrize("stores", ["none", "one client", "two clients"])
@pytest.mark.parametrize(
    "old", [OPEN, {"status": 404}, {"status": 503}, {"location": "https://other.example/robots.txt"}]
)
@pytest.mark.parametrize("first, second", [(FIRST, TARGET), (TARGET, FIRST)])
def test_the_answer_to_the_newer_request_counts(first: str, second: str, old: dict[str, Any], stores: str) -> None:
    """A direct fetch and a redirect request one file at the same time, and the older request is answered later."""
    web = Overlapping(old, CLOSED)
    store = None if stores == "none" else MemoryStore()
    ticks = count(1.0)
    client = make_client(web, store, clock=lambda: next(ticks))
    other = make_client(web, store, clock=lambda: next(ticks)) if stores == "two clients" else client
    web.second = lambda: other.refresh(second)
    client.refresh(first)
    for reader in (client, other, *([] if store is None else [make_client(web, store, clock=lambda: next(ticks))])):
        assert not reader.allows(f"{TARGET}/page")
    assert web.urls.count(TARGET_URL) == 1


class OvertakenWeb(ScriptedWeb):
    """A web in which another worker fetches the target just after this one did."""

    def __init__(self, store: Store) -> None:
        super().__init__(REDIRECT)
        self._store = store

    def send(self, request: TransportRequest) -> Response | Failure:
        answer = super().send(request)
        if request.url == TARGET_URL:
            missing = ScriptedWeb({})
            make_client(missing, self._store, now=10.0).allows(TARGET)
        return answer


def test_newer_entry_of_another_worker_stays() -> None:
    store = MemoryStore()
    make_client(OvertakenWeb(store), store, now=5.0).allows(FIRST)
    entry = store.get(TARGET)
    assert entry is not None
    assert (entry.status, entry.fetched_at) == (404, 10.0)


def test_failure_under_limits_is_shared_as_such() -> None:
    store = MemoryStore()

    class Public(ScriptedWeb):
        def send(self, request: TransportRequest) -> Response | Failure:
            answer = super().send(request)
            if request.url == TARGET_URL and not request.allow_private:
                return Failure(request.url, FailureKind.FORBIDDEN_ADDRESS, "not public")
            return answer

    web = Public(REDIRECT)
    make_client(web, store, allow_private=False).allows(FIRST)
    make_client(web, store, allow_private=False).allows(TARGET)
    assert web.urls == [FIRST_URL, TARGET_URL]
    assert not make_client(web, store).allows(f"{TARGET}/forbidden")
    assert web.urls == [TARGET_URL]
    assert make_client(web, store).allows(f"{TARGET}/open")


def test_refresh_requests_the_target() -> None:
    web = ScriptedWeb(REDIRECT)
    with make_client(web) as client:
        client.allows(TARGET)
        client.origin_state(FIRST, refresh=True)
    assert web.urls == [TARGET_URL, FIRST_URL, TARGET_URL]


def test_refresh_renews_the_target() -> None:
    now = [0.0]
    web = ScriptedWeb(REDIRECT)
    with make_client(web, clock=lambda: now[0]) as client:
        client.allows(TARGET)
        now[0] = HOUR
        client.origin_state(FIRST, refresh=True)
        assert client.origin_state(TARGET).entry.fetched_at == HOUR


@pytest.mark.parametrize("has_store", [False, True])
@pytest.mark.parametrize("step", [-1.0, -290.0, -HOUR, HOUR])
def test_refresh_renews_the_target_after_the_clock_was_set(step: float, *, has_store: bool) -> None:
    now = [100 * HOUR]
    web = ScriptedWeb({**REDIRECT, TARGET_URL: OPEN})
    store = MemoryStore() if has_store else None
    with make_client(web, store, clock=lambda: now[0]) as client:
        assert client.allows(f"{TARGET}/page")
        now[0] += step
        web.responses[TARGET_URL] = CLOSED
        client.origin_state(FIRST, refresh=True)
        assert not client.allows(f"{TARGET}/page")


def test_failure_does_not_replace_a_fresh_entry_of_the_target() -> None:
    now = [0.0]
    web = ScriptedWeb(REDIRECT)
    with make_client(web, clock=lambda: now[0]) as client:
        client.allows(TARGET)
        now[0] = HOUR
        web.responses[TARGET_URL] = {"status": 503}
        state = client.origin_state(FIRST, refresh=True)
        assert str(state.entry.outcome.access) == "unreachable"
        assert client.origin_state(TARGET).entry.fetched_at == 0.0


def test_copy_of_the_target_counts_from_its_fetch(tmp_path: Path) -> None:
    now = [0.0]
    web = ScriptedWeb(REDIRECT)
    with EvidenceRecorder(tmp_path) as recorder, make_client(web, clock=lambda: now[0], evidence=recorder) as client:
        client.allows(TARGET)
        now[0] = HOUR
        client.decide(f"{FIRST}/forbidden")
        entry = client.origin_state(FIRST).entry
        record = json.loads(recorder.path.read_text().splitlines()[-1])["robots"]
    assert web.urls == [TARGET_URL, FIRST_URL]
    assert isinstance(entry, CacheEntry)
    assert entry.copy is not None
    assert (entry.fetched_at, entry.next_fetch_at, entry.copy.fetched_at) == (HOUR, 24 * HOUR, 0.0)
    assert record["origin"] == FIRST
    assert record["url"] == record["copy"]["url"] == TARGET_URL
    assert record["hops"] == [[FIRST_URL, 301, TARGET_URL]]
    assert record["copy"]["fetched_at"] == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize("origins", [[FIRST, TARGET], [TARGET, FIRST]])
def test_site_that_is_known_to_be_misconfigured(origins: list[str]) -> None:
    """Only the origin that the client lists reads 5xx as 404."""
    web = ScriptedWeb({FIRST_URL: {"location": TARGET_URL}, TARGET_URL: {"status": 500}})
    with make_client(web, policy="google2019", misconfigured_origins=[TARGET]) as client:
        allowed = {origin: client.allows(f"{origin}/forbidden") for origin in origins}
    assert allowed == {FIRST: False, TARGET: True}


def test_304_of_a_copy_that_is_not_a_robots_txt_is_not_shared() -> None:
    page = "<!doctype html><html><body></body></html>"
    web = ScriptedWeb({FIRST_URL: {"location": TARGET_URL}, TARGET_URL: {"body": page, "headers": {"ETag": '"1"'}}})
    store = MemoryStore()
    make_client(web, store, revalidate=True).allows(FIRST)
    store.delete(TARGET)
    web.responses[TARGET_URL] = {"status": 304}
    text = json.dumps(store._entries[FIRST] | {"policy": "rfc9309+not_robots=unreachable"})
    store._entries[f"{FIRST}#rfc9309+not_robots=unreachable"] = json.loads(text)
    client = make_client(web, store, 25 * HOUR, revalidate=True, policy="rfc9309+not_robots=unreachable")
    assert not client.allows(f"{FIRST}/open")
    assert TARGET not in "".join(store.keys())


def test_statistics_count_the_requests_that_were_sent() -> None:
    middle = "http://middle.example/robots.txt"
    web = ScriptedWeb({FIRST_URL: {"location": middle}, middle: {"location": TARGET_URL}, TARGET_URL: {}})
    with make_client(web) as client:
        client.allows("http://middle.example")
        client.allows(FIRST)
        client.allows(TARGET)
        stats = client.stats
    assert web.urls == [middle, TARGET_URL, FIRST_URL]
    assert (stats.fetches, stats.requests, stats.redirects) == (2, 3, 2)


@pytest.mark.parametrize(
    "response", [{"status": 503, "headers": {"Retry-After": "3600"}}, {"status": 429}, {"failure": "refused"}]
)
def test_origin_that_backs_off_gets_no_request_from_redirects(response: dict[str, Any]) -> None:
    others = [f"http://{number}.example" for number in range(3)]
    web = ScriptedWeb({TARGET_URL: response, **{f"{other}/robots.txt": {"location": TARGET_URL} for other in others}})
    with make_client(web) as client:
        failed = client.origin_state(TARGET).entry
        for other in others:
            entry = client.origin_state(other).entry
            assert (entry.outcome, entry.status, entry.url) == (failed.outcome, failed.status, TARGET_URL)
            assert (entry.failures, entry.copy, len(entry.hops)) == (1, None, 1)
            assert entry.next_fetch_at >= failed.next_fetch_at
        assert web.urls == [TARGET_URL, *(f"{other}/robots.txt" for other in others)]


def test_copy_of_an_origin_stays_while_the_target_of_its_redirect_backs_off() -> None:
    now = [0.0]
    web = ScriptedWeb({FIRST_URL: {"status": 200}, TARGET_URL: {"status": 503}})
    with make_client(web, clock=lambda: now[0]) as client:
        client.allows(FIRST)
        now[0] = 25 * HOUR
        client.allows(TARGET)
        web.responses[FIRST_URL] = {"location": TARGET_URL}
        assert client.allows(f"{FIRST}/open")
        assert not client.allows(f"{FIRST}/forbidden")
    assert web.urls == [FIRST_URL, TARGET_URL, FIRST_URL]


def test_failure_under_the_limits_of_another_client_does_not_answer_a_redirect() -> None:
    store = MemoryStore()
    web = ScriptedWeb({FIRST_URL: {"location": TARGET_URL}, TARGET_URL: {"failure": "never-answers"}})
    make_client(web, store).allows(TARGET)
    make_client(web, store).allows(FIRST)
    assert web.urls == [TARGET_URL, FIRST_URL]
    web.responses[TARGET_URL] = {"status": 200}
    assert make_client(web, store, timeout=60.0).allows(f"{FIRST}/open")


def test_site_that_is_known_to_be_misconfigured_is_requested_although_the_target_backs_off() -> None:
    web = ScriptedWeb({FIRST_URL: {"location": TARGET_URL}, TARGET_URL: {"status": 500}})
    with make_client(web, policy="google2019", misconfigured_origins=[FIRST]) as client:
        assert not client.allows(TARGET)
        assert client.allows(FIRST)
    assert web.urls == [TARGET_URL, FIRST_URL, TARGET_URL]


class LateTarget:
    """A transport on which an origin redirects to the robots.txt of another one, whose first answer is late and old."""

    def __init__(self) -> None:
        self.is_requested = asyncio.Event()
        self.is_answered = asyncio.Event()

    async def send(self, request: TransportRequest) -> Response:
        if request.url.startswith("https://a.example/"):
            return Response(request.url, 301, (("Location", "https://b.example/robots.txt"),), b"")
        if not self.is_requested.is_set():
            self.is_requested.set()
            await self.is_answered.wait()
            return Response(request.url, 200, (), b"User-agent: *\nAllow: /\n")
        return Response(request.url, 200, (), b"User-agent: *\nDisallow: /\n")

    async def close(self) -> None:
        """Close nothing."""


@pytest.mark.parametrize("has_store", [False, True])
@pytest.mark.parametrize("refresh", [False, True])
def test_an_older_answer_of_a_redirect_does_not_replace_a_newer_file(*, has_store: bool, refresh: bool) -> None:
    async def main() -> None:
        transport = LateTarget()
        store = MemoryStore() if has_store else None
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=transport, store=store) as client:
            redirected = asyncio.create_task(client.allows("https://a.example/x"))
            await transport.is_requested.wait()
            await client.origin_state("https://b.example/", refresh=refresh)
            assert not await client.allows("https://b.example/x")
            transport.is_answered.set()
            assert await redirected
            assert not await client.allows("https://b.example/x")

    asyncio.run(main())
