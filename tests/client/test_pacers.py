"""Waiting for the turn of a request, with a fake clock."""

import asyncio
import gc
import threading
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.access.conftest import AnsweringOrigin

from canfetch.access.pacing import Pace
from canfetch.access.responses import Response
from canfetch.client import pacers
from canfetch.client.origin_state import OriginState
from canfetch.client.pacers import _MAX_ORIGINS, _MIN_ORIGINS, AsyncPacer, Pacer, _FairLock
from canfetch.client.sync_client import Client
from canfetch.core.agent import Agent
from canfetch.errors import ClientClosed

AGENT = Agent("ExampleBot")
DELAYED = b"User-agent: *\nDisallow: /private\nCrawl-delay: 10\n"


class Clock:
    """A clock that only sleeping advances."""

    def __init__(self) -> None:
        self.now = 1_000_000_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)
        await asyncio.sleep(0)


def state_of(content: bytes, origin: str = "https://example.com") -> OriginState:
    """Return the state of an origin with a robots.txt."""
    site = AnsweringOrigin(lambda request: Response(request.url, 200, (), content))
    with Client(user_agent="ExampleBot/1.0", transport=site) as client:
        return client.origin_state(origin)


def make_pacer(clock: Clock, **bounds: Any) -> Pacer:
    return Pacer(AGENT, Pace(**bounds), clock=clock, sleep=clock.sleep)


def make_async_pacer(clock: Clock, **bounds: Any) -> AsyncPacer:
    return AsyncPacer(AGENT, Pace(**bounds), clock=clock, sleep=clock.sleep_async)


def test_requests_wait_for_the_crawl_delay() -> None:
    clock = Clock()
    pacer, state = make_pacer(clock), state_of(DELAYED)
    assert [pacer.wait(state) for _ in range(3)] == [0.0, 10.0, 10.0]
    clock.now += 4
    assert pacer.wait(state) == 6.0
    clock.now += 60
    assert pacer.wait(state) == 0.0


@pytest.mark.parametrize("step", [-1e8, -3600.0, 5.0, 3600.0, 1e8])
def test_setting_the_clock_of_the_machine_changes_no_delay(monkeypatch: pytest.MonkeyPatch, step: float) -> None:
    wall, timer = Clock(), Clock()
    monkeypatch.setattr(pacers, "monotonic", timer)
    monkeypatch.setattr(time, "time", wall)
    pacer, state = Pacer(AGENT, Pace(max_delay=60.0), clock=time.time, sleep=timer.sleep), state_of(DELAYED)
    assert pacer.wait(state) == 0.0
    wall.now += step
    assert [pacer.wait(state) for _ in range(2)] == [10.0, 10.0]
    timer.now += 4
    assert pacer.wait(state) == pytest.approx(6.0)
    assert sum(timer.slept) == pytest.approx(26.0)


def test_origins_do_not_wait_for_each_other() -> None:
    clock = Clock()
    pacer = make_pacer(clock)
    for number in range(5):
        assert pacer.wait(state_of(DELAYED, f"https://host-{number}.example")) == 0.0


@pytest.mark.parametrize(
    "content, bounds, seconds",
    [
        (b"", {}, 0.0),
        (b"", {"min_delay": 3.0}, 3.0),
        (b"User-agent: *\nCrawl-delay: 100000\n", {}, 60.0),
        (b"User-agent: *\nCrawl-delay: 100000\n", {"max_delay": 5.0}, 5.0),
        (b"User-agent: *\nRequest-rate: 2/60\n", {}, 30.0),
        (b"User-agent: ExampleBot\nCrawl-delay: 2\nAllow: /\n\nUser-agent: *\nCrawl-delay: 9\nAllow: /\n", {}, 2.0),
        # It would block the request for up to a day.
        (b"User-agent: *\nVisit-time: 0000-0001\n", {}, 0.0),
    ],
    ids=["nothing", "min", "limit", "max", "rate", "group", "visit-time"],
)
def test_limits_that_the_file_declares(content: bytes, bounds: dict[str, float], seconds: float) -> None:
    clock = Clock()
    pacer, state = make_pacer(clock, **bounds), state_of(content)
    assert (pacer.wait(state), pacer.wait(state)) == (0.0, seconds)


