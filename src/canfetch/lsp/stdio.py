"""Serves one editor on standard input and output, until it exits or closes the streams.

Source: Language Server Protocol 3.17, "Base Protocol".
"""

import asyncio
import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from canfetch.lsp.features import create_server
from canfetch.lsp.server import LOGGER, RobotsServer

_VERSION: Final = "2.0"
# Of pygls, which uses these values of notifications as keys of dictionaries without a check.
_IDENTIFIERS: Final = {types.CANCEL_REQUEST: "id", types.WINDOW_WORK_DONE_PROGRESS_CANCEL: "token"}
_LEVELS: Final = (logging.WARNING, logging.INFO, logging.DEBUG)


def serve_standard_streams(verbose: int = 0) -> int:
    """Serve the editor that started this process, and return the exit code.

    Standard output contains only messages. Everything else is written to standard error.

    Args: verbose: 0 logs warnings, 1 information, and 2 all messages.
    Returns: 0 if the editor requested the shutdown before it exited, and 1 otherwise.
    """
    logging.basicConfig(
        stream=sys.stderr, level=_LEVELS[min(verbose, 2)], format="canfetch: %(levelname)s: %(name)s: %(message)s"
    )
    # pygls logs each message that it sends as information, and requests that it cannot handle with a traceback.
    logging.getLogger("pygls").setLevel(logging.DEBUG if verbose > 1 else logging.CRITICAL)
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    # A stray `print` would corrupt the messages.
    sys.stdout = sys.stderr
    return serve(stdin, stdout)


def serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Serve an editor on two streams, and return the exit code."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(_serve(stdin, stdout))
    finally:
        loop.close()


async def _serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: LOGGER.error("internal error: %s", context.get("message")))
    bodies: asyncio.Queue[bytes | None] = asyncio.Queue()

    def put(body: bytes | None) -> None:
        try:
            loop.call_soon_threadsafe(bodies.put_nowait, body)
        except RuntimeError:
            return  # the loop is closed

    def read() -> None:
        try:
            for body in read_messages(stdin):
                put(body)
        except (OSError, ValueError) as error:
            LOGGER.error("cannot read standard input: %s", error)
        put(None)

    server = create_server()
    server.protocol.set_writer(MessageWriter(stdout, on_close=lambda: put(None)))
    # A daemon thread: reading cannot be interrupted.
    threading.Thread(target=read, name="canfetch-lsp-reader", daemon=True).start()
    dispatcher = _Dispatcher(server)
    while not dispatcher.has_exited and (body := await bodies.get()) is not None:
        dispatcher.handle(body)
    tasks = asyncio.all_tasks(loop) - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    # An analysis that runs in a thread is abandoned.
    await asyncio.gather(*tasks, return_exceptions=True)
    return 0 if server.is_shut_down else 1


