"""A forward proxy on loopback, with CONNECT for https and absolute URLs for http. All names are 127.0.0.1."""

import asyncio
import contextlib
import ssl
from urllib.parse import urlsplit

from tests.servers.threaded import ThreadedServer


class ProxySite(ThreadedServer):
    """A proxy with its own port and thread. `heads` contains the request heads.

    Args:
        refusal: Status and reason with which to refuse all requests.
        raw: Data to send in response to all requests.
        tls: Makes it an `https://` proxy.
    """

    def __init__(
        self, *, refusal: str | None = None, raw: bytes | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        super().__init__(tls=tls)
        self.heads: list[str] = []
        self._raw = raw
        if refusal is not None:
            self._raw = f"HTTP/1.1 {refusal}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head.decode("latin-1"))
        method, target, _ = self.heads[-1].split("\r\n")[0].split(" ")
        if self._raw is not None:
            writer.write(self._raw)
            await writer.drain()
            return
        port = int(target.rpartition(":")[2]) if method == "CONNECT" else urlsplit(target).port
        remote_reader, remote_writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            else:
                path = target.partition("//")[2].partition("/")[2]
                remote_writer.write(head.replace(target.encode(), b"/" + path.encode(), 1))
            await asyncio.wait(
                [
                    asyncio.ensure_future(_copy(reader, remote_writer)),
                    asyncio.ensure_future(_copy(remote_reader, writer)),
                ]
            )
        finally:
            remote_writer.transport.abort()


class NoTLSProxy(ThreadedServer):
    """A proxy that answers a TLS handshake with `data`, and closes the connection."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__()
        self._data = data

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(self._data)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()
