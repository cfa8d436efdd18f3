"""Turns on the event loop for requests over HTTP, shared fairly between the networks of clients.

Handling takes a few milliseconds, most of them in the SDK. Without turns, a small request would wait at each of its
steps for one step of all other requests, and one network of clients could delay the others for a second.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final

from canfetch.client.transports.turns import CountedSlots, FairSlots
from canfetch.web.server.clients import network_of

# Requests that are handled at the same time. More than one, because a request may wait for something in the SDK.
_SLOTS: Final = 4
# A request that takes longer gives up its turn, so that others do not wait for it.
_MAX_SECONDS: Final = 1.0


class RequestTurns:
    """The turns of the requests of a server."""

    def __init__(self) -> None:
        self._slots = FairSlots(CountedSlots(_SLOTS))

    @asynccontextmanager
    async def hold(self, client: str) -> AsyncIterator["RequestTurn"]:
        """Wait for the turn of a client, and end it with the context at the latest."""
        turn = RequestTurn(self._slots, network_of(client))
        await turn.begin()
        token = _CURRENT.set(turn)
        try:
            yield turn
        finally:
            _CURRENT.reset(token)
            turn.finish()


class RequestTurn:
    """The turn of one request.

    Args:
        slots: Its slots.
        network: The network of its client.
    """

    def __init__(self, slots: FairSlots, network: str) -> None:
        self._slots = slots
        self._network = network
        self._end: asyncio.TimerHandle | None = None
        self._is_finished = False

    async def begin(self) -> None:
        """Wait for the turn, unless the request has it or is finished."""
        if self._is_finished or self._end is not None:
            return
        await self._slots.acquire(self._network)
        self._end = asyncio.get_running_loop().call_later(_MAX_SECONDS, self.end)
        self._end_if_finished()

    def finish(self) -> None:
        """End the turn for good. A tool can still run for a moment after its request."""
        self._is_finished = True
        self.end()

    def _end_if_finished(self) -> None:
        if self._is_finished:
            self.end()

    def end(self) -> None:
        """End the turn, unless it has ended."""
        if self._end is not None:
            self._end.cancel()
            self._end = None
            self._slots.release(self._network)


_CURRENT: Final[ContextVar[RequestTurn | None]] = ContextVar("_CURRENT", default=None)


@asynccontextmanager
async def outside_turn() -> AsyncIterator[None]:
    """End the turn of the current request, and wait for its next turn at the end of the context."""
    turn = _CURRENT.get()
    if turn is None:
        yield
        return
    turn.end()
    try:
        yield
    except asyncio.CancelledError:
        # Nothing is answered.
        raise
    except BaseException:
        await turn.begin()
        raise
    else:
        await turn.begin()
