"""The stores under test. A Redis server is started if it is installed, as it must be in CI."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from canfetch.client.stores import Store
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.sqlite import SQLiteStore


def find_free_port() -> int:
    """Return an unused port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a Redis server on loopback for the session, and return its URL."""
    server = shutil.which("redis-server") or shutil.which("valkey-server")
    if server is None:
        assert not os.environ.get("CI"), "CI must have a Redis server"
        pytest.skip("no redis-server or valkey-server is installed")
    pytest.importorskip("redis")
    port = find_free_port()
    arguments = [
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--dir",
        str(tmp_path_factory.mktemp("redis")),
    ]
    with subprocess.Popen([server, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for_server(port, process)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()


def wait_for_server(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the server accepts connections."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("the Redis server did not start")


@pytest.fixture(params=["memory", "sqlite", pytest.param("redis", marks=pytest.mark.service)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Return each store in turn, empty."""
    opened: Store
    if request.param == "memory":
        opened = MemoryStore()
    elif request.param == "sqlite":
        opened = SQLiteStore(tmp_path / "robots.sqlite3")
    else:
        from canfetch.client.stores.redis import RedisStore

        opened = RedisStore(request.getfixturevalue("redis_url"), prefix=f"canfetch-test-{tmp_path.name}:")
    try:
        yield opened
    finally:
        opened.close()
