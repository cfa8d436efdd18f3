"""A receiver of webhooks on the loopback interface."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from threading import Event, Thread
from typing import NamedTuple

NO_CONTENT = b"HTTP/1.1 204 No Content\r\n\r\n"


class Received(NamedTuple):
    """A message as it arrived, with header names in lower case."""

    headers: dict[str, str]
    body: bytes
    target: str


class Receiver(ThreadingHTTPServer):
    """Answers with the statuses of a script, of which the last is repeated, and keeps the messages.

    Attributes:
        answer: Writes the response instead.
        ended: Set at the end of the test.
    """

    # More than are sent at the same time: connections past it wait for seconds.
    request_queue_size = 128

    def __init__(self, *statuses: int, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scheme = "http"
        if tls is not None:
            self.scheme = "https"
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.statuses = list(statuses or (204,))
        self.received: list[Received] = []
        self.answer: Callable[[BufferedIOBase], None] | None = None
        self.ended = Event()

    def drip(self, head: bytes) -> Callable[[BufferedIOBase], None]:
        """Return an answer that starts with `head` and goes on, one byte at a time, until the end of the test."""

        def answer(stream: BufferedIOBase) -> None:
            stream.write(head)
            # The client may be gone.
            with suppress(OSError):
                while not self.ended.wait(0.02):
                    stream.write(b"x")

        return answer

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}/hook"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver  # type: ignore[mutable-override]  # the base class declares its own

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.received.append(Received(headers, body, self.path))
        if self.server.answer is not None:
            self.close_connection = True
            self.server.answer(self.wfile)
            return
        statuses = self.server.statuses
        self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of http.server
        """Write no log."""


@contextmanager
def receiver(*statuses: int, tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a receiver."""
    with Receiver(*statuses, tls=tls) as running:
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield running
        finally:
            running.ended.set()
            running.shutdown()
            thread.join()
