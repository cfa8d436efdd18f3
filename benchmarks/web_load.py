"""Load the HTTP API with wrk: decisions about a robots.txt in the body, beside the same server with Protego.

    python -m benchmarks.web_load [--seconds 10] [--rounds 3] [--memory-requests 200000]

Each server is a process of its own with one worker, and they take turns. Both have the same framework, models, limits
and middleware, and parse the file of 5 KB on each request. The answer of canfetch has the whole verdict, and that of
Protego only whether the URL is allowed. GET requests with a cached file, and a constant answer, show what the framework
costs. Requires wrk.
"""

import argparse
import asyncio
import importlib.metadata
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.inputs import AGENT, ORIGIN, SIZES, generate

ROOT = Path(__file__).parents[1]
CONNECTIONS = 64
# Divided among the steps at which the memory is read.
MEMORY_STEPS = 4
# wrk prints its own report first.
MARK = "web_load:"
SCRIPT = """
wrk.method = "%(method)s"
wrk.body = %(body)s
wrk.headers["Content-Type"] = "application/json"
function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("%(mark)s%%d %%d %%d %%d %%d %%d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), errors.status, lost))
end
"""


class Load(NamedTuple):
    """The result of a run: requests a second, latencies in milliseconds, and failed requests."""

    rate: float
    median: float
    p99: float
    errors: int


def question() -> str:
    """Return the body of a request."""
    content = generate(SIZES["5 KB"]).text
    return json.dumps({"content": content, "url": f"{ORIGIN}/shop/item-17?page=2", "agent": AGENT})


def make_app(name: str) -> Any:
    """Return the application of a server."""
    from fastapi import Request
    from fastapi.routing import APIRoute
    from starlette.responses import Response

    from canfetch.web.api.requests import DecideRequest
    from canfetch.web.api.services import json_response, read_request
    from canfetch.web.app import create_app
    from canfetch.web.settings import Settings

    guard = create_app(Settings(allow_private=True))
    if name == "Protego":
        from protego import Protego

        async def decide(request: Request) -> Response:
            asked = await read_request(request, DecideRequest)
            allowed = Protego.parse(asked.content or "").can_fetch(asked.url, asked.agent)
            return json_response({"url": asked.url, "agent_name": asked.agent, "allowed": allowed})

        guard.app.router.routes.insert(0, APIRoute("/v1/decide", decide, methods=["POST"]))

    async def constant() -> Response:
        return json_response({"allowed": True})

    guard.app.router.routes.insert(0, APIRoute("/v1/constant", constant, methods=["GET"]))
    return guard


def serve(name: str) -> None:
    """Serve until the process is terminated, and print the port."""
    from uvicorn.server import Server

    from canfetch.web.server.clients import ClientAddresses
    from canfetch.web.server.listening import bind
    from canfetch.web.server.protocol import BoundedConfig

    bound = bind("127.0.0.1", 0, is_fixed=True)
    bound.listen(1024)
    config = BoundedConfig(
        make_app(name),
        header_timeout=10,
        reading_timeout=30,
        max_connections=4096,
        addresses=ClientAddresses(()),
        log_config=None,
        access_log=False,
        ws="none",
    )
    print(bound.getsockname()[1], flush=True)
    Server(config).run(sockets=[bound])


@contextmanager
def running(name: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a server in another process."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    command = [sys.executable, "-m", "benchmarks.web_load", "--serve", name]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def origin_server() -> Iterator[int]:
    """Serve a robots.txt in a thread."""
    content = generate(SIZES["5 KB"]).content
    started = threading.Event()
    ports: list[int] = []
    stopped: list[Any] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(content) + content)
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        end = asyncio.Event()
        stopped.append((asyncio.get_running_loop(), end))
        ports.append(server.sockets[0].getsockname()[1])
        started.set()
        async with server:
            await end.wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    started.wait()
    try:
        yield ports[0]
    finally:
        loop, end = stopped[0]
        loop.call_soon_threadsafe(end.set)
        thread.join()


