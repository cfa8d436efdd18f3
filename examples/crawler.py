"""Crawl sites politely, and continue after an interruption. Run: python examples/crawler.py FOLDER https://example.com/.

FOLDER keeps the state of the crawl. Run the same command again to continue it. With --database, several processes crawl
together, each with a folder of its own. With --warc, the pages and robots.txt files are written to WARC files there.
Needs aiohttp, psycopg for a database, and warcio for WARC files.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import aiohttp
from yarl import URL

import canfetch
from canfetch.client.frontier import PostgresQueue
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.transports import AsyncTransport
from canfetch.client.transports.http_transport import AsyncHTTPTransport
from canfetch.pages.encodings import detect_encoding

if TYPE_CHECKING:
    from warc_archive import WarcArchive

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
# The rest of a longer page is not read.
MAX_BYTES = 2 << 20


class LinkParser(HTMLParser):
    """Collects the links of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        # `html.parser` rejects some invalid declarations. The links before them are kept.
        with suppress(AssertionError):
            self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Add the target of a link."""
        self.links += [value for name, value in attrs if tag == "a" and name == "href" and value]


def as_sent(url: str) -> str | None:
    """Return the URL that aiohttp sends for a URL, or None. It sends `/a%3Bb` as `/a;b`, which can be disallowed."""
    try:
        return str(URL(url))
    except ValueError:
        return None


async def read_start(response: aiohttp.ClientResponse) -> bytes:
    """Return a body, or the start of a long one."""
    body = bytearray()
    while len(body) < MAX_BYTES and (data := await response.content.read(MAX_BYTES - len(body))):
        body += data
    return bytes(body)


async def fetch(session: aiohttp.ClientSession, turn: canfetch.Turn, archive: "WarcArchive | None") -> list[str]:
    """Fetch a page, and return its links. If the server is busy, queue the page again."""
    # `as_sent` has changed the URL before it was checked, so aiohttp does not change it here.
    # The target of a redirect can be disallowed, so it is added like a link.
    async with session.get(turn.url, allow_redirects=False) as response:
        body = await read_start(response)
        if archive is not None:
            archive.write(
                # As it was sent: in ASCII, with a path and without a fragment.
                str(response.request_info.url),
                response.request_info.headers.items(),
                status=response.status,
                headers=response.headers.items(),
                body=body,
                is_truncated=not response.content.at_eof(),
                verdict=turn.verdict,
            )
        if response.status in (429, 503):
            turn.retry(retry_after=response.headers.get("Retry-After"))
        if "Location" in response.headers:
            return [response.headers["Location"]]
        if response.status != 200 or response.content_type != "text/html":
            return []
        # The encoding of browsers. Python has others that raise errors, such as `idna`.
        encoding = detect_encoding(body, response.headers["Content-Type"]).name
        return LinkParser(body.decode(encoding, errors="replace")).links


def absolute(links: list[str], page_url: str, origins: tuple[str, ...]) -> Iterator[str]:
    """Yield the absolute URLs of the links that lead to the crawled sites."""
    for link in links:
        with suppress(ValueError):
            url = urljoin(page_url, link)
            if url.startswith(origins):
                yield url


async def work(
    frontier: canfetch.Frontier,
    session: aiohttp.ClientSession,
    origins: tuple[str, ...],
    archive: "WarcArchive | None",
) -> None:
    """Fetch pages until none is left."""
    async for turn in frontier:
        # The turn ends before the error is ignored: the page is queued again.
        with suppress(aiohttp.ClientError, TimeoutError), turn:
            links = await fetch(session, turn, archive)
            # Pages near the start come first.
            frontier.add_many(absolute(links, turn.url, origins), priority=turn.priority - 1)


async def show_progress(frontier: canfetch.Frontier) -> None:
    """Show the counts on a terminal, each second."""
    while sys.stderr.isatty():
        counts = frontier.counts
        text = f"queued {counts.queued}  done {counts.done}  failed {counts.failed}  skipped {counts.skipped}"
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        await asyncio.sleep(1)


def create_archive(folder: Path) -> "tuple[WarcArchive, AsyncTransport]":
    """Return an archive that is not open yet, and a transport that writes robots.txt files to it."""
    from warc_archive import ArchivingTransport, WarcArchive  # noqa: PLC0415 - needs warcio

    archive = WarcArchive(folder)
    return archive, ArchivingTransport(AsyncHTTPTransport(), archive)


async def crawl(
    folder: Path,
    seeds: list[str],
    *,
    database: str | None,
    crawl_name: str | None,
    warc: bool,
    min_delay: float,
    retry_delay: float,
    workers: int,
) -> None:
    """Crawl the sites of the seeds."""
    # Other seeds are another crawl.
    name = crawl_name or sha256(" ".join(seeds).encode()).hexdigest()
    backend = PostgresQueue(database, crawl=name) if database else None
    path = None if backend else folder / "frontier.sqlite3"
    origins = tuple(f"{canfetch.Origin.from_url(seed)}/" for seed in seeds)
    store = SQLiteStore(folder / "robots.sqlite3")
    archive, transport = create_archive(folder / "warc") if warc else (None, AsyncHTTPTransport())
    with ExitStack() as files:
        async with (
            canfetch.AsyncClient(user_agent=USER_AGENT, store=store, transport=transport) as client,
            canfetch.Frontier(
                client,
                seeds,
                path=path,
                backend=backend,
                min_delay=min_delay,
                retry_delay=retry_delay,
                url_filter=as_sent,
            ) as frontier,
            aiohttp.ClientSession(
                headers={"User-Agent": USER_AGENT},
                timeout=aiohttp.ClientTimeout(total=30),
                # aiohttp repeats a request at once, without a delay, if a connection that was kept is closed.
                connector=aiohttp.TCPConnector(force_close=True),
            ) as session,
        ):
            # After the frontier, which refuses a second process. It is closed after the client, which writes to it.
            if archive is not None:
                files.enter_context(archive)
            progress = asyncio.create_task(show_progress(frontier))
            async with asyncio.TaskGroup() as tasks:
                for _ in range(workers):
                    tasks.create_task(work(frontier, session, origins, archive))
            progress.cancel()
            print(frontier.counts)
            for failed in frontier.failed():
                print(f"failed: {failed.url}: {failed.error}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("seeds", nargs="+")
    parser.add_argument("--database", metavar="URL", help="a PostgreSQL database that several processes share")
    parser.add_argument("--crawl", metavar="NAME", dest="crawl_name", help="its crawl, by default a hash of the seeds")
    parser.add_argument("--warc", action="store_true", help="write WARC files to FOLDER/warc")
    parser.add_argument("--min-delay", type=float, default=1.0, help="seconds between two requests to a site")
    parser.add_argument("--retry-delay", type=float, default=600.0, help="seconds until the second attempt of a page")
    parser.add_argument("--workers", type=int, default=20, help="requests at the same time")
    arguments = parser.parse_args()
    asyncio.run(crawl(**vars(arguments)))
