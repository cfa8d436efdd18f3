"""Crawls whose URLs are grouped by host or registrable domain: one request at a time and one delay for each group."""

import asyncio
import errno
import secrets
import shutil
import sqlite3
import sys
from collections.abc import Collection
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.frontier.conftest import virtual_urlfrontier
from tests.frontier.crawls import CrawlResult, Hosts, crawl, end_all_turns, open_frontier
from tests.frontier.test_cost import counted
from tests.frontier.test_laws import leave_leases
from tests.urlfrontier import URLFrontierServer

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.frontier import Frontier, FrontierCounts, Turn, awaited_files, origin_checks
from canfetch.client.frontier.grouping import (
    GroupBy,
    _public_suffixes,
    group_name,
    resolve_by_system,
    resolved_group,
)
from canfetch.client.frontier.report import read_report
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.failures import TransportError
from canfetch.errors import InvalidOption, MissingExtra, StoreError

HTTPS, HTTP, PORT = "https://a.example", "http://a.example", "https://a.example:8080"
both_backends = pytest.mark.usefixtures("backend")


class Origins(Hosts):
    """A transport that serves another robots.txt for each origin, and notes when each was requested.

    Args:
        delays: The crawl delay of each origin.
        dead_until: When origins become reachable that cannot be reached.
        raising: Origins whose requests raise an unexpected exception.
        lifetime: Seconds for which a robots.txt is fresh.
        seconds: The time of a request.
        slow: Origins whose requests take 20 seconds and fail.
    """

    def __init__(
        self,
        delays: dict[str, int] | None = None,
        *,
        dead_until: dict[str, float] | None = None,
        raising: tuple[str, ...] = (),
        lines: dict[str, str] | None = None,
        lifetime: int | None = None,
        seconds: float = 0.0,
        slow: Collection[str] = (),
    ) -> None:
        super().__init__()
        self.slow = frozenset(slow)
        self.crawl_delays = delays or {}
        self.dead_until = dead_until or {}
        self.raising = raising
        self.lines = lines or {}
        self.headers = () if lifetime is None else (("Cache-Control", f"max-age={lifetime}"),)
        self.seconds = seconds
        self.checks: list[tuple[float, str]] = []

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        origin = request.url.removesuffix("/robots.txt")
        self.checks.append((virtual_now(), origin))
        await asyncio.sleep(20.0 if origin in self.slow else self.seconds)
        if origin in self.slow:
            return Failure(request.url, FailureKind.TIMEOUT, "scripted failure")
        if origin in self.raising:
            raise ValueError(origin)
        if virtual_now() < self.dead_until.get(origin, 0.0):
            return Failure(request.url, FailureKind.CONNECT, "scripted failure")
        delay = self.crawl_delays.get(origin, 0)
        content = f"User-agent: *\nCrawl-delay: {delay}\nDisallow: /no\n{self.lines.get(origin, '')}\n"
        return Response(request.url, 200, self.headers, content.encode())


def urls(*origins: str, pages: int = 2) -> list[str]:
    return [f"{origin}/{page}" for page in range(pages) for origin in origins]


def requests(result: CrawlResult) -> list[tuple[float, str]]:
    """Return all requests in their order."""
    assert isinstance(result.hosts, Origins)
    return sorted([*result.hosts.checks, *result.taken])


@both_backends
def test_schemes_and_ports_of_a_host_wait_for_one_another() -> None:
    result = crawl(Origins({HTTPS: 1, HTTP: 1, PORT: 1}), urls(HTTPS, HTTP, PORT), group_by="host", workers=3)
    times = [at for at, _ in requests(result)]
    # Three files and six pages, one a second.
    assert times == [float(second) for second in range(9)]
    assert sorted(result.urls) == sorted(urls(HTTPS, HTTP, PORT))


@both_backends
def test_by_default_each_origin_is_a_group() -> None:
    result = crawl(Origins(), urls(HTTPS, HTTP, PORT), workers=3)
    assert [taken.at for taken in result.taken] == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]


@both_backends
def test_the_longest_delay_of_a_group_counts() -> None:
    result = crawl(Origins({HTTPS: 1, HTTP: 7}), urls(HTTPS, HTTP, pages=3), group_by="host")
    # From the time at which the second file is known.
    known_at = next(at for at, url in result.hosts.checks if url == HTTP)  # type: ignore[attr-defined]
    times = [at for at, _ in requests(result) if at >= known_at]
    assert {later - earlier for earlier, later in pairwise(times)} == {7.0}


@both_backends
def test_the_longest_delay_of_a_group_counts_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    crawl(Origins({HTTP: 7}), urls(HTTP, pages=1), group_by="host", path=path)
    result = crawl(Origins({HTTP: 7}), urls(HTTPS, pages=3), group_by="host", path=path, start=1000.0)
    times = [at for at, _ in requests(result)]
    assert [later - earlier for earlier, later in pairwise(times)] == [7.0] * 3


