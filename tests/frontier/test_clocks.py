"""A wall clock that is set, by hours or by weeks, makes no wait of a crawl longer or shorter."""

import asyncio
import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from simulation.machine import ClockPlan, Machine
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.frontier.crawls import USER_AGENT, Hosts, crawl, open_frontier

from canfetch.access.pacing import Pace
from canfetch.client.async_client import AsyncClient
from canfetch.client.frontier import Frontier, Turn, export_frontier
from canfetch.client.frontier.clocks import Moment
from canfetch.client.frontier.report import read_report
from canfetch.client.stores.memory import MemoryStore

pytestmark = pytest.mark.usefixtures("backend")
A, B = "https://a.example", "https://b.example"
MONTH = 30 * 86400.0
SLOW = {"a.example": b"User-agent: *\nCrawl-delay: 30\n"}


class Clock:
    """A wall clock that can be set."""

    def __init__(self, ahead: float = 0.0) -> None:
        self.ahead = ahead

    def __call__(self) -> float:
        return virtual_now() + self.ahead


@pytest.mark.parametrize("step", [MONTH, 45.0, -45.0, -MONTH])
def test_a_step_of_the_clock_changes_no_delay(step: float) -> None:
    clock = Clock(ahead=2 * MONTH)

    def set_clock(_frontier: Frontier, turn: Turn) -> None:
        if turn.url == f"{A}/1":
            clock.ahead += step

    result = crawl(SLOW, [f"{A}/1", f"{A}/2", f"{A}/3"], clock=clock, on_turn=set_clock)

    assert result.taken == [(0, f"{A}/1"), (30, f"{A}/2"), (60, f"{A}/3")]


@pytest.mark.parametrize("ahead", [MONTH, 3600.0, 10.0])
def test_a_file_of_a_clock_that_was_ahead_waits_no_longer_than_the_delay(tmp_path: Path, ahead: float) -> None:
    path = tmp_path / "crawl.sqlite3"

    async def first_run() -> None:
        async with open_frontier(Hosts(SLOW), [f"{A}/1", f"{A}/2"], path=path, clock=Clock(ahead)) as frontier:
            (await anext(frontier)).done()

    run_in_virtual_time(first_run, start=1000.0)

    assert crawl(SLOW, [f"{A}/2"], path=path, start=1000.0).taken == [(1030, f"{A}/2")]


