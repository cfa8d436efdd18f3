"""How long a frontier tries to reach an origin: from its own first check, and never without a request for a URL."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.frontier.crawls import USER_AGENT, Hosts, crawl, end_all_turns, open_frontier

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.frontier import Frontier
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.transports import TransportRequest

pytestmark = pytest.mark.usefixtures("backend")
A, B = "https://a.example", "https://b.example"
HOUR = 3600.0


class Outage(Hosts):
    """A transport whose host responds with 503 during some times.

    Args:
        is_down: Returns whether it does at a time.
        retry_after: The header of these responses.
    """

    def __init__(self, is_down: Callable[[float], bool], retry_after: str | None = None) -> None:
        super().__init__()
        self.is_down = is_down
        self.headers = () if retry_after is None else (("Retry-After", retry_after),)
        self.requested_at: list[float] = []

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        if not request.url.startswith(A):
            return await super().send(request)
        self.requested_at.append(virtual_now())
        if self.is_down(virtual_now()):
            return Response(request.url, 503, self.headers, b"")
        return Response(request.url, 404, (), b"")


@pytest.mark.urlfrontier
@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_an_outage_of_the_last_run_does_not_count(group_by: str) -> None:
    # The client has a store that remembers the first failure, and nothing was requested in between.
    store = MemoryStore(monotonic=virtual_now)
    hosts = Outage(lambda now: now < 1.0 or 10 * HOUR <= now < 10 * HOUR + 60.0)
    options: dict[str, Any] = {"user_agent": USER_AGENT, "transport": hosts, "store": store, "clock": virtual_now}

    async def main() -> tuple[list[str], int]:
        async with AsyncClient(**options) as client:
            assert not await client.allows(f"{A}/")
            await asyncio.sleep(10 * HOUR)
            async with Frontier(
                client, [f"{A}/1"], group_by=group_by, clock=virtual_now, monotonic=virtual_now
            ) as frontier:
                return (await end_all_turns(frontier, ValueError))[0], frontier.counts.skipped

    assert run_in_virtual_time(main) == ([f"{A}/1"], 0)


@pytest.mark.urlfrontier
@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_a_long_retry_after_of_a_robots_txt_is_followed_by_a_second_request(group_by: str) -> None:
    hosts = Outage(lambda now: now < 60.0, retry_after="7200")
    result = crawl(hosts, [f"{A}/1"], group_by=group_by, max_unreachable=HOUR)
    first, second = hosts.requested_at
    assert second - first >= 7200.0
    assert result.urls == [f"{A}/1"]


@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_a_url_that_is_added_late_is_not_skipped_without_a_request(group_by: str) -> None:
    hosts = Outage(lambda now: now < 2 * HOUR)

    async def main() -> tuple[list[str], list[str], int]:
        skipped: list[str] = []
        async with open_frontier(
            hosts,
            [f"{A}/1"],
            group_by=group_by,
            max_unreachable=HOUR / 4,
            on_skip=lambda each: skipped.append(each.url),
        ) as frontier:
            assert await end_all_turns(frontier, ValueError) == ([], [])
            requests = len(hosts.requested_at)
            frontier.add(f"{A}/2")
            assert await end_all_turns(frontier, ValueError) == ([], [])
            assert len(hosts.requested_at) == requests + 1
            await asyncio.sleep(2 * HOUR)
            frontier.add(f"{A}/3")
            return (await end_all_turns(frontier, ValueError))[0], skipped, len(hosts.requested_at) - requests

    assert run_in_virtual_time(main) == ([f"{A}/3"], [f"{A}/1", f"{A}/2"], 2)


@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_urls_that_are_added_during_the_last_request_wait_for_another_one(group_by: str) -> None:
    class Slow(Outage):
        async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]
            response = await super().send(request)
            frontiers[0].add_many([f"{A}/new{len(self.requested_at)}"], priority=1.0)
            return response

    hosts = Slow(lambda now: now < HOUR)
    frontiers: list[Frontier] = []
    skipped: list[str] = []

    async def main() -> list[str]:
        async with open_frontier(
            hosts, [f"{A}/1"], group_by=group_by, max_unreachable=0.0, on_skip=lambda each: skipped.append(each.url)
        ) as frontier:
            frontiers.append(frontier)
            return (await end_all_turns(frontier, ValueError))[0]

    taken = run_in_virtual_time(main)
    requests = len(hosts.requested_at)
    assert requests > 3
    # Each was there before the request that follows the one during which it was added.
    assert skipped == [f"{A}/1", *(f"{A}/new{number}" for number in range(1, requests - 1))]
    assert sorted(taken) == sorted([f"{A}/new{requests - 1}", f"{A}/new{requests}"])


@pytest.mark.urlfrontier
@pytest.mark.parametrize("group_by", ["origin", "host"])
@pytest.mark.parametrize("step", [2 * HOUR, 40 * 86400.0])
def test_a_clock_that_is_set_forward_gives_up_no_origin(step: float, group_by: str) -> None:
    ahead = [0.0]

    async def main() -> tuple[list[str], int]:
        hosts = Outage(lambda now: now < 120.0)
        asyncio.get_running_loop().call_later(40.0, ahead.__setitem__, 0, step)
        async with open_frontier(
            hosts, [f"{A}/1"], group_by=group_by, clock=lambda: virtual_now() + ahead[0]
        ) as frontier:
            return (await end_all_turns(frontier, ValueError))[0], frontier.counts.skipped

    assert run_in_virtual_time(main) == ([f"{A}/1"], 0)
