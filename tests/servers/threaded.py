"""The base class of asyncio servers that run in a thread of their own."""

import asyncio
import contextlib
import ssl
from collections.abc import Awaitable, Callable
from threading import Event, Thread
from types import TracebackType
from typing import Self

_BACKLOG = 4_096
_STOP_SECONDS = 120.0
_TLS_SECONDS = 0.2
# A client on a loaded machine reads the end of a response late. The end of the server does not wait for it.
_CLOSE_SECONDS = 120.0
# The event loop needs some iterations to accept connections that were made before the server was closed.
_FINAL_ITERATIONS = 10
_ITERATION_SECONDS = 0.002

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class ThreadedServer:
    """A server that runs during a `with` block. `max_connections` is the largest number of simultaneous connections.

    An exception while handling a connection is raised at the end of the block.
    """

    def __init__(self, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self.host = host
        self.port = 0
        self.max_connections = 0
        self._tls = tls
        self._errors: list[BaseException] = []
        self._servers: list[asyncio.Server] = []
        self._tasks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._started = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._run()), name=type(self).__name__, daemon=True)

    @property
    def netloc(self) -> str:
        """Host and port as in a URL."""
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
        if self._errors and error is None:
            raise self._errors[0]

    async def open(self) -> None:
        """Start to listen. `port` is set to the port."""
        self.port = await self.listen(self.handle)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Handle one connection."""
        raise NotImplementedError

    async def listen(self, handler: Handler) -> int:
        """Listen on a free port and return it."""
        server = await asyncio.start_server(
            lambda reader, writer: self._start_task(handler, reader, writer),
            self.host,
            0,
            backlog=_BACKLOG,
            ssl=self._tls,
            ssl_shutdown_timeout=None if self._tls is None else _TLS_SECONDS,
        )
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def wait_overlap(self) -> None:
        """Wait until there have been several connections at the same time."""
        await self._overlap.wait()

    async def wait_stopped(self) -> None:
        """Wait until the server is stopped."""
        await self._stopping.wait()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        # Do not log broken handshakes and connections, because the tests cause them.
        self._loop.set_exception_handler(lambda _loop, _context: None)
        self._stopping = asyncio.Event()
        self._overlap = asyncio.Event()
        await self.open()
        self._started.set()
        await self._stopping.wait()
        # Accept pending connections first, because a closed server drops them.
        for _ in range(_FINAL_ITERATIONS):
            await asyncio.sleep(0)
        for server in self._servers:
            server.close()
        for _ in range(_FINAL_ITERATIONS):
            # Clients that left during a handshake have not been noticed yet.
            await asyncio.sleep(0 if self._tls is None else _ITERATION_SECONDS)
            for task, writer in list(self._tasks.items()):
                # A task that is cancelled before its first step cannot close its writer.
                writer.transport.abort()
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start_task(self, handler: Handler, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._run_handler(handler, reader, writer))
        self._tasks[task] = writer
        self.max_connections = max(self.max_connections, len(self._tasks))
        if self.max_connections > 1:
            self._overlap.set()
        task.add_done_callback(self._tasks.pop)

    async def _run_handler(self, handler: Handler, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ConnectionError, TimeoutError, ssl.SSLError, asyncio.IncompleteReadError):
                await handler(reader, writer)
                writer.close()
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await writer.wait_closed()
        except asyncio.CancelledError:
            # The server is being stopped.
            return
        except Exception as error:  # noqa: BLE001 - raised at the end of the `with` block
            self._errors.append(error)
        finally:
            writer.transport.abort()
