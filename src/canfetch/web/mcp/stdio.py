"""Serves the host that started this process, on standard input and output.

Messages that are not valid JSON-RPC are answered. Logs quote nothing of a message.
"""

import asyncio
import json
import logging
import os
import re
import signal
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from io import BufferedReader, RawIOBase
from select import select
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, NoReturn, cast

from anyio import (
    AsyncFile,
    BrokenResourceError,
    ClosedResourceError,
    create_memory_object_stream,
    create_task_group,
)
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, JSONRPCError, JSONRPCResponse, RequestId

from canfetch.web.mcp.invalid_messages import answer_to_invalid, error_response, request_ids, valid_id
from canfetch.web.mcp.service import Service

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LOGGER: Final = logging.getLogger("canfetch.mcp")


def serve_standard_streams(server: Server[Service], *, is_stopped: Callable[[], bool]) -> None:
    """Serve until the host closes one of the streams, or SIGTERM stops the process.

    Standard output contains only messages. The SDK diverts all other output.

    Args: is_stopped: Returns whether the process received SIGTERM before this call.
    """
    try:
        asyncio.run(_serve(server, is_stopped))
    except* BrokenPipeError:
        LOGGER.info("the host closed standard output")


async def _serve(server: Server[Service], is_stopped: Callable[[], bool]) -> None:
    if sys.platform == "win32":  # It has no such signal, and cannot wait for a pipe and something else.
        messages = _ValidMessages(sys.stdin.buffer)
    else:
        source = _EndableInput(sys.stdin.fileno())
        messages = _ValidMessages(BufferedReader(source))

        def end() -> None:
            loop.add_signal_handler(signal.SIGTERM, _exit)
            source.end()
            messages.limit_time()

        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, end)
        # As a KeyboardInterrupt, it would be an exception of each request that runs.
        loop.add_signal_handler(signal.SIGINT, _exit, _INTERRUPTED)
        if is_stopped():
            end()
    async with stdio_server(stdin=cast("AsyncFile[str]", messages)) as (read_stream, write_stream):
        messages.set_answer(lambda answer: write_stream.send(SessionMessage(answer)))
        answers, sent = create_memory_object_stream[SessionMessage]()
        async with create_task_group() as group:
            group.start_soon(_forward, sent, write_stream, messages)
            async with answers:
                await server.run(read_stream, answers, server.create_initialization_options())


async def _forward(
    sent: ObjectReceiveStream[SessionMessage], stream: ObjectSendStream[SessionMessage], messages: "_ValidMessages"
) -> None:
    """Write the messages of the server, and note which requests are answered."""
    try:
        async with sent, stream:
            async for message in sent:
                await stream.send(message)
                if isinstance(message.message, JSONRPCResponse | JSONRPCError):
                    messages.note_answer(message.message.id)
    except BrokenResourceError:
        pass  # the host has closed standard output: the task that writes to it raises BrokenPipeError
    finally:
        messages.note_end_of_answers()


def _exit(code: int = 0) -> NoReturn:
    """End the process, also if a thread waits for a host that does not read standard output."""
    os._exit(code)


