"""Schedules: when each URL is yielded, in which order, and what is recorded."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from tests.access.conftest import AsyncScriptedOrigin

from canfetch.access.pacing import DelayMode
from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.evidence import EvidenceRecorder, verify_segment
from canfetch.client.schedule import MAX_PENDING_REPORTS, MAX_QUEUED_URLS, Schedule, ScheduledURL
from canfetch.client.transports import TransportRequest
from canfetch.errors import EvidenceError, InvalidOption


class Hosts(AsyncScriptedOrigin):
    """A transport that serves another file for each host."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__()
        self.files = files

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        self.requests.append(request)
        host = request.url.split("/")[2]
        return Response(request.url, 200 if host in self.files else 404, (), self.files.get(host, b""))


def crawl(
    files: dict[str, bytes], urls: list[str], *, start: float = 0.0, **options: float | bool | str
) -> tuple[list[tuple[float, ScheduledURL]], Hosts]:
    """Run a schedule with a clock that only its sleep function advances."""
    now = [start]
    hosts = Hosts(files)

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    async def run() -> list[tuple[float, ScheduledURL]]:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=hosts, clock=lambda: now[0]) as client:
            schedule = Schedule(client, urls, clock=lambda: now[0], sleep=sleep, **options)  # type: ignore[arg-type]
            return [(now[0], item) async for item in schedule]

    return asyncio.run(run()), hosts


def test_each_origin_has_its_own_pace() -> None:
    files = {"slow.example": b"User-agent: *\nCrawl-delay: 5\n", "quick.example": b""}
    urls = [f"https://{host}/{number}" for number in range(4) for host in files]

    results, hosts = crawl(files, urls)

    at = {item.url: moment for moment, item in results}
    assert [at[f"https://slow.example/{number}"] for number in range(4)] == [0, 5, 10, 15]
    assert [at[f"https://quick.example/{number}"] for number in range(4)] == [0, 1, 2, 3]
    assert len(hosts.requests) == 2


def test_disallowed_urls_are_yielded_at_once_with_a_verdict() -> None:
    files = {"a.example": b"User-agent: *\nDisallow: /no\nCrawl-delay: 9\n"}
    urls = ["https://a.example/1", "https://a.example/2", "https://a.example/no"]

    reported, _ = crawl(files, urls)
    dropped, _ = crawl(files, urls, include_disallowed=False)

    assert [(moment, item.url[-2:], item.allowed) for moment, item in reported] == [
        (0, "no", False),
        (0, "/1", True),
        (9, "/2", True),
    ]
    assert reported[0][1].verdict is not None
    assert reported[0][1].verdict.line == 2
    assert [item.url[-2:] for _, item in dropped] == ["/1", "/2"]


def test_invalid_urls_are_yielded_with_an_error() -> None:
    results, hosts = crawl({}, ["nonsense", "https://a.example/"])

    assert [(item.url, item.allowed) for _, item in results] == [
        ("nonsense", False),
        ("https://a.example/", True),
    ]
    assert results[0][1].verdict is None
    assert "absolute URL" in (results[0][1].error or "")
    assert len(hosts.requests) == 1


@pytest.mark.parametrize("other", [None, 7, ["https://a.example/"]])
def test_value_of_another_type_does_not_affect_the_next_urls(other: object) -> None:
    urls = ["https://a.example/1", other, "https://a.example/2"]
    results, _ = crawl({}, urls)  # type: ignore[arg-type]  # invalid on purpose
    assert [(item.url, item.allowed) for _, item in results if item.verdict is not None] == [
        ("https://a.example/1", True),
        ("https://a.example/2", True),
    ]
    [(odd, error)] = [(item.url, item.error) for _, item in results if item.verdict is None]
    assert odd is other
    assert "expected str or bytes" in (error or "")


def test_conner1996_visit_time_and_request_rate_are_honoured() -> None:
    files = {"a.example": b"User-agent: ExampleBot\nVisit-time: 0200-0300\nRequest-rate: 1/30\n"}
    results, _ = crawl(files, [f"https://a.example/{number}" for number in range(3)])
    assert [moment for moment, _ in results] == [7200, 7230, 7260]


