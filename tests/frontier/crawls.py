"""Crawls in virtual time, with a transport that serves another robots.txt for each host."""

import asyncio
from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.access.conftest import AsyncScriptedOrigin

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.frontier import Frontier, FrontierCounts, SkippedURL, Turn
from canfetch.client.transports import TransportRequest
from canfetch.core.urls import AnyURL

USER_AGENT = "ExampleBot/1.0"


class Hosts(AsyncScriptedOrigin):
    """A transport that serves the file of each host.

    Args:
        files: The content of the robots.txt of each host. Other hosts respond with 404.
        delays: Seconds until a host responds.
        unreachable_until: When the hosts that cannot be reached become reachable.
    """

    def __init__(
        self,
        files: dict[str, bytes] | None = None,
        *,
        delays: dict[str, float] | None = None,
        unreachable_until: dict[str, float] | None = None,
    ) -> None:
        super().__init__()
        self.files = files or {}
        self.delays = delays or {}
        self.unreachable_until = unreachable_until or {}

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        self.requests.append(request)
        host = request.url.split("/")[2]
        await asyncio.sleep(self.delays.get(host, 0.0))
        if virtual_now() < self.unreachable_until.get(host, 0.0):
            return Failure(request.url, FailureKind.CONNECT, "scripted failure")
        return Response(request.url, 200 if host in self.files else 404, (), self.files.get(host, b""))


class TakenURL(NamedTuple):
    """A URL, and when its turn started."""

    at: float
    url: str


class CrawlResult(NamedTuple):
    """The turns and reports of a crawl."""

    taken: list[TakenURL]
    skipped: list[SkippedURL]
    counts: FrontierCounts
    hosts: Hosts

    def times(self, prefix: str) -> list[float]:
        """Return when the turns of URLs with a prefix started."""
        return [taken.at for taken in self.taken if taken.url.startswith(prefix)]

    @property
    def urls(self) -> list[str]:
        return [taken.url for taken in self.taken]


OnTurn = Callable[[Frontier, Turn], object]
# Returns the options of a frontier for a path, if its URLs are not kept in a file.
OpenBackend = Callable[[Path | None], dict[str, Any]]
_BACKENDS: list[OpenBackend] = []


@contextmanager
def use_backend(backend: OpenBackend) -> Iterator[None]:
    """Let all frontiers of the block have another backend."""
    _BACKENDS.append(backend)
    try:
        yield
    finally:
        _BACKENDS.pop()


@asynccontextmanager
async def open_frontier(
    hosts: Hosts | None = None, urls: Any = (), *, clock: Callable[[], float] = virtual_now, **options: Any
) -> Any:
    """Open a frontier in virtual time with a client of its own.

    Args: clock: The wall clock of both.
    """
    if _BACKENDS:
        options |= _BACKENDS[-1](options.pop("path", None))
    async with (
        AsyncClient(user_agent=USER_AGENT, transport=hosts or Hosts(), clock=clock) as client,
        Frontier(client, urls, clock=clock, monotonic=virtual_now, **options) as frontier,
    ):
        yield frontier


async def end_all_turns(frontier: Frontier, expected: type[Exception]) -> tuple[list[str], list[str]]:
    """Crawl until the iteration ends. Return the URLs, and the exceptions that the iteration raised in between."""
    urls: list[str] = []
    errors: list[str] = []
    while True:
        try:
            async for turn in frontier:
                urls.append(turn.url)
                turn.done()
        except expected as error:
            errors.append(str(error))
        else:
            return urls, errors


def crawl(
    hosts: Hosts | dict[str, bytes],
    urls: Iterable[AnyURL] | AsyncIterable[AnyURL],
    *,
    start: float = 0.0,
    workers: int = 1,
    seconds: float = 0.0,
    on_turn: OnTurn | None = None,
    path: Path | None = None,
    **options: Any,
) -> CrawlResult:
    """Crawl until the frontier is empty.

    Args:
        workers: The number of tasks that iterate over the frontier.
        seconds: The duration of each turn.
        on_turn: Called within each turn.
    """
    hosts = hosts if isinstance(hosts, Hosts) else Hosts(hosts)
    taken: list[TakenURL] = []
    skipped: list[SkippedURL] = []

    async def work(frontier: Frontier) -> None:
        async for turn in frontier:
            with turn:
                # A server of PostgreSQL has microseconds.
                taken.append(TakenURL(round(virtual_now(), 4), turn.url))
                await asyncio.sleep(seconds)
                if on_turn is not None:
                    on_turn(frontier, turn)

    async def main() -> FrontierCounts:
        async with open_frontier(hosts, urls, path=path, on_skip=skipped.append, **options) as frontier:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(workers):
                    tasks.create_task(work(frontier))
            counts: FrontierCounts = frontier.counts
            return counts

    return CrawlResult(taken, skipped, run_in_virtual_time(main, start=start), hosts)
