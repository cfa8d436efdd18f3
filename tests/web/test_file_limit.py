"""The limit of open files: connections stay below it, and a server states the limit that it needs."""

import asyncio
import errno
import logging
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import ScriptedWeb
from tests.web.servers import running_server
from tests.web.test_connections import ask, open_slow_clients

from canfetch.errors import InvalidOption
from canfetch.web.server.clients import ClientAddresses
from canfetch.web.server.file_limit import MIN_FILES, allowed_connections
from canfetch.web.server.protocol import BoundedConfig
from canfetch.web.server.running import AcceptingServer

resource: Any = pytest.importorskip("resource")

SECONDS = 300.0
CLIENT = "127.0.0.2"
COMMANDS = {
    "serve": ("serve", "--port", "0", "--store", "none"),
    "mcp": ("mcp", "--http", "--port", "0", "--store", "none"),
}
# Sets both limits, and runs the command.
LIMITED = """
import resource, sys
from canfetch.cli.main import main
resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, {limit}))
sys.exit(main())
"""


class FileLimit:
    """The soft and the hard limit of open files of this process, as the module reads and sets them."""

    def __init__(self, soft: int, hard: int, *, is_fixed: bool = False) -> None:
        self.soft = soft
        self.hard = hard
        self._is_fixed = is_fixed

    def get(self, _name: int) -> tuple[int, int]:
        return self.soft, self.hard

    def set(self, _name: int, limits: tuple[int, int]) -> None:
        if self._is_fixed:
            raise ValueError("not allowed to raise maximum limit")
        self.soft, self.hard = limits


def limit_files(monkeypatch: pytest.MonkeyPatch, limit: FileLimit) -> None:
    monkeypatch.setattr(resource, "getrlimit", limit.get)
    monkeypatch.setattr(resource, "setrlimit", limit.set)


INFINITY = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    "soft, hard, connections, raised",
    [
        (256, INFINITY, 4096, 4272),
        (256, 1_000_000, 4096, 4272),
        (1_000_000, 1_000_000, 4096, 1_000_000),
        (INFINITY, INFINITY, 4096, INFINITY),
        (1024, 1024, 848, 1024),
        (64, 1024, 848, 1024),
        # Few files are divided among connections and fetches.
        (200, 200, 44, 200),
        (MIN_FILES, MIN_FILES, 32, MIN_FILES),
    ],
)
def test_connections_stay_below_the_limit(
    soft: int, hard: int, connections: int, raised: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = FileLimit(soft, hard)
    limit_files(monkeypatch, limit)
    assert (allowed_connections(4096, fetches=64), limit.soft, limit.hard) == (connections, raised, hard)


def test_a_limit_that_cannot_be_raised_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    limit_files(monkeypatch, FileLimit(1024, INFINITY, is_fixed=True))
    assert allowed_connections(4096, fetches=64) == 848


def test_a_limit_that_is_too_low_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    limit_files(monkeypatch, FileLimit(MIN_FILES - 1, MIN_FILES - 1))
    with pytest.raises(
        InvalidOption, match=rf"is {MIN_FILES - 1}, .* needs at least {MIN_FILES}: raise the hard limit"
    ):
        allowed_connections(4096, fetches=64)


def limited(command: str, limit: int) -> "subprocess.Popen[str]":
    """Run a server with a limit of open files."""
    return subprocess.Popen(
        [sys.executable, "-c", LIMITED.format(limit=limit), *COMMANDS[command]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.service
@pytest.mark.parametrize("command", COMMANDS)
def test_servers_state_the_limit_that_they_need(command: str) -> None:
    pytest.importorskip("mcp")
    with limited(command, 64) as process:
        _, errors = process.communicate(timeout=SECONDS)
        needed = f"the server needs at least {MIN_FILES}: raise the hard limit"
        assert process.returncode == 2
        assert errors.startswith(f"canfetch: the limit of open files is 64, and {needed}")
        assert errors.count("\n") == 1


@pytest.mark.service
@pytest.mark.parametrize("command", COMMANDS)
def test_others_are_answered_beside_more_connections_than_files(command: str) -> None:
    pytest.importorskip("mcp")
    with limited(command, MIN_FILES) as process, ExitStack() as stack:
        assert process.stdout is not None
        assert process.stderr is not None
        line = (process.stdout if command == "serve" else process.stderr).readline()
        port = int(line.split("127.0.0.1:")[1].split("/")[0].split()[0])
        clients = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), SECONDS, (CLIENT, 0))) for _ in range(400)
        ]
        with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as other:
            other.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert other.recv(65_536).startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 405 "))
        assert len(list(Path(f"/proc/{process.pid}/fd").iterdir())) < MIN_FILES or not Path("/proc").is_dir()
        assert len(clients) == 400
        process.terminate()
        assert process.stderr.read() == ""
        assert process.wait(SECONDS) == 0


class NoFiles(socket.socket):
    """A socket whose connections cannot be accepted until a test allows that."""

    has_files = False
    refused = 0

    def accept(self) -> tuple[socket.socket, Any]:
        if not self.has_files:
            self.refused += 1
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


def test_accepting_pauses_without_files(caplog: pytest.LogCaptureFixture) -> None:
    bound = NoFiles(socket.AF_INET, socket.SOCK_STREAM)
    bound.bind(("127.0.0.1", 0))
    bound.listen()
    bound.setblocking(False)
    with running_server(bound=bound, transport=ScriptedWeb()) as port, socket.create_connection(("127.0.0.1", port)):
        deadline = time.monotonic() + SECONDS
        while not bound.refused and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.3)
        # All of them in one iteration of the event loop.
        assert bound.refused <= 17
        bound.has_files = True
        assert ask(port) == 200
    logged = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert logged == ["cannot accept connections for a second: [Errno 24] Too many open files"]


def test_connections_that_wait_longest_make_room_without_files() -> None:
    bound = NoFiles(socket.AF_INET, socket.SOCK_STREAM)
    bound.has_files = True
    bound.bind(("127.0.0.1", 0))
    bound.listen()
    bound.setblocking(False)
    with running_server(bound=bound, transport=ScriptedWeb()) as port, ExitStack() as stack:
        clients = open_slow_clients(stack, port, 20, b"")
        assert ask(port) == 200
        bound.has_files = False
        with socket.create_connection(("127.0.0.1", port)):
            for client in clients[:16]:
                client.settimeout(SECONDS)
                assert closed(client)
        bound.has_files = True
        for client in clients[16:]:
            client.setblocking(False)
            with pytest.raises(BlockingIOError):
                client.recv(1)


def closed(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


def test_other_errors_of_the_event_loop_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    config = BoundedConfig(
        "app", header_timeout=1, reading_timeout=1, max_connections=4, addresses=ClientAddresses(()), log_config=None
    )

    async def fail() -> None:
        AcceptingServer(config)._handle_error(asyncio.get_running_loop(), {"message": "something else"})

    asyncio.run(fail())
    assert "something else" in caplog.text