@both_backends
def test_an_origin_that_becomes_unreachable_keeps_the_delay_of_its_group(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    crawl(Origins({HTTP: 7}), urls(HTTP, pages=1), group_by="host", path=path)
    hosts = Origins({HTTP: 7}, dead_until={HTTP: 2000.0})
    result = crawl(hosts, urls(HTTP, HTTPS, pages=4), group_by="host", path=path, start=1000.0, min_delay=0.5)
    times = [at for at, _ in requests(result)]
    assert min(later - earlier for earlier, later in pairwise(times)) == 7.0


@pytest.mark.service
def test_the_longest_delay_of_a_group_in_a_service_counts_for_other_processes(urlfrontier: URLFrontierServer) -> None:
    hosts = {HTTP: 20}
    with virtual_urlfrontier(urlfrontier.address, secrets.token_hex(8)):
        path = Path("crawl")
        first = crawl(Origins(hosts), urls(HTTP), group_by="host", path=path)
        # This process never sees the file with the delay.
        second = crawl(Origins(hosts), urls(HTTPS, PORT, pages=3), group_by="host", path=path, start=1000.0)
    assert {url for _, url in second.hosts.checks} == {HTTPS, PORT}  # type: ignore[attr-defined]
    for result in (first, second):
        times = [at for at, _ in requests(result)]
        assert len(times) > 2
        assert all(later - earlier >= 20.0 for earlier, later in pairwise(times[1:]))


@pytest.mark.service
@pytest.mark.parametrize(
    "delay, min_delay, is_killed, shortest",
    [
        (10, 1.0, True, 30.0),
        (55, 1.0, True, 55.0),
        (120, 1.0, True, 120.0),
        (0, 40.0, True, 40.0),
        (20, 1.0, False, 20.0),
        (120, 1.0, False, 120.0),
        (0, 12.0, False, 12.0),
    ],
)
def test_the_request_for_a_file_counts_in_a_service_although_the_process_ends_during_it(
    urlfrontier: URLFrontierServer, delay: int, min_delay: float, *, is_killed: bool, shortest: float
) -> None:
    with virtual_urlfrontier(urlfrontier.address, secrets.token_hex(8), lease=30.0):
        options: dict[str, Any] = {
            "group_by": "host",
            "path": Path("crawl"),
            "min_delay": min_delay,
            "max_delay": 300.0,
        }
        # Without a turn before, the service knows no delay of the queue.
        if delay:
            crawl(Origins({HTTP: delay}), urls(HTTP, pages=1), **options)

        async def begin() -> float:
            hosts = Origins(seconds=1e9)
            async with open_frontier(hosts, urls(HTTPS, pages=1), **options) as frontier:
                asking = asyncio.create_task(anext(frontier))
                while not hosts.checks:  # noqa: ASYNC110 - the transport has no event
                    await asyncio.sleep(0.1)
                if is_killed:
                    leave_leases(frontier, options["path"])
                    asking.cancel()
                    await asyncio.gather(asking, return_exceptions=True)
            return hosts.checks[0][0]

        requested_at = run_in_virtual_time(begin, start=1000.0)
        again = crawl(Origins(), (), group_by="host", path=options["path"], start=requested_at + 0.5)
    assert shortest <= requests(again)[0][0] - requested_at <= shortest + 10.0


@both_backends
def test_a_delay_that_becomes_shorter_counts(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    crawl(Origins({HTTPS: 7, HTTP: 2}), urls(HTTPS, HTTP), group_by="host", path=path)
    # The client has no store, so the file is requested again.
    result = crawl(Origins({HTTPS: 1}), urls(HTTPS, pages=4), group_by="host", path=path, start=1000.0)
    assert result.taken == [(1002.0, f"{HTTPS}/2"), (1004.0, f"{HTTPS}/3")]


@both_backends
def test_retry_after_counts_for_the_group() -> None:
    def be_busy(_frontier: Frontier, turn: Any) -> None:
        if turn.url == f"{HTTPS}/0":
            turn.done(retry_after=100)

    result = crawl(Origins(), [f"{HTTPS}/0", f"{HTTP}/0", f"{PORT}/0"], group_by="host", on_turn=be_busy)
    after = [at for at, _ in requests(result) if at > result.taken[0].at]
    assert min(after) == result.taken[0].at + 100


@both_backends
def test_an_unreachable_origin_does_not_hold_up_its_group() -> None:
    hosts = Origins(dead_until={HTTP: 200.0})
    result = crawl(hosts, urls(HTTP, HTTPS, pages=120), group_by="host", min_delay=0.0)
    assert max(result.times(f"{HTTPS}/")) < 200.0 <= min(result.times(f"{HTTP}/"))
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=240, failed=0, skipped=0)
    assert result.skipped == []


@both_backends
@pytest.mark.urlfrontier
def test_urls_of_an_origin_that_stays_unreachable_are_skipped() -> None:
    hosts = Origins(dead_until={HTTP: float("inf")})
    result = crawl(hosts, urls(HTTP, HTTPS, pages=60), group_by="host", min_delay=0.0, max_unreachable=300.0)
    assert sorted(skipped.url for skipped in result.skipped) == sorted(urls(HTTP, pages=60))
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=60, failed=0, skipped=60)


