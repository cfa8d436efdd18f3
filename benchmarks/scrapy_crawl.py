"""Crawl a site on loopback with Scrapy, with its own robots.txt middleware and with canfetch's, and compare the speed.

    python -m benchmarks.scrapy_crawl [--pages 2000] [--rounds 5]

The server and each crawl are processes of their own, and the crawls take turns. The time of a crawl is that from the
first request of the spider to the end, without the start of the interpreter.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.inputs import AGENT, SIZES, generate

MIDDLEWARES: dict[str, dict[str, Any]] = {
    "none": {"ROBOTSTXT_OBEY": False},
    "Scrapy": {"ROBOTSTXT_OBEY": True},
    "canfetch": {"ADDONS": {"canfetch.integrations.scrapy.Addon": 100}},
}
SETTINGS = {
    "USER_AGENT": f"{AGENT}/1.0",
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "COOKIES_ENABLED": False,
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
}
ROOT = Path(__file__).parents[1]
PAGE = b"<!doctype html><title>A page</title>"
SECONDS = 600


class Crawl(NamedTuple):
    """The result of a crawl: pages, and wall and processor time in seconds."""

    pages: int
    seconds: float
    cpu_seconds: float


async def serve() -> None:
    """Serve the pages until standard input ends."""
    robots = generate(SIZES["5 KB"]).content

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                is_robots = request.startswith(b"GET /robots.txt ")
                body, kind = (robots, b"plain") if is_robots else (PAGE, b"html")
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/%b\r\nContent-Length: %d\r\n\r\n" % (kind, len(body))
                )
                writer.write(body)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


def crawl(middleware: str, port: int, pages: int) -> Crawl:
    """Crawl the pages in this process."""
    import scrapy
    from scrapy.crawler import CrawlerProcess

    started: list[tuple[float, float]] = []

    class PagesSpider(scrapy.Spider):
        name = "pages"

        async def start(self) -> AsyncIterator[Any]:
            started.append((time.perf_counter(), time.process_time()))
            for number in range(pages):
                yield scrapy.Request(f"http://127.0.0.1:{port}/crawl/{number}.html", callback=self.answered)

        def answered(self, response: scrapy.http.Response) -> None:
            assert response.status == 200

    process = CrawlerProcess({**SETTINGS, **MIDDLEWARES[middleware]})
    crawler = process.create_crawler(PagesSpider)
    _ = process.crawl(crawler)
    process.start()
    ended = (time.perf_counter(), time.process_time())
    assert crawler.stats is not None
    fetched: int = crawler.stats.get_value("downloader/response_status_count/200")
    return Crawl(fetched, ended[0] - started[0][0], ended[1] - started[0][1])


@contextmanager
def server() -> Iterator[int]:
    """Run the server, and yield its port."""
    command = [sys.executable, "-m", "benchmarks.scrapy_crawl", "--serve"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        # The end of its input ends the server.
        process.communicate(timeout=SECONDS)


def run_crawl(middleware: str, port: int, pages: int) -> Crawl:
    """Crawl the pages in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scrapy_crawl", "--crawl", middleware, str(port), "--pages", str(pages)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=True)
    return Crawl(*json.loads(done.stdout.splitlines()[-1]))


def compare(pages: int, rounds: int) -> list[str]:
    """Return the lines of the table."""
    crawls: dict[str, list[Crawl]] = {name: [] for name in MIDDLEWARES}
    names = list(MIDDLEWARES)
    with server() as port:
        for turn in range(rounds):
            first = turn % len(names)
            for name in names[first:] + names[:first]:
                crawls[name].append(run_crawl(name, port, pages))
    lines = [
        f"Scrapy {importlib.metadata.version('scrapy')}, {pages} pages, {rounds} rounds, {os.cpu_count()} cores",
        "",
        "| robots.txt middleware | pages a second | processor time a page | time beside Scrapy's own |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name in names:
        speed = statistics.median(crawl.pages / crawl.seconds for crawl in crawls[name])
        cpu = statistics.median(crawl.cpu_seconds / crawl.pages for crawl in crawls[name])
        pairs = zip(crawls[name], crawls["Scrapy"], strict=True)
        ratio = statistics.median(
            (ours.cpu_seconds / ours.pages) / (theirs.cpu_seconds / theirs.pages) for ours, theirs in pairs
        )
        lines.append(f"| {name} | {speed:.0f} | {cpu * 1e6:.0f} us | {ratio:.2f}x |")
    return lines


def main() -> None:
    """Compare the middlewares, or run the server or one crawl."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scrapy_crawl", description=__doc__)
    parser.add_argument("--pages", type=int, default=2000, help="Pages of a crawl.")
    parser.add_argument("--rounds", type=int, default=5, help="Crawls with each middleware.")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--crawl", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
    elif options.crawl:
        middleware, port = options.crawl
        print(json.dumps(crawl(middleware, int(port), options.pages)))
    else:
        print("\n".join(compare(options.pages, options.rounds)))


if __name__ == "__main__":
    main()
