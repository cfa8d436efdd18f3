"""Polite crawling: who may be asked, when."""

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
    """Each host serves a file of its own."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__()
        self.files = files

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        self.asked.append(request)
        host = request.url.split("/")[2]
        return Response(request.url, 200 if host in self.files else 404, (), self.files.get(host, b""))


def crawl(
    files: dict[str, bytes], urls: list[str], *, start: float = 0.0, **options: float | bool | str
) -> tuple[list[tuple[float, ScheduledURL]], Hosts]:
    """Run a schedule on a clock that only its own waiting moves."""
    now = [start]
    hosts = Hosts(files)

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    async def run() -> list[tuple[float, ScheduledURL]]:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=hosts, clock=lambda: now[0]) as client:
            schedule = Schedule(client, urls, clock=lambda: now[0], sleep=sleep, **options)  # type: ignore[arg-type]
            return [(now[0], turn) async for turn in schedule]

    return asyncio.run(run()), hosts


def test_each_origin_keeps_its_own_pace() -> None:
    files = {"slow.example": b"User-agent: *\nCrawl-delay: 5\n", "quick.example": b""}
    urls = [f"https://{host}/{number}" for number in range(4) for host in files]

    turns, hosts = crawl(files, urls)

    at = {turn.url: moment for moment, turn in turns}
    assert [at[f"https://slow.example/{number}"] for number in range(4)] == [0, 5, 10, 15]
    assert [at[f"https://quick.example/{number}"] for number in range(4)] == [0, 1, 2, 3]
    assert len(hosts.asked) == 2


def test_forbidden_urls_wait_for_nobody_and_say_why() -> None:
    files = {"a.example": b"User-agent: *\nDisallow: /no\nCrawl-delay: 9\n"}
    urls = ["https://a.example/1", "https://a.example/2", "https://a.example/no"]

    reported, _ = crawl(files, urls)
    dropped, _ = crawl(files, urls, include_disallowed=False)

    assert [(moment, turn.url[-2:], turn.allowed) for moment, turn in reported] == [
        (0, "no", False),
        (0, "/1", True),
        (9, "/2", True),
    ]
    assert reported[0][1].verdict is not None
    assert reported[0][1].verdict.line == 2
    assert [turn.url[-2:] for _, turn in dropped] == ["/1", "/2"]


def test_texts_that_are_no_urls_are_reported() -> None:
    turns, hosts = crawl({}, ["nonsense", "https://a.example/"])

    assert [(turn.url, turn.allowed) for _, turn in turns] == [("nonsense", False), ("https://a.example/", True)]
    assert turns[0][1].verdict is None
    assert "absolute URL" in (turns[0][1].error or "")
    assert len(hosts.asked) == 1


@pytest.mark.parametrize("other", [None, 7, ["https://a.example/"]])
def test_what_is_no_text_drops_nothing_behind_it(other: object) -> None:
    urls = ["https://a.example/1", other, "https://a.example/2"]
    turns, _ = crawl({}, urls)  # type: ignore[arg-type]  # what callers get wrong
    assert [(turn.url, turn.allowed) for _, turn in turns if turn.verdict is not None] == [
        ("https://a.example/1", True),
        ("https://a.example/2", True),
    ]
    [(odd, error)] = [(turn.url, turn.error) for _, turn in turns if turn.verdict is None]
    assert odd is other
    assert "expected str or bytes" in (error or "")


def test_conner1996_visit_time_and_rate_are_kept() -> None:
    files = {"a.example": b"User-agent: ExampleBot\nVisit-time: 0200-0300\nRequest-rate: 1/30\n"}
    turns, _ = crawl(files, [f"https://a.example/{number}" for number in range(3)])
    assert [moment for moment, _ in turns] == [7200, 7230, 7260]


def test_bounds_of_the_crawler_hold() -> None:
    files = {"a.example": b"User-agent: *\nCrawl-delay: 100000\n", "b.example": b""}
    turns, _ = crawl(files, [f"https://{host}/{n}" for n in range(2) for host in files], min_delay=3.0, max_delay=20.0)
    assert sorted(moment for moment, _ in turns) == [0, 0, 3, 20]


def test_bing_windows_are_asked_for_by_name() -> None:
    files = {"a.example": b"User-agent: *\nCrawl-delay: 10\n"}
    urls = [f"https://a.example/{number}" for number in range(3)]
    for reading, moments in (("window", [3, 10, 20]), (DelayMode.WINDOW, [3, 10, 20]), ("interval", [3, 13, 23])):
        turns, _ = crawl(files, urls, start=3.0, delay_mode=reading)
        assert [moment for moment, _ in turns] == moments
    with pytest.raises(InvalidOption, match="unknown delay mode 'nonsense'"):
        crawl(files, urls, delay_mode="nonsense")


def test_long_crawl_renews_what_it_knows_of_robots_txt() -> None:
    turns, hosts = crawl(
        {"a.example": b"User-agent: *\nCrawl-delay: 3600\n"},
        [f"https://a.example/{number}" for number in range(30)],
        max_delay=3600.0,
    )
    assert len(turns) == 30
    assert len(hosts.asked) == 2


def test_many_origins_share_turns_fairly() -> None:
    urls = [f"https://big.example/{number}" for number in range(50)]
    urls += [f"https://small{number}.example/" for number in range(50)]

    turns, hosts = crawl({}, urls)

    early = Counter(turn.url.split("/")[2].startswith("small") for moment, turn in turns if moment < 1)
    assert early == {True: 50, False: 1}
    assert len(hosts.asked) == 51


def test_nothing_to_do_ends_at_once() -> None:
    assert crawl({}, [])[0] == []


def test_texts_that_are_no_urls_are_reported_as_they_are_read() -> None:
    bad = [f"nonsense {number}" for number in range(2_500)]
    turns, hosts = crawl({}, [*bad, "https://a.example/"])
    assert [turn.url for _, turn in turns] == [*bad, "https://a.example/"]
    assert len(hosts.asked) == 1


def test_urls_that_come_when_the_origin_is_known_wait_their_turn_or_for_nobody() -> None:
    bad = ["nonsense"] * 2_000
    files = {"a.example": b"User-agent: *\nDisallow: /no\n"}
    turns, hosts = crawl(files, ["https://a.example/1", *bad, "https://a.example/2", "https://a.example/no"])
    given = [(moment, turn.url[-2:], turn.allowed) for moment, turn in turns if turn.error is None]
    assert sorted(given) == [(0, "/1", True), (0, "no", False), (1, "/2", True)]
    assert len(hosts.asked) == 1


def test_origin_that_forbids_all_has_no_turn() -> None:
    turns, _ = crawl({"a.example": b"User-agent: *\nDisallow: /\n"}, ["https://a.example/1"], include_disallowed=False)
    assert turns == []


def test_origins_that_were_asked_long_ago_are_forgotten() -> None:
    now = [0.0]
    most = [0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    async def run() -> None:
        hosts = Hosts({f"host{number}.example": b"User-agent: *\nDisallow: /no\n" for number in range(60)})
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=hosts, clock=lambda: now[0]) as client:
            # A list that comes as slowly as somebody crawls it.
            urls = (f"https://host{n}.example/{path}" for n in range(60) for path in ("yes", "no"))
            schedule = Schedule(client, slowly(urls), clock=lambda: now[0], sleep=sleep)
            async for turn in schedule:
                now[0] += 10
                most[0] = max(most[0], len(schedule._queues))
                assert turn.error or turn.allowed is turn.url.endswith("yes")

    def slowly(urls: Iterable[str]) -> Iterator[str]:
        for url in urls:
            yield url
            # As many as are reported at once: reading stops behind them.
            yield from ["nonsense"] * MAX_PENDING_REPORTS

    asyncio.run(run())
    assert most[0] < 20


def test_pace_is_kept_when_an_origin_comes_back() -> None:
    bad = ["nonsense"] * MAX_PENDING_REPORTS
    turns, _ = crawl({"a.example": b""}, ["https://a.example/1", *bad, *bad, "https://a.example/2"], min_delay=7.0)
    assert [moment for moment, turn in turns if turn.allowed] == [0, 7]


def test_who_leaves_early_leaves_nothing_behind() -> None:
    class Silent(Hosts):
        async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
            self.asked.append(request)
            if "quick" not in request.url:
                await asyncio.Event().wait()
            return Response(request.url, 404, (), b"")

    async def run() -> int:
        hosts = Silent({})
        urls = ["https://silent.example/", "https://quick.example/", "https://quieter.example/"]
        client = AsyncClient(user_agent="ExampleBot/1.0", transport=hosts)
        turns = aiter(Schedule(client, urls))
        assert (await anext(turns)).url == "https://quick.example/"
        await turns.aclose()  # type: ignore[attr-defined]  # a generator is behind it
        await client.__aexit__(RuntimeError, RuntimeError(), None)
        return len([task for task in asyncio.all_tasks() if task is not asyncio.current_task()])

    assert asyncio.run(run()) == 0


def test_list_longer_than_what_may_wait_is_read_as_there_is_room() -> None:
    files = {"a.example": b"User-agent: *\nDisallow: /no\n", "big.example": b"User-agent: *\nDisallow: /no\n"}
    big = [f"https://big.example/{number}" for number in range(MAX_QUEUED_URLS - 1)]
    late = ["https://a.example/no", "https://a.example/2", "https://big.example/no"]
    turns, hosts = crawl(files, ["https://a.example/1", *big, *late])
    assert Counter(turn.url for _, turn in turns) == Counter(["https://a.example/1", *big, *late])
    assert {turn.url for _, turn in turns if not turn.allowed} == {late[0], late[2]}
    assert [moment for moment, turn in turns if turn.url.startswith("https://a.example/") and turn.allowed] == [0, 1]
    assert hosts.asked[0].url != hosts.asked[1].url


@pytest.mark.parametrize("include_disallowed", [True, False])
def test_every_decision_is_put_on_the_record(tmp_path: Path, *, include_disallowed: bool) -> None:
    files = {"a.example": b"User-agent: *\nDisallow: /no\n", "b.example": b""}
    urls = ["https://a.example/1", "https://a.example/no", "https://b.example/1", "https://a.example/2", "nonsense"]

    async def run(recorder: EvidenceRecorder) -> list[str]:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=Hosts(files), evidence=recorder) as client:
            schedule = Schedule(client, urls, min_delay=0.0, include_disallowed=include_disallowed)
            return [turn.url async for turn in schedule]

    with EvidenceRecorder(tmp_path) as recorder:
        given = asyncio.run(run(recorder))
    lines = [json.loads(line) for line in recorder.path.read_bytes().splitlines()[1:]]

    assert verify_segment(recorder.path).valid
    # What is no URL has no verdict.
    assert sorted((line["url"], line["verdict"]["allowed"]) for line in lines) == [
        ("https://a.example/1", True),
        ("https://a.example/2", True),
        ("https://a.example/no", False),
        ("https://b.example/1", True),
    ]
    assert len(given) == (5 if include_disallowed else 4)
    assert {line["robots"]["origin"] for line in lines} == {"https://a.example", "https://b.example"}


def test_decision_that_cannot_be_recorded_is_no_turn(tmp_path: Path) -> None:
    async def run(recorder: EvidenceRecorder) -> None:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=Hosts({}), evidence=recorder) as client:
            recorder.close()
            async for turn in Schedule(client, ["https://a.example/1"]):
                pytest.fail(f"{turn.url} came")

    with EvidenceRecorder(tmp_path) as recorder, pytest.raises(EvidenceError, match="closed"):
        asyncio.run(run(recorder))