class _Dispatcher:
    """Checks messages, and passes valid ones to the server."""

    def __init__(self, server: RobotsServer) -> None:
        self._server = server
        self._protocol = server.protocol
        self._is_initialized = False
        self.has_exited = False

    def handle(self, body: bytes) -> None:
        """Handle a message. An invalid one is answered with an error. An empty one was too long."""
        if not body:
            self._reply_error(None, types.ErrorCodes.InvalidRequest, f"a message is over {MAX_MESSAGE_BYTES} bytes")
            return
        try:
            # Some editors send the bytes of a file as they are, even if they are not valid UTF-8.
            message: Any = json.loads(body.decode("utf-8", "surrogateescape"))
        except (ValueError, RecursionError) as error:
            LOGGER.error("invalid message: %s", error)
            self._reply_error(None, types.ErrorCodes.ParseError, f"invalid JSON: {error}")
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != _VERSION:
            self._reply_error(None, types.ErrorCodes.InvalidRequest, "expected an object with 'jsonrpc': '2.0'")
            return
        method, identifier = message.get("method"), message.get("id")
        if "id" in message and not isinstance(identifier, int | str):
            self._reply_error(None, types.ErrorCodes.InvalidRequest, "expected an id that is a number or a string")
        elif method is None and "id" in message:
            self._pass_on(message, None)
        elif not isinstance(method, str):
            self._reply_error(identifier, types.ErrorCodes.InvalidRequest, "expected a method")
        else:
            self._handle_method(message, method, identifier)

    def _handle_method(self, message: dict[str, Any], method: str, identifier: int | str | None) -> None:
        if method == types.EXIT:
            self.has_exited = True
        elif self._protocol.get_message_type(method) is None:
            # Notifications that start with `$/` are optional.
            LOGGER.debug("unknown method %s", method)
            self._reply_error(identifier, types.ErrorCodes.MethodNotFound, f"unknown method '{method}'")
        elif self._server.is_shut_down:
            self._reply_error(identifier, types.ErrorCodes.InvalidRequest, "the server is shut down")
        elif method == types.INITIALIZE and self._is_initialized:
            self._reply_error(identifier, types.ErrorCodes.InvalidRequest, "the server is already initialized")
        elif method != types.INITIALIZE and not self._is_initialized:
            self._reply_error(identifier, types.ErrorCodes.ServerNotInitialized, "the server is not initialized")
        elif self._pass_on(message, identifier) and method == types.INITIALIZE:
            self._is_initialized = True

    def _pass_on(self, message: dict[str, Any], identifier: int | str | None) -> bool:
        """Pass a message to the server, and return whether it is valid."""
        name = _IDENTIFIERS.get(message.get("method", ""))
        params = message.get("params")
        if name is not None and isinstance(params, dict) and not isinstance(params.get(name), int | str):
            problem = f"expected {name} to be a number or a string"
            LOGGER.error("invalid message %s: %s", message["method"], problem)
            self._reply_error(identifier, types.ErrorCodes.InvalidParams, f"invalid message: {problem}")
            return False
        try:
            structured = self._protocol.structure_message(message)
        except JsonRpcException as error:
            LOGGER.error("invalid message %s: %s", message.get("method"), error.__cause__ or error)
            self._reply_error(
                identifier, types.ErrorCodes.InvalidParams, f"invalid message: {error.__cause__ or error}"
            )
            return False
        try:
            self._protocol.handle_message(structured)
        except Exception as error:  # noqa: BLE001 - an error in one message must not end the server
            self._server.report_server_error(error, JsonRpcException)
        return True

    def _reply_error(self, identifier: int | str | None, code: types.ErrorCodes, text: str) -> None:
        """Answer a request. A notification has no answer."""
        if identifier is not None or code in (types.ErrorCodes.ParseError, types.ErrorCodes.InvalidRequest):
            error = types.ResponseError(code.value, text)
            self._server.send_error(identifier, error)


# The largest message that is read. Editors send a whole document at most.
MAX_MESSAGE_BYTES: Final = 128 << 20
_MAX_HEADER_BYTES: Final = 8192
_MAX_LENGTH_DIGITS: Final = 18
_CHUNK_BYTES: Final = 1 << 20


def read_messages(stream: BinaryIO, max_bytes: int = MAX_MESSAGE_BYTES) -> Iterator[bytes]:
    """Yield the body of each message until the stream ends. That of a message that is too long is empty.

    Lines before a valid `Content-Length` header are skipped.
    """
    while (length := _read_header(stream)) is not None:
        if length > max_bytes:
            if not _skip(stream, length):
                return
            yield b""
            continue
        body = stream.read(length)
        if len(body) < length:
            return
        yield body


def _read_header(stream: BinaryIO) -> int | None:
    """Return the length of the next message, or None at the end of the stream."""
    length: int | None = None
    while line := stream.readline(_MAX_HEADER_BYTES):
        name, colon, value = line.partition(b":")
        if not line.strip():
            if length is not None:
                return length
        elif colon and name.strip().lower() == b"content-length":
            digits = value.strip()
            length = int(digits) if digits.isdigit() and len(digits) <= _MAX_LENGTH_DIGITS else None
    return None


def _skip(stream: BinaryIO, length: int) -> bool:
    while length:
        chunk = stream.read(min(length, _CHUNK_BYTES))
        if not chunk:
            return False
        length -= len(chunk)
    return True


class MessageWriter:
    """Writes messages to a stream. If the stream is closed, they are dropped.

    Args:
        stream: The stream.
        on_close: Called when a message cannot be written, because the editor has gone.
    """

    def __init__(self, stream: BinaryIO, on_close: Callable[[], None]) -> None:
        self._stream = stream
        self._on_close = on_close

    def write(self, data: bytes) -> None:
        """Write a message."""
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError):
            self._on_close()

    def close(self) -> None:
        """Do nothing: the stream belongs to the process."""
