"""The server process: its workers, and its end."""

import logging
import os
import socket
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from canfetch.web.app import create_app
from canfetch.web.server.clients import ClientAddresses
from canfetch.web.server.error_log import ErrorLogHandler
from canfetch.web.server.file_limit import allowed_connections
from canfetch.web.server.metrics import SHARED_FOLDER_VARIABLE
from canfetch.web.server.protocol import BoundedConfig
from canfetch.web.server.running import BACKLOG, run_until_stopped
from canfetch.web.server.supervisor import Supervisor
from canfetch.web.server.tracing import tracer_provider
from canfetch.web.settings import Settings

if TYPE_CHECKING:
    from canfetch.web.server.guard import Guard

# Longer than the longest request.
_SHUTDOWN_MARGIN: Final = 5
_KEEP_ALIVE: Final = 15
# Workers that do not answer for this long are replaced. A loaded machine takes seconds to start one.
_WORKER_START_SECONDS: Final = 60


def configure_logging(verbose: int) -> None:
    """Log to standard error.

    Args: verbose: 0 warnings, 1 each request, 2 and more each fetch, too.
    """
    level = {0: logging.WARNING, 1: logging.INFO}.get(verbose, logging.DEBUG)
    handler = ErrorLogHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    for name in ("canfetch", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
    # Of other libraries.
    logging.lastResort = handler
    # asyncio warns of each write to a connection that its client has closed.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    # Decisions are about what users ask.
    logging.getLogger("canfetch.decisions").setLevel(logging.WARNING)


def make_app(settings: Settings, verbose: int) -> "Guard":
    """Return the application of a worker process. Traces are sent if the environment configures that."""
    configure_logging(verbose)
    return create_app(settings, tracer_provider=tracer_provider(os.environ), starts_workers=True)


def serve(settings: Settings, bound: socket.socket, on_start: Callable[[], None], *, verbose: int = 0) -> None:
    """Serve until SIGTERM or Ctrl-C. Requests that are running are completed.

    Args:
        settings: The settings.
        bound: A bound socket.
        on_start: Called before the first request is accepted.
        verbose: What is logged.
    Raises: InvalidOption: The limit of open files is too low; MissingExtra: Traces are configured, and OpenTelemetry is
        not installed; KeyboardInterrupt; SystemExit: No worker process can start.
    """
    with bound:
        connections = allowed_connections(settings.max_connections, fetches=settings.max_fetches)
        _serve(replace(settings, max_connections=connections), bound, on_start, verbose)


def _serve(settings: Settings, bound: socket.socket, on_start: Callable[[], None], verbose: int) -> None:
    if settings.workers > 1:
        with tempfile.TemporaryDirectory(prefix="canfetch-metrics-") as folder:
            os.environ.setdefault(SHARED_FOLDER_VARIABLE, folder)
            config = _config(settings, verbose)
            # The messages of the supervisor.
            configure_logging(verbose)
            # From here on, signals are queued and do not raise.
            supervisor = Supervisor(config, [bound])
            bound.listen(BACKLOG)
            on_start()
            supervisor.run()
        if supervisor.is_interrupted:
            raise KeyboardInterrupt
        if supervisor.has_failed:
            raise SystemExit(1)
        return
    run_until_stopped(_config(settings, verbose), bound, on_start)


def _config(settings: Settings, verbose: int) -> BoundedConfig:
    return BoundedConfig(
        partial(make_app, settings, verbose),
        header_timeout=settings.header_timeout,
        reading_timeout=settings.idle_timeout,
        min_reading_rate=settings.min_reading_rate,
        max_connections=settings.max_connections,
        addresses=ClientAddresses(settings.trusted_proxies),
        factory=True,
        workers=settings.workers,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=int(settings.timeout) + _SHUTDOWN_MARGIN,
        timeout_worker_healthcheck=_WORKER_START_SECONDS,
    )
