"""Waiting for a fetch by another worker or thread."""

import threading
import time

import pytest
from tests.access.conftest import GatedOrigin, ScriptedOrigin
from tests.client.either import BOTH, EitherClient
from tests.stores.entries import make_entry

from canfetch.access.responses import Failure, Response
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.core.origin import Origin

USER_AGENT = "ExampleBot/1.0"
URL = "https://example.com/forbidden"


class LeasedStore(MemoryStore):
    """A store whose lease another worker holds. After some attempts, it has stored its entry, but not released it."""

    def __init__(self, attempts: int) -> None:
        super().__init__()
        self._attempts = attempts

    def acquire_lease(self, origin: str, *, holder: str, seconds: float) -> bool:
        super().acquire_lease(origin, holder="another", seconds=60)
        self._attempts -= 1
        if not self._attempts:
            self.put(make_entry(origin + "/"))
        return super().acquire_lease(origin, holder=holder, seconds=seconds)


@BOTH
@pytest.mark.parametrize("attempts", [1, 2])
def test_stored_entry_is_used_before_the_lease_is_released(kind: str, attempts: int) -> None:
    origin, store = ScriptedOrigin(), LeasedStore(attempts)
    with EitherClient(kind, origin, store=store, clock=lambda: 1000.0) as client:
        assert not client.allows(URL)
    assert origin.requests == []


@pytest.mark.slow
def test_wait_for_another_worker_ends_with_its_lease() -> None:
    origin, store = ScriptedOrigin(), LeasedStore(-1)
    with Client(user_agent=USER_AGENT, transport=origin, store=store) as client:
        client._settings = client._settings._replace(options=client.options._replace(lease_seconds=0.1))
        assert not client.allows(URL)
    assert len(origin.requests) == 1


def test_late_thread_uses_the_result_of_a_finished_fetch() -> None:
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin) as client:
        state = client.origin_state(URL)
        assert client._fetch_once(Origin.from_url(URL), None, refresh=False) is state
    assert len(origin.requests) == 1


class InterruptedFirst(GatedOrigin):
    """An origin whose first request raises an exception once its gate is open, for example because of Ctrl-C."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self._error = error

    def send(self, request: TransportRequest) -> Response | Failure:
        answer = super().send(request)
        if len(self.requests) == 1:
            raise self._error
        return answer


# The handler of a signal can raise any exception in the main thread.
@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("alarm")])
def test_waiting_thread_takes_over_an_interrupted_fetch(error: BaseException) -> None:
    origin, results = InterruptedFirst(error), list[object]()
    with Client(user_agent=USER_AGENT, transport=origin) as client:

        def query() -> None:
            try:
                results.append(client.allows(URL))
            except BaseException as raised:  # noqa: BLE001 - the type is checked below
                results.append(type(raised))

        fetcher = threading.Thread(target=query)
        fetcher.start()
        assert origin.arrived.wait(300)
        future = client._in_flight["https://example.com"]
        followers = [threading.Thread(target=query) for _ in range(3)]
        for follower in followers:
            follower.start()
        while len(future._condition._waiters) < len(followers):  # type: ignore[attr-defined]  # not in typeshed
            time.sleep(0.01)
        origin.gate.set()
        for thread in (fetcher, *followers):
            thread.join(300)
    assert sorted(map(str, results)) == [str(type(error)), "False", "False", "False"]
    assert len(origin.requests) == 2