@both_backends
@pytest.mark.urlfrontier
def test_an_origin_whose_checks_raise_does_not_hold_up_its_group() -> None:
    async def main() -> tuple[list[str], list[str], int]:
        skipped: list[str] = []
        async with open_frontier(
            Origins(raising=(HTTP,)),
            urls(HTTP, HTTPS, pages=60),
            group_by="host",
            min_delay=0.0,
            max_unreachable=100.0,
            on_skip=lambda url: skipped.append(f"{url.url} {url.error}"),
        ) as frontier:
            taken, errors = await end_all_turns(frontier, ValueError)
        return taken, skipped, len(errors)

    taken, skipped, raised = run_in_virtual_time(main)
    assert sorted(taken) == sorted(urls(HTTPS, pages=60))
    assert sorted(skipped) == sorted(f"{url} ValueError: {HTTP}" for url in urls(HTTP, pages=60))
    assert 1 < raised < 10


@both_backends
def test_a_visit_time_does_not_hold_up_the_group() -> None:
    # 1970-01-01 starts at 00:00.
    hosts = Origins(lines={HTTP: "Visit-time: 0600-0800"})
    result = crawl(hosts, urls(HTTP, HTTPS), group_by="host")
    assert max(result.times(f"{HTTPS}/")) < 10.0
    assert min(result.times(f"{HTTP}/")) >= 6 * 3600


@both_backends
def test_the_file_of_an_origin_outside_its_visit_time_is_not_requested_for_each_url() -> None:
    hosts = Origins(lines={HTTP: "Visit-time: 0600-0800"}, lifetime=300)
    crawl(hosts, urls(HTTPS, HTTP, pages=20), group_by="host", min_delay=60.0)
    early = [at for at, url in hosts.checks if url == HTTP and at < 6 * 3600]
    assert len(early) == 1


@both_backends
@pytest.mark.urlfrontier
def test_a_file_that_expires_before_the_delay_of_its_group_is_used_once() -> None:
    # Files are fresh for five minutes at least.
    result = crawl(Origins({HTTPS: 1000}, lifetime=0), urls(HTTPS, HTTP), group_by="host", max_delay=2000.0)
    assert sorted(result.urls) == sorted(urls(HTTPS, HTTP))
    # Each turn has a check of its own.
    assert len(requests(result)) == 8


@both_backends
def test_a_request_rate_of_a_group_is_no_window() -> None:
    starts: list[float] = []

    async def main() -> None:
        hosts = Origins(lines={HTTPS: "Request-rate: 1/2m"})
        async with open_frontier(
            hosts, urls(HTTPS, pages=4), group_by="host", delay_mode="window", max_delay=600.0
        ) as frontier:
            async for turn in frontier:
                with turn:
                    starts.append(virtual_now())
                    await asyncio.sleep(50.0)

    run_in_virtual_time(main)
    assert [later - earlier for earlier, later in pairwise(starts)] == [170.0] * 3


@both_backends
@pytest.mark.parametrize("concurrency", [1, 2, 3])
def test_requests_for_files_count_as_requests_in_flight(concurrency: int) -> None:
    hosts = Origins(seconds=3.0)
    open_turns: list[tuple[float, float]] = []

    async def work(frontier: Frontier) -> None:
        async for turn in frontier:
            with turn:
                started = virtual_now()
                await asyncio.sleep(5.0)
                open_turns.append((started, virtual_now()))

    async def main() -> None:
        async with (
            open_frontier(
                hosts, urls(HTTPS, HTTP, PORT), group_by="host", min_delay=0.5, concurrency_per_origin=concurrency
            ) as frontier,
            asyncio.TaskGroup() as tasks,
        ):
            for _ in range(6):
                tasks.create_task(work(frontier))

    run_in_virtual_time(main)
    spans = [*open_turns, *((at, at + 3.0) for at, _ in hosts.checks)]
    assert len(spans) == 9
    most = max(sum(start <= at < end for start, end in spans) for at, _ in spans)
    assert most == concurrency
    starts = sorted(at for at, _ in spans)
    assert min(later - earlier for earlier, later in pairwise(starts)) >= 0.5