def test_new_state_replaces_the_limits() -> None:
    clock = Clock()
    pacer = make_pacer(clock)
    pacer.wait(state_of(DELAYED))
    assert pacer.wait(state_of(b"User-agent: *\nCrawl-delay: 3\n")) == 3.0


def test_clock_that_is_set_back_delays_no_longer_than_the_delay() -> None:
    clock = Clock()
    pacer, state = make_pacer(clock), state_of(DELAYED)
    pacer.wait(state)
    clock.now -= 86_400
    pacer.wait(state)
    assert clock.slept == [10.0]


def test_interrupted_wait_gives_the_turn_to_the_next_thread() -> None:
    clock = Clock()
    state = state_of(DELAYED)
    interrupts = [KeyboardInterrupt()]

    def sleep(seconds: float) -> None:
        if interrupts:
            raise interrupts.pop()
        clock.sleep(seconds)

    pacer = Pacer(AGENT, Pace(), clock=clock, sleep=sleep)
    pacer.wait(state)
    with pytest.raises(KeyboardInterrupt):
        pacer.wait(state)
    assert pacer.wait(state) == 10.0
    assert clock.slept == [10.0]


def test_threads_share_the_delay() -> None:
    clock = Clock()
    pacer, state = make_pacer(clock), state_of(DELAYED)
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(lambda _: pacer.wait(state), range(50)))
    assert clock.slept == [10.0] * 49


def test_fair_lock_serves_threads_in_order() -> None:
    lock, order = _FairLock(), []
    threads = []

    def enter(number: int) -> None:
        with lock:
            order.append(number)

    with lock:
        for number in range(10):
            threads.append(threading.Thread(target=enter, args=(number,)))
            threads[-1].start()
            while len(lock._gates) <= number:
                pass
    for thread in threads:
        thread.join(300)
    assert order == list(range(10))
    assert not lock._is_held


def test_interrupted_thread_leaves_the_lock() -> None:
    lock = _FairLock()
    first, second = threading.Lock(), threading.Lock()
    lock._is_held = True
    lock._gates.extend([first, second])
    lock._leave(first)
    assert list(lock._gates) == [second]
    # A gate that was opened just before the interrupt passes the lock on.
    second.acquire()
    lock._leave(first)
    assert not lock._gates
    assert second.acquire(blocking=False)


@pytest.mark.slow
def test_idle_origins_are_dropped() -> None:
    clock = Clock()
    pacer = make_pacer(clock)
    template = state_of(DELAYED)
    for number in range(3 * _MIN_ORIGINS):
        pacer.wait(state_of_host(template, number))
        clock.now += 1
    assert len(pacer._origins) <= _MIN_ORIGINS


@pytest.mark.slow
def test_origins_without_a_delay_are_dropped() -> None:
    pacer, template = make_pacer(Clock()), state_of(b"User-agent: *\nDisallow: /private\n")
    for number in range(3 * _MIN_ORIGINS):
        pacer.wait(state_of_host(template, number))
    assert len(pacer._origins) <= _MIN_ORIGINS


@pytest.mark.slow
def test_number_of_origins_is_bounded_and_the_oldest_are_dropped() -> None:
    clock = Clock()
    pacer, template = make_pacer(clock), state_of(DELAYED)
    for number in range(_MAX_ORIGINS + 1):
        pacer.wait(state_of_host(template, number))
        clock.now += 1e-5
    assert len(pacer._origins) == _MAX_ORIGINS // 2 + 1
    assert pacer.wait(state_of_host(template, _MAX_ORIGINS)) > 9
    assert pacer.wait(state_of_host(template, 0)) == 0.0


