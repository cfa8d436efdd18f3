"""Frontiers on a URLFrontier service: a test server, or the service at CANFETCH_URLFRONTIER=HOST:PORT,...

Several processes, kills, suspensions, another crawler in Java, faults of the service, and what the protocol cannot say.
"""

import asyncio
import signal
import socket
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.frontier.crawl_processes import Sites, Worker, check_delays, start_workers, wait_for, write_seeds
from tests.frontier.crawls import USER_AGENT
from tests.urlfrontier import URLFrontierServer, find_service, run_java_client, start_urlfrontier

import canfetch
from canfetch.access.responses import Response
from canfetch.client.frontier import Recrawl, URLFrontier, urlfrontier_connection, urlfrontier_queue
from canfetch.client.frontier.grouping import GroupBy
from canfetch.client.frontier.queue_values import NewURLs
from canfetch.client.frontier.turn import SkippedURL
from canfetch.client.frontier.url_identity import clean_url, identify_url
from canfetch.client.frontier.url_queue import QueueOptions
from canfetch.client.frontier.urlfrontier_connection import LeaseExpiredError, PutItem, URLFrontierConnection
from canfetch.client.frontier.urlfrontier_metadata import (
    delays_metadata,
    read_delays,
    read_failed,
    read_queued,
)
from canfetch.client.frontier.urlfrontier_schema import ENUMERATIONS, METHODS, build_descriptor, message_classes
from canfetch.client.frontier.urlfrontier_service import CrawlService
from canfetch.client.transports import TransportRequest
from canfetch.errors import InvalidOption, MissingExtra, StoreError

LEASE = 2.0


class Site:
    """A transport whose robots.txt is the same for all hosts."""

    def __init__(self, content: bytes = b"User-agent: *\nDisallow: /private") -> None:
        self.content = content

    async def send(self, request: TransportRequest) -> Response:
        return Response(request.url, 200, (), self.content)

    async def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """Return the address of a service."""
    address = find_service()
    if address is not None:
        yield address
        return
    with start_urlfrontier() as server:
        yield server.address


@pytest.fixture
def server() -> Iterator[URLFrontierServer]:
    """Start a test server with two nodes, which has faults on command."""
    with start_urlfrontier(nodes=2) as started:
        yield started


@pytest.fixture
def crawl() -> str:
    return f"test-{uuid.uuid4()}"


def open_client(content: bytes = b"User-agent: *\nDisallow: /private") -> canfetch.AsyncClient:
    return canfetch.AsyncClient(user_agent=USER_AGENT, transport=Site(content))


def run_crawl(address: str, crawl: str, urls: Any = (), *, act: Any = None, **options: Any) -> list[canfetch.Turn]:
    """Crawl to the end, and return the turns.

    Args: act: Called with the frontier and each turn.
    """
    backend = URLFrontier(address, crawl=crawl, lease=options.pop("lease", 30.0), outage_seconds=20.0)

    async def main() -> list[canfetch.Turn]:
        turns = []
        async with (
            open_client() as client,
            canfetch.Frontier(client, urls, backend=backend, **{"min_delay": 0.0, **options}) as frontier,
        ):
            async for turn in frontier:
                turns.append(turn)
                with turn:
                    if act is not None:
                        act(frontier, turn)
        return turns

    return asyncio.run(main())


@pytest.mark.service
def test_schema_is_that_of_the_java_package() -> None:
    published = run_java_client("schema")
    names = {4: "uint64", 8: "bool", 9: "string", 11: "message", 13: "uint32", 14: "enum"}

    def lines(message: Any, name: str) -> Iterator[str]:
        for field in message.field:
            oneof = message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else "-"
            is_repeated = str(field.label == 3).lower()
            yield (
                f"{name}.{field.name} {field.number} {names[field.type]} {is_repeated} "
                f"{field.type_name.removeprefix('.') or '-'} {oneof}"
            )
        for nested in message.nested_type:
            yield from lines(nested, f"{name}.{nested.name}")

    ours = [
        line for message in build_descriptor().message_type for line in lines(message, f"urlfrontier.{message.name}")
    ]
    for name, (parent, values) in ENUMERATIONS.items():
        ours += [f"urlfrontier.{parent}.{name}.{value} {number}" for number, value in enumerate(values)]
    for method, (kind, request, answer) in METHODS.items():
        sends, _, receives = kind.partition("_")
        streams = [str(word == "stream").lower() for word in (sends, receives)]
        ours.append(
            f"urlfrontier.URLFrontier.{method} urlfrontier.{request} {streams[0]} urlfrontier.{answer} {streams[1]}"
        )
    assert set(ours) <= set(published)
    # A message that is put again would lose other fields of it. These are only sent.
    messages = {line.split()[0].rpartition(".")[0] for line in ours} - {"urlfrontier.URLFrontier"}
    others = {line for line in set(published) - set(ours) if " " in line}
    assert {line.split()[0] for line in others if line.split()[0].rpartition(".")[0] in messages} == {
        "urlfrontier.GetParams.anyCrawlID",
        "urlfrontier.ListUrlParams.filter",
        "urlfrontier.ListUrlParams.ignoreCase",
    }


