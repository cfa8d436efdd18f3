"""The turns a second of 1, 2 and 4 processes that share a frontier on PostgreSQL, beside one process with a file.

    python -m benchmarks.shared_frontier DATABASE_URL [--origins 1000] [--urls 20000] [--delay 0]

Each process asks a client whose transport answers at once, so only the frontier is measured. With a delay, every
origin has it, and the shortest time between two turns of one origin is in the table.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import canfetch
from canfetch.access.responses import Response
from canfetch.client.frontier import PostgresQueue
from canfetch.client.transports import TransportRequest

_TASKS = 16


class _Transport:
    """Answers every request for a robots.txt with an empty file."""

    async def send(self, request: TransportRequest) -> Response:
        return Response(request.url, 200, (), b"")

    async def close(self) -> None:
        """Do nothing."""


async def _crawl(options: dict[str, Any]) -> list[tuple[float, str]]:
    turns: list[tuple[float, str]] = []

    async def work(frontier: canfetch.Frontier) -> None:
        async for turn in frontier:
            turns.append((time.time(), turn.url))
            turn.done()

    async with (
        canfetch.AsyncClient(user_agent="ExampleBot/1.0", transport=_Transport()) as client,
        canfetch.Frontier(client, **options) as frontier,
        asyncio.TaskGroup() as tasks,
    ):
        for _ in range(_TASKS):
            tasks.create_task(work(frontier))
    return turns


async def _fill(options: dict[str, Any], urls: list[str]) -> None:
    async with (
        canfetch.AsyncClient(user_agent="ExampleBot/1.0", transport=_Transport()) as client,
        canfetch.Frontier(client, **options) as frontier,
    ):
        frontier.add_many(urls)


def _worker(database: str, crawl: str, delay: float) -> None:
    options = {"backend": PostgresQueue(database, crawl=crawl), "min_delay": delay}
    json.dump(asyncio.run(_crawl(options)), sys.stdout)


def _run_workers(database: str, crawl: str, number: int, delay: float) -> list[list[tuple[float, str]]]:
    command = [sys.executable, "-m", "benchmarks.shared_frontier", database, "--worker", crawl, "--delay", str(delay)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(number)]
    outputs = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        raise SystemExit("a worker failed")
    return [json.loads(output) for output in outputs]


def _print_row(name: str, workers: list[list[tuple[float, str]]]) -> None:
    turns = [turn for worker in workers for turn in worker]
    times = defaultdict(list)
    for at, url in turns:
        times[url.split("/")[2]].append(at)
    gap = min((later - earlier for each in times.values() for earlier, later in pairwise(sorted(each))), default=0.0)
    seconds = max(at for at, _ in turns) - min(at for at, _ in turns)
    repeated = len(turns) - len({url for _, url in turns})
    print(f"| {name} | {len(turns) / seconds:,.0f} | {gap:.3f} | {repeated} |", flush=True)


def main() -> None:
    """Run the benchmark, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("--origins", type=int, default=1000)
    parser.add_argument("--urls", type=int, default=20_000)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker is not None:
        _worker(arguments.database, arguments.worker, arguments.delay)
        return
    pages = arguments.urls // arguments.origins
    urls = [f"https://host{host}.example/{page}" for page in range(pages) for host in range(arguments.origins)]
    print("| frontier | turns a second | shortest gap in s | repeated URLs |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        options = {"path": Path(folder) / "crawl.sqlite3", "min_delay": arguments.delay}
        asyncio.run(_fill(options, urls))
        _print_row("a file, one process", [asyncio.run(_crawl(options))])
    for number in (1, 2, 4):
        crawl = f"benchmark {time.time()}"
        asyncio.run(_fill({"backend": PostgresQueue(arguments.database, crawl=crawl)}, urls))
        workers = _run_workers(arguments.database, crawl, number, arguments.delay)
        _print_row(f"PostgreSQL, processes: {number}", workers)


if __name__ == "__main__":
    main()
