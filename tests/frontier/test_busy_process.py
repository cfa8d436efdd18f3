"""Processes that share a crawl and do not iterate: others get the origins that they do not use, and reach the end."""

import asyncio
import time
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from tests.frontier.crawl_processes import SLACK
from tests.frontier.crawls import USER_AGENT, Hosts
from tests.postgres import PostgresServer

import canfetch
from canfetch.access.responses import Failure, Response
from canfetch.client.frontier import PostgresQueue, URLFrontier
from canfetch.client.frontier.postgres_report import read_postgres_report
from canfetch.client.frontier.url_queue import FrontierBackend, QueueOptions
from canfetch.client.transports import TransportRequest

pytestmark = [pytest.mark.service, pytest.mark.urlfrontier]

URLS = [f"https://site{number}.example/" for number in range(6)]


class TimedHosts(Hosts):
    """Hosts that note when each request ends."""

    def __init__(self, times: dict[str, list[float]], **options: Any) -> None:
        super().__init__(**options)
        self.times = times

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # as `Hosts`
        response = await super().send(request)
        self.times[request.url.split("/")[2]].append(time.monotonic())
        return response


@pytest.fixture(params=["postgres", "urlfrontier"])
def backend(request: pytest.FixtureRequest) -> FrontierBackend:
    """Return a new crawl that processes can share."""
    name = f"busy{uuid.uuid4().hex}"
    server = request.getfixturevalue(request.param)
    if request.param == "postgres":
        return PostgresQueue(server.create_database(name), crawl="x")
    return URLFrontier(server.address, crawl=name)


def open_client(hosts: Hosts | None = None) -> canfetch.AsyncClient:
    return canfetch.AsyncClient(user_agent=USER_AGENT, transport=hosts or Hosts())


async def finish(frontier: canfetch.Frontier) -> list[str]:
    """Crawl to the end, and return the URLs."""
    return [turn.url async for turn in frontier if turn.done()]


@pytest.mark.parametrize("group_by", ["origin", "host"])
@pytest.mark.parametrize("response_time", [0.0, 0.8])
def test_a_process_that_is_busy_with_a_page_gives_back_what_it_has_checked(
    backend: FrontierBackend, group_by: str, response_time: float
) -> None:
    times: dict[str, list[float]] = defaultdict(list)
    delays = {f"site{number}.example": response_time for number in range(1, 6)}
    options: dict[str, Any] = {"backend": backend, "group_by": group_by, "min_delay": 1.5}

    async def main() -> None:
        async with (
            open_client(TimedHosts(times, delays=delays)) as client,
            open_client(TimedHosts(times, delays=delays)) as other_client,
            canfetch.Frontier(client, URLS, **options) as busy,
            canfetch.Frontier(other_client, **options) as other,
        ):
            turn = await anext(busy)
            taken: list[str] = []
            while len(taken) < len(URLS) - 1:
                other_turn = await anext(other)
                times[other_turn.url.split("/")[2]].append(time.monotonic())
                taken.append(other_turn.url)
                assert other_turn.done()
            assert sorted([*taken, turn.url]) == URLS
            assert turn.done()

    asyncio.run(asyncio.wait_for(main(), 40))
    if group_by == "host":
        # Requests for robots.txt files count as well.
        gaps = [later - earlier for each in times.values() for earlier, later in pairwise(sorted(each))]
        assert min(gaps) >= 1.5 - SLACK


def test_an_origin_that_is_given_back_keeps_its_retry_after(backend: FrontierBackend) -> None:
    options: dict[str, Any] = {"backend": backend, "min_delay": 0.0}

    async def main() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(client, URLS[:2], **options) as busy,
            canfetch.Frontier(client, **options) as other,
        ):
            turn = await anext(busy)
            await asyncio.sleep(0.3)
            (deferred,) = {*URLS[:2]} - {turn.url}
            busy.defer(deferred, 5.0)
            until = time.monotonic() + 5.0
            other_turn = await anext(other)
            assert other_turn.url == deferred
            assert time.monotonic() >= until - SLACK
            assert other_turn.done()
            assert turn.done()

    asyncio.run(asyncio.wait_for(main(), 40))


