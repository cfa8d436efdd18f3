"""The counters of a client."""

import copy
import json
import pickle
import threading
from collections.abc import Iterator
from dataclasses import FrozenInstanceError

import pytest
from tests.access.conftest import RULES, AnsweringOrigin, GatedOrigin, ScriptedOrigin
from tests.client.either import BOTH, decide_with_either, scripted
from tests.client.test_refreshing import DAY_SECONDS

from canfetch.access.entries import CacheEntry
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.origin_cache import OriginCache
from canfetch.client.stats import ClientStats, FetchCounters
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.errors import StoreError

URL = "https://example.com/forbidden"
ROBOTS_URL = "https://example.com/robots.txt"


def counted(stats: ClientStats) -> dict[str, object]:
    """Return the counters that are not zero, without those of the memory."""
    hidden = {"memory_hits", "memory_bytes", "cached_origins"}
    return {name: value for name, value in stats.to_json().items() if value and name not in hidden}


@BOTH
@pytest.mark.parametrize(
    "event, expected",
    [
        ({"status": 200}, {"fetches": 1, "requests": 1, "body_bytes": len(RULES)}),
        ({"status": 404}, {"fetches": 1, "requests": 1, "body_bytes": len(RULES)}),
        ({"redirects": 2}, {"fetches": 1, "requests": 3, "redirects": 2, "body_bytes": len(RULES)}),
        (
            {"status": 500},
            {"fetches": 1, "requests": 1, "body_bytes": len(RULES), "failures": {"server_error": 1}},
        ),
        ({"failure": "bad-tls"}, {"fetches": 1, "requests": 1, "failures": {"tls": 1}}),
    ],
)
def test_fetches_are_counted(kind: str, event: dict[str, object], expected: dict[str, object]) -> None:
    client = decide_with_either(kind, scripted(**event), URL, URL)
    assert counted(client.stats) == expected
    assert client.stats.memory_hits == 1
    assert client.stats.cached_origins == 1
    assert client.stats.memory_bytes > 0
    assert json.loads(json.dumps(client.stats.to_json())) == client.stats.to_json()


@BOTH
@pytest.mark.parametrize("target, expected", [("/robots.txt", 0), ("/a", 1), ("/{0}", 5)])
def test_redirects_that_are_not_followed_are_not_counted(
    kind: str, target: str, expected: int, caplog: pytest.LogCaptureFixture
) -> None:
    requests = []

    def answer(request: TransportRequest) -> Response:
        requests.append(request.url)
        location = target.format(len(requests))
        return Response(request.url, 302, (("Location", location),), b"")

    caplog.set_level("INFO", "canfetch.fetch")
    client = decide_with_either(kind, answer, URL)
    assert len(requests) == expected + 1
    assert client.stats.redirects == expected
    assert f", {expected} redirects, " in caplog.text


def test_redirects_of_an_interrupted_fetch_are_counted() -> None:
    def answer(request: TransportRequest) -> Response:
        if request.url.endswith("/moved"):
            raise KeyboardInterrupt
        return Response(request.url, 302, (("Location", "/moved"),), b"")

    with Client(user_agent="ExampleBot/1.0", transport=AnsweringOrigin(answer)) as client:
        with pytest.raises(KeyboardInterrupt):
            client.decide(URL)
        assert counted(client.stats) == {"interrupted_fetches": 1, "requests": 2, "redirects": 1}


def test_stats_can_be_copied_and_pickled() -> None:
    stats = decide_with_either("sync", scripted(status=503), URL).stats
    for copied in (copy.deepcopy(stats), copy.copy(stats), pickle.loads(pickle.dumps(stats))):  # noqa: S301 - trusted data
        assert copied == stats
        assert type(copied) is ClientStats
        with pytest.raises(TypeError):
            copied.failures["server_error"] = 0  # type: ignore[index]  # read-only


@BOTH
def test_304_and_stale_copies_are_counted(kind: str) -> None:
    now = [0.0]
    headers = (("ETag", '"1"'), ("Cache-Control", "max-age=60"))
    answers: Iterator[Response | Failure] = iter(
        [
            Response(ROBOTS_URL, 200, headers, RULES.encode()),
            Response(ROBOTS_URL, 304, headers, b""),
            Failure(ROBOTS_URL, FailureKind.RESET, "reset"),
        ]
    )

    def answer(_request: TransportRequest) -> Response | Failure:
        return next(answers)

    def clock() -> float:
        now[0] += 2 * DAY_SECONDS
        return now[0]

    client = decide_with_either(kind, answer, URL, URL, URL, revalidate=True, clock=clock)
    assert counted(client.stats) == {
        "fetches": 3,
        "requests": 3,
        "body_bytes": len(RULES),
        "not_modified": 1,
        "failures": {"reset": 1},
        "stale_copies": 1,
    }


