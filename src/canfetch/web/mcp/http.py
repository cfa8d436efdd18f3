"""Serves hosts over streamable HTTP. Each request is answered by itself: the server keeps no sessions."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from canfetch.web.mcp.http_guard import MAX_BODY_BYTES, SEPARATORS, HTTPGuard
from canfetch.web.mcp.server import create_server
from canfetch.web.mcp.service import MAX_REQUESTS, Service
from canfetch.web.server.clients import ClientAddresses
from canfetch.web.server.credentials import check_exposure, check_token
from canfetch.web.server.file_limit import allowed_connections
from canfetch.web.server.listening import address_of, bind, check_host_names, is_loopback
from canfetch.web.server.protocol import BoundedConfig
from canfetch.web.server.running import run_until_stopped
from canfetch.web.settings import PUBLIC_REQUESTS, UNLIMITED, check_proxies

DEFAULT_PORT: Final = 8421
PATH: Final = "/mcp"
_HEADER_SECONDS: Final = 10.0
_READING_SECONDS: Final = 30.0
_MAX_CONNECTIONS: Final = 1024
# Each of them can have a request at the same time, which takes three or four milliseconds of the event loop in the SDK.
_CLIENT_CONNECTIONS: Final = 64
_DRAIN_SECONDS: Final = 10
# The SDK parses a body on the event loop, more than once, and each value costs time and memory. A call has a dozen.
MAX_JSON_VALUES: Final = 600
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


class HTTPSettings(NamedTuple):
    """Where and to whom the server answers.

    Attributes:
        host: The address or name to listen on.
        port: The port. 0 chooses a free one.
        token: The bearer token that requests must have, or None.
        allow_public: Whether to listen beyond loopback without a token.
        host_names: The host names under which the server is reached, such as that of a proxy.
        trusted_proxies: Addresses and networks of proxies whose X-Forwarded-For header names the client.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str | None = None
    allow_public: bool = False
    host_names: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether strangers may use the server. Then the rates of each client are limited."""
        return self.token is None and (not is_loopback(self.host) or bool(self.trusted_proxies))

    def check(self) -> None:
        """Check that the server is not open to strangers by mistake.

        Raises: InvalidOption: The token is invalid, or missing beyond loopback; a proxy or a host name is invalid.
        """
        check_proxies(self.trusted_proxies)
        check_host_names(self.host_names)
        if self.token is not None:
            check_token(self.token)
        check_exposure(self.host, token=self.token, allow_public=self.allow_public)


def serve_http(service: Service, settings: HTTPSettings, *, announce: Callable[[str], None]) -> None:
    """Serve until SIGTERM or Ctrl-C. Requests that are running are completed.

    Args: announce: Called with the URL before the first request is accepted.
    Raises: InvalidOption: The settings are invalid, the address cannot be used, or the limit of open files is too low.
    """
    settings.check()
    config = server_config(service, settings, allowed_connections(_MAX_CONNECTIONS, fetches=MAX_REQUESTS))
    # uvicorn raises it again after the requests are completed.
    with suppress(KeyboardInterrupt), bind(settings.host, settings.port, is_fixed=True) as bound:
        run_until_stopped(config, bound, lambda: announce(f"{address_of(bound)}{PATH}"))


def server_config(service: Service, settings: HTTPSettings, connections: int = _MAX_CONNECTIONS) -> BoundedConfig:
    """Return the configuration of the server, with the number of connections."""
    return BoundedConfig(
        create_app(service, settings),
        header_timeout=_HEADER_SECONDS,
        reading_timeout=_READING_SECONDS,
        max_connections=connections,
        client_connections=min(_CLIENT_CONNECTIONS, connections // 2),
        addresses=ClientAddresses(settings.trusted_proxies),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )


def create_app(service: Service, settings: HTTPSettings) -> ASGIApp:
    """Return the ASGI application."""

    async def is_simple(body: bytes) -> bool:
        return await service.read(count_values, body, size=len(body)) <= MAX_JSON_VALUES

    app = create_server(service).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        max_request_body_size=MAX_BODY_BYTES,
        # The guard checks hosts and origins, with and without ports.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return HTTPGuard(
        app,
        listens_on=settings.host,
        token=settings.token,
        host_names=settings.host_names,
        is_simple=is_simple,
        addresses=ClientAddresses(settings.trusted_proxies),
        limit=PUBLIC_REQUESTS if settings.is_open else UNLIMITED,
    )


def count_values(text: bytes) -> int:
    """Return about how many values a JSON text has.

    Cost: O(bytes).
    """
    outside = _STRING.sub(b"", text)
    return sum(map(outside.count, SEPARATORS))
