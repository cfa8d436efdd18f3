"""Computations are shared fairly among clients, and end with their requests."""

import asyncio
import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager
from typing import IO, Any

import pytest
from tests.web.computations import crash, endless, fail, leave_undecided, print_and_return, process, reject
from tests.web.conftest import ScriptedWeb, running_api

from canfetch.errors import InvalidURL, WorkerKilled
from canfetch.web.server import worker_process
from canfetch.web.server.clients import current_client, network_of
from canfetch.web.server.shares import Shares
from canfetch.web.server.work_queue import SMALL_BYTES, QueueFull, WorkQueue
from canfetch.web.server.worker_process import ComputationFailed, WorkerProcess
from canfetch.web.settings import Settings

SECONDS = 300.0


# Clients of one network.
NEIGHBOURS = {"p": "8.8.8.1", "q": "8.8.8.2", "r": "8.8.8.255"}


class ControlledWorker:
    """A worker whose calls end when the test ends them."""

    def __init__(self, crowd: "Crowd") -> None:
        self._crowd = crowd

    def prepare(self) -> None:
        """Do nothing."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self._crowd.started.append(arguments[0])
        assert self._crowd.ends[arguments[0]].wait(SECONDS)
        return function(*arguments)

    def kill(self) -> None:
        """Let all calls end."""
        for end in self._crowd.ends.values():
            end.set()


class Crowd:
    """The computations of several clients. The first letter of a computation is its client."""

    def __init__(self, workers: int, *, max_waiting: int = 64) -> None:
        self.started: list[str] = []
        self.ends: defaultdict[str, threading.Event] = defaultdict(threading.Event)
        self.time = 0.0
        self.queue = WorkQueue(
            [ControlledWorker(self) for _ in range(workers)], max_waiting=max_waiting, clock=lambda: self.time
        )
        self._tasks: dict[str, asyncio.Task[str]] = {}

    async def ask(self, *names: str) -> None:
        for name in names:
            self.ends[name].clear()
            self._tasks[name] = asyncio.create_task(self._ask(name))
            await asyncio.sleep(0)

    async def _ask(self, name: str) -> str:
        current_client.set(NEIGHBOURS.get(name[0], name[0]))
        return await self.queue.run(str, name, size=SMALL_BYTES + name[0].isupper())

    async def end(self, name: str) -> None:
        self.ends[name].set()
        assert await self._tasks[name] == name

    async def cancel(self, name: str) -> None:
        self._tasks[name].cancel()
        with pytest.raises(asyncio.CancelledError):
            await self._tasks[name]

    async def refuses(self, name: str) -> bool:
        await self.ask(name)
        return isinstance(await asyncio.wait_for(self._error(name), SECONDS), QueueFull)

    async def _error(self, name: str) -> BaseException | None:
        await asyncio.wait([self._tasks[name]])
        return self._tasks[name].exception()

    async def runs(self, *names: str) -> None:
        """Wait until exactly these computations have started since the last call."""
        await until(lambda: len(self.started) >= len(names))
        assert sorted(self.started) == sorted(names)
        self.started.clear()


async def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.001)


def in_crowd(test: Callable[[Crowd], Coroutine[Any, Any, None]], workers: int, *, max_waiting: int = 64) -> None:
    async def run() -> None:
        crowd = Crowd(workers, max_waiting=max_waiting)
        try:
            await test(crowd)
        finally:
            crowd.queue.close()

    asyncio.run(run())


def test_a_computation_starts_while_another_client_has_everything_busy() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("a1", "a2", "a3", "a4")
        await crowd.runs("a1")
        await crowd.ask("b1")
        await crowd.runs("b1")
        await crowd.end("b1")
        # The process that is free again is kept for others, too.
        await crowd.ask("c1")
        await crowd.runs("c1")

    in_crowd(check, workers=2)


def test_a_client_leaves_as_many_workers_free_as_it_uses() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("a1", "a2", "a3", "b1", "b2", "c1", "d1")
        await crowd.runs("a1", "a2", "b1", "c1")
        await crowd.end("a1")
        await crowd.runs("d1")

    in_crowd(check, workers=4)


def test_clients_take_turns() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("a1", "a2", "a3", "b1", "b2", "c1")
        await crowd.runs("a1")
        for done, started in (("a1", "a2"), ("a2", "b1"), ("b1", "c1"), ("c1", "a3"), ("a3", "b2")):
            await crowd.end(done)
            await crowd.runs(started)

    in_crowd(check, workers=1)


def test_a_client_waits_for_two_computations_of_one_that_fills_its_part_of_the_queue() -> None:
    async def check(crowd: Crowd) -> None:
        waiting = [f"a{number}" for number in range(2, 18)]
        await crowd.ask("a1", *waiting)
        await crowd.runs("a1")
        assert await crowd.refuses("a18")
        await crowd.ask("b1")
        # The one that runs, and the one whose turn comes before.
        await crowd.end("a1")
        await crowd.runs("a2")
        await crowd.end("a2")
        await crowd.runs("b1")
        assert crowd.queue.count == 16

    in_crowd(check, workers=1)


def test_a_client_fills_only_its_part_of_the_queue() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("a1", "a2", "a3")
        await crowd.runs("a1")
        assert await crowd.refuses("a4")
        await crowd.ask("b1", "b2")
        assert await crowd.refuses("b3")
        assert crowd.queue.count == 5

    in_crowd(check, workers=1, max_waiting=8)


def test_a_computation_that_waits_is_forgotten_with_its_request() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("a1", "a2", "a3")
        await crowd.runs("a1")
        await crowd.cancel("a2")
        await crowd.end("a1")
        await crowd.runs("a3")
        await crowd.end("a3")
        assert crowd.queue.count == 0

    in_crowd(check, workers=1)


def test_a_computation_that_is_cancelled_at_its_start_gives_its_worker_back() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("a1", "a2")
        await crowd.runs("a1")
        crowd.ends["a1"].set()
        await crowd._tasks["a1"]
        # Its turn has come, and its task has not run yet.
        await crowd.cancel("a2")
        await until(lambda: crowd.queue.count == 0)
        await crowd.ask("b1")
        await until(lambda: "b1" in crowd.started)

    in_crowd(check, workers=1)


def test_clients_of_a_network_never_use_all_workers() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("p1", "q1", "r1")
        await crowd.runs("p1")
        await crowd.ask("b1")
        await crowd.runs("b1")

    in_crowd(check, workers=2)


def test_large_computations_leave_a_worker_for_small_ones() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("A1", "B1", "c1", "d1")
        await crowd.runs("A1", "c1")
        # Small ones do not keep large ones away.
        await crowd.end("c1")
        await crowd.runs("d1")
        await crowd.end("A1")
        await crowd.runs("B1")
        await crowd.cancel("B1")
        await crowd.end("d1")
        await crowd.ask("C1", "d2")
        await crowd.runs("C1", "d2")

    in_crowd(check, workers=2)


def test_computations_of_a_network_are_large_for_a_minute_after_a_long_one() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("p1", "b1")
        await crowd.runs("p1", "b1")
        crowd.time = 0.6
        await crowd.end("p1")
        await crowd.end("b1")
        # Both networks together leave a worker for a third one.
        await crowd.ask("q1", "b2", "c1")
        await crowd.runs("q1", "c1")
        await crowd.end("q1")
        await crowd.runs("b2")
        await crowd.end("b2")
        await crowd.end("c1")
        crowd.time = 61.0
        await crowd.ask("q2", "b3")
        await crowd.runs("q2", "b3")

    in_crowd(check, workers=2)


def test_computations_that_wait_are_large_after_a_long_one() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("p1", "b1", "p2", "b2")
        await crowd.runs("p1", "b1")
        crowd.time = 0.6
        await crowd.end("p1")
        await crowd.end("b1")
        await crowd.ask("c1")
        await until(lambda: len(crowd.started) == 2)
        assert "c1" in crowd.started

    in_crowd(check, workers=2)


def test_computations_of_a_network_are_large_after_one_that_was_ended() -> None:
    async def check(crowd: Crowd) -> None:
        for name in ("p1", "b1"):
            await crowd.ask(name)
            await crowd.runs(name)
            await crowd.cancel(name)
        await crowd.ask("q1", "b2", "c1")
        await crowd.runs("q1", "c1")

    in_crowd(check, workers=2)


def test_one_worker_is_also_for_large_computations() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("A1", "b1")
        await crowd.runs("A1")
        await crowd.end("A1")
        await crowd.runs("b1")

    in_crowd(check, workers=1)


def test_networks_take_turns_and_clients_in_a_network() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("a1", "p1", "p2", "q1", "r1", "b1", "b2")
        await crowd.runs("a1")
        for done, started in (("a1", "p1"), ("p1", "b1"), ("b1", "q1"), ("q1", "b2"), ("b2", "r1"), ("r1", "p2")):
            await crowd.end(done)
            await crowd.runs(started)

    in_crowd(check, workers=1)


def test_a_network_waits_for_no_longer_than_another_one() -> None:
    async def check(crowd: Crowd) -> None:
        await crowd.ask("p1", "q1", "r1")
        await crowd.runs("p1")
        await crowd.cancel("q1")
        await crowd.cancel("r1")
        await until(lambda: crowd.queue.count == 1)
        await crowd.ask("q2")
        await crowd.end("p1")
        await crowd.runs("q2")

    in_crowd(check, workers=1)


@pytest.mark.parametrize(
    "client, network",
    [
        ("8.8.8.1", "8.8.8.0/24"),
        ("2600:1:2:3::/64", "2600:1:2::/48"),
        ("10.0.0.1", "10.0.0.1"),
        ("127.0.0.1", "127.0.0.1"),
        ("fd00::/64", "fd00::/64"),
        ("unknown", "unknown"),
    ],
)
def test_networks_of_clients(client: str, network: str) -> None:
    assert network_of(client) == network


def test_shares_are_bounded_for_each_network() -> None:
    shares = Shares(8)
    assert shares.take("8.8.8.1", 2)
    assert shares.take("8.8.8.2", 2)
    assert not shares.take("8.8.8.3")
    assert shares.take("8.8.9.3", 2)
    shares.give_back("8.8.8.1", 2)
    assert shares.take("8.8.8.3", 2)


def test_several_networks_leave_a_share_for_others() -> None:
    shares = Shares(64, 8)
    for network in range(3):
        while sum(shares.take(f"8.8.{network}.{client}") for client in range(64)):
            pass
    assert shares.taken == 32 + 16 + 8
    assert shares.take("9.9.9.9")


def test_shares_are_bounded_in_all_and_for_each_client() -> None:
    shares = Shares(8)
    assert shares.take("a", 2)
    assert not shares.take("a")
    assert all(shares.take(client, 2) for client in "bcd")
    assert not shares.take("e")
    shares.give_back("b", 1)
    assert shares.take("e")
    assert shares.taken == 8


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    with one_worker() as started:
        yield started


@contextmanager
def one_worker() -> Iterator[WorkerProcess]:
    worker = WorkerProcess(process)
    try:
        yield worker
    finally:
        worker.close()


@pytest.mark.service
def test_errors_of_a_process(worker: WorkerProcess, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InvalidURL, match="invalid URL 'x'") as raised:
        worker.call(reject, "x")
    assert raised.value.index == 7
    with pytest.raises(ComputationFailed, match=r"^Undecided in .*computations\.py:\d+$"):
        worker.call(leave_undecided)
    with pytest.raises(ComputationFailed, match=r"^KeyError in .*computations\.py:\d+$"):
        worker.call(fail, "secret")
    assert worker.call(print_and_return, "printed") == "printed"
    assert capfd.readouterr().out == ""
    first = worker.call(process)
    with pytest.raises(WorkerKilled):
        worker.call(crash)
    assert worker.call(process) != first


@pytest.mark.service
def test_a_cancelled_computation_ends_and_its_process_is_replaced(worker: WorkerProcess) -> None:
    async def time_out() -> None:
        queue = WorkQueue([worker], max_waiting=1)
        first = await queue.run(process, size=0)
        task = asyncio.create_task(queue.run(endless, size=0))
        await until(lambda: queue.count == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # Until its process is replaced, the client is charged for it.
        assert queue.count == 1
        assert await queue.run(process, size=0) != first
        assert (queue.count, queue.stopped) == (0, 1)
        queue.close()

    asyncio.run(time_out())


@pytest.mark.service
def test_a_cancelled_computation_that_has_just_ended_costs_no_other_one() -> None:
    ended = threading.Event()

    class ReportingWorker(WorkerProcess):
        def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
            try:
                return super().call(function, *arguments)
            finally:
                ended.set()

    async def cancel_late(worker: WorkerProcess) -> None:
        queue = WorkQueue([worker], max_waiting=1)
        for _ in range(3):
            first = await queue.run(process, size=0)
            ended.clear()
            task = asyncio.create_task(queue.run(process, size=0))
            await asyncio.sleep(0)
            # The event loop is busy until the computation has ended.
            assert ended.wait(SECONDS)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await queue.run(process, size=0) != first
        queue.close()

    with closing(ReportingWorker(process)) as worker:
        asyncio.run(cancel_late(worker))


@pytest.mark.service
def test_the_end_of_a_worker_ends_one_computation(worker: WorkerProcess) -> None:
    for is_running in (False, True):
        if is_running:
            worker.prepare()
        worker.kill()
        # The request ended before its computation started.
        with pytest.raises(WorkerKilled):
            worker.call(process)
        # No later computation is affected, also of another queue.
        assert worker.call(process) == worker.pid
        first = worker.pid
        worker.kill()
        worker.prepare()
        assert worker.call(process) != first


@pytest.mark.service
@pytest.mark.skipif(not hasattr(os, "waitid"), reason="needs waitid")
def test_a_process_that_ends_between_two_calls_is_replaced(worker: WorkerProcess) -> None:
    first = worker.call(process)
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert worker.call(process) != first


@pytest.mark.service
def test_a_process_ends_with_its_server(worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    worker.prepare()
    running = worker._process
    assert running is not None
    write, is_sent = worker_process._write, threading.Event()

    def write_and_report(stream: IO[bytes], value: Any) -> None:
        write(stream, value)
        is_sent.set()

    monkeypatch.setattr(worker_process, "_write", write_and_report)

    def compute() -> None:
        with pytest.raises(WorkerKilled):
            worker.call(endless)

    thread = threading.Thread(target=compute)
    thread.start()
    assert is_sent.wait(SECONDS)
    assert running.stdin is not None
    running.stdin.close()
    assert running.wait(SECONDS) == 0
    thread.join(SECONDS)


@pytest.mark.service
def test_nothing_is_computed_after_the_answer_503() -> None:
    content = "".join(f"User-agent: B{number:x}\nDisallow: /{number}?\n\n" for number in range(12_000))
    with running_api(Settings(timeout=0.01), transport=ScriptedWeb()) as api:
        problem = api.problem("POST", "/v1/format", 503, json={"content": content})
        assert problem["type"] == "urn:canfetch:problem:timeout"
        queue = api.guard.app.state.services.queue
        api.run(until(lambda: queue.count == 0))
        assert queue.stopped == 1
