"""Both clients: fetching each origin once, caching, stores, and the validation of options."""

import asyncio
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import httpx2
import pytest
from tests.access.conftest import AsyncScriptedOrigin, GatedOrigin, ScriptedOrigin
from tests.client.either import BOTH, EitherClient
from tests.stores.entries import make_entry

from canfetch.access.entries import CacheEntry
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.options import ClientOptions
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.redis import RedisStore
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.core.agent import Agent
from canfetch.core.verdict import Reason
from canfetch.errors import (
    CanfetchError,
    EngineError,
    InvalidLimit,
    InvalidOption,
    InvalidProductToken,
    InvalidURL,
    StoreError,
    UnknownPolicy,
    UnknownProfile,
)

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


class AsyncGatedOrigin(AsyncScriptedOrigin):
    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        answer = await super().send(request)
        await self.gate.wait()
        return answer


def test_two_hundred_threads_send_one_request() -> None:
    origin = GatedOrigin()
    answers: list[bool] = []
    with Client(user_agent=USER_AGENT, transport=origin, store=MemoryStore()) as client:
        threads = [
            threading.Thread(target=lambda: answers.append(client.allows("https://example.com/open")))
            for _ in range(200)
        ]
        for thread in threads:
            thread.start()
        origin.gate.set()
        for thread in threads:
            thread.join()

    assert answers == [True] * 200
    assert len(origin.requests) == 1


@pytest.mark.slow
def test_no_origin_waits_for_another() -> None:
    async def run() -> int:
        arrived = 0
        all_arrived = asyncio.Event()

        class Meeting(AsyncScriptedOrigin):
            async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
                nonlocal arrived
                arrived += 1
                if arrived == 10_000:
                    all_arrived.set()
                await all_arrived.wait()
                return await super().send(request)

        async with AsyncClient(user_agent=USER_AGENT, transport=Meeting()) as client:
            urls = [f"https://host{number}.example/open" for number in range(10_000)]
            return sum(await asyncio.gather(*(client.allows(url) for url in urls)))

    assert asyncio.run(run()) == 10_000


def test_cancelled_task_does_not_cancel_the_others() -> None:
    async def run() -> tuple[bool, int]:
        origin = AsyncGatedOrigin()
        async with AsyncClient(user_agent=USER_AGENT, transport=origin) as client:
            first = asyncio.create_task(client.allows("https://example.com/open"))
            second = asyncio.create_task(client.allows("https://example.com/open"))
            await asyncio.sleep(0)
            first.cancel()
            origin.gate.set()
            return await second, len(origin.requests)

    assert asyncio.run(run()) == (True, 1)


def test_user_agent_is_sent_and_selects_the_rules() -> None:
    origin = ScriptedOrigin({"body": "User-agent: ExampleBot\nDisallow: /\n\nUser-agent: Other\nDisallow:\n"})
    with Client(user_agent=USER_AGENT, transport=origin) as client:
        assert not client.allows("https://example.com/")
        assert client.allows("https://example.com/", agent="Other")
        assert client.allows("https://example.com/", agent=Agent(["None", "Other"]))
        assert client.options.agent == Agent("ExampleBot")

    assert dict(origin.requests[0].headers)["User-Agent"] == USER_AGENT
    assert "If-None-Match" not in dict(origin.requests[0].headers)
    assert len(origin.requests) == 1


def test_each_scheme_and_port_is_another_origin() -> None:
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin) as client:
        for url in (
            "https://example.com/a",
            "https://EXAMPLE.com:443/b",
            "https://user@example.com/c",
            "http://example.com/",
            "https://example.com:444/",
            b"https://example.com/d",
            "https://example.com?e",
        ):
            client.allows(url)

    assert [request.url for request in origin.requests] == [
        "https://example.com/robots.txt",
        "http://example.com/robots.txt",
        "https://example.com:444/robots.txt",
    ]