@pytest.mark.service
def test_urls_are_taken_once_with_what_was_added(service: str, crawl: str) -> None:
    urls = ["https://EXAMPLE.com:443/%66ish?q=*#top", "https://example.com/fish?q=*", "https://example.com/private/1"]
    skipped: list[Any] = []
    counts: list[canfetch.FrontierCounts] = []

    def act(frontier: canfetch.Frontier, turn: canfetch.Turn) -> None:
        assert frontier.counts.in_flight == 1
        if turn.url.endswith("/2"):
            counts.append(frontier.counts)
        elif "#top" in turn.url:
            assert frontier.add("https://other.example/2", priority=2.5)
            assert not frontier.add("https://example.com/fish?q=*")
            frontier.add("mailto:fish@example.com")

    turns = run_crawl(service, crawl, urls, act=act, on_skip=skipped.append)

    assert {(turn.url, turn.priority, turn.attempt) for turn in turns} == {
        (urls[0], 0.0, 1),
        ("https://other.example/2", 2.5, 1),
    }
    assert [each.url for each in skipped if each.verdict is not None] == [urls[2]]
    assert counts[0].refused == 1
    assert run_crawl(service, crawl, urls) == []


@pytest.mark.service
def test_failed_urls_are_listed_and_queued_again(service: str, crawl: str) -> None:
    url = "https://example.com/%66ails"
    failed: list[Any] = []

    turns = run_crawl(
        service,
        crawl,
        [url],
        act=lambda _, turn: turn.retry(error=f"status 50{turn.attempt}"),
        max_attempts=2,
        retry_delay=0.0,
        on_failure=failed.append,
    )

    assert [(turn.url, turn.attempt) for turn in turns] == [(url, 1), (url, 2)]
    assert [(each.url, each.error, each.attempts) for each in failed] == [(url, "status 502", 2)]

    async def again() -> list[tuple[str, int]]:
        backend = URLFrontier(service, crawl=crawl)
        async with open_client() as client, canfetch.Frontier(client, backend=backend, min_delay=0.0) as frontier:
            assert list(frontier.failed()) == failed
            assert frontier.counts.failed == 1
            assert frontier.retry_failed() == 1
            assert list(frontier.failed()) == []
            return [(turn.url, turn.attempt) async for turn in frontier if turn.done()]

    assert asyncio.run(again()) == [(url, 1)]


@pytest.mark.service
def test_ends_of_turns(service: str, crawl: str) -> None:
    urls = [f"https://host{number}.example/" for number in range(3)]
    seen: Counter[str] = Counter()

    def act(frontier: canfetch.Frontier, turn: canfetch.Turn) -> None:  # noqa: ARG001
        seen[turn.url] += 1
        if turn.url == urls[0] and seen[turn.url] == 1:
            turn.release()
        elif turn.url == urls[1] and seen[turn.url] == 1:
            turn.retry()

    turns = run_crawl(service, crawl, urls, act=act, retry_delay=0.0)

    assert sorted((turn.url, turn.attempt) for turn in turns) == [
        (urls[0], 1),
        (urls[0], 1),
        (urls[1], 1),
        (urls[1], 2),
        (urls[2], 1),
    ]


@pytest.mark.service
def test_closed_frontier_gives_its_urls_back(service: str, crawl: str) -> None:
    urls = [f"https://host{number}.example/" for number in range(3)]

    async def leave() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(client, urls, backend=URLFrontier(service, crawl=crawl), min_delay=0.0) as frontier,
        ):
            turns = [await anext(frontier), await anext(frontier)]
        for turn in turns:
            turn.release()

    asyncio.run(leave())
    started = time.monotonic()
    turns = run_crawl(service, crawl)
    assert sorted((turn.url, turn.attempt) for turn in turns) == [(url, 1) for url in urls]
    assert time.monotonic() - started < 15


