"""An HTTP/2 server on loopback over TLS. The path of a request selects its behaviour."""

import asyncio
import contextlib
import gzip
import ssl
from collections.abc import Callable, Coroutine
from typing import Any

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
from tests.servers.threaded import ThreadedServer
from tests.servers.valid import RULES

_CHUNK_BYTES = 16_384

Headers = list[tuple[str, str]]


class Stream:
    """One HTTP/2 request and its response."""

    def __init__(self, connection: h2.connection.H2Connection, number: int, writer: asyncio.StreamWriter) -> None:
        self.connection = connection
        self.number = number
        self.writer = writer
        self.window = asyncio.Event()

    async def flush(self) -> None:
        self.writer.write(self.connection.data_to_send())
        await self.writer.drain()
        await asyncio.sleep(0)
        if self.writer.is_closing():
            raise ConnectionResetError

    async def head(self, status: str, *fields: tuple[str, str], end: bool = False) -> None:
        self.connection.send_headers(self.number, [(":status", status), *fields], end_stream=end)
        await self.flush()

    async def data(self, data: bytes, *, end: bool = False) -> None:
        while data:
            limit = min(self.connection.local_flow_control_window(self.number), _CHUNK_BYTES)
            if not limit:
                self.window.clear()
                await self.window.wait()
                continue
            self.connection.send_data(self.number, data[:limit])
            data = data[limit:]
            await self.flush()
        if end:
            self.connection.end_stream(self.number)
            await self.flush()

    async def respond(self, status: str, body: bytes, *fields: tuple[str, str]) -> None:
        await self.head(status, ("content-length", str(len(body))), *fields)
        await self.data(body, end=True)


async def _rules(stream: Stream) -> None:
    await stream.respond("200", RULES)


async def _missing(stream: Stream) -> None:
    await stream.respond("404", b"no such file")


async def _interim(stream: Stream) -> None:
    await stream.head("103", ("link", "</x>"))
    await stream.respond("200", RULES)


async def _gzip(stream: Stream) -> None:
    await stream.respond("200", gzip.compress(RULES), ("content-encoding", "gzip"))


async def _gzip_bomb(stream: Stream) -> None:
    await stream.respond("200", gzip.compress(bytes(8_000_000)), ("content-encoding", "gzip"))


async def _endless_body(stream: Stream) -> None:
    await stream.head("200")
    while True:
        await stream.data(bytes(_CHUNK_BYTES))


async def _silent(stream: Stream) -> None:
    await stream.window.wait()


async def _silent_body(stream: Stream) -> None:
    await stream.head("200")
    await stream.window.wait()


async def _reset(stream: Stream) -> None:
    stream.connection.reset_stream(stream.number, h2.errors.ErrorCodes.INTERNAL_ERROR)
    await stream.flush()


async def _reset_in_body(stream: Stream) -> None:
    await stream.head("200")
    await stream.data(RULES)
    await _reset(stream)


async def _goaway(stream: Stream) -> None:
    stream.connection.close_connection(h2.errors.ErrorCodes.ENHANCE_YOUR_CALM)
    await stream.flush()


async def _cut_in_body(stream: Stream) -> None:
    await stream.head("200")
    await stream.data(RULES)
    stream.writer.transport.abort()


async def _closed(stream: Stream) -> None:
    stream.writer.transport.abort()


async def _closed_in_body(stream: Stream) -> None:
    await stream.head("200")
    await stream.data(RULES)
    stream.writer.close()


async def _short_body(stream: Stream) -> None:
    await stream.head("200", ("content-length", str(len(RULES) + 100)))
    await stream.data(RULES, end=True)


async def _garbage(stream: Stream) -> None:
    # A DATA frame for stream 0.
    stream.writer.write(b"\x00\x00\x01\x00\x00\x00\x00\x00\x00x")
    await stream.flush()


async def _garbage_in_body(stream: Stream) -> None:
    await stream.head("200")
    await _garbage(stream)


async def _status_word(stream: Stream) -> None:
    await stream.head("2xx", end=True)


BEHAVIOURS: dict[str, Callable[[Stream], Coroutine[Any, Any, None]]] = {
    "rules": _rules,
    "missing": _missing,
    "interim": _interim,
    "gzip": _gzip,
    "gzip-bomb": _gzip_bomb,
    "endless-body": _endless_body,
    "silent": _silent,
    "silent-body": _silent_body,
    "reset": _reset,
    "reset-in-body": _reset_in_body,
    "goaway": _goaway,
    "cut-in-body": _cut_in_body,
    "closed": _closed,
    "closed-in-body": _closed_in_body,
    "short-body": _short_body,
    "garbage": _garbage,
    "garbage-in-body": _garbage_in_body,
    "status-word": _status_word,
}


class Http2Site(ThreadedServer):
    """A server with its own port and thread.

    Args: tls: A context that offers `h2`.
    """

    def __init__(self, tls: ssl.SSLContext) -> None:
        super().__init__(tls=tls)
        self.requests: list[Headers] = []

    def url(self, label: str) -> str:
        return f"https://{self.netloc}/{label}"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks: list[asyncio.Task[None]] = []
        try:
            # A client that does not use HTTP/2 is disconnected.
            with contextlib.suppress(h2.exceptions.ProtocolError):
                await self._serve(reader, writer, tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, tasks: list[asyncio.Task[None]]
    ) -> None:
        # Unchecked, so that the server can send invalid headers.
        config = h2.config.H2Configuration(
            client_side=False, validate_outbound_headers=False, normalize_outbound_headers=False
        )
        connection = h2.connection.H2Connection(config)
        connection.initiate_connection()
        writer.write(connection.data_to_send())
        streams: dict[int, Stream] = {}
        while data := await reader.read(65_536):
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    assert event.stream_id is not None
                    fields = [(name.decode(), value.decode()) for name, value in event.headers or []]
                    self.requests.append(fields)
                    stream = streams[event.stream_id] = Stream(connection, event.stream_id, writer)
                    behaviour = BEHAVIOURS[dict(fields)[":path"].strip("/")]
                    tasks.append(asyncio.create_task(behaviour(stream)))
                if isinstance(event, h2.events.WindowUpdated):
                    for stream in streams.values():
                        stream.window.set()
            writer.write(connection.data_to_send())
