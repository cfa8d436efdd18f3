"""A web server on loopback that behaves as it is told: by path, by host name, or by script.

    with Site() as site:
        site.url("short-body")                      # a behaviour by path
        site.robots_url("short-body")               # the same at /robots.txt, by the first label of the host
        site.serve("/robots.txt", rules, gone)      # by script: the last one stays
        site.asked                                  # every request so far

A host name needs a transport that resolves names by `everywhere_is(site.host)`.
"""

import asyncio
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from threading import Lock
from typing import NamedTuple

from tests.servers.listening import Listening

_TLS_HANDSHAKE = b"\x16"
# Every host of it has its behaviour's name; a certificate may not stand for all of `test`.
DOMAIN = "site.test"


class Asked(NamedTuple):
    """A request, as it came; names of fields in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]

    @property
    def host(self) -> str:
        return self.headers.get("host", "")


class Exchange:
    """One request and what is done about it; `argument` is what follows the behaviour's name."""

    def __init__(
        self, site: "Site", asked: Asked, argument: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.site = site
        self.asked = asked
        self.argument = argument
        self._reader = reader
        self._writer = writer

    async def send(self, octets: bytes) -> None:
        """Send, as fast as the other side takes it; ConnectionResetError when it is gone."""
        # A connection that is closing takes octets without a word and without a pause: the loop must get its turn.
        await asyncio.sleep(0)
        if self._writer.is_closing():
            raise ConnectionResetError
        self._writer.write(octets)
        self.site.sent_octets += len(octets)
        await self._writer.drain()

    async def answer(self, status: int, body: bytes = b"", *fields: str, reason: str = "OK") -> None:
        """Send a whole and proper answer."""
        head = [f"HTTP/1.1 {status} {reason}", f"Content-Length: {len(body)}", "Connection: close", *fields]
        await self.send("\r\n".join([*head, "", ""]).encode("utf-8") + body)

    async def until_gone(self) -> None:
        """Do nothing until the other side goes away."""
        while await self._reader.read(65_536):
            pass

    def reset(self) -> None:
        """Break the connection; what was sent may be lost on the way, what was read by the other side is not."""
        connection: socket.socket = self._writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def cut(self) -> None:
        """End the connection; over TLS without the alert that says that it ends."""
        self._writer.transport.abort()

    def neighbour(self, label: str) -> str:
        """Give the URL of another behaviour, chosen in the way that this one was."""
        if self.asked.target == "/robots.txt":
            return self.site.robots_url(label)
        return self.site.url(label)


Behaviour = Callable[[Exchange], Awaitable[None]]


def everywhere_is(*addresses: str) -> Callable[[str], Sequence[str]]:
    """Resolve every name to these addresses."""
    return lambda _name: addresses


class Site(Listening):
    """One server with its own port and thread.

    Args:
        host: the loopback address to listen at.
        tls: speaks TLS with that context.
        behaviours: by name; those of `behaviours.BEHAVIOURS` by default.
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
        self.asked: list[Asked] = []
        self.sent_octets = 0
        self._behaviours: Mapping[str, Behaviour] = behaviours
        self._scripts: dict[str, list[Behaviour]] = {}
        self._lock = Lock()

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.netloc}"

    def url(self, label: str) -> str:
        """Give the URL of a behaviour, chosen by path."""
        return f"{self.origin}/{label}"

    def robots_url(self, label: str) -> str:
        """Give the robots.txt of a host that has that behaviour."""
        return f"{self.scheme}://{label}.{DOMAIN}:{self.port}/robots.txt"

    def serve(self, target: str, *script: Behaviour) -> None:
        """Answer a target with these behaviours in turn; the last one stays."""
        with self._lock:
            self._scripts[target] = list(script)

    def count(self, target: str) -> int:
        """Count the requests for a target."""
        return sum(asked.target == target for asked in list(self.asked))

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begun = await reader.readexactly(1)
        if begun == _TLS_HANDSHAKE:
            writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nplain HTTP is spoken here\n")
            return
        head = (begun + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request_line, *fields = head.split("\r\n")[:-2]
        method, target, _version = request_line.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        asked = Asked(method, target, headers)
        self.asked.append(asked)
        behaviour, argument = self._chosen(asked)
        await behaviour(Exchange(self, asked, argument, reader, writer))

    def _chosen(self, asked: Asked) -> tuple[Behaviour, str]:
        with self._lock:
            script = self._scripts.get(asked.target)
            if script:
                return (script.pop(0) if len(script) > 1 else script[0]), ""
        for label in (asked.target.lstrip("/").partition("?")[0], asked.host.partition(".")[0]):
            if label in self._behaviours:
                return self._behaviours[label], ""
            name, _, argument = label.rpartition("-")
            if name in self._behaviours:
                return self._behaviours[name], argument
        return _missing, ""


async def _missing(exchange: Exchange) -> None:
    await exchange.answer(404, b"no such behaviour", reason="Not Found")
