"""Requests with libraries that cannot limit the whole time: each runs in a thread, which can be abandoned."""

import sys
from concurrent.futures import wait
from contextvars import copy_context
from threading import get_ident
from traceback import walk_stack
from typing import Final, Protocol

from canfetch.access.responses import FailureKind, Response
from canfetch.client.transports.daemon_threads import start_daemon_thread
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.local_errors import NoThread
from canfetch.client.transports.proxies import unreachable_proxy

# How long to wait for the end of a thread whose request timed out.
_ENDING_SECONDS: Final = 0.25
# Where urllib and urllib3 look up a name and connect, and where urllib3 makes the TLS handshake with a proxy.
_CONNECTING: Final = ("create_connection", "_connect_tls_proxy")


class Exchange(Protocol):
    """One request, and its deadlines."""

    deadlines: Deadlines

    def run(self) -> Response:
        """Send the request and read the response.

        Raises: TransportError.
        """

    def shut_down(self) -> None:
        """Shut the connection down, so that the thread that reads from it ends."""


def exchange_in_thread(exchange: Exchange, *, name: str) -> Response:
    """Run a request in a thread of its own, and wait for its response until the deadline.

    Args: name: The name of the thread.
    Raises: TransportError.
    """
    # Hooks may read context variables, such as the current span of a trace.
    context = copy_context()
    thread = 0

    def run() -> Response:
        nonlocal thread
        thread = get_ident()
        return context.run(exchange.run)

    future = start_daemon_thread(run, name=name)
    try:
        response = future.result(exchange.deadlines.timeout())
        return response._replace(pool_seconds=exchange.deadlines.pool_seconds)
    except TimeoutError:
        stack = walk_stack(sys._current_frames().get(thread))  # noqa: SLF001 - documented
        is_connecting = any(frame.f_code.co_name in _CONNECTING for frame, _ in stack)
        exchange.shut_down()
        # The library's own timeouts end the thread at about the same time. If the caller closed the session before, the
        # thread could read from a new connection whose socket has the same number.
        wait([future], _ENDING_SECONDS)
        error = future.exception() if future.done() else None
        if isinstance(error, TransportError) and error.kind is FailureKind.LOCAL:
            raise error from None
        if is_connecting and exchange.deadlines.goes_to_proxy:
            raise unreachable_proxy("timed out") from None
        raise exchange.deadlines.read_timed_out() from None
    except NoThread as error:
        raise TransportError(FailureKind.LOCAL, str(error)) from None
