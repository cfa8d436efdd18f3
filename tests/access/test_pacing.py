"""Request rates, visit times, and the time of the next request."""

import re
from math import inf, nan
from typing import Any

import pytest

from canfetch.access.pacing import DelayMode, Pace, next_request_at, request_interval
from canfetch.core.document import parse
from canfetch.core.extensions.request_rate import RequestRate, parse_request_rate
from canfetch.core.extensions.windows import DailyWindow, parse_daily_window
from canfetch.errors import InvalidOption

HOUR = 3600


@pytest.mark.parametrize(
    "value, rate",
    [
        (b"1/5", RequestRate(1, 5, None)),
        (b"10/60", RequestRate(10, 60, None)),
        (b"10/10m", RequestRate(10, 600, None)),
        (b"20/1h", RequestRate(20, 3600, None)),
        (b"1/10s 1800-1900", RequestRate(1, 10, DailyWindow(18 * HOUR, 19 * HOUR))),
        (b"1/1D", RequestRate(1, 86400, None)),
        (b"0/5", None),
        (b"5/0", None),
        (b"x/y", None),
        (b"1", None),
        (b"1/", None),
        (b"/5", None),
        (b"-1/5", None),
        (b"1/5 1800", None),
        (b"1/5 1800-2500", None),
        (b"9999999999/1", None),
        ("\uff11/\uff15".encode(), None),
    ],
)
def test_conner1996_request_rate(value: bytes, rate: RequestRate | None) -> None:
    assert parse_request_rate(value) == rate


@pytest.mark.parametrize(
    "value, window",
    [
        (b"0600-0845", DailyWindow(6 * HOUR, 8 * HOUR + 45 * 60)),
        (b"0600 - 0845", DailyWindow(6 * HOUR, 8 * HOUR + 45 * 60)),
        (b"2200-0600", DailyWindow(22 * HOUR, 6 * HOUR)),
        (b"0000-2400", DailyWindow(0, 24 * HOUR)),
        (b"0860-0900", None),
        (b"2401-0100", None),
        (b"600-845", None),
        (b"0600", None),
        (b"", None),
    ],
)
def test_conner1996_visit_time(value: bytes, window: DailyWindow | None) -> None:
    assert parse_daily_window(value) == window


@pytest.mark.parametrize(
    "window, hour, hours_until",
    [
        (DailyWindow(6 * HOUR, 9 * HOUR), 5, 1),
        (DailyWindow(6 * HOUR, 9 * HOUR), 6, 0),
        (DailyWindow(6 * HOUR, 9 * HOUR), 9, 21),
        (DailyWindow(22 * HOUR, 6 * HOUR), 23, 0),
        (DailyWindow(22 * HOUR, 6 * HOUR), 5, 0),
        (DailyWindow(22 * HOUR, 6 * HOUR), 7, 15),
        (DailyWindow(0, 24 * HOUR), 13, 0),
        (DailyWindow(3 * HOUR, 3 * HOUR), 13, 0),
    ],
)
def test_daily_window_can_include_midnight(window: DailyWindow, hour: int, hours_until: int) -> None:
    days = 20_000 * 86400
    assert window.seconds_until(days + hour * HOUR) == hours_until * HOUR


def test_interval_is_the_longest_declared_within_the_bounds() -> None:
    rates = (RequestRate(1, 2, None), RequestRate(1, 8, None), RequestRate(1, 30, DailyWindow(0, HOUR)))
    assert request_interval(Pace(crawl_delay=5.0), now=0) == 5
    assert request_interval(Pace(crawl_delay=5.0, request_rates=rates), now=2 * HOUR) == 8
    assert request_interval(Pace(crawl_delay=5.0, request_rates=rates), now=0) == 30
    assert request_interval(Pace(min_delay=3.0), now=0) == 3
    assert request_interval(Pace(crawl_delay=86400.0), now=0) == 60


def test_next_request_waits_for_interval_retry_and_window() -> None:
    pace = Pace(crawl_delay=5.0)
    assert next_request_at(pace, now=100, last_request_at=None) == 100
    assert next_request_at(pace, now=100, last_request_at=98) == 103
    assert next_request_at(pace, now=100, last_request_at=10) == 100
    assert next_request_at(pace, now=100, last_request_at=98, retry_at=200) == 200
    night = Pace(visit_times=(DailyWindow(22 * HOUR, 23 * HOUR), DailyWindow(2 * HOUR, 3 * HOUR)))
    assert next_request_at(night, now=HOUR, last_request_at=None) == 2 * HOUR
    assert next_request_at(night, now=4 * HOUR, last_request_at=None) == 22 * HOUR


def test_conner1996_interval_is_that_of_the_next_request() -> None:
    morning = Pace(request_rates=(RequestRate(1, 600, DailyWindow(7 * HOUR, 8 * HOUR)),), min_delay=1.0, max_delay=HOUR)
    # The window opens before the next request, is open, or closes before it.
    assert next_request_at(morning, now=7 * HOUR - 1, last_request_at=7 * HOUR - 1) == 7 * HOUR + 599
    assert next_request_at(morning, now=7 * HOUR + 60, last_request_at=7 * HOUR + 60) == 7 * HOUR + 660
    assert next_request_at(morning, now=8 * HOUR - 5, last_request_at=8 * HOUR - 5) == 8 * HOUR
    assert next_request_at(morning, now=8 * HOUR, last_request_at=8 * HOUR) == 8 * HOUR + 1


