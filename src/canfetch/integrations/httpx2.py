"""Transports for httpx2 that send only requests which robots.txt allows.

transport = RobotsTransport(user_agent="ExampleBot/1.0 (+https://example.com/bot)")
with httpx2.Client(transport=transport, follow_redirects=True) as client:
    client.get("https://example.com/fish")
"""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Final, Unpack

from canfetch.client.pacers import RequestTurn
from canfetch.core.verdict import RobotsDisallowed
from canfetch.errors import InvalidOption, MissingExtra
from canfetch.integrations import request_guard
from canfetch.integrations.checked_request import SentRequest
from canfetch.integrations.request_guard import (
    CHECKED_SCHEMES,
    AsyncRequestGuard,
    GuardOptions,
    RequestErrors,
    RequestGuard,
    UseDisallowed,
    page_verdict,
    use_verdict,
)

try:
    import httpx2

    from canfetch.client.transports.httpx2_transport import AsyncHttpx2Transport, Httpx2Transport
except ImportError as missing:
    raise MissingExtra('httpx2 is not installed: pip install "canfetch[http]"') from missing

if TYPE_CHECKING:
    from canfetch.integrations.page_bodies import PageStart

__all__ = [
    "AsyncRobotsTransport",
    "DisallowedRequest",
    "DisallowedUse",
    "InvalidRequestURL",
    "RobotsTransport",
    "page_verdict",
    "use_verdict",
]

# The content codings that httpx2 decodes, some of them only with optional dependencies.
_DECODED_CODINGS: Final = ("br", "deflate", "gzip", "zstd")


class DisallowedRequest(RobotsDisallowed, httpx2.RequestError):
    """Raised in place of a request that robots.txt disallows.

    It is not an `httpx2.TransportError`, which programs take as a reason to repeat a request.
    """

    # `RobotsDisallowed` does not call the constructor of httpx2, and httpx2 sets the request.
    _request: httpx2.Request | None = None


class InvalidRequestURL(request_guard.InvalidRequestURL, httpx2.ConnectError):
    """Raised in place of a request whose host or port is invalid, for which there is no robots.txt."""

    _request: httpx2.Request | None = None


class DisallowedUse(UseDisallowed, httpx2.RequestError):
    """Raised in place of a response whose use its site does not allow, with the option `purpose`."""

    _request: httpx2.Request | None = None


_ERRORS: Final = RequestErrors(DisallowedRequest, DisallowedUse, InvalidRequestURL)


class RobotsTransport(httpx2.BaseTransport):
    """Send requests with another transport if robots.txt allows them. It can be shared between threads.

    The targets of redirects are checked too. The robots.txt is fetched with the same transport. Requests with the
    extension `"canfetch": False` are not checked.

    Args:
        user_agent: The User-Agent header of the requests for robots.txt, whose product token selects the rules. Set the
            same header in the httpx2 client.
        transport: The transport that sends the requests, with its proxy and its TLS settings. Closed with this one.
            Default: `httpx2.HTTPTransport()`. Pass the proxy to it: `httpx2.Client(proxy=...)` sends requests with a
            transport of its own, past this one.
        options: See `GuardOptions`.
    Attributes: robots: Decides, counts and exempts requests.
    Raises: InvalidOption: An option is invalid or cannot be guaranteed. InvalidLimit, InvalidProductToken,
        InvalidURL, UnknownPolicy, UnknownProfile, EngineError.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        transport: httpx2.BaseTransport | None = None,
        **options: Unpack[GuardOptions],
    ) -> None:
        self._transport = httpx2.HTTPTransport() if transport is None else transport
        _check_transport(self._transport, httpx2.BaseTransport)
        session = httpx2.Client(transport=self._transport, trust_env=False, cookies=_no_cookies())
        self.robots = RequestGuard(Httpx2Transport(client=session), _ERRORS, user_agent=user_agent, **options)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Check a request, and send it if it is allowed.

        Raises: DisallowedRequest; DisallowedUse; InvalidRequestURL; httpx2.RequestError.
        """
        if request.url.scheme not in CHECKED_SCHEMES:
            # The other transport raises the error for it.
            return self._transport.handle_request(request)
        url = _requested_url(request)
        checked = self.robots.check(url, opted_out=_opted_out(request))
        with checked, _tracing(request, checked.turn, _sent_trace):
            self.robots.sign(request.headers, request.method, url)
            try:
                response = self._transport.handle_request(request)
            finally:
                self.robots.unsign(request.headers)
        sent = SentRequest(url, checked.verdict, response.status_code, response.headers.raw)
        self.robots.examine(response, sent, partial(_read_start, response))
        return response

    def close(self) -> None:
        """Close the other transport and the store."""
        try:
            self.robots.close()
        finally:
            self._transport.close()