@pytest.mark.service
@pytest.mark.parametrize("delay, expected", [(0.1, "1"), (1.0, "1"), (1.2, "2"), (0.0, "0")])
def test_delays_are_rounded_up(server: URLFrontierServer, crawl: str, delay: float, expected: str) -> None:
    run_crawl(server.address, crawl, ["https://example.com/"], min_delay=delay)
    assert server.command(f"delay {crawl} https://example.com") == expected


@pytest.mark.service
def test_delay_of_a_tenth_of_a_second_never_becomes_shorter(service: str, crawl: str) -> None:
    urls = [f"https://example.com/{number}" for number in range(4)]
    starts: list[float] = []
    ends: list[float] = []

    def act(frontier: canfetch.Frontier, turn: canfetch.Turn) -> None:  # noqa: ARG001
        starts.append(time.time())
        time.sleep(0.05)
        ends.append(time.time())

    run_crawl(service, crawl, urls, act=act, min_delay=0.1)
    assert len(starts) == 4
    assert all(start >= end + 0.1 for end, start in zip(ends, starts[1:], strict=False))


@pytest.mark.service
def test_retry_after_blocks_the_queue_for_everybody(server: URLFrontierServer, crawl: str) -> None:
    urls = ["https://example.com/", "https://other.example/1", "https://other.example/2"]
    times: list[float] = []

    def act(frontier: canfetch.Frontier, turn: canfetch.Turn) -> None:
        if "other" in turn.url:
            return
        times.append(time.time())
        if len(times) == 1:
            turn.retry(retry_after=2.5)
            frontier.defer(urls[1], 9.0)
            frontier.add("https://example.com/2")
            end = int(server.command(f"block {crawl} https://example.com"))
            assert times[0] + 2.5 <= end <= times[0] + 5
            assert int(server.command(f"block {crawl} https://other.example")) >= times[0] + 9

    turns = run_crawl(server.address, crawl, urls, act=act, retry_delay=0.0)
    assert len(turns) == 5
    assert times[1] >= times[0] + 2.5


@pytest.mark.service
def test_turn_blocks_its_queue_for_the_time_of_the_lease(server: URLFrontierServer, crawl: str) -> None:
    def act(frontier: canfetch.Frontier, turn: canfetch.Turn) -> None:  # noqa: ARG001
        end = int(server.command(f"block {crawl} https://example.com"))
        assert time.time() + 29 <= end <= time.time() + 32

    assert len(run_crawl(server.address, crawl, ["https://example.com/"], act=act)) == 1
    assert server.command(f"block {crawl} https://example.com") == "0"


@pytest.mark.service
def test_url_of_a_killed_process_counts_as_an_attempt(service: str, crawl: str) -> None:
    url = "https://example.com/kills"

    async def die(number: int) -> None:
        """Take a turn, and leave it as a killed process does."""
        client = open_client()
        frontier = canfetch.Frontier(client, [url], backend=URLFrontier(service, crawl=crawl, lease=1.0), min_delay=0.0)
        turn = await anext(frontier)
        assert turn.attempt == number
        queue: Any = frontier._queue
        queue._stopped.set()
        queue._connection.close()
        await client.close()

    for number in (1, 2, 3):
        asyncio.run(die(number))
    failed: list[Any] = []
    assert run_crawl(service, crawl, lease=1.0, on_failure=failed.append) == []
    assert [(each.url, each.attempts) for each in failed] == [(url, 3)]
    assert "the process ended" in failed[0].error


