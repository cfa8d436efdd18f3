"""A server that answers every Redis command with the same bytes, valid or not."""

import asyncio
from collections.abc import Iterable

from tests.servers.threaded import ThreadedServer


class FixedRedis(ThreadedServer):
    """A server that sends the parts of one answer after the first command, each with a packet of its own.

    Args: answer: The parts. They can be endless: they are sent until the client closes the connection.
    """

    def __init__(self, answer: Iterable[bytes]) -> None:
        super().__init__()
        self._answer = answer

    @property
    def url(self) -> str:
        """The URL of the server."""
        return f"redis://127.0.0.1:{self.port}/0?protocol=2"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Send the answer to the first command that does not belong to the handshake of the library."""
        while (handshake := (await reader.read(65_536)).count(b"CLIENT")) > 0:
            writer.write(b"+OK\r\n" * handshake)
        for part in self._answer:
            writer.write(part)
            await writer.drain()
            # Other connections and the end of the server must have their turn.
            await asyncio.sleep(0)