def test_rfc9309_2_2_2_robots_txt_is_allowed_while_everything_else_is_disallowed() -> None:
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin({"status": 500})) as client:
        assert client.decide("https://example.com/robots.txt").reason is Reason.ROBOTS_TXT
        assert client.allows("https://example.com/robots.txt")
        closed = client.decide("https://example.com/other")

    assert not closed.allowed
    assert closed.reason is Reason.UNREACHABLE
    assert closed.access is not None
    assert "status 500" in closed.access.explanation
    assert closed.to_json()["access"]["effect"] == "full-disallow"
    assert "unreachable" in str(closed)


def test_stale_entry_is_used_while_it_is_refreshed() -> None:
    now = [0.0]
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0], stale_while_revalidate=3600.0) as client:
        client.allows("https://example.com/")
        origin.event = {"status": 404}
        now[0] = 86_400.0 + 60
        served = client.decide("https://example.com/forbidden")
        deadline = time.monotonic() + 60
        while client.decide("https://example.com/forbidden").reason is not Reason.UNAVAILABLE:
            assert time.monotonic() < deadline

    assert served.reason is Reason.DISALLOW_RULE
    assert len(origin.requests) == 2


def test_revalidation_sends_conditional_requests() -> None:
    now = [0.0]

    origin = ScriptedOrigin({"headers": {"ETag": '"one"'}, "conditional": {"status": 304}})
    with Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0], revalidate=True) as client:
        client.allows("https://example.com/")
        now[0] = 90_000.0
        verdict = client.decide("https://example.com/forbidden")

    assert verdict.reason is Reason.DISALLOW_RULE
    assert verdict.access is not None
    assert verdict.access.fetched_at == 90_000.0
    assert [dict(request.headers).get("If-None-Match") for request in origin.requests] == [None, '"one"']


def test_memory_is_limited_and_the_least_recently_used_origin_is_evicted() -> None:
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, max_memory_bytes=60_000) as client:
        for number in range(100):
            client.allows(f"https://host{number}.example/")
            client.allows("https://host0.example/")
        assert client._cache.memory_bytes <= 60_000
        before = len(origin.requests)
        client.allows("https://host0.example/")
        client.allows("https://host99.example/")
        assert len(origin.requests) == before
        client.allows("https://host1.example/")
        assert len(origin.requests) == before + 1


def test_offline_sends_no_request() -> None:
    origin = ScriptedOrigin()
    store = MemoryStore()
    store.put(make_entry("https://cached.example/"))
    with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: 9e9) as client:
        cached = client.origin_state("https://cached.example/", offline=True)
        unknown = client.origin_state("https://example.com/", offline=True)

    assert origin.requests == []
    assert cached.entry.outcome.detail == "status 200"
    assert "not cached" in unknown.effective_access(9e9).explanation
    assert str(unknown.effective_access(9e9).effect) == "full-disallow"


def test_clients_that_share_a_store_send_one_request() -> None:
    store = MemoryStore()
    origin = ScriptedOrigin()
    for _ in range(3):
        with Client(user_agent=USER_AGENT, transport=origin, store=store) as client:
            assert not client.allows("https://example.com/forbidden")
            assert [entry.origin for entry in client.entries()] == ["https://example.com"]
    assert len(origin.requests) == 1


def test_entry_of_another_policy_is_not_used() -> None:
    store = MemoryStore()
    origin = ScriptedOrigin({"status": 503})
    with Client(user_agent=USER_AGENT, transport=origin, store=store) as client:
        assert not client.allows("https://example.com/")
    with Client(user_agent=USER_AGENT, transport=origin, store=store, policy="yandex") as client:
        assert client.allows("https://example.com/")
    assert len(origin.requests) == 2


class BrokenStore(MemoryStore):
    """A store whose operations fail."""

    def get(self, origin: str) -> None:
        raise StoreError(f"store: {origin} cannot be reached")

    def put(self, entry: CacheEntry) -> None:
        raise StoreError(f"store: {entry.origin} cannot be written")

    def acquire_lease(self, origin: str, *, holder: str, seconds: float) -> bool:
        raise StoreError(f"store: {origin} cannot be leased to {holder} for {seconds}")


