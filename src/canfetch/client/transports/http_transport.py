"""The default transports: HTTP/1.1 on h11, and FTP. They need no extra."""

from contextlib import closing
from typing import ClassVar, Final, NamedTuple, Unpack

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import Route, TransportRequest
from canfetch.client.transports.base_transport import BaseTransport, TransportSettings
from canfetch.client.transports.connections import connect, connect_async
from canfetch.client.transports.daemon_threads import start_daemon_thread, wait_in_loop
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.dns import Resolve
from canfetch.client.transports.endpoints import Endpoint, parse_endpoint
from canfetch.client.transports.failures import REQUEST_ERRORS, TransportError, request_failure
from canfetch.client.transports.fetch_rules import NO_RULES, FetchRules
from canfetch.client.transports.http_exchange import HTTPExchange, TunnelExchange
from canfetch.client.transports.local_errors import NoThread
from canfetch.client.transports.proxies import Proxy, proxy_errors
from canfetch.client.transports.turns import call_in_turn, call_off_loop
from canfetch.errors import InvalidOption

_SCHEMES: Final[tuple[str, ...]] = ("http", "https", "ftp")


class ConnectionPlan(NamedTuple):
    """Where to connect, and what to send there.

    Attributes:
        host: Host of the server or the proxy.
        port: Its TCP port.
        tunnel: The exchange that opens a tunnel through the proxy, or None if there is no tunnel.
        tls_name: The name that the certificate must have, or None if TLS is not used.
        exchange: The request and its response.
        is_proxied: Whether the host is a proxy.
    """

    host: str
    port: int
    tunnel: TunnelExchange | None
    tls_name: str | None
    exchange: HTTPExchange
    is_proxied: bool = False


class _SocketTransport(BaseTransport):
    """A transport that connects itself, and so can check what it connects to.

    Args: The same as HTTPTransport.
    """

    _schemes = _SCHEMES

    def __init__(self, *, rules: FetchRules = NO_RULES, **settings: Unpack[TransportSettings]) -> None:
        super().__init__(**settings)
        if rules and self._proxies.are_set:
            raise InvalidOption(
                "rules and a proxy cannot be used together, because the addresses behind the proxy cannot be checked: "
                "remove the proxy, or pass trust_env=False"
            )
        self._rules = rules

    @property
    def route(self) -> Route:
        """What the transport can reach."""
        return super().route._replace(rules=repr(self._rules) if self._rules else "")


