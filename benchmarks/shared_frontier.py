"""The turns a second of 1, 2 and 4 processes that share a frontier on PostgreSQL, beside one process with a file.

    python -m benchmarks.shared_frontier [DATABASE_URL] [--origins 1000] [--urls 20000] [--delay 0]
    python -m benchmarks.shared_frontier --floor
    python -m benchmarks.shared_frontier --queue 1000000 5000000 10000000 --origins 100000 --seconds 60

Without a URL, it starts a server of its own. Each process asks a client whose transport answers at once, so only the
frontier is measured. With a delay, every origin has it, and the shortest time between two turns of one origin is in the
table.

`--floor` runs the two statements of a turn with pgbench and four connections, which is what the server can do without
any worker. `--queue` queues URLs up to each of the given numbers, and then lets two processes take turns.
"""

import argparse
import asyncio
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import nullcontext
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import psycopg
from tests.postgres import find_program, start_postgres

import canfetch
from canfetch.access.responses import Response
from canfetch.client.frontier import PostgresQueue
from canfetch.client.frontier import postgres_statements as sql
from canfetch.client.transports import TransportRequest

_TASKS = 16
_ADDED = 1000
_CONNECTIONS = 4
# The URLs of a worker whose origins it has claimed.
_CLAIMED = """
WITH w AS (
    INSERT INTO canfetch_workers (crawl, name, alive_until)
    SELECT 1, 'floor', 'infinity' FROM generate_series(1, {workers}) RETURNING id
), o AS (
    INSERT INTO canfetch_origins (crawl, name, state, worker)
    SELECT 1, 'https://host' || w.id || '-' || n || '.example', 3, w.id FROM w, generate_series(1, {turns}) AS n
    ORDER BY n, w.id RETURNING id
)
INSERT INTO canfetch_urls (origin, id, crawl, url, priority) SELECT id, id, 1, 'https://host.example/', 0 FROM o"""


class _Transport:
    """Answers every request for a robots.txt with an empty file."""

    async def send(self, request: TransportRequest) -> Response:
        return Response(request.url, 200, (), b"")

    async def close(self) -> None:
        """Do nothing."""


async def _crawl(options: dict[str, Any], seconds: float = 1e9) -> list[tuple[float, str]]:
    turns: list[tuple[float, str]] = []
    end = time.time() + seconds

    async def work(frontier: canfetch.Frontier) -> None:
        async for turn in frontier:
            turns.append((time.time(), turn.url))
            turn.done()
            if time.time() > end:
                return

    async with (
        canfetch.AsyncClient(user_agent="ExampleBot/1.0", transport=_Transport()) as client,
        canfetch.Frontier(client, **options) as frontier,
        asyncio.TaskGroup() as tasks,
    ):
        for _ in range(_TASKS):
            tasks.create_task(work(frontier))
    return turns


async def _fill(options: dict[str, Any], urls: Iterable[str]) -> None:
    async with (
        canfetch.AsyncClient(user_agent="ExampleBot/1.0", transport=_Transport()) as client,
        canfetch.Frontier(client, **options) as frontier,
    ):
        frontier.add_many(urls)


