"""FTP servers on loopback: a real one, by pyftpdlib, and one that says what it is told to."""

import asyncio
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

import pytest
from tests.servers.listening import Listening

_STOP_SECONDS = 10.0
_TURN_SECONDS = 0.02


def _pyftpdlib(module: str) -> Any:
    pytest.importorskip("pyftpdlib")
    with warnings.catch_warnings():
        # It says itself that the module that it stands on goes; from Python 3.12 on it brings its own.
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module(f"pyftpdlib.{module}")


class FtpSite:
    """pyftpdlib over a folder; `commands` are those that came, without what was said with them.

    Args:
        folder: what is served.
        host: the loopback address to listen at.
        anonymous: whether anybody may log in.
        masquerade: the address that it gives for its data, as a server behind a router does.
        most: how many connections it takes.
    """

    def __init__(
        self,
        folder: Path,
        *,
        host: str = "127.0.0.1",
        anonymous: bool = True,
        masquerade: str | None = None,
        most: int = 100,
    ) -> None:
        authorizer = _pyftpdlib("authorizers").DummyAuthorizer()
        if anonymous:
            authorizer.add_anonymous(str(folder))
        self.commands: list[str] = []
        base = _pyftpdlib("handlers").FTPHandler

        def noted(handler: Any, line: str, command: str, argument: str) -> None:
            self.commands.append(command)
            base.pre_process_command(handler, line, command, argument)

        # A class of its own, since pyftpdlib is told everything by class attributes.
        handler = type(
            "Handler",
            (base,),
            {
                "authorizer": authorizer,
                "masquerade_address": masquerade,
                "auth_failed_timeout": 0,
                "pre_process_command": noted,
            },
        )
        self._server: Any = _pyftpdlib("servers").FTPServer((host, 0), handler)
        self._server.max_cons = most
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


class ScriptedFtp(Listening):
    """Says what it is told to each command, and sends what it is told to over a data connection.

    Args:
        replies: by command; `welcome` and `done` (after the data) are commands, too. None is silence, "" the end.
        data: what RETR sends; None keeps the data connection open and silent.
        pasv: an address and a port for the data that are not its own.
    """

    PROPER: Mapping[str, str | None] = {
        "welcome": "220 ready",
        "USER": "331 who?",
        "PASS": "230 welcome",
        "TYPE": "200 binary",
        "RETR": "150 coming",
        "done": "226 all of it",
    }

    def __init__(
        self,
        replies: Mapping[str, str | None] | None = None,
        *,
        data: bytes | None = b"User-agent: *\nDisallow: /private\n",
        pasv: tuple[str, int] | None = None,
    ) -> None:
        super().__init__()
        self._replies = {**self.PROPER, **(replies or {})}
        self._data = data
        self._pasv = pasv
        self.commands: list[str] = []

    def url(self, path: str = "robots.txt") -> str:
        return f"ftp://{self.netloc}/{path}"

    async def open(self) -> None:
        await super().open()
        self._data_port = await self.listen(self._hold)
        self._held: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()

    async def _hold(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a data connection, for whoever sends over it."""
        await self._held.put(writer)
        await reader.read()
        await self.stopped()

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._say(writer, "welcome")
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
                await self._say(writer, word)
                await self._send()
                word = "done"
            await self._say(writer, word)

    async def _send(self) -> None:
        data = await self._held.get()
        if self._data is None:
            await self.stopped()
            return
        data.write(self._data)
        await data.drain()
        data.close()

    async def _say(self, writer: asyncio.StreamWriter, word: str) -> None:
        reply = self._replies.get(word, "502 what?")
        if reply is None:
            await self.stopped()
        elif not reply:
            raise ConnectionResetError
        else:
            writer.write(f"{reply}\r\n".encode("latin-1"))
            await writer.drain()
