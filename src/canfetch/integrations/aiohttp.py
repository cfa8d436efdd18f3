"""A client middleware for aiohttp that sends only requests which robots.txt allows.

robots = RobotsMiddleware(user_agent="ExampleBot/1.0 (+https://example.com/bot)")
async with robots, aiohttp.ClientSession(middlewares=[robots]) as session:
    await session.get("https://example.com/fish")
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from types import TracebackType
from typing import Any, Final, Self, Unpack
from warnings import catch_warnings, simplefilter

from canfetch.access.responses import Failure, Response
from canfetch.client.pacers import RequestTurn
from canfetch.client.transports import Route, TransportRequest
from canfetch.client.transports.failures import REQUEST_ERRORS, request_failure
from canfetch.client.transports.sessions import SESSION_ROUTE
from canfetch.core.verdict import RobotsDisallowed
from canfetch.errors import MissingExtra, RequestNotSent
from canfetch.integrations import request_guard
from canfetch.integrations.checked_request import SentRequest
from canfetch.integrations.request_blocks import is_in_block, open_block
from canfetch.integrations.request_guard import (
    CHECKED_SCHEMES,
    AsyncRequestGuard,
    GuardOptions,
    RequestErrors,
    UseDisallowed,
    page_verdict,
    use_verdict,
    without_final_dot,
)

try:
    import aiohttp

    from canfetch.client.transports.aiohttp_transport import ExistingSession
except ImportError as missing:
    raise MissingExtra('aiohttp is not installed: pip install "canfetch[http]"') from missing

__all__ = ["DisallowedRequest", "DisallowedUse", "InvalidRequestURL", "RobotsMiddleware", "page_verdict", "use_verdict"]

# The content codings that aiohttp decodes.
_DECODED_CODINGS: Final = frozenset({"br", "deflate", "gzip", "zstd"})
# The request for which a robots.txt is fetched.
_CURRENT: Final[ContextVar[aiohttp.ClientRequest]] = ContextVar("_CURRENT")
# The key of the blocks in which a session sends the request for robots.txt.
_FETCHING: Final = object()


class DisallowedRequest(RobotsDisallowed, aiohttp.ClientError):
    """Raised in place of a request that robots.txt disallows."""


class InvalidRequestURL(request_guard.InvalidRequestURL, aiohttp.InvalidURL):
    """Raised in place of a request whose host or port is invalid, for which there is no robots.txt."""


class DisallowedUse(UseDisallowed, aiohttp.ClientError):
    """Raised in place of a response whose use its site does not allow, with the option `purpose`."""


class NotSentRequest(RequestNotSent, aiohttp.ClientError):
    """Raised if a robots.txt could not be requested. aiohttp replaces other OSErrors that leave a middleware."""


_ERRORS: Final = RequestErrors(DisallowedRequest, DisallowedUse, InvalidRequestURL)


class RobotsMiddleware:
    """Send requests if robots.txt allows them. Pass it to `aiohttp.ClientSession(middlewares=[...])`, as the last one.

    A middleware after it can send further requests, which are not checked, and do not wait.

    The targets of redirects are checked too. The robots.txt is fetched with the session of the request, and with the
    proxy and the TLS settings of the request. Several sessions can share a middleware.

    Args:
        user_agent: The User-Agent header of the requests for robots.txt, whose product token selects the rules. Set the
            same header in the session.
        options: See `GuardOptions`.
    Attributes: robots: Decides, counts and exempts requests.
    Raises: InvalidOption: An option is invalid or cannot be guaranteed. InvalidLimit, InvalidProductToken,
        InvalidURL, UnknownPolicy, UnknownProfile, EngineError.
    """

    def __init__(self, *, user_agent: str, **options: Unpack[GuardOptions]) -> None:
        self.robots = AsyncRequestGuard(_SessionTransport(self), _ERRORS, user_agent=user_agent, **options)

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Check a request, and send it if it is allowed.

        Raises: DisallowedRequest; DisallowedUse; InvalidRequestURL; RequestNotSent; aiohttp.ClientError.
        """
        if request.url.scheme not in CHECKED_SCHEMES or is_in_block(_FETCHING):
            return await handler(request)
        try:
            return await self._check_and_send(request, handler)
        except RequestNotSent as error:
            raise NotSentRequest(*error.args) from error

    async def _check_and_send(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        scheme = request.url.scheme
        url = CHECKED_SCHEMES[scheme] + str(request.url)[len(scheme) :]
        token = _CURRENT.set(request)
        try:
            checked = await self.robots.check(url)
        finally:
            _CURRENT.reset(token)
        with checked, _reporting(request, checked.turn):
            self.robots.sign(request.headers, request.method, without_final_dot(url))
            try:
                response = await handler(request)
            finally:
                self.robots.unsign(request.headers)
        sent = SentRequest(url, checked.verdict, response.status, response.raw_headers)
        token = _CURRENT.set(request)
        try:
            await self.robots.examine(response, sent, partial(_read_start, request, response, sent), response.close)
        finally:
            _CURRENT.reset(token)
        return response

    async def close(self) -> None:
        """Cancel the fetches in progress, and close the store. The session stays open."""
        await self.robots.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()


@contextmanager
def _reporting(request: aiohttp.ClientRequest, turn: RequestTurn | None) -> Iterator[None]:
    """Report when a request is sent, after it has got its connection. The traces of a session cannot be extended."""
    # Without this method, the request counts as sent when its response arrives.
    send = getattr(request, "send", None)
    if turn is None or send is None:
        yield
        return

    async def report_and_send(conn: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        turn.sent()
        response: aiohttp.ClientResponse = await send(conn)
        return response

    request.send = report_and_send  # type: ignore[method-assign]
    try:
        yield
    finally:
        request.send = send  # type: ignore[method-assign]


async def _read_start(
    request: aiohttp.ClientRequest, response: aiohttp.ClientResponse, sent: SentRequest
) -> bytes | None:
    """Return the beginning of a page. The caller can still read the whole body."""
    from canfetch.integrations.page_bodies import (  # noqa: PLC0415 - only with the option `purpose`
        STEP_BYTES,
        PageStart,
        content_codings,
    )

    codings = content_codings(sent.headers)
    is_decoded = request.session.auto_decompress and len(codings) == 1 and codings[0] in _DECODED_CODINGS
    start = PageStart(() if is_decoded else sent.headers)
    parts: list[bytes] = []
    while start.needs_data and (part := await response.content.read(STEP_BYTES)):
        start.feed(part)
        parts.append(part)
    with catch_warnings():
        # aiohttp has no other method for this purpose.
        simplefilter("ignore", DeprecationWarning)
        for part in reversed(parts):
            response.content.unread_data(part)
    return start.finish()


class _SessionTransport:
    """Sends requests for robots.txt with the session of the current request."""

    route: Route = SESSION_ROUTE

    def __init__(self, middleware: RobotsMiddleware) -> None:
        self._middleware = middleware
        self._session: aiohttp.ClientSession | None = None

    async def send(self, request: TransportRequest) -> Response | Failure:
        current = _CURRENT.get(None)
        settings = {} if current is None else _settings(current, cross_origin=request.cross_origin)
        session = self._current_session(**settings)
        with open_block(_FETCHING):
            try:
                return await session.send(request)
            except REQUEST_ERRORS as error:
                return request_failure(error, request.url)

    def adds_credentials(self, url: str) -> bool:
        return self._current_session().adds_credentials(url)

    async def close(self) -> None:
        """Release the session, which belongs to the caller."""
        self._session = None

    def _current_session(self, **settings: Any) -> ExistingSession:
        current = _CURRENT.get(None)
        if current is not None:
            self._session = current.session
        if self._session is None:
            raise RuntimeError("the session is unknown before its first request: send one, or create an AsyncClient")
        return ExistingSession(self._session, robots=self._middleware, **settings)


def _settings(request: aiohttp.ClientRequest, *, cross_origin: bool) -> dict[str, Any]:
    """Return the settings of a request that apply to its robots.txt."""
    settings: dict[str, Any] = {"ssl": request.ssl}
    if request.proxy is not None:
        settings |= {
            "proxy": request.proxy,
            "proxy_auth": request.proxy_auth,
            "proxy_headers": request.proxy_headers,
        }
    if not cross_origin and request.server_hostname is not None:
        settings["server_hostname"] = request.server_hostname
    return settings
