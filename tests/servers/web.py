"""A web server on loopback whose behaviour is selected by path, by host name, or by script.

    with Site() as site:
        site.url("short-body")                      # select a behaviour by path
        site.robots_url("short-body")               # select it by the host name, for /robots.txt
        site.serve("/robots.txt", rules, gone)      # select by script; the last behaviour is repeated
        site.requests                               # all requests so far

Selection by host name needs a transport with `resolve=resolve_all_to(site.host)`.
"""

import asyncio
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from threading import Lock
from typing import NamedTuple

from tests.servers.threaded import ThreadedServer

_TLS_HANDSHAKE = b"\x16"
# The hosts are named `BEHAVIOUR.site.test`, because a wildcard certificate for `*.test` is not allowed.
DOMAIN = "site.test"


class ReceivedRequest(NamedTuple):
    """A request as received, with header names in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]

    @property
    def host(self) -> str:
        return self.headers.get("host", "")


class Exchange:
    """One request and its response. `argument` is the part after the behaviour's name."""

    def __init__(
        self,
        site: "Site",
        request: ReceivedRequest,
        argument: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.site = site
        self.request = request
        self.argument = argument
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        """Send `data` as fast as the client reads it. Raise ConnectionResetError if the client is gone."""
        # A closing connection accepts data without waiting, so let the event loop run first.
        await asyncio.sleep(0)
        if self._writer.is_closing():
            raise ConnectionResetError
        self._writer.write(data)
        self.site.sent_bytes += len(data)
        await self._writer.drain()

    async def read_body(self) -> bytes:
        """Return the body of the request, whose length is declared."""
        return await self._reader.readexactly(int(self.request.headers["content-length"]))

    async def respond(self, status: int, body: bytes = b"", *fields: str, reason: str = "OK") -> None:
        """Send a complete and valid response."""
        head = [f"HTTP/1.1 {status} {reason}", f"Content-Length: {len(body)}", "Connection: close", *fields]
        await self.send("\r\n".join([*head, "", ""]).encode("utf-8") + body)

    async def wait_closed(self) -> None:
        """Wait until the client closes the connection."""
        while await self._reader.read(65_536):
            pass

    def reset(self) -> None:
        """Reset the connection. Data that the client has not read yet may be lost."""
        connection: socket.socket = self._writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def cut(self) -> None:
        """Close the connection, over TLS without a closing alert."""
        self._writer.transport.abort()

    def sibling_url(self, label: str) -> str:
        """Return the URL of another behaviour, selected in the same way as this one."""
        if self.request.target == "/robots.txt":
            return self.site.robots_url(label)
        return self.site.url(label)


Behaviour = Callable[[Exchange], Awaitable[None]]


def resolve_all_to(*addresses: str) -> Callable[[str], Sequence[str]]:
    """Return a resolver that returns these addresses for every name."""
    return lambda _name: addresses


class Site(ThreadedServer):
    """A server with its own port and thread.

    Args:
        host: The loopback address to listen on.
        tls: TLS context, or None for plain HTTP.
        behaviours: Behaviours by name. The default is `behaviours.BEHAVIOURS`.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        tls: ssl.SSLContext | None = None,
        behaviours: Mapping[str, Behaviour] | None = None,
    ) -> None:
        super().__init__(host=host, tls=tls)
        if behaviours is None:
            from tests.servers.behaviours import BEHAVIOURS

            behaviours = BEHAVIOURS
        self.scheme = "http" if tls is None else "https"
        self.requests: list[ReceivedRequest] = []
        self.sent_bytes = 0
        self._behaviours: Mapping[str, Behaviour] = behaviours
        self._scripts: dict[str, list[Behaviour]] = {}
        self._lock = Lock()

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.netloc}"

    def url(self, label: str) -> str:
        """Return the URL of a behaviour selected by path."""
        return f"{self.origin}/{label}"

    def robots_url(self, label: str) -> str:
        """Return the robots.txt URL of a behaviour selected by host name."""
        return f"{self.scheme}://{label}.{DOMAIN}:{self.port}/robots.txt"

    def serve(self, target: str, *script: Behaviour) -> None:
        """Respond to requests for `target` with these behaviours in turn. The last one is repeated."""
        with self._lock:
            self._scripts[target] = list(script)

    def count(self, target: str) -> int:
        """Return the number of requests for `target`."""
        return sum(request.target == target for request in list(self.requests))

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first_byte = await reader.readexactly(1)
        if first_byte == _TLS_HANDSHAKE:
            writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nthis is a plain HTTP port\n")
            return
        head = (first_byte + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request_line, *fields = head.split("\r\n")[:-2]
        method, target, _version = request_line.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        request = ReceivedRequest(method, target, headers)
        self.requests.append(request)
        behaviour, argument = self._select(request)
        await behaviour(Exchange(self, request, argument, reader, writer))

    def _select(self, request: ReceivedRequest) -> tuple[Behaviour, str]:
        with self._lock:
            script = self._scripts.get(request.target)
            if script:
                return (script.pop(0) if len(script) > 1 else script[0]), ""
        for label in (request.target.lstrip("/").partition("?")[0], request.host.partition(".")[0]):
            if label in self._behaviours:
                return self._behaviours[label], ""
            name, _, argument = label.rpartition("-")
            if name in self._behaviours:
                return self._behaviours[name], argument
        return _missing, ""


async def _missing(exchange: Exchange) -> None:
    await exchange.respond(404, b"no such behaviour", reason="Not Found")
