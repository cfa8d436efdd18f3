"""A crawl of several processes on real sockets: the sites, the workers, and the delays that hold over all of them."""

import json
import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

DELAY = 0.5
# The server notes a request some time after it was sent.
SLACK = 0.02


class Sites:
    """One server for many origins: each address of 127.0.0.0/8 is one. Every robots.txt has a delay.

    Args: ports: The number of ports of each address.
    """

    def __init__(self, ports: int = 1) -> None:
        self.requests: list[tuple[float, str, str]] = []
        sites = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                sites.requests.append((time.time(), self.connection.getsockname()[0], self.path))
                body = f"User-agent: *\nCrawl-delay: {DELAY}\n".encode() if self.path == "/robots.txt" else b"page"
                self.send_response(200)
                self.send_header("Content-Type", "text/plain")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 512
            daemon_threads = True

        self._servers = [Server(("0.0.0.0", 0), Handler) for _ in range(ports)]  # noqa: S104 - all of loopback
        for server in self._servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def urls(self, origins: int, pages: int) -> list[str]:
        """Return the URLs of the pages of many origins."""
        return [
            f"http://127.1.{number // 250}.{number % 250 + 1}:{server.server_port}/{page}"
            for page in range(pages)
            for number in range(origins)
            for server in self._servers
        ]

    def pages(self) -> dict[str, list[float]]:
        """Return when the pages of each origin were requested."""
        times = defaultdict(list)
        for at, host, path in self.requests:
            if path != "/robots.txt":
                times[host].append(at)
        return times

    def close(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()


class Worker:
    """A process of a crawl."""

    def __init__(self, database: str, crawl: str, seeds: Path | None = None, **variables: str) -> None:
        command = [sys.executable, "-m", "tests.frontier.crawl_worker", database, crawl]
        environment = {**os.environ, **variables}
        self._process = subprocess.Popen(
            [*command, *([str(seeds)] if seeds else [])],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=Path(__file__).parents[2],
        )

    def send(self, signal_number: int) -> None:
        self._process.send_signal(signal_number)

    def is_stopped(self) -> bool:
        state = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state == "T"

    def end(self, code: int = 0) -> list[tuple[str, str, int]]:
        """Wait for the end, and return what it did."""
        output, errors = self._process.communicate(timeout=180)
        assert self._process.returncode == code, errors
        return [tuple(json.loads(line)) for line in output.splitlines()]


def start_workers(database: str, sites: Sites, seeds: Path, *, crawl: str = "news", **variables: str) -> list[Worker]:
    """Start four workers. The last three find the URLs of the first: without any, a crawl is over."""
    first = Worker(database, crawl, seeds, **variables)
    wait_for(lambda: sites.requests)
    return [first, *(Worker(database, crawl, None, **variables) for _ in range(3))]


def write_seeds(folder: Path, urls: list[str]) -> Path:
    """Write the file of the first URLs of a crawl."""
    path = folder / "seeds"
    path.write_text("\n".join(urls))
    return path


def check_delays(sites: Sites) -> None:
    """Check that all processes together kept the delay of each origin."""
    gaps = [later - earlier for times in sites.pages().values() for earlier, later in pairwise(sorted(times))]
    assert gaps
    assert min(gaps) >= DELAY - SLACK


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
