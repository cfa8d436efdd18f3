"""The time that the integrations of HTTP clients add to a request, on loopback."""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection

from benchmarks import inputs, timing
from benchmarks.bench import Bench
from benchmarks.table import format_duration
from benchmarks.timing import Task

SECTION = "HTTP clients: time added to a request"
SECONDS = 4.0
REQUESTS = 20
USER_AGENT = f"{inputs.AGENT}/1.0"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"

# The plain client and the client with its integration, each as a function that sends requests.
Pair = tuple[Callable[[], object], Callable[[], object]]


def http_client_rows(bench: Bench) -> None:
    """Measure each HTTP client without and with its integration."""
    # Each engine serves all integrations alike, so only the fastest is measured.
    engine = next(iter(bench.engines))
    with _server() as url:
        for name, make_pair in PAIRS.items():
            bench.log(f"http clients: {name}")
            with ExitStack() as stack:
                try:
                    plain, guarded = make_pair(stack, url, engine)
                except ImportError as error:
                    bench.report.notes.append(f"{name}: not measured: {error}")
                    continue
                tasks = [Task("plain", plain, REQUESTS), Task("guarded", guarded, REQUESTS)]
                race = timing.race(tasks, SECONDS * bench.scale, min_rounds=bench.min_rounds)
            _add_row(bench, name, engine, race)


def _add_row(bench: Bench, name: str, engine: str, race: timing.Race) -> None:
    plain, guarded = race["plain"], race["guarded"]
    rounds = plain.nanoseconds.keys() & guarded.nanoseconds.keys()
    added = statistics.median(guarded.nanoseconds[turn] - plain.nanoseconds[turn] for turn in rounds)
    percent = 100 * added / plain.median
    bench.figure(
        SECTION,
        name,
        engine,
        text=f"{format_duration(added)} of {format_duration(guarded.median)}",
        value=percent,
    ).score = f"{percent:.1f} %"


# --- the clients -----------------------------------------------------------------------------------------------------


def _httpx2(stack: ExitStack, url: str, engine: str) -> Pair:
    import httpx2

    from canfetch.integrations.httpx2 import RobotsTransport

    plain = stack.enter_context(httpx2.Client(transport=httpx2.HTTPTransport()))
    transport = RobotsTransport(user_agent=USER_AGENT, engine=engine)
    guarded = stack.enter_context(httpx2.Client(transport=transport))
    return _repeated(lambda: plain.get(url)), _repeated(lambda: guarded.get(url))


def _httpx2_async(stack: ExitStack, url: str, engine: str) -> Pair:
    import httpx2

    from canfetch.integrations.httpx2 import AsyncRobotsTransport

    runner = stack.enter_context(asyncio.Runner())
    plain = httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport())
    guarded = httpx2.AsyncClient(transport=AsyncRobotsTransport(user_agent=USER_AGENT, engine=engine))
    stack.callback(lambda: runner.run(_close(plain.aclose, guarded.aclose)))
    return _awaited(runner, lambda: plain.get(url)), _awaited(runner, lambda: guarded.get(url))


def _aiohttp(stack: ExitStack, url: str, engine: str) -> Pair:
    import aiohttp

    from canfetch.integrations.aiohttp import RobotsMiddleware

    async def create(*middlewares: RobotsMiddleware) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(middlewares=middlewares)

    async def get(session: aiohttp.ClientSession) -> None:
        async with session.get(url) as response:
            await response.read()

    runner = stack.enter_context(asyncio.Runner())
    robots = RobotsMiddleware(user_agent=USER_AGENT, engine=engine)
    plain, guarded = runner.run(create()), runner.run(create(robots))
    stack.callback(lambda: runner.run(_close(plain.close, robots.close, guarded.close)))
    return _awaited(runner, lambda: get(plain)), _awaited(runner, lambda: get(guarded))


def _requests(stack: ExitStack, url: str, engine: str) -> Pair:
    import requests

    from canfetch.integrations.requests import RobotsAdapter

    plain, guarded = stack.enter_context(requests.Session()), stack.enter_context(requests.Session())
    guarded.mount("http://", RobotsAdapter(user_agent=USER_AGENT, engine=engine))
    return _repeated(lambda: plain.get(url)), _repeated(lambda: guarded.get(url))


def _urllib(stack: ExitStack, url: str, engine: str) -> Pair:
    from canfetch.integrations.urllib import RobotsHandler

    plain = urllib.request.build_opener()
    robots = stack.enter_context(RobotsHandler(user_agent=USER_AGENT, engine=engine))
    guarded = urllib.request.build_opener(robots)

    def get(opener: urllib.request.OpenerDirector) -> None:
        with opener.open(url) as response:
            response.read()

    return _repeated(lambda: get(plain)), _repeated(lambda: get(guarded))


PAIRS: dict[str, Callable[[ExitStack, str, str], Pair]] = {
    "httpx2.Client": _httpx2,
    "httpx2.AsyncClient": _httpx2_async,
    "aiohttp": _aiohttp,
    "requests": _requests,
    "urllib": _urllib,
}


def _repeated(send: Callable[[], object]) -> Callable[[], object]:
    def run() -> None:
        for _ in range(REQUESTS):
            send()

    return run


def _awaited(runner: asyncio.Runner, send: Callable[[], Awaitable[object]]) -> Callable[[], object]:
    async def run() -> None:
        for _ in range(REQUESTS):
            await send()

    return lambda: runner.run(run())


async def _close(*closes: Callable[[], Awaitable[object]]) -> None:
    for close in closes:
        await close()


# --- the server ------------------------------------------------------------------------------------------------------


@contextmanager
def _server() -> Iterator[str]:
    """Start a server in a process of its own, and yield the URL of a page that its robots.txt of 5 KB allows."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/page"
    finally:
        process.terminate()
        process.join()


def _serve(connection: Connection) -> None:
    # Allows the page, whichever rules follow.
    robots = b"User-agent: *\nAllow: /page$\n\n" + inputs.generate(inputs.SIZES["5 KB"]).content

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                body = robots if head.startswith(b"GET /robots.txt ") else b"page"
                writer.write(_HEAD % len(body) + body)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(handle, "127.0.0.1")
        connection.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())
