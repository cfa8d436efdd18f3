"""Clients with different request headers at one origin: variants, their leases, and their number."""

import threading

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.access.scripted_web import ScriptedWeb
from tests.client.either import BOTH, EitherClient

from canfetch.access.entries import CacheEntry, entry_key
from canfetch.access.responses import Failure, Response
from canfetch.client.stores import Store
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest

URL = "https://example.com/forbidden"
VARYING = {"headers": {"Vary": "User-Agent"}}
HOUR = 3600.0


def make_client(store: Store, origin: ScriptedOrigin | ScriptedWeb, user_agent: str, now: float = 0.0) -> Client:
    return Client(user_agent=user_agent, transport=origin, store=store, clock=lambda: now)


def entries(store: Store) -> list[CacheEntry]:
    return [entry for key in store.keys() if (entry := store.get(key))]  # noqa: SIM118 - a store is not a dictionary


@pytest.mark.parametrize(
    "first, last, requests",
    [
        ({"Vary": "User-Agent"}, {}, 2),
        ({}, {"Vary": "User-Agent"}, 2),
        ({"Vary": "Cookie"}, {"Vary": "Origin"}, 0),
    ],
)
def test_rfc9111_4_1_vary_of_redirects_counts(first: dict[str, str], last: dict[str, str], requests: int) -> None:
    store = MemoryStore()
    target = "https://www.example.com/files/robots.txt"
    redirect = {"location": target, "headers": first}
    origin = ScriptedWeb({"https://example.com/robots.txt": redirect, target: {"headers": last}})
    make_client(store, origin, "OneBot/1.0").allows(URL)
    make_client(store, origin, "OtherBot/1.0").allows(URL)
    assert len(origin.requests) == 2 + requests
    make_client(store, origin, "OneBot/1.0").allows(URL)
    make_client(store, origin, "OtherBot/1.0").allows(URL)
    assert len(origin.requests) == 2 + requests


def test_server_cannot_choose_the_number_of_variants() -> None:
    store = MemoryStore()
    origin = ScriptedOrigin()
    for day in range(20):
        for user_agent in ("OneBot/1.0", "OtherBot/1.0", "ThirdBot/1.0"):
            origin.event = {"headers": {"Vary": f"User-Agent, x-{day}-{user_agent[:3]}"}}
            make_client(store, origin, user_agent, now=day * 25 * HOUR).allows(URL)
    assert len(origin.requests) == 60
    # The last entry that serves every crawler is a variant too, but there is none.
    assert [entry.variant[:8] for entry in entries(store)] == ["", "headers-", "headers-"]


def test_variant_is_fetched_under_its_own_lease() -> None:
    store = MemoryStore()
    leases: list[dict[str, str]] = []

    class Observed(ScriptedOrigin):
        def send(self, request: TransportRequest) -> Response | Failure:
            leases.append({key: lease.holder for key, lease in store._leases.items()})
            return super().send(request)

    origin = Observed(VARYING)
    make_client(store, origin, "OneBot/1.0").allows(URL)
    assert store.acquire_lease("https://example.com", holder="another worker", seconds=60)
    # Does not wait for the worker that fetches the entry of the other crawler.
    make_client(store, origin, "OtherBot/1.0").allows(URL)
    assert [len(held) for held in leases] == [1, 2]
    assert list(leases[0]) == ["https://example.com"]
    (variant,) = {entry.variant for entry in entries(store)} - {""}
    assert entry_key("https://example.com", "rfc9309", variant) in leases[1]
    assert list(store._leases) == ["https://example.com"]


class VariedMeanwhile(MemoryStore):
    """A store in which another crawler puts a varying entry just before the first lease is acquired."""

    def __init__(self) -> None:
        super().__init__()
        self._is_first = True

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        if self._is_first:
            self._is_first = False
            make_client(self, ScriptedOrigin(VARYING), "OneBot/1.0").allows(URL)
        return super().acquire_lease(key, holder=holder, seconds=seconds)


@BOTH
def test_client_that_an_awaited_entry_does_not_serve_fetches_its_variant(kind: str) -> None:
    store, origin = VariedMeanwhile(), ScriptedOrigin(VARYING)
    with EitherClient(kind, origin, store=store, user_agent="OtherBot/1.0") as client:
        assert not client.allows(URL)
    assert len(origin.requests) == 1
    assert len(entries(store)) == 2
    assert store._leases == {}


def test_workers_of_two_crawlers_send_one_request_each() -> None:
    store = MemoryStore()
    origin = ScriptedOrigin(VARYING)
    clients = [make_client(store, origin, user_agent) for user_agent in ("OneBot/1.0", "OtherBot/1.0") * 4]
    threads = [threading.Thread(target=client.allows, args=(URL,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(origin.requests) == 2
    assert {dict(request.headers)["User-Agent"] for request in origin.requests} == {"OneBot/1.0", "OtherBot/1.0"}
    assert store._leases == {}


@pytest.mark.parametrize("offline", [False, True])
def test_offline_client_uses_its_variant(*, offline: bool) -> None:
    store, origin = MemoryStore(), ScriptedOrigin(VARYING)
    for user_agent in ("OneBot/1.0", "OtherBot/1.0"):
        make_client(store, origin, user_agent).allows(URL)
    states = [
        make_client(store, origin, user_agent).origin_state(URL, offline=offline)
        for user_agent in ("OneBot/1.0", "OtherBot/1.0")
    ]
    assert len({state.entry.variant for state in states}) == 2
    assert len(origin.requests) == 2
    third = make_client(store, origin, "ThirdBot/1.0").origin_state(URL, offline=True)
    assert third.entry.outcome.detail == "offline and not cached"


def test_entries_are_yielded_with_their_variants() -> None:
    store, origin = MemoryStore(), ScriptedOrigin(VARYING)
    make_client(store, origin, "OneBot/1.0").allows(URL)
    client = make_client(store, origin, "OtherBot/1.0")
    client.allows(URL)
    assert [entry.origin for entry in client.entries()] == ["https://example.com"] * 2


def test_revalidation_uses_the_copy_of_the_variant() -> None:
    store, origin = MemoryStore(), ScriptedOrigin()
    for user_agent in ("OneBot/1.0", "OtherBot/1.0"):
        origin.event = {"headers": {"Vary": "User-Agent", "ETag": f'"{user_agent}"'}}
        make_client(store, origin, user_agent).allows(URL)
    origin.event = {"status": 304}
    for user_agent in ("OneBot/1.0", "OtherBot/1.0"):
        client = Client(user_agent=user_agent, transport=origin, store=store, revalidate=True, clock=lambda: 25 * HOUR)
        assert not client.allows(URL)
        assert dict(origin.requests[-1].headers)["If-None-Match"] == f'"{user_agent}"'
        assert [field.name for field in client.origin_state(URL).entry.vary] == ["user-agent"]
    assert len(entries(store)) == 2


@pytest.mark.parametrize("vary", ["Authorization", "X-Region"])
def test_added_headers_count(vary: str) -> None:
    store, origin = MemoryStore(), ScriptedOrigin({"headers": {"Vary": vary}})
    for value in ("one", "two", "one", "two"):
        client = Client(user_agent="ExampleBot/1.0", transport=origin, store=store, headers={vary: value})
        client.allows(URL)
    make_client(store, origin, "ExampleBot/1.0").allows(URL)
    make_client(store, origin, "ExampleBot/1.0").allows(URL)
    assert [dict(request.headers).get(vary) for request in origin.requests] == ["one", "two", None]
    assert "two" not in "".join(entry.to_json() for entry in entries(store))
