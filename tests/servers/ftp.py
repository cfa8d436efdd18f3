"""FTP servers on loopback: a real one (pyftpdlib) and a scripted one."""

import asyncio
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

import pytest
from tests.servers.threaded import ThreadedServer

_STOP_SECONDS = 120.0
_TURN_SECONDS = 0.02


def _pyftpdlib(module: str) -> Any:
    pytest.importorskip("pyftpdlib")
    with warnings.catch_warnings():
        # It imports modules that Python 3.12 removed, and has its own copies for later versions.
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module(f"pyftpdlib.{module}")


class FtpSite:
    """A pyftpdlib server. `commands` lists the received commands without their arguments.

    Args:
        folder: The folder to serve.
        host: The loopback address to listen on.
        anonymous: Whether anonymous login is allowed.
        masquerade: The address to announce for data connections, as a server with NAT does.
        max_connections: The number of connections to accept.
    """

    def __init__(
        self,
        folder: Path,
        *,
        host: str = "127.0.0.1",
        anonymous: bool = True,
        masquerade: str | None = None,
        max_connections: int = 100,
    ) -> None:
        authorizer = _pyftpdlib("authorizers").DummyAuthorizer()
        if anonymous:
            authorizer.add_anonymous(str(folder))
        self.commands: list[str] = []
        base = _pyftpdlib("handlers").FTPHandler

        def record_command(handler: Any, line: str, command: str, argument: str) -> None:
            self.commands.append(command)
            base.pre_process_command(handler, line, command, argument)

        # pyftpdlib is configured by class attributes, so each server needs its own class.
        handler = type(
            "Handler",
            (base,),
            {
                "authorizer": authorizer,
                "masquerade_address": masquerade,
                "auth_failed_timeout": 0,
                "pre_process_command": record_command,
            },
        )
        self._server: Any = _pyftpdlib("servers").FTPServer((host, 0), handler)
        self._server.max_cons = max_connections
        self.host = host
        self.port: int = self._server.socket.getsockname()[1]
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="ftp-site", daemon=True)

    def url(self, path: str = "robots.txt") -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"ftp://{host}:{self.port}/{path}"

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._server.serve_forever(timeout=_TURN_SECONDS, blocking=False)
        self._server.close_all()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._thread.join(_STOP_SECONDS)
        assert not self._thread.is_alive()


class ScriptedFtp(ThreadedServer):
    """A server with scripted replies and data.

    Args:
        replies: Replies by command, and by `welcome` and `done` (after the data). None sends nothing, "" closes the
            connection.
        data: Content that RETR sends. None keeps the data connection open without sending.
        pasv: Address and port to announce for data connections instead of the server's own.
    """

    DEFAULT_REPLIES: Mapping[str, str | None] = {
        "welcome": "220 ready",
        "USER": "331 password?",
        "PASS": "230 welcome",
        "TYPE": "200 binary",
        "RETR": "150 opening data connection",
        "done": "226 complete",
    }

    def __init__(
        self,
        replies: Mapping[str, str | None] | None = None,
        *,
        data: bytes | None = b"User-agent: *\nDisallow: /private\n",
        pasv: tuple[str, int] | None = None,
    ) -> None:
        super().__init__()
        self._replies = {**self.DEFAULT_REPLIES, **(replies or {})}
        self._data = data
        self._pasv = pasv
        self.commands: list[str] = []

    def url(self, path: str = "robots.txt") -> str:
        return f"ftp://{self.netloc}/{path}"

    async def open(self) -> None:
        await super().open()
        self._data_port = await self.listen(self._accept_data)
        self._data_connections: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()

    async def _accept_data(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Queue a data connection for `_send_data`."""
        await self._data_connections.put(writer)
        await reader.read()
        await self.wait_stopped()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._reply(writer, "welcome")
        while line := await reader.readline():
            command = line.decode("latin-1").rstrip("\r\n")
            self.commands.append(command)
            word = command.partition(" ")[0]
            if word == "PASV" and word not in self._replies:
                host, port = self._pasv or ("127.0.0.1", self._data_port)
                numbers = ",".join([*host.split("."), str(port >> 8), str(port & 255)])
                writer.write(f"227 Entering Passive Mode ({numbers})\r\n".encode())
                continue
            if word == "RETR" and (self._replies["RETR"] or "")[:1] == "1":
                await self._reply(writer, word)
                await self._send_data()
                word = "done"
            await self._reply(writer, word)

    async def _send_data(self) -> None:
        data = await self._data_connections.get()
        if self._data is None:
            await self.wait_stopped()
            return
        data.write(self._data)
        await data.drain()
        data.close()

    async def _reply(self, writer: asyncio.StreamWriter, word: str) -> None:
        reply = self._replies.get(word, "502 unknown command")
        if reply is None:
            await self.wait_stopped()
        elif not reply:
            raise ConnectionResetError
        else:
            writer.write(f"{reply}\r\n".encode("latin-1"))
            await writer.drain()
