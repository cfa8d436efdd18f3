"""Refreshes in the background, and clients that are closed meanwhile."""

import threading

import pytest
from tests.access.conftest import GatedOrigin, ScriptedOrigin

from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client

USER_AGENT = "ExampleBot/1.0"
URL = "https://example.com/forbidden"
DAY_SECONDS = 86_400.0


def test_stale_entry_is_refreshed_by_one_request() -> None:
    now = [0.0]
    origin = GatedOrigin(ungated=1)
    with Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0], stale_while_revalidate=3600.0) as client:
        client.allows(URL)
        now[0] = DAY_SECONDS + 60
        assert not client.allows(URL)
        assert origin.arrived.wait(300)
        assert [client.allows(URL) for _ in range(100)] == [False] * 100
        origin.gate.set()
    assert len(origin.requests) == 2


def test_close_waits_for_a_refresh() -> None:
    now = [0.0]
    origin, store = GatedOrigin(ungated=1), MemoryStore()
    client = Client(
        user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: now[0], stale_while_revalidate=3600.0
    )
    client.allows(URL)
    now[0] = DAY_SECONDS + 60
    client.allows(URL)
    assert origin.arrived.wait(300)
    threading.Timer(0, origin.gate.set).start()
    client.close()
    entry = store.get("https://example.com")
    assert entry is not None
    assert entry.fetched_at == DAY_SECONDS + 60


def test_stale_entry_is_used_if_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    origin = ScriptedOrigin()

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0], stale_while_revalidate=3600.0) as client:
        client.allows(URL)
        now[0] = DAY_SECONDS + 60
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refuse)
            assert not client.allows(URL)
        assert len(origin.requests) == 1
        assert not client.allows(URL)
    assert len(origin.requests) == 2
