"""Connections: clients that are slow to send a request or to read an answer are closed, and their number is bounded."""

import asyncio
import re
from collections import OrderedDict
from contextlib import suppress
from typing import Any, Final, cast

import h11
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from canfetch.web.server.clients import ClientAddresses, network_of
from canfetch.web.server.guard import SECURITY_HEADERS
from canfetch.web.server.patience import Patience
from canfetch.web.server.problems import Problem
from canfetch.web.server.shares import Shares

_MAX_HEAD_BYTES: Final = 65_536
# A target in absolute form: its authority, and its path and query.
_ABSOLUTE_FORM: Final = re.compile(rb"https?://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)
# Seconds for clients to send the rest of a body, or to read an answer, when the server stops.
CLOSING_SECONDS: Final = 5.0
# Each of them can have a request at the same time, which takes about a millisecond of the event loop.
CLIENT_CONNECTIONS: Final = 128
MIN_READING_RATE: Final = 1024


class BoundedConfig(Config):
    """The configuration of a server with limits for its connections.

    Args:
        header_timeout: Seconds for the head of a request to arrive.
        reading_timeout: Seconds for the client to read a part of an answer.
        min_reading_rate: Bytes a second at which the client has to read, after waits of `reading_timeout` in all.
        max_connections: The number of connections.
        client_connections: The number of connections of one client.
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
        client_connections: int = CLIENT_CONNECTIONS,
        addresses: ClientAddresses,
        closing_timeout: float = CLOSING_SECONDS,
        **options: Any,
    ) -> None:
        super().__init__(app, http=BoundedProtocol, **options)
        self.header_timeout = header_timeout
        self.reading_timeout = reading_timeout
        self.min_reading_rate = min_reading_rate
        self.max_connections = max_connections
        self.addresses = addresses
        self.closing_timeout = closing_timeout
        self.connections_of_clients = Shares(max_connections * 2, client_connections, max_connections // 2)
        # The connections that wait for a request or the rest of its head, the one that waits longest first.
        self.waiting: OrderedDict[BoundedProtocol, None] = OrderedDict()
        # The connections that wait for the rest of a body, in the order in which their requests started.
        self.receiving: OrderedDict[BoundedProtocol, None] = OrderedDict()

    def slowest(self, newest: "BoundedProtocol") -> "BoundedProtocol":
        """Return the connection to close if there are too many: one that waits, or `newest` if all have requests.

        A connection that waits for a request comes before one that waits for the rest of a body.
        """
        waiting = (one for one in self.waiting if one is not newest)
        return next(waiting, None) or next(iter(self.receiving), newest)


class _StrictConnection(h11.Connection):
    """A connection that rejects requests whose end is ambiguous. A proxy could find another end, and forward the rest.

    It also rejects heads of more than 64 KiB. h11 limits only those that arrive in several parts. A target in absolute
    form is replaced by its path, and the Host header by its host.

    Source: RFC 9112, sections 3.2.2 and 6.1.
    """

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        event = super().next_event()
        if isinstance(event, h11.Request):
            if sum(len(name) + len(value) for name, value in event.headers) + len(event.target) > _MAX_HEAD_BYTES:
                raise h11.RemoteProtocolError("the head is too large", error_status_hint=431)
            names = {name for name, _ in event.headers}
            if b"transfer-encoding" in names and (b"content-length" in names or event.http_version < b"1.1"):
                raise h11.RemoteProtocolError("ambiguous length of the body")
            return _in_origin_form(event)
        return event


def _in_origin_form(request: h11.Request) -> h11.Request:
    """Return a request whose target is a path, with the host of its target as Host header.

    Raises: RemoteProtocolError: The target is a URL without a host, or with a user name.
    Source: RFC 9112, section 3.2.2; RFC 9110, sections 4.2.1 and 4.2.4.
    """
    absolute = _ABSOLUTE_FORM.match(request.target)
    if absolute is None:
        return request
    host, rest = absolute.groups()
    if not host or b"@" in host:
        raise h11.RemoteProtocolError("invalid authority in the target")
    return h11.Request(
        method=request.method,
        headers=[(b"host", host), *((name, value) for name, value in request.headers if name != b"host")],
        target=rest if rest.startswith(b"/") else b"/" + rest,
        http_version=request.http_version,
    )


class BoundedProtocol(H11Protocol):
    """A connection that is closed if the head of a request does not arrive, or an answer is not read, in time."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        size = config.h11_max_incomplete_event_size
        self.conn = _StrictConnection(h11.SERVER, size or _MAX_HEAD_BYTES)
        self._limits = cast("BoundedConfig", config)
        self._header_timer: asyncio.TimerHandle | None = None
        self._reading_timer: asyncio.TimerHandle | None = None
        self._patience = Patience(self._limits.reading_timeout, self._limits.min_reading_rate)
        self._paused_at = 0.0
        self._closing_timer: asyncio.TimerHandle | None = None
        self._answer, self.app = cast("ASGIApp", self.app), cast("Any", self._run)
        self._request: asyncio.Task[Any] | None = None
        # The client whose connections are counted, or None.
        self.client_key: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for a request. At a limit, the connection that waits longest for its client is closed.

        At the limit of a client that is one of its own, and the new one if all others have requests.
        """
        super().connection_made(transport)
        # Writing is paused for as long as the system has not taken all bytes.
        transport.set_write_buffer_limits(high=0)
        self._wait_for_head()
        peer = transport.get_extra_info("peername")
        key = self._limits.addresses.find_direct(peer[0] if isinstance(peer, tuple) else None)
        if key is not None and not self._count(key):
            return
        if len(self.connections) > self._limits.max_connections:
            self._limits.slowest(self).drop()

    def _count(self, client: str) -> bool:
        """Count a connection of a client. Return False if it is closed, because the client has too many."""
        shares = self._limits.connections_of_clients
        if not shares.take(client):
            oldest = self._oldest_of(client)
            oldest.drop()
            if oldest is self or not shares.take(client):
                return False
        self.client_key = client
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
            self.client_key = None

    def data_received(self, data: bytes) -> None:
        """Receive data. The head of the next request on a connection has its own time."""
        if self._header_timer is None and self._is_idle:
            self._wait_for_head()
        earlier = self.cycle
        super().data_received(data)
        if self.cycle is not earlier:
            self._stop_waiting()
        self._note_body()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, and end its request, whose answer nobody reads."""
        self._forget()
        super().connection_lost(exc)
        if self._request is not None:
            self._request.cancel()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._note_body()
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
        """Answer data that is not a valid request, or whose head is too large."""
        problem = Problem(400, "invalid-http", "the request is not valid HTTP, or its head is too large")
        headers = [*problem.raw_headers(), *SECURITY_HEADERS, (b"connection", b"close")]
        for event in (
            h11.Response(status_code=problem.status, headers=headers, reason=b"Bad Request"),
            h11.Data(data=problem.body()),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
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
