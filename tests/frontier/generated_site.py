"""Web sites with many generated pages, each on a port of its own, and a log of all requests."""

import asyncio
import threading
import time
from types import TracebackType
from typing import NamedTuple, Self

ROBOTS = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 0.002\n"
CRAWL_DELAY = 0.002


class LoggedRequest(NamedTuple):
    """A request, when it was received, and the number of its connection."""

    at: float
    port: int
    target: str
    connection: int


class _Connection(asyncio.Protocol):
    def __init__(self, sites: "GeneratedSites") -> None:
        self._sites = sites
        self._number = sites.count_connection()
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._sites.transports.add(transport)
        self._port: int = transport.get_extra_info("sockname")[1]

    def connection_lost(self, _error: Exception | None) -> None:
        self._sites.transports.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, _, self._received = self._received.partition(b"\r\n\r\n")
            target = head.split(b" ", 2)[1].decode("ascii")
            status, kind, body = self._sites.respond(LoggedRequest(time.monotonic(), self._port, target, self._number))
            self._transport.write(
                b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (status, kind, len(body), body)
            )


class GeneratedSites:
    """A server for several sites, in a thread.

    Page n of a site links to the pages 3n + 1 to 3n + 3 and to a disallowed page, and the first pages link to the other
    sites. Each site has `pages` pages.

    Args:
        sites: The number of sites.
        pages: The number of pages of each site.
        alarm_after: The number of requests after which `alarm` is set.
    """

    def __init__(self, *, sites: int, pages: int, alarm_after: int) -> None:
        self.pages = pages
        self.log: list[LoggedRequest] = []
        self.alarm = threading.Event()
        self.ports: list[int] = []
        self.connections = 0
        self.transports: set[asyncio.Transport] = set()
        self._sites = sites
        self._alarm_after = alarm_after
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    def count_connection(self) -> int:
        """Return the number of a new connection."""
        self.connections += 1
        return self.connections

    def respond(self, request: LoggedRequest) -> tuple[bytes, bytes, bytes]:
        """Log a request, and return the status, the type and the body of the response."""
        self.log.append(request)
        if len(self.log) == self._alarm_after:
            self.alarm.set()
        if request.target == "/robots.txt":
            return b"200 OK", b"text/plain", ROBOTS
        number = int(request.target.rpartition("/")[2] or 0)
        links = [f"/page/{link}" for link in range(3 * number + 1, 3 * number + 4) if link < self.pages]
        links += [f"/private/{number}", f"/page/{number}#top", "mailto:fish@example.com"]
        if number < 3:
            links += [f"http://127.0.0.1:{port}/page/0" for port in self.ports]
        return b"200 OK", b"text/html", "".join(f'<a href="{link}">link</a>' for link in links).encode()

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        servers = [
            await self._loop.create_server(lambda: _Connection(self), "127.0.0.1", 0) for _ in range(self._sites)
        ]
        self.ports = [server.sockets[0].getsockname()[1] for server in servers]
        self._started.set()
        await self._stop.wait()
        for server in servers:
            server.close()
        # The clients have gone, but the event loop may not have noticed that yet.
        while self.transports:
            for transport in self.transports:
                transport.abort()
            await asyncio.sleep(0)
