"""A computation ends with its request."""

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from tests.web.conftest import ScriptedWeb, running_api

from canfetch.web.server.work_queue import StoppableCall, Stopped, WorkQueue
from canfetch.web.settings import Settings

SECONDS = 300.0
# A finalizer or a callback of the garbage collector may be the first to run after native code. The exception is ignored
# there, and raised again.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "the computation goes on"
        time.sleep(0.01)


def endless() -> None:
    while True:
        with suppress(Exception):
            sum(range(1000))


def test_a_cancelled_computation_ends_and_its_thread_is_free() -> None:
    queue = WorkQueue(threads=1, max_waiting=1)

    async def time_out() -> int:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await queue.run(endless)
        return await queue.run(lambda: 7)

    assert asyncio.run(time_out()) == 7
    wait_for(lambda: queue.count == 0)
    queue.close()


def test_an_exception_that_a_finalizer_swallows_is_raised_again() -> None:
    queue = WorkQueue(threads=1, max_waiting=1)
    stops = 0

    def stubborn() -> None:
        nonlocal stops
        while stops < 2:
            try:
                endless()
            except Stopped:
                stops += 1

    async def time_out() -> int:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await queue.run(stubborn)
        return await queue.run(lambda: 7)

    assert asyncio.run(time_out()) == 7
    assert stops == 2
    queue.close()


def test_a_call_that_is_stopped_before_its_start_does_not_start() -> None:
    called: list[int] = []
    call = StoppableCall(lambda: called.append(1))
    assert not call.stop()
    with pytest.raises(Stopped):
        call()
    assert not called


def test_a_stop_at_the_end_of_a_call_does_not_reach_the_next_one() -> None:
    results: list[Any] = []
    calls = [StoppableCall(lambda: None) for _ in range(2000)]
    current: list[StoppableCall[None]] = []

    def work() -> None:
        for call in calls:
            current[:] = [call]
            try:
                call()
            except Stopped:
                results.append("stopped")
            else:
                results.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        for call in current:
            call.stop()
    thread.join()
    assert len(results) == len(calls)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["format", "lint", "fix", "compare"])
def test_nothing_is_computed_after_the_answer_503(path: str) -> None:
    # Distinct groups cost each of these endpoints more than the timeout.
    content = "".join(f"User-agent: B{number:x}\nDisallow: /{number}?\n\n" for number in range(12_000))
    body: dict[str, Any] = {"content": content}
    if path == "compare":
        body = {"old": content, "new": "User-agent: *\nDisallow:", "urls": ["/a"], "agents": ["X"]}
    elif path == "fix":
        body = {"content": content[:120_000]}
    with running_api(Settings(timeout=0.05), transport=ScriptedWeb()) as api:
        api.problem("POST", f"/v1/{path}", 503, json=body)
        queue = api.guard.app.state.services.queue
        # The event loop tries again while it runs.
        wait_for(lambda: api.run(asyncio.sleep(0.01, queue.count == 0)))
        # The others spend most of their time in one native call, which ends first.
        assert queue.stopped == 1 or path in {"lint", "compare"}