def test_delays_are_within_the_bounds_of_the_crawler() -> None:
    files = {"a.example": b"User-agent: *\nCrawl-delay: 100000\n", "b.example": b""}
    results, _ = crawl(
        files, [f"https://{host}/{n}" for n in range(2) for host in files], min_delay=3.0, max_delay=20.0
    )
    assert sorted(moment for moment, _ in results) == [0, 0, 3, 20]


def test_bing_delay_mode_is_set_by_name_or_member() -> None:
    files = {"a.example": b"User-agent: *\nCrawl-delay: 10\n"}
    urls = [f"https://a.example/{number}" for number in range(3)]
    for reading, moments in (("window", [3, 10, 20]), (DelayMode.WINDOW, [3, 10, 20]), ("interval", [3, 13, 23])):
        results, _ = crawl(files, urls, start=3.0, delay_mode=reading)
        assert [moment for moment, _ in results] == moments
    with pytest.raises(InvalidOption, match="unknown delay mode 'nonsense'"):
        crawl(files, urls, delay_mode="nonsense")


def test_long_crawl_fetches_robots_txt_again() -> None:
    results, hosts = crawl(
        {"a.example": b"User-agent: *\nCrawl-delay: 3600\n"},
        [f"https://a.example/{number}" for number in range(30)],
        max_delay=3600.0,
    )
    assert len(results) == 30
    assert len(hosts.requests) == 2


def test_origin_with_many_urls_does_not_delay_others() -> None:
    urls = [f"https://big.example/{number}" for number in range(50)]
    urls += [f"https://small{number}.example/" for number in range(50)]

    results, hosts = crawl({}, urls)

    early = Counter(item.url.split("/")[2].startswith("small") for moment, item in results if moment < 1)
    assert early == {True: 50, False: 1}
    assert len(hosts.requests) == 51


def test_schedule_without_urls_ends_at_once() -> None:
    assert crawl({}, [])[0] == []


def test_many_invalid_urls_are_yielded_in_order() -> None:
    bad = [f"nonsense {number}" for number in range(2_500)]
    results, hosts = crawl({}, [*bad, "https://a.example/"])
    assert [item.url for _, item in results] == [*bad, "https://a.example/"]
    assert len(hosts.requests) == 1


def test_later_urls_of_a_fetched_origin_are_queued_or_yielded_at_once() -> None:
    bad = ["nonsense"] * 2_000
    files = {"a.example": b"User-agent: *\nDisallow: /no\n"}
    results, hosts = crawl(files, ["https://a.example/1", *bad, "https://a.example/2", "https://a.example/no"])
    yielded = [(moment, item.url[-2:], item.allowed) for moment, item in results if item.error is None]
    assert sorted(yielded) == [(0, "/1", True), (0, "no", False), (1, "/2", True)]
    assert len(hosts.requests) == 1


def test_disallowed_urls_can_be_dropped() -> None:
    results, _ = crawl(
        {"a.example": b"User-agent: *\nDisallow: /\n"}, ["https://a.example/1"], include_disallowed=False
    )
    assert results == []


def test_idle_origins_are_dropped() -> None:
    now = [0.0]
    most = [0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    async def run() -> None:
        hosts = Hosts({f"host{number}.example": b"User-agent: *\nDisallow: /no\n" for number in range(60)})
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=hosts, clock=lambda: now[0]) as client:
            urls = (f"https://host{n}.example/{path}" for n in range(60) for path in ("yes", "no"))
            schedule = Schedule(client, slowly(urls), clock=lambda: now[0], sleep=sleep)
            async for item in schedule:
                now[0] += 10
                most[0] = max(most[0], len(schedule._queues))
                assert item.error or item.allowed is item.url.endswith("yes")

    def slowly(urls: Iterable[str]) -> Iterator[str]:
        for url in urls:
            yield url
            # Enough reports to stop reading.
            yield from ["nonsense"] * MAX_PENDING_REPORTS

    asyncio.run(run())
    assert most[0] < 20