def state_of_host(template: OriginState, number: int) -> OriginState:
    """Return a state with the file of another one."""
    entry = template.entry._replace(origin=f"https://host-{number}.example")
    return OriginState(template.origin, entry, template.options)


def test_child_process_has_new_locks_and_the_same_times() -> None:
    clock = Clock()
    pacer, state = make_pacer(clock), state_of(DELAYED)
    pacer.wait(state)
    turns = pacer._origins["https://example.com"]
    turns.lock.__enter__()
    pacer.reset_after_fork()
    assert pacer.wait(state) == 10.0


@pytest.mark.parametrize("make", [make_pacer, make_async_pacer], ids=["threads", "tasks"])
def test_pacer_keeps_no_file_in_memory(make: Any) -> None:
    pacer, state = make(Clock()), state_of(DELAYED)
    waited = pacer.wait(state)
    if not isinstance(waited, float):
        asyncio.run(waited)
    del waited
    reference = weakref.ref(state)
    del state
    gc.collect()
    assert reference() is None


def test_closing_ends_the_waits_of_threads() -> None:
    pacer, state = (
        Pacer(AGENT, Pace(max_delay=3600.0), clock=time.time),
        state_of(b"User-agent: *\nCrawl-delay: 3600\n"),
    )
    pacer.wait(state)
    with ThreadPoolExecutor(8) as threads:
        waits = [threads.submit(pacer.wait, state) for _ in range(8)]
        turns = pacer._origins["https://example.com"]
        while turns.users < 8:
            time.sleep(0)
        pacer.close()
        assert [type(wait.exception(300)) for wait in waits] == [ClientClosed] * 8
    pacer.reset_after_fork()
    with pytest.raises(ClientClosed):
        pacer.wait(state)


def test_sleep_that_ends_after_closing_is_not_the_start_of_a_turn() -> None:
    clock = Clock()

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        pacer.close()

    pacer, state = Pacer(AGENT, Pace(), clock=clock, sleep=sleep), state_of(DELAYED)
    pacer.wait(state)
    with pytest.raises(ClientClosed):
        pacer.wait(state)


# --- requests that wait for a connection ------------------------------------------------------------------------------


def test_delay_counts_from_the_time_when_a_request_is_sent() -> None:
    clock = Clock()
    pacer, state = make_pacer(clock), state_of(DELAYED)
    first = pacer.start(state)
    with ThreadPoolExecutor(1) as threads:
        wait = threads.submit(pacer.wait, state)
        while pacer._origins["https://example.com"].users < 1:
            time.sleep(0)
        clock.now += 25
        first.sent()
        wait.result()
    assert clock.slept == [10.0]


def test_request_without_a_report_counts_as_sent_at_its_end() -> None:
    clock = Clock()
    pacer, state = make_pacer(clock), state_of(DELAYED)
    with pacer.start(state):
        clock.now += 25
    assert pacer.wait(state) == 10.0


def test_repeated_request_delays_the_next_one() -> None:
    clock = Clock()
    pacer, state = make_pacer(clock), state_of(DELAYED)
    with pacer.start(state) as turn:
        turn.sent()
        clock.now += 5
        turn.sent()
    assert pacer.wait(state) == 10.0


def test_request_with_a_connection_does_not_wait_for_those_that_wait_for_one() -> None:
    clock = Clock()
    pacer, state = make_pacer(clock), state_of(DELAYED)
    first = pacer.start(state)
    with ThreadPoolExecutor(1) as threads:
        wait = threads.submit(pacer.wait, state)
        while pacer._origins["https://example.com"].users < 1:
            time.sleep(0)
        # The other thread waits until the first request is sent, with the place in the queue.
        retry = pacer.start(state, has_connection=True)
        assert clock.slept == [10.0]
        assert not wait.done()
        retry.sent()
        first.sent()
        wait.result()
    assert clock.slept == [10.0, 10.0]


