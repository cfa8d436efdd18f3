"""Transports on httpx2, sync and async: HTTP/1.1, and HTTP/2 on request.

They use httpcore2, the HTTP layer of httpx2, with their own network backends for address checks and deadlines.
Each request has its own connection. Of the settings of the environment, proxies are used and netrc is not.

With `client=`, they send requests with an httpx2 client of the caller instead; see httpx2_sessions.py.
"""

from collections.abc import Generator, Iterator
from contextlib import aclosing, closing
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

from canfetch.access.responses import Failure, Response
from canfetch.client.transports import CredentialAdder, TransportRequest
from canfetch.client.transports.base_transport import TransportSettings
from canfetch.client.transports.failures import REQUEST_ERRORS, request_failure
from canfetch.client.transports.headers import decode_headers
from canfetch.client.transports.proxies import Proxy, check_proxy_status
from canfetch.client.transports.response_body import ResponseBuilder
from canfetch.client.transports.sessions import SessionTransport
from canfetch.errors import MissingExtra

try:
    import httpcore2

    from canfetch.client.transports.httpx2_backends import (
        HTTP2_AVAILABLE,
        AsyncCheckedBackend,
        CheckedBackend,
        RequestState,
        translate_errors,
    )
except ImportError as missing:
    raise MissingExtra('httpx2 is not installed: pip install "canfetch[http]"') from missing

if TYPE_CHECKING:
    import httpx2

    from canfetch.client.transports.httpx2_sessions import ExistingAsyncClient, ExistingClient

# A client of httpx2, and the object that sends requests with it.
_ClientT = TypeVar("_ClientT")
_SessionT = TypeVar("_SessionT", bound=CredentialAdder)


class _BaseHttpx2Transport(SessionTransport[_SessionT], Generic[_ClientT, _SessionT]):
    def __init__(
        self,
        *,
        http2: bool = False,
        client: _ClientT | None = None,
        **settings: Unpack[TransportSettings],
    ) -> None:
        super().__init__(
            None if client is None else self._as_session(client),
            settings,
            session_argument="client",
            are_set={"http2": http2 is not False},
        )
        if http2 and not HTTP2_AVAILABLE:
            raise MissingExtra('h2 is not installed: pip install "httpx2[http2]"')
        self._http2 = http2

    def _as_session(self, client: _ClientT) -> _SessionT:
        raise NotImplementedError

    def _pool_options(self, state: RequestState, proxy: Proxy | None) -> dict[str, Any]:
        """Return the options of the connection pool for one request."""
        context = self._get_ssl_context() if state.endpoint.scheme == "https" else None
        options: dict[str, Any] = {"ssl_context": context, "http2": self._http2}
        if proxy is not None:
            options["proxy_url"] = proxy.url
            # Not `proxy_auth`, which accepts only ASCII.
            if proxy.authorization is not None:
                options["proxy_headers"] = {"Proxy-Authorization": proxy.authorization}
        return options


