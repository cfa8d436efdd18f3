"""Verifications that wait for threads: written once, as generators, and run in a thread or on an event loop."""

import time
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from canfetch.client.transports.daemon_threads import wait_at_most

ResultT = TypeVar("ResultT")


class Wait(NamedTuple):
    """A future to be waited for, at most until a deadline of `time.monotonic`."""

    future: Future[Any]
    deadline: float

    @property
    def seconds(self) -> float:
        """The time that remains."""
        return max(self.deadline - time.monotonic(), 0.0)


# What runs it sends whether the future is done.
Steps = Generator[Wait, bool, ResultT]


def run_steps(steps: Steps[ResultT]) -> ResultT:
    """Return the result of a verification. Each wait blocks."""
    try:
        wait = next(steps)
        while True:
            with suppress(TimeoutError):
                wait.future.exception(wait.seconds)
            wait = steps.send(wait.future.done())
    except StopIteration as stop:
        result: ResultT = stop.value
        return result


async def run_steps_async(steps: Steps[ResultT]) -> ResultT:
    """Return the result of a verification, without blocking the event loop."""
    try:
        wait = next(steps)
        while True:
            await wait_at_most(wait.future, wait.seconds)
            wait = steps.send(wait.future.done())
    except StopIteration as stop:
        result: ResultT = stop.value
        return result
