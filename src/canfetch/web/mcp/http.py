"""Serves hosts over streamable HTTP. Each request is answered by itself: the server keeps no sessions."""

import asyncio
import socket
from collections.abc import Callable
from typing import Final, NamedTuple

import uvicorn
from mcp.server.lowlevel.server import Server
from mcp.server.transport_security import TransportSecuritySettings

from canfetch.errors import InvalidOption
from canfetch.web.mcp.http_guard import MAX_BODY_BYTES, App, HTTPGuard, check_token, is_loopback
from canfetch.web.mcp.service import Service

PATH: Final = "/mcp"
_MAX_CONNECTIONS: Final = 512
_DRAIN_SECONDS: Final = 10


class HTTPSettings(NamedTuple):
    """Where and to whom the server answers.

    Attributes:
        host: The address or name to listen on.
        port: The port. 0 chooses a free one.
        token: The bearer token that requests must have, or None.
        open_to_all: Whether to listen beyond loopback without a token.
        host_names: The host names under which the server is reached, such as that of a proxy.
    """

    host: str = "127.0.0.1"
    port: int = 8421
    token: str | None = None
    open_to_all: bool = False
    host_names: tuple[str, ...] = ()


def serve_http(server: Server[Service], settings: HTTPSettings, *, announce: Callable[[str], None]) -> None:
    """Serve until the process receives SIGINT or SIGTERM. Requests in progress are then answered.

    Args: announce: Called with the URL once connections are accepted.
    Raises: InvalidOption: The token is invalid, or missing beyond loopback; OSError: The address cannot be used.
    """
    app = create_app(server, settings)
    config = uvicorn.Config(
        app,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )
    with _listen(settings.host, settings.port) as listener:
        address, port = listener.getsockname()[:2]
        announce(f"http://{f'[{address}]' if ':' in address else address}:{port}{PATH}")
        asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


def check_settings(settings: HTTPSettings) -> None:
    """Check that the server is not open to strangers by mistake.

    Raises: InvalidOption: The token is invalid, or missing beyond loopback.
    """
    if settings.token is not None:
        check_token(settings.token)
    elif not is_loopback(settings.host) and not settings.open_to_all:
        raise InvalidOption(
            f"listening on {settings.host} without a token would let everyone use this server: pass --token, or "
            "--open-to-all"
        )


def create_app(server: Server[Service], settings: HTTPSettings) -> App:
    """Return the ASGI application.

    Raises: InvalidOption: The token is invalid, or missing beyond loopback.
    """
    check_settings(settings)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        max_request_body_size=MAX_BODY_BYTES,
        # The guard checks hosts and origins, with and without ports.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return HTTPGuard(app, listens_on=settings.host, token=settings.token, host_names=settings.host_names)


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener
