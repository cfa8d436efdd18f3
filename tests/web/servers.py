"""A server in a thread, with the connections and limits of `canfetch serve`."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from tests.web.conftest import WORKERS

from canfetch.web.app import create_app
from canfetch.web.server.clients import ClientAddresses
from canfetch.web.server.protocol import CLIENT_CONNECTIONS, CLOSING_SECONDS, BoundedConfig
from canfetch.web.server.running import AcceptingServer
from canfetch.web.settings import Settings


@contextmanager
def running_server(
    settings: Settings | None = None,
    *,
    client_connections: int = CLIENT_CONNECTIONS,
    closing_timeout: float = CLOSING_SECONDS,
    bound: socket.socket | None = None,
    stop_seconds: int = 10,
    **options: Any,
) -> Iterator[int]:
    """Serve, and return the port.

    Args:
        closing_timeout: The time for slow clients when the server stops.
        bound: A socket to which clients may have connected.
        stop_seconds: The time for requests that run when the server stops.
    """
    settings = Settings() if settings is None else settings
    bound = bound or socket.create_server(("127.0.0.1", 0), backlog=2048)
    config = BoundedConfig(
        create_app(settings, **{"workers": WORKERS, **options}),
        header_timeout=settings.header_timeout,
        reading_timeout=settings.idle_timeout,
        min_reading_rate=settings.min_reading_rate,
        max_connections=settings.max_connections,
        client_connections=client_connections,
        closing_timeout=closing_timeout,
        addresses=ClientAddresses(settings.trusted_proxies),
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=stop_seconds,
    )
    server = AcceptingServer(config)
    thread = Thread(target=lambda: asyncio.run(server.serve(sockets=[bound])), name="server", daemon=True)
    thread.start()
    try:
        yield bound.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(300)
        assert not thread.is_alive()