def test_requests_without_a_delay_do_not_wait_for_the_connections_of_others() -> None:
    pacer, state = make_pacer(Clock()), state_of(b"")
    with pacer.start(state), pacer.start(state) as second:
        assert second.waited_seconds == 0.0


def test_request_that_is_not_sent_for_long_delays_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacers, "_MAX_PENDING_SECONDS", 0.0)
    pacer, state = make_pacer(Clock()), state_of(DELAYED)
    with pacer.start(state):
        assert pacer.wait(state) == 10.0


def test_turn_that_was_lost_delays_no_request() -> None:
    clock = Clock()
    pacer, state = make_pacer(clock), state_of(DELAYED)
    pacer.start(state)
    gc.collect()
    assert pacer.wait(state) == 10.0


def test_origin_whose_request_waits_for_a_connection_is_not_dropped() -> None:
    clock = Clock()
    pacer, state = make_pacer(clock), state_of(DELAYED)
    with pacer.start(state):
        clock.now += 60
        pacer._drop_at = 0
        pacer._drop_idle_origins()
        assert list(pacer._origins) == ["https://example.com"]
    clock.now += 60
    pacer._drop_at = 0
    pacer._drop_idle_origins()
    assert not pacer._origins


def test_closing_ends_the_waits_for_a_request_that_was_not_sent() -> None:
    pacer, state = make_pacer(Clock()), state_of(DELAYED)
    turn = pacer.start(state)
    with ThreadPoolExecutor(1) as threads:
        wait = threads.submit(pacer.wait, state)
        while pacer._origins["https://example.com"].users < 1:
            time.sleep(0)
        pacer.close()
        assert isinstance(wait.exception(300), ClientClosed)
    turn.close()


# --- tasks -----------------------------------------------------------------------------------------------------------


def test_tasks_wait_in_order() -> None:
    clock, order = Clock(), []
    pacer, state = make_async_pacer(clock), state_of(DELAYED)

    async def send(number: int) -> None:
        await pacer.wait(state)
        order.append((number, clock.now - 1_000_000_000))

    async def run() -> None:
        await asyncio.gather(*(send(number) for number in range(5)))

    asyncio.run(run())
    assert [number for number, _ in order] == list(range(5))
    assert clock.slept == [10.0] * 4


def test_delay_counts_from_the_time_when_a_task_sends_its_request() -> None:
    clock = Clock()
    pacer, state = make_async_pacer(clock), state_of(DELAYED)

    async def run() -> None:
        first = await pacer.start(state)
        tasks = [asyncio.create_task(pacer.wait(state)) for _ in range(2)]
        await asyncio.sleep(0)
        # A task that waits for the connection of another one.
        tasks[0].cancel()
        clock.now += 25
        first.sent()
        await tasks[1]

    asyncio.run(run())
    assert clock.slept == [10.0]


def test_closing_ends_the_waits_of_tasks_for_a_request_that_was_not_sent() -> None:
    pacer, state = make_async_pacer(Clock()), state_of(DELAYED)

    async def run() -> None:
        with await pacer.start(state):
            task = asyncio.create_task(pacer.wait(state))
            await asyncio.sleep(0)
            pacer.close()
            with pytest.raises(ClientClosed):
                await task

    asyncio.run(run())


def test_cancelled_tasks_do_not_delay_the_others() -> None:
    clock = Clock()
    state = state_of(DELAYED)

    async def run() -> None:
        released = asyncio.Event()

        async def sleep(seconds: float) -> None:
            await released.wait()
            clock.sleep(seconds)

        pacer = AsyncPacer(AGENT, Pace(), clock=clock, sleep=sleep)
        await pacer.wait(state)
        tasks = [asyncio.create_task(pacer.wait(state)) for _ in range(10)]
        await asyncio.sleep(0)
        for task in tasks[:9]:
            task.cancel()
        released.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert results[9] == 10.0
        assert all(isinstance(result, asyncio.CancelledError) for result in results[:9])

    asyncio.run(run())
    assert clock.slept == [10.0]


