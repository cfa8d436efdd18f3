"""Request-rate: how many requests in how much time, and perhaps at which time of the day.

Source: "An Extended Standard for Robot Exclusion" (Conner, 1996).
"""

from typing import Final, NamedTuple

from canfetch.core.extensions.windows import DailyWindow, parse_daily_window

KEY: Final = b"request-rate"
_UNIT_SECONDS: Final = {b"s": 1, b"m": 60, b"h": 3600, b"d": 86400}
_LONGEST_NUMBER: Final = 9


class RequestRate(NamedTuple):
    """`requests` requests in `seconds` seconds, within `window` where there is one."""

    requests: int
    seconds: int
    window: DailyWindow | None

    @property
    def interval(self) -> float:
        """The seconds between two requests that keep the rate evenly."""
        return self.seconds / self.requests


def parse_request_rate(value: bytes) -> RequestRate | None:
    """Read a value such as `1/5`, `10/10m` or `1/10s 1800-1900`, or None where it is anything else.

    The time is in seconds unless `s`, `m`, `h` or `d` follows. No requests, or no time, is no rate.
    """
    rate, _, when = value.strip().partition(b" ")
    window = parse_daily_window(when.strip()) if when.strip() else None
    if when.strip() and window is None:
        return None
    requests, slash, time = rate.partition(b"/")
    unit = _UNIT_SECONDS.get(time[-1:].lower())
    number = time[:-1] if unit is not None else time
    if not slash or not all(part.isdigit() and len(part) <= _LONGEST_NUMBER for part in (requests, number)):
        return None
    seconds = int(number) * (unit or 1)
    return RequestRate(int(requests), seconds, window) if int(requests) and seconds else None