@BOTH
def test_broken_store_is_logged_and_does_not_prevent_decisions(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    origin = ScriptedOrigin()
    with EitherClient(kind, origin, store=BrokenStore()) as client:
        assert [client.store_error] == [None]
        assert not client.allows("https://example.com/forbidden")
        assert client.allows("https://example.com/open")
        assert client.store_error is not None
    assert len(origin.requests) == 1
    assert "continuing from memory" in caplog.text


@BOTH
def test_entries_of_the_store_are_yielded(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    with EitherClient(kind, ScriptedOrigin()) as client:
        client.allows("https://a.example/")
        assert list(client.entries()) == []
    store = MemoryStore()
    with EitherClient(kind, ScriptedOrigin(), store=store) as client:
        client.allows("https://a.example/")
        client.allows("https://b.example/")
        store._entries["https://a.example"]["format"] = "nonsense"
        assert [entry.origin for entry in client.entries()] == ["https://b.example"]
    assert "discarded" in caplog.text


def test_corrupt_entry_is_discarded_and_fetched_again(caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    entry = make_entry()
    store.put(entry)
    store._entries[entry.origin]["format"] = "nonsense"
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, store=store) as client:
        assert not client.allows("https://example.com/forbidden")
    assert len(origin.requests) == 1
    assert "discarded and fetched again" in caplog.text
    assert store.get(entry.origin) is not None


def test_worker_without_the_lease_waits_for_the_result() -> None:
    store = MemoryStore()
    slow, quick = GatedOrigin(), ScriptedOrigin()
    with (
        Client(user_agent=USER_AGENT, transport=slow, store=store) as first,
        Client(user_agent=USER_AGENT, transport=quick, store=store) as second,
    ):
        answers: list[bool] = []
        leader = threading.Thread(target=lambda: answers.append(first.allows("https://example.com/forbidden")))
        leader.start()
        while not slow.requests:
            time.sleep(0.001)
        follower = threading.Thread(target=lambda: answers.append(second.allows("https://example.com/forbidden")))
        follower.start()
        slow.gate.set()
        leader.join()
        follower.join()

    assert answers == [False, False]
    assert quick.requests == []


def test_exception_of_a_transport_is_raised_and_the_next_call_tries_again() -> None:
    class Faulty(ScriptedOrigin):
        def send(self, request: TransportRequest) -> Response | Failure:
            super().send(request)
            if len(self.requests) == 1:
                raise RuntimeError("a bug")
            return Response(request.url, 404, (), b"")

    with Client(user_agent=USER_AGENT, transport=Faulty()) as client:
        with pytest.raises(RuntimeError, match="a bug"):
            client.allows("https://example.com/")
        assert client.allows("https://example.com/")


def test_timeout_includes_redirects(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    # Not in `time` itself: servers of other tests may be running in threads of this process.
    monkeypatch.setattr("canfetch.client.procedure.time", SimpleNamespace(monotonic=lambda: now[0], time=time.time))

    class Slow(ScriptedOrigin):
        def send(self, request: TransportRequest) -> Response | Failure:
            # The second request takes until its timeout.
            now[0] += request.timeout if self.requests else 0.5
            return super().send(request)

    origin = Slow({"redirects": 5})
    with Client(user_agent=USER_AGENT, transport=origin, timeout=2.0) as client:
        verdict = client.decide("https://example.com/")

    assert not verdict.allowed
    assert verdict.access is not None
    assert FailureKind.TIMEOUT in verdict.access.explanation
    assert len(origin.requests) == 2
    assert [request.timeout for request in origin.requests] == [2.0, 1.5]


class Unprintable:
    def __repr__(self) -> str:
        raise KeyError("no text")


@pytest.mark.parametrize("value", [Unprintable(), -(10**5000)], ids=["object", "integer"])
@pytest.mark.parametrize(
    "name", [*ClientOptions.__annotations__, "user_agent", "store", "transport", "evidence", "identity", "clock"]
)
def test_invalid_option_whose_text_cannot_be_shown_raises(name: str, value: object) -> None:
    arguments: dict[str, object] = {"user_agent": USER_AGENT, "transport": ScriptedOrigin(), name: value}
    with pytest.raises((CanfetchError, TypeError), match=r"Unprintable|16610|, not int$|got int$"):
        Client(**arguments)  # type: ignore[arg-type]  # invalid on purpose


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"user_agent": ""}, InvalidOption, "user_agent"),
        ({"user_agent": "Bot\nX: y"}, InvalidOption, "user_agent"),
        ({"user_agent": "Mozilla/5.0"}, InvalidProductToken, "no product token in the User-Agent header"),
        ({"agent": "Example Bot"}, InvalidProductToken, "Example Bot"),
        ({"policy": "bing"}, UnknownPolicy, "bing"),
        ({"profile": "unknown"}, UnknownProfile, "unknown"),
        ({"max_bytes": 5}, InvalidLimit, "512000"),
        ({"timeout": 0}, InvalidOption, "timeout"),
        ({"read_timeout": float("inf")}, InvalidOption, "read_timeout"),
        ({"stale_while_revalidate": -1}, InvalidOption, "stale_while_revalidate"),
        ({"stale_while_revalidate": float("nan")}, InvalidOption, "invalid stale_while_revalidate nan"),
        ({"max_memory_bytes": float("nan")}, InvalidOption, "invalid max_memory_bytes nan"),
        ({"max_memory_bytes": "64"}, InvalidOption, "invalid max_memory_bytes '64'"),
        ({"connect_timeout": None}, InvalidOption, "invalid connect_timeout None"),
        ({"allow_private": "no"}, InvalidOption, "invalid allow_private 'no': expected True or False"),
        ({"user_agent": None}, InvalidOption, "invalid user_agent None"),
        ({"max_bytes": 10**12}, InvalidLimit, "536870912"),
        ({"max_bytes": 512_000.5}, InvalidLimit, "expected an integer"),
        ({"timeout": 10**5000}, InvalidOption, "invalid timeout <int of 16610 bits>: expected a positive, finite"),
        ({"misconfigured_origins": 3}, InvalidOption, r"expected a collection of origins, such as \['https://"),
        ({"engine": "zzz"}, EngineError, "unknown engine 'zzz'"),
        ({"allow_privat": False}, InvalidOption, "unknown option 'allow_privat': did you mean 'allow_private'?"),
        ({"colour": "red"}, InvalidOption, "unknown option 'colour': choose from 'agent', 'policy'"),
    ],
)
def test_invalid_option_raises(options: dict[str, object], error: type[Exception], message: str) -> None:
    arguments: dict[str, object] = {"user_agent": USER_AGENT, "transport": ScriptedOrigin()} | options
    with pytest.raises(error, match=message):
        Client(**arguments)  # type: ignore[arg-type]  # invalid on purpose
    with pytest.raises(error, match=message):
        AsyncClient(**arguments)  # type: ignore[arg-type]  # invalid on purpose