@pytest.mark.service
def test_end_of_a_turn_that_is_not_written_leaves_nothing(
    service: str, crawl: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreError("scripted")

    async def main() -> None:
        backend = URLFrontier(service, crawl=crawl)
        async with (
            open_client() as client,
            canfetch.Frontier(
                client, ["https://a.example/"], backend=backend, min_delay=0.0, recrawl=Recrawl(every=3600.0)
            ) as frontier,
        ):
            turn = await anext(frontier)
            with monkeypatch.context() as patch:
                patch.setattr(URLFrontierConnection, "put", fail)
                with pytest.raises(StoreError, match="scripted"):
                    turn.done(etag="x")
            turn.release()
            again = await asyncio.wait_for(anext(frontier), 10)
            assert (again.etag, again.attempt) == (None, 1)
            assert again.done()

    asyncio.run(main())


@pytest.mark.service
def test_known_links_of_an_origin_with_little_room_take_few_calls(
    service: str, crawl: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = [f"https://a.example/{page}" for page in range(300)]
    sizes: list[int] = []
    put = URLFrontierConnection.put

    def counted(connection: URLFrontierConnection, node: int, items: Any, **options: Any) -> list[int]:
        sizes.append(len(items))
        return put(connection, node, items, **options)

    async def main() -> None:
        backend = URLFrontier(service, crawl=crawl)
        async with (
            open_client() as client,
            canfetch.Frontier(client, backend=backend, max_urls_per_origin=301) as found,
        ):
            assert found.add_many(urls) == 300
            monkeypatch.setattr(URLFrontierConnection, "put", counted)
            assert found.add_many([*urls, "https://a.example/new", "https://a.example/newer"]) in (1, 2)

    asyncio.run(main())
    assert sizes[:5] == [1] * 5
    assert len(sizes) < 20


@pytest.mark.service
def test_counts_are_safe_while_leases_are_renewed(service: str, crawl: str) -> None:
    class Claims(dict[int, Any]):
        lock: Any = None

        def values(self) -> Any:
            assert self.lock.locked()
            return super().values()

    async def main() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(client, ["https://a.example/"], backend=URLFrontier(service, crawl=crawl)) as frontier,
        ):
            queue: Any = frontier._queue
            Claims.lock = queue._lock
            turn = await anext(frontier)
            queue._claims = Claims(queue._claims)
            assert frontier.counts.in_flight == 1
            queue._claims = dict(queue._claims)
            assert turn.done()

    asyncio.run(main())


@pytest.mark.service
def test_long_turn_keeps_its_lease(service: str, crawl: str) -> None:
    urls = ["https://example.com/1", "https://example.com/2"]
    backend = URLFrontier(service, crawl=crawl, lease=LEASE)
    options: dict[str, Any] = {"backend": backend, "min_delay": 0.0}

    async def main() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(client, urls, **options) as first,
            canfetch.Frontier(client, **options) as second,
        ):
            turn = await anext(first)
            other = asyncio.create_task(anext(second))
            await asyncio.sleep(3 * LEASE)
            assert not other.done()
            assert turn.done()
            following = await asyncio.wait_for(other, 10)
            assert following.url != turn.url
            assert following.done()

    asyncio.run(main())


