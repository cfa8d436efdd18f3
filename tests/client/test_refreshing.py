"""Answers that serve while they are fetched anew, and clients that are closed meanwhile."""

import threading

import pytest
from tests.access.conftest import ScriptedOrigin

from canfetch.access.responses import Failure, Response
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest

USER_AGENT = "ExampleBot/1.0"
URL = "https://example.com/forbidden"
DAY_SECONDS = 86_400.0


class ForkAware(ScriptedOrigin):
    """An origin that answers at once, and the second time when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_again = threading.Event()
        self.gate = threading.Event()

    def send(self, request: TransportRequest) -> Response | Failure:
        answer = super().send(request)
        if len(self.asked) > 1:
            self.asked_again.set()
            assert self.gate.wait(30)
        return answer


def test_stale_answer_causes_one_request_however_often_it_serves() -> None:
    now = [0.0]
    origin = ForkAware()
    with Client(user_agent=USER_AGENT, transport=origin, clock=lambda: now[0], stale_while_revalidate=3600.0) as client:
        client.allows(URL)
        now[0] = DAY_SECONDS + 60
        assert not client.allows(URL)
        assert origin.asked_again.wait(30)
        assert [client.allows(URL) for _ in range(100)] == [False] * 100
        origin.gate.set()
    assert len(origin.asked) == 2


def test_client_that_is_closed_lets_a_refresh_end() -> None:
    now = [0.0]
    origin, store = ForkAware(), MemoryStore()
    client = Client(
        user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: now[0], stale_while_revalidate=3600.0
    )
    client.allows(URL)
    now[0] = DAY_SECONDS + 60
    client.allows(URL)
    assert origin.asked_again.wait(30)
    threading.Timer(0, origin.gate.set).start()
    client.close()
    kept = store.get("https://example.com")
    assert kept is not None
    assert kept.fetched_at == DAY_SECONDS + 60


def test_stale_answer_serves_where_no_thread_is_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
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
        assert len(origin.asked) == 1
        assert not client.allows(URL)
    assert len(origin.asked) == 2


def test_entries_of_a_client() -> None:
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin()) as client:
        client.allows(URL)
        assert list(client.entries()) == []
    store = MemoryStore()
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=store) as client:
        client.allows("https://a.example/")
        client.allows("https://b.example/")
        store._entries["https://a.example"]["format"] = 99
        assert [entry.origin for entry in client.entries()] == ["https://b.example"]
