"""The transport that is always there: the standard library's sockets and TLS, HTTP/1.1, and FTP beside it."""

import asyncio
import ssl
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Final

from canfetch.access.responses import Failure, Response
from canfetch.client.forking import reset_on_fork
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.answering import Answer
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failing import Failed
from canfetch.client.transports.http1 import Incoming, body_pieces, read_head
from canfetch.client.transports.names import Resolve, system_addresses
from canfetch.client.transports.places import Place, place_of, wire_headers
from canfetch.client.transports.wires import Wire, connect

_SCHEMES: Final = ("http", "https", "ftp")
_MOST_THREADS: Final = 64


class StandardTransport:
    """Asks over a connection of its own each time; safe to share between threads.

    Args:
        ssl_context: what certificates must satisfy; by default the system's authorities, verified.
        resolve: gives the addresses of a name; by default the system's resolver.
    """

    def __init__(self, *, ssl_context: ssl.SSLContext | None = None, resolve: Resolve = system_addresses) -> None:
        self._ssl_context = ssl_context
        self._resolve = resolve
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Take a new lock in a process that was forked: who has the old one is not there."""
        self._lock = Lock()

    def send(self, request: TransportRequest) -> Response | Failure:
        """Ask for one URL of http, https or ftp.

        Raises: InvalidURL: the URL has no host, or is none.
        Cost: one connection; memory of twice the limit and a few hundred KiB; no longer than `timeout`.
        """
        deadlines = Deadlines(request)
        try:
            place = place_of(request.url, _SCHEMES)
            if place.scheme == "ftp":
                # Few need it, and it imports ftplib.
                from canfetch.client.transports.ftp import send_ftp  # noqa: PLC0415

                return send_ftp(request, place, resolve=self._resolve, deadlines=deadlines)
            return self._exchange(request, place, deadlines)
        except Failed as failed:
            return failed.at(request.url)

    def close(self) -> None:
        """Nothing is held between requests."""

    def _exchange(self, request: TransportRequest, place: Place, deadlines: Deadlines) -> Response:
        head = _request_octets(request, place)
        with connect(
            place.host,
            place.port,
            allow_private=request.allow_private,
            resolve=self._resolve,
            deadlines=deadlines,
        ) as wire:
            if place.scheme == "https":
                wire.start_tls(self._context(), place.tls_name)
            wire.send(head)
            return _response(request, wire)

    def _context(self) -> ssl.SSLContext:
        # Loading the authorities costs tens of milliseconds: once, and only where TLS is spoken.
        with self._lock:
            if self._ssl_context is None:
                self._ssl_context = ssl.create_default_context()
            return self._ssl_context


class StandardAsyncTransport:
    """The same, in threads of its own: 64 requests wait at once, and further ones for them.

    A task that is cancelled leaves its thread to its deadline. For thousands of origins at once, the transports
    of aiohttp and httpx2 have no such bound.

    Args: as of StandardTransport.
    """

    def __init__(self, *, ssl_context: ssl.SSLContext | None = None, resolve: Resolve = system_addresses) -> None:
        self._transport = StandardTransport(ssl_context=ssl_context, resolve=resolve)
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Take new threads in a process that was forked: the old ones are not there."""
        self._threads = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="canfetch-transport")

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Ask for one URL of http, https or ftp; the deadlines run from when a thread is free.

        Raises: InvalidURL: the URL has no host, or is none.
        """
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._transport.send, request)

    async def close(self) -> None:
        """Give the threads back; those at work end by their deadlines."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._transport.close()


def _request_octets(request: TransportRequest, place: Place) -> bytes:
    fields = [*wire_headers(place, request.headers), (b"Connection", b"close")]
    head = b"".join(b"%b: %b\r\n" % field for field in fields)
    return b"GET %b HTTP/1.1\r\n%b\r\n" % (place.target.encode("ascii"), head)


def _response(request: TransportRequest, wire: Wire) -> Response:
    incoming = Incoming(wire.receive)
    head = read_head(incoming)
    return Answer(request, head.status, head.headers).read(body_pieces(incoming, head))
