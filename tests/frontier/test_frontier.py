"""Frontiers: when each URL is handed out, in which order, and what is recorded."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import yarl
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.evidence.segments import verify_segment
from tests.frontier.crawls import USER_AGENT, Hosts, crawl, end_all_turns, open_frontier
from tests.json_lines import read_json_lines

from canfetch.access.pacing import DelayMode
from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.frontier import Frontier, FrontierCounts, SkippedURL, Turn
from canfetch.client.frontier.postgres_report import read_postgres_report
from canfetch.client.frontier.postgres_worker import PostgresWorker
from canfetch.client.frontier.report import read_report
from canfetch.client.skip_report import SkippedPage, SkipReport, read_skip_report
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.errors import EvidenceError, InvalidOption, InvalidProductToken, StoreError

pytestmark = pytest.mark.usefixtures("backend")
A, B = "https://a.example", "https://b.example"
HOUR = 3600


def test_each_origin_has_its_own_pace() -> None:
    files = {"slow.example": b"User-agent: *\nCrawl-delay: 5\n", "quick.example": b""}
    result = crawl(files, [f"https://{host}/{number}" for number in range(4) for host in files])

    assert result.times("https://slow.example") == [0, 5, 10, 15]
    assert result.times("https://quick.example") == [0, 1, 2, 3]
    assert len(result.hosts.requests) == 2
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=8, failed=0, skipped=0)


def test_disallowed_urls_are_reported_with_a_verdict() -> None:
    hosts = Hosts({"a.example": b"User-agent: *\nDisallow: /no\nCrawl-delay: 9\n"})
    result = crawl(hosts, [f"{A}/1", f"{A}/no/1", f"{A}/2", f"{A}/no/2", f"{A}/no/3"])

    assert [(taken.at, taken.url) for taken in result.taken] == [(0, f"{A}/1"), (9, f"{A}/2")]
    assert [skipped.url for skipped in result.skipped] == [f"{A}/no/1", f"{A}/no/2", f"{A}/no/3"]
    assert [skipped.verdict.line for skipped in result.skipped if skipped.verdict is not None] == [2, 2, 2]
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=2, failed=0, skipped=3)


def test_dropped_urls_are_in_the_skip_report(tmp_path: Path) -> None:
    hosts = Hosts({"a.example": b"User-agent: ExampleBot\nDisallow: /no\n"})

    async def main() -> None:
        with SkipReport(tmp_path / "skippedPages.jsonl", clock=virtual_now) as report:
            urls = [f"{A}/1", f"{A}/no", "whatsapp://send"]
            async with open_frontier(hosts, urls, on_skip=report.on_skip) as frontier:
                async for turn in frontier:
                    turn.done()

    run_in_virtual_time(main)
    invalid, disallowed = read_skip_report(tmp_path / "skippedPages.jsonl")
    assert isinstance(invalid, SkippedPage)
    assert (invalid.url, invalid.reason, invalid.agent) == ("whatsapp://send", "outOfScope", None)
    assert "invalid URL" in (invalid.explanation or "")
    assert disallowed == SkippedPage(f"{A}/no", "robotsTxt", 0, agent="ExampleBot", explanation="line 2, Disallow: /no")


def test_disallowed_urls_do_not_delay_the_end() -> None:
    hosts = Hosts({"a.example": b"User-agent: *\nDisallow: /no\nCrawl-delay: 60\n"})
    ends = []

    async def main() -> None:
        async with open_frontier(hosts, [f"{A}/1", *(f"{A}/no/{n}" for n in range(30))]) as frontier:
            async for turn in frontier:
                turn.done()
            ends.append(virtual_now())

    run_in_virtual_time(main)
    assert ends == [0]


def test_many_disallowed_urls_are_skipped_without_delay() -> None:
    hosts = Hosts({"a.example": b"User-agent: *\nDisallow: /no\nCrawl-delay: 60\n"})
    result = crawl(hosts, [*(f"{A}/no/{number}" for number in range(500)), f"{A}/1", f"{B}/1"])
    assert sorted(result.taken) == [(0, f"{A}/1"), (0, f"{B}/1")]
    assert result.counts.skipped == len(result.skipped) == 500


@pytest.mark.urlfrontier
def test_invalid_urls_are_reported_and_the_others_are_added() -> None:
    result = crawl({}, [f"{A}/1", "nonsense", "mailto:fish@example.com", b"/\xff\n", f"{A}/2"])

    assert result.urls == [f"{A}/1", f"{A}/2"]
    assert [skipped.url for skipped in result.skipped] == ["nonsense", "mailto:fish@example.com", "/%FF"]
    assert [skipped.verdict for skipped in result.skipped] == [None, None, None]
    assert "expected an absolute URL" in str(result.skipped[0].error)
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=2, failed=0, skipped=0, refused=3)
    assert len(result.hosts.requests) == 1


@pytest.mark.parametrize("lines", [str, str.encode], ids=["text", "bytes"])
@pytest.mark.urlfrontier
def test_lines_of_a_file_are_decided_and_handed_out_without_their_line_ends(lines: Any) -> None:
    hosts = {"a.example": b"User-agent: *\nDisallow: /*.pdf$\nDisallow: /secret$\n"}
    source = [
        f"\ufeff{A}/1\n",
        "\n",
        f"  {A}/a.pdf\r\n",
        f"{A}/secret\t\n",
        " \n",
        f"{A}/\r\n2 \n",
        f"{A}/1",
        f"{A}/3\n",
    ]
    result = crawl(hosts, [lines(line) for line in source])
    assert result.urls == [f"{A}/1", f"{A}/2", f"{A}/3"]
    assert [skipped.url for skipped in result.skipped] == [f"{A}/a.pdf", f"{A}/secret"]
    assert all(skipped.verdict is not None for skipped in result.skipped)


@pytest.mark.urlfrontier
def test_open_files_are_sources(tmp_path: Path) -> None:
    urls = tmp_path / "urls.txt"
    urls.write_bytes(f"{A}/1\r\n\r\n{A}/2\r\n".encode())
    for mode in ("r", "rb"):
        with urls.open(mode) as file:
            assert crawl({}, file).urls == [f"{A}/1", f"{A}/2"]


@pytest.mark.urlfrontier
def test_url_objects_and_bytes_are_added() -> None:
    async def main() -> None:
        async with open_frontier() as frontier:
            latin = f"{A}/é/ÿ".encode("latin-1")
            urls = [httpx2.URL(f"{A}/1"), yarl.URL(f"{A}/2"), urlsplit(f"{A}/3"), f"{A}/4".encode(), latin]
            assert frontier.add_many(urls) == 5
            assert not frontier.add(httpx2.URL(f"{A}/2"))
            assert frontier.add(yarl.URL(f"{A}/6"))
            assert not frontier.add(f"{A}/6\n")
            frontier.defer(yarl.URL(f"{A}/6"), 0)
            taken = []
            async for turn in frontier:
                turn.done()
                taken.append(turn.url)
            assert taken == [f"{A}/1", f"{A}/2", f"{A}/3", f"{A}/4", f"{A}/%E9/%FF", f"{A}/6"]

    run_in_virtual_time(main)


@pytest.mark.parametrize("other", [None, 7, ["https://a.example/"]], ids=repr)
@pytest.mark.urlfrontier
def test_values_of_other_types_raise_after_the_urls_before_them_are_added(other: Any) -> None:
    message = f"invalid URL of type {type(other).__name__}: expected str or bytes"

    async def links() -> AsyncIterator[Any]:
        for url in (f"{A}/3", other, f"{A}/4"):
            yield url

    async def main() -> None:
        async with open_frontier() as frontier:
            with pytest.raises(TypeError, match=message):
                frontier.add(other)
            with pytest.raises(TypeError, match=message):
                frontier.add_many([f"{A}/1", other])
            assert frontier.counts.queued == 1
        for source in ([f"{A}/3", other, f"{A}/4"], links()):
            async with open_frontier(urls=source) as frontier:
                with pytest.raises(TypeError, match=message):
                    await anext(frontier)
                turn = await anext(frontier)
                turn.done()
                assert turn.url == f"{A}/3"

    run_in_virtual_time(main)


@pytest.mark.parametrize(
    "url", ["https://a.example/", "/", b"https://a.example/", urlsplit("https://a.example/"), httpx2.URL(A)], ids=str
)
def test_one_url_is_not_a_source(url: Any) -> None:
    async def main() -> None:
        async with open_frontier() as frontier:
            for call in (frontier.add_many, frontier.add_source, lambda urls: Frontier(frontier._client, urls)):
                with pytest.raises(TypeError, match=r"expected an iterable of URLs, such as \["):
                    call(url)
            for call in (frontier.add_many, frontier.add_source, lambda urls: Frontier(frontier._client, urls)):
                with pytest.raises(TypeError, match="invalid urls of type int: expected an iterable of URLs"):
                    call(7)
            assert frontier.counts.queued == 0

    run_in_virtual_time(main)


class Unprintable:
    def __repr__(self) -> str:
        raise KeyError("no text")


@pytest.mark.files
@pytest.mark.parametrize(
    "options, message",
    [
        ({"concurrency_per_origin": 0}, "invalid concurrency_per_origin 0: expected an integer, 1 or more"),
        ({"max_attempts": True}, "invalid max_attempts True: expected an integer, 1 or more"),
        ({"max_attempts": 1 << 63}, "invalid max_attempts 9223372036854775808: expected at most"),
        ({"path": "a\0b"}, "invalid path"),
        ({"max_attempts": 1.5}, "invalid max_attempts 1.5"),
        ({"read_ahead": -1}, "invalid read_ahead -1"),
        ({"min_delay": -1.0}, "invalid min_delay -1.0: expected a finite number of seconds, 0 or more"),
        ({"max_delay": float("nan")}, "invalid max_delay nan"),
        ({"max_delay": 10**400}, "invalid max_delay 1000"),
        ({"max_delay": True}, "invalid max_delay True"),
        ({"max_unreachable": float("inf")}, "invalid max_unreachable inf"),
        ({"delay_mode": "nonsense"}, "unknown delay mode 'nonsense'"),
        ({"delay_mode": Unprintable()}, "unknown delay mode <Unprintable instance"),
        ({"min_delay": 9.0, "max_delay": 3.0}, "invalid min_delay 9.0: expected at most max_delay, 3.0"),
        ({"min_delay": 61}, "invalid min_delay 61: expected at most max_delay, 60.0"),
        ({"on_skip": 3}, "invalid on_skip 3: expected a function"),
        ({"path": 5}, "invalid path 5: expected a path"),
        ({"path": b"crawl.sqlite3"}, "invalid path b'crawl.sqlite3': expected a path"),
        ({"path": ""}, "invalid path '': expected a path"),
        ({"on_skip": asyncio.sleep}, "expected a function that is not async"),
        ({"sleep": 3}, "invalid sleep 3: expected an async function"),
        ({"sleep": time.sleep}, "invalid sleep <built-in function sleep>: expected an async function"),
        ({"clock": lambda: "x"}, "invalid result of clock 'x': expected a finite number of seconds"),
        ({"clock": lambda: float("nan")}, "invalid result of clock nan: expected a finite number of seconds"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_options_are_validated(options: dict[str, Any], message: str) -> None:
    async def main() -> None:
        async with open_frontier(**options):
            pass

    with pytest.raises(InvalidOption, match=message):
        run_in_virtual_time(main)


@pytest.mark.files
@pytest.mark.parametrize("retry_after", [-5.0, -1, float("nan")])
def test_seconds_of_a_retry_after_are_validated(retry_after: float) -> None:
    async def main() -> None:
        async with open_frontier(urls=[f"{A}/1"]) as frontier:
            with await anext(frontier) as turn:
                for call in (turn.done, turn.retry, lambda **options: frontier.defer(A, **options)):
                    with pytest.raises(InvalidOption, match=f"invalid retry_after {retry_after}: expected a number of"):
                        call(retry_after=retry_after)
            assert frontier.counts.done == 1

    run_in_virtual_time(main)


@pytest.mark.files
def test_urls_that_cannot_be_read_now_are_an_error() -> None:
    async def generate() -> AsyncIterator[str]:
        yield f"{A}/2"

    async def main() -> None:
        async with open_frontier(urls=[f"{A}/1"]) as frontier:
            for call in (frontier.add_many, frontier.add_source):
                with pytest.raises(TypeError, match=r"invalid urls list: pass an object, list\(...\)"):
                    call(list)
            with await anext(frontier) as turn:
                for call in (frontier.add_many, turn.add):
                    with pytest.raises(
                        TypeError, match=r"type async_generator: pass an asynchronous iterable to Frontier\.add_source"
                    ):
                        call(generate())

    run_in_virtual_time(main)


@pytest.mark.files
def test_the_result_of_sleep_is_validated() -> None:
    async def main() -> None:
        async with open_frontier(urls=[f"{A}/1", f"{A}/2"], sleep=lambda _: None) as frontier:
            (await anext(frontier)).done()
            with pytest.raises(TypeError, match="invalid result of sleep None: expected an async function"):
                await anext(frontier)

    run_in_virtual_time(main)


async def frontier_with_invalid_clock() -> None:
    async with AsyncClient(user_agent=USER_AGENT, transport=Hosts()) as client:
        Frontier(client, clock=3)  # type: ignore[arg-type]  # invalid on purpose


def test_priority_client_agent_and_clock_are_validated() -> None:
    async def main() -> None:
        with pytest.raises(InvalidProductToken, match="expected one name without"):
            async with open_frontier(agent="GPTBot,CCBot"):
                """Nothing is requested."""
        async with open_frontier() as frontier:
            for call in (frontier.add, frontier.add_many, frontier.add_source):
                with pytest.raises(InvalidOption, match="invalid priority True: expected a finite number"):
                    call([], priority=True)
                with pytest.raises(InvalidOption, match="invalid priority nan: expected a finite number"):
                    call([], priority=float("nan"))

            # SQLite has no integers of this size.
            assert frontier.add(f"{A}/1", priority=2**63)
            with await anext(frontier) as turn:
                assert turn.priority == 2.0**63

    run_in_virtual_time(main)
    with pytest.raises(InvalidOption, match="invalid clock 3: expected a function"):
        run_in_virtual_time(frontier_with_invalid_clock)
    with (
        Client(user_agent=USER_AGENT) as client,
        pytest.raises(TypeError, match="invalid client of type Client: expected AsyncClient"),
    ):
        Frontier(client)  # type: ignore[arg-type]  # invalid on purpose


def test_conner1996_visit_time_and_request_rate_are_honoured() -> None:
    files = {"a.example": b"User-agent: ExampleBot\nVisit-time: 0200-0300\nRequest-rate: 1/30\n"}
    assert crawl(files, [f"{A}/{number}" for number in range(3)]).times(A) == [7200, 7230, 7260]


def test_conner1996_visit_time_applies_when_the_turn_is_taken() -> None:
    files = {"a.example": b"User-agent: *\nVisit-time: 0600-0700\nCrawl-delay: 3600\n"}
    # The first turn starts at 06:58. An hour later, the window is closed.
    start = 6 * HOUR + 58 * 60
    result = crawl(files, [f"{A}/{number}" for number in range(3)], start=start, max_delay=HOUR)
    assert result.times(A) == [start, 30 * HOUR, 54 * HOUR]


def shown_reason(frontier: Frontier, path: Path) -> str:
    """Return what the first origin of a crawl waits for."""
    queue = frontier._queue
    if isinstance(queue, PostgresWorker):
        report = read_postgres_report(queue._connection._conninfo, queue._crawl_name)
    else:
        report = read_report(path, clock=virtual_now)
    return report.next_origins[0].reason


@pytest.mark.parametrize("end", ["done", "retry", "release"])
def test_a_report_names_the_visit_time_of_an_origin(tmp_path: Path, end: str) -> None:
    path = tmp_path / "crawl"

    async def main() -> list[str]:
        hosts = Hosts({"a.example": b"User-agent: *\nVisit-time: 0600-0700\nCrawl-delay: 50\n"})
        async with open_frontier(hosts, [f"{A}/{number}" for number in range(3)], path=path) as frontier:
            waiting = asyncio.ensure_future(anext(frontier))
            await asyncio.sleep(10)
            reasons = [shown_reason(frontier, path)]
            # At 06:00, and at 06:59:30.
            (await waiting).done()
            reasons.append(shown_reason(frontier, path))
            await asyncio.sleep(HOUR - 30)
            getattr(await anext(frontier), end)()
            return [*reasons, shown_reason(frontier, path)]

    assert run_in_virtual_time(main, start=5 * HOUR) == [
        "its Visit-time",
        "the delay between two requests",
        "its Visit-time",
    ]


def test_a_report_names_retry_after_also_after_turns_that_failed(tmp_path: Path) -> None:
    path = tmp_path / "crawl"

    async def main() -> list[str]:
        async with open_frontier(path=path) as frontier:
            frontier.add_many(f"{A}/{number}" for number in range(6))
            reasons = [shown_reason(frontier, path)]
            for retry_after in (40, None, 5000):
                (await anext(frontier)).retry(retry_after=retry_after)
                reasons.append(shown_reason(frontier, path))
            (await anext(frontier)).retry()
            frontier.defer(A, 5000)
            reasons.append(shown_reason(frontier, path))
            (await anext(frontier)).done()
            return [*reasons, shown_reason(frontier, path)]

    assert run_in_virtual_time(main) == [
        "the next free task requests it",
        "Retry-After",
        "its turns failed",
        "Retry-After",
        "Retry-After",
        "the delay between two requests",
    ]


def test_conner1996_visit_time_applies_after_a_slow_consumer() -> None:
    files = {"a.example": b"User-agent: *\nVisit-time: 0600-0700\n"}
    start = 6 * HOUR + 58 * 60

    async def main() -> list[float]:
        times = []
        async with open_frontier(Hosts(files), [f"{A}/1", f"{A}/2"]) as frontier:
            async for turn in frontier:
                times.append(virtual_now())
                turn.done()
                # The next turn becomes due at 06:58:01, but the consumer asks for it at 07:58.
                await asyncio.sleep(HOUR)
        return times

    assert run_in_virtual_time(main, start=start) == [start, 30 * HOUR]


def test_delays_are_within_the_bounds_of_the_crawler() -> None:
    files = {"a.example": b"User-agent: *\nCrawl-delay: 100000\n", "b.example": b""}
    urls = [f"https://{host}/{number}" for number in range(2) for host in files]
    assert sorted(taken.at for taken in crawl(files, urls, min_delay=3.0, max_delay=20.0).taken) == [0, 0, 3, 20]


def test_bing_delay_mode_is_set_by_name_or_member() -> None:
    files = {"a.example": b"User-agent: *\nCrawl-delay: 10\n"}
    urls = [f"{A}/{number}" for number in range(3)]
    for mode, times in (("window", [3, 10, 20]), (DelayMode.WINDOW, [3, 10, 20]), ("interval", [3, 13, 23])):
        assert crawl(files, urls, start=3.0, delay_mode=mode).times(A) == times


def test_delay_counts_from_the_end_of_the_turn() -> None:
    # A server that responds slowly, or is far away, never sees two requests within the delay.
    assert crawl({}, [f"{A}/{number}" for number in range(3)], seconds=0.5, workers=3).times(A) == [0, 1.5, 3]


def test_long_crawl_fetches_robots_txt_again() -> None:
    files = {"a.example": b"User-agent: *\nCrawl-delay: 3600\n"}
    result = crawl(files, [f"{A}/{number}" for number in range(30)], max_delay=float(HOUR))
    assert len(result.taken) == 30
    assert len(result.hosts.requests) == 2


def test_new_robots_txt_applies_to_queued_urls() -> None:
    hosts = Hosts({"a.example": b"User-agent: *\nCrawl-delay: 3600\n"})

    def disallow_everything(_: Frontier, __: Turn) -> None:
        hosts.files["a.example"] = b"User-agent: *\nDisallow: /\n"

    result = crawl(hosts, [f"{A}/{number}" for number in range(30)], max_delay=float(HOUR), on_turn=disallow_everything)
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=24, failed=0, skipped=6)


def test_origin_with_many_urls_does_not_delay_others() -> None:
    urls = [f"https://big.example/{number}" for number in range(50)]
    urls += [f"https://small{number}.example/" for number in range(50)]
    result = crawl({}, urls)
    early = Counter("small" in taken.url for taken in result.taken if taken.at < 1)
    assert early == {True: 50, False: 1}
    assert len(result.hosts.requests) == 51


@pytest.mark.slow
def test_110_000_urls_of_one_host_do_not_starve_the_next() -> None:
    async def main() -> list[float]:
        urls = [*(f"{A}/{number}" for number in range(110_000)), f"{B}/1"]
        async with open_frontier(urls=urls) as frontier:
            async for turn in frontier:
                turn.done()
                if turn.url.startswith(B):
                    return [virtual_now()]
        return []

    # The sources are read before the next turn of the first host.
    assert run_in_virtual_time(main) == [0]


@pytest.mark.slow
def test_turns_are_handed_out_while_a_source_is_read() -> None:
    def endless() -> Iterator[str]:
        number = 0
        while True:
            yield f"https://host{number % 7}.example/{number}"
            number += 1

    async def main() -> list[float]:
        times: list[float] = []
        async with open_frontier(urls=endless(), read_ahead=1000) as frontier:
            async for turn in frontier:
                with turn:
                    times.append(virtual_now())
                assert frontier.counts.queued <= 1100
                if len(times) == 2000:
                    break
        return times

    times = run_in_virtual_time(main)
    # Each of the seven hosts has a turn each second.
    assert Counter(times) == dict.fromkeys(range(285), 7) | {285: 5}


def test_asynchronous_source_does_not_delay_turns() -> None:
    async def slow() -> AsyncIterator[str]:
        for number in range(3):
            yield f"{A}/{number}"
            await asyncio.sleep(100)

    assert crawl({}, slow()).times(A) == [0, 100, 200]


@pytest.mark.slow
def test_asynchronous_source_that_never_waits_lets_other_tasks_run() -> None:
    yielded: list[str] = []

    async def endless() -> AsyncIterator[str]:
        while True:
            yielded.append(f"{A}/{len(yielded)}")
            yield yielded[-1]

    async def main() -> None:
        async with open_frontier(urls=endless(), read_ahead=10_000) as frontier:
            with await anext(frontier) as turn:
                assert turn.url == f"{A}/0"
            assert len(yielded) <= 3000
            # Nothing more is read without space.
            for _ in range(500):
                await asyncio.sleep(0)
            assert 10_000 <= len(yielded) <= 10_101
            assert frontier.counts.queued == len(yielded) - 1

    run_in_virtual_time(main)


@pytest.mark.parametrize("read_ahead", [1, 7])
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.urlfrontier
def test_no_more_urls_are_read_than_fit(read_ahead: int, *, is_async: bool) -> None:
    urls = [f"https://host{number % 3}.example/{number}" for number in range(30)]
    queued: list[int] = []

    async def later() -> AsyncIterator[str]:
        for url in urls:
            yield url

    crawled = crawl(
        {},
        later() if is_async else urls,
        read_ahead=read_ahead,
        on_turn=lambda frontier, _: queued.append(frontier.counts.queued),
    )
    assert sorted(crawled.urls) == sorted(urls)
    assert max(queued) <= read_ahead


@pytest.mark.parametrize("pauses", [False, True])
def test_error_while_an_asynchronous_source_is_added_is_raised_once(*, pauses: bool) -> None:
    closed = []

    async def links() -> AsyncIterator[Any]:
        try:
            for url in (f"{A}/1", 7, f"{A}/2"):
                yield url
                if pauses:
                    await asyncio.sleep(1)
        finally:
            closed.append(True)

    async def main() -> list[str]:
        async with open_frontier(urls=links()) as frontier:
            urls = []
            while True:
                try:
                    async for turn in frontier:
                        with turn:
                            urls.append(turn.url)
                except TypeError as error:
                    urls.append(str(error))
                else:
                    return urls

    message = "invalid URL of type int: expected str or bytes"
    urls = run_in_virtual_time(main)
    assert [url for url in urls if not url.startswith(message)] == [f"{A}/1", f"{A}/2"]
    assert len(urls) == 3
    assert closed == [True]


class RaisingSource:
    """A source that raises an exception after two URLs."""

    def __init__(self, error: BaseException) -> None:
        self._error = error
        self._left = 2

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self._left -= 1
        if self._left < 0:
            raise self._error
        return f"{A}/{self._left}"


class AsyncRaisingSource(RaisingSource):
    """A `RaisingSource` for asynchronous iteration."""

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        return next(self)


def all_turns(urls: Any, **options: Any) -> tuple[list[str], list[str]]:
    """Return the URLs of all turns, and the exceptions in between."""

    async def main() -> tuple[list[str], list[str]]:
        async with open_frontier(options.pop("hosts", None), urls, min_delay=0.0, **options) as frontier:
            return await end_all_turns(frontier, RuntimeError)

    turns, errors = run_in_virtual_time(main)
    return sorted(turns), errors


@pytest.mark.parametrize("source", [RaisingSource, AsyncRaisingSource])
@pytest.mark.urlfrontier
def test_a_source_that_raises_cancelled_error_is_not_dropped_silently(source: Any) -> None:
    turns, errors = all_turns(source(asyncio.CancelledError()))

    assert (turns, errors) == ([f"{A}/0", f"{A}/1"], ["the source was cancelled"])


STOPPED = "a source, a callback or the transport raised StopAsyncIteration('boom')"


@pytest.mark.urlfrontier
def test_stop_async_iteration_of_a_source_does_not_end_the_crawl() -> None:
    turns, errors = all_turns(RaisingSource(StopAsyncIteration("boom")))

    assert (turns, errors) == ([f"{A}/0", f"{A}/1"], [STOPPED])


@pytest.mark.urlfrontier
def test_stop_async_iteration_of_on_skip_does_not_end_the_crawl() -> None:
    def on_skip(_: SkippedURL) -> None:
        raise StopAsyncIteration("boom")

    hosts = Hosts({"a.example": b"User-agent: *\nDisallow: /no\n"})
    turns, errors = all_turns([f"{A}/no/1", f"{A}/no/2", f"{A}/1"], hosts=hosts, on_skip=on_skip)

    assert (turns, errors) == ([f"{A}/1"], [STOPPED] * 2)


@pytest.mark.urlfrontier
def test_stop_async_iteration_of_the_transport_does_not_end_the_crawl() -> None:
    class Raising(Hosts):
        async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # asynchronous
            if not self.requests:
                self.requests.append(request)
                raise StopAsyncIteration("boom")
            return await super().send(request)

    turns, errors = all_turns([f"{A}/1", f"{B}/1"], hosts=Raising())

    assert (turns, errors) == ([f"{A}/1", f"{B}/1"], [STOPPED])


def test_sources_can_be_added_while_running() -> None:
    async def later() -> AsyncIterator[str]:
        await asyncio.sleep(50)
        yield f"{B}/async"

    def add_sources(frontier: Frontier, turn: Turn) -> None:
        if turn.url == f"{A}/1":
            frontier.add_source(iter([f"{B}/1", f"{B}/2"]))
            frontier.add_source(later(), priority=3)

    result = crawl({}, [f"{A}/1"], on_turn=add_sources)
    assert result.taken == [(0, f"{A}/1"), (0, f"{B}/1"), (1, f"{B}/2"), (50, f"{B}/async")]


@pytest.mark.urlfrontier
def test_exception_of_a_source_is_raised_once_and_keeps_the_urls_before_it() -> None:
    def broken() -> Iterator[str]:
        yield f"{A}/1"
        raise OSError("the list cannot be read")

    async def main() -> list[str]:
        async with open_frontier(urls=broken()) as frontier:
            with pytest.raises(OSError, match="the list cannot be read"):
                await anext(frontier)
            return [turn.url async for turn in frontier if turn.done()]

    assert run_in_virtual_time(main) == [f"{A}/1"]


@pytest.mark.parametrize("kind", ["iterable", "broken", "async", "slow"])
def test_no_url_of_a_source_is_lost_while_the_queue_cannot_be_written(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full, or the database restarts."""
    given = [f"https://host{number % 7}.example/{number}" for number in range(300)]
    tries: list[int] = []

    def broken() -> Iterator[str]:
        yield from given
        raise StoreError("the list ends here")

    async def later() -> AsyncIterator[str]:
        for url in given:
            yield url
            if kind == "slow":
                await asyncio.sleep(0.01)

    async def main() -> tuple[list[str], list[str], FrontierCounts]:
        source = {"iterable": given, "broken": broken()}.get(kind) or later()
        async with open_frontier(urls=source, min_delay=0.0) as frontier:
            add = frontier._queue.add

            def failing(new: Any) -> Any:
                tries.append(len(new.urls))
                if len(tries) in (2, 3, 5):
                    raise StoreError("disk full")
                return add(new)

            monkeypatch.setattr(frontier._queue, "add", failing)
            return *(await end_all_turns(frontier, StoreError)), frontier.counts

    urls, errors, counts = run_in_virtual_time(main)
    assert sorted(urls) == sorted(given)
    assert errors == ["disk full"] * 3 + ["the list ends here"] * (kind == "broken")
    assert counts == FrontierCounts(queued=0, in_flight=0, done=300, failed=0, skipped=0)
    # No more URLs are kept than are read at once.
    assert max(tries) <= 101