@pytest.mark.files
def test_a_file_of_a_clock_that_was_ahead_waits_as_long_as_the_server_asked(tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite3"

    async def first_run() -> None:
        async with open_frontier(urls=[f"{A}/1", f"{A}/2"], path=path, clock=Clock(MONTH)) as frontier:
            (await anext(frontier)).done(retry_after="600")
            await asyncio.sleep(100)
            frontier.defer(f"{B}/", 300.0)
            frontier.add(f"{B}/1")

    run_in_virtual_time(first_run)

    # The wait counts from the start of the next run: how much of it has passed is not known.
    assert crawl({}, [], path=path, start=200.0).taken == [(500, f"{B}/1"), (800, f"{A}/2")]


@pytest.mark.files
@pytest.mark.parametrize("step", [MONTH, 45.0, -45.0, -MONTH])
@pytest.mark.parametrize("is_killed", [False, True])
def test_waits_that_began_after_a_step_of_the_clock_last_beyond_the_run(
    tmp_path: Path,
    step: float,
    is_killed: bool,  # noqa: FBT001 - a parameter of pytest
) -> None:
    path = tmp_path / "crawl.sqlite3"
    clock = Clock(2 * MONTH)
    pages = [f"{host}/{number}" for host in (A, B) for number in (1, 2)]

    async def first_run() -> Path:
        async with open_frontier(Hosts(SLOW), pages, path=path, clock=clock, retry_delay=600.0) as frontier:
            clock.ahead += step
            (await anext(frontier)).retry(retry_after="3600")
            (await anext(frontier)).done(retry_after="86400")
            with suppress(TimeoutError):
                async with asyncio.timeout(10.0):
                    await anext(frontier)
            report = read_report(path, clock=clock)
            assert [origin.next_at for origin in report.next_origins] == [
                clock.ahead + wait for wait in (3600.0, 86400.0)
            ]
            left = path.with_name("left.sqlite3")
            for suffix in ("", "-wal"):
                shutil.copy(f"{path}{suffix}", f"{left}{suffix}")
        return left if is_killed else path

    left = run_in_virtual_time(first_run)
    again = crawl(SLOW, [], path=left, clock=clock, start=10.0)
    assert again.times(A)[0] == 3600.0
    assert again.times(B) == [86400.0]


@pytest.mark.files
def test_an_export_has_the_times_of_the_wall_clock(tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite3"
    clock = Clock(MONTH)

    async def first_run() -> None:
        async with open_frontier(Hosts(), [f"{A}/1", f"{A}/2"], path=path, clock=clock) as frontier:
            clock.ahead += MONTH
            (await anext(frontier)).done(retry_after="600")

    run_in_virtual_time(first_run)
    origin = json.loads(list(export_frontier(path))[1])
    assert (origin["last_request_at"], origin["retry_at"]) == (2 * MONTH, 2 * MONTH + 600.0)


@pytest.mark.files
def test_a_page_of_an_origin_that_was_idle_waits_no_month(tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite3"

    async def first_run() -> None:
        async with open_frontier(urls=[f"{A}/1"], path=path, clock=Clock(MONTH)) as frontier:
            (await anext(frontier)).done()

    run_in_virtual_time(first_run)

    assert crawl({}, [f"{A}/2"], path=path, start=100.0).taken == [(101, f"{A}/2")]


def test_an_unreachable_origin_is_given_up_in_time_although_the_clock_was_set_back() -> None:
    hosts = Hosts({}, unreachable_until={"a.example": 10 * MONTH})
    clock = Clock(MONTH)

    async def main() -> tuple[float, int]:
        async with open_frontier(hosts, [f"{A}/1"], clock=clock, max_unreachable=3600.0) as frontier:
            task = asyncio.create_task(anext(frontier, None))
            await asyncio.sleep(600)
            clock.ahead = 0.0
            assert await task is None
            return virtual_now(), frontier.counts.skipped

    ended_at, skipped = run_in_virtual_time(main)

    assert skipped == 1
    assert ended_at < 2 * 3600


def test_visit_times_are_those_of_the_wall_clock() -> None:
    files = {"a.example": b"User-agent: *\nVisit-time: 0600-0700\n"}

    assert crawl(files, [f"{A}/1"]).taken == [(6 * 3600, f"{A}/1")]
    assert crawl(files, [f"{A}/1"], clock=Clock(4 * 3600.0)).taken == [(2 * 3600, f"{A}/1")]


@pytest.mark.parametrize("shift", [0.0, 1 / 3, -MONTH / 7])
@pytest.mark.urlfrontier
def test_a_request_that_is_due_is_due_now(shift: float) -> None:
    moment = Moment(1_790_000_000.1, 1_790_000_000.1 + shift)

    assert moment.next_request_at(Pace(), last_request_at=None) == moment.at
    assert moment.next_request_at(Pace(min_delay=1.0), last_request_at=moment.at - 1.1) == moment.at
    assert moment.from_wall(moment.wall) == moment.at


@pytest.mark.urlfrontier
def test_a_held_file_from_before_the_clock_was_set_back_is_not_new_again_later() -> None:
    closed = {"a.example": b"User-agent: *\nDisallow: /\n"}
    with Machine("clock", ClockPlan(((30.0, -3600.0),)), monotonic=virtual_now) as machine:

        async def main() -> tuple[list[str], list[str]]:
            store = MemoryStore(monotonic=virtual_now)
            options: dict[str, Any] = {"user_agent": USER_AGENT, "store": store, "clock": machine.wall}
            taken, skipped = [], []
            async with (
                AsyncClient(transport=Hosts(), **options) as client,
                AsyncClient(transport=Hosts(closed), **options) as other,
                Frontier(
                    client,
                    [f"{A}/1"],
                    clock=machine.wall,
                    monotonic=virtual_now,
                    on_skip=lambda each: skipped.append(each.url),
                ) as frontier,
            ):
                async for turn in frontier:
                    taken.append(turn.url)
                    turn.done()
                await asyncio.sleep(60)
                assert not await other.allows(A)
                # The clock shows a time after the first request again.
                await asyncio.sleep(3700)
                frontier.add(f"{A}/2")
                async for turn in frontier:
                    taken.append(turn.url)
                    turn.done()
            return taken, skipped

        assert run_in_virtual_time(main) == ([f"{A}/1"], [f"{A}/2"])


@pytest.mark.parametrize("start", [-1.0, -1e6, -1e9])
def test_wall_clock_before_1970_delays_nothing(start: float, tmp_path: Path) -> None:
    urls = [f"https://{host}.example/{page}" for page in range(2) for host in "ab"]
    crawled = crawl(
        {"a.example": b"User-agent: *\nCrawl-delay: 5\n"},
        urls,
        path=tmp_path / "crawl.sqlite3",
        clock=lambda: start + virtual_now(),
    )
    assert crawled.times("https://a.example") == [0.0, 5.0]
    assert crawled.times("https://b.example") == [0.0, 1.0]


@pytest.mark.files
def test_an_error_of_the_clock_is_not_one_of_the_file() -> None:
    monotonic = Clock()

    async def main() -> None:
        async with (
            AsyncClient(user_agent=USER_AGENT, transport=Hosts(SLOW)) as client,
            Frontier(client, monotonic=monotonic) as frontier,
        ):
            monotonic.ahead = "broken"  # type: ignore[assignment]
            with pytest.raises(TypeError, match="unsupported operand"):
                frontier.add(f"{A}/1")
            monotonic.ahead = 0.0

    run_in_virtual_time(main)
