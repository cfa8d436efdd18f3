"""The guard: the outermost layer of the application, which bounds what a client can cost.

For each request, in this order: host name, origin of the page, token, rate, size, time. Every response has the security
headers. Nothing of a request except its method, path, status and time is logged.

Before each endpoint, FastAPI parses the cookies and the whole query string on the event loop. So the guard removes the
cookies, and refuses a query string with too many fields.
"""

import asyncio
import logging
import re
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from canfetch.web.origins import TooManyFetches, before_fetch
from canfetch.web.server.clients import ClientAddresses, RateLimiter, current_client
from canfetch.web.server.credentials import has_token, is_cross_site, joined_header
from canfetch.web.server.listening import is_loopback, sent_host
from canfetch.web.server.patience import Patience
from canfetch.web.server.problems import DISCONNECTED, Problem
from canfetch.web.server.refused_bodies import CODED, CODED_DETAIL, TOO_LARGE, end_refusal, has_coding
from canfetch.web.server.shares import Shares
from canfetch.web.server.tracing import RequestTracer
from canfetch.web.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

# Endpoints have lists of 50 values at most. Parsing a field takes a few microseconds.
MAX_QUERY_FIELDS: Final = 256
_COOKIE: Final = b"cookie"
ACCESS_LOGGER: Final = logging.getLogger("canfetch.web.access")
LOGGER: Final = logging.getLogger("canfetch.web")

Observe = Callable[[str, str, int, float], None]

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types canfetch"
)
SECURITY_HEADERS: Final = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
API_PREFIX: Final = "/v1/"
_KIB: Final = 1024
_MIB: Final = 1024 * _KIB
# Larger files than the parsing limit are accepted, so that the linter can report their size.
_DEFAULT_BODY: Final = 64 * _KIB
_FILE_BODY: Final = 4 * _MIB
_LIST_BODY: Final = 8 * _MIB
_STREAM_BODY: Final = 64 * _MIB
BODY_LIMITS: Final = {
    **dict.fromkeys(("decide", "explain", "parse", "lint", "fix", "format", "use"), _FILE_BODY),
    **dict.fromkeys(("decide/batch", "matrix", "compare", "page"), _LIST_BODY),
    "decide/stream": _STREAM_BODY,
}
# The function in the scope of a request that counts bytes that are kept until its end.
KEEP_BYTES: Final = "canfetch.keep_bytes"
# The function that sets how many bytes a stream keeps now.
HOLD_BYTES: Final = "canfetch.hold_bytes"
# A larger part would be copied into the buffer of a connection whose client does not read.
_PART_BYTES: Final = 64 * _KIB
STREAMS: Final = frozenset({"/v1/decide/stream"})
_OK: Final = 200
_OVERLOADED: Final = 503
_OPEN_PATHS: Final = frozenset({"/healthz", "/readyz"})
_PORT: Final = re.compile(r":[0-9]+\Z")
_READING_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


_UNKNOWN_HOST: Final = Problem(
    421, "unknown-host", "this server does not answer for that host name: use the address that it printed"
)
_CROSS_SITE: Final = Problem(403, "cross-site", "pages of other sites may not use this server")
_UNAUTHORIZED: Final = Problem(
    401,
    "unauthorized",
    "this server requires a token: send it as 'Authorization: Bearer TOKEN'",
    headers=(("WWW-Authenticate", "Bearer"),),
)
_CODED_BODY: Final = Problem(
    CODED,
    "unsupported-media-type",
    CODED_DETAIL,
    headers=(("Accept-Encoding", "identity"), ("Connection", "close")),
)
_MANY_QUERY_FIELDS: Final = Problem(
    400, "bad-request", f"the query string has more than {MAX_QUERY_FIELDS} fields separated by '&'"
)


class FetchRateExceeded(TooManyFetches):
    """Raised when a client causes too many fetches.

    Attributes: seconds: The time until the next fetch.
    """

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many fetches: try again in {seconds} s")
        self.seconds = seconds


class RequestHead(NamedTuple):
    """The headers of a request that the guard needs, or None for those that are missing."""

    host: bytes | None
    origin: bytes | None
    authorization: bytes | None
    site: bytes | None
    length: bytes | None
    coding: bytes | None

    @classmethod
    def of(cls, scope: Scope) -> "RequestHead":
        """Return the head of a request. Of a repeated token or length, the last one counts."""
        headers = scope["headers"]
        find = dict(headers).get
        host, origin, site = (joined_header(headers, name) for name in (b"host", b"origin", b"sec-fetch-site"))
        return cls(host, origin, find(b"authorization"), site, find(b"content-length"), find(b"content-encoding"))

    def exceeds(self, limit: int) -> bool:
        """Return whether the declared length is over a limit, or not a number."""
        if self.length is None:
            return False
        return not self.length.isdigit() or int(self.length[:20]) > limit