@pytest.mark.service
def test_expired_turn_ends_without_effect(
    service: str, crawl: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    backend = URLFrontier(service, crawl=crawl, lease=LEASE)
    options: dict[str, Any] = {"backend": backend, "min_delay": 0.0}

    async def main() -> None:
        async with open_client() as client, canfetch.Frontier(client, ["https://a.example/"], **options) as first:
            with monkeypatch.context() as patch:
                # As if the process were suspended.
                patch.setattr(urlfrontier_queue.URLFrontierQueue, "_renew", lambda *_: None)
                turn = await anext(first)
                await asyncio.sleep(LEASE)
                async with canfetch.Frontier(client, **options) as second:
                    again = await asyncio.wait_for(anext(second), 10)
                    assert (again.url, again.attempt) == (turn.url, 2)
                    assert not turn.done()
                    assert second.counts.queued + second.counts.in_flight == 1
                    assert again.done()

    asyncio.run(main())
    assert "the lease of https://a.example/ was not renewed for 2 s" in caplog.text


@pytest.mark.service
def test_lease_that_expires_before_the_decision_ends_no_iteration(
    service: str, crawl: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The claim is given up, and comes again. Meanwhile, the URL is disallowed, or its origin has to wait."""
    backend = URLFrontier(service, crawl=crawl, lease=LEASE)
    skipped: list[str] = []
    send = Site.send
    is_slow = True

    async def slow(site: Site, request: TransportRequest) -> Response:
        nonlocal is_slow
        if is_slow:
            is_slow = False
            # As if the process were suspended.
            with monkeypatch.context() as patch:
                patch.setattr(urlfrontier_queue.URLFrontierQueue, "_renew", lambda *_: None)
                await asyncio.sleep(LEASE + 0.5)
        return await send(site, request)

    async def main() -> list[str]:
        options: dict[str, Any] = {"backend": backend, "min_delay": 0.0}
        async with (
            open_client() as client,
            canfetch.Frontier(client, on_skip=lambda url: skipped.append(url.url), **options) as frontier,
        ):
            frontier.add_many(["https://a.example/private", "https://a.example/1"])
            return [turn.url async for turn in frontier if turn.done()]

    monkeypatch.setattr(Site, "send", slow)
    assert asyncio.run(asyncio.wait_for(main(), 60)) == ["https://a.example/1"]
    assert set(skipped) == {"https://a.example/private"}


@pytest.mark.parametrize(
    "found, expected",
    [
        ("https://victim.example/", "https://a.example/%7E1"),
        ("not a URL", "https://a.example/%7E1"),
        ("https://a.example/~1", "https://a.example/~1"),
        (" https://a.example/~1\n", "https://a.example/~1"),
    ],
)
def test_another_spelling_counts_only_if_it_is_that_of_the_same_url(found: str, expected: str) -> None:
    info = message_classes().URLInfo(url="https://a.example/%7E1", key="https://a.example", crawlID="x")
    info.metadata["canfetch.url"].values.append(found)
    identified = identify_url(clean_url(info.url))
    assert (urlfrontier_queue._same_url(read_queued(info, 1).url, identified) or identified.url) == expected


def test_errors_of_the_service_are_short_and_printable() -> None:
    info = message_classes().URLInfo(url="https://a.example/", key="https://a.example", crawlID="x")
    info.metadata["canfetch.error"].values.append("\x1b[31m" + "x" * 100_000)
    error = read_failed(info).error
    assert error is not None
    assert "\x1b" not in error
    assert len(error) < 6000


@pytest.mark.service
def test_java_crawler_shares_the_crawl(service: str, crawl: str) -> None:
    address = service.split(",", maxsplit=1)[0]
    urls = [f"https://host{number}.example/page" for number in range(3)]
    assert run_java_client(address, crawl, "put", *urls, urls[0]) == [
        *(f"{url} OK" for url in urls),
        f"{urls[0]} SKIPPED",
    ]
    assert run_java_client(address, crawl, "status", *urls) == [f"{url} scheduled" for url in urls]

    turns = run_crawl(service, crawl, [urls[0]])

    assert sorted(turn.url for turn in turns) == urls
    assert run_java_client(address, crawl, "status", *urls) == [f"{url} completed" for url in urls]
    assert run_java_client(address, crawl, "put", urls[1]) == [f"{urls[1]} SKIPPED"]


@pytest.mark.service
def test_invalid_url_of_another_crawler_is_reported_and_skipped(
    service: str, crawl: str, caplog: pytest.LogCaptureFixture
) -> None:
    reported: list[tuple[str, str | None]] = []

    def report(skipped: SkippedURL) -> None:
        reported.append((skipped.url, skipped.error))
        raise LookupError("scripted")

    async def main() -> None:
        backend = URLFrontier(service, crawl=crawl)
        async with (
            open_client() as client,
            canfetch.Frontier(client, backend=backend, min_delay=0.0, on_skip=report) as frontier,
        ):
            with pytest.raises(LookupError, match="scripted"):
                await anext(frontier)
            assert frontier.counts == (0, 0, 0, 0, 1, 0)
            assert frontier.add("https://a.example/1")
            assert [turn.url async for turn in frontier if turn.done()] == ["https://a.example/1"]
            assert frontier.counts == (0, 0, 1, 0, 1, 0)

    put_under_key(service, crawl, "https://a.example", "mailto:x@y")
    asyncio.run(main())
    assert "skipped: invalid URL 'mailto:x@y'" in caplog.text
    error = "invalid URL 'mailto:x@y': expected an absolute URL such as 'https://example.com/'"
    assert reported == [("mailto:x@y", error)]


@pytest.mark.service
def test_url_under_the_key_of_another_origin_waits_alone(server: URLFrontierServer, crawl: str) -> None:
    own, down = "https://a.example", "https://down.example"
    put_under_key(server.address, crawl, own, f"{down}/1", f"{own}/1")
    queue = URLFrontier(server.address, crawl=crawl).open_queue(QueueOptions(1, 3, time.time))
    claimed: list[str] = []
    try:
        while len(claimed) < 2:
            wait_for(partial(has_due, queue))
            (claim,) = queue._claims.values()
            claimed.append(claim.queued.url)
            is_down = claim.queued.url.startswith(down)
            queue.wait(claim.origin, time.time() + 3600 * is_down, skipped=() if is_down else [claim.queued.id])
        assert int(server.command(f"block {crawl} {own}")) < time.time() + 3000
        assert sorted(claimed) == [f"{own}/1", f"{down}/1"]
        # It is not lost.
        assert queue.counts()[:3] == (1, 0, 0)
    finally:
        queue.close()


def has_due(queue: urlfrontier_queue.URLFrontierQueue) -> bool:
    return bool(queue.find_due(time.time()))


def put_under_key(address: str, crawl: str, key: str, *urls: str) -> None:
    """Put URLs into the queue of a key, as another crawler does."""
    queue = URLFrontier(address, crawl=crawl).open_queue(QueueOptions(1, 3, time.time))
    queue._connection.put(0, [PutItem(queue._service.new_url(url, key), None) for url in urls])
    queue.close()


def test_a_url_that_is_never_accepted_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = URLFrontierConnection(["127.0.0.1:1"], outage_seconds=60.0)
    refused = {"bad"}

    def item(url: str) -> PutItem:
        return PutItem(SimpleNamespace(url=url), 0)

    def exchange(_: int, items: Iterable[tuple[int, PutItem]]) -> Iterator[tuple[int, int]]:
        return ((number, 2 if item.info.url in refused else 0) for number, item in items)

    monkeypatch.setattr(connection, "_exchange", exchange)
    monkeypatch.setattr(urlfrontier_connection, "time", SimpleNamespace(**{**vars(time), "sleep": lambda _: None}))
    leased = {"until": urlfrontier_connection.running_seconds() + 1000}
    # Longer than the service may be away in all, because it accepts others.
    for _ in range(20):
        with pytest.raises(LeaseExpiredError, match="the service does not accept 'bad'"):
            connection.put(0, [item("bad")], **leased)
        assert connection.put(0, [item("good")], **leased) == [0]

    def put_again() -> None:
        for _ in range(20):
            with suppress(LeaseExpiredError):
                connection.put(0, [item("good")], **leased)

    refused.add("good")
    with pytest.raises(StoreError, match=r"cannot be used for 6\d s"):
        put_again()
    with pytest.raises(StoreError, match="cannot be used"):
        connection.put(0, [item("bad")])
    connection.close()


@pytest.mark.service
def test_unknown_crawl_is_over_at_once(service: str, crawl: str) -> None:
    assert run_crawl(service, crawl) == []


@pytest.mark.service
def test_four_workers_share_a_crawl_exactly(
    service: str, crawl: str, sites: Sites, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine can stop a process for longer than the other tests' leases.
    monkeypatch.setenv("LEASE", "30")
    urls = sites.urls(origins=100, pages=4)
    workers = start_workers(service, sites, write_seeds(tmp_path, urls), crawl=crawl)
    done = [worker.end() for worker in workers]

    assert {(word, attempt) for part in done for word, _, attempt in part} == {("done", 1)}
    assert sorted(url for part in done for _, url, _ in part) == sorted(urls)
    assert sum(map(bool, done)) > 1, "one worker had all turns"
    check_delays(sites)


@pytest.mark.service
def test_killed_worker_loses_nothing(service: str, crawl: str, sites: Sites, tmp_path: Path) -> None:
    urls = sites.urls(origins=30, pages=4)
    workers = start_workers(service, sites, write_seeds(tmp_path, urls), crawl=crawl)
    wait_for(lambda: len(sites.requests) > 70)
    workers[0].send(signal.SIGKILL)
    killed = workers[0].end(-signal.SIGKILL)
    done = [*killed, *(line for worker in workers[1:] for line in worker.end())]

    requested = Counter((host, path) for _, host, path in sites.requests if path != "/robots.txt")
    assert len(requested) == len(urls)
    assert len(set(urls) - {url for _, url, _ in done}) <= 8
    # Only what the killed process had in flight.
    assert sum(requested.values()) - len(requested) <= 8
    check_delays(sites)


@pytest.mark.service
def test_suspended_worker_cannot_end_what_another_has(service: str, crawl: str, sites: Sites, tmp_path: Path) -> None:
    urls = sites.urls(origins=3, pages=3)
    first = Worker(service, crawl, write_seeds(tmp_path, urls), STOP_AT="/1")
    wait_for(first.is_stopped)
    others = Worker(service, crawl).end()
    first.send(signal.SIGCONT)
    ended = first.end()

    lost = [url for word, url, _ in ended if word == "lost"]
    assert lost
    assert set(lost) <= {url for word, url, _ in others if word == "done"}
    assert Counter(url for word, url, _ in [*ended, *others] if word == "done") == Counter(urls)
    check_delays(sites)


@pytest.mark.service
@pytest.mark.parametrize(
    "faults",
    [
        ["unavailable GetURLs 3", "unavailable PutURLs 3", "unavailable BlockQueueUntil 3", "unavailable SetDelay 2"],
        ["break PutURLs 5", "break GetURLs 2", "fail PutURLs 7"],
        ["slow PutURLs 100", "slow GetURLs 300"],
    ],
)
def test_faults_of_the_service_lose_nothing(server: URLFrontierServer, crawl: str, faults: list[str]) -> None:
    urls = [f"https://host{number}.example/{number}" for number in range(20)]
    for fault in faults:
        server.command(f"fault {fault}")
    turns = run_crawl(server.address, crawl, urls, lease=LEASE)
    assert sorted(turn.url for turn in turns) == sorted(urls)


@pytest.mark.service
@pytest.mark.parametrize("command", ["down", "forget"])
def test_service_that_is_away_is_waited_for(server: URLFrontierServer, crawl: str, command: str) -> None:
    urls = [f"https://example.com/{number}" for number in range(3)]
    times: list[float] = []

    def restart() -> None:
        server.command(command)
        server.command("up")

    def act(frontier: canfetch.Frontier, turn: canfetch.Turn) -> None:  # noqa: ARG001
        times.append(time.time())
        if len(times) == 2:
            server.command("down")
            timer = threading.Timer(1.5, restart)
            timer.start()
            turn.done()
            timer.join()

    turns = run_crawl(server.address, crawl, urls, act=act, min_delay=2.0)
    assert sorted(turn.url for turn in turns) == urls
    assert all(later - earlier >= 2.0 for earlier, later in pairwise(times))


@pytest.mark.service
def test_forgotten_block_of_an_open_turn_is_repeated(server: URLFrontierServer, crawl: str) -> None:
    urls = ["https://example.com/1", "https://example.com/2"]
    backend = URLFrontier(server.address, crawl=crawl)

    async def main() -> None:
        async with open_client() as client, canfetch.Frontier(client, urls, backend=backend, min_delay=0.0) as frontier:
            turn = await anext(frontier)
            server.command("down")
            server.command("forget")
            server.command("up")
            assert frontier.add("https://other.example/")
            other = await asyncio.wait_for(anext(frontier), 20)
            assert other.url == "https://other.example/"
            assert int(server.command(f"block {crawl} https://example.com")) > time.time()
            assert other.done()
            assert turn.done()
            assert [turn.url async for turn in frontier if turn.done()] == [url for url in urls if url != turn.url]

    asyncio.run(main())


@pytest.mark.service
def test_wait_whose_url_is_not_put_keeps_its_block(
    server: URLFrontierServer, crawl: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = identify_url("https://example.com/")
    queue = URLFrontier(server.address, crawl=crawl).open_queue(QueueOptions(1, 3, time.time))
    queue.add(NewURLs([url], priority=0.0))
    (origin,) = queue.find_due(time.time())
    with monkeypatch.context() as patch:
        patch.setattr(CrawlService, "put", unavailable)
        with pytest.raises(StoreError):
            queue.wait(origin, time.time() + 5000)
    queue.close()
    assert int(server.command(f"block {crawl} https://example.com")) > time.time() + 4000


@pytest.mark.service
def test_delays_of_groups_on_two_nodes_count_for_other_processes(
    server: URLFrontierServer, crawl: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = [f"host{number}.example" for number in range(8)]
    first, second = open_groups(server, crawl, groups), open_groups(server, crawl, ())
    claimed = first.find_due(time.time())
    assert sorted(first._origins[origin].name for origin in claimed) == groups
    assert {claim.node for claim in first._claims.values()} == {0, 1}
    for origin in claimed:
        first.note_check(origin, f"https://{first._origins[origin].name}", delay=20.0)
    first.close()
    # The service hands out one URL of a queue in a second at most.
    time.sleep(2.5)
    reads: dict[str, int] = {}
    get_each = URLFrontierConnection.get_each

    def noted(connection: URLFrontierConnection, node: int, method: str, requests: Any, **options: Any) -> Any:
        reads.update((request.key, node) for request in requests)
        return get_each(connection, node, method, requests, **options)

    monkeypatch.setattr(URLFrontierConnection, "get_each", noted)
    found = second.find_due(time.time())
    # From the nodes to which they were written.
    assert reads == {claim.info.key: claim.node for claim in second._claims.values()}
    assert [second._origins[origin].delay for origin in found] == [20.0] * len(groups)
    second.close()


@pytest.mark.service
def test_delays_of_groups_are_read_at_once_and_until_the_lease_ends(server: URLFrontierServer, crawl: str) -> None:
    queue = open_groups(server, crawl, [f"host{number}.example" for number in range(8)])
    server.command("fault unavailable ListURLs 1000000")
    started = time.monotonic()
    assert queue.find_due(time.time()) == []
    # Each of two nodes.
    assert time.monotonic() - started < 2 * LEASE + 5.0
    server.command("fault unavailable ListURLs 0")
    time.sleep(LEASE + 1.0)
    server.command("fault slow ListURLs 500")
    lists = int(server.command("calls ListURLs"))
    started = time.monotonic()
    assert len(queue.find_due(time.time())) == 8
    assert time.monotonic() - started < 2.0
    assert int(server.command("calls ListURLs")) == lists + 8
    queue.close()


def open_groups(server: URLFrontierServer, crawl: str, groups: Iterable[str]) -> urlfrontier_queue.URLFrontierQueue:
    """Open a queue with a URL of each group."""
    backend = URLFrontier(server.address, crawl=crawl, lease=LEASE, outage_seconds=20.0)
    queue = backend.open_queue(QueueOptions(1, 3, time.time, GroupBy.HOST))
    queue.add(NewURLs([identify_url(f"https://{group}/") for group in groups], priority=0.0))
    return queue


def unavailable(*_arguments: Any, **_options: Any) -> None:
    raise StoreError("the service is away")


def test_service_that_stays_away_is_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    backend = URLFrontier(f"127.0.0.1:{port}", crawl="x", outage_seconds=0.5)

    async def main() -> None:
        async with open_client() as client:
            canfetch.Frontier(client, backend=backend)

    with pytest.raises(
        StoreError, match=rf"^urlfrontier://127.0.0.1:{port}: the frontier cannot be used for . s: UNAVAIL"
    ):
        asyncio.run(main())


@pytest.mark.service
def test_service_that_is_away_for_too_long_ends_the_crawl(server: URLFrontierServer, crawl: str) -> None:
    backend = URLFrontier(server.address, crawl=crawl, outage_seconds=1.0)

    async def main() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(client, ["https://a.example/"], backend=backend) as frontier,
        ):
            turn = await anext(frontier)
            server.command("down")
            with pytest.raises(StoreError, match="the frontier cannot be used for 1 s"):
                turn.done()
            server.command("up")
            assert turn.done()

    asyncio.run(main())


def test_delays_of_a_group_that_another_program_has_changed_are_ignored() -> None:
    info = message_classes().URLInfo(url="https://a.example/", key="a.example")
    assert read_delays(info) == {}
    for text, expected in {
        '{"https://a.example": 20, "http://a.example": 0.5}': {"https://a.example": 20.0, "http://a.example": 0.5},
        '{"https://a.example": "x", "b": -5, "c": null, "d": 1e999}': dict.fromkeys(["https://a.example", *"bcd"], 0.0),
        "[20]": {},
        "20": {},
        "{": {},
        "": {},
    }.items():
        info.metadata["canfetch.delays"].values[:] = [text]
        assert read_delays(info) == expected
    delays_metadata(info, {f"https://{number}.a.example": float(number) for number in range(300)})
    assert sorted(read_delays(info).values()) == [float(number) for number in range(200, 300)]


def test_options_are_validated() -> None:
    for address in ("", "host", "host:", ":7071", "host:0", "host:65536", "a:1,,b:2", "http://a:7071", "a b:1", None):
        with pytest.raises(InvalidOption, match="invalid address"):
            URLFrontier(address, crawl="x")  # type: ignore[arg-type]
    for options in ({"crawl": ""}, {"crawl": "x" * 201}, {"crawl": "a\nb"}, {"crawl": "x", "lease": 1e10}):
        with pytest.raises(InvalidOption, match=r"invalid (crawl|lease)"):
            URLFrontier("localhost:7071", **options)
    with pytest.raises(InvalidOption, match="invalid group_by 'address': URLFrontier needs the queue of a URL"):
        URLFrontier("localhost:7071", crawl="x").open_queue(QueueOptions(1, 3, time.time, GroupBy.ADDRESS))
    assert repr(URLFrontier("a:1, b:2", crawl="x")) == "<URLFrontier urlfrontier://a:1,b:2 crawl='x'>"

    async def main() -> None:
        async with open_client() as client:
            backend = URLFrontier("localhost:7071", crawl="x")
            with pytest.raises(InvalidOption, match="invalid concurrency_per_origin 2"):
                canfetch.Frontier(client, backend=backend, concurrency_per_origin=2)

    asyncio.run(main())


@pytest.mark.parametrize("library", ["grpc", "google.protobuf"])
def test_missing_library_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    message_classes.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    backend = URLFrontier("localhost:7071", crawl="x")
    with pytest.raises(MissingExtra, match=r'pip install "canfetch\[urlfrontier\]"'):
        backend.open_queue(QueueOptions(1, 3, time.time))


@pytest.mark.service
def test_forked_process_cannot_use_the_frontier(service: str, crawl: str) -> None:
    async def main() -> None:
        async with (
            open_client() as client,
            canfetch.Frontier(client, backend=URLFrontier(service, crawl=crawl)) as frontier,
        ):
            queue: Any = frontier._queue
            queue._connection.reset_after_fork()
            with pytest.raises(StoreError, match="a forked process cannot use"):
                frontier.add("https://a.example/")

    asyncio.run(main())
