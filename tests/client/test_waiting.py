"""Who waits for another worker's fetch: for its answer, and not for its lease."""

import asyncio
import threading
import time

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin
from tests.stores.entries import entry_of

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.core.origin import Origin

USER_AGENT = "ExampleBot/1.0"
URL = "https://example.com/forbidden"


class Busy(MemoryStore):
    """A store whose lease another worker has; it is done, and has not given it back, when it was asked often enough."""

    def __init__(self, asked: int) -> None:
        super().__init__()
        self._asked = asked

    def acquire_lease(self, origin: str, *, holder: str, seconds: float) -> bool:
        super().acquire_lease(origin, holder="another", seconds=60)
        self._asked -= 1
        if not self._asked:
            self.put(entry_of(origin + "/"))
        return super().acquire_lease(origin, holder=holder, seconds=seconds)


@pytest.mark.parametrize("asked", [1, 2])
def test_answer_counts_before_the_lease_is_given_back(asked: int) -> None:
    origin, store = ScriptedOrigin(), Busy(asked)
    with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: 1000.0) as client:
        assert not client.allows(URL)
    assert origin.asked == []


@pytest.mark.parametrize("asked", [1, 2])
def test_answer_counts_before_the_lease_is_given_back_async(asked: int) -> None:
    origin, store = AsyncScriptedOrigin(), Busy(asked)

    async def ask() -> bool:
        async with AsyncClient(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: 1000.0) as client:
            return await client.allows(URL)

    assert not asyncio.run(ask())
    assert origin.asked == []


def test_worker_that_is_never_done_is_not_waited_for_for_ever() -> None:
    origin, store = ScriptedOrigin(), Busy(-1)
    with Client(user_agent=USER_AGENT, transport=origin, store=store, timeout=0.001) as client:
        client.options = client.options._replace(lease_seconds=0.1)
        client.allows(URL)
    assert len(origin.asked) <= 1


def test_who_comes_after_the_landing_takes_no_flight() -> None:
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin) as client:
        known = client.origin_state(URL)
        assert client._fetch_once(Origin.from_url(URL), None, refresh=False) is known
    assert len(origin.asked) == 1


class InterruptedFirst(ScriptedOrigin):
    """Somebody presses ctrl-C, once others wait for the first request."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked, self.gate = threading.Event(), threading.Event()

    def send(self, request: TransportRequest) -> Response | Failure:
        answer = super().send(request)
        if len(self.asked) == 1:
            self.is_asked.set()
            assert self.gate.wait(30)
            raise KeyboardInterrupt
        return answer


def test_who_waits_for_a_thread_that_is_interrupted_asks_anew() -> None:
    origin, told = InterruptedFirst(), list[object]()
    with Client(user_agent=USER_AGENT, transport=origin) as client:

        def ask() -> None:
            try:
                told.append(client.allows(URL))
            except BaseException as error:  # noqa: BLE001 - what else comes is what is tested
                told.append(type(error))

        leader = threading.Thread(target=ask)
        leader.start()
        assert origin.is_asked.wait(30)
        flight = client._in_flight["https://example.com"]
        followers = [threading.Thread(target=ask) for _ in range(3)]
        for follower in followers:
            follower.start()
        while len(flight._condition._waiters) < len(followers):  # type: ignore[attr-defined]  # not in typeshed
            time.sleep(0.01)
        origin.gate.set()
        for thread in (leader, *followers):
            thread.join(30)
    assert sorted(map(str, told)) == ["<class 'KeyboardInterrupt'>", "False", "False", "False"]
    assert len(origin.asked) == 2
