"""Connections: clients that are slow to send a request or to read an answer are closed, and their number is bounded."""

import asyncio
import time
from collections import OrderedDict
from contextlib import suppress
from contextvars import Context, copy_context
from functools import cached_property
from itertools import islice
from typing import Any, Final, Protocol, cast

import h11
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from canfetch.web.server.clients import ClientAddresses, ClientConnections, RateLimiter, network_of
from canfetch.web.server.file_limit import ACCEPTED_AT_A_TIME
from canfetch.web.server.guard import SECURITY_HEADERS
from canfetch.web.server.patience import Patience
from canfetch.web.server.problems import Problem, phrase
from canfetch.web.server.shares import Shares
from canfetch.web.server.strict_http import (
    MAX_FIELD_BYTES,
    MAX_HEAD_BYTES,
    MAX_HEAD_LINES,
    MAX_TARGET_BYTES,
    REQUEST_WORK,
    StrictConnection,
)
from canfetch.web.settings import RateLimit

# A few milliseconds: four requests start in an iteration of the event loop.
_WORK_OF_ITERATION: Final = 4 * REQUEST_WORK
_WORK_OF_TURN: Final = REQUEST_WORK // 2
_READ_BYTES: Final = 65_536
# Seconds for clients to send the rest of a body, or to read an answer, when the server stops.
CLOSING_SECONDS: Final = 5.0
# Each of them can have a request at the same time, which takes about a millisecond of the event loop.
CLIENT_CONNECTIONS: Final = 128
MIN_READING_RATE: Final = 1024
# New connections of a client, or of its public network. Each takes a fifth of a millisecond of the event loop.
NEW_CONNECTIONS: Final = RateLimit(500, 1000)
_INVALID: Final = {
    400: Problem(
        400,
        "invalid-http",
        "the request is not valid HTTP, its target has too many invalid escapes, or its body too many small parts",
    ),
    414: Problem(414, "target-too-long", f"the target is longer than {MAX_TARGET_BYTES} bytes"),
    431: Problem(
        431,
        "head-too-large",
        f"the head is larger than {MAX_HEAD_BYTES} bytes, has more than {MAX_HEAD_LINES} lines, "
        f"or a field of more than {MAX_FIELD_BYTES} bytes",
    ),
}


