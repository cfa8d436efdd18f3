"""A common interface to caches that contain the robots.txt of many origins.

Each check includes the lookup by URL, done in the library's own way. Files are supplied from memory, without fetching.
Protego and the standard library have no cache, so their parsed files are in a dict by host, and the host is found by
splitting the URL at its slashes, which is the fastest way.
"""

from __future__ import annotations

import asyncio
import atexit
import functools
import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.contenders import ENGINES, get_contender
from benchmarks.inputs import AGENT, SIZES, generate

Files = Mapping[str, bytes]  # by origin, such as https://host.example
Loop = Callable[[], object]

USER_AGENT = f"{AGENT}/1.0"
CANFETCH_KEYS = tuple(f"canfetch-{engine}" for engine in ENGINES)
CRAWLERS = {"scrapy": "Scrapy", "crawlee": "crawlee"}
_UNBOUNDED = 1 << 40


@dataclass(frozen=True, slots=True)
class WarmCache:
    """A filled cache.

    `loop` and `async_loop` return functions that check all URLs. They are None if the library has no such interface.
    `decide_loop` does the same for verdicts with their reasons.
    """

    loop: Callable[[Sequence[str]], Loop] | None = None
    async_loop: Callable[[Sequence[str]], Loop] | None = None
    decide_loop: Callable[[Sequence[str]], Loop] | None = None


Fill = Callable[[Files], WarmCache]


def get_filler(key: str) -> Fill:
    """Return the function that fills a cache, by key: one of `CANFETCH_KEYS`, `CRAWLERS`, `protego` or `stdlib`.

    Raises: ImportError: The library is not installed.
    """
    if key in CANFETCH_KEYS:
        get_contender(key)
        return lambda files: _canfetch(key.removeprefix("canfetch-"), files)
    if key in {"protego", "stdlib"}:
        get_contender(key)
        return _protego if key == "protego" else _stdlib
    try:
        importlib.metadata.version(CRAWLERS[key])
    except importlib.metadata.PackageNotFoundError as error:
        raise ImportError(f"{CRAWLERS[key]} is not installed") from error
    return _scrapy if key == "scrapy" else _crawlee


def get_title(key: str) -> str:
    """Return the name and version of a crawler."""
    return f"{CRAWLERS[key]} {importlib.metadata.version(CRAWLERS[key])}"


def same_files(name: str, count: int) -> Files:
    """Return `count` origins with the same small file, like the hosts of one platform."""
    content = generate(SIZES["300 B"]).content
    return {f"https://{name}{number}.example": content for number in range(count)}


def own_files(count: int) -> Files:
    """Return `count` origins with small files that differ in the URL of the sitemap."""
    content = generate(SIZES["300 B"]).content.partition(b"\nSitemap:")[0]
    origins = [f"https://host{number}.example" for number in range(count)]
    return {origin: content + f"\nSitemap: {origin}/sitemap.xml\n".encode() for origin in origins}


def _await_all(check: Callable[[str], Any], urls: Sequence[str]) -> Loop:
    # One task awaits all results, so that task switches are not measured.
    async def await_all() -> None:
        for url in urls:
            await check(url)

    runner = asyncio.Runner()
    atexit.register(runner.close)
    runner.run(await_all())
    return lambda: runner.run(await_all())


def _call_all(check: Callable[[str], object], urls: Sequence[str]) -> Loop:
    def run() -> None:
        for url in urls:
            check(url)

    return run


