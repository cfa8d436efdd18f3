"""When may this crawler ask next? A pure function of what the file asks for, and of time.

Source: Crawl-delay as most crawlers read it, and as Bing documents it; Request-rate and Visit-time of the
extended standard; RFC 9110 section 10.2.3 for Retry-After.
"""

from enum import StrEnum
from typing import NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.core.extensions.request_rate import RequestRate
from canfetch.core.extensions.windows import DailyWindow
from canfetch.errors import InvalidOption


class DelayMode(StrEnum):
    """What a crawl delay means."""

    INTERVAL = "interval"  # so many seconds between two requests
    WINDOW = "window"  # Bing: time is cut in windows of so many seconds, with one request in each


def delay_mode_named(name: str) -> DelayMode:
    """Give the reading of that name.

    Raises: InvalidOption: there is none.
    """
    try:
        return DelayMode(name)
    except ValueError:
        raise InvalidOption(unknown_choice("delay mode", name, DelayMode)) from None


class Pace(NamedTuple):
    """What limits a crawler at one origin. Seconds; None and empty mean no limit.

    `min_delay` and `max_delay` are the crawler's own bounds on what a file may ask for: a delay of
    a week is no delay, but a block that nobody meant.
    """

    crawl_delay: float | None = None
    request_rates: tuple[RequestRate, ...] = ()
    visit_times: tuple[DailyWindow, ...] = ()
    delay_mode: DelayMode = DelayMode.INTERVAL
    min_delay: float = 0.0
    max_delay: float = 60.0


def request_interval(pace: Pace, *, now: float) -> float:
    """Give the seconds to leave between two requests: the longest that is asked for, within the bounds.

    A rate with a window counts while that is open; of those without one, the slowest.
    """
    asked = [pace.crawl_delay or 0.0]
    asked += [rate.interval for rate in pace.request_rates if rate.window is None or not rate.window.seconds_until(now)]
    return min(max(*asked, pace.min_delay), pace.max_delay)


def next_request_at(pace: Pace, *, now: float, last_request_at: float | None, retry_at: float | None = None) -> float:
    """Say when the crawler may ask next, in seconds since the epoch; never before now.

    Args:
        last_request_at: when it last asked this origin, or None.
        retry_at: when the origin asked it to come back, from Retry-After, or None.
    Raises: InvalidOption: the pace's reading is none.
    """
    at = now
    if last_request_at is not None:
        interval = request_interval(pace, now=now)
        at = max(at, _after(last_request_at, interval, delay_mode_named(pace.delay_mode)))
    if retry_at is not None:
        at = max(at, retry_at)
    if pace.visit_times:
        at += min(window.seconds_until(at) for window in pace.visit_times)
    return at


def _after(last_seconds: float, interval: float, delay_mode: DelayMode) -> float:
    if delay_mode is DelayMode.WINDOW and interval > 0:
        return (last_seconds // interval + 1) * interval
    return last_seconds + interval
