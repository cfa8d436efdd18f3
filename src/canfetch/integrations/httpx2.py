"""Transports for httpx2 that send only requests which robots.txt allows.

transport = RobotsTransport(user_agent="ExampleBot/1.0 (+https://example.com/bot)")
with httpx2.Client(transport=transport, follow_redirects=True) as client:
    client.get("https://example.com/fish")
"""

from contextlib import aclosing, closing
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final, Unpack

from canfetch.core.verdict import RobotsDisallowed
from canfetch.errors import InvalidOption, MissingExtra
from canfetch.integrations import request_guard
from canfetch.integrations.request_guard import (
    AsyncRequestGuard,
    GuardOptions,
    RequestErrors,
    RequestGuard,
    SentRequest,
    UseDisallowed,
    page_verdict,
    use_verdict,
)

try:
    import httpx2

    from canfetch.client.transports.httpx2_transport import AsyncHttpx2Transport, Httpx2Transport
except ImportError as missing:
    raise MissingExtra('httpx2 is not installed: pip install "canfetch[http]"') from missing

__all__ = [
    "AsyncRobotsTransport",
    "DisallowedRequest",
    "DisallowedUse",
    "InvalidRequestURL",
    "RobotsTransport",
    "page_verdict",
    "use_verdict",
]

_SCHEMES: Final = ("http", "https")


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
    """Raised in place of a response whose use its site disallows, with the option `purpose`."""

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
        if request.url.scheme not in _SCHEMES:
            # The other transport raises the error for it.
            return self._transport.handle_request(request)
        url = _requested_url(request)
        verdict = self.robots.check(url, opted_out=_opted_out(request))
        response = self._transport.handle_request(request)
        sent = SentRequest(url, verdict, response.status_code, response.headers.raw)
        self.robots.read_page_rules(response, sent)
        if self.robots.checks_use(sent):
            try:
                self.robots.check_use(response, sent, _read_again(response) if self.robots.has_html(sent) else None)
            except BaseException:
                response.close()
                raise
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
        if request.url.scheme not in _SCHEMES:
            return await self._transport.handle_async_request(request)
        url = _requested_url(request)
        verdict = await self.robots.check(url, opted_out=_opted_out(request))
        response = await self._transport.handle_async_request(request)
        sent = SentRequest(url, verdict, response.status_code, response.headers.raw)
        self.robots.read_page_rules(response, sent)
        if self.robots.checks_use(sent):
            try:
                html = await _read_again_async(response) if self.robots.has_html(sent) else None
                await self.robots.check_use(response, sent, html)
            except BaseException:
                await response.aclose()
                raise
        return response

    async def aclose(self) -> None:
        """Close the other transport and the store."""
        try:
            await self.robots.close()
        finally:
            await self._transport.aclose()


def _read_again(response: httpx2.Response) -> bytes | None:
    """Return the body of a response, which the client can still read, or None if its content coding is invalid."""
    assert isinstance(response.stream, httpx2.SyncByteStream)
    with closing(response.stream) as stream:
        return _replace_stream(response, b"".join(stream))


async def _read_again_async(response: httpx2.Response) -> bytes | None:
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    async with aclosing(response.stream) as stream:
        return _replace_stream(response, b"".join([part async for part in stream]))


def _replace_stream(response: httpx2.Response, body: bytes) -> bytes | None:
    response.stream = httpx2.ByteStream(body)
    try:
        return httpx2.Response(response.status_code, headers=response.headers, stream=httpx2.ByteStream(body)).read()
    except httpx2.DecodingError:
        return None


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
    """Return the URL that is requested. The extension `target` replaces the path and query."""
    target = request.extensions.get("target")
    if not isinstance(target, bytes) or not target.startswith(b"/"):
        return str(request.url)
    return f"{request.url.scheme}://{request.url.netloc.decode('ascii')}{target.decode('latin-1')}"