@BOTH
def test_entry_of_the_store_is_a_hit(kind: str) -> None:
    store = MemoryStore()
    decide_with_either("sync", scripted(status=200), URL, store=store)
    client = decide_with_either(kind, scripted(status=200), URL, URL, store=store)
    assert counted(client.stats) == {"store_hits": 1}


def test_offline_client_counts_no_fetch() -> None:
    with Client(user_agent="ExampleBot/1.0", transport=ScriptedOrigin()) as client:
        client.origin_state(URL, offline=True)
    assert counted(client.stats) == {}


def test_background_refresh_is_counted() -> None:
    now = [0.0]
    origin = GatedOrigin(ungated=1)
    origin.gate.set()
    with Client(
        user_agent="ExampleBot/1.0", transport=origin, clock=lambda: now[0], stale_while_revalidate=60
    ) as client:
        client.allows(URL)
        now[0] = DAY_SECONDS + 1
        client.allows(URL)
        assert origin.arrived.wait(300)
    assert client.stats.background_refreshes == 1
    assert client.stats.fetches == 2


class HeldStore(MemoryStore):
    """A store whose lease another worker holds during the first two attempts."""

    def __init__(self) -> None:
        super().__init__()
        self.attempts = 0

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        self.attempts += 1
        return self.attempts > 2 and super().acquire_lease(key, holder=holder, seconds=seconds)


@BOTH
def test_wait_for_a_lease_is_counted_once(kind: str) -> None:
    client = decide_with_either(kind, scripted(status=200), URL, store=HeldStore())
    assert (client.stats.lease_waits, client.stats.fetches) == (1, 1)


class BrokenStore(MemoryStore):
    """A store that cannot be written."""

    def put(self, entry: CacheEntry) -> None:  # noqa: ARG002 - the protocol
        raise StoreError("broken")


class ForeignStore(MemoryStore):
    """A store that returns the entry of another origin."""

    def get(self, key: str) -> CacheEntry | None:  # noqa: ARG002 - the protocol
        return super().get("https://other.example")


@BOTH
def test_problems_of_the_store_are_counted(kind: str) -> None:
    client = decide_with_either(kind, scripted(status=200), URL, store=BrokenStore())
    assert (client.stats.store_errors, client.stats.corrupt_entries) == (1, 0)
    store = ForeignStore()
    decide_with_either("sync", scripted(status=200), "https://other.example/", store=store)
    client = decide_with_either(kind, scripted(status=200), URL, store=store)
    assert client.stats.store_errors == 0
    # The entry is read before and after the lease is acquired.
    assert client.stats.corrupt_entries > 1


@BOTH
def test_evictions_are_counted(kind: str) -> None:
    urls = [f"https://host{number}.example/" for number in range(5)]
    client = decide_with_either(kind, scripted(status=200), *urls, max_memory_bytes=0)
    assert (client.stats.evictions, client.stats.cached_origins) == (4, 1)


def test_fetch_that_raises_is_interrupted() -> None:
    def broken(_request: TransportRequest) -> Response:
        raise ZeroDivisionError

    client = Client(user_agent="ExampleBot/1.0", transport=AnsweringOrigin(broken))
    with pytest.raises(ZeroDivisionError):
        client.decide(URL)
    client.close()
    assert counted(client.stats) == {"interrupted_fetches": 1, "requests": 1}


def test_snapshot_cannot_be_changed() -> None:
    stats = decide_with_either("sync", scripted(failure="reset"), URL).stats
    with pytest.raises((AttributeError, FrozenInstanceError)):
        stats.fetches = 5
    with pytest.raises(TypeError):
        stats.failures["reset"] = 5


def test_memory_hits_are_the_lookups() -> None:
    cache = OriginCache(1 << 20)
    with Client(user_agent="ExampleBot/1.0", transport=ScriptedOrigin()) as client:
        state = client.origin_state("https://example.com/")
    assert cache.hits == 0
    cache.put(state)
    assert cache.hits == 0
    for _ in range(3):
        cache.find("https://example.com/x")
    cache.find("https://example.org/x")
    assert [cache.hits, cache.hits] == [3, 3]
    cache.put(state)
    cache.get("https://example.com")
    assert cache.hits == 4


def test_threads_do_not_lose_counts() -> None:
    counters = FetchCounters()
    start = threading.Barrier(4)

    def count() -> None:
        start.wait(300)
        for _ in range(2000):
            counters.add(fetches=1, failure="dns")

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    others = dict.fromkeys(
        ("memory_hits", "evictions", "store_errors", "corrupt_entries", "cached_origins", "memory_bytes"), 0
    )
    stats = counters.snapshot(**others)
    assert (stats.fetches, stats.failures["dns"]) == (8000, 8000)
