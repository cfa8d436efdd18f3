"""Clients with different limits share a store: a failure under the limits of one does not count for the others."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from tests.access.conftest import RULES
from tests.access.scripted_web import ScriptedWeb
from tests.client.either import EitherClient

from canfetch.access.entries import CacheEntry
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.origin_state import OriginState
from canfetch.client.stores import Store
from canfetch.client.sync_client import Client
from canfetch.client.transports import Route, TransportRequest

URL = "https://example.com/forbidden"
DAY = 86_400.0
PROXY = "http://user:secret@127.0.0.1:3128"


class Network:
    """A transport: one origin, which some clients cannot reach. `failing` overrides what the limits permit."""

    def __init__(self, route: Route | None = None) -> None:
        if route is not None:
            self.route = route
        self.failing: Failure | Response | None = None
        self.proxy_status: int | None = None
        self.requests = 0

    def send(self, request: TransportRequest) -> Response | Failure:
        self.requests += 1
        if self.failing is not None:
            return self.failing
        if self.proxy_status is not None:
            return Response(request.url, self.proxy_status, (), b"")
        if not request.allow_private:
            return Failure(request.url, FailureKind.FORBIDDEN_ADDRESS, "not public")
        if request.read_timeout < 1:
            return Failure(request.url, FailureKind.TIMEOUT, "timed out")
        if "https" not in getattr(self, "route", Route(("https",))).schemes:
            return Failure(request.url, FailureKind.SCHEME, "unsupported")
        return Response(request.url, 200, (), RULES.encode())

    def close(self) -> None:
        """Do nothing."""


# Returns the state in a new client, and the number of its requests.
Query = Callable[..., tuple[OriginState, int]]


def query(
    kind: str, store: Store, now: float, change: Callable[[Network], object] | None = None, **options: Any
) -> tuple[OriginState, int]:
    network = Network(options.pop("route", None))
    if change is not None:
        change(network)
    client = EitherClient(kind, network, store=store, clock=lambda: now, **options)
    return client.origin_state(URL), network.requests


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Query:
    return partial(query, request.param)


def answer_with(status: int) -> Callable[[Network], object]:
    return lambda network: setattr(network, "failing", Response("https://example.com/robots.txt", status, (), b""))


def stored(store: Store) -> list[CacheEntry]:
    return [entry for key in store.keys() if (entry := store.get(key))]  # noqa: SIM118 - a store is not a dictionary


LIMITED: list[dict[str, Any]] = [
    {"allow_private": False},
    {"read_timeout": 0.5},
    {"route": Route(("http",))},
]
LIMIT_IDS = ["public-only", "short-timeout", "http-only"]


@pytest.mark.parametrize("limits", LIMITED, ids=LIMIT_IDS)
def test_failure_under_limits_is_not_used_by_others(store: Store, ask: Query, limits: dict[str, Any]) -> None:
    state, requests = ask(store, 0.0, **limits)
    assert (str(state.entry.outcome.access), requests) == ("unreachable", 1)
    # Workers with the same limits back off.
    for now in (1.0, 20.0):
        state, requests = ask(store, now, **limits)
        assert (str(state.entry.outcome.access), state.entry.failures, requests) == ("unreachable", 1, 0)

    state, requests = ask(store, 21.0)
    assert (str(state.entry.outcome.access), requests) == ("successful", 1)
    assert state.entry.key == "https://example.com"
    # The success is a fact about the origin.
    state, requests = ask(store, 22.0, **limits)
    assert (str(state.entry.outcome.access), requests) == ("successful", 0)


@pytest.mark.parametrize("limits", LIMITED, ids=LIMIT_IDS)
def test_last_good_copy_is_used_under_limits(store: Store, ask: Query, limits: dict[str, Any]) -> None:
    ask(store, 0.0)
    state, requests = ask(store, DAY + 1, **limits)
    assert (state.entry.failures, state.entry.first_failure_at, requests) == (1, DAY + 1, 1)
    assert state.entry.copy is not None
    # The failure is stored without the copy, which is in the other entry.
    assert [(entry.variant[:7], entry.copy is None) for entry in stored(store)] == [("", False), ("limits-", True)]
    state, requests = ask(store, DAY + 2, **limits)
    assert (state.entry.failures, requests) == (1, 0)
    assert state.entry.copy is not None
    assert not state.allows(URL, None, DAY + 2)

    # The entry for all clients is unchanged: its first failure is its own.
    state, requests = ask(store, 2 * DAY, answer_with(503))
    assert (state.entry.failures, state.entry.first_failure_at, requests) == (1, 2 * DAY, 1)
    assert state.entry.copy is not None


@pytest.mark.slow
def test_thirty_days_count_from_the_first_failure_of_each_client(store: Store, ask: Query) -> None:
    ask(store, 0.0)
    for day in range(1, 20):
        ask(store, day * DAY + 1, allow_private=False)
    # The origin fails for all clients, for the first time.
    for day in range(20, 34):
        state, _ = ask(store, day * DAY + 1, answer_with(503))
        assert state.entry.first_failure_at == 20 * DAY + 1
        assert str(state.effective_access(day * DAY + 1).effect) == "conditional-allow"
        limited, _ = ask(store, day * DAY + 100, answer_with(503), allow_private=False)
        assert limited.entry.first_failure_at == DAY + 1
        effect = "conditional-allow" if day < 31 else "full-disallow"
        assert str(limited.effective_access(day * DAY + 100).effect) == effect


def test_first_failure_of_a_running_client(ask: Query, store: Store) -> None:
    """A client in which failures under its limits are followed by failures of the origin."""
    del ask, store
    now = [0.0]
    network = Network()
    client = Client(user_agent="ExampleBot/1.0", transport=network, read_timeout=0.5, clock=lambda: now[0])
    for hour in range(4):
        now[0] = hour * 3600.0
        if hour == 2:
            answer_with(503)(network)
        state = client.origin_state(URL)
        assert (state.entry.failures, state.entry.first_failure_at) == (hour + 1, 0.0)
    assert network.requests == 4


@pytest.mark.slow
def test_clients_with_different_limits_do_not_repeat_requests(store: Store, ask: Query) -> None:
    """Both fail for an hour, and both are asked every 15 seconds, which is half of the shortest delay."""
    limited = regular = 0
    for second in range(0, 3600, 15):
        limited += ask(store, float(second), answer_with(503) if second % 2 else None, allow_private=False)[1]
        regular += ask(store, float(second), answer_with(503))[1]
    # One minute, two, four, ..., each shortened by at most a half.
    assert 0 < regular <= 10
    assert 0 < limited <= 10


def test_longest_delay_counts(store: Store, ask: Query) -> None:
    state, _ = ask(store, 0.0, allow_private=False)
    for _ in range(5):
        state, requests = ask(store, state.entry.next_fetch_at, allow_private=False)
        assert requests == 1
    now = state.entry.next_fetch_at
    failed_at = state.entry.fetched_at
    assert state.entry.failures == 6
    ask(store, failed_at + 1, answer_with(503))
    state, requests = ask(store, failed_at + 120, allow_private=False)
    assert (requests, state.entry.failures) == (0, 6)
    assert state.entry.next_fetch_at == now


def test_direct_client_does_not_use_failures_of_a_proxy(store: Store, ask: Query) -> None:
    proxied = Route(("https",), PROXY)
    for change, detail in (
        (lambda network: setattr(network, "failing", Failure(URL, FailureKind.CONNECT, "refused")), "connect: refused"),
        (lambda network: setattr(network, "proxy_status", 502), "status 502"),
    ):
        for key in list(store.keys()):
            store.delete(key)
        state, requests = ask(store, 0.0, change, route=proxied)
        assert (str(state.entry.outcome.access), state.entry.outcome.detail, requests) == ("unreachable", detail, 1)
        assert ask(store, 1.0, change, route=proxied)[1] == 0
        assert ask(store, 1.0, change, route=Route(("https",), "http://127.0.0.1:3129"))[1] == 1
        assert "secret" not in "".join(entry.to_json() + entry.key for entry in stored(store))
        state, requests = ask(store, 2.0, route=Route(("https",)))
        assert (str(state.entry.outcome.access), requests) == ("successful", 1)
        assert ask(store, 3.0, route=proxied)[1] == 0


def test_response_of_the_origin_through_a_proxy_is_a_fact(store: Store, ask: Query) -> None:
    assert ask(store, 0.0, answer_with(404), route=Route(("https",), PROXY))[1] == 1
    state, requests = ask(store, 1.0)
    assert (str(state.entry.outcome.access), requests) == ("unavailable", 0)


def test_offline_client_uses_the_failure_under_its_limits(store: Store) -> None:
    query("sync", store, 0.0, allow_private=False)
    client = Client(
        user_agent="ExampleBot/1.0", transport=Network(), store=store, allow_private=False, clock=lambda: 1.0
    )
    assert client.origin_state(URL, offline=True).entry.outcome.detail == "forbidden-address: not public"
    client = Client(user_agent="ExampleBot/1.0", transport=Network(), store=store, clock=lambda: 1.0)
    assert client.origin_state(URL, offline=True).entry.outcome.detail == "offline and not cached"


def test_failure_after_a_redirect_that_varies(store: Store) -> None:
    location, vary = "https://slow.example/file", {"Vary": "User-Agent"}
    network = ScriptedWeb(
        {
            "https://example.com/robots.txt": {"location": location, "headers": vary},
            location: {"failure": "never-answers"},
        }
    )
    for now in (0.0, 1.0, 2.0):
        for user_agent in ("OneBot/1.0", "OtherBot/1.0"):
            client = Client(user_agent=user_agent, transport=network, store=store, clock=partial(float, now))
            assert not client.allows(URL)
    assert len(network.requests) == 4
    assert [entry.variant.count("headers-") for entry in stored(store)] == [0, 1]
