"""Processes that share a store send one request, with a real server, SQLite file and Redis server."""

import multiprocessing
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.stores.conftest import redis_url

from canfetch.client.stores import Store
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.sync_client import Client

__all__ = ["redis_url"]


class _Slow(BaseHTTPRequestHandler):
    """A slow server, so that all processes need the origin while it is fetched."""

    requests = 0
    lock = threading.Lock()

    def do_GET(self) -> None:
        with self.lock:
            type(self).requests += 1
        threading.Event().wait(0.5)
        body = b"User-agent: *\nDisallow: /forbidden\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Do not log."""


@pytest.fixture
def origin() -> Iterator[str]:
    """A server on loopback that counts its requests."""
    _Slow.requests = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), _Slow) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def open_store(location: str) -> Store:
    if location.startswith("redis://"):
        from canfetch.client.stores.redis import RedisStore

        return RedisStore(location, prefix="canfetch-processes:")
    return SQLiteStore(location)


def query(location: str, origin: str) -> tuple[bool, bool]:
    """Decide about two URLs, as one process of a fleet."""
    with Client(user_agent="ExampleBot/1.0", store=open_store(location)) as client:
        return client.allows(f"{origin}/open"), client.allows(f"{origin}/forbidden")


def run_fleet(location: str, origin: str) -> list[tuple[bool, bool]]:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        return pool.starmap(query, [(location, origin)] * 4, chunksize=1)


@pytest.mark.slow
def test_four_processes_with_one_sqlite_store_send_one_request(tmp_path: Path, origin: str) -> None:
    assert run_fleet(str(tmp_path / "robots.sqlite3"), origin) == [(True, False)] * 4
    assert _Slow.requests == 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no os.fork on this platform")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_four_forks_of_one_client_send_one_request(tmp_path: Path, origin: str) -> None:
    with Client(user_agent="ExampleBot/1.0", store=SQLiteStore(tmp_path / "robots.sqlite3")) as client:
        forks = [
            multiprocessing.get_context("fork").Process(target=client.allows, args=(f"{origin}/open",))
            for _ in range(4)
        ]
        for fork in forks:
            fork.start()
        for fork in forks:
            fork.join(300)
        assert [fork.exitcode for fork in forks] == [0] * 4
        assert _Slow.requests == 1
        assert not client.allows(f"{origin}/forbidden")
        assert _Slow.requests == 1


def test_four_processes_with_one_redis_store_send_one_request(redis_url: str, origin: str) -> None:
    assert run_fleet(redis_url, origin) == [(True, False)] * 4
    assert _Slow.requests == 1


@pytest.mark.slow
def test_redis_server_that_is_down_does_not_prevent_decisions(origin: str, caplog: pytest.LogCaptureFixture) -> None:
    assert query("redis://127.0.0.1:1/0", origin) == (True, False)
    assert _Slow.requests == 1
    assert "continuing from memory" in caplog.text