@pytest.mark.parametrize(
    "options, message",
    [
        ({"store": 3}, "invalid store 3: it has no method get; expected an object such as MemoryStore()"),
        ({"store": "robots.db"}, "invalid store 'robots.db': pass an object such as SQLiteStore('robots.db')"),
        ({"store": {}}, "invalid store {}: it has no method put"),
        ({"store": MemoryStore}, "invalid store MemoryStore: pass an object, MemoryStore(...)"),
        ({"transport": "x"}, "invalid transport 'x': it has no method send; expected an object such as "),
        ({"transport": 3}, "invalid transport 3: it has no method send"),
        ({"transport": ScriptedOrigin}, "invalid transport ScriptedOrigin: pass an object, ScriptedOrigin(...)"),
        ({"transport": open}, "it has no method send"),
        ({"evidence": "ev"}, "invalid evidence 'ev': pass an object such as EvidenceRecorder('ev')"),
        ({"evidence": Path("ev")}, "pass an object such as EvidenceRecorder('ev')"),
        ({"evidence": EvidenceRecorder}, "invalid evidence EvidenceRecorder: pass an object, EvidenceRecorder(...)"),
        ({"evidence": 3}, "invalid evidence 3: it has no method record; expected an object such as EvidenceRecorder("),
        ({"clock": 3}, "invalid clock 3: expected a function"),
        ({"clock": asyncio.sleep}, "expected a function that is not async"),
        ({"seed": "x"}, "invalid seed 'x': expected an integer"),
    ],
    ids=range(15),
)
def test_object_that_is_not_a_store_or_a_transport_raises(options: dict[str, object], message: str) -> None:
    for client in (Client, AsyncClient):
        with pytest.raises(InvalidOption) as raised:
            client(user_agent=USER_AGENT, **options)  # type: ignore[arg-type]  # invalid on purpose
        assert str(raised.value).startswith("invalid ")
        assert message in str(raised.value)


