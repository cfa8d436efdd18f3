"""A schedule that is told of a Retry-After leaves the origin alone."""

import asyncio

import pytest
from tests.client.test_schedule import Hosts

from canfetch.client.async_client import AsyncClient
from canfetch.client.schedule import Schedule
from canfetch.errors import InvalidURL

A, B = "https://a.example", "https://b.example"


def crawl(urls: list[str], said: dict[str, str | float | None]) -> list[tuple[float, str]]:
    """Give each URL and when it came; what came says of its origin what `said` has for it."""
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    async def run() -> list[tuple[float, str]]:
        came = []
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=Hosts({}), clock=lambda: now[0]) as client:
            schedule = Schedule(client, iter(urls), clock=lambda: now[0], sleep=sleep)
            async for turn in schedule:
                came.append((now[0], turn.url))
                if turn.url in said:
                    schedule.defer(turn.url, said[turn.url])
        return came

    return asyncio.run(run())


@pytest.mark.parametrize(
    "said, at",
    [
        ("120", 120),
        (120.0, 120),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 120),
        # A day is the most.
        ("999999999", 86_400),
        # What says nothing, or lies in the past, leaves the pace alone.
        ("soon", 1),
        (None, 1),
        ("0", 1),
        (float("nan"), 1),
        (-5.0, 1),
    ],
)
def test_rfc9110_10_2_3_origin_is_left_alone(said: str | float | None, at: float) -> None:
    came = crawl([f"{A}/1", f"{A}/2", f"{A}/3", f"{B}/1", f"{B}/2"], {f"{A}/1": said})
    assert [(moment, url) for moment, url in came if url.startswith(A)] == [
        (0, f"{A}/1"),
        (at, f"{A}/2"),
        (at + 1, f"{A}/3"),
    ]
    assert [moment for moment, url in came if url.startswith(B)] == [0, 1]


def test_rfc9110_10_2_3_the_later_of_two_counts() -> None:
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    async def run() -> float:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=Hosts({}), clock=lambda: now[0]) as client:
            schedule = Schedule(client, [f"{A}/1"], clock=lambda: now[0], sleep=sleep)
            # Known by a redirect that led there, before any URL of its own.
            schedule.defer(f"{A}/elsewhere", 500)
            schedule.defer(f"{A}/elsewhere", "60")
            with pytest.raises(InvalidURL):
                schedule.defer("nowhere", 5)
            async for _ in schedule:
                pass
        return now[0]

    assert asyncio.run(run()) == 500


def test_origin_without_urls_is_not_forgotten_before_its_time() -> None:
    now = [0.0]

    async def held() -> list[int]:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=Hosts({}), clock=lambda: now[0]) as client:
            schedule = Schedule(client, [], max_delay=10.0, clock=lambda: now[0])
            schedule.defer(A, 1000)
            schedule.defer(B, 5)
            held = []
            for moment in (19.0, 21.0, 999.0, 1001.0):
                now[0] = moment
                schedule._drop_idle()
                held.append(len(schedule._queues))
            return held

    assert asyncio.run(held()) == [2, 1, 1, 0]
