"""Servers of asyncio in a thread of their own; whatever they hold ends with them."""

import asyncio
import contextlib
import ssl
from collections.abc import Awaitable, Callable
from threading import Event, Thread
from types import TracebackType
from typing import Self

_BACKLOG = 4_096
_STOP_SECONDS = 10.0
_TLS_SECONDS = 0.2
# Connections that are on their way in arrive some turns of the loop after nobody listens any more.
_LAST_TURNS = 10
_TURN_SECONDS = 0.002

Converse = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Listening:
    """A server that runs inside a `with`; `port` is its first one's.

    A problem in a conversation is raised when the `with` is left.
    """

    def __init__(self, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self.host = host
        self.port = 0
        self._tls = tls
        self._problems: list[BaseException] = []
        self._servers: list[asyncio.Server] = []
        self._tasks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._started = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._run()), name=type(self).__name__, daemon=True)

    @property
    def netloc(self) -> str:
        """Host and port, as a URL has them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

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
        if self._problems and error is None:
            raise self._problems[0]

    async def open(self) -> None:
        """Begin to listen, by `listen`; the first port is the server's."""
        self.port = await self.listen(self.converse)

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        raise NotImplementedError

    async def listen(self, converse: Converse) -> int:
        """Listen at a port of the system's choice, and give it."""
        server = await asyncio.start_server(
            lambda reader, writer: self._begin(converse, reader, writer),
            self.host,
            0,
            backlog=_BACKLOG,
            ssl=self._tls,
            ssl_shutdown_timeout=None if self._tls is None else _TLS_SECONDS,
        )
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def stopped(self) -> None:
        """Wait for the end of the server."""
        await self._stopping.wait()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        # A client that breaks a handshake or a connection is what is being tested, and no news.
        self._loop.set_exception_handler(lambda _loop, _context: None)
        self._stopping = asyncio.Event()
        await self.open()
        self._started.set()
        await self._stopping.wait()
        # Who connected and left at once is let in first: a server that is closed drops what it has just accepted.
        for _ in range(_LAST_TURNS):
            await asyncio.sleep(0)
        for server in self._servers:
            server.close()
        for _ in range(_LAST_TURNS):
            # Whoever went away in the middle of a handshake is still to be noticed.
            await asyncio.sleep(0 if self._tls is None else _TURN_SECONDS)
            for task, writer in list(self._tasks.items()):
                # A task that is cancelled before its first step never gets to close what it was given.
                writer.transport.abort()
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, converse: Converse, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._handle(converse, reader, writer))
        self._tasks[task] = writer
        task.add_done_callback(self._tasks.pop)

    async def _handle(self, converse: Converse, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ConnectionError, TimeoutError, ssl.SSLError, asyncio.IncompleteReadError):
                await converse(reader, writer)
                writer.close()
                async with asyncio.timeout(1):
                    await writer.wait_closed()
        except asyncio.CancelledError:
            # The server stops.
            return
        except Exception as problem:  # noqa: BLE001 - a test learns of it when it leaves the `with`
            self._problems.append(problem)
        finally:
            writer.transport.abort()
