"""Retry-After: no request is sent to an origin before the time that it asked for has passed."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.frontier.crawls import Hosts, crawl, open_frontier

from canfetch.access.responses import Failure, Response
from canfetch.client.frontier import Frontier, SkippedURL, Turn
from canfetch.client.transports import TransportRequest
from canfetch.errors import InvalidURL

pytestmark = pytest.mark.usefixtures("backend")
A, B = "https://a.example", "https://b.example"
RetryAfter = str | float | None


def defer(frontier: Frontier, turn: Turn, retry_after: RetryAfter) -> None:
    frontier.defer(turn.url, retry_after)


def end(_: Frontier, turn: Turn, retry_after: RetryAfter) -> None:
    turn.done(retry_after=retry_after)


@pytest.mark.parametrize("report", [defer, end])
@pytest.mark.parametrize(
    "retry_after, at",
    [
        ("120", 120),
        (120.0, 120),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 120),
        # The maximum is a day.
        ("999999999", 86_400),
        # Invalid and past values have no effect.
        ("soon", 1),
        (None, 1),
        ("0", 1),
        (0.0, 1),
        ("-5", 1),
    ],
)
def test_rfc9110_10_2_3_origin_is_deferred(
    report: Callable[[Frontier, Turn, RetryAfter], None], retry_after: RetryAfter, at: float
) -> None:
    def report_first(frontier: Frontier, turn: Turn) -> None:
        if turn.url == f"{A}/1":
            report(frontier, turn, retry_after)

    result = crawl({}, [f"{A}/1", f"{A}/2", f"{A}/3", f"{B}/1", f"{B}/2"], on_turn=report_first)
    assert result.times(A) == [0, at, at + 1]
    assert result.times(B) == [0, 1]


def test_rfc9110_10_2_3_url_is_retried_after_the_time() -> None:
    answers = []

    def answer(_: Frontier, turn: Turn) -> None:
        if turn.url == f"{A}/1":
            answers.append(turn.retry(retry_after="60"))

    result = crawl({}, [f"{A}/1", f"{A}/2"], on_turn=answer, max_attempts=2, retry_delay=0.0)
    assert result.taken == [(0, f"{A}/1"), (60, f"{A}/2"), (61, f"{A}/1")]
    assert answers == [True, False]
    assert (result.counts.done, result.counts.failed) == (1, 1)


def test_rfc9110_10_2_3_the_later_of_two_values_applies() -> None:
    async def main() -> float:
        async with open_frontier(urls=[f"{A}/1"]) as frontier:
            # The target of a redirect, before any URL of that origin.
            frontier.defer(f"{A}/elsewhere", 500)
            frontier.defer(f"{A}/elsewhere", "60")
            with pytest.raises(InvalidURL):
                frontier.defer("nowhere", 5)
            async for turn in frontier:
                turn.done()
        return virtual_now()

    assert run_in_virtual_time(main) == 500


@pytest.mark.parametrize("seconds", [1.0, 5.0], ids=["ready", "checking"])
def test_rfc9110_10_2_3_origin_is_deferred_in_every_phase(seconds: float) -> None:
    """Defer an origin while its robots.txt is fetched or when it is ready, and while it has a turn."""

    async def main() -> list[float]:
        times = []
        hosts = Hosts(delays={"a.example": seconds, "b.example": 1.0})
        async with open_frontier(hosts, concurrency_per_origin=2) as frontier:
            frontier.add_many([f"{A}/{number}" for number in range(3)])
            frontier.add(f"{B}/1", priority=1)
            async for turn in frontier:
                if turn.url.startswith(A):
                    times.append(virtual_now())
                    frontier.defer(A, 100)
                else:
                    frontier.defer(A, 50)
                turn.done()
        return times

    assert run_in_virtual_time(main) == [51, 151, 251]


class ShortLived(Hosts):
    """A transport whose files are fresh for five minutes."""

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        response = await super().send(request)
        assert isinstance(response, Response)
        return response._replace(headers=(("Cache-Control", "max-age=300"),))


def test_rfc9110_10_2_3_robots_txt_that_expires_is_not_requested_before_the_time() -> None:
    """Defer an origin while its robots.txt is fetched. The file expires while the task is busy with another origin."""
    hosts = ShortLived({"a.example": b""}, delays={"a.example": 5.0})
    taken = []

    async def main() -> None:
        async with open_frontier(hosts, [f"{A}/1", f"{B}/1", f"{B}/2"]) as frontier:
            async for turn in frontier:
                with turn:
                    requests = sum(request.url.startswith(A) for request in hosts.requests)
                    taken.append((round(virtual_now()), turn.url, requests))
                    if turn.url == f"{B}/1":
                        frontier.defer(A, 3600)
                    elif turn.url == f"{B}/2":
                        await asyncio.sleep(1000)
                        frontier.add(f"{A}/2", priority=1)
                        frontier.add(f"{B}/3")

    run_in_virtual_time(main)
    assert taken[:3] == [(0, f"{B}/1", 1), (1, f"{B}/2", 1), (1002, f"{B}/3", 1)]
    assert taken[3:] == [(3605, f"{A}/2", 2), (3606, f"{A}/1", 2)]


@pytest.mark.slow
def test_rfc9110_10_2_3_origin_is_deferred_after_a_restart(tmp_path: Path) -> None:
    async def first_run() -> None:
        async with open_frontier(urls=[f"{A}/1", f"{A}/2"], path=tmp_path / "crawl.sqlite3") as frontier:
            turn = await anext(frontier)
            turn.retry(retry_after=3600)

    run_in_virtual_time(first_run)
    result = crawl({}, [], start=10.0, path=tmp_path / "crawl.sqlite3")
    assert result.taken == [(3600, f"{A}/2"), (3601, f"{A}/1")]


@pytest.mark.parametrize("value", [b"120", True, ["120"], {"Retry-After": "120"}])
def test_a_value_of_another_type_is_a_clear_error_and_ends_no_turn(value: Any) -> None:
    message = re.escape(f"invalid retry_after {value!r}: expected the header as str, a number of seconds, or None")

    async def main() -> str:
        async with open_frontier(urls=[f"{A}/1"]) as frontier:
            turn = await anext(frontier)
            for call in (turn.done, turn.retry):
                with pytest.raises(TypeError, match=message):
                    call(retry_after=value)
            with pytest.raises(TypeError, match=message):
                frontier.defer(A, value)
            assert frontier.counts.in_flight == 1
            turn.release()
            turn = await anext(frontier)
            turn.done()
            return str(turn.url)

    assert run_in_virtual_time(main) == f"{A}/1"


@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_a_wait_that_begins_in_a_callback_holds_for_the_next_turn(group_by: str) -> None:
    async def main() -> list[tuple[float, str]]:
        hosts = Hosts({"a.example": b"User-agent: *\nDisallow: /no"})
        urls = [f"{A}/no", f"{A}/1", f"{A}/2"]

        def report(skipped: SkippedURL) -> None:
            frontier.defer(skipped.url, 30)

        frontier: Frontier
        async with open_frontier(hosts, urls, group_by=group_by, on_skip=report) as frontier:
            taken = []
            async for turn in frontier:
                taken.append((virtual_now() - started, turn.url))
                turn.done()
            return taken

    # In a group, the request for the robots.txt counts.
    started = 0.0 if group_by == "origin" else 1.0
    assert run_in_virtual_time(main) == [(30.0, f"{A}/1"), (31.0, f"{A}/2")]