@both_backends
def test_the_request_for_a_file_counts_although_the_process_dies_during_it(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    hosts = Origins({HTTPS: 30})
    crawl(hosts, urls(HTTPS, pages=1), group_by="host", path=path)

    async def die() -> Path:
        async with open_frontier(Origins(seconds=5.0), urls(HTTP), group_by="host", path=path) as frontier:
            waiting = asyncio.ensure_future(anext(frontier))
            await asyncio.sleep(2.0)
            left = path
            if path.exists():
                left = path.with_name("left")
                for suffix in ("", "-wal"):
                    shutil.copy(f"{path}{suffix}", f"{left}{suffix}")
            waiting.cancel()
        return left

    left = run_in_virtual_time(die, start=1000.0)
    result = crawl(Origins(), [], group_by="host", path=left, start=1010.0)
    # A process that was killed counts from the start of its request, and one that closed its frontier from then on.
    assert requests(result)[0][0] == (1032.0 if left == path else 1030.0)


@both_backends
def test_a_redirect_of_a_file_is_a_request_to_the_group_of_its_target() -> None:
    class Redirected(Origins):
        async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]
            if not request.url.startswith("https://b.example"):
                return await super().send(request)
            await asyncio.sleep(5.0)
            return Response(request.url, 301, (("Location", f"{HTTPS}/other/robots.txt"),), b"")

    result = crawl(Redirected({HTTPS: 10}), [*urls(HTTPS, pages=1), "https://b.example/"], group_by="host")
    # The files of both hosts are requested at 0, and that of the target at 5. The page would come at 10 without that.
    assert result.times(HTTPS) == [15.0]


@both_backends
def test_files_in_the_cache_of_the_client_need_no_request() -> None:
    async def main() -> list[float]:
        async with open_frontier(hosts := Origins(), group_by="host") as frontier:
            await frontier._client.origin_state(f"{HTTPS}/")
            times = []
            frontier.add_many(urls(HTTPS))
            async for turn in frontier:
                times.append(virtual_now())
                turn.done()
            assert len(hosts.checks) == 1
            return times

    assert run_in_virtual_time(main) == [0.0, 1.0]


@both_backends
@pytest.mark.urlfrontier
def test_equal_targets_of_the_origins_of_a_group_are_different_urls() -> None:
    same = [f"{HTTPS}/x", f"{HTTP}/x", f"{HTTPS}:443/x#top", f"{HTTP}/%78"]
    assert crawl(Origins(), same, group_by="host").urls == same[:2]


@both_backends
@pytest.mark.urlfrontier
def test_disallowed_urls_of_a_group_are_decided_by_their_own_origin() -> None:
    hosts = Origins(lines={HTTP: "Disallow: /0"})
    result = crawl(hosts, urls(HTTPS, HTTP), group_by="host")
    assert result.urls == [f"{HTTPS}/0", f"{HTTPS}/1", f"{HTTP}/1"]
    assert [skipped.url for skipped in result.skipped] == [f"{HTTP}/0"]


@both_backends
@pytest.mark.urlfrontier
def test_an_exception_of_on_skip_stops_only_once() -> None:
    async def main() -> tuple[int, list[str]]:
        def raise_error(_skipped: object) -> None:
            raise KeyError

        pages = [f"{HTTPS}/no", f"{HTTPS}/1", f"{HTTP}/no", f"{HTTP}/1"]
        async with open_frontier(Origins(), pages, group_by="host", on_skip=raise_error) as frontier:
            taken, errors = await end_all_turns(frontier, KeyError)
        return len(errors), taken

    assert run_in_virtual_time(main) == (2, [f"{HTTPS}/1", f"{HTTP}/1"])


@both_backends
def test_a_registrable_domain_is_a_group_and_a_private_suffix_is_not() -> None:
    one, two = "https://www.example.co.uk", "https://shop.example.co.uk"
    result = crawl(Origins(), urls(one, two, pages=1), group_by="registrable-domain", workers=2)
    assert [at for at, _ in requests(result)] == [0.0, 1.0, 2.0, 3.0]
    one, two = "https://one.github.io", "https://two.github.io"
    result = crawl(Origins(), urls(one, two, pages=1), group_by="registrable-domain", workers=2)
    assert [at for at, _ in requests(result)] == [0.0, 0.0, 1.0, 1.0]