def test_an_exception_of_a_check_during_a_page_is_raised_by_the_iteration(backend: FrontierBackend) -> None:
    class Broken(Hosts):
        async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # as `Hosts`
            if "site1" in request.url:
                await asyncio.sleep(0.3)
                raise ValueError("broken transport")
            return await super().send(request)

    async def main() -> None:
        async with (
            open_client(Broken()) as client,
            canfetch.Frontier(client, URLS[:2], backend=backend) as frontier,
        ):
            turn = await anext(frontier)
            await asyncio.sleep(0.6)
            assert not frontier._queue.has_origin(2)
            assert turn.done()
            with pytest.raises(ValueError, match="broken transport"):
                await anext(frontier)

    asyncio.run(asyncio.wait_for(main(), 20))


def test_frontier_show_names_no_worker_that_is_busy_with_another_page(postgres: PostgresServer) -> None:
    database = postgres.create_database("busyshow")

    async def main() -> None:
        hosts = Hosts(delays={"site1.example": 0.5})
        async with (
            open_client(hosts) as client,
            canfetch.Frontier(client, URLS[:2], backend=PostgresQueue(database, crawl="x")) as frontier,
        ):
            turn = await anext(frontier)
            assert any("has claimed it" in each.reason for each in read_postgres_report(database, "x").next_origins)
            reasons: list[str] = []
            while "the next free task requests it" not in reasons:
                await asyncio.sleep(0.1)
                reasons = [each.reason for each in read_postgres_report(database, "x").next_origins]
            assert any("has a turn" in reason for reason in reasons)
            assert turn.done()

    asyncio.run(asyncio.wait_for(main(), 20))


async def only_open(frontier: canfetch.Frontier) -> None:
    pass


async def add(frontier: canfetch.Frontier) -> None:
    frontier.add(URLS[1])


async def add_nothing(frontier: canfetch.Frontier) -> None:
    frontier.add_source([])


async def retry_failed(frontier: canfetch.Frontier) -> None:
    frontier.retry_failed()


async def take_one(frontier: canfetch.Frontier) -> None:
    frontier.add_many(URLS[1:3])
    (await anext(frontier)).done()


async def read_source(frontier: canfetch.Frontier) -> None:
    frontier.add_source(iter(URLS[1:4]))
    (await anext(frontier)).done()


async def read_slow_source(frontier: canfetch.Frontier) -> None:
    async def urls() -> AsyncIterator[str]:
        yield URLS[1]
        await asyncio.sleep(1.0)
        yield URLS[2]

    frontier.add_source(urls())
    (await anext(frontier)).done()


@pytest.mark.parametrize("act", [only_open, add, add_nothing, retry_failed, take_one, read_source, read_slow_source])
def test_a_process_whose_sources_are_read_keeps_no_other_from_the_end(
    postgres: PostgresServer, act: Callable[[canfetch.Frontier], Awaitable[None]]
) -> None:
    database = postgres.create_database(f"end{uuid.uuid4().hex}")
    options: dict[str, Any] = {"backend": PostgresQueue(database, crawl="x"), "min_delay": 0.0}

    async def main() -> None:
        async with open_client() as client, canfetch.Frontier(client, **options) as idle:
            await act(idle)
            async with canfetch.Frontier(client, URLS[:1], **options) as frontier:
                assert URLS[0] in await finish(frontier)
                assert frontier.counts.queued == 0

    asyncio.run(asyncio.wait_for(main(), 15))


def test_a_process_that_is_busy_with_a_page_reads_its_source_for_the_others(backend: FrontierBackend) -> None:
    options: dict[str, Any] = {"backend": backend, "min_delay": 0.0}

    async def main() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(client, iter(URLS), read_ahead=1, **options) as busy,
            canfetch.Frontier(client, **options) as other,
        ):
            turn = await anext(busy)
            taken: list[str] = []
            while len(taken) < len(URLS) - 1:
                other_turn = await anext(other)
                taken.append(other_turn.url)
                assert other_turn.done()
            assert sorted([*taken, turn.url]) == URLS
            assert turn.done()

    asyncio.run(asyncio.wait_for(main(), 40))


