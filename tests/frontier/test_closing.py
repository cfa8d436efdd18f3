"""What a closed frontier leaves to the next one: the ends of its requests, and the waits of its origins."""

import asyncio
from pathlib import Path

import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import Hosts, crawl, open_frontier

pytestmark = [pytest.mark.usefixtures("backend"), pytest.mark.urlfrontier]
A = "https://a.example"
SLOW = {"a.example": b"User-agent: *\nCrawl-delay: 10\n"}


@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_an_open_turn_ends_when_the_frontier_is_closed(group_by: str, tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite3"

    async def first_run() -> None:
        async with open_frontier(Hosts(SLOW), [f"{A}/1", f"{A}/2"], path=path, group_by=group_by) as frontier:
            turn = await anext(frontier)
            await asyncio.sleep(40.0)
        assert turn.attempt == 1

    run_in_virtual_time(first_run, start=1000.0)
    # In a group, the requests for the robots.txt at the beginning of each run are two of its requests.
    closed_at, delay = (1040.0, 10.0) if group_by == "origin" else (1050.0, 20.0)
    again = crawl(SLOW, [], path=path, group_by=group_by, start=closed_at)
    assert again.times(A)[0] >= closed_at + delay


@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_no_robots_txt_is_requested_during_a_retry_after_of_the_last_run(group_by: str, tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite3"

    async def first_run() -> None:
        async with open_frontier(Hosts(SLOW), [f"{A}/1", f"{A}/2"], path=path, group_by=group_by) as frontier:
            (await anext(frontier)).done()
            frontier.defer(f"{A}/", 3600.0)

    run_in_virtual_time(first_run, start=1000.0)

    async def second_run() -> None:
        hosts = Hosts(SLOW)
        async with open_frontier(hosts, [], path=path, group_by=group_by) as frontier:
            waiting = asyncio.ensure_future(anext(frontier))
            await asyncio.sleep(3500.0)
            assert hosts.requests == []
            assert (await waiting).url == f"{A}/2"
            assert len(hosts.requests) == 1

    run_in_virtual_time(second_run, start=1060.0)