class AsyncRobotsTransport(httpx2.AsyncBaseTransport):
    """Send requests with another transport if robots.txt allows them, on an asyncio event loop.

    Args: The same as RobotsTransport, except that `transport` is asynchronous.
    Attributes: robots: Decides, counts and exempts requests.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        transport: httpx2.AsyncBaseTransport | None = None,
        **options: Unpack[GuardOptions],
    ) -> None:
        self._transport = httpx2.AsyncHTTPTransport() if transport is None else transport
        _check_transport(self._transport, httpx2.AsyncBaseTransport)
        session = httpx2.AsyncClient(transport=self._transport, trust_env=False, cookies=_no_cookies())
        self.robots = AsyncRequestGuard(AsyncHttpx2Transport(client=session), _ERRORS, user_agent=user_agent, **options)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Check a request, and send it if it is allowed.

        Raises: DisallowedRequest; DisallowedUse; InvalidRequestURL; httpx2.RequestError.
        """
        if request.url.scheme not in CHECKED_SCHEMES:
            return await self._transport.handle_async_request(request)
        url = _requested_url(request)
        checked = await self.robots.check(url, opted_out=_opted_out(request))
        with checked, _tracing(request, checked.turn, _async_sent_trace):
            self.robots.sign(request.headers, request.method, url)
            try:
                response = await self._transport.handle_async_request(request)
            finally:
                self.robots.unsign(request.headers)
        sent = SentRequest(url, checked.verdict, response.status_code, response.headers.raw)
        await self.robots.examine(response, sent, partial(_read_start_async, response), response.aclose)
        return response

    async def aclose(self) -> None:
        """Close the other transport and the store."""
        try:
            await self.robots.close()
        finally:
            await self._transport.aclose()


@contextmanager
def _tracing(request: httpx2.Request, turn: RequestTurn | None, make_trace: Callable[..., Any]) -> Iterator[None]:
    """Report when a request is sent, after it has got its connection, with the extension `trace`."""
    if turn is None:
        yield
        return
    extensions = request.extensions
    request.extensions = {**extensions, "trace": make_trace(turn, extensions.get("trace"))}
    try:
        yield
    finally:
        request.extensions = extensions


def _sent_trace(turn: RequestTurn, trace: Callable[[str, Any], None] | None) -> Callable[[str, Any], None]:
    def report(name: str, info: Any) -> None:
        if _is_sent(name, info):
            turn.sent()
        if trace is not None:
            trace(name, info)

    return report


def _async_sent_trace(
    turn: RequestTurn, trace: Callable[[str, Any], Awaitable[None]] | None
) -> Callable[[str, Any], Awaitable[None]]:
    async def report(name: str, info: Any) -> None:
        if _is_sent(name, info):
            turn.sent()
        if trace is not None:
            await trace(name, info)

    return report


def _is_sent(name: str, info: Any) -> bool:
    """Return whether an event is the start of a request, and not of one to a proxy that opens a tunnel."""
    return name.endswith(".send_request_headers.started") and info["request"].method != b"CONNECT"


def _read_start(response: httpx2.Response) -> bytes | None:
    """Return the beginning of a page. The client can still read the whole body."""
    assert isinstance(response.stream, httpx2.SyncByteStream)
    start, stream = _page_start(response), _ResumedStream(response.stream)
    while start.needs_data and (part := stream.read_ahead()) is not None:
        start.feed(part)
    response.stream = stream
    return start.finish()


async def _read_start_async(response: httpx2.Response) -> bytes | None:
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    start, stream = _page_start(response), _AsyncResumedStream(response.stream)
    while start.needs_data and (part := await stream.read_ahead()) is not None:
        start.feed(part)
    response.stream = stream
    return start.finish()


def _page_start(response: httpx2.Response) -> "PageStart":
    from canfetch.integrations.page_bodies import PageStart  # noqa: PLC0415 - only with the option `purpose`

    return PageStart(response.headers.raw, _DECODED_CODINGS)


class _ResumedStream(httpx2.SyncByteStream):
    """A body whose beginning was read ahead."""

    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream
        self._rest = iter(stream)
        self._parts: deque[bytes] = deque()

    def read_ahead(self) -> bytes | None:
        """Return the next part, which `__iter__` yields again, or None at the end."""
        part = next(self._rest, None)
        if part is not None:
            self._parts.append(part)
        return part

    def __iter__(self) -> Iterator[bytes]:
        while self._parts:
            yield self._parts.popleft()
        yield from self._rest

    def close(self) -> None:
        self._stream.close()


class _AsyncResumedStream(httpx2.AsyncByteStream):
    """A body whose beginning was read ahead."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream
        self._rest = aiter(stream)
        self._parts: deque[bytes] = deque()

    async def read_ahead(self) -> bytes | None:
        """Return the next part, which `__aiter__` yields again, or None at the end."""
        part = await anext(self._rest, None)
        if part is not None:
            self._parts.append(part)
        return part

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self._parts:
            yield self._parts.popleft()
        async for part in self._rest:
            yield part

    async def aclose(self) -> None:
        if isinstance(self._rest, AsyncGenerator):
            await self._rest.aclose()
        await self._stream.aclose()


def _no_cookies() -> CookieJar:
    """Return a jar that stays empty."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))


def _check_transport(transport: Any, transport_type: type) -> None:
    if not isinstance(transport, transport_type):
        given, expected = type(transport).__name__, transport_type.__name__
        raise InvalidOption(f"invalid transport of type {given}: expected a subclass of httpx2.{expected}")


def _opted_out(request: httpx2.Request) -> bool:
    return request.extensions.get("canfetch", True) is False


def _requested_url(request: httpx2.Request) -> str:
    """Return the URL that is requested, with http or https. The extension `target` replaces the path and query."""
    scheme = request.url.scheme
    target = request.extensions.get("target")
    if not isinstance(target, bytes) or not target.startswith(b"/"):
        return CHECKED_SCHEMES[scheme] + str(request.url)[len(scheme) :]
    return f"{CHECKED_SCHEMES[scheme]}://{request.url.netloc.decode('ascii')}{target.decode('latin-1')}"
