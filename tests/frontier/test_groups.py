"""Crawls whose URLs are grouped by host or registrable domain: one request at a time and one delay for each group."""

import asyncio
import shutil
import sqlite3
import sys
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.frontier.crawls import CrawlResult, Hosts, crawl, end_all_turns, open_frontier
from tests.frontier.test_cost import counted

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.frontier import Frontier, FrontierCounts
from canfetch.client.frontier.grouping import GroupBy, _public_suffixes, group_name
from canfetch.client.frontier.report import read_report
from canfetch.client.transports import TransportRequest
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
    ) -> None:
        super().__init__()
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
        await asyncio.sleep(self.seconds)
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
def test_urls_of_an_origin_that_stays_unreachable_are_skipped() -> None:
    hosts = Origins(dead_until={HTTP: float("inf")})
    result = crawl(hosts, urls(HTTP, HTTPS, pages=60), group_by="host", min_delay=0.0, max_unreachable=300.0)
    assert sorted(skipped.url for skipped in result.skipped) == sorted(urls(HTTP, pages=60))
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=60, failed=0, skipped=60)


@both_backends
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
def test_a_file_that_expires_before_the_delay_of_its_group_is_used_once() -> None:
    # Files are fresh for five minutes at least.
    result = crawl(Origins({HTTPS: 1000}, lifetime=0), urls(HTTPS, HTTP), group_by="host", max_delay=2000.0)
    assert sorted(result.urls) == sorted(urls(HTTPS, HTTP))
    # Each turn has a check of its own.
    assert len(requests(result)) == 8


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
    assert requests(result)[0][0] == 1030.0


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
def test_equal_targets_of_the_origins_of_a_group_are_different_urls() -> None:
    same = [f"{HTTPS}/x", f"{HTTP}/x", f"{HTTPS}:443/x#top", f"{HTTP}/%78"]
    assert crawl(Origins(), same, group_by="host").urls == same[:2]


@both_backends
def test_disallowed_urls_of_a_group_are_decided_by_their_own_origin() -> None:
    hosts = Origins(lines={HTTP: "Disallow: /0"})
    result = crawl(hosts, urls(HTTPS, HTTP), group_by="host")
    assert result.urls == [f"{HTTPS}/0", f"{HTTPS}/1", f"{HTTP}/1"]
    assert [skipped.url for skipped in result.skipped] == [f"{HTTP}/0"]


@both_backends
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
            "ALTER TABLE urls DROP COLUMN ended; PRAGMA user_version = 3"
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


def test_groupings_that_do_not_exist_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidOption, match=r"unsupported group_by 'address': .*expected one of origin, host"):
        crawl({}, [], group_by="address")
    with pytest.raises(InvalidOption, match=r"'hosts'.*host"):
        crawl({}, [], group_by="hosts")
    with pytest.raises(InvalidOption, match="group_by"):
        crawl({}, [], group_by=None)
    monkeypatch.setitem(sys.modules, "publicsuffixlist", None)
    _public_suffixes.cache_clear()
    with pytest.raises(MissingExtra, match=r"requires the library publicsuffixlist: pip install \"canfetch\[domains\]"):
        crawl({}, [], group_by="registrable-domain")


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