class Httpx2Transport(_BaseHttpx2Transport["httpx2.Client", "ExistingClient"]):
    """Send requests with httpx2. It can be shared between threads.

    Args:
        ssl_context: TLS settings. By default, certificates are verified with the system's authorities. Do not share
            it with other transports, because HTTP/2 is enabled in it.
        resolve: Function that returns the addresses of a name. The default is the system's resolver.
        proxy: Proxy for all connections, as `http://user:password@host:port`. It overrides the environment. A client
            with `allow_private=False` rejects proxies, because the addresses behind them cannot be checked.
        trust_env: Whether to use the proxies of the environment.
        http2: Whether to offer HTTP/2. The library h2 ends a connection at a GOAWAY, with which a server announces that
            it will accept no further request. Some servers send one with each response, and would be unreachable.
        client: An `httpx2.Client` to send the requests with, which the transport does not close. Its own settings
            apply, so the other arguments cannot be used. A canfetch client with `allow_private=False` rejects it.
    Raises: InvalidOption: A proxy is invalid or unsupported, or `client` is invalid; MissingExtra: h2 is not installed.
    """

    def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request for an http or https URL.

        Raises: InvalidURL: The URL is invalid or has no host.
        """
        try:
            if self._session is not None:
                return self._session.send(request)
            state = RequestState(request, self._resolve)
            with translate_errors(state):
                return self._send(state)
        except REQUEST_ERRORS as error:
            return request_failure(error, request.url)

    def close(self) -> None:
        """Do nothing: no resources are held between requests, and a client of the caller stays open."""

    def _as_session(self, client: "httpx2.Client") -> "ExistingClient":
        # Imported only if needed, because httpx2 takes much longer than httpcore2.
        from canfetch.client.transports.httpx2_sessions import ExistingClient  # noqa: PLC0415

        return ExistingClient(client)

    def _send(self, state: RequestState) -> Response:
        proxy = self._proxies.find_allowed(state.endpoint, state.request)
        state.is_proxied = proxy is not None
        pool_type = httpcore2.ConnectionPool if proxy is None else httpcore2.HTTPProxy
        pool = pool_type(network_backend=CheckedBackend(state), **self._pool_options(state, proxy))
        with pool, pool.stream("GET", _build_url(state), headers=state.headers) as response:
            builder = _start_response(state, proxy, response)
            with closing(_to_generator(response.iter_stream())) as chunks:
                return builder.read(chunks)


class AsyncHttpx2Transport(_BaseHttpx2Transport["httpx2.AsyncClient", "ExistingAsyncClient"]):
    """Send requests with httpx2, on an asyncio event loop.

    Args: The same as Httpx2Transport, except that `client` is an `httpx2.AsyncClient`.
    """

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request for an http or https URL.

        Raises: InvalidURL: The URL is invalid or has no host.
        """
        try:
            if self._session is not None:
                return await self._session.send(request)
            state = RequestState(request, self._resolve)
            with translate_errors(state):
                return await self._send(state)
        except REQUEST_ERRORS as error:
            return request_failure(error, request.url)

    async def close(self) -> None:
        """Do nothing: no resources are held between requests, and a client of the caller stays open."""

    def _as_session(self, client: "httpx2.AsyncClient") -> "ExistingAsyncClient":
        from canfetch.client.transports.httpx2_sessions import ExistingAsyncClient  # noqa: PLC0415 - only if needed

        return ExistingAsyncClient(client)

    async def _send(self, state: RequestState) -> Response:
        proxy = self._proxies.find_allowed(state.endpoint, state.request)
        state.is_proxied = proxy is not None
        pool_type = httpcore2.AsyncConnectionPool if proxy is None else httpcore2.AsyncHTTPProxy
        pool = pool_type(network_backend=AsyncCheckedBackend(state), **self._pool_options(state, proxy))
        async with pool, pool.stream("GET", _build_url(state), headers=state.headers) as response:
            builder = _start_response(state, proxy, response)
            async with aclosing(response.aiter_stream()) as chunks:
                return await builder.read_async(chunks)


def _build_url(state: RequestState) -> httpcore2.URL:
    # Built from its parts, because httpcore2 would normalise the path of a string.
    endpoint = state.endpoint
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    return httpcore2.URL(scheme=endpoint.scheme, host=host, port=endpoint.port, target=endpoint.target)


def _start_response(state: RequestState, proxy: Proxy | None, response: httpcore2.Response) -> ResponseBuilder:
    """Return the builder of a response, whose body is not read yet."""
    state.has_head = True
    check_proxy_status(response.status, is_proxied=proxy is not None and state.endpoint.scheme == "http")
    return ResponseBuilder(state.request, response.status, decode_headers(response.headers))


def _to_generator(chunks: Iterator[bytes]) -> Generator[bytes]:
    yield from chunks
