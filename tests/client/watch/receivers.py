"""A receiver of webhooks on the loopback interface."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple


class Received(NamedTuple):
    """A message as it arrived, with header names in lower case."""

    headers: dict[str, str]
    body: bytes


class Receiver(ThreadingHTTPServer):
    """Answers with the statuses of a script, of which the last is repeated, and keeps the messages."""

    def __init__(self, *statuses: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.statuses = list(statuses or (204,))
        self.received: list[Received] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver  # type: ignore[mutable-override]  # the base class declares its own

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.received.append(Received({name.lower(): value for name, value in self.headers.items()}, body))
        statuses = self.server.statuses
        self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of http.server
        """Write no log."""


@contextmanager
def receiver(*statuses: int) -> Iterator[Receiver]:
    """Run a receiver."""
    with Receiver(*statuses) as running:
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()
