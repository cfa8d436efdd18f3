"""Requests with an aiohttp session of the caller.

The session's settings apply, except that redirects are not followed, and that the body is read as received, up to the
size limit.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import aiohttp
from aiohttp.helpers import netrc_from_env
from multidict import CIMultiDict
from yarl import URL

from canfetch.access.responses import Response
from canfetch.client.request_headers import has_credentials
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.aiohttp_errors import ERRORS, check_framing, translate_error, translate_timeout
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.endpoints import Endpoint, parse_endpoint
from canfetch.client.transports.headers import MAX_HEAD_BYTES, decode_headers, encode_request_headers
from canfetch.client.transports.proxies import check_proxy_status
from canfetch.client.transports.response_body import ResponseBuilder
from canfetch.client.transports.sessions import check_session_request, check_session_type

# aiohttp cannot limit the size of a head, only the number of fields and the size of each.
MAX_FIELDS: Final = 512
# At most twice as many bytes are received before canfetch reads them.
_BUFFER_BYTES: Final = 65_536
# aiohttp rounds timeouts above this threshold up to whole seconds. No timeout reaches it.
_CEIL_THRESHOLD: Final = 1e9


def request_timeout(request: TransportRequest) -> aiohttp.ClientTimeout:
    """Return the timeouts of one request, except the total timeout."""
    return aiohttp.ClientTimeout(
        connect=request.connect_timeout, sock_read=request.read_timeout, ceil_threshold=_CEIL_THRESHOLD
    )


class ExistingSession:
    """Sends requests with an `aiohttp.ClientSession`, which it does not close.

    Args:
        robots: The middleware of canfetch in the session, or None. It adds no credentials.
        settings: Arguments of `session.get`, such as `proxy`.
    Raises: InvalidOption: `session` is another object.
    """

    def __init__(
        self, session: aiohttp.ClientSession, *, robots: aiohttp.ClientMiddlewareType | None = None, **settings: Any
    ) -> None:
        check_session_type("session", session, aiohttp.ClientSession)
        self._session = session
        self._robots = robots
        self._settings = settings

    async def send(self, request: TransportRequest) -> Response:
        """Send a request, and cancel it at the deadline.

        Raises: TransportError.
        """
        check_session_request(request)
        deadlines = Deadlines(request)
        endpoint = parse_endpoint(request.url)
        try:
            async with asyncio.timeout(deadlines.timeout()):
                return await self._exchange(request, endpoint)
        except TimeoutError as error:
            raise translate_timeout(error, deadlines) from error
        except ERRORS as error:
            raise translate_error(error, endpoint.scheme) from error

    def adds_credentials(self, url: str) -> bool:
        """Return whether the session adds, or may add, credentials to a direct request for `url`."""
        session = self._session
        return (
            session.auth is not None
            or any(has_credentials(name) for name in session.headers)
            or bool(session.cookie_jar.filter_cookies(URL(url, encoded=True)))
            # What they add is unknown.
            or any(middleware is not self._robots for middleware in self._session_middlewares())
            or (session.trust_env and netrc_from_env() is not None)
        )

    async def _exchange(self, request: TransportRequest, endpoint: Endpoint) -> Response:
        headers = [(name.decode(), value.decode()) for name, value in encode_request_headers(endpoint, request.headers)]
        async with self._session.get(
            # `encoded` keeps yarl from normalising the URL.
            URL(endpoint.url, encoded=True),
            headers=CIMultiDict(headers),
            allow_redirects=False,
            raise_for_status=False,
            auto_decompress=False,
            timeout=request_timeout(request),
            read_bufsize=_BUFFER_BYTES,
            max_line_size=MAX_HEAD_BYTES,
            max_field_size=MAX_HEAD_BYTES,
            max_headers=MAX_FIELDS,
            middlewares=self._middlewares() if request.cross_origin else None,
            **self._settings,
        ) as response:
            check_framing(response)
            # The session may use a proxy.
            check_proxy_status(response.status, is_proxied=endpoint.scheme == "http")
            builder = ResponseBuilder(request, response.status, decode_headers(response.raw_headers))
            while builder.needs_data and not response.content.at_eof():
                builder.feed(await response.content.readany())
            if builder.needs_data:
                response.release()
            else:
                response.close()
            return builder.build()

    def _middlewares(self) -> Sequence[aiohttp.ClientMiddlewareType]:
        # The middlewares of a request replace those of the session.
        return (*self._session_middlewares(), _remove_credentials)

    def _session_middlewares(self) -> Sequence[aiohttp.ClientMiddlewareType]:
        # aiohttp does not make them public.
        middlewares: Sequence[aiohttp.ClientMiddlewareType] = getattr(self._session, "_middlewares", ())
        return middlewares


async def _remove_credentials(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Remove the credentials of the session, which belong to another origin."""
    for name in {name for name in request.headers if has_credentials(name)}:
        request.headers.popall(name, None)
    return await handler(request)
