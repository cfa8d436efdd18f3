"""When a crawler may send its next request to an origin, computed from the file and the time.

Source: Crawl-delay as most crawlers implement it, and as Bing documents it; Request-rate and Visit-time of the
extended standard; RFC 9110 section 10.2.3 for Retry-After.
"""

import sys
from enum import StrEnum
from math import inf
from typing import Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.core.extensions.request_rate import RequestRate
from canfetch.core.extensions.windows import DAY_SECONDS, DailyWindow
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

# Larger integers cannot be compared with the times of a clock.
_MAX_NUMBER: Final = sys.float_info.max
# The number of times at which windows open or close that one computation considers, which bounds its time.
_MAX_CHANGES: Final = 200


class DelayMode(StrEnum):
    """What a crawl delay means."""

    INTERVAL = "interval"  # the time between two requests
    WINDOW = "window"  # Bing: the length of fixed time windows, with one request in each


def parse_delay_mode(name: object) -> DelayMode:
    """Return the delay mode called `name`.

    Raises: InvalidOption: No delay mode has this name.
    """
    # `DelayMode(name)` would raise what `repr` of another object raises.
    mode = next((mode for mode in DelayMode if mode == name), None) if isinstance(name, str) else None
    if mode is None:
        raise InvalidOption(unknown_choice("delay mode", name, DelayMode))
    return mode


class Pace(NamedTuple):
    """The limits on a crawler's requests to one origin, in seconds.

    Attributes:
        crawl_delay: The delay that the file declares, or None.
        request_rates: The request rates that the file declares.
        visit_times: The daily windows in which the file permits visits. Empty means always.
        delay_mode: What `crawl_delay` means.
        min_delay: The shortest delay, whatever the file declares.
        max_delay: The longest delay, whatever the file declares. A crawl delay of a week is a mistake in practice.
    """

    crawl_delay: float | None = None
    request_rates: tuple[RequestRate, ...] = ()
    visit_times: tuple[DailyWindow, ...] = ()
    delay_mode: DelayMode = DelayMode.INTERVAL
    min_delay: float = 0.0
    max_delay: float = 60.0


def request_interval(pace: Pace, *, now: float) -> float:
    """Return the number of seconds between two requests: the longest that the file declares, within the bounds.

    A request rate with a time window applies only while the window is open.
    """
    declared = [pace.crawl_delay or 0.0]
    declared += [
        rate.interval for rate in pace.request_rates if rate.window is None or not rate.window.seconds_until(now)
    ]
    return min(max(*declared, pace.min_delay), pace.max_delay)


def next_request_at(pace: Pace, *, now: float, last_request_at: float | None, retry_at: float | None = None) -> float:
    """Return when the crawler may send its next request, in seconds since the epoch. Never earlier than `now`.

    The limits are those of the returned time, not of `now`: a request rate with a time window has no effect on a
    request after the window. If the crawler is not ready at the returned time, call this function again.

    Args:
        last_request_at: When the crawler sent its last request to this origin, or None.
        retry_at: When the origin permits the next request, according to Retry-After, or None.
    Raises: InvalidOption: An argument, or a value of `pace`, has another type, is not a number, or is invalid.
    """
    _check_pace(pace)
    _check_number("now", now, "a finite number of seconds since the epoch", is_finite=True)
    for name, at in (("last_request_at", last_request_at), ("retry_at", retry_at)):
        if at is not None:
            _check_number(name, at, "a finite number of seconds since the epoch, or None", is_finite=True)
    mode = parse_delay_mode(pace.delay_mode)
    at = _next_visit(pace, now if retry_at is None else max(now, retry_at))
    if last_request_at is None:
        return at
    window = min(pace.crawl_delay or 0.0, pace.max_delay) if mode is DelayMode.WINDOW else 0.0
    # A new window can open before `min_delay` and request rates permit a request.
    other_limits = pace if window <= 0 else pace._replace(crawl_delay=None)
    earliest = last_request_at if window <= 0 else (last_request_at // window + 1) * window
    for _ in range(_MAX_CHANGES):
        due = max(earliest, last_request_at + request_interval(other_limits, now=at))
        if due <= at:
            return at
        at = _next_visit(pace, min(due, _next_rate_change(pace, at)))
    # Reached only with hundreds of windows and a `max_delay` of days. No interval is longer than `max_delay`.
    return _next_visit(pace, max(at, last_request_at + pace.max_delay))


def _check_pace(pace: object) -> None:
    if not isinstance(pace, Pace):
        raise InvalidOption(f"invalid pace {quoted(pace)}: expected a Pace, such as Pace(crawl_delay=10)")
    if pace.crawl_delay is not None:
        _check_number("crawl_delay", pace.crawl_delay, "a number of seconds, or None")
    _check_number("min_delay", pace.min_delay, "a number of seconds")
    _check_number("max_delay", pace.max_delay, "a number of seconds")
    _check_items("request_rates", pace.request_rates, RequestRate)
    _check_items("visit_times", pace.visit_times, DailyWindow)


def _check_number(name: str, value: object, expected: str, *, is_finite: bool = False) -> None:
    most = _MAX_NUMBER if is_finite else inf
    # No comparison with NaN holds.
    if isinstance(value, bool) or not isinstance(value, int | float) or not -most <= value <= most:
        raise InvalidOption(f"invalid {name} {quoted(value)}: expected {expected}")


def _check_items(name: str, values: object, kind: type) -> None:
    if not isinstance(values, tuple | list) or not all(isinstance(value, kind) for value in values):
        raise InvalidOption(f"invalid {name} {quoted(values)}: expected a tuple of {kind.__name__}")


def _next_visit(pace: Pace, at: float) -> float:
    """Return `at`, or when the next visit time starts if none includes `at`."""
    return at + min((window.seconds_until(at) for window in pace.visit_times), default=0.0)


def _next_rate_change(pace: Pace, at: float) -> float:
    """Return when the next window of a request rate opens or closes after `at`."""
    edges = [
        edge
        for rate in pace.request_rates
        if rate.window is not None
        for edge in (rate.window.start_seconds, rate.window.end_seconds)
    ]
    return min((at + ((edge - at) % DAY_SECONDS or DAY_SECONDS) for edge in edges), default=inf)
