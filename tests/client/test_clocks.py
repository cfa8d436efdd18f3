"""Clocks that were wrong: an entry from the future is fetched again, once."""

from functools import partial
from typing import Any

from simulation.machine import EPOCH, ClockPlan, Machine
from tests.access.conftest import ScriptedOrigin
from tests.client.either import BOTH, EitherClient

from canfetch.access.effective_access import MAX_CLOCK_SKEW
from canfetch.client.clock_watch import ClockWatch
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client

USER_AGENT = "ExampleBot/1.0"
OPEN, FORBIDDEN = "https://example.com/open", "https://example.com/forbidden"
WRONG, RIGHT = 4e9, 1.8e9


@BOTH
def test_rfc9309_2_4_entry_from_the_future_is_fetched_again(kind: str) -> None:
    now = [WRONG]
    origin = ScriptedOrigin({"status": 404})
    with EitherClient(kind, origin, clock=lambda: now[0]) as client:
        assert client.allows(FORBIDDEN)
        now[0] = RIGHT
        origin.event = {"status": 200}
        assert not client.allows(FORBIDDEN)
        assert [client.decide(OPEN).allowed for _ in range(3)] == [True] * 3
        now[0] = RIGHT - 10
        assert not client.allows(FORBIDDEN)
    assert len(origin.requests) == 2


def test_rfc9309_2_4_stored_entry_from_the_future_is_fetched_once() -> None:
    store = MemoryStore()
    origin = ScriptedOrigin()
    requests = []
    for now in (WRONG, RIGHT, RIGHT + 60, RIGHT + 120):
        with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=partial(float, now)) as client:
            assert not client.allows(FORBIDDEN)
        requests.append(len(origin.requests))
    assert requests == [1, 2, 2, 2]


def test_stored_entry_is_newer_than_a_cached_entry_from_the_future() -> None:
    now = [WRONG]
    store, origin, others = MemoryStore(), ScriptedOrigin(), ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: now[0]) as client:
        client.allows(OPEN)
        now[0] = RIGHT
        with Client(user_agent=USER_AGENT, transport=others, store=store, clock=lambda: now[0]) as other:
            other.allows(OPEN)
        client.allows(OPEN)
        assert client.origin_state(OPEN).entry.fetched_at == RIGHT
    assert (len(origin.requests), len(others.requests)) == (1, 1)


def test_copy_from_before_the_clock_was_set_back_is_not_new_again_later() -> None:
    elapsed = [0.0]
    store, origin, others = MemoryStore(), ScriptedOrigin({"status": 404}), ScriptedOrigin()
    with Machine("clock", ClockPlan(((30.0, -3600.0),)), monotonic=lambda: elapsed[0]) as machine:
        options: dict[str, Any] = {"user_agent": USER_AGENT, "store": store, "clock": machine.wall}
        with Client(transport=origin, **options) as client:
            assert client.allows(FORBIDDEN)
            elapsed[0] = 60
            with Client(transport=others, **options) as other:
                assert not other.allows(FORBIDDEN)
            # The clock shows a time after the first request again.
            elapsed[0] = 3700
            assert not client.allows(FORBIDDEN)
            assert client.origin_state(OPEN).entry.fetched_at == EPOCH + 60 - 3600
    assert (len(origin.requests), len(others.requests)) == (1, 1)


def test_last_good_copy_stays_when_the_clock_is_set_back() -> None:
    elapsed = [0.0]
    origin = ScriptedOrigin()
    with (
        Machine("clock", ClockPlan(((30.0, -3600.0),)), monotonic=lambda: elapsed[0]) as machine,
        Client(user_agent=USER_AGENT, transport=origin, clock=machine.wall) as client,
    ):
        assert not client.allows(FORBIDDEN)
        elapsed[0] = 3700
        origin.event = {"status": 503}
        assert not client.allows(FORBIDDEN)
        assert client.allows(OPEN)
    assert len(origin.requests) == 2


def test_only_steps_back_beyond_the_skew_count() -> None:
    now, elapsed = [RIGHT], [0.0]
    watch = ClockWatch(lambda: now[0], lambda: elapsed[0])

    def advance(seconds: float, *, step: float = 0.0) -> float:
        elapsed[0] += seconds
        now[0] += seconds + step
        return watch.check(now[0])

    assert advance(10) == 0
    assert advance(10, step=-MAX_CLOCK_SKEW) == 0
    # The steps add up.
    assert advance(10, step=-1) == MAX_CLOCK_SKEW + 1
    assert advance(10) == 0
    assert advance(10, step=3600) == 0
    assert advance(10, step=-1800) == 1800
