"""Request-rate and Visit-time of the extended standard of 1996."""

import pytest

import canfetch
from canfetch.core.extensions.request_rate import RequestRate, parse_request_rate
from canfetch.core.extensions.windows import DailyWindow, parse_daily_window


@pytest.mark.parametrize(
    "value, rate",
    [
        (b"1/5", RequestRate(1, 5, None)),
        (b"10/60", RequestRate(10, 60, None)),
        (b"10/10m", RequestRate(10, 600, None)),
        (b"20/1h", RequestRate(20, 3600, None)),
        (b"5/1D", RequestRate(5, 86_400, None)),
        (b" 1/10s  1800-1900 ", RequestRate(1, 10, DailyWindow(64_800, 68_400))),
    ],
)
def test_conner1996_request_rate(value: bytes, rate: RequestRate) -> None:
    assert parse_request_rate(value) == rate


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"5",
        b"/5",
        b"1/",
        b"1/s",
        b"0/5",
        b"1/0",
        b"-1/5",
        b"1/5x",
        b"1.5/5",
        b"1/5 noon",
        b"1/5/6",
        b"1/1234567890",
    ],
)
def test_conner1996_invalid_request_rate(value: bytes) -> None:
    assert parse_request_rate(value) is None


def test_interval_of_a_rate() -> None:
    assert RequestRate(10, 60, None).interval == 6.0
    assert RequestRate(20, 1, None).interval == 0.05


@pytest.mark.slow
def test_conner1996_visit_time() -> None:
    assert parse_daily_window(b"0600-0845") == DailyWindow(21_600, 31_500)
    assert parse_daily_window(b"always") is None


def test_rates_and_times_are_those_of_the_agents_groups(engine: str) -> None:
    body = b"""Request-rate: 9/9
User-agent: a
request-rate: 1/5
Disallow:
REQUEST-RATE : 10/10m # slowly
Request-rate: soon
Visit-time: 0600-0845
User-agent: *
Visit-time: 0000-0100
Disallow:
"""
    robots = canfetch.parse(body, engine=engine)
    assert robots.request_rates(agent="a") == (RequestRate(1, 5, None), RequestRate(10, 600, None))
    assert robots.visit_times(agent="a") == (DailyWindow(21_600, 31_500),)
    assert robots.request_rates(agent="b") == ()
    assert robots.visit_times(agent="b") == (DailyWindow(0, 3_600),)