class _EndableInput(RawIOBase):
    """A file, pipe or terminal that ends after what can be read when `end` is called."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._ended, self._end = os.pipe()
        self._deadline: float | None = None

    def end(self) -> None:
        """End the input, also if a thread waits for it."""
        if self._deadline is None:
            # A host that writes on and on is not read for longer.
            self._deadline = monotonic() + _MAX_DRAIN_SECONDS
            os.write(self._end, b"e")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer)
        # What can be read is read before the end.
        ready, _, _ = select([self._descriptor, self._ended], [], [])
        if self._descriptor not in ready or (self._deadline is not None and monotonic() > self._deadline):
            return 0
        data = os.read(self._descriptor, len(view))
        view[: len(data)] = data
        return len(data)


class _ValidMessages:
    """Iterates over the valid messages of a stream, one a line. Invalid messages are answered.

    They are read in a daemon thread. The reader of the SDK cannot be interrupted, and keeps the process alive after
    Ctrl-C until the next line. Of lines over `MAX_MESSAGE_BYTES`, only both ends are kept.

    The server cancels the requests that run when the messages end, so they end when these are answered.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        # The SDK starts to read before it returns the stream for answers.
        self._answer: asyncio.Future[Callable[[JSONRPCError], Awaitable[None]]] = self._loop.create_future()
        # One line at a time: a host that sends faster than the server reads has to wait.
        self._next: asyncio.Queue[bytes | OversizedMessage | None] = asyncio.Queue(1)
        self._deadline: float | None = None
        # How many requests with an ID are not answered yet. Some hosts use an ID again before its answer.
        self._running: Counter[RequestId] = Counter()
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        threading.Thread(target=self._read, name="canfetch-mcp-reader", daemon=True).start()

    def set_answer(self, answer: Callable[[JSONRPCError], Awaitable[None]]) -> None:
        """Set how invalid messages are answered."""
        self._answer.set_result(answer)

    def limit_time(self) -> None:
        """Limit the time until the last requests are answered and the answers are read, from now on."""
        if self._deadline is None:
            self._deadline = monotonic() + _MAX_DRAIN_SECONDS
            self._loop.call_later(_MAX_DRAIN_SECONDS + _WRITING_SECONDS, _exit)

    def note_answer(self, request_id: RequestId | None) -> None:
        """Note that a request was answered, or is not answered because it was cancelled."""
        if request_id is not None:
            request_id = coerce_request_id(request_id)
            self._running[request_id] -= 1
            if self._running[request_id] <= 0:
                del self._running[request_id]
        if not self._running:
            self._is_idle.set()

    def note_end_of_answers(self) -> None:
        """Note that no further request will be answered."""
        self._running.clear()
        self._is_idle.set()

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        while (line := await self._next.get()) is not None:
            if isinstance(line, OversizedMessage):
                answer = line.answer()
            else:
                text = line.decode("utf-8", "replace")
                invalid = answer_to_invalid(text)
                if invalid is None:
                    self._note_request(text)
                    return text
                answer = invalid
            LOGGER.info("rejected a message: %s", answer.error.message)
            try:
                await (await self._answer)(answer)
            except (BrokenResourceError, ClosedResourceError):
                break  # the host has closed standard output
        self.limit_time()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._is_idle.wait(), (self._deadline or 0.0) - monotonic())
        raise StopAsyncIteration

    def _note_request(self, text: str) -> None:
        request_id, cancelled = request_ids(text)
        if request_id is not None:
            self._running[coerce_request_id(request_id)] += 1
            self._is_idle.clear()
        if cancelled is not None:
            self.note_answer(cancelled)

    def _read(self) -> None:
        with suppress(CancelledError, RuntimeError):  # the loop has ended
            try:
                while line := self._stream.readline(MAX_MESSAGE_BYTES):
                    if len(line) == MAX_MESSAGE_BYTES and not line.endswith(b"\n"):
                        self._put(OversizedMessage(line[:END_BYTES], self._skip_line(line[-END_BYTES:])))
                    elif line.strip():
                        self._put(line)
            except (OSError, ValueError) as error:
                LOGGER.error("cannot read standard input: %s", error)  # noqa: TRY400 - not an internal error
            self._put(None)

    def _skip_line(self, end: bytes) -> bytes:
        """Read the rest of a line, and return its end."""
        while part := self._stream.readline(MAX_MESSAGE_BYTES):
            end = (end + part[-END_BYTES:])[-END_BYTES:]
            if part.endswith(b"\n"):
                break
        return end

    def _put(self, line: "bytes | OversizedMessage | None") -> None:
        putting = self._next.put(line)
        try:
            asyncio.run_coroutine_threadsafe(putting, self._loop).result()
        except RuntimeError:
            putting.close()
            raise


# How long the requests that run when the host closes the stream, or at SIGTERM, may take.
_MAX_DRAIN_SECONDS: Final = 60.0
# After that, how long the host may take to read the last answers.
_WRITING_SECONDS: Final = 1.0
# The exit code of a process that Ctrl-C ended.
_INTERRUPTED: Final = 130
# More than the largest arguments take, even if each character is an escape of 6 bytes.
MAX_MESSAGE_BYTES: Final = 4 * 1024 * 1024
# The part of an oversized message at each end in which its ID is searched.
END_BYTES: Final = 1024
_ID: Final = rb'"id"\s*:\s*(-?[0-9]{1,18}|"[^"\\]*")\s*'
# Clients write the ID before the parameters, or as one of the last members. In valid JSON, neither of these patterns
# can match inside a string or a nested object.
_FIRST_ID: Final = re.compile(rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*' + _ID + rb",")
_LAST_ID: Final = re.compile(rb",\s*" + _ID + rb'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


class OversizedMessage(NamedTuple):
    """Both ends of a message over `MAX_MESSAGE_BYTES`, whose middle was skipped."""

    start: bytes
    end: bytes

    def answer(self) -> JSONRPCError:
        """Return the response."""
        found = _FIRST_ID.match(self.start) or _LAST_ID.search(self.end)
        try:
            request_id = None if found is None else valid_id(json.loads(found[1]))
        except ValueError:
            request_id = None
        return error_response(INVALID_REQUEST, f"the message is larger than {MAX_MESSAGE_BYTES >> 20} MiB", request_id)