class _MemoryTransport:
    """Base class of transports that return the files, with a new bytes object for each response."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def respond(self, request: Any) -> Any:
        from canfetch.access.responses import Response

        content = self._files[request.url.removesuffix("/robots.txt")]
        return Response(request.url, 200, (("Content-Type", "text/plain"),), bytes(bytearray(content)))


class _SyncTransport(_MemoryTransport):
    def send(self, request: Any) -> Any:
        return self.respond(request)

    def close(self) -> None:
        pass


def store_files(files: Files, path: Path) -> None:
    """Fill an SQLite store with the files of origins."""
    from canfetch.client.stores.sqlite import SQLiteStore
    from canfetch.client.sync_client import Client

    with Client(user_agent=USER_AGENT, transport=_SyncTransport(files), store=SQLiteStore(path)) as client:
        for origin in files:
            client.origin_state(f"{origin}/")


class _AsyncTransport(_MemoryTransport):
    async def send(self, request: Any) -> Any:
        return self.respond(request)

    async def close(self) -> None:
        pass


def _canfetch(engine: str, files: Files) -> WarmCache:
    import canfetch

    options: dict[str, Any] = {"user_agent": USER_AGENT, "max_memory_bytes": _UNBOUNDED}
    if engine != canfetch.engine:
        options["engine"] = engine
    client = canfetch.Client(transport=_SyncTransport(files), **options)
    for origin in files:
        client.allows(f"{origin}/")

    def async_loop(urls: Sequence[str]) -> Loop:
        return _await_all(canfetch.AsyncClient(transport=_AsyncTransport(files), **options).allows, urls)

    return WarmCache(
        functools.partial(_call_all, client.allows), async_loop, functools.partial(_call_all, client.decide)
    )


def _by_host(key: str, files: Files) -> dict[str, Any]:
    library = get_contender(key)
    parse = library.parse
    assert parse is not None
    by_host = {}
    for origin, content in files.items():
        parsed = parse(content.decode("utf-8", "replace"))
        library.bind(parsed, AGENT)(f"{origin}/")
        by_host[origin.partition("//")[2]] = parsed
    return by_host


def _protego(files: Files) -> WarmCache:
    by_host = _by_host("protego", files)

    def loop(urls: Sequence[str]) -> Loop:
        def run() -> None:
            for url in urls:
                by_host[url.split("/", 3)[2]].can_fetch(url, AGENT)

        return run

    return WarmCache(loop)


def _stdlib(files: Files) -> WarmCache:
    by_host = _by_host("stdlib", files)

    def loop(urls: Sequence[str]) -> Loop:
        def run() -> None:
            for url in urls:
                by_host[url.split("/", 3)[2]].can_fetch(AGENT, url)

        return run

    return WarmCache(loop)


def _scrapy(files: Files) -> WarmCache:
    """Fill RobotsTxtMiddleware as its `_parse_robots` does, with Protego, Scrapy's default parser."""
    from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware  # type: ignore[import-not-found,unused-ignore]
    from scrapy.exceptions import IgnoreRequest  # type: ignore[import-not-found,unused-ignore]
    from scrapy.http import Request  # type: ignore[import-not-found,unused-ignore]
    from scrapy.settings import Settings  # type: ignore[import-not-found,unused-ignore]
    from scrapy.statscollectors import DummyStatsCollector  # type: ignore[import-not-found,unused-ignore]

    settings = Settings({"ROBOTSTXT_OBEY": True, "USER_AGENT": USER_AGENT, "ROBOTSTXT_USER_AGENT": AGENT})
    crawler = SimpleNamespace(settings=settings, spider=None, stats=None)
    crawler.stats = DummyStatsCollector(SimpleNamespace(settings=settings))
    middleware: Any = RobotsTxtMiddleware(crawler)
    for origin, content in files.items():
        parser = middleware._parserimpl.from_crawler(crawler, bytes(bytearray(content)))  # noqa: SLF001 - the only way to fill it
        middleware._parsers[origin.partition("//")[2]] = parser  # noqa: SLF001 - as above
        parser.allowed(f"{origin}/", AGENT)

    def async_loop(urls: Sequence[str]) -> Loop:
        # Requests exist before they reach this middleware.
        requests = {url: Request(url) for url in urls}

        async def check(url: str) -> bool:
            try:
                await middleware.process_request(requests[url])
            except IgnoreRequest:
                return False
            return True

        return _await_all(check, urls)

    return WarmCache(async_loop=async_loop)


def _crawlee(files: Files) -> WarmCache:
    """Fill a cache of RobotsTxtFile by origin like that of Crawlee's crawlers, large enough for all origins."""
    from cachetools import LRUCache  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from crawlee._utils.robots import RobotsTxtFile  # type: ignore[import-not-found,unused-ignore]
    from yarl import URL

    async def load() -> dict[str, Any]:
        return {
            origin: await RobotsTxtFile.from_content(f"{origin}/robots.txt", bytes(bytearray(content)).decode())
            for origin, content in files.items()
        }

    cache: Any = LRUCache(maxsize=len(files))
    cache.update(asyncio.run(load()))
    for origin in files:
        cache[origin].is_allowed(f"{origin}/", AGENT)

    def loop(urls: Sequence[str]) -> Loop:
        def run() -> None:
            for url in urls:
                cache.get(str(URL(url).origin())).is_allowed(url, AGENT)

        return run

    def async_loop(urls: Sequence[str]) -> Loop:
        async def check(url: str) -> bool:
            allowed: bool = cache.get(str(URL(url).origin())).is_allowed(url, AGENT)
            return allowed

        return _await_all(check, urls)

    return WarmCache(loop, async_loop)
