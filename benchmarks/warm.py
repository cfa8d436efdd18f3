"""Warm caches in one shape: the robots.txt of many origins are there, and URLs of these origins are asked about.

Each is the library's own way from a URL to the answer, look-up included. What fills the cache hands the files over in
memory: nobody fetches. A URL's origin is found as the library finds it; Protego and the standard library, which keep
no cache, are in a dict by host, and the host is cut out of the URL by its slashes, which costs least.
"""

from __future__ import annotations

import asyncio
import atexit
import functools
import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from benchmarks.contenders import ENGINES, contender
from benchmarks.inputs import AGENT, SIZES, generate

Files = Mapping[str, bytes]  # by origin, such as https://host.example
Sweep = Callable[[], object]

USER_AGENT = f"{AGENT}/1.0"
OURS = tuple(f"canfetch-{engine}" for engine in ENGINES)
CRAWLERS = {"scrapy": "Scrapy", "crawlee": "crawlee"}
_UNBOUNDED = 1 << 40


@dataclass(frozen=True, slots=True)
class Warm:
    """A filled cache. `sweep` and `sweep_async` ask it about all URLs, one call each; None where it has no such way.

    `explain` does the same for answers with their reasons.
    """

    sweep: Callable[[Sequence[str]], Sweep] | None = None
    sweep_async: Callable[[Sequence[str]], Sweep] | None = None
    explain: Callable[[Sequence[str]], Sweep] | None = None


Fill = Callable[[Files], Warm]


def fill_of(key: str) -> Fill:
    """Give what fills the cache of that key: one of `OURS`, `CRAWLERS`, `protego` or `stdlib`.

    Raises: ImportError: it is not installed here.
    """
    if key in OURS:
        contender(key)
        return lambda files: _canfetch(key.removeprefix("canfetch-"), files)
    if key in {"protego", "stdlib"}:
        contender(key)
        return _protego if key == "protego" else _stdlib
    try:
        importlib.metadata.version(CRAWLERS[key])
    except importlib.metadata.PackageNotFoundError as error:
        raise ImportError(f"{CRAWLERS[key]} is not installed") from error
    return _scrapy if key == "scrapy" else _crawlee


def title_of(key: str) -> str:
    """Give a crawler's name and version."""
    return f"{CRAWLERS[key]} {importlib.metadata.version(CRAWLERS[key])}"


def same_files(name: str, count: int) -> Files:
    """Give so many origins one small file, as the hosts of one platform have."""
    octets = generate(SIZES["300 B"]).octets
    return {f"https://{name}{number}.example": octets for number in range(count)}


def own_files(count: int) -> Files:
    """Give so many origins a small file each, which differs from all others in the name of its sitemap."""
    octets = generate(SIZES["300 B"]).octets.partition(b"\nSitemap:")[0]
    origins = [f"https://host{number}.example" for number in range(count)]
    return {origin: octets + f"\nSitemap: {origin}/sitemap.xml\n".encode() for origin in origins}


def _awaiting(ask: Callable[[str], Any], urls: Sequence[str]) -> Sweep:
    # One task awaits all answers: what a loop costs to switch tasks is nobody's.
    async def all_of_them() -> None:
        for url in urls:
            await ask(url)

    runner = asyncio.Runner()
    atexit.register(runner.close)
    runner.run(all_of_them())
    return lambda: runner.run(all_of_them())


def _calling(ask: Callable[[str], object], urls: Sequence[str]) -> Sweep:
    def run() -> None:
        for url in urls:
            ask(url)

    return run


