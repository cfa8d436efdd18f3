"""Transports on the standard library: HTTP/1.1 and FTP over its sockets and TLS. They need no extra."""

import asyncio
import ssl
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Final

from canfetch.access.responses import Failure, Response
from canfetch.client.forking import reset_on_fork
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.connections import Connection, connect
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.dns import Resolve, system_resolve
from canfetch.client.transports.endpoints import Endpoint, parse_endpoint
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.headers import encode_request_headers
from canfetch.client.transports.http1 import ByteReader, iter_body, read_head
from canfetch.client.transports.response_builder import ResponseBuilder

_SCHEMES: Final = ("http", "https", "ftp")
_MAX_THREADS: Final = 64


class StdlibTransport:
    """Send requests over the standard library's sockets, with a new connection for each request.

    It can be shared between threads.

    Args:
        ssl_context: TLS settings. By default, certificates are verified with the system's authorities.
        resolve: Function that returns the addresses of a name. The default is the system's resolver.
    """

    def __init__(self, *, ssl_context: ssl.SSLContext | None = None, resolve: Resolve = system_resolve) -> None:
        self._ssl_context = ssl_context
        self._resolve = resolve
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Create a new lock after a fork, because the thread that holds the old one does not exist in the child."""
        self._lock = Lock()

    def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request for an http, https or ftp URL.

        Raises: InvalidURL: The URL is invalid or has no host.
        Cost: One connection, at most `timeout` seconds, and memory for twice the size limit and a few hundred KiB.
        """
        deadlines = Deadlines(request)
        try:
            endpoint = parse_endpoint(request.url, _SCHEMES)
            if endpoint.scheme == "ftp":
                # Rarely used, and it imports ftplib.
                from canfetch.client.transports.ftp import fetch_ftp  # noqa: PLC0415

                return fetch_ftp(request, endpoint, resolve=self._resolve, deadlines=deadlines)
            return self._exchange(request, endpoint, deadlines)
        except TransportError as error:
            return error.to_failure(request.url)

    def close(self) -> None:
        """Do nothing, because no resources are held between requests."""

    def _exchange(self, request: TransportRequest, endpoint: Endpoint, deadlines: Deadlines) -> Response:
        encoded = _encode_request(request, endpoint)
        with connect(
            endpoint.host,
            endpoint.port,
            allow_private=request.allow_private,
            resolve=self._resolve,
            deadlines=deadlines,
        ) as connection:
            if endpoint.scheme == "https":
                connection.start_tls(self._get_ssl_context(), endpoint.tls_name)
            connection.send(encoded)
            return _read_response(request, connection)

    def _get_ssl_context(self) -> ssl.SSLContext:
        # Loading the authorities takes tens of milliseconds, so it is done once, and only for https.
        with self._lock:
            if self._ssl_context is None:
                self._ssl_context = ssl.create_default_context()
            return self._ssl_context


class AsyncStdlibTransport:
    """Send requests over the standard library's sockets, in up to 64 threads.

    Further requests wait for a free thread. The thread of a cancelled task keeps working until its deadline. The
    transports for aiohttp and httpx2 have neither limitation, which matters with thousands of origins at a time.

    Args: The same as StdlibTransport.
    """

    def __init__(self, *, ssl_context: ssl.SSLContext | None = None, resolve: Resolve = system_resolve) -> None:
        self._transport = StdlibTransport(ssl_context=ssl_context, resolve=resolve)
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Create a new thread pool after a fork, because threads do not survive it."""
        self._threads = ThreadPoolExecutor(_MAX_THREADS, thread_name_prefix="canfetch-transport")

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request for an http, https or ftp URL. Its deadlines start when a thread is free.

        Raises: InvalidURL: The URL is invalid or has no host.
        """
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._transport.send, request)

    async def close(self) -> None:
        """Shut down the thread pool without waiting. Requests under way end by their deadlines."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._transport.close()


def _encode_request(request: TransportRequest, endpoint: Endpoint) -> bytes:
    headers = [*encode_request_headers(endpoint, request.headers), (b"Connection", b"close")]
    head = b"".join(b"%b: %b\r\n" % header for header in headers)
    return b"GET %b HTTP/1.1\r\n%b\r\n" % (endpoint.target.encode("ascii"), head)


def _read_response(request: TransportRequest, connection: Connection) -> Response:
    reader = ByteReader(connection.receive)
    head = read_head(reader)
    return ResponseBuilder(request, head.status, head.headers).read(iter_body(reader, head))