class HTTPTransport(_SocketTransport):
    """Send requests over sockets, with a new connection for each request.

    It can be shared between threads.

    Args:
        ssl_context: TLS settings. By default, certificates are verified with the system's authorities.
        resolve: Function that returns the addresses of a name. The default is the system's resolver.
        proxy: Proxy for all connections, as `http://user:password@host:port`. It overrides the environment. A client
            with `allow_private=False` rejects proxies, because the addresses behind them cannot be checked.
        trust_env: Whether to use the proxies of the environment for http and https.
        rules: The host names, ports and networks that it may connect to. Each connection is checked, after redirects
            and name resolution. They cannot be used together with a proxy. By default, everything is allowed.
    Raises: InvalidOption: A proxy is invalid or unsupported.
    """

    def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request for an http, https or ftp URL.

        Raises: InvalidURL: The URL is invalid or has no host.
        Cost: One connection, at most `timeout` seconds, and memory for twice the size limit and a few hundred KiB.
        """
        deadlines = Deadlines(request)
        try:
            endpoint = parse_endpoint(request.url, _SCHEMES)
            proxy = self._proxies.find_allowed(endpoint, request)
            if endpoint.scheme == "ftp" and proxy is None:
                return _fetch_ftp(request, endpoint, self._resolve, deadlines, self._rules)
            return self._exchange(request, plan_connection(request, endpoint, proxy), deadlines)
        except REQUEST_ERRORS as error:
            return request_failure(error, request.url)

    def post(self, request: TransportRequest, content: bytes) -> Response | Failure:
        """Send a POST request for an http or https URL, and return the response without its body.

        Args: content: The content of the request. Its type is one of the headers of `request`.
        Raises: InvalidURL: The URL is invalid or has no host.
        Cost: One connection, and at most `timeout` seconds.
        """
        deadlines = Deadlines(request)
        try:
            endpoint = parse_endpoint(request.url)
            proxy = self._proxies.find_allowed(endpoint, request)
            return self._exchange(request, plan_connection(request, endpoint, proxy, content=content), deadlines)
        except REQUEST_ERRORS as error:
            return request_failure(error, request.url)

    def close(self) -> None:
        """Do nothing, because no resources are held between requests."""

    def _exchange(self, request: TransportRequest, plan: ConnectionPlan, deadlines: Deadlines) -> Response:
        with proxy_errors(is_proxied=plan.is_proxied):
            connection = connect(
                plan.host,
                plan.port,
                allow_private=request.allow_private,
                resolve=self._resolve,
                rules=self._rules,
                deadlines=deadlines,
            )
        with closing(connection):
            if plan.tunnel is not None:
                connection.send(plan.tunnel.request_data)
                while not plan.tunnel.receive(connection.receive()):
                    pass
            if plan.tls_name is not None:
                connection.start_tls(self._get_ssl_context(), plan.tls_name)
            connection.send(plan.exchange.request_data)
            while True:
                response = plan.exchange.receive(connection.receive())
                if response is not None:
                    return response


class AsyncHTTPTransport(_SocketTransport):
    """Send requests over sockets on an asyncio event loop, with a new connection for each request.

    Requests do not wait for each other, and a cancelled request closes its connection at once. Only name resolution
    and ftp URLs use threads, which delay neither the end of the event loop nor the exit of the interpreter. A cancelled
    ftp request continues in its thread until its deadline.

    The transport can be used by several event loops, one after another or at the same time.

    Args: The same as HTTPTransport.
    Attributes: handshakes_off_loop: Whether TLS handshakes are computed in threads. A site can choose keys that take a
        tenth of a second or more, and usual ones take half a millisecond more.
    """

    handshakes_off_loop: ClassVar[bool] = False

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request for an http, https or ftp URL.

        Raises: InvalidURL: The URL is invalid or has no host.
        Cost: The same as HTTPTransport.send.
        """
        deadlines = Deadlines(request)
        try:
            endpoint = parse_endpoint(request.url, _SCHEMES)
            proxy = self._proxies.find_allowed(endpoint, request)
            if endpoint.scheme == "ftp" and proxy is None:
                return await self._fetch_ftp(request, endpoint, deadlines)
            return await self._exchange(request, plan_connection(request, endpoint, proxy), deadlines)
        except REQUEST_ERRORS as error:
            return request_failure(error, request.url)

    async def close(self) -> None:
        """Do nothing, because no resources are held between requests."""

    async def _fetch_ftp(self, request: TransportRequest, endpoint: Endpoint, deadlines: Deadlines) -> Response:
        thread = start_daemon_thread(
            lambda: _fetch_ftp(request, endpoint, self._resolve, deadlines, self._rules), name="canfetch-ftp"
        )
        try:
            return await wait_in_loop(thread)
        except NoThread as error:
            raise TransportError(FailureKind.LOCAL, str(error)) from None

    async def _exchange(self, request: TransportRequest, plan: ConnectionPlan, deadlines: Deadlines) -> Response:
        with proxy_errors(is_proxied=plan.is_proxied):
            connection = await connect_async(
                plan.host,
                plan.port,
                allow_private=request.allow_private,
                resolve=self._resolve,
                rules=self._rules,
                deadlines=deadlines,
            )
        with closing(connection):
            if plan.tunnel is not None:
                await connection.send(plan.tunnel.request_data)
                while not plan.tunnel.receive(await connection.receive()):
                    pass
            if plan.tls_name is not None:
                await connection.start_tls(self._get_ssl_context(), plan.tls_name, off_loop=self.handshakes_off_loop)
            await connection.send(plan.exchange.request_data)
            while True:
                response = await _receive_in_turns(plan.exchange, await connection.receive())
                if response is not None:
                    return response


async def _receive_in_turns(exchange: HTTPExchange, data: bytes) -> Response | None:
    """Call `exchange.receive`, while other tasks of the event loop get turns, however the data is encoded."""
    exchange.add(data)
    response = None
    # Nearly always, the first step reads all of the data.
    is_first = not exchange.has_many_chunks
    while response is None and exchange.is_behind:
        if exchange.is_slow_to_decode:
            response = await call_off_loop(exchange.advance)
        elif is_first:
            response, is_first = exchange.advance(), False
        else:
            response = await call_in_turn(exchange.advance)
    return response


def _fetch_ftp(
    request: TransportRequest, endpoint: Endpoint, resolve: Resolve, deadlines: Deadlines, rules: FetchRules
) -> Response:
    # Rarely used, and it imports ftplib.
    from canfetch.client.transports.ftp import fetch_ftp  # noqa: PLC0415

    return fetch_ftp(request, endpoint, resolve=resolve, deadlines=deadlines, rules=rules)


def plan_connection(
    request: TransportRequest, endpoint: Endpoint, proxy: Proxy | None, *, content: bytes | None = None
) -> ConnectionPlan:
    """Return the connection for `request`.

    A proxy opens a tunnel for https. It fetches all other URLs itself, also ftp URLs.

    Args: content: The content of a POST request, or None for GET.
    Raises: TransportError: PROTOCOL if a header cannot be sent.
    """
    tls_name = endpoint.tls_name if endpoint.scheme == "https" else None
    if proxy is None:
        direct = HTTPExchange(request, endpoint, content=content)
        return ConnectionPlan(endpoint.host, endpoint.port, None, tls_name, direct)
    login = [] if proxy.authorization is None else [(b"Proxy-Authorization", proxy.authorization.encode("ascii"))]
    if tls_name is not None:
        tunnel = TunnelExchange(endpoint, login)
        tunnelled = HTTPExchange(request, endpoint, content=content)
        return ConnectionPlan(proxy.host, proxy.port, tunnel, tls_name, tunnelled, is_proxied=True)
    exchange = HTTPExchange(request, endpoint, target=endpoint.url, headers=login, is_proxied=True, content=content)
    return ConnectionPlan(proxy.host, proxy.port, None, None, exchange, is_proxied=True)
