"""Computations of an event loop: long ones run in few threads, short ones one at a time, and requesters take turns."""

import asyncio
import os
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Final, NamedTuple, Protocol, TypeVar
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
    loop, threads, name = asyncio.get_running_loop(), _computations().threads, requester.get()
    await threads.acquire(name)
    try:
        future = start_daemon_thread(function, name="canfetch-compute")
    except BaseException:
        threads.release(name)
        raise

    def free(_: Future[_Result]) -> None:
        # RuntimeError: the event loop is closed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(threads.release, name)

    future.add_done_callback(free)
    try:
        return await wait_in_loop(future)
    except NoThread:
        return function()


async def call_in_turn(function: Callable[[], _Result]) -> _Result:
    """Call a function that computes for a moment. Other tasks of the event loop run before the next such call."""
    async with _computations().turn.hold(requester.get()):
        result = function()
        await asyncio.sleep(0)
        return result


class Slots(Protocol):
    """Slots of which each requester can have some."""

    def take(self, name: str, /) -> bool:
        """Take a slot for a requester. Return False, and take nothing, if none is left for it."""

    def give_back(self, name: str, /) -> None:
        """Give back a slot."""


class FairSlots:
    """Slots for tasks of one event loop, for which requesters wait in turns.

    Args: slots: The slots. A requester that could take none can take one only after another was given back.
    """

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        # By requester, in the order of their turns. None of these requesters can take a slot now.
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def acquire(self, name: str) -> None:
        """Wait for a slot.

        Args: name: The requester. It gets its next slot after the other waiting requesters that can have one.
        """
        if self._slots.take(name):
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(name, deque()).append(place)
        try:
            await place
        except BaseException:
            if place.done() and not place.cancelled():
                self.release(name)
            else:
                self._remove(name, place)
            raise

    def release(self, name: str) -> None:
        """Give back a slot, and pass free slots on to waiting requesters."""
        self._slots.give_back(name)
        if name in self._waiting:
            self._waiting.move_to_end(name)
        while self._pass_on():
            pass

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[None]:
        """Wait for a slot, and hold it while the context is open."""
        await self.acquire(name)
        try:
            yield
        finally:
            self.release(name)

    def _pass_on(self) -> bool:
        """Take a slot for the next waiting requester that can have one. Return whether there was one."""
        for name, places in self._waiting.items():
            # A task that was just cancelled waits no longer.
            while places and places[0].done():
                del places[0]
            if places and self._slots.take(name):
                places.popleft().set_result(None)
                self._waiting.move_to_end(name)
                if not places:
                    del self._waiting[name]
                return True
        return False

    def _remove(self, name: str, place: asyncio.Future[None]) -> None:
        places = self._waiting.get(name)
        if places is not None:
            with suppress(ValueError):
                places.remove(place)
            if not places:
                del self._waiting[name]


class CountedSlots:
    """A number of slots, all of which one requester can have.

    Args: number: Their number.
    """

    def __init__(self, number: int) -> None:
        self._free = number

    def take(self, _: str, /) -> bool:
        """Take a slot, if one is free. See `Slots`."""
        if not self._free:
            return False
        self._free -= 1
        return True

    def give_back(self, _: str, /) -> None:
        """Give back a slot."""
        self._free += 1


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
        found = _COMPUTATIONS[loop] = _Computations(FairSlots(CountedSlots(_MAX_THREADS)), FairSlots(CountedSlots(1)))
    return found
