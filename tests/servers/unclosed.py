"""A TLS server that does not answer the closing handshake."""

import contextlib
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import Future
from threading import Thread

_SECONDS = 60.0
_RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nAllow: /\n"


@contextlib.contextmanager
def unclosed_tls_port(context: ssl.SSLContext) -> Iterator[tuple[int, Future[bool]]]:
    """Yield a port of 127.0.0.1, and a future: whether the client closed its connection within a minute."""
    closed: Future[bool] = Future()

    def serve(listening: socket.socket) -> None:
        try:
            accepted, _ = listening.accept()
            with context.wrap_socket(accepted, server_side=True) as connection:
                connection.settimeout(_SECONDS)
                connection.recv(65_536)
                connection.sendall(_RESPONSE)
                with contextlib.suppress(OSError):
                    connection.recv(1)
                with socket.socket(fileno=connection.detach()) as plain:
                    closed.set_result(_ends(plain))
        except Exception as error:  # noqa: BLE001 - raised where the result is used
            closed.set_exception(error)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        yield listening.getsockname()[1], closed
        thread.join(2 * _SECONDS)


def _ends(connection: socket.socket) -> bool:
    connection.settimeout(_SECONDS)
    try:
        while connection.recv(65_536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True
