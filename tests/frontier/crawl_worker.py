"""One worker of a crawl in a database, a file or a service, as a program: it requests each page once.

    python -m tests.frontier.crawl_worker DATABASE CRAWL [SEEDS]

DATABASE is the URL of a PostgreSQL database, the address of a URLFrontier service, or the path of a file. Each line of
its output is a JSON array: `["done", URL, ATTEMPT]`, or `["lost", URL, ATTEMPT]` if another worker had the URL by then.
With STOP_AT=PATH in its environment, it stops itself with SIGSTOP during the turn of that path. LEASE=SECONDS is its
lease, TASKS the number of its turns at the same time, and GROUP_BY the grouping of the URLs.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from urllib.parse import urlsplit

import canfetch
from canfetch.client.frontier import PostgresQueue, URLFrontier
from canfetch.client.frontier.url_queue import FrontierBackend

LEASE = 2.0
TASKS = 8


async def request(url: str) -> None:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(f"GET {parts.path} HTTP/1.0\r\nHost: {parts.netloc}\r\n\r\n".encode())
    await reader.read()
    writer.close()


async def main() -> None:
    database, crawl = sys.argv[1:3]
    seeds = Path(sys.argv[3]).read_text().split() if len(sys.argv) > 3 else []  # noqa: ASYNC240 - before the crawl
    stop_at = os.environ.get("STOP_AT")
    lease = float(os.environ.get("LEASE", LEASE))
    path: str | None = None
    backend: FrontierBackend | None = None
    if database.startswith("postgresql:"):
        backend = PostgresQueue(database, crawl=crawl, lease=lease, outage_seconds=60.0)
    elif os.sep in database:
        path = database
    else:
        backend = URLFrontier(database, crawl=crawl, lease=lease, outage_seconds=60.0)

    async def work(frontier: canfetch.Frontier) -> None:
        nonlocal stop_at
        async for turn in frontier:
            await request(turn.url)
            if stop_at is not None and turn.url.endswith(stop_at):
                stop_at = None
                os.kill(os.getpid(), signal.SIGSTOP)
            word = "done" if turn.done() else "lost"
            sys.stdout.write(json.dumps([word, turn.url, turn.attempt]) + "\n")
            sys.stdout.flush()

    async with (
        canfetch.AsyncClient(user_agent="ExampleBot/1.0") as client,
        canfetch.Frontier(
            client,
            seeds,
            path=path,
            backend=backend,
            group_by=os.environ.get("GROUP_BY", "origin"),
            min_delay=0.0,
            retry_delay=0.0,
        ) as frontier,
        asyncio.TaskGroup() as tasks,
    ):
        for _ in range(int(os.environ.get("TASKS", TASKS))):
            tasks.create_task(work(frontier))


if __name__ == "__main__":
    asyncio.run(main())
