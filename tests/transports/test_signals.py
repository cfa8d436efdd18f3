"""Exceptions of the caller's signal handlers are not answers of a site."""

import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from tests.transports.harness import make_request

from canfetch.access.responses import FailureKind
from canfetch.client.transports import addresses
from canfetch.client.transports.addresses import filter_addresses
from canfetch.client.transports.connections import ConnectedSocket, Connection, connect_socket
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.tls import create_ssl_context

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no timers that send signals")
CALLS: dict[str, Callable[[Connection], object]] = {
    "receive": lambda connection: connection.receive(),
    "send": lambda connection: connection.send(b"x" * (1 << 24)),
    "start_tls": lambda connection: connection.start_tls(create_ssl_context(), "example.com"),
}
ERRORS = [TimeoutError, ConnectionError, OSError, ValueError]


@contextmanager
def watchdog(error: BaseException) -> Iterator[None]:
    """Raise an exception in a signal handler, soon."""

    def expire(*_: object) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def connected(seconds: float) -> Iterator[Connection]:
    """Return a connection to a server that neither reads nor answers."""
    own, other = socket.socketpair()
    with own, other:
        request = make_request("https://example.com/robots.txt", timeout=seconds, connect_timeout=seconds)
        yield Connection(ConnectedSocket(own, "192.0.2.1"), Deadlines(request))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ERRORS)
def test_exception_of_a_signal_handler_reaches_the_caller(kind: type[BaseException], call: str) -> None:
    error = kind("the time of the job is over")
    with connected(30.0) as connection, watchdog(error), pytest.raises(kind) as raised:
        CALLS[call](connection)
    assert raised.value is error


@pytest.mark.parametrize("call", CALLS)
def test_timeout_of_a_connection_is_an_answer(call: str) -> None:
    with connected(0.1) as connection, pytest.raises(TransportError) as raised:
        CALLS[call](connection)
    assert raised.value.kind is FailureKind.TIMEOUT


@contextmanager
def interrupted(target: object, name: str, error: BaseException) -> Iterator[None]:
    """Raise an exception from the first call of a function, as a signal handler would."""
    with pytest.MonkeyPatch.context() as patch:

        def interrupt(*_: object, **__: object) -> None:
            patch.undo()
            raise error

        patch.setattr(target, name, interrupt)
        yield


@pytest.mark.parametrize("call", ["getaddrinfo", "socket"])
@pytest.mark.parametrize("kind", ERRORS)
def test_exception_of_a_signal_handler_during_a_connection_attempt(kind: type[BaseException], call: str) -> None:
    error = kind("the time of the job is over")
    with interrupted(socket, call, error), pytest.raises(kind) as raised:
        connect_socket(["127.0.0.1"], 9, lambda: 5.0)
    assert raised.value is error


@pytest.mark.parametrize("kind", [*ERRORS, TypeError])
def test_exception_of_a_signal_handler_while_addresses_are_checked(kind: type[BaseException]) -> None:
    error = kind("the time of the job is over")
    with interrupted(addresses, "is_public", error), pytest.raises(kind) as raised:
        filter_addresses("example.com", ["93.184.215.14"], allow_private=False)
    assert raised.value is error


def test_invalid_addresses_of_a_resolver_are_an_answer() -> None:
    with pytest.raises(TransportError) as raised:
        filter_addresses("example.com", ["93.184.215.14", "not-an-address"], allow_private=False)
    assert raised.value.kind is FailureKind.DNS
