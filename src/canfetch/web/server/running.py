"""Running a server in a process: it accepts few connections at a time, and stops at a signal."""

import asyncio
import logging
import signal
import socket
from collections.abc import Callable
from math import inf
from typing import Any, Final, cast

from uvicorn.server import Server

from canfetch.web.server.protocol import BoundedConfig

BACKLOG: Final = 2048
# With this message asyncio reports each connection that it cannot accept. It then pauses for a second.
_NO_FILES: Final = "socket.accept() out of system resource"
_BURST_SECONDS: Final = 0.5
_LOG_SECONDS: Final = 60.0
LOGGER: Final = logging.getLogger("canfetch.web")


class AcceptingServer(Server):
    """A server with a bounded configuration.

    asyncio accepts as many connections in an iteration of the event loop as the backlog has places. So the
    configuration has few of them, and the system many.
    """

    def __init__(self, config: BoundedConfig) -> None:
        super().__init__(config)
        self._failed_at = self._logged_at = -inf

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections."""
        asyncio.get_running_loop().set_exception_handler(self._handle_error)
        await super().startup(sockets)
        for bound in sockets or ():
            bound.listen(BACKLOG)

    def _handle_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if context.get("message") != _NO_FILES:
            loop.default_exception_handler(context)
            return
        now = loop.time()
        if now - self._failed_at < _BURST_SECONDS:
            return
        self._failed_at = now
        # New connections take the places of those that wait longest for a request.
        cast("BoundedConfig", self.config).drop_waiting()
        if now - self._logged_at >= _LOG_SECONDS:
            self._logged_at = now
            LOGGER.warning("cannot accept connections for a second: %s", context.get("exception"))


def run_until_stopped(config: BoundedConfig, bound: socket.socket, on_start: Callable[[], None]) -> None:
    """Serve until SIGTERM or Ctrl-C. Requests that are running are completed.

    Args:
        config: The configuration, with the time for the last requests.
        bound: A bound socket.
        on_start: Called before the first request is accepted.
    Raises: KeyboardInterrupt.
    """
    server = AcceptingServer(config)
    interrupts: list[int] = []

    def stop(number: int, _: object) -> None:
        server.should_exit = True
        if number == signal.SIGINT:
            interrupts.append(number)

    # Until uvicorn handles the signals itself. It raises them again after the requests are completed.
    handlers = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        bound.listen(BACKLOG)
        on_start()
        server.run(sockets=[bound])
    finally:
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
    if interrupts:
        raise KeyboardInterrupt
