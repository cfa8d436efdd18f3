"""Runs a server in this process until a signal stops it."""

import signal
import socket
from collections.abc import Callable

from canfetch.web.server.accepting import BACKLOG, AcceptingServer
from canfetch.web.server.protocol import BoundedConfig


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