class Guard:
    """Wraps an application.

    Attributes:
        app: The application.
        kept: Bytes of the bodies of requests and responses in memory.

    Args:
        app: The application.
        settings: The limits.
        observe: Called with method, route, status and seconds of each request.
        tracer: Starts a span for each request, or None.
    """

    def __init__(
        self,
        app: "FastAPI",
        settings: Settings,
        *,
        observe: Observe,
        tracer: RequestTracer | None = None,
    ) -> None:
        self.app = app
        self.kept = Shares(settings.max_body_bytes)
        self._settings = settings
        self._observe = observe
        self._tracer = tracer
        self._addresses = ClientAddresses(settings.trusted_proxies)
        self._requests = RateLimiter(settings.requests, time.monotonic)
        self._fetches = RateLimiter(settings.fetches, time.monotonic)
        self._limits_rate = settings.requests.per_second > 0
        self._limits_fetches = settings.fetches.per_second > 0
        self._hosts = frozenset(sent_host(name) for name in settings.host_names)
        self._cors = frozenset(origin.encode() for origin in settings.cors_origins)
        self._token = None if settings.token is None else settings.token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "http":
            current_client.set(self._addresses.find(scope))
            if self._limits_fetches:
                before_fetch.set(partial(self.charge_fetch, scope))
            exchange = _Exchange(self, scope, receive, send)
            if self._tracer is None:
                await exchange.run()
                return
            with self._tracer.span(scope) as end_span:
                await exchange.run()
                end_span(_route(scope), exchange.status)
        elif scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def reject(self, scope: Scope, head: RequestHead) -> Problem | None:
        """Return why a request is rejected before its body is read, or None."""
        if self._hosts and not self._knows(head.host):
            return _UNKNOWN_HOST
        path: str = scope["path"]
        is_api = path.startswith(API_PREFIX)
        is_allowed_origin = self.allows_origin(head.origin)
        is_guarded = is_api or path == "/metrics"
        if is_guarded and not is_allowed_origin and self._is_cross_site(scope, head):
            return _CROSS_SITE
        is_preflight = is_allowed_origin and scope["method"] == "OPTIONS"
        if is_guarded and not is_preflight and not self._has_token(head.authorization):
            return _UNAUTHORIZED
        if self._limits_rate and path not in _OPEN_PATHS:
            wait = self._requests.take(self._addresses.find(scope))
            if wait > 0:
                seconds = int(wait) + 1
                detail = f"too many requests: try again in {seconds} s"
                return Problem(429, "rate-limited", detail, headers=(("Retry-After", str(seconds)),))
        if _has_many_query_fields(scope):
            return _MANY_QUERY_FIELDS
        if has_coding(head.coding):
            return _CODED_BODY
        return too_large(path) if head.exceeds(body_limit(path)) else None

    def allows_origin(self, origin: bytes | None) -> bool:
        """Return whether pages of another site may use the API."""
        return origin is not None and origin in self._cors

    def _has_token(self, authorization: bytes | None) -> bool:
        return self._token is None or has_token(authorization, self._token)

    @staticmethod
    def _is_cross_site(scope: Scope, head: RequestHead) -> bool:
        return is_cross_site(
            scheme=scope.get("scheme", "http"), host=head.host or b"", origin=head.origin, site=head.site
        )

    def _knows(self, host: bytes | None) -> bool:
        """Return whether a host is one of the server's names, with any port, or a loopback address."""
        text = "" if host is None else sent_host(host.decode("latin-1"))
        if text in self._hosts:
            return True
        name = _PORT.sub("", text)
        return name in self._hosts or is_loopback(name.strip("[]"))

    def charge_fetch(self, scope: Scope) -> None:
        """Count a fetch that a request causes.

        Raises: FetchRateExceeded.
        """
        wait = self._fetches.take(self._addresses.find(scope))
        if wait > 0:
            raise FetchRateExceeded(int(wait) + 1)

    def observe(self, scope: Scope, status: int, seconds: float) -> None:
        """Record the end of a request."""
        self._observe(scope["method"], _route(scope), status, seconds)
        if ACCESS_LOGGER.isEnabledFor(logging.INFO):
            address = self._addresses.find(scope)
            path = scope["path"] if scope["path"].isprintable() else "?"
            ACCESS_LOGGER.info("%s %s %s %d %.1f ms", address, scope["method"], path[:200], status, 1000 * seconds)

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self._settings


