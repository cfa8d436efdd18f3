"""The outermost layer of the HTTP transport: who may connect, and how long a request may take to arrive."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from math import ceil
from typing import Final, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from canfetch.client.transports.addresses import is_ip_literal
from canfetch.web.mcp.arguments import CallerError
from canfetch.web.mcp.invalid_messages import answer_to_invalid_bytes
from canfetch.web.mcp.request_turns import RequestTurn, RequestTurns
from canfetch.web.server.clients import ClientAddresses, RateLimiter, current_client
from canfetch.web.server.credentials import has_token, is_cross_site, joined_header
from canfetch.web.server.listening import is_loopback, without_port
from canfetch.web.server.refused_bodies import CODED, CODED_DETAIL, TOO_LARGE, end_refusal, has_coding
from canfetch.web.server.shares import Shares
from canfetch.web.settings import UNLIMITED, RateLimit

MAX_BODY_BYTES: Final = 4 * 1024 * 1024
# Of all requests that are not answered yet, a quarter of them for one client. A single request is never refused for it.
_MAX_ALL_BODIES_BYTES: Final = 16 * MAX_BODY_BYTES
# So many bytes with so many separators take a millisecond or two. `answer_to_invalid` bounds what the SDK does then.
_SMALL_BYTES: Final = 16 * 1024
_FEW_SEPARATORS: Final = 200
SEPARATORS: Final = (b",", b"[", b"{")
"""The characters of JSON that come before a value."""
_OVERLOADED: Final = 503
_REFUSAL_SECONDS: Final = 1.0
_LOCALHOST: Final = "localhost"


class Refusal(NamedTuple):
    """Why a request is refused: the status, a sentence, and the headers that belong to the status."""

    status: int
    reason: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


class HTTPGuard:
    """Checks host, origin and token of each request, before its body is read.

    A web page can let its own name resolve to this server (DNS rebinding), and then send requests to it. So a server
    without a token answers only for names that no page can claim: addresses, `localhost`, and those that it was given.
    Programs other than browsers send no Origin, and pages of other sites are rejected.

    Args:
        app: The application.
        listens_on: The host that the server listens on.
        token: The bearer token, or None.
        host_names: The host names under which the server is reached. Their ports do not count.
        is_simple: Returns whether a large body has few enough values of JSON to be parsed on the event loop.
        addresses: Finds the clients.
        limit: The requests of each client.
        body_seconds: The time for the body of a request to arrive.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        listens_on: str,
        token: str | None,
        host_names: Iterable[str] = (),
        is_simple: Callable[[bytes], Awaitable[bool]],
        addresses: ClientAddresses | None = None,
        limit: RateLimit = UNLIMITED,
        body_seconds: float = 20.0,
    ) -> None:
        self._app = app
        self._token = None if token is None else token.encode()
        self._host_names = frozenset(without_port(name.lower()).rstrip(".") for name in host_names) - {""}
        self._only_local_names = is_loopback(listens_on)
        self._is_simple = is_simple
        self._addresses = addresses or ClientAddresses(())
        self._limiter = RateLimiter(limit, time.monotonic)
        self._body_seconds = body_seconds
        # The bytes of the bodies of all requests that are not answered yet.
        self.bodies = Shares(_MAX_ALL_BODIES_BYTES)
        self._turns = RequestTurns()
        self._any_name = token is not None and not self._host_names and not self._only_local_names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        current_client.set(self._addresses.find(scope))
        refusal = self._refusal(scope)
        if refusal is not None:
            await _respond(send, refusal)
            return
        if scope["path"] != "/" and scope["path"].endswith("/"):
            # The SDK would redirect to the scheme of this server, which is not that of a proxy with TLS.
            path = scope["path"].rstrip("/")
            scope = {**scope, "path": path, "raw_path": path.encode()}
        client = current_client.get()
        parts: list[bytes] = []
        try:
            refusal = await self._read_body(client, parts, receive)
            body = b"".join(parts)
            refusal = refusal or await self._check_json(body)
            if refusal is not None:
                if refusal.status == _OVERLOADED:
                    await asyncio.sleep(_REFUSAL_SECONDS)
                await _respond(send, refusal, receive)
            elif (answer := answer_to_invalid_bytes(body)) is not None:
                await _send_json(send, 400, answer.model_dump_json(by_alias=True, exclude_unset=True).encode())
            else:
                async with self._turns.hold(client) as turn:
                    await self._app(scope, _replay(body, receive), _ending(turn, send))
        finally:
            self.bodies.give_back(client, sum(map(len, parts)))

    async def _read_body(self, client: str, parts: list[bytes], receive: Receive) -> Refusal | None:
        """Read the body into `parts`, or return why it is refused."""
        size = 0
        try:
            async with asyncio.timeout(self._body_seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return Refusal(400, "the request is incomplete")
                    part = message.get("body", b"")
                    size += len(part)
                    if size > MAX_BODY_BYTES:
                        return Refusal(TOO_LARGE, f"the request is larger than {MAX_BODY_BYTES} bytes")
                    if not self.bodies.take(client, len(part)):
                        return Refusal(
                            503, "the server has too many large requests: try again later", ((b"retry-after", b"2"),)
                        )
                    parts.append(part)
                    if not message.get("more_body", False):
                        return None
        except TimeoutError:
            return Refusal(408, "the request took too long to arrive")

    async def _check_json(self, body: bytes) -> Refusal | None:
        """Return why a body cannot be parsed on the event loop, or None."""
        if len(body) <= _SMALL_BYTES and sum(map(body.count, SEPARATORS)) <= _FEW_SEPARATORS:
            return None
        try:
            is_simple = await self._is_simple(body)
        except CallerError as error:
            return Refusal(503, str(error), ((b"retry-after", b"1"),))
        return None if is_simple else Refusal(400, "the request has too many values of JSON")

    def _refusal(self, scope: Scope) -> Refusal | None:
        """Return why a request is refused, or None."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        host = joined_header(scope["headers"], b"host") or b""
        if not self._knows(host.decode("latin-1").lower()):
            return Refusal(421, "this server does not answer for that host name: pass it with --host-name")
        origin, site = (joined_header(scope["headers"], name) for name in (b"origin", b"sec-fetch-site"))
        if is_cross_site(scheme=scope.get("scheme", "http"), host=host, origin=origin, site=site):
            return Refusal(403, "pages of other sites may not use this server")
        if self._token is not None and not has_token(headers.get(b"authorization"), self._token):
            why = "this server requires its token: send 'Authorization: Bearer TOKEN'"
            return Refusal(401, why, ((b"www-authenticate", b"Bearer"),))
        if scope["method"] != "POST":
            # The SDK answers GET with a stream that stays open, on which this server never sends anything.
            why = "this server has no streams and no sessions: send POST requests"
            return Refusal(405, why, ((b"allow", b"POST"),))
        if has_coding(headers.get(b"content-encoding")):
            return Refusal(CODED, CODED_DETAIL, ((b"accept-encoding", b"identity"), (b"connection", b"close")))
        wait = self._limiter.take(current_client.get())
        if wait == 0:
            return None
        seconds = str(ceil(wait))
        return Refusal(429, f"too many requests: try again in {seconds} s", ((b"retry-after", seconds.encode()),))

    def _knows(self, host: str) -> bool:
        name = without_port(host).rstrip(".")
        if name in self._host_names:
            return True
        return (
            is_loopback(name) if self._only_local_names else self._any_name or name == _LOCALHOST or is_ip_literal(name)
        )


async def _send_json(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _replay(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


def _ending(turn: RequestTurn, send: Send) -> Send:
    """Return a function that ends a turn when the answer starts, because the client may read it slowly."""

    async def end_and_send(message: Message) -> None:
        turn.end()
        await send(message)

    return end_and_send


async def _respond(send: Send, refusal: Refusal, receive: Receive | None = None) -> None:
    status, reason, own_headers = refusal
    body = f"{reason}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *own_headers,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if status == TOO_LARGE and receive is not None:
        await end_refusal(body, receive, send)
    else:
        await send({"type": "http.response.body", "body": body})