@both_backends
def test_another_grouping_of_a_crawl_is_an_error_that_names_both(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    crawl(Origins(), urls(HTTPS), group_by="host", path=path)
    message = "the crawl groups its URLs by host, not by {}: pass group_by='host', or begin another crawl"
    for other in ("origin", "registrable-domain"):
        with pytest.raises(StoreError, match=message.format(other)):
            crawl(Origins(), [], group_by=other, path=path)
    assert crawl(Origins(), urls(HTTPS, HTTP), group_by="host", path=path).urls == urls(HTTP)


@both_backends
def test_an_origin_stays_in_its_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "crawl"
    origin = "https://one.example.com"
    crawl(Origins(), urls(origin), group_by="registrable-domain", path=path)
    for module in ("sqlite_queue", "postgres_worker"):
        # As a newer list of suffixes.
        monkeypatch.setattr(f"canfetch.client.frontier.{module}.group_name", lambda name, _group_by: name)
    result = crawl(Origins(), urls(origin, pages=3), group_by="registrable-domain", path=path)
    assert result.urls == [f"{origin}/2"]


@both_backends
def test_defer_lets_the_group_wait() -> None:
    async def main() -> float:
        async with open_frontier(Origins(), urls(HTTPS), group_by="host") as frontier:
            frontier.defer(f"{PORT}/", 50)
            (await anext(frontier)).done()
            return virtual_now()

    assert run_in_virtual_time(main) == 51.0


@pytest.mark.files
def test_a_file_of_the_third_format_groups_by_origin(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    crawl({}, [f"{HTTPS}/1"], path=path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "DROP TABLE members; ALTER TABLE origins DROP COLUMN delay; ALTER TABLE totals DROP COLUMN group_by; "
            "ALTER TABLE urls DROP COLUMN depth; ALTER TABLE urls DROP COLUMN metadata; "
            "ALTER TABLE origins DROP COLUMN added; ALTER TABLE urls DROP COLUMN visit; "
            "ALTER TABLE urls DROP COLUMN ended; ALTER TABLE totals DROP COLUMN clock_shift; PRAGMA user_version = 3"
        )
    with pytest.raises(StoreError, match="the crawl groups its URLs by origin, not by host"):
        crawl({}, [], path=path, group_by="host")
    assert crawl({}, [f"{HTTPS}/1", f"{HTTPS}/2"], path=path, max_urls_per_origin=1).urls == []
    assert crawl({}, [f"{HTTPS}/1", f"{HTTPS}/2"], path=path, max_urls_per_origin=2).urls == [f"{HTTPS}/2"]


@pytest.mark.files
def test_the_report_names_the_grouping(tmp_path: Path) -> None:
    path = tmp_path / "crawl"

    async def main() -> None:
        async with open_frontier(Origins(), urls(HTTPS, HTTP), group_by="host", path=path) as frontier:
            (await anext(frontier)).done()
            report = read_report(path)
            assert report.group_by == "host"
            assert [(waiting.origin, waiting.queued) for waiting in report.next_origins] == [("a.example", 3)]

    run_in_virtual_time(main)


@pytest.mark.parametrize(
    "origin, host, domain",
    [
        ("https://www.example.com", "www.example.com", "example.com"),
        ("http://www.example.com:8080", "www.example.com", "example.com"),
        ("https://www.example.com.", "www.example.com", "example.com"),
        ("https://a.b.example.co.uk", "a.b.example.co.uk", "example.co.uk"),
        ("https://one.github.io", "one.github.io", "one.github.io"),
        ("https://a.one.github.io", "a.one.github.io", "one.github.io"),
        ("https://github.io", "github.io", "github.io"),
        ("https://localhost", "localhost", "localhost"),
        ("https://shop.unknown-suffix", "shop.unknown-suffix", "shop.unknown-suffix"),
        ("https://xn--bcher-kva.example", "xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("http://10.0.0.1:8080", "10.0.0.1", "10.0.0.1"),
        ("http://10.0.0.0x1", "10.0.0.0x1", "10.0.0.0x1"),
        ("http://[::1]", "[::1]", "[::1]"),
    ],
)
def test_groups_of_origins(origin: str, host: str, domain: str) -> None:
    assert group_name(origin, GroupBy.ORIGIN) == origin
    assert group_name(origin, GroupBy.HOST) == host
    assert group_name(origin, GroupBy.REGISTRABLE_DOMAIN) == domain
    is_literal = origin in ("http://10.0.0.1:8080", "http://[::1]")
    assert group_name(origin, GroupBy.ADDRESS) == (host.strip("[]") if is_literal else f"?{host}")


def test_groupings_that_do_not_exist_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidOption, match=r"'hosts'.*host"):
        crawl({}, [], group_by="hosts")
    with pytest.raises(InvalidOption, match="group_by"):
        crawl({}, [], group_by=None)
    monkeypatch.setitem(sys.modules, "publicsuffixlist", None)
    _public_suffixes.cache_clear()
    with pytest.raises(MissingExtra, match=r"requires the library publicsuffixlist: pip install \"canfetch\[domains\]"):
        crawl({}, [], group_by="registrable-domain")


class Names:
    """A resolver that knows some hosts, and notes when each was resolved.

    Args:
        addresses: The addresses of each host. Others have none.
        seconds: Seconds until each answer.
    """

    def __init__(self, addresses: dict[str, Any], *, seconds: float = 0.0) -> None:
        self.addresses = addresses
        self.seconds = seconds
        self.asked: list[str] = []
        self.open = self.most = 0

    async def __call__(self, host: str) -> Any:
        self.asked.append(host)
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.open -= 1
        found = self.addresses.get(host, OSError("no such host"))
        if isinstance(found, Exception):
            raise found
        return found


A, B, C = "https://a.example", "http://b.example:8080", "https://c.example"


@both_backends
def test_hosts_with_one_address_wait_for_one_another() -> None:
    # Servers return several addresses in any order.
    names = Names({"a.example": ["192.0.2.9", "192.0.2.10", "2001:db8::1"], "b.example": ["192.0.2.10", "192.0.2.9"]})
    names.addresses["c.example"] = ["2001:db8::2"]
    result = crawl(Origins(), urls(A, B, C, pages=3), group_by="address", resolver=names, workers=3)
    times = [at for at, url in requests(result) if not url.startswith(C)]
    assert len(times) == 8
    assert min(later - earlier for earlier, later in pairwise(times)) == 1.0
    # A host with another address does not wait for them.
    assert result.times(C) == [1.0, 2.0, 3.0]
    assert sorted(names.asked) == ["a.example", "b.example", "c.example"]
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=9, failed=0, skipped=0)


@both_backends
def test_the_strictest_delay_of_an_address_counts_for_hosts_that_are_added_later(tmp_path: Path) -> None:
    names = Names({"a.example": ["192.0.2.1"], "b.example": ["::ffff:192.0.2.1"]})
    options: dict[str, Any] = {"group_by": "address", "resolver": names, "path": tmp_path / "crawl"}
    crawl(Origins({A: 7}), urls(A, pages=1), **options)
    # The address of a host is that of its first turn. Another port is another origin of the host.
    names.addresses["a.example"] = ["192.0.2.99"]
    other = "http://a.example:81"
    result = crawl(Origins({A: 7}), urls(B, other, "http://192.0.2.1"), start=1000.0, **options)
    times = [at for at, _ in requests(result)]
    assert len(times) == 9
    assert {later - earlier for earlier, later in pairwise(times)} == {7.0}
    assert names.asked == ["a.example", "b.example"]


@both_backends
def test_a_host_without_an_address_is_a_group_of_its_own() -> None:
    names = Names({"b.example": TimeoutError(), "c.example": []})
    result = crawl(Origins(), urls(A, B, C, pages=1), group_by="address", resolver=names, workers=3)
    assert [at for at, _ in requests(result)] == [0.0] * 3 + [1.0] * 3


@both_backends
@pytest.mark.parametrize("max_checks", [5, 30])
def test_slow_names_hold_up_no_other_host_and_end_after_a_time(max_checks: int) -> None:
    names = Names({}, seconds=1e6)
    pages = [*(f"https://slow{number}.example/" for number in range(20)), "http://192.0.2.1/"]
    result = crawl(Origins(), pages, group_by="address", resolver=names, max_checks=max_checks, workers=5)
    assert names.most == min(max_checks, 20)
    assert max(result.times("https://slow")) == pytest.approx({5: 41.0, 30: 11.0}[max_checks])
    if max_checks > 20:
        assert result.times("http://192.0.2.1/") == [1.0]


@both_backends
def test_a_thousand_hosts_with_one_address_are_one_group() -> None:
    pages = [f"https://host{number}.example/" for number in range(1000)]
    names = Names({f"host{number}.example": ["192.0.2.1"] for number in range(1000)}, seconds=0.1)
    result = crawl(Origins(), pages, group_by="address", resolver=names, workers=20, max_urls_per_origin=5000)
    times = [at for at, _ in requests(result)]
    assert len(times) == 2000
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.999
    assert result.counts.done == 1000
    assert names.most <= 256


@both_backends
@pytest.mark.parametrize("found", [None, "192.0.2.1", ["host"], [b"192.0.2.1"], [1], 5, ["192.0.2.1", None]])
def test_a_resolver_that_returns_something_else_is_an_error(found: Any) -> None:
    async def main() -> tuple[list[str], list[str]]:
        names = Names({"a.example": found})
        async with open_frontier(Origins(), urls(A), group_by="address", resolver=names) as frontier:
            with pytest.raises(TypeError, match=r"invalid result of resolver for 'a.example': .* IP addresses as str"):
                await anext(frontier)
            names.addresses["a.example"] = ["192.0.2.1"]
            return await end_all_turns(frontier, TypeError)

    # It is asked again.
    assert run_in_virtual_time(main) == (urls(A), [])


@both_backends
def test_a_resolver_that_is_not_async_is_an_error() -> None:
    async def main() -> None:
        options: dict[str, Any] = {"group_by": "address", "resolver": lambda _: ["192.0.2.1"]}
        async with open_frontier(Origins(), urls(A), **options) as frontier:
            await anext(frontier)

    with pytest.raises(TypeError, match=r"invalid result of resolver .*expected an async function"):
        run_in_virtual_time(main)
    with pytest.raises(InvalidOption, match="invalid resolver None: expected an async function"):
        crawl(Origins(), urls(A), group_by="address", resolver=None)


@both_backends
def test_urls_of_a_host_whose_lookups_raise_are_skipped_after_a_time() -> None:
    names = Names({"a.example": KeyError("a.example"), "c.example": ["192.0.2.1"]})

    async def main() -> tuple[list[str], list[str], int]:
        skipped: list[str] = []
        async with open_frontier(
            Origins(),
            urls(A, C, pages=60),
            group_by="address",
            resolver=names,
            min_delay=0.0,
            max_unreachable=100.0,
            on_skip=lambda url: skipped.append(f"{url.url} {url.error}"),
        ) as frontier:
            taken, errors = await end_all_turns(frontier, KeyError)
            # Not without another lookup.
            frontier.add(f"{A}/new")
            assert await end_all_turns(frontier, KeyError) == ([], ["'a.example'"])
            return taken, skipped, len(errors)

    taken, skipped, raised = run_in_virtual_time(main)
    assert sorted(taken) == sorted(urls(C, pages=60))
    assert sorted(skipped) == sorted(f"{url} KeyError: 'a.example'" for url in [*urls(A, pages=60), f"{A}/new"])
    # The time between two lookups grows.
    assert raised == 6
    assert names.asked.count("a.example") == 7


@both_backends
def test_a_host_that_cannot_be_resolved_for_a_while_is_resolved_later() -> None:
    async def main() -> tuple[list[str], list[str], float]:
        names = Names({"a.example": ValueError("again")})
        asyncio.get_running_loop().call_later(35.0, names.addresses.update, {"a.example": ["192.0.2.1"]})
        async with open_frontier(Origins(), urls(A), group_by="address", resolver=names) as frontier:
            return *await end_all_turns(frontier, ValueError), virtual_now()

    assert run_in_virtual_time(main) == (urls(A), ["again"] * 3, 42.0)


@both_backends
def test_a_resolver_that_is_cancelled_is_called_again_with_a_delay() -> None:
    names = Names({}, seconds=0.0)

    async def resolve(host: str) -> list[str]:
        names.asked.append(host)
        if virtual_now() < 35.0:
            raise asyncio.CancelledError
        return ["192.0.2.1"]

    result = crawl(Origins(), urls(A), group_by="address", resolver=resolve)
    assert result.times(A) == [41.0, 42.0]
    assert len(names.asked) == 5


def test_a_name_that_python_cannot_encode_has_no_address() -> None:
    async def resolve(host: str) -> list[str]:
        found = await asyncio.get_running_loop().getaddrinfo(host, None)
        return [str(each[4][0]) for each in found]

    host = f"{'a' * 64}.example"
    assert asyncio.run(resolved_group(host, resolve)) == host


def test_closing_a_frontier_cancels_its_lookups() -> None:
    names = Names({}, seconds=5.0)

    async def main() -> tuple[int, int, float]:
        async with open_frontier(Origins(), urls(A), group_by="address", resolver=names) as frontier:
            waiting = asyncio.ensure_future(anext(frontier, None))
            await asyncio.sleep(1.0)
            before = names.open
        await waiting
        return before, names.open, virtual_now()

    assert run_in_virtual_time(main) == (1, 0, 1.0)


@both_backends
def test_a_machine_without_name_servers_waits_for_them() -> None:
    async def resolve(_host: str) -> list[str]:
        if virtual_now() < 25.0:
            raise TransportError(FailureKind.LOCAL, "no answer from name servers")
        return ["192.0.2.1"]

    result = crawl(Origins(), urls(A, B, pages=1), group_by="address", resolver=resolve)
    assert [at for at, _ in requests(result)] == [30.0, 31.0, 32.0, 33.0]


@both_backends
def test_a_wait_of_a_host_holds_for_the_group_that_it_joins(tmp_path: Path) -> None:
    names = Names({"a.example": ["192.0.2.1"], "b.example": ["192.0.2.1"]})
    options: dict[str, Any] = {"group_by": "address", "resolver": names, "path": tmp_path / "crawl"}

    def report(frontier: Frontier, turn: Turn) -> None:
        if turn.url == f"{A}/0":
            # It redirects to a host that has not been resolved yet, and asks to wait.
            turn.add([f"{B}/0"])
            frontier.defer(f"{B}/0", 100)

    result = crawl(Origins(), urls(A, pages=3), on_turn=report, **options)
    assert names.asked == ["a.example", "b.example"]
    assert [at for at, _ in requests(result)] == [0.0, 1.0, 101.0, 102.0, 103.0, 104.0]


@both_backends
def test_a_wait_of_a_host_that_is_resolved_after_the_crawl_is_resumed(tmp_path: Path) -> None:
    names = Names({"a.example": ["192.0.2.1"], "b.example": ["192.0.2.1"]})
    options: dict[str, Any] = {"group_by": "address", "resolver": names, "path": tmp_path / "crawl"}

    async def first_run() -> None:
        async with open_frontier(Origins(), **options) as frontier:
            frontier.add_many(urls(A, B, pages=1))
            frontier.defer(f"{B}/0", 100)

    run_in_virtual_time(first_run)
    result = crawl(Origins(), [], start=10.0, **options)
    assert [at for at, _ in requests(result)] == [100.0, 101.0, 102.0, 103.0]
    assert sorted(names.asked) == ["a.example", "b.example"]


@both_backends
@pytest.mark.parametrize(
    "error", [OSError(errno.EMFILE, "Too many open files"), RuntimeError("can't start new thread")], ids=repr
)
def test_a_resolver_without_descriptors_or_threads_is_called_again(error: Exception) -> None:
    async def resolve(_host: str) -> list[str]:
        if virtual_now() < 25.0:
            raise error
        return ["192.0.2.1"]

    options: dict[str, Any] = {"resolver": resolve, "max_unreachable": 0.0}
    result = crawl(Origins(), urls(A, B, pages=1), group_by="address", **options)
    assert [at for at, _ in requests(result)] == [30.0, 31.0, 32.0, 33.0]


@both_backends
def test_a_wait_before_the_address_is_known_counts_for_the_group() -> None:
    async def main() -> tuple[float, list[str]]:
        names = Names({"a.example": ["192.0.2.1"], "b.example": ["192.0.2.1"]}, seconds=1.0)
        taken = []
        async with open_frontier(Origins(), urls(A, B, pages=1), group_by="address", resolver=names) as frontier:
            waiting = asyncio.ensure_future(anext(frontier))
            await asyncio.sleep(0.5)
            frontier.defer(f"{A}/", 50)
            frontier.defer(f"{B}/", 60)
            taken.append(await waiting)
            taken[0].done()
            async for turn in frontier:
                taken.append(turn)
                turn.done()
            return virtual_now(), sorted(turn.url for turn in taken)

    assert run_in_virtual_time(main) == (63.5, sorted(urls(A, B, pages=1)))


@both_backends
@pytest.mark.parametrize("deferred_at, requested_at", [(1.0, 11.0), (7.5, 11.5)])
def test_the_last_request_before_the_address_is_known_counts_for_the_group(
    deferred_at: float, requested_at: float
) -> None:
    hosts, page = Origins(), "http://192.0.2.1/"
    names = Names({"a.example": ["192.0.2.1"]}, seconds=8.0)

    async def main() -> None:
        async with open_frontier(hosts, [f"{A}/", page], group_by="address", resolver=names, min_delay=4.0) as frontier:
            asyncio.get_running_loop().call_later(deferred_at, frontier.defer, f"{A}/", 0.1)
            turn = await anext(frontier)
            assert (turn.url, virtual_now()) == (page, 4.0)
            waiting = asyncio.ensure_future(anext(frontier))
            await asyncio.sleep(3.0)
            turn.done()
            (await waiting).done()

    run_in_virtual_time(main)
    assert hosts.checks == [(0.0, "http://192.0.2.1"), (pytest.approx(requested_at), A)]


@both_backends
def test_a_process_that_ends_during_a_lookup_leaves_the_host_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "crawl"

    async def die() -> None:
        options: dict[str, Any] = {"group_by": "address", "path": path}
        async with open_frontier(Origins(), urls(A), resolver=Names({}, seconds=5.0), **options) as frontier:
            waiting = asyncio.ensure_future(anext(frontier))
            await asyncio.sleep(1.0)
            waiting.cancel()

    run_in_virtual_time(die)
    names = Names({"a.example": ["192.0.2.1"], "b.example": ["192.0.2.1"]})
    result = crawl(Origins(), urls(B), group_by="address", path=path, resolver=names, start=1000.0)
    assert sorted(result.urls) == sorted(urls(A, B))
    assert [at for at, _ in requests(result)] == [1000.0 + second for second in range(6)]


def test_names_are_resolved_by_the_system() -> None:
    assert asyncio.run(resolved_group("localhost", resolve_by_system)) in ("127.0.0.1", "::1")
    assert asyncio.run(resolved_group("a..b", resolve_by_system)) == "a..b"


@pytest.mark.slow
def test_cost_of_a_turn_does_not_grow_with_the_origins_of_a_group() -> None:
    def count(origins: int) -> int:
        async def main() -> int:
            most = 0
            async with open_frontier(Origins(), min_delay=0.0, group_by="registrable-domain") as frontier:
                frontier.add_many(
                    f"https://host{number}.example.com/{page}" for page in (1, 2) for number in range(origins)
                )
                for _ in range(20):
                    with counted(frontier) as instructions:
                        turn = await anext(frontier)
                        turn.done()
                    most = max(most, instructions.number)
            return most

        return run_in_virtual_time(main)

    assert count(5_000) <= count(50) + 500


@both_backends
@pytest.mark.parametrize("files", ["many", "large"])
def test_more_groups_than_files_fit_into_memory(monkeypatch: pytest.MonkeyPatch, files: str) -> None:
    # Each check must lead to a turn. Otherwise, the file of a group is forgotten before its turn, again and again.
    limits = {"many": ("_MAX_FILES", 5), "large": ("_MAX_BYTES", 2_000)}
    monkeypatch.setattr(awaited_files, *limits[files])
    monkeypatch.setattr(origin_checks, "_MAX_HELD_STATES", 5)
    origins = [f"https://host{number}.example" for number in range(60)]
    result = crawl(Origins(), urls(*origins, pages=1), group_by="host", workers=20)
    assert sorted(result.urls) == sorted(urls(*origins, pages=1))
    assert len(requests(result)) == 120


def test_groups_that_time_out_do_not_keep_the_others_from_their_turns() -> None:
    slow = [f"https://slow{number}.example" for number in range(300)]
    quick = [f"https://quick{number}.example" for number in range(150)]
    result = crawl(Origins(slow=slow), urls(*slow, *quick, pages=1), group_by="host", max_checks=64, workers=20)
    assert min(result.times("https://quick")) < 20.0