def _worker(database: str, arguments: argparse.Namespace) -> None:
    options = {"backend": PostgresQueue(database, crawl=arguments.worker), "min_delay": arguments.delay}
    turns = asyncio.run(_crawl(options, arguments.seconds))
    if arguments.queue:
        print(len(turns), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    else:
        json.dump(turns, sys.stdout)


def _worker_command(database: str, crawl: str, delay: float) -> list[str]:
    return [sys.executable, "-m", "benchmarks.shared_frontier", database, "--worker", crawl, "--delay", str(delay)]


def _run_workers(database: str, crawl: str, number: int, delay: float) -> list[list[tuple[float, str]]]:
    command = _worker_command(database, crawl, delay)
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


def _measure_floor(database: str, turns: int) -> None:
    """Run the statements of turns with pgbench. Each connection has origins of its own, with one URL each."""
    # Creates the tables and the crawl. Its worker has the first number.
    asyncio.run(_fill({"backend": PostgresQueue(database, crawl="floor")}, []))
    each = turns // _CONNECTIONS
    with psycopg.connect(database, autocommit=True) as connection_of_floor:
        connection_of_floor.execute(_CLAIMED.format(workers=_CONNECTIONS, turns=each).encode())
        connection_of_floor.execute("ANALYZE")
    # The origins of the workers follow one another.
    script = [
        r"\set n :n + 1",
        rf"\set origin (:n - 1) * {_CONNECTIONS} + :client_id + 1",
        r"\set worker :client_id + 2",
    ]
    values = {"worker": ":worker", "origin": ":origin", "url": ":origin", "ready_in": "0"}
    values |= {"origins": "ARRAY[:origin]", "urls": "ARRAY[:origin]", "attempts": "ARRAY[1]", "waits": "ARRAY[0]"}
    values["passed_retry_at"] = "ARRAY[NULL]"
    for statement in (sql.TAKE_ONLY, sql.end_statement("done", gives_back=True)):
        filled = re.sub(r"%\((\w+)\)s", lambda match: values.get(match[1], "NULL"), statement)
        script.append(" ".join(filled.split()) + ";")
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write("\n".join(script) + "\n")
        file.flush()
        command = [find_program("pgbench"), "-n", "-M", "prepared", "-f", file.name, "-D", "n=0"]
        command += ["-c", str(_CONNECTIONS), "-j", "1", "-t", str(each), database]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    with psycopg.connect(database) as connection_of_floor:
        rows = connection_of_floor.execute("SELECT sum(done)::bigint FROM canfetch_workers").fetchone()
    assert rows == (each * _CONNECTIONS,), rows
    rate = re.search(r"tps = ([0-9.]+)", output)
    assert rate is not None, output
    print(f"| the statements of a turn with pgbench, connections: {_CONNECTIONS} | {float(rate[1]):,.0f} | | |")


def _measure_queue(database: str, arguments: argparse.Namespace) -> None:
    """Queue URLs up to each number, the pages of some origins after those of others, and take turns then."""
    crawl = f"benchmark {time.time()}"
    options = {"backend": PostgresQueue(database, crawl=crawl), "min_delay": arguments.delay}
    pages = max(arguments.queue) // arguments.origins
    together = max(1, _ADDED // pages)
    urls = (
        f"https://host{host}.example/{page}"
        for first in range(0, arguments.origins, together)
        for page in range(pages)
        for host in range(first, min(first + together, arguments.origins))
    )
    print(
        "| queued URLs | origins | added a second | turns a second of two processes | memory of a process | database |"
    )
    print("|---|---|---|---|---|---|", flush=True)
    added = 0
    for number in sorted(arguments.queue):
        started, before = time.time(), added
        asyncio.run(_fill(options, islice(urls, number - before)))
        added = number
        rate = (number - before) / (time.time() - started)
        command = [
            *_worker_command(database, crawl, arguments.delay),
            "--seconds",
            str(arguments.seconds),
            "--queue",
            "1",
        ]
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        results = [list(map(int, process.communicate()[0].split())) for process in processes]
        turns, memory = sum(result[0] for result in results), max(result[1] for result in results)
        with psycopg.connect(database) as connection:
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        assert row is not None
        size = row[0] / 1024**3
        speed = turns / arguments.seconds
        origins = number // pages
        print(
            f"| {number:,} | {origins:,} | {rate:,.0f} | {speed:,.0f} | {memory // 1024} MiB | {size:.1f} GiB |",
            flush=True,
        )


def main() -> None:
    """Run the benchmark, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", nargs="?")
    parser.add_argument("--origins", type=int, default=1000)
    parser.add_argument("--urls", type=int, default=20_000)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--floor", action="store_true")
    parser.add_argument("--queue", type=int, nargs="+")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    with start_postgres() if arguments.database is None else nullcontext() as server:
        database = arguments.database if server is None else server.url()
        if arguments.worker is not None:
            _worker(database, arguments)
        elif arguments.floor:
            _measure_floor(database, arguments.urls)
        elif arguments.queue:
            _measure_queue(database, arguments)
        else:
            _compare(database, arguments)


def _compare(database: str, arguments: argparse.Namespace) -> None:
    pages = arguments.urls // arguments.origins
    urls = [f"https://host{host}.example/{page}" for page in range(pages) for host in range(arguments.origins)]
    print("| frontier | turns a second | shortest gap in s | repeated URLs |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        options = {"path": Path(folder) / "crawl.sqlite3", "min_delay": arguments.delay}
        asyncio.run(_fill(options, urls))
        _print_row("a file, one process", [asyncio.run(_crawl(options))])
    for number in (1, 2, 4):
        crawl = f"benchmark {time.time()}"
        asyncio.run(_fill({"backend": PostgresQueue(database, crawl=crawl)}, urls))
        workers = _run_workers(database, crawl, number, arguments.delay)
        _print_row(f"PostgreSQL, processes: {number}", workers)


if __name__ == "__main__":
    main()