@pytest.mark.parametrize("kind", ["iterable", "async"])
@pytest.mark.parametrize("read_ahead", [10, 1000])
def test_no_url_of_a_source_is_lost_while_the_queue_cannot_be_read(
    kind: str, read_ahead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [f"https://host{number % 7}.example/{number}" for number in range(300)]
    reads = 0

    async def later() -> AsyncIterator[str]:
        for url in given:
            yield url

    async def main() -> tuple[list[str], list[str]]:
        source = given if kind == "iterable" else later()
        async with open_frontier(urls=source, min_delay=0.0, read_ahead=read_ahead) as frontier:
            counts = frontier._queue.counts

            def failing() -> Any:
                nonlocal reads
                reads += 1
                if reads in (1, 2, 4, 6):
                    raise StoreError("the server is away")
                result: FrontierCounts = counts()
                return result

            monkeypatch.setattr(frontier._queue, "counts", failing)
            return await end_all_turns(frontier, StoreError)

    urls, errors = run_in_virtual_time(main)
    assert sorted(urls) == sorted(given)
    assert errors == ["the server is away"] * len(errors)


def test_the_exception_of_a_source_that_ends_during_the_last_step_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with open_frontier() as frontier:
            find_due = frontier._queue.find_due

            def ending(now: float) -> Any:
                if frontier._sources.is_exhausted:
                    monkeypatch.setattr(frontier._queue, "find_due", find_due)
                    frontier._sources.add_error(OSError("the list cannot be read"))
                due: list[int] = find_due(now)
                return due

            monkeypatch.setattr(frontier._queue, "find_due", ending)
            with pytest.raises(OSError, match="the list cannot be read"):
                await anext(frontier)
            assert await anext(frontier, None) is None

    run_in_virtual_time(main)


@pytest.mark.parametrize("kind", ["iterable", "async"])
def test_a_frontier_is_closed_while_the_queue_cannot_be_written(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def later() -> AsyncIterator[str]:
        yield f"{A}/1"
        await asyncio.sleep(1)

    async def main() -> None:
        def failing(_: Any) -> Any:
            raise StoreError("disk full")

        async with open_frontier(urls=[f"{A}/1"] if kind == "iterable" else later()) as frontier:
            monkeypatch.setattr(frontier._queue, "add", failing)
            for _ in range(3):
                with pytest.raises(StoreError, match="disk full"):
                    await anext(frontier)
        assert frontier.counts.queued == 0

    run_in_virtual_time(main)


@pytest.mark.urlfrontier
def test_closing_ends_the_iteration_and_the_sources() -> None:
    closed = []

    async def endless() -> AsyncIterator[str]:
        try:
            while True:
                await asyncio.sleep(1000)
                yield "nonsense"
        finally:
            closed.append(virtual_now())

    async def main() -> None:
        async with open_frontier(urls=endless()) as frontier:
            consumer = asyncio.create_task(anext(frontier, None))
            await asyncio.sleep(10)
            await frontier.close()
            assert await consumer is None
            assert await anext(frontier, None) is None
            with pytest.raises(StoreError, match="the frontier is closed"):
                frontier.add(f"{A}/1")
        assert len(asyncio.all_tasks()) == 1

    run_in_virtual_time(main)
    assert closed == [10]


@pytest.mark.urlfrontier
def test_frontier_without_urls_ends_at_once() -> None:
    assert crawl({}, []).taken == []


@pytest.mark.urlfrontier
def test_links_are_added_while_running() -> None:
    def add_links(frontier: Frontier, turn: Turn) -> None:
        number = int(turn.url.rpartition("/")[2])
        if number < 40:
            added = frontier.add_many(f"{A}/{link}" for link in (2 * number + 1, 2 * number + 2, number))
            assert added == 2
            assert frontier.add(f"{A}/{number}") is False

    result = crawl({}, [f"{A}/0"], on_turn=add_links)
    assert sorted(result.urls) == sorted(f"{A}/{number}" for number in range(81))


def test_consumers_wait_for_the_links_of_turns_in_flight() -> None:
    def add_links(frontier: Frontier, turn: Turn) -> None:
        if turn.url == f"{A}/1":
            frontier.add_many([f"{B}/1", "https://c.example/1"])

    result = crawl({}, [f"{A}/1"], workers=3, seconds=10, on_turn=add_links)
    assert result.taken == [(0, f"{A}/1"), (10, f"{B}/1"), (10, "https://c.example/1")]


@pytest.mark.parametrize(
    "same",
    [
        ["https://a.example/x?q=1", "https://A.EXAMPLE:443/x?q=1#top", "https://user@a.example/./%78?q=1"],
        ["http://a.example", "http://a.example/", "HTTP://a.example:80/#"],
        ["https://m\u00fcller.example/%c3%bc", "https://xn--mller-kva.example/\u00fc"],
    ],
)
@pytest.mark.urlfrontier
def test_same_url_is_added_once(same: list[str]) -> None:
    others = [
        "https://a.example/X?q=1",
        "https://a.example/x?q=2",
        "https://a.example/x",
        "https://a.example:8443/x?q=1",
    ]
    result = crawl({}, [*same, *others, *same])
    assert sorted(result.urls) == sorted([same[0], *others])


def test_url_is_handed_out_as_it_was_added() -> None:
    odd = ["https://a.example/\u200b\x00#x", "https://a.example/\U0001f41f?a|b"]
    assert crawl({}, odd).urls == odd


@pytest.mark.parametrize(
    "surrogate, escape",
    [
        # An undecoded byte, as aiohttp returns it in the header `Location`.
        ("\udcff", "%FF"),
        ("\udce9\u200b", "%E9%E2%80%8B"),
        # From a page in UTF-7, for example.
        ("\ud800", "%ED%A0%80"),
    ],
)
def test_a_surrogate_is_requested_as_the_verdict_reads_it(surrogate: str, escape: str) -> None:
    """aiohttp would request another URL, which is disallowed."""
    rules = f"User-agent: *\nDisallow: /private\nDisallow: /not/{escape}\n".encode()
    urls = [f"{A}/{part}" for part in (f"pri{surrogate}vate", f"#{surrogate}", f"not/{surrogate}")]
    seen: list[str] = []

    def add_link(frontier: Frontier, _: Turn) -> None:
        frontier.add(f"{A}/link{surrogate}")

    def add_query(url: str) -> str:
        seen.append(url)
        return f"{url}?{surrogate}"

    result = crawl({"a.example": rules}, urls, on_turn=add_link, url_filter=add_query)
    assert result.urls == [f"{A}/pri{escape}vate?{escape}", f"{A}/#{escape}?{escape}", f"{A}/link{escape}?{escape}"]
    assert [skipped.url for skipped in result.skipped] == [f"{A}/not/{escape}?{escape}"]
    assert all(map(str.isascii, seen))


def test_priorities_order_urls_and_origins() -> None:
    def add_links(frontier: Frontier, turn: Turn) -> None:
        if turn.url == f"{A}/first":
            for number in range(4):
                frontier.add(f"{A}/{number}", priority=number % 3)
                frontier.add(f"{B}/{number}", priority=-number)
            frontier.add("https://c.example/", priority=0.5)

    hosts = Hosts(delays={"a.example": 0.0})
    result = crawl(hosts, [f"{A}/first", f"{B}/first", "https://c.example/first"], on_turn=add_links, seconds=0.1)
    at_a = [url for url in result.urls if url.startswith(A)]
    at_b = [url for url in result.urls if url.startswith(B)]
    assert at_a == [f"{A}/first", f"{A}/2", f"{A}/1", f"{A}/0", f"{A}/3"]
    assert at_b == [f"{B}/first", f"{B}/0", f"{B}/1", f"{B}/2", f"{B}/3"]


@pytest.mark.slow
def test_ready_origin_with_the_highest_priority_is_first() -> None:
    async def main() -> list[str]:
        urls = []
        async with open_frontier() as frontier:
            for number in range(300):
                frontier.add(f"https://host{number}.example/", priority=number * 7 % 300)
            async for turn in frontier:
                with turn:
                    urls.append(turn.url)
                    if len(urls) == 1:
                        # All files are obtained in the meantime.
                        await asyncio.sleep(1)
            return urls

    priorities = [int(url[12:].partition(".")[0]) * 7 % 300 for url in run_in_virtual_time(main)]
    # The first turns belong to the first origins whose files were obtained.
    assert sorted(priorities) == list(range(300))
    assert priorities[1:] == sorted(priorities[1:], reverse=True)


def test_concurrency_per_origin() -> None:
    open_turns: Counter[str] = Counter()
    most: Counter[str] = Counter()

    async def work(frontier: Frontier) -> None:
        async for turn in frontier:
            host = turn.url.split("/")[2]
            with turn:
                open_turns[host] += 1
                most[host] = max(most[host], open_turns[host])
                await asyncio.sleep(10)
                open_turns[host] -= 1

    async def main() -> float:
        urls = [f"https://{host}.example/{number}" for number in range(12) for host in "ab"]
        async with (
            open_frontier(urls=urls, concurrency_per_origin=3, min_delay=0.0) as frontier,
            asyncio.TaskGroup() as tasks,
        ):
            for _ in range(20):
                tasks.create_task(work(frontier))
        return virtual_now()

    assert run_in_virtual_time(main) == 40
    assert most == {"a.example": 3, "b.example": 3}


@pytest.mark.urlfrontier
def test_turn_can_only_end_once() -> None:
    async def main() -> None:
        async with open_frontier(urls=[f"{A}/1"], min_delay=0.0) as frontier:
            turn = await anext(frontier)
            assert frontier.counts.in_flight == 1
            turn.done()
            turn.done()
            assert turn.retry() is False
            turn.release()
            assert frontier.counts == FrontierCounts(queued=0, in_flight=0, done=1, failed=0, skipped=0)
            assert repr(turn) == "<Turn 'https://a.example/1', attempt 1>"
            assert (turn.priority, turn.verdict.allowed) == (0, True)

    run_in_virtual_time(main)


@pytest.mark.urlfrontier
def test_turn_that_never_ended_is_reported() -> None:
    async def main() -> None:
        async with open_frontier(urls=[f"{A}/1"]) as frontier:
            turn = await anext(frontier)
            with pytest.warns(ResourceWarning, match="the turn for https://a.example/1 was never ended"):
                del turn

    run_in_virtual_time(main)


@pytest.mark.urlfrontier
def test_turn_that_was_open_when_the_frontier_closed() -> None:
    async def main() -> None:
        async with open_frontier(urls=[f"{A}/1"]) as frontier:
            turn = await anext(frontier)
        await frontier.close()
        assert frontier.counts == FrontierCounts(queued=1, in_flight=0, done=0, failed=0, skipped=0)
        with pytest.raises(StoreError, match="the frontier is closed"):
            turn.done()
        with pytest.raises(StoreError, match="the frontier is closed"):
            turn.retry()
        with pytest.raises(ZeroDivisionError), turn:
            raise ZeroDivisionError
        turn.release()

    run_in_virtual_time(main)


def test_an_exception_of_the_block_is_raised_although_closing_fails(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> FrontierCounts:
        raise StoreError("the disk is gone")

    async def use(*, fails: bool) -> None:
        async with open_frontier() as frontier:
            monkeypatch.setattr(frontier._queue, "counts", fail)
            if fails:
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_in_virtual_time(lambda: use(fails=True))
    assert "the frontier was not closed properly: the disk is gone" in caplog.text
    with pytest.raises(StoreError, match="the disk is gone"):
        run_in_virtual_time(lambda: use(fails=False))


def test_exception_in_the_block_queues_the_url_again() -> None:
    attempts = []

    async def main() -> FrontierCounts:
        async with open_frontier(urls=[f"{A}/bad", f"{A}/good"], retry_delay=0.0, max_delay=1.0) as frontier:
            async for turn in frontier:
                with suppress(ConnectionError), turn:
                    attempts.append((virtual_now(), turn.url[-4:], turn.attempt))
                    if turn.url.endswith("bad"):
                        raise ConnectionError
            counts: FrontierCounts = frontier.counts
            return counts

    counts = run_in_virtual_time(main)
    assert attempts == [(0, "/bad", 1), (1, "good", 1), (2, "/bad", 2), (3, "/bad", 3)]
    assert counts == FrontierCounts(queued=0, in_flight=0, done=1, failed=1, skipped=0)


def test_cancelled_consumer_releases_its_turn() -> None:
    async def work(frontier: Frontier, attempts: list[tuple[str, int]]) -> None:
        async for turn in frontier:
            with turn:
                attempts.append((turn.url, turn.attempt))
                await asyncio.sleep(100)

    async def main() -> list[tuple[str, int]]:
        attempts: list[tuple[str, int]] = []
        async with open_frontier(urls=[f"{A}/1", f"{A}/2"]) as frontier:
            tasks = [asyncio.create_task(work(frontier, attempts)) for _ in range(3)]
            await asyncio.sleep(10)
            # One has a turn, one looks for one, and one waits for that one.
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert frontier.counts == FrontierCounts(queued=2, in_flight=0, done=0, failed=0, skipped=0)
            await work(frontier, attempts)
        return attempts

    assert run_in_virtual_time(main) == [(f"{A}/1", 1), (f"{A}/1", 1), (f"{A}/2", 1)]


def test_slow_robots_txt_does_not_delay_other_origins() -> None:
    hosts = Hosts(delays={"a.example": 25.0})
    result = crawl(hosts, [f"{A}/1", f"{A}/2", f"{B}/1", f"{B}/2"])
    assert result.taken == [(0, f"{B}/1"), (1, f"{B}/2"), (25, f"{A}/1"), (26, f"{A}/2")]


@pytest.mark.slow
def test_unreachable_origin_is_retried_without_delaying_others() -> None:
    hosts = Hosts(unreachable_until={"a.example": 200.0})
    result = crawl(hosts, [f"{A}/1", f"{A}/2", *(f"{B}/{number}" for number in range(400))])
    assert result.times(B) == list(range(400))
    first, second = result.times(A)
    # The delays of the access policy: a minute, two minutes, and four minutes, shortened by up to a half.
    assert 200 <= first <= 60 + 120 + 240
    assert second == first + 1
    assert result.skipped == []
    assert len(hosts.requests) <= 6


@pytest.mark.urlfrontier
def test_urls_of_an_origin_that_stays_unreachable_are_skipped() -> None:
    hosts = Hosts(unreachable_until={"a.example": 1e9})
    ends = []

    def note_end(_: Frontier, __: Turn) -> None:
        ends.append(virtual_now())

    result = crawl(hosts, [f"{A}/{number}" for number in range(120)], max_unreachable=500.0, on_turn=note_end)
    assert result.taken == []
    assert {str(skipped.verdict.reason) for skipped in result.skipped if skipped.verdict is not None} == {"unreachable"}
    assert result.counts.skipped == len(result.skipped) == 120
    assert 3 <= len(hosts.requests) <= 6


@pytest.mark.urlfrontier
def test_client_that_was_closed_raises_and_keeps_the_urls() -> None:
    async def main() -> FrontierCounts:
        async with open_frontier(urls=[f"{A}/1"]) as frontier:
            await frontier._client.close()
            for _ in range(2):
                with pytest.raises(RuntimeError, match="the client is closed"):
                    await anext(frontier)
            counts: FrontierCounts = frontier.counts
            return counts

    assert run_in_virtual_time(main).queued == 1


@pytest.mark.slow
def test_more_files_than_are_held_come_from_the_client() -> None:
    # The frontier holds files of up to 32 MiB, and the client caches equal files once.
    hosts = Hosts({f"host{number}.example": b"#" * 500_000 for number in range(80)})
    urls = [f"https://{host}/{number}" for number in range(3) for host in hosts.files]
    result = crawl(hosts, urls)
    assert sorted(result.urls) == sorted(urls)
    assert [result.times(f"https://{host}/") for host in hosts.files] == [[0, 1, 2]] * 80
    assert len(hosts.requests) == 80


@pytest.mark.urlfrontier
def test_check_that_is_cancelled_is_repeated() -> None:
    async def main() -> list[str]:
        async with open_frontier(Hosts(delays={"a.example": 5.0}), [f"{A}/1"]) as frontier:
            consumer = asyncio.create_task(anext(frontier))
            await asyncio.sleep(1)
            for task in frontier._client._in_flight.values():
                task.cancel()
            turn = await consumer
            turn.done()
            return [turn.url]

    assert run_in_virtual_time(main) == [f"{A}/1"]


@pytest.mark.slow
@pytest.mark.parametrize("in_source", [False, True])
def test_exception_of_on_skip_is_raised_and_the_crawl_goes_on(*, in_source: bool) -> None:
    reports: list[str] = []

    def report(skipped: SkippedURL) -> None:
        reports.append(skipped.url)
        raise ZeroDivisionError

    async def main() -> list[str]:
        hosts = Hosts({"a.example": b"User-agent: *\nDisallow: /no\n"})
        urls = [f"{A}/no1", f"{A}/1", "mailto:fish@example.com", f"{A}/no2", *(f"{A}/{n}" for n in range(2, 300))]
        async with open_frontier(hosts, urls if in_source else (), min_delay=0.0, on_skip=report) as frontier:
            for url in () if in_source else urls:
                if url.startswith("mailto"):
                    with pytest.raises(ZeroDivisionError):
                        frontier.add(url)
                else:
                    frontier.add(url)
            taken, errors = await end_all_turns(frontier, ZeroDivisionError)
            assert len(errors) == (3 if in_source else 2)
            assert frontier.counts.skipped == 2
        return taken

    assert run_in_virtual_time(main) == [f"{A}/{number}" for number in range(1, 300)]
    assert sorted(reports) == [f"{A}/no1", f"{A}/no2", "mailto:fish@example.com"]


@pytest.mark.urlfrontier
def test_exception_of_on_skip_loses_no_url_of_add_many() -> None:
    reports: list[str | None] = []

    def report(skipped: SkippedURL) -> None:
        reports.append(skipped.url)
        raise ZeroDivisionError(skipped.url)

    async def main() -> None:
        async with open_frontier(on_skip=report) as frontier:
            urls = ["mailto:1", *(f"{A}/{number}" for number in range(1500)), "mailto:2"]
            with pytest.raises(ZeroDivisionError, match="mailto:1"):
                frontier.add_many(urls)
            assert frontier.counts == FrontierCounts(1500, in_flight=0, done=0, failed=0, skipped=0, refused=2)

    run_in_virtual_time(main)
    assert reports == ["mailto:1", "mailto:2"]


@pytest.mark.files
@pytest.mark.slow
def test_other_tasks_run_between_turns_of_a_consumer_that_never_waits() -> None:
    beats = [0]

    async def beat() -> None:
        while True:
            await asyncio.sleep(0)
            beats[0] += 1

    async def main() -> None:
        async with open_frontier(urls=[f"{A}/{number}" for number in range(200)], min_delay=0.0) as frontier:
            heart = asyncio.create_task(beat())
            (await anext(frontier)).done()
            start, turns = beats[0], 0
            async for turn in frontier:
                turn.done()
                turns += 1
                assert beats[0] - start >= turns - 1
            heart.cancel()

    run_in_virtual_time(main)


@pytest.mark.urlfrontier
def test_every_decision_is_recorded(tmp_path: Path) -> None:
    hosts = Hosts({"a.example": b"User-agent: *\nDisallow: /no\n"})
    urls = [f"{A}/1", f"{A}/no", f"{B}/1", f"{A}/2", "nonsense"]

    async def main(recorder: EvidenceRecorder) -> None:
        async with (
            AsyncClient(user_agent=USER_AGENT, transport=hosts, clock=virtual_now, evidence=recorder) as client,
            Frontier(client, urls, clock=virtual_now, monotonic=virtual_now) as frontier,
        ):
            async for turn in frontier:
                turn.done()

    with EvidenceRecorder(tmp_path) as recorder:
        run_in_virtual_time(lambda: main(recorder))
    lines = read_json_lines(recorder.path)[1:-1]

    assert verify_segment(recorder.path).valid
    # An invalid URL has no verdict.
    assert sorted((line["url"], line["verdict"]["allowed"]) for line in lines) == [
        (f"{A}/1", True),
        (f"{A}/2", True),
        (f"{A}/no", False),
        (f"{B}/1", True),
    ]


@pytest.mark.slow
@pytest.mark.urlfrontier
def test_decision_that_cannot_be_recorded_raises_and_keeps_the_url(tmp_path: Path) -> None:
    async def main(recorder: EvidenceRecorder) -> None:
        async with (
            AsyncClient(user_agent=USER_AGENT, transport=Hosts(), clock=virtual_now, evidence=recorder) as client,
            Frontier(client, [f"{A}/1"], clock=virtual_now, monotonic=virtual_now) as frontier,
        ):
            recorder.close()
            with pytest.raises(EvidenceError, match="closed"):
                await anext(frontier)
            assert frontier.counts.queued == 1

    with EvidenceRecorder(tmp_path) as recorder:
        run_in_virtual_time(lambda: main(recorder))


@pytest.mark.parametrize("end", ["done", "retry", "release"])
@pytest.mark.urlfrontier
def test_a_turn_that_ends_in_another_thread_raises_and_its_url_is_queued_again(end: str) -> None:
    async def main() -> list[int]:
        attempts = []
        async with (
            AsyncClient(user_agent=USER_AGENT, transport=Hosts()) as client,
            Frontier(client, [f"{A}/1"], min_delay=0.0, retry_delay=0.0) as frontier,
        ):
            async for turn in frontier:
                attempts.append(turn.attempt)
                if turn.attempt == 1:
                    with pytest.raises(RuntimeError, match=f"the turn for {A}/1 was ended in another thread"):
                        await asyncio.to_thread(getattr(turn, end))
                else:
                    turn.done()
            assert frontier.counts.done == 1
        return attempts

    assert asyncio.run(main()) == [1, 2]


@pytest.mark.parametrize(
    "url",
    [
        "whatsapp://send?text=x",
        "android-app://org.example/https/a.example",
        "ws://a.example/",
        "https://a.example:0/",
        # No server reads a URL of more than 64 KiB.
        f"{A}/{'x' * (65_537 - len(A) - 1)}",
    ],
    ids=lambda url: url[:12],
)
def test_a_url_that_no_transport_can_fetch_is_refused(url: str) -> None:
    async def main() -> list[SkippedURL]:
        skipped: list[SkippedURL] = []
        async with open_frontier(on_skip=skipped.append) as frontier:
            assert not frontier.add(url)
            assert frontier.add_many([url, f"{A}/{'1' * (65_536 - len(A) - 1)}"]) == 1
            async for turn in frontier:
                turn.done()
        # The crawl does not wait for it.
        assert virtual_now() == 0
        return skipped

    skipped = run_in_virtual_time(main)
    assert [(each.url, each.verdict) for each in skipped] == [(url, None)] * 2
    assert all(each.error is not None and "invalid URL" in each.error for each in skipped)
