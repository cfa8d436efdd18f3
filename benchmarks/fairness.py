"""Ask small questions while another client sends hostile ones, and print how long the small ones take.

    python -m benchmarks.fairness [--seconds 20] [--workers 2] [--only serve]

A real `canfetch serve` and a real `canfetch mcp --http` listen on loopback. One client, at 127.0.0.2, repeats every
expensive request at the same time; another one, at 127.0.0.1, sends one small request after the other. The small
requests are measured alone, while only a single hostile request is repeated, with all of them, and with all of them
from the addresses of one public network and of two. A trusted proxy at 127.0.0.3 forwards for these addresses: nothing
is sent to them. Two further measurements are beside small requests, or calls of tools, with heads of 57 KB and 190
lines, on 64 connections.
"""

import argparse
import asyncio
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
BYSTANDER = "127.0.0.1"
HOSTILE = "127.0.0.2"
PROXY = "127.0.0.3"
TIMEOUT = 120
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
# Several connections for each kind of request.
CONNECTIONS = 4


# Requests with large heads are cheap for a client to repeat.
HEAD_CONNECTIONS = 32
LARGE_HEAD = {f"X-{number}": "a" * 300 for number in range(185)}


class Request(NamedTuple):
    """A request: its path, its body, and whether it has a large head."""

    path: str
    body: bytes
    has_large_head: bool = False


class Latencies(NamedTuple):
    """The latencies of small requests in milliseconds, and how many of them were not answered with 200."""

    count: int
    median: float
    p99: float
    longest: float
    errors: int


def post(path: str, **body: Any) -> Request:
    """Return a request of the HTTP API."""
    return Request(f"/v1/{path}", json.dumps(body).encode())


