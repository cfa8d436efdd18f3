"""Computations of an event loop: long ones run in few threads, short ones one at a time, and requesters take turns."""

import asyncio
import os
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar
from typing import Final, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from canfetch.client.transports.daemon_threads import start_daemon_thread, wait_in_loop
from canfetch.client.transports.local_errors import NoThread

_Result = TypeVar("_Result")
# For computations of one event loop.
_MAX_THREADS: Final = min(max((os.cpu_count() or 1) - 1, 2), 4)
# Who has caused a request, such as a client of a server. One who causes many waits longer for each.
requester: ContextVar[str] = ContextVar("requester", default="")


async def call_off_loop(function: Callable[[], _Result]) -> _Result:
    """Call a function that computes for long in a daemon thread, or in the event loop if no thread is available.

    Few functions are called at the same time: with many threads, the event loop would wait for each of them. Requesters
    take turns. If this task is cancelled, the thread completes the call, and counts until then.
    """
    loop, threads = asyncio.get_running_loop(), _computations().threads
    await threads.acquire(requester.get())
    try:
        future = start_daemon_thread(function, name="canfetch-compute")
    except BaseException:
        threads.release()
        raise

    def free(_: Future[_Result]) -> None:
        # RuntimeError: the event loop is closed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(threads.release)

    future.add_done_callback(free)
    try:
        return await wait_in_loop(future)
    except NoThread:
        return function()


async def call_in_turn(function: Callable[[], _Result]) -> _Result:
    """Call a function that computes for a moment. Other tasks of the event loop run before the next such call."""
    turn = _computations().turn
    await turn.acquire(requester.get())
    try:
        result = function()
        await asyncio.sleep(0)
        return result
    finally:
        turn.release()


class FairSlots:
    """A number of slots for tasks of one event loop, which those who wait take in turns.

    Args: number: The number of slots.
    """

    def __init__(self, number: int) -> None:
        self._free = number
        # In the order of their turns. No deque is empty.
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def acquire(self, name: str) -> None:
        """Wait for a slot.

        Args: name: The name of the requester. It gets its next slot after all others that wait have got one.
        """
        if self._free and not self._waiting:
            self._free -= 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(name, deque()).append(place)
        try:
            await place
        except BaseException:
            if place.done() and not place.cancelled():
                self.release()
            else:
                self._remove(name, place)
            raise

    def release(self) -> None:
        """Free a slot, or pass it on to the next one that waits."""
        while self._waiting:
            name, places = self._waiting.popitem(last=False)
            place = places.popleft()
            if places:
                self._waiting[name] = places
            # A task that was just cancelled waits no longer.
            if not place.done():
                place.set_result(None)
                return
        self._free += 1

    def _remove(self, name: str, place: asyncio.Future[None]) -> None:
        places = self._waiting.get(name)
        if places is not None and place in places:
            places.remove(place)
            if not places:
                del self._waiting[name]


class _Computations(NamedTuple):
    """What the computations of the tasks of an event loop wait for."""

    threads: FairSlots
    turn: FairSlots


_COMPUTATIONS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Computations]] = WeakKeyDictionary()


def _computations() -> _Computations:
    loop = asyncio.get_running_loop()
    found = _COMPUTATIONS.get(loop)
    if found is None:
        # What waits in a loop that was closed refers to it.
        for closed in [each for each in _COMPUTATIONS if each.is_closed()]:
            del _COMPUTATIONS[closed]
        found = _COMPUTATIONS[loop] = _Computations(FairSlots(_MAX_THREADS), FairSlots(1))
    return found