def test_session_as_transport_raises_and_names_the_transport() -> None:
    async def main() -> None:
        async with httpx2.AsyncClient() as client, aiohttp.ClientSession() as session:
            with pytest.raises(InvalidOption, match=r"pass AsyncHttpx2Transport\(client=\.\.\.\)"):
                AsyncClient(user_agent=USER_AGENT, transport=client)  # type: ignore[arg-type]  # invalid on purpose
            with pytest.raises(InvalidOption, match=r"pass AiohttpTransport\(session=\.\.\.\)"):
                AsyncClient(user_agent=USER_AGENT, transport=session)  # type: ignore[arg-type]  # invalid on purpose

    asyncio.run(main())
    with httpx2.Client() as client, pytest.raises(InvalidOption, match=r"pass Httpx2Transport\(client=\.\.\.\)"):
        Client(user_agent=USER_AGENT, transport=client)  # type: ignore[arg-type]  # invalid on purpose


@pytest.mark.parametrize("ttl", ["x", 0, -5, float("inf"), float("nan"), True, None], ids=str)
def test_invalid_ttl_of_a_store_raises(tmp_path: Path, ttl: Any) -> None:
    message = f"invalid ttl {ttl!r}: expected "
    for make in (MemoryStore, partial(SQLiteStore, tmp_path / "robots.sqlite3"), partial(RedisStore, "redis://h/0")):
        with pytest.raises(InvalidOption, match=message):
            make(ttl=ttl)
    assert list(tmp_path.iterdir()) == []


def test_invalid_clock_of_a_store_or_a_recorder_raises(tmp_path: Path) -> None:
    clock: Any = 3
    with pytest.raises(InvalidOption, match="invalid clock 3: expected a function"):
        SQLiteStore(tmp_path / "robots.sqlite3", clock=clock)
    with pytest.raises(InvalidOption, match="invalid monotonic 3: expected a function"):
        MemoryStore(monotonic=clock)
    with pytest.raises(InvalidOption, match="invalid clock 3: expected a function"):
        EvidenceRecorder(tmp_path, clock=clock)
    assert list(tmp_path.iterdir()) == []


def test_transport_of_the_other_client_raises() -> None:
    with pytest.raises(InvalidOption, match="invalid transport AsyncScriptedOrigin: it belongs to AsyncClient"):
        Client(user_agent=USER_AGENT, transport=AsyncScriptedOrigin())  # type: ignore[arg-type]  # invalid on purpose
    with pytest.raises(InvalidOption, match="invalid transport ScriptedOrigin: it belongs to Client; expected one"):
        AsyncClient(user_agent=USER_AGENT, transport=ScriptedOrigin())  # type: ignore[arg-type]  # invalid on purpose


@pytest.mark.parametrize("url", ["/path", "example.com", "https://", "mailto:a@b", ""])
@BOTH
def test_url_without_an_origin_raises(url: str, kind: str) -> None:
    with EitherClient(kind, ScriptedOrigin()) as client, pytest.raises(InvalidURL):
        client.allows(url)