def body_limit(path: str) -> int:
    """Return the largest body of a request, in bytes."""
    return BODY_LIMITS.get(path.removeprefix(API_PREFIX), _DEFAULT_BODY)


def too_large(path: str) -> Problem:
    """Return the problem of a body that is too large."""
    return Problem(
        TOO_LARGE, "too-large", f"the body is larger than {body_limit(path)} bytes", headers=(("Connection", "close"),)
    )


def _route(scope: Scope) -> str:
    route = scope.get("route")
    path = getattr(route, "path", None)
    return path if isinstance(path, str) else "other"


def _without_cookies(scope: Scope) -> Scope:
    """Return the scope of a request without its cookies.

    No endpoint uses cookies, and `http.cookies` of Python before 3.11.10 and 3.12.6 unquotes a value in quadratic time.

    Source: CVE-2024-7592.
    """
    return {**scope, "headers": [field for field in scope["headers"] if field[0] != _COOKIE]}


def _has_many_query_fields(scope: Scope) -> bool:
    """Return whether the query string of a request has too many fields, without parsing it."""
    query: bytes = scope.get("query_string", b"")
    return query.count(b"&") >= MAX_QUERY_FIELDS


class _Exchange:
    """One request and its response."""

    def __init__(self, guard: Guard, scope: Scope, receive: Receive, send: Send) -> None:
        self._guard = guard
        self._scope = scope
        self._receive = receive
        self._send = send
        self._path: str = scope["path"]
        self._is_stream = self._path in STREAMS
        self._limit = body_limit(self._path)
        self._body_bytes = 0
        # Counted among the bytes of all bodies in memory.
        self._kept_bytes = 0
        self._client = current_client.get()
        scope[KEEP_BYTES] = self._keep
        self._held_bytes = 0
        scope[HOLD_BYTES] = self._hold
        self._body_is_complete = False
        # For the parts of a stream.
        self._patience = Patience(guard.settings.idle_timeout, guard.settings.min_body_rate)
        self._is_abandoned = False
        # Whether all lines of a stream that were sent are complete.
        self._is_between_lines = True
        self.status = 0
        self._cors_headers: tuple[tuple[bytes, bytes], ...] = ()
        self._deadline: asyncio.Timeout | None = None
        self._started = 0.0

    async def run(self) -> None:
        started = time.perf_counter()
        try:
            await self._respond()
        except TimeoutError:
            await self._send_problem(self._timeout_problem())
        except asyncio.CancelledError:
            # The connection is closed. Many clients do that after a refusal.
            self._is_abandoned = self.status != TOO_LARGE
            raise
        except Exception as error:  # noqa: BLE001 - a traceback in the log of the server could quote a draft
            if self.status == 0:
                LOGGER.error("%s: %s", self._path[:200], type(error).__name__)  # noqa: TRY400 - the same
                await self._send_problem(Problem(500, "internal-error", "an error occurred"))
        finally:
            if self._is_abandoned:
                self.status = DISCONNECTED
            self._guard.kept.give_back(self._client, self._kept_bytes)
            self._guard.observe(self._scope, self.status, time.perf_counter() - started)

    async def _respond(self) -> None:
        head = RequestHead.of(self._scope)
        is_allowed_origin = self._guard.allows_origin(head.origin)
        if is_allowed_origin:
            self._cors_headers = (
                (b"access-control-allow-origin", head.origin or b""),
                (b"access-control-allow-headers", b"authorization, content-type"),
                (b"access-control-allow-methods", b"GET, POST"),
                (b"vary", b"origin"),
            )
        problem = self._guard.reject(self._scope, head)
        if problem is not None:
            await self._send_problem(problem)
            return
        if is_allowed_origin and self._scope["method"] == "OPTIONS":
            await self._start(204, [])
            await self._send({"type": "http.response.body"})
            return
        has_body = self._scope["method"] not in _READING_METHODS
        settings = self._guard.settings
        seconds = settings.idle_timeout if self._is_stream else self._body_seconds() if has_body else settings.timeout
        async with asyncio.timeout(seconds) as self._deadline:
            self._started = asyncio.get_running_loop().time()
            await self._run_app()

    async def _run_app(self) -> None:
        """Run the application. HEAD is answered as GET: the server sends no body.

        Source: RFC 9110, sections 9.1 and 9.3.2.
        """
        is_head = self._scope["method"] == "HEAD"
        scope = _without_cookies(self._scope)
        if is_head:
            scope["method"] = "GET"
        try:
            await self._guard.app(scope, self._limited_receive, self._secured_send)
        finally:
            if "route" in scope:
                self._scope["route"] = scope["route"]

    async def _limited_receive(self) -> Message:
        message = await (self._receive() if self._body_is_complete or not self._is_stream else self._receive_part())
        if message["type"] != "http.request":
            self._is_abandoned = not self._body_is_complete
            return message
        size = len(message.get("body", b""))
        settings = self._guard.settings
        if self._is_stream:
            # A stream does not keep its lines, and counts its file itself.
            self._extend(settings.idle_timeout)
        else:
            self._keep(size)
        self._body_bytes += size
        is_complete = not message.get("more_body") and not self._body_is_complete
        self._body_is_complete |= is_complete
        if self._body_bytes > self._limit:
            raise HTTPException(TOO_LARGE, too_large(self._path).detail, {"Connection": "close"})
        if is_complete:
            self._extend(settings.idle_timeout if self._is_stream else settings.timeout)
        elif not self._is_stream and self._deadline is not None:
            self._deadline.reschedule(self._started + self._body_seconds())
        return message

    async def _receive_part(self) -> Message:
        """Receive a part of a stream, in the time that the client has left."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        self._extend(self._patience.left)
        message = await self._receive()
        self._patience.spend(loop.time() - started)
        self._patience.earn(len(message.get("body", b"")))
        return message

    def _body_seconds(self) -> float:
        """Return the time from the start of the request in which the next part of its body has to arrive."""
        settings = self._guard.settings
        return min(settings.body_timeout, settings.body_start_timeout + self._body_bytes / settings.min_body_rate)

    def _keep(self, size: int) -> None:
        """Count bytes that are kept until the end of the request.

        Raises: HTTPException: Too many are kept, in all or for the client.
        """
        if not self._guard.kept.take(self._client, size):
            raise HTTPException(503, "too many requests at a time", {"Retry-After": "2"})
        self._kept_bytes += size

    def _hold(self, size: int) -> None:
        """Set the bytes that are kept now.

        Raises: HTTPException: Too many are kept, in all or for the client.
        """
        if size > self._held_bytes:
            self._keep(size - self._held_bytes)
        else:
            self._guard.kept.give_back(self._client, self._held_bytes - size)
            self._kept_bytes -= self._held_bytes - size
        self._held_bytes = size

    def _extend(self, seconds: float) -> None:
        if self._deadline is not None:
            self._deadline.reschedule(asyncio.get_running_loop().time() + seconds)

    async def _secured_send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if message["status"] == _OVERLOADED:
                await asyncio.sleep(self._guard.settings.refusal_seconds)
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *SECURITY_HEADERS, *self._cors_headers]}
        elif self._is_stream:
            self._extend(self._guard.settings.idle_timeout)
        body = message.get("body", b"")
        self._is_between_lines = len(body) <= _PART_BYTES
        # The server waits after each part until the client has read it.
        for start in range(0, len(body) - _PART_BYTES, _PART_BYTES):
            await self._send({**message, "body": body[start : start + _PART_BYTES], "more_body": True})
        if len(body) > _PART_BYTES:
            message = {**message, "body": body[(len(body) - 1) // _PART_BYTES * _PART_BYTES :]}
        await self._send_part(message)
        self._is_between_lines = True

    async def _send_part(self, message: Message) -> None:
        is_end = message["type"] == "http.response.body" and not message.get("more_body", False)
        if is_end and self.status == TOO_LARGE and not self._body_is_complete:
            await end_refusal(message.get("body", b""), self._receive, self._send)
        else:
            await self._send(message)

    def _timeout_problem(self) -> Problem:
        if self._body_is_complete or self._scope["method"] in _READING_METHODS:
            return Problem(503, "timeout", "the request took too long", headers=(("Retry-After", "10"),))
        return Problem(
            408, "request-timeout", "the body of the request did not arrive in time", headers=(("Connection", "close"),)
        )

    async def _send_problem(self, problem: Problem) -> None:
        if self.status != 0:
            if self._is_stream and self.status == _OK and self._is_between_lines:
                await self._send({"type": "http.response.body", "body": problem.last_line()})
            # Any other response that has started ends early with its connection, so that the client notices.
            return
        await self._start(problem.status, problem.raw_headers())
        await self._send_part({"type": "http.response.body", "body": problem.body()})

    async def _start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        self.status = status
        all_headers = [*headers, *SECURITY_HEADERS, *self._cors_headers]
        await self._send({"type": "http.response.start", "status": status, "headers": all_headers})
