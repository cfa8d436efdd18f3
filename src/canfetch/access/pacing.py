"""When may this crawler ask next? A pure function of what the file asks for, and of time.

Source: Crawl-delay as most crawlers read it, and as Bing documents it; Request-rate and Visit-time of the
extended standard; RFC 9110 section 10.2.3 for Retry-After.
"""

from enum import StrEnum
from typing import NamedTuple

from canfetch.core.extensions.request_rate import RequestRate
from canfetch.core.extensions.windows import DailyWindow
from canfetch.errors import InvalidOption


class DelayReading(StrEnum):
    """What a crawl delay means."""

    INTERVAL = "interval"  # so many seconds between two requests
    WINDOW = "window"  # Bing: time is cut in windows of so many seconds, with one request in each


def delay_reading(name: str) -> DelayReading:
    """Give the reading of that name.

    Raises: InvalidOption: there is none.
    """
    try:
        return DelayReading(name)
    except ValueError:
        raise InvalidOption(f"reading is {name!r}; give {' or '.join(DelayReading)}") from None


class Pace(NamedTuple):
    """What limits a crawler at one origin. Seconds; None and empty mean no limit.

    `least_seconds` and `most_seconds` are the crawler's own bounds on what a file may ask for: a delay of
    a week is no delay, but a block that nobody meant.
    """

    crawl_delay_seconds: float | None = None
    request_rates: tuple[RequestRate, ...] = ()
    visit_times: tuple[DailyWindow, ...] = ()
    reading: DelayReading = DelayReading.INTERVAL
    least_seconds: float = 0.0
    most_seconds: float = 60.0


def interval_seconds(pace: Pace, *, now_seconds: float) -> float:
    """Give the seconds to leave between two requests: the longest that is asked for, within the bounds.

    A rate with a window counts while that is open; of those without one, the slowest.
    """
    asked = [pace.crawl_delay_seconds or 0.0]
    asked += [
        rate.interval_seconds
        for rate in pace.request_rates
        if rate.window is None or not rate.window.seconds_until(now_seconds)
    ]
    return min(max(*asked, pace.least_seconds), pace.most_seconds)


def next_request_at(
    pace: Pace, *, now_seconds: float, last_request_at_seconds: float | None, retry_at_seconds: float | None = None
) -> float:
    """Say when the crawler may ask next, in seconds since the epoch; never before now.

    Args:
        last_request_at_seconds: when it last asked this origin, or None.
        retry_at_seconds: when the origin asked it to come back, from Retry-After, or None.
    Raises: InvalidOption: the pace's reading is none.
    """
    at = now_seconds
    if last_request_at_seconds is not None:
        interval = interval_seconds(pace, now_seconds=now_seconds)
        at = max(at, _after(last_request_at_seconds, interval, delay_reading(pace.reading)))
    if retry_at_seconds is not None:
        at = max(at, retry_at_seconds)
    if pace.visit_times:
        at += min(window.seconds_until(at) for window in pace.visit_times)
    return at


def _after(last_seconds: float, interval: float, reading: DelayReading) -> float:
    if reading is DelayReading.WINDOW and interval > 0:
        return (last_seconds // interval + 1) * interval
    return last_seconds + interval
