"""A forward proxy on loopback: CONNECT for https, absolute URLs for http; every name is 127.0.0.1."""

import asyncio
import contextlib
from threading import Event, Thread
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

_STOP_SECONDS = 10.0


class ProxySite:
    """One proxy with its own port and thread. Args: refusing: says 403 to everything."""

    def __init__(self, *, refusing: bool = False) -> None:
        self.port = 0
        self.heads: list[str] = []
        self._refusing = refusing
        self._tasks: set[asyncio.Task[None]] = set()
        self._started = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._run()), name="proxy-site", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(_STOP_SECONDS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(_STOP_SECONDS)
        assert not self._thread.is_alive()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        server = await asyncio.start_server(self._handle, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        await self._stopping.wait()
        server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._converse(reader, writer)
        except asyncio.CancelledError:
            return
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head.decode("latin-1"))
        method, target, _ = self.heads[-1].split("\r\n")[0].split(" ")
        if self._refusing:
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
            return
        port = int(target.rpartition(":")[2]) if method == "CONNECT" else urlsplit(target).port
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            else:
                path = target.partition("//")[2].partition("/")[2]
                far_writer.write(head.replace(target.encode(), b"/" + path.encode(), 1))
            await asyncio.wait(
                [asyncio.ensure_future(_pass(reader, far_writer)), asyncio.ensure_future(_pass(far_reader, writer))]
            )
        finally:
            far_writer.transport.abort()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while octets := await reader.read(65_536):
            writer.write(octets)
            await writer.drain()
        writer.close()