def test_tasks_of_a_closed_event_loop_do_not_block_another() -> None:
    clock = Clock()
    pacer, state = make_async_pacer(clock), state_of(DELAYED)

    async def hold() -> None:
        await pacer.wait(state)
        await pacer._origins["https://example.com"].lock.of_running_loop().acquire()

    asyncio.run(hold())
    assert asyncio.run(pacer.wait(state)) == 10.0


def test_closing_ends_the_waits_of_tasks() -> None:
    pacer, state = AsyncPacer(AGENT, Pace(), clock=Clock(), sleep=lambda _: asyncio.sleep(3600)), state_of(DELAYED)

    async def run() -> None:
        await pacer.wait(state)
        tasks = [asyncio.create_task(pacer.wait(state)) for _ in range(5)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        pacer.close()
        pacer.close()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(result) for result in results] == [asyncio.CancelledError, *[ClientClosed] * 4]
        with pytest.raises(ClientClosed):
            await pacer.wait(state)

    asyncio.run(run())


def test_timeout_of_the_sleep_itself_is_raised() -> None:
    async def sleep(_: float) -> None:
        raise TimeoutError

    async def run() -> None:
        pacer, state = AsyncPacer(AGENT, Pace(), clock=Clock(), sleep=sleep), state_of(DELAYED)
        await pacer.wait(state)
        with pytest.raises(TimeoutError):
            await pacer.wait(state)

    asyncio.run(run())


def test_pacer_can_be_closed_on_another_event_loop() -> None:
    clock = Clock()
    pacer, state = make_async_pacer(clock), state_of(DELAYED)
    asyncio.run(pacer.wait(state))

    async def close() -> None:
        pacer.close()
        with pytest.raises(ClientClosed):
            await pacer.wait(state)

    asyncio.run(close())


class TwoLoops:
    """Two event loops whose tasks share a pacer. Its sleeps end when a loop is woken."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.pacer = AsyncPacer(AGENT, Pace(), clock=self.clock, sleep=self._sleep)
        self.loops = asyncio.new_event_loop(), asyncio.new_event_loop()
        self._woken: asyncio.Event | None = None

    async def _sleep(self, _: float) -> None:
        self._woken = asyncio.Event()
        await self._woken.wait()

    def start(self, number: int, state: OriginState) -> "asyncio.Task[float]":
        """Start a wait on one of the loops, and run the loop for a moment."""
        task = self.loops[number].create_task(self.pacer.wait(state))
        self.run(number)
        return task

    def run(self, number: int) -> None:
        self.loops[number].run_until_complete(asyncio.sleep(0.001))

    def wake(self, number: int) -> None:
        assert self._woken is not None
        self._woken.set()
        self.run(number)


@pytest.fixture
def two_loops() -> Iterator[TwoLoops]:
    loops = TwoLoops()
    yield loops
    for loop in loops.loops:
        loop.close()


def test_a_delay_counts_over_all_event_loops(two_loops: TwoLoops) -> None:
    state = state_of(DELAYED)
    assert two_loops.start(0, state).done()
    second = two_loops.start(1, state)
    two_loops.clock.now += 10.0
    third = two_loops.start(0, state)
    assert third.done()
    two_loops.wake(1)
    # The task of the other loop was faster.
    assert not second.done()
    two_loops.clock.now += 10.0
    two_loops.wake(1)
    assert second.result() == 20.0


def test_closing_ends_the_waits_on_every_event_loop(two_loops: TwoLoops) -> None:
    state = state_of(DELAYED)
    assert two_loops.start(0, state).done()
    waits = [two_loops.start(number, state) for number in (0, 1)]
    two_loops.pacer.close()
    for number, wait in enumerate(waits):
        two_loops.run(number)
        assert isinstance(wait.exception(), ClientClosed)
