"""Serves the host that started this process, on standard input and output."""

import asyncio
import logging
import sys
import threading
from collections.abc import AsyncIterator
from typing import BinaryIO, Final, cast

from anyio import AsyncFile
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from canfetch.web.mcp.service import Service

LOGGER: Final = logging.getLogger("canfetch.mcp")
# More than the largest arguments take, even if each character is an escape of 6 bytes.
MAX_MESSAGE_BYTES: Final = 4 * 1024 * 1024


def serve_standard_streams(server: Server[Service]) -> None:
    """Serve until the host closes one of the streams.

    Standard output contains only messages. The SDK diverts all other output.
    """
    try:
        asyncio.run(_serve(server))
    except* BrokenPipeError:
        LOGGER.info("the host closed standard output")


async def _serve(server: Server[Service]) -> None:
    lines = cast("AsyncFile[str]", _Lines(sys.stdin.buffer))
    async with stdio_server(stdin=lines) as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


class _Lines:
    """Iterates over the lines of a stream.

    They are read in a daemon thread. The reader of the SDK cannot be interrupted, and keeps the process alive after
    Ctrl-C until the next line. Lines over `MAX_MESSAGE_BYTES` are skipped.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        # One line at a time: a host that sends faster than the server reads has to wait.
        self._next: asyncio.Queue[bytes | None] = asyncio.Queue(1)
        threading.Thread(target=self._read, name="canfetch-mcp-reader", daemon=True).start()

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        line = await self._next.get()
        if line is None:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")

    def _read(self) -> None:
        try:
            while line := self._stream.readline(MAX_MESSAGE_BYTES):
                if len(line) == MAX_MESSAGE_BYTES and not line.endswith(b"\n"):
                    LOGGER.error("a message is over %d bytes, and was skipped", MAX_MESSAGE_BYTES)
                    self._skip_line()
                elif line.strip():
                    self._put(line)
        except (OSError, ValueError) as error:
            LOGGER.error("cannot read standard input: %s", error)  # noqa: TRY400 - not an internal error
        self._put(None)

    def _skip_line(self) -> None:
        while (part := self._stream.readline(MAX_MESSAGE_BYTES)) and not part.endswith(b"\n"):
            pass

    def _put(self, line: bytes | None) -> None:
        try:
            asyncio.run_coroutine_threadsafe(self._next.put(line), self._loop).result()
        except (RuntimeError, asyncio.CancelledError):
            return  # the loop has ended