def load(url: str, seconds: float, body: str | None = None) -> Load:
    """Run wrk against a URL."""
    values = {"method": "GET" if body is None else "POST", "body": "nil" if body is None else json.dumps(body)}
    with tempfile.NamedTemporaryFile("w", suffix=".lua", encoding="utf-8") as script:
        # A JSON string of ASCII characters is a Lua string, except for escapes of characters beyond ASCII.
        script.write(SCRIPT % {**values, "mark": MARK})
        script.flush()
        command = [
            "wrk",
            "-t1",
            f"-c{CONNECTIONS}",
            f"-d{math.ceil(seconds)}s",
            "--timeout",
            "30s",
            "-s",
            script.name,
            url,
        ]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    numbers = next(line for line in out.splitlines() if line.startswith(MARK)).removeprefix(MARK).split()
    requests, microseconds, median, p99, status_errors, socket_errors = map(int, numbers)
    return Load(requests / (microseconds / 1e6), median / 1000, p99 / 1000, status_errors + socket_errors)


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process. Linux only."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


def median_load(loads: list[Load]) -> Load:
    """Return the median of each figure, and the sum of the errors."""
    rate, median, p99 = (statistics.median(figures) for figures in list(zip(*loads, strict=True))[:3])
    return Load(rate, median, p99, sum(one.errors for one in loads))


def compare(seconds: float, rounds: int) -> dict[str, Load]:
    """Return the loads of POST requests with both parsers, of GET requests, and of a constant answer."""
    loads: dict[str, list[Load]] = {}
    body = question()
    for _ in range(rounds):
        for name in ("canfetch", "Protego"):
            with running(name) as (_, port):
                address = f"http://127.0.0.1:{port}/v1"
                load(f"{address}/decide", min(seconds, 2), body)
                loads.setdefault(f"POST, {name}", []).append(load(f"{address}/decide", seconds, body))
                if name == "Protego":
                    continue
                with origin_server() as origin_port:
                    url = f"{address}/decide?agent={AGENT}&url=http://127.0.0.1:{origin_port}/shop/item-17"
                    loads.setdefault("GET, canfetch, cached file", []).append(load(url, seconds))
                loads.setdefault("GET, a constant answer", []).append(load(f"{address}/constant", seconds))
    return {name: median_load(runs) for name, runs in loads.items()}


def memory(requests: int) -> list[tuple[int, int]]:
    """Return the number of requests and the resident memory of a server after each step."""
    body = question()
    measured: list[tuple[int, int]] = []
    sent = 0
    with running("canfetch") as (process, port):
        url = f"http://127.0.0.1:{port}/v1/decide"
        rate = load(url, 2, body).rate
        measured.append((0, resident_bytes(process.pid)))
        for _ in range(MEMORY_STEPS):
            target = sent + requests / MEMORY_STEPS
            while sent < target:
                seconds = math.ceil(min(max((target - sent) / rate, 1), 60))
                result = load(url, seconds, body)
                rate, sent = result.rate, sent + round(result.rate * seconds)
            measured.append((sent, resident_bytes(process.pid)))
    return measured


def report(loads: dict[str, Load], measured: list[tuple[int, int]]) -> str:
    """Return the tables as Markdown."""
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("fastapi", "uvicorn", "protego"))
    lines = [
        f"One worker, {CONNECTIONS} connections, {versions}",
        "",
        "| | requests a second | p50 | p99 | errors |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {name} | {one.rate:,.0f} | {one.median:.0f} ms | {one.p99:.0f} ms | {one.errors} |"
        for name, one in loads.items()
    ]
    if loads:
        ratio = loads["POST, canfetch"].rate / loads["POST, Protego"].rate
        lines += ["", f"POST, canfetch beside Protego: {ratio:.1f}x"]
    lines += ["", *(f"memory after {count:,} requests: {size / 1e6:.1f} MB" for count, size in measured)]
    return "\n".join(lines)


def main() -> None:
    """Run the benchmark, or one of its servers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10, help="time of each run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory-requests", type=int, default=200_000, help="0 skips the measurement of memory")
    parser.add_argument("--serve", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        serve(options.serve)
        return
    if shutil.which("wrk") is None:
        sys.exit("benchmarks.web_load: wrk is not installed")
    measured = memory(options.memory_requests) if options.memory_requests else []
    print(report(compare(options.seconds, options.rounds), measured))


if __name__ == "__main__":
    main()
