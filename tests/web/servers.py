"""A server in a thread, with the connections and limits of `canfetch serve`."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from tests.web.conftest import WORKERS
from uvicorn.server import Server

from canfetch.web.app import create_app
from canfetch.web.server.clients import ClientAddresses
from canfetch.web.server.protocol import CLIENT_CONNECTIONS, BoundedConfig
from canfetch.web.settings import Settings


@contextmanager
def running_server(
    settings: Settings | None = None, *, client_connections: int = CLIENT_CONNECTIONS, **options: Any
) -> Iterator[int]:
    """Serve, and return the port."""
    settings = Settings() if settings is None else settings
    bound = socket.create_server(("127.0.0.1", 0), backlog=2048)
    config = BoundedConfig(
        create_app(settings, **{"workers": WORKERS, **options}),
        header_timeout=settings.header_timeout,
        max_connections=settings.max_connections,
        client_connections=client_connections,
        addresses=ClientAddresses(settings.trusted_proxies),
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=10,
    )
    server = Server(config)
    thread = Thread(target=lambda: asyncio.run(server.serve(sockets=[bound])), name="server", daemon=True)
    thread.start()
    try:
        yield bound.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(300)
        assert not thread.is_alive()