def test_pace_applies_to_an_origin_that_was_idle() -> None:
    bad = ["nonsense"] * MAX_PENDING_REPORTS
    results, _ = crawl({"a.example": b""}, ["https://a.example/1", *bad, *bad, "https://a.example/2"], min_delay=7.0)
    assert [moment for moment, item in results if item.allowed] == [0, 7]


def test_leaving_the_iteration_cancels_fetches() -> None:
    class Silent(Hosts):
        async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
            self.requests.append(request)
            if "quick" not in request.url:
                await asyncio.Event().wait()
            return Response(request.url, 404, (), b"")

    async def run() -> int:
        hosts = Silent({})
        urls = ["https://silent.example/", "https://quick.example/", "https://quieter.example/"]
        client = AsyncClient(user_agent="ExampleBot/1.0", transport=hosts)
        results = aiter(Schedule(client, urls))
        assert (await anext(results)).url == "https://quick.example/"
        await results.aclose()  # type: ignore[attr-defined]  # an asynchronous generator
        await client.__aexit__(RuntimeError, RuntimeError(), None)
        return len([task for task in asyncio.all_tasks() if task is not asyncio.current_task()])

    assert asyncio.run(run()) == 0


def test_more_urls_than_fit_into_the_queues_are_read_later() -> None:
    files = {"a.example": b"User-agent: *\nDisallow: /no\n", "big.example": b"User-agent: *\nDisallow: /no\n"}
    big = [f"https://big.example/{number}" for number in range(MAX_QUEUED_URLS - 1)]
    late = ["https://a.example/no", "https://a.example/2", "https://big.example/no"]
    results, hosts = crawl(files, ["https://a.example/1", *big, *late])
    assert Counter(item.url for _, item in results) == Counter(["https://a.example/1", *big, *late])
    assert {item.url for _, item in results if not item.allowed} == {late[0], late[2]}
    assert [moment for moment, item in results if item.url.startswith("https://a.example/") and item.allowed] == [0, 1]
    assert hosts.requests[0].url != hosts.requests[1].url


@pytest.mark.parametrize("include_disallowed", [True, False])
def test_every_decision_is_recorded(tmp_path: Path, *, include_disallowed: bool) -> None:
    files = {"a.example": b"User-agent: *\nDisallow: /no\n", "b.example": b""}
    urls = ["https://a.example/1", "https://a.example/no", "https://b.example/1", "https://a.example/2", "nonsense"]

    async def run(recorder: EvidenceRecorder) -> list[str]:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=Hosts(files), evidence=recorder) as client:
            schedule = Schedule(client, urls, min_delay=0.0, include_disallowed=include_disallowed)
            return [item.url async for item in schedule]

    with EvidenceRecorder(tmp_path) as recorder:
        yielded = asyncio.run(run(recorder))
    lines = [json.loads(line) for line in recorder.path.read_bytes().splitlines()[1:-1]]

    assert verify_segment(recorder.path).valid
    # An invalid URL has no verdict.
    assert sorted((line["url"], line["verdict"]["allowed"]) for line in lines) == [
        ("https://a.example/1", True),
        ("https://a.example/2", True),
        ("https://a.example/no", False),
        ("https://b.example/1", True),
    ]
    assert len(yielded) == (5 if include_disallowed else 4)
    assert {line["robots"]["origin"] for line in lines} == {"https://a.example", "https://b.example"}


def test_decision_that_cannot_be_recorded_raises(tmp_path: Path) -> None:
    async def run(recorder: EvidenceRecorder) -> None:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=Hosts({}), evidence=recorder) as client:
            recorder.close()
            async for item in Schedule(client, ["https://a.example/1"]):
                pytest.fail(f"{item.url} was yielded")

    with EvidenceRecorder(tmp_path) as recorder, pytest.raises(EvidenceError, match="closed"):
        asyncio.run(run(recorder))
