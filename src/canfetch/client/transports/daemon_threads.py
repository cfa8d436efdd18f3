"""Blocking calls in daemon threads, for the event loop.

The threads of asyncio's executor have to finish before the event loop closes and the interpreter exits. Daemon threads
delay neither.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

from canfetch.client.transports.local_errors import NoThread

_Result = TypeVar("_Result")


def start_daemon_thread(function: Callable[[], _Result], *, name: str) -> Future[_Result]:
    """Call `function` in a new daemon thread, and return the future of its result.

    If no thread is available, the result is the exception NoThread.
    """
    future: Future[_Result] = Future()

    def run() -> None:
        try:
            result = function()
        except BaseException as error:  # noqa: BLE001 - raised where the result is used
            future.set_exception(error)
        else:
            future.set_result(result)

    # Running from the start, so that it cannot be cancelled: the thread sets its result in any case.
    future.set_running_or_notify_cancel()
    try:
        Thread(target=run, name=name, daemon=True).start()
    except RuntimeError as error:
        future.set_exception(NoThread(f"no thread for {name}: {error}"))
    return future


async def wait_in_loop(future: Future[_Result]) -> _Result:
    """Wait for the result of a future that a thread sets. If this task is cancelled, the future is cancelled.

    Unlike `asyncio.wrap_future`, the thread logs no error if the event loop was closed in the meantime.
    """
    try:
        await wait_until_done(future)
    except BaseException:
        future.cancel()
        raise
    return future.result()


async def wait_until_done(future: Future[_Result]) -> None:
    """Wait until a thread has set the result of a future. A cancelled task leaves the future as it is."""
    loop = asyncio.get_running_loop()
    finished = asyncio.Event()

    def notify(_: Future[_Result]) -> None:
        # RuntimeError: the event loop is closed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(finished.set)

    future.add_done_callback(notify)
    await finished.wait()


async def wait_at_most(future: Future[Any], seconds: float) -> None:
    """Wait until a thread has set the result of a future, or until some seconds have passed."""
    if not future.done():
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await wait_until_done(future)
