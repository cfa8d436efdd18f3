"""The server process: its socket, its workers, and its end."""

import os
import socket
import tempfile
from collections.abc import Callable
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from uvicorn.server import Server
from uvicorn.supervisors import Multiprocess

from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.web.app import create_app
from canfetch.web.server.metrics import SHARED_FOLDER_VARIABLE
from canfetch.web.server.protocol import BoundedConfig
from canfetch.web.server.tracing import tracer_provider
from canfetch.web.settings import Settings

if TYPE_CHECKING:
    from canfetch.web.server.guard import Guard

_BACKLOG: Final = 2048
# Longer than the longest request.
_SHUTDOWN_MARGIN: Final = 5
_KEEP_ALIVE: Final = 15
_LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def bind(host: str, port: int, *, is_fixed: bool) -> socket.socket:
    """Return a socket that is bound to an address.

    Args: is_fixed: Whether another port must not be used if this one is taken.
    Raises: InvalidOption: The address cannot be used.
    """
    try:
        family, _, _, _, _ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError as error:
        raise InvalidOption(f"invalid host {quoted(host)}: {error.strerror}") from None
    reason: str | None = None
    for candidate in (port,) if is_fixed else (port, 0):
        bound = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((host, candidate))
        except OSError as error:
            bound.close()
            reason = error.strerror
            continue
        bound.setblocking(False)
        bound.set_inheritable(True)
        return bound
    raise InvalidOption(f"cannot listen on {host}, port {port}: {reason}")


def address_of(bound: socket.socket) -> str:
    """Return the address of a socket as a URL."""
    host, port = bound.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def local_names(port: int) -> tuple[str, ...]:
    """Return the values of the Host header that a server on a loopback address answers for."""
    return tuple(f"{name}:{port}" for name in _LOOPBACK_NAMES)


def make_app(settings: Settings) -> "Guard":
    """Return the application of a worker process. Traces are sent if the environment configures that."""
    return create_app(settings, tracer_provider=tracer_provider(os.environ))


def serve(settings: Settings, bound: socket.socket, on_start: Callable[[], None]) -> None:
    """Serve until SIGTERM or Ctrl-C. Requests that are running are completed.

    Args:
        settings: The settings.
        bound: A bound socket.
        on_start: Called before the first request is accepted.
    Raises: MissingExtra: Traces are configured, and OpenTelemetry is not installed.
    """
    _raise_file_limit()
    if settings.workers > 1:
        with tempfile.TemporaryDirectory(prefix="canfetch-metrics-") as folder:
            os.environ.setdefault(SHARED_FOLDER_VARIABLE, folder)
            config = _config(settings)
            bound.listen(_BACKLOG)
            on_start()
            Multiprocess(config, sockets=[bound]).run()
        return
    server = Server(_config(settings))
    bound.listen(_BACKLOG)
    on_start()
    try:
        server.run(sockets=[bound])
    except KeyboardInterrupt:
        # uvicorn raises it again after the requests are completed.
        return


def _config(settings: Settings) -> BoundedConfig:
    return BoundedConfig(
        partial(make_app, settings),
        header_timeout=settings.header_timeout,
        max_connections=settings.max_connections,
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
        backlog=_BACKLOG,
    )


def _raise_file_limit() -> None:
    """Allow as many connections as the system does."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):
            return