def call(name: str, **arguments: Any) -> Request:
    """Return a call of a tool of the MCP server."""
    params = {"name": name, "arguments": arguments}
    return Request("/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode())


def filled(line: str) -> str:
    """Return a file of 500 KB whose lines have different numbers."""
    return "".join(line.format(number) for number in range(500_000 // (len(line) + 3)))


def hostile_requests() -> dict[str, list[Request]]:
    """Return the expensive requests of each server."""
    groups = filled("User-agent: B{0:x}\nDisallow: /{0}?\n\n")
    stars = f"User-agent: *\n{filled('Disallow: /*a*a*a*a*a*a*a*a*{0:x}b' + chr(10))}"
    signals = f"User-agent: *\n{filled('Content-Signal: /{0:x} ai-train=no' + chr(10))}"
    repeated = "User-agent: ExampleBot\n" * 5_000 + "Disallow: /x\nAllow: /\n" * 20_000
    urls = [f"/x{number}{'a' * 500}" for number in range(2_000)]
    agents = [f"Bot{'abcdefghijklmnop'[number % 16]}{'x' * (number // 16)}" for number in range(100)]
    values = b'{"content":[%s' % (b"[]," * 1_300_000)
    return {
        "serve": [
            post("decide/batch", content=repeated, urls=urls, agents=["ExampleBot"]),
            post("matrix", content=stars, urls=urls, agents=agents),
            post("compare", old=groups, new=stars, urls=urls[:100], agents=agents),
            post("use", content=signals, url="/", agents=agents),
            post("lint", content=groups),
            post("lint", content=signals),
            post("fix", content=groups[:120_000]),
            post("format", content=groups),
            post("parse", content=groups),
            post("explain", content=stars, url=f"/{'a' * 16_000}", agent="ExampleBot"),
            post("decide", content=stars[:12_000], url=f"/{'a' * 3_000}", agent="ExampleBot"),
            Request("/v1/lint", values),
            Request("/v1/matrix", values),
        ],
        "mcp": [
            call("lint", robots_txt=groups),
            call("lint", robots_txt=signals),
            call("explain", robots_txt=stars, url=f"/{'a' * 4_000}", agents=agents[:8]),
            Request("/mcp", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[%s' % (b"[]," * 1_000_000)),
        ],
    }


def small_requests() -> dict[str, list[Request]]:
    """Return the small requests to each server."""
    content, url = "User-agent: *\nDisallow: /private\n", "/private/1"
    return {
        "serve": [
            post("lint", content=content),
            post("decide", content=content, url=url, agent="GPTBot"),
            post("matrix", content=content, urls=[url], agents=["GPTBot"]),
            post("use", content=content, url=url, agents=["GPTBot"]),
        ],
        "mcp": [call("lint", robots_txt=content), call("explain", robots_txt=content, url=url, agents=["GPTBot"])],
    }


def with_large_heads(requests: Sequence[Request]) -> list[Request]:
    """Return requests with large heads."""
    return [one._replace(has_large_head=True) for one in requests]


@contextmanager
def running(name: str, workers: int) -> Iterator[int]:
    """Run a server, and return its port."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    options = ["--port", "0", "--trusted-proxy", PROXY]
    serve = ["serve", *options, "--store", "none", "--rate", "0", "--workers", str(workers)]
    command = {"serve": serve, "mcp": ["mcp", "--http", *options]}[name]
    with tempfile.TemporaryDirectory() as folder:
        environment["XDG_CACHE_HOME"] = folder
        process = subprocess.Popen(
            [sys.executable, "-m", "canfetch", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )
        try:
            assert process.stdout is not None
            line = next(line for line in process.stdout if "127.0.0.1:" in line)
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield int(line.partition("127.0.0.1:")[2].partition(" ")[0].partition("/")[0])
        finally:
            # It would complete the hostile requests first.
            process.kill()
            process.wait(60)


def send(connection: http.client.HTTPConnection, request: Request) -> int:
    """Send a request, and return the status."""
    connection.request("POST", request.path, request.body, JSON)
    response = connection.getresponse()
    response.read()
    return response.status


def ask(port: int, requests: Sequence[Request], seconds: float) -> Latencies:
    """Send small requests one after the other, and return their latencies."""
    times: list[float] = []
    errors = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times) < len(requests):
        started = time.perf_counter()
        connection = http.client.HTTPConnection(BYSTANDER, port, timeout=TIMEOUT, source_address=(BYSTANDER, 0))
        errors += send(connection, requests[len(times) % len(requests)]) != http.client.OK
        connection.close()
        times.append(1000 * (time.perf_counter() - started))
        # Less than the rate of a client that the servers allow.
        time.sleep(0.06)
    p99 = statistics.quantiles(times, n=100, method="inclusive")[98]
    return Latencies(len(times), statistics.median(times), p99, max(times), errors)


async def attack(port: int, request: Request, address: str) -> None:
    """Repeat a request on one connection after the other, until it is cancelled.

    Args: address: The client, for which the proxy forwards unless it is `HOSTILE`.
    """
    source = HOSTILE if address == HOSTILE else PROXY
    fields = {**JSON, "X-Forwarded-For": address, **(LARGE_HEAD if request.has_large_head else {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    text = f"POST {request.path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{head}"
    message = f"{text}Content-Length: {len(request.body)}\r\n\r\n".encode() + request.body
    while True:
        try:
            reader, writer = await asyncio.open_connection(BYSTANDER, port, local_addr=(source, 0))
            writer.write(message)
            while await reader.read(1 << 20):
                pass
            writer.close()
        except OSError:
            # The server refuses some of them. A client without a pause would only measure its own speed.
            pass
        await asyncio.sleep(0.02)


@contextmanager
def attacked(port: int, requests: Sequence[Request], connections: int, networks: int) -> Iterator[None]:
    """Repeat requests from another process, which does not slow down this one.

    Args:
        port: The port.
        requests: The requests.
        connections: The connections for each of them.
        networks: The networks of the clients, each of which has its own address, or 0 for one client.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "requests.json"
        path.write_text(
            json.dumps([[one.path, one.body.decode(), one.has_large_head] for one in requests]), encoding="utf-8"
        )
        command = [sys.executable, "-m", "benchmarks.fairness", "--attack", str(port), str(connections), str(networks)]
        command.append(str(path))
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
        finally:
            process.terminate()
            process.wait(60)


async def attack_all(port: int, connections: int, networks: int, requests: Sequence[Request]) -> None:
    """Repeat all requests."""
    repeated = [one for one in requests for _ in range(connections)]
    addresses = [f"8.8.{number % networks}.{number}" if networks else HOSTILE for number in range(len(repeated))]
    tasks = [asyncio.create_task(attack(port, *pair)) for pair in zip(repeated, addresses, strict=True)]
    await asyncio.sleep(2)
    print("started", flush=True)
    await asyncio.gather(*tasks)


def measure(seconds: float, names: Sequence[str], workers: int) -> Iterator[tuple[str, Latencies]]:
    """Yield the latencies of the small requests, and what else the server does."""
    hostile, small = hostile_requests(), small_requests()
    for name in names:
        heads = with_large_heads(small[name][:2])
        with running(name, workers) as port:
            ask(port, small[name], 1)
            for title, requests, connections, networks in (
                ("alone", [], 0, 0),
                ("beside one hostile request", hostile[name][1:2], 1, 0),
                ("beside all of them", hostile[name], CONNECTIONS, 0),
                ("beside all of them, from one network", hostile[name], CONNECTIONS, 1),
                ("beside all of them, from two networks", hostile[name], CONNECTIONS, 2),
                ("beside large heads, from one client", heads, HEAD_CONNECTIONS, 0),
                ("beside large heads, from two networks", heads, HEAD_CONNECTIONS, 2),
            ):
                with ExitStack() as stack:
                    if requests:
                        stack.enter_context(attacked(port, requests, connections, networks))
                    yield f"{name}, {title}", ask(port, small[name], seconds)


def main() -> None:
    """Run the benchmark, or the hostile client."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20, help="time of each measurement")
    parser.add_argument("--workers", type=int, default=1, help="worker processes of the HTTP API")
    parser.add_argument("--only", choices=("serve", "mcp"), action="append", help="measure this server only")
    parser.add_argument("--attack", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.attack is not None:
        *numbers, path = options.attack
        port, connections, networks = map(int, numbers)
        listed = json.loads(Path(path).read_text(encoding="utf-8"))
        requests = [Request(place, body.encode(), has_large_head) for place, body, has_large_head in listed]
        asyncio.run(attack_all(port, connections, networks, requests))
        return
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start\n")
    print("| small requests | number | p50 | p99 | longest | errors |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for title, one in measure(options.seconds, options.only or ("serve", "mcp"), options.workers):
        figures = " | ".join(f"{value:,.0f} ms" for value in (one.median, one.p99, one.longest))
        print(f"| {title} | {one.count} | {figures} | {one.errors} |", flush=True)


if __name__ == "__main__":
    main()
