"""Offline: cached data is used, no request is sent, and other callers are not affected."""

import asyncio
import threading

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin
from tests.client.either import BOTH, EitherClient
from tests.stores.entries import make_entry

from canfetch.access.entries import CacheEntry
from canfetch.client.async_client import AsyncClient
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client

USER_AGENT = "ExampleBot/1.0"
URL = "https://example.com/open"


def test_offline_does_not_count_as_a_failure() -> None:
    now = [1000.0]
    origin = ScriptedOrigin({"status": 503})
    with Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0]) as client:
        assert not client.origin_state(URL, offline=True).effective_access(now[0]).copy
        now[0] = 5000.0
        state = client.origin_state(URL)
    assert (state.entry.failures, state.entry.first_failure_at) == (1, 5000.0)
    assert len(origin.requests) == 1


def test_offline_without_a_copy_has_no_fetch_time() -> None:
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin()) as client:
        state = client.origin_state(URL, offline=True)
        verdict = state.decide(URL, client.options.agent, 5000.0)
        assert (state.entry.last_attempt_at, verdict.access.fetched_at) == (None, None)
        assert verdict.access.to_json()["fetched_at"] is None
        assert client.decide(URL).access.fetched_at is not None


@BOTH
@pytest.mark.parametrize("refresh", [False, True])
def test_offline_takes_precedence_over_refresh(kind: str, *, refresh: bool) -> None:
    origin = ScriptedOrigin()
    with EitherClient(kind, origin) as client:
        detail = client.origin_state(URL, offline=True, refresh=refresh).entry.outcome.detail
        assert (detail, origin.requests) == ("offline and not cached", [])
        client.origin_state(URL)
        assert client.origin_state(URL, offline=True, refresh=refresh).entry.outcome.detail == "status 200"
    assert len(origin.requests) == 1


class GatedStore(MemoryStore):
    """A store that responds once its gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = threading.Semaphore(0)
        self.gate = threading.Event()

    def get(self, origin: str) -> CacheEntry | None:
        self.calls.release()
        assert self.gate.wait(300)
        return super().get(origin)


def test_offline_result_is_not_shared_with_a_caller_that_may_fetch() -> None:
    store, origin = GatedStore(), ScriptedOrigin()
    details: dict[bool, str] = {}
    with Client(user_agent=USER_AGENT, transport=origin, store=store) as client:

        def query(*, offline: bool) -> None:
            details[offline] = client.origin_state(URL, offline=offline).entry.outcome.detail

        threads = [threading.Thread(target=query, kwargs={"offline": offline}) for offline in (True, False)]
        for thread in threads:
            thread.start()
            assert store.calls.acquire(timeout=300)
        store.gate.set()
        for thread in threads:
            thread.join()
    assert details[False] == "status 200"


def test_offline_result_is_not_shared_with_a_caller_that_may_fetch_async() -> None:
    store, origin = MemoryStore(), AsyncScriptedOrigin()

    async def run() -> list[str]:
        async with AsyncClient(user_agent=USER_AGENT, transport=origin, store=store) as client:
            both = await asyncio.gather(client.origin_state(URL, offline=True), client.origin_state(URL))
            return [state.entry.outcome.detail for state in both]

    assert asyncio.run(run()) == ["offline and not cached", "status 200"]


def test_expired_entry_is_used_offline() -> None:
    store, origin = MemoryStore(), ScriptedOrigin()
    store.put(make_entry())
    with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: 9e9) as client:
        for _ in range(2):
            assert not client.origin_state("https://example.com/", offline=True).allows("/forbidden", None, 9e9)
    assert origin.requests == []