class BoundedConfig(Config):
    """The configuration of a server with limits for its connections.

    Args:
        header_timeout: Seconds for the head of a request to arrive.
        reading_timeout: Seconds for the client to read a part of an answer.
        min_reading_rate: Bytes a second at which the client has to read, after waits of `reading_timeout` in all.
        max_connections: The number of connections.
        client_connections: The number of connections of one client. By default 128, and at most a half of all.
        addresses: Finds the clients. The connections of trusted proxies are not limited.
        closing_timeout: Seconds for the client to send the rest of a body, or to read an answer, when the server stops.
        options: The options of uvicorn.
    """

    def __init__(
        self,
        app: Any,
        *,
        header_timeout: float,
        reading_timeout: float,
        min_reading_rate: int = MIN_READING_RATE,
        max_connections: int,
        client_connections: int | None = None,
        addresses: ClientAddresses,
        closing_timeout: float = CLOSING_SECONDS,
        **options: Any,
    ) -> None:
        super().__init__(
            app, http=cast("type[asyncio.Protocol]", _ConnectionLimiter), backlog=ACCEPTED_AT_A_TIME, **options
        )
        self.header_timeout = header_timeout
        self.reading_timeout = reading_timeout
        self.min_reading_rate = min_reading_rate
        self.max_connections = max_connections
        self.addresses = addresses
        self.closing_timeout = closing_timeout
        self.new_connections = RateLimiter(NEW_CONNECTIONS, time.monotonic)
        if client_connections is None:
            client_connections = min(CLIENT_CONNECTIONS, max(1, max_connections // 2))
        self.open_connections: ClientConnections[BoundedProtocol] = ClientConnections()
        self.connections_of_clients = Shares(max_connections * 2, client_connections, max_connections // 2)
        # The connections that wait for a request or the rest of its head, the one that waits longest first.
        self.waiting: OrderedDict[BoundedProtocol, None] = OrderedDict()
        # The connections that wait for the rest of a body, in the order in which their requests started.
        self.receiving: OrderedDict[BoundedProtocol, None] = OrderedDict()
        self.turns = Turns()

    @cached_property
    def read_buffer(self) -> bytearray:
        """The buffer for received data.

        It is created in the worker: the parent writes the configuration to a pipe, and would block forever if the
        worker died and the configuration did not fit.
        """
        return bytearray(_READ_BYTES)

    def connection_to_close(self, newest: "BoundedProtocol") -> "BoundedProtocol":
        """Return the connection to close if there are too many.

        A connection that waits for a request comes first, and then one that waits for the rest of a body. If all have
        requests, it is the newest one of the client with the most. `newest` itself is closed if it is of that client,
        or if its client is unknown.
        """
        waiting = next((one for one in self.waiting if one is not newest), None) or next(iter(self.receiving), None)
        if waiting is not None:
            return waiting
        greedy = None if newest.client_key is None else self.open_connections.newest_of_greediest(newest.client_key)
        return newest if greedy is None else greedy

    def drop_waiting(self) -> None:
        """Close as many connections that wait for a request as are accepted at a time, those that wait longest."""
        for connection in list(islice(self.waiting, ACCEPTED_AT_A_TIME)):
            connection.drop()


class _Reading(FlowControl):
    """Reads from a connection unless uvicorn has paused it, or too much of what it has sent is not parsed yet.

    uvicorn also pauses when a part of the next request has arrived. The connection is still read then, so that a
    disconnect is noticed.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__(transport)
        self._is_wanted = True
        self._is_held = False
        self._is_complete = False

    def pause_reading(self) -> None:
        self._is_wanted = False
        self._apply()

    def resume_reading(self) -> None:
        self._is_wanted = True
        self._apply()

    def hold(self, *, is_held: bool) -> None:
        """Set whether too much is not parsed yet."""
        self._is_held = is_held
        self._apply()

    def set_complete(self, *, is_complete: bool) -> None:
        """Set whether the request was received to its end."""
        self._is_complete = is_complete
        self._apply()

    def _apply(self) -> None:
        self.read_paused = self._is_held or not (self._is_wanted or self._is_complete)
        # uvicorn resumes the transport itself after a body that was not read.
        if self.read_paused == self._transport.is_reading():
            (self._transport.pause_reading if self.read_paused else self._transport.resume_reading)()


class Parser(Protocol):
    """A connection with data to parse.

    Attributes: turn_key: Its client.
    """

    turn_key: str

    def parse(self, work: int) -> int:
        """Parse data, and return the work that it took. If nothing of `work` is left, there may be more data."""


class Turns:
    """The connections of an event loop that have data to parse.

    In each iteration of the loop, connections parse a limited amount, each a part of it. One connection of each network
    follows after another, in a network one of each client, and of a client one connection. So requests of other clients
    do not wait for what a client sends on many connections.
    """

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


class _ConnectionLimiter(asyncio.Protocol):
    """Closes a new connection if its client opens too many in a second, and passes it to `BoundedProtocol` otherwise.

    Args: arguments: Those of `BoundedProtocol`.
    """

    def __init__(self, config: BoundedConfig, **arguments: Any) -> None:
        self._limits = config
        self._arguments = arguments

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        peer = transport.get_extra_info("peername")
        client = self._limits.addresses.find_direct(peer[0] if isinstance(peer, tuple) else None)
        if client is not None and self._limits.new_connections.take(network_of(client)):
            transport.abort()
            return
        protocol = BoundedProtocol(self._limits, **self._arguments)
        protocol.direct_client = client
        transport.set_protocol(protocol)
        protocol.connection_made(transport)


class BoundedProtocol(H11Protocol, asyncio.BufferedProtocol):
    """A connection that is closed if the head of a request does not arrive, or an answer is not read, in time.

    What the client sends is parsed in turns with other connections.

    Attributes:
        direct_client: The client at the other end, or None if it is not known yet, as behind a trusted proxy.
        client_key: The client while the connection counts as one of its own, or None.
        turn_key: The client with whose other connections this one takes turns.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.conn = self._parser = StrictConnection()
        self._limits = cast("BoundedConfig", config)
        self._header_timer: asyncio.TimerHandle | None = None
        self._reading_timer: asyncio.TimerHandle | None = None
        self._patience = Patience(self._limits.reading_timeout, self._limits.min_reading_rate)
        self._paused_at = 0.0
        self._closing_timer: asyncio.TimerHandle | None = None
        self._answer, self.app = cast("ASGIApp", self.app), cast("Any", self._run)
        self._request: asyncio.Task[Any] | None = None
        self.direct_client: str | None = None
        self.client_key: str | None = None
        self.turn_key = f"connection {id(self)}"

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for a request. At the limit of all connections, one is closed: see `connection_to_close`.

        At the limit of a client, it is the one of its own that waits longest, or the new one if all have requests.
        """
        super().connection_made(transport)
        self.flow = self._reading = _Reading(transport)
        # Writing is paused for as long as the system has not taken all bytes.
        transport.set_write_buffer_limits(high=0)
        self._wait_for_head()
        if self.direct_client is not None:
            self.turn_key = self.direct_client
            if not self._count(self.direct_client):
                return
        if len(self.connections) > self._limits.max_connections:
            self._limits.connection_to_close(self).drop()

    def _count(self, client: str) -> bool:
        """Count a connection of a client. Return False if it is closed, because the client has too many."""
        shares = self._limits.connections_of_clients
        if not shares.take(client):
            oldest = self._oldest_of(client)
            oldest.drop()
            if oldest is self or not shares.take(client):
                return False
        self.client_key = client
        self._limits.open_connections.add(client, self)
        return True

    def _oldest_of(self, client: str) -> "BoundedProtocol":
        """Return the connection to close so that a client, or its network, has one less: this one if none waits."""
        keys = [(one, one.client_key) for one in self._limits.waiting if one.client_key is not None]
        network = network_of(client)
        of_network = next((one for one, key in keys if network_of(key) == network), self)
        return next((one for one, key in keys if key == client), of_network)

    def drop(self) -> None:
        """Close the connection at once, and count it no longer."""
        self._forget()
        self.transport.abort()

    def _forget(self) -> None:
        self._stop_waiting()
        self._stop_reading_timer()
        self._limits.receiving.pop(self, None)
        if self._closing_timer is not None:
            self._closing_timer.cancel()
        if self.client_key is not None:
            self._limits.connections_of_clients.give_back(self.client_key)
            self._limits.open_connections.remove(self.client_key, self)
            self.client_key = None

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002 - asyncio
        """Return where data is read to, which is the same for all connections."""
        return self._limits.read_buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Receive the data in the buffer."""
        self.data_received(bytes(memoryview(self._limits.read_buffer)[:nbytes]))

    def data_received(self, data: bytes) -> None:
        """Receive data. The head of the next request on a connection has its own time."""
        self._unset_keepalive_if_required()
        if self._header_timer is None and self._is_idle:
            self._wait_for_head()
        self._parser.receive_data(data)
        self._hold()
        self._limits.turns.add(self)

    def parse(self, work: int) -> int:
        """Parse what has arrived, in the turn of the connection. Return the work that it took."""
        if self.transport.is_closing():
            return 0
        earlier = self.cycle
        self._parser.work = work
        self.handle_events()
        done = work - self._parser.work
        self._parser.work = 0
        if self.cycle is not earlier:
            self._stop_waiting()
        self._note_body()
        self._reading.set_complete(is_complete=not self._is_idle and not self.cycle.more_body)
        self._hold()
        return done

    def _hold(self) -> None:
        self._reading.hold(is_held=self._parser.unparsed_bytes >= _READ_BYTES)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, and end its request, whose answer is not read."""
        self._forget()
        super().connection_lost(exc)
        if self._request is not None:
            self._request.cancel()

    def on_response_complete(self) -> None:
        """Wait for the next request, which may have arrived."""
        super().on_response_complete()
        self._note_body()
        self._limits.turns.add(self)
        self._wait_for_request()

    def pause_writing(self) -> None:
        """Wait until the client reads."""
        super().pause_writing()
        self._paused_at = self.loop.time()
        self._reading_timer = self.loop.call_later(self._patience.left, self.drop)

    def resume_writing(self) -> None:
        """Continue after the client has read."""
        super().resume_writing()
        self._patience.spend(self.loop.time() - self._paused_at)
        self._stop_reading_timer()
        self._wait_for_request()

    def shutdown(self) -> None:
        """Close the connection, after its request, when the server stops. A client that is slow has a limited time."""
        super().shutdown()
        self._closing_timer = self.loop.call_later(
            self._limits.closing_timeout, self._close_stopping, self._waits_for_client
        )

    def _close_stopping(self, has_waited: bool) -> None:  # noqa: FBT001 - the argument of a timer
        """Close the connection if it waits for its client now and has for the whole time. Otherwise, wait once more."""
        waits = self._waits_for_client
        if waits and has_waited:
            self.drop()
            return
        self._closing_timer = self.loop.call_later(self._limits.closing_timeout, self._close_stopping, waits)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the name of uvicorn
        """Answer an invalid request, and close the connection. If an answer has started, it ends early."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            problem = _INVALID[self._parser.error_status]
            headers = [*problem.raw_headers(), *SECURITY_HEADERS, (b"connection", b"close")]
            for event in (
                h11.Response(status_code=problem.status, headers=headers, reason=phrase(problem.status).encode()),
                h11.Data(data=problem.body()),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self._close_early()

    def _close_early(self) -> None:
        """Close the connection. A running request can no longer answer."""
        if not self._is_idle:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. If the answer ends early, the connection is closed, so that the client notices.

        uvicorn would log an error, with a traceback if the server stops before the request ends.
        """
        cycle = self.cycle
        self._request = asyncio.current_task()

        async def send_counted(message: Message) -> None:
            self._patience.earn(len(message.get("body", b"")))
            await send(message)

        try:
            with suppress(asyncio.CancelledError):
                await self._answer(scope, receive, send_counted)
        finally:
            self._request = None
        if not cycle.response_complete and not cycle.disconnected:
            cycle.disconnected = True
            self.transport.close()

    @property
    def _is_idle(self) -> bool:
        # uvicorn declares that there always is a cycle.
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is None or cycle.response_complete

    @property
    def _waits_for_client(self) -> bool:
        """Whether only the client can end the exchange: the server does not compute an answer."""
        return self._is_idle or self.cycle.more_body or self.cycle.response_started

    def _note_body(self) -> None:
        if not self._is_idle and self.cycle.more_body:
            self._limits.receiving.setdefault(self)
        else:
            self._limits.receiving.pop(self, None)

    def _wait_for_request(self) -> None:
        # A client that has not read the answer to its last request is not waiting.
        if self._is_idle and not self.flow.write_paused and not self.transport.is_closing():
            self._limits.waiting[self] = None

    def _wait_for_head(self) -> None:
        self._limits.waiting[self] = None
        self._header_timer = self.loop.call_later(self._limits.header_timeout, self._close_slow_client)

    def _stop_waiting(self) -> None:
        self._limits.waiting.pop(self, None)
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _stop_reading_timer(self) -> None:
        if self._reading_timer is not None:
            self._reading_timer.cancel()
            self._reading_timer = None

    def _close_slow_client(self) -> None:
        self._header_timer = None
        if self._is_idle:
            self.drop()
