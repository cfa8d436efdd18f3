"""The stores under test. A Redis server is started if it is installed, as it must be in CI."""

import json
import random
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.missing import skip_unless_ci

from canfetch.client.stores import Store
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.sqlite import SQLiteStore


def find_free_port() -> int:
    """Return an unused port, which the system does not choose for other sockets before the server has it."""
    while True:
        port = random.randrange(20_000, 30_000)  # noqa: S311
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a Redis server on loopback for the session, and return its URL."""
    with start_redis(tmp_path_factory.mktemp("redis")) as address:
        yield f"redis://{address}/0"


@contextmanager
def start_redis(folder: Path, *settings: str) -> Iterator[str]:
    """Start a Redis server on loopback for the block, and return its host and port.

    Args:
        folder: Its working directory.
        settings: More arguments of the server.
    """
    server = shutil.which("redis-server") or shutil.which("valkey-server")
    if server is None:
        skip_unless_ci("no redis-server or valkey-server is installed")
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
        str(folder),
        *settings,
    ]
    with subprocess.Popen([server, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for_server(port, process)
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()


def wait_for_server(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the server accepts connections."""
    deadline = time.monotonic() + 120
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


class ExpiringStore(NamedTuple):
    """A store whose entries expire after 100 seconds, and a function that lets a given number of seconds pass."""

    store: Store
    wait: Callable[[float], None]


@pytest.fixture(params=["memory", "sqlite", pytest.param("redis", marks=pytest.mark.service)])
def expiring_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ExpiringStore]:
    """Return each store in turn, empty. Redis has a clock of its own, so its TTLs are shortened instead."""
    now = [1000.0]

    def advance(seconds: float) -> None:
        now[0] += seconds

    expiring: ExpiringStore
    if request.param == "memory":
        expiring = ExpiringStore(MemoryStore(ttl=100, monotonic=lambda: now[0]), advance)
    elif request.param == "sqlite":
        expiring = ExpiringStore(SQLiteStore(tmp_path / "robots.sqlite3", ttl=100, clock=lambda: now[0]), advance)
    else:
        from canfetch.client.stores.redis import RedisStore

        url, prefix = request.getfixturevalue("redis_url"), f"canfetch-test-{tmp_path.name}:"
        redis_store = RedisStore(url, prefix=prefix, ttl=100)
        expiring = ExpiringStore(redis_store, partial(shorten_ttls, redis_store._redis, prefix))
    try:
        yield expiring
    finally:
        expiring.store.close()


def shorten_ttls(server: Any, prefix: str, seconds: float) -> None:
    """Let seconds pass for the keys with a prefix."""
    for key in server.scan_iter(match=f"{prefix}*"):
        server.pexpire(key, server.pttl(key) - round(1000 * seconds))


def replace_stored_text(store: Store, key: str, text: str) -> None:
    """Replace the text of an entry in a store, as another program would."""
    match store:
        case MemoryStore():
            store._entries[key] = json.loads(text)
        case SQLiteStore():
            with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
                connection.execute("UPDATE entries SET entry = ? WHERE key = ?", (text, key))
        case _:
            server: Any = store
            server._redis.set(server._redis_key("entry", key), text, keepttl=True)


def stored_text(store: Store, key: str) -> str | None:
    """Return the text of an entry in a store, or None."""
    match store:
        case MemoryStore():
            return json.dumps(store._entries[key]) if key in store._entries else None
        case SQLiteStore():
            with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
                row = connection.execute("SELECT entry FROM entries WHERE key = ?", (key,)).fetchone()
            return None if row is None else str(row[0])
        case _:
            server: Any = store
            value = server._redis.get(server._redis_key("entry", key))
            return None if value is None else str(value.decode())