class _Handing:
    """Transports that hand the files over: octets of its own for each origin, as from a network."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def answer(self, request: Any) -> Any:
        from canfetch.access.responses import Response

        octets = self._files[request.url.removesuffix("/robots.txt")]
        return Response(request.url, 200, (("Content-Type", "text/plain"),), bytes(bytearray(octets)))


class _Waiting(_Handing):
    def send(self, request: Any) -> Any:
        return self.answer(request)

    def close(self) -> None:
        pass


class _Together(_Handing):
    async def send(self, request: Any) -> Any:
        return self.answer(request)

    async def close(self) -> None:
        pass


def _canfetch(engine: str, files: Files) -> Warm:
    import canfetch

    options: dict[str, Any] = {"user_agent": USER_AGENT, "max_memory_bytes": _UNBOUNDED}
    if engine != canfetch.engine:
        options["engine"] = engine
    client = canfetch.Client(transport=_Waiting(files), **options)
    for origin in files:
        client.allows(f"{origin}/")

    def sweep_async(urls: Sequence[str]) -> Sweep:
        return _awaiting(canfetch.AsyncClient(transport=_Together(files), **options).allows, urls)

    return Warm(functools.partial(_calling, client.allows), sweep_async, functools.partial(_calling, client.decide))


def _by_host(key: str, files: Files) -> dict[str, Any]:
    library = contender(key)
    parse = library.parse
    assert parse is not None
    by_host = {}
    for origin, octets in files.items():
        parsed = parse(octets.decode("utf-8", "replace"))
        library.bind(parsed, AGENT)(f"{origin}/")
        by_host[origin.partition("//")[2]] = parsed
    return by_host


def _protego(files: Files) -> Warm:
    by_host = _by_host("protego", files)

    def sweep(urls: Sequence[str]) -> Sweep:
        def run() -> None:
            for url in urls:
                by_host[url.split("/", 3)[2]].can_fetch(url, AGENT)

        return run

    return Warm(sweep)


def _stdlib(files: Files) -> Warm:
    by_host = _by_host("stdlib", files)

    def sweep(urls: Sequence[str]) -> Sweep:
        def run() -> None:
            for url in urls:
                by_host[url.split("/", 3)[2]].can_fetch(AGENT, url)

        return run

    return Warm(sweep)


def _scrapy(files: Files) -> Warm:
    """Fill RobotsTxtMiddleware as its own `_parse_robots` does, with the parser that is Scrapy's default: Protego."""
    from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware  # type: ignore[import-not-found,unused-ignore]
    from scrapy.exceptions import IgnoreRequest  # type: ignore[import-not-found,unused-ignore]
    from scrapy.http import Request  # type: ignore[import-not-found,unused-ignore]
    from scrapy.settings import Settings  # type: ignore[import-not-found,unused-ignore]
    from scrapy.statscollectors import DummyStatsCollector  # type: ignore[import-not-found,unused-ignore]

    settings = Settings({"ROBOTSTXT_OBEY": True, "USER_AGENT": USER_AGENT, "ROBOTSTXT_USER_AGENT": AGENT})
    crawler = SimpleNamespace(settings=settings, spider=None, stats=None)
    crawler.stats = DummyStatsCollector(SimpleNamespace(settings=settings))
    middleware: Any = RobotsTxtMiddleware(crawler)
    for origin, octets in files.items():
        parser = middleware._parserimpl.from_crawler(crawler, bytes(bytearray(octets)))  # noqa: SLF001 - its own way
        middleware._parsers[origin.partition("//")[2]] = parser  # noqa: SLF001 - the same
        parser.allowed(f"{origin}/", AGENT)

    def sweep_async(urls: Sequence[str]) -> Sweep:
        # A crawler has made its requests before they come to this middleware.
        requests = {url: Request(url) for url in urls}

        async def ask(url: str) -> bool:
            try:
                await middleware.process_request(requests[url])
            except IgnoreRequest:
                return False
            return True

        return _awaiting(ask, urls)

    return Warm(sweep_async=sweep_async)


def _crawlee(files: Files) -> Warm:
    """Fill a cache of RobotsTxtFile by origin, as Crawlee's crawlers keep it, with room for all of them."""
    from cachetools import LRUCache  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from crawlee._utils.robots import RobotsTxtFile  # type: ignore[import-not-found,unused-ignore]
    from yarl import URL

    async def loaded() -> dict[str, Any]:
        return {
            origin: await RobotsTxtFile.from_content(f"{origin}/robots.txt", bytes(bytearray(octets)).decode())
            for origin, octets in files.items()
        }

    cache: Any = LRUCache(maxsize=len(files))
    cache.update(asyncio.run(loaded()))
    for origin in files:
        cache[origin].is_allowed(f"{origin}/", AGENT)

    def sweep(urls: Sequence[str]) -> Sweep:
        def run() -> None:
            for url in urls:
                cache.get(str(URL(url).origin())).is_allowed(url, AGENT)

        return run

    def sweep_async(urls: Sequence[str]) -> Sweep:
        async def ask(url: str) -> bool:
            allowed: bool = cache.get(str(URL(url).origin())).is_allowed(url, AGENT)
            return allowed

        return _awaiting(ask, urls)

    return Warm(sweep, sweep_async)