@pytest.mark.parametrize("is_added_later", [False, True])
def test_a_process_that_has_not_begun_to_read_its_source_keeps_the_others(
    postgres: PostgresServer, *, is_added_later: bool
) -> None:
    database = postgres.create_database(f"begin{uuid.uuid4().hex}")
    options: dict[str, Any] = {"backend": PostgresQueue(database, crawl="x"), "min_delay": 0.0}

    async def main() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(client, () if is_added_later else URLS[:1], **options) as reading,
            canfetch.Frontier(client, **options) as other,
        ):
            if is_added_later:
                reading.add_source(URLS[:1])
            ending = asyncio.create_task(finish(other))
            await asyncio.sleep(1.5)
            assert not ending.done()
            assert await finish(reading) + await ending == URLS[:1]

    asyncio.run(asyncio.wait_for(main(), 15))


@pytest.mark.parametrize("reads_sources", [False, True])
def test_a_worker_that_has_lost_its_lease_still_reads_its_sources(
    postgres: PostgresServer, *, reads_sources: bool
) -> None:
    database = postgres.create_database(f"again{uuid.uuid4().hex}")
    worker = PostgresQueue(database, crawl="x").open_queue(QueueOptions(1, 3, time.time, reads_sources=reads_sources))
    with psycopg.connect(database, autocommit=True) as connection:
        read = "SELECT reads_sources FROM canfetch_workers"
        assert connection.execute(read).fetchall() == [(reads_sources,)]
        worker.note_reading(reads_sources=not reads_sources)
        connection.execute("DELETE FROM canfetch_workers")
        worker.queue_failed(1)
        assert connection.execute(read).fetchall() == [(not reads_sources,)]
    worker.close()


@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_origin_that_another_process_defers_before_its_turn_waits(
    postgres: PostgresServer, concurrency: int
) -> None:
    backend = PostgresQueue(postgres.create_database(f"deferred{concurrency}"), crawl="x")
    options: dict[str, Any] = {"backend": backend, "min_delay": 0.0, "concurrency_per_origin": concurrency}

    async def main() -> None:
        async with open_client() as client, canfetch.Frontier(client, URLS[:3], **options) as frontier:
            first = await anext(frontier)
            # The other origins have been claimed and checked.
            await asyncio.sleep(0.3)
            async with open_client() as other_client, canfetch.Frontier(other_client, **options) as other:
                for url in URLS[:3]:
                    if url != first.url:
                        other.defer(url, 3.0)
            deferred_at = time.monotonic()
            assert first.done()
            assert len(await finish(frontier)) == 2
            assert time.monotonic() - deferred_at >= 3.0 - SLACK

    asyncio.run(asyncio.wait_for(main(), 40))


@pytest.mark.parametrize("seconds", [0.1, 1.5])
def test_a_callback_that_blocks_while_urls_are_chosen_is_called_once_for_each(
    backend: FrontierBackend, seconds: float
) -> None:
    class Closed(Hosts):
        async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # as `Hosts`
            return Response(request.url, 200, (), b"User-agent: *\nDisallow: /no\n")

    skipped: list[str] = []

    def skip(url: canfetch.SkippedURL) -> None:
        time.sleep(seconds)
        skipped.append(url.url)

    # A URLFrontier service hands out a URL of an origin each second or two.
    number_of_urls = 4 if isinstance(backend, URLFrontier) else int(3 / seconds)
    urls = [f"{URLS[0]}no{number}" for number in range(number_of_urls)]

    async def main() -> None:
        async with (
            open_client(Closed()) as client,
            canfetch.Frontier(client, [*urls, URLS[0]], backend=backend, min_delay=0.0, on_skip=skip) as frontier,
        ):
            assert await finish(frontier) == [URLS[0]]

    asyncio.run(asyncio.wait_for(main(), 60))
    assert sorted(skipped) == sorted(urls)


def test_a_source_that_is_added_during_a_page_is_read_for_the_others(backend: FrontierBackend) -> None:
    options: dict[str, Any] = {"backend": backend, "min_delay": 0.0}

    async def main() -> None:
        async with (
            open_client() as client,
            open_client() as other_client,
            canfetch.Frontier(client, URLS[:1], **options) as busy,
        ):
            turn = await anext(busy)
            busy.add_source(URLS[1:])
            async with canfetch.Frontier(other_client, **options) as other:
                assert [(await anext(other)).done() for _ in URLS[1:]] == [True] * 5
            assert turn.done()

    asyncio.run(asyncio.wait_for(main(), 40))
