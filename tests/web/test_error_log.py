"""Servers go on if nothing reads what they log."""

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TextIO

import pytest
from tests.stores.conftest import find_free_port
from tests.web.test_supervisor import wait_for

from canfetch.web.server.error_log import ErrorLogHandler

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be polled there")


@pytest.fixture
def pipe() -> Iterator[tuple[int, TextIO]]:
    """A pipe: its reading end, which does not block, and its writing end."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with os.fdopen(writing, "w", encoding="utf-8") as stream:
        yield reading, stream
    os.close(reading)


def fill(writing: int) -> None:
    os.set_blocking(writing, False)
    for size in (4096, 1):
        with suppress(BlockingIOError):
            while True:
                os.write(writing, b"x" * size)
    os.set_blocking(writing, True)


def read_all(reading: int) -> str:
    parts = []
    with suppress(BlockingIOError):
        while part := os.read(reading, 1 << 16):
            parts.append(part)
    return b"".join(parts).decode().lstrip("x")


def record(message: str) -> logging.LogRecord:
    return logging.LogRecord("canfetch.web", logging.ERROR, __file__, 1, message, None, None)


def test_messages_are_dropped_while_standard_error_is_a_full_pipe(pipe: tuple[int, TextIO]) -> None:
    reading, stream = pipe
    handler = ErrorLogHandler(stream)
    long = "é" * 20_000
    for message in ("first", long):
        handler.emit(record(message))
        assert read_all(reading) == f"{message}\n"
    fill(stream.fileno())
    for _ in range(3):
        handler.emit(record("dropped"))
    assert read_all(reading) == ""
    for message in ("last", "very last"):
        handler.emit(record(message))
    expected = "dropped messages, because standard error was not read: 3\nlast\nvery last\n"
    assert read_all(reading) == expected


def test_a_long_message_is_written_as_far_as_the_pipe_takes_it(pipe: tuple[int, TextIO]) -> None:
    reading, stream = pipe
    handler = ErrorLogHandler(stream)
    handler.emit(record("é" * 200_000))
    assert set(read_all(reading)) == {"é"}
    handler.emit(record("next"))
    assert read_all(reading) == "\ndropped messages, because standard error was not read: 1\nnext\n"


def test_a_closed_stream_raises_nothing(pipe: tuple[int, TextIO], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    _, stream = pipe
    stream.close()
    ErrorLogHandler(stream).emit(record("lost"))


@pytest.mark.service
@pytest.mark.parametrize("arguments", [["serve"], ["serve", "--workers", "2", "-v"], ["mcp", "--http"]])
def test_server_whose_standard_error_is_not_read(arguments: list[str]) -> None:
    port = find_free_port()
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "canfetch", *arguments, "--port", str(port), "--store", "none"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=writing)
    try:
        wait_for(lambda: is_answering(port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 60)
        fill(writing)
        for _ in range(10):
            assert is_answering(port, b"GET / HTTP/9\r\n\r\n")
            assert is_answering(port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        os.close(reading)
        os.close(writing)


def is_answering(port: int, request: bytes) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.sendall(request)
        return connection.recv(8) == b"HTTP/1.1"
    return False


def test_writes_to_closed_connections_are_not_logged() -> None:
    program = (
        "import logging; from canfetch.web.server.process import configure_logging; configure_logging(0);"
        "log = logging.getLogger('asyncio'); log.warning('socket.send() raised exception.'); log.error('a task failed')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    [line] = done.stderr.splitlines()
    assert line.endswith("asyncio ERROR a task failed")
