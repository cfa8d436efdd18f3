"""`Schedule.defer`: no request is sent to an origin before its Retry-After has passed."""

import asyncio

import pytest
from tests.client.test_schedule import Hosts

from canfetch.client.async_client import AsyncClient
from canfetch.client.schedule import Schedule
from canfetch.errors import InvalidURL

A, B = "https://a.example", "https://b.example"


def crawl(urls: list[str], retry_after: dict[str, str | float | None]) -> list[tuple[float, str]]:
    """Return each URL and when it was yielded. `retry_after` maps URLs to their Retry-After values."""
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    async def run() -> list[tuple[float, str]]:
        results = []
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=Hosts({}), clock=lambda: now[0]) as client:
            schedule = Schedule(client, iter(urls), clock=lambda: now[0], sleep=sleep)
            async for item in schedule:
                results.append((now[0], item.url))
                if item.url in retry_after:
                    schedule.defer(item.url, retry_after[item.url])
        return results

    return asyncio.run(run())


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
        (float("nan"), 1),
        (-5.0, 1),
    ],
)
def test_rfc9110_10_2_3_origin_is_deferred(retry_after: str | float | None, at: float) -> None:
    results = crawl([f"{A}/1", f"{A}/2", f"{A}/3", f"{B}/1", f"{B}/2"], {f"{A}/1": retry_after})
    assert [(moment, url) for moment, url in results if url.startswith(A)] == [
        (0, f"{A}/1"),
        (at, f"{A}/2"),
        (at + 1, f"{A}/3"),
    ]
    assert [moment for moment, url in results if url.startswith(B)] == [0, 1]


def test_rfc9110_10_2_3_the_later_of_two_values_applies() -> None:
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    async def run() -> float:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=Hosts({}), clock=lambda: now[0]) as client:
            schedule = Schedule(client, [f"{A}/1"], clock=lambda: now[0], sleep=sleep)
            # The target of a redirect, before any URL of that origin.
            schedule.defer(f"{A}/elsewhere", 500)
            schedule.defer(f"{A}/elsewhere", "60")
            with pytest.raises(InvalidURL):
                schedule.defer("nowhere", 5)
            async for _ in schedule:
                pass
        return now[0]

    assert asyncio.run(run()) == 500


def test_deferred_origin_without_urls_is_not_dropped() -> None:
    now = [0.0]

    async def run() -> list[int]:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=Hosts({}), clock=lambda: now[0]) as client:
            schedule = Schedule(client, [], max_delay=10.0, clock=lambda: now[0])
            schedule.defer(A, 1000)
            schedule.defer(B, 5)
            counts = []
            for moment in (19.0, 21.0, 999.0, 1001.0):
                now[0] = moment
                schedule._drop_idle()
                counts.append(len(schedule._queues))
            return counts

    assert asyncio.run(run()) == [2, 1, 1, 0]
