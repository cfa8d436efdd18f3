"""An origin on loopback that plays an event of access/answers.toml, such as a redirect or a reset connection.

    with Origin({"status": 503, "body": ""}) as origin:
        origin.url                          # http://127.0.0.1:PORT

Only the standard library is needed.
"""

import contextlib
import socket
import socketserver
import ssl
import struct
from collections.abc import Mapping
from pathlib import Path
from threading import Event as ThreadEvent
from threading import Thread
from types import TracebackType
from typing import Any, Self

# A key and a certificate that signs itself, so that no client trusts it.
UNTRUSTED = Path(__file__).with_name("untrusted.pem")
# An origin that never answers closes the connection after this many seconds, so that a client without a timeout ends.
SILENT_SECONDS = 5.0

_HOST = "127.0.0.1"
_LARGEST_HEAD = 65_536
# These responses have no body: RFC 9110 sections 15.3.5 and 15.4.5.
_WITHOUT_BODY = (204, 304)


class Origin:
    """An origin that responds to requests for robots.txt as an event specifies, and to others with a page.

    Args:
        event: An event as described in access/answers.toml, with a `body`, which is the file.

    Attributes:
        event: The event. Another one applies to the next request, unless one of them is a failure to connect.
    """

    def __init__(self, event: Mapping[str, Any]) -> None:
        self.event = event
        self._stopping = ThreadEvent()
        self._stack = contextlib.ExitStack()
        self._context: ssl.SSLContext | None = None
        self.port = 0
        self.url = ""

    def __enter__(self) -> Self:
        """Start to listen. Connections are refused if the event is `refused`."""
        failure = self.event.get("failure")
        if failure == "refused":
            taken = self._stack.enter_context(socket.socket())
            # A bound port that does not listen refuses connections, and no other process can listen on it.
            taken.bind((_HOST, 0))
            self.port = taken.getsockname()[1]
        else:
            if failure == "bad-tls":
                self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                self._context.load_cert_chain(UNTRUSTED)
            self._other_port = self._listen()
            self.port = self._listen()
        self.url = f"http{'' if self._context is None else 's'}://{_HOST}:{self.port}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop to listen."""
        self._stopping.set()
        self._stack.close()

    def _listen(self) -> int:
        origin = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                # Clients that leave early, or that reject the certificate.
                with contextlib.suppress(OSError):
                    origin._serve(self.request)

        server = self._stack.enter_context(_Server((_HOST, 0), Handler))
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        self._stack.callback(thread.join)
        self._stack.callback(server.shutdown)
        port: int = server.server_address[1]
        return port

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(4 * SILENT_SECONDS)
        if self._context is not None:
            connection = self._context.wrap_socket(connection, server_side=True)
        with connection:
            target = _request_target(connection)
            if target is not None:
                self._respond(connection, target)

    def _respond(self, connection: socket.socket, target: str) -> None:
        event = self.event
        hop = int(target.rpartition("?hop=")[2]) if "?hop=" in target else 0
        if target in ("/open", "/forbidden"):
            _send(connection, 200, b"<!doctype html><title>A page</title>\n", "Content-Type: text/html")
        elif "failure" in event:
            self._fail(connection, event["failure"])
        elif "locations" in event and target == "/robots.txt":
            _redirect(connection, *event["locations"])
        elif "locations" in event and target != event.get("target"):
            # A wrong target does not have the file.
            _send(connection, 500, b"")
        elif event.get("redirect_loop"):
            _redirect(connection, "/robots.txt" if hop else "/robots.txt?hop=1")
        elif hop < event.get("redirects", 0):
            authority = f"http://{_HOST}:{self._other_port}" if event.get("other_authority") else ""
            _redirect(connection, f"{authority}/robots.txt?hop={hop + 1}")
        else:
            body = event["body"].encode() + b"#\n" * (event.get("filler_bytes", 0) // 2)
            headers = [f"{name}: {value}" for name, value in event.get("headers", {}).items()]
            _send(connection, event.get("status", 200), body, "Content-Type: text/plain", *headers)

    def _fail(self, connection: socket.socket, failure: str) -> None:
        body = self.event["body"].encode()
        if failure == "never-answers":
            self._stopping.wait(SILENT_SECONDS)
        elif failure == "short-body":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (len(body) + 100) + body)
        elif failure == "broken-chunks":
            chunk = b"%x\r\n%s\r\n" % (len(body), body)
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + b"what?\r\n")
        elif failure == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            # A client that accepts the untrusted certificate receives the file.
            _send(connection, 200, body, "Content-Type: text/plain")


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    # Handlers end when the origin stops, or when their client does.
    block_on_close = False
    request_queue_size = 100


def _request_target(connection: socket.socket) -> str | None:
    """Read the head of a request, and return the target."""
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _LARGEST_HEAD:
        chunk = connection.recv(_LARGEST_HEAD)
        if not chunk:
            return None
        head += chunk
    words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    return words[1] if len(words) == 3 else None


def _redirect(connection: socket.socket, *locations: str) -> None:
    # A client that takes the body of the redirect for the file would allow everything.
    _send(connection, 302, b"User-agent: *\nAllow: /\n", *(f"Location: {location}" for location in locations))


def _send(connection: socket.socket, status: int, body: bytes, *headers: str) -> None:
    length = [] if status in _WITHOUT_BODY else [f"Content-Length: {len(body)}"]
    head = [f"HTTP/1.1 {status} Status", "Connection: close", *length, *headers]
    connection.sendall("\r\n".join([*head, "", ""]).encode() + (body if length else b""))