def test_conner1996_visit_time_applies_after_the_interval() -> None:
    morning = Pace(crawl_delay=float(HOUR), max_delay=HOUR, visit_times=(DailyWindow(6 * HOUR, 7 * HOUR),))
    last = 7 * HOUR - 120
    assert next_request_at(morning, now=last, last_request_at=last) == 30 * HOUR
    assert next_request_at(morning, now=last + HOUR, last_request_at=last) == 30 * HOUR


def test_next_request_is_computed_in_bounded_time() -> None:
    windows = [DailyWindow(start, start + 30) for start in range(0, 18000, 60)]
    rates = tuple(RequestRate(1, 10**9, window) for window in windows)
    pace = Pace(request_rates=rates, min_delay=10.0**8, max_delay=10.0**8)
    assert next_request_at(pace, now=5, last_request_at=0) == 10**8


def test_bing_crawl_delay_is_a_window_with_one_request() -> None:
    pace = Pace(crawl_delay=10.0, delay_mode=DelayMode.WINDOW)
    assert next_request_at(pace, now=108, last_request_at=101) == 110
    assert next_request_at(pace, now=109, last_request_at=109) == 110
    assert next_request_at(pace, now=111, last_request_at=109) == 111


def test_shortest_delay_also_applies_between_two_windows() -> None:
    pace = Pace(crawl_delay=10.0, min_delay=1.0, delay_mode=DelayMode.WINDOW)
    assert next_request_at(pace, now=109.5, last_request_at=109.5) == 110.5
    assert next_request_at(pace, now=110.2, last_request_at=109.5) == 110.5
    assert next_request_at(pace, now=101, last_request_at=101) == 110
    # No delay is longer than max_delay.
    bounded = pace._replace(min_delay=5.0, max_delay=2.0)
    assert next_request_at(bounded, now=109.5, last_request_at=109.5) == 111.5
    # Without a crawl delay, there are no windows.
    assert next_request_at(Pace(min_delay=5.0, delay_mode=DelayMode.WINDOW), now=109, last_request_at=109) == 114


def test_request_rates_are_intervals_also_beside_windows() -> None:
    rates = (RequestRate(1, 9, None),)
    both = Pace(crawl_delay=7.0, request_rates=rates, delay_mode=DelayMode.WINDOW)
    # The next window begins at 105.
    assert next_request_at(both, now=103, last_request_at=103) == 112
    assert next_request_at(both._replace(crawl_delay=20.0), now=103, last_request_at=103) == 120
    assert next_request_at(both._replace(crawl_delay=None), now=103, last_request_at=102) == 111


def test_request_rates_and_visit_times_belong_to_groups() -> None:
    robots = parse(
        b"Request-rate: 1/1\nUser-agent: a\nRequest-rate: 1/5\nUser-agent: b\nVisit-time: 0600-0845\nDisallow: /x\n"
        b"request-rate: 1/7 0000-0100\nUser-agent: *\nVISIT-TIME: 0100-0200\n"
    )
    both = (RequestRate(1, 5, None), RequestRate(1, 7, DailyWindow(0, HOUR)))
    assert robots.request_rates(agent="A") == robots.request_rates(agent="b") == both
    assert robots.request_rates(agent="c") == ()
    assert robots.visit_times(agent="b") == (DailyWindow(6 * HOUR, 8 * HOUR + 45 * 60),)
    assert robots.visit_times(agent="c") == (DailyWindow(HOUR, 2 * HOUR),)


def test_delay_mode_is_validated() -> None:
    for delay_mode, at in (("window", 20), ("interval", 23), (DelayMode.WINDOW, 20)):
        pace = Pace(crawl_delay=10, delay_mode=delay_mode)  # type: ignore[arg-type]  # callers pass strings
        assert next_request_at(pace, now=14, last_request_at=13) == at
    pace = Pace(delay_mode="nonsense")  # type: ignore[arg-type]  # invalid on purpose
    with pytest.raises(InvalidOption, match="unknown delay mode 'nonsense': choose from 'interval', 'window'"):
        next_request_at(pace, now=14, last_request_at=13)


@pytest.mark.parametrize(
    "pace, times, message",
    [
        ("10", {}, "invalid pace '10': expected a Pace, such as Pace(crawl_delay=10)"),
        (None, {}, "invalid pace None: expected a Pace"),
        (Pace(), {"now": "0"}, "invalid now '0': expected a finite number of seconds since the epoch"),
        (Pace(), {"now": inf}, "invalid now inf: expected a finite number"),
        (Pace(), {"now": True}, "invalid now True"),
        (Pace(), {"last_request_at": b"0"}, "invalid last_request_at b'0': expected a finite number"),
        (
            Pace(),
            {"retry_at": nan},
            "expected a finite number of seconds since the epoch, or None",
        ),
        (Pace(), {"retry_at": 10**400}, "invalid retry_at 1000"),
        ({"crawl_delay": "10"}, {}, "invalid crawl_delay '10': expected a number of seconds, or None"),
        ({"min_delay": None}, {}, "invalid min_delay None: expected a number of seconds"),
        ({"max_delay": "60"}, {}, "invalid max_delay '60'"),
        ({"request_rates": "1/10"}, {}, "invalid request_rates '1/10': expected a tuple of RequestRate"),
        ({"visit_times": ("0600-0800",)}, {}, "expected a tuple of DailyWindow"),
    ],
)
def test_invalid_arguments_are_named(pace: Any, times: dict[str, Any], message: str) -> None:
    pace = Pace(**pace) if isinstance(pace, dict) else pace
    with pytest.raises(InvalidOption, match=f"^{re.escape(message)}|{re.escape(message)}$"):
        next_request_at(pace, **{"now": 0.0, "last_request_at": 0.0, **times})
