"""Turns of connections: how much of what clients send is parsed before the event loop does something else.

In each iteration of the loop, connections parse a limited amount, each a part of it. One connection of each network
follows after another, in a network one of each client, and of a client one connection. So requests of other clients do
not wait for what a client sends on many connections.
"""

import asyncio
from collections import OrderedDict
from contextvars import Context, copy_context
from typing import Final, Protocol

from canfetch.web.server.clients import network_of
from canfetch.web.server.strict_http import REQUEST_WORK

# A few milliseconds: four requests start in an iteration of the event loop.
_WORK_OF_ITERATION: Final = 4 * REQUEST_WORK
_WORK_OF_TURN: Final = REQUEST_WORK // 2


class Parser(Protocol):
    """A connection with data to parse.

    Attributes: turn_key: Its client.
    """

    turn_key: str

    def parse(self, work: int) -> int:
        """Parse data, and return the work that it took. If nothing of `work` is left, there may be more data."""


class Turns:
    """The connections of an event loop that have data to parse."""

    def __init__(self) -> None:
        # By network and client, in the order of their turns.
        self._waiting: OrderedDict[str, OrderedDict[str, OrderedDict[Parser, None]]] = OrderedDict()
        self._is_scheduled = False
        # That of the first connection: requests must not inherit the context of a request whose end causes a turn.
        self._context: Context | None = None

    def add(self, parser: Parser) -> None:
        """Let a connection parse in its turn."""
        if self._context is None:
            self._context = copy_context()
        clients = self._waiting.setdefault(network_of(parser.turn_key), OrderedDict())
        clients.setdefault(parser.turn_key, OrderedDict()).setdefault(parser)
        self._schedule()

    def _schedule(self) -> None:
        if self._waiting and not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._run, context=self._context)

    def _run(self) -> None:
        self._is_scheduled = False
        left = _WORK_OF_ITERATION
        while self._waiting and left > 0:
            parser = self._take()
            work = min(left, _WORK_OF_TURN)
            done = parser.parse(work)
            left -= max(1, done)
            if done >= work:
                self.add(parser)
        self._schedule()

    def _take(self) -> Parser:
        """Remove the connection whose turn it is, and put its client and its network to the end."""
        network, clients = next(iter(self._waiting.items()))
        client, parsers = next(iter(clients.items()))
        parser, _ = parsers.popitem(last=False)
        clients.move_to_end(client)
        self._waiting.move_to_end(network)
        if not parsers:
            del clients[client]
        if not clients:
            del self._waiting[network]
        return parser
