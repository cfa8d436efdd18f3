"""Request-rate: a number of requests in a period, optionally at a time of day.

Source: "An Extended Standard for Robot Exclusion" (Conner, 1996).
"""

from typing import Final, NamedTuple

from canfetch.core.extensions.windows import DailyWindow, parse_daily_window

KEY: Final = b"request-rate"
_UNIT_SECONDS: Final = {b"s": 1, b"m": 60, b"h": 3600, b"d": 86400}
_MAX_DIGITS: Final = 9


class RequestRate(NamedTuple):
    """At most `requests` requests in `seconds` seconds, within `window` if it is not None."""

    requests: int
    seconds: int
    window: DailyWindow | None

    @property
    def interval(self) -> float:
        """The seconds between two evenly spaced requests at this rate."""
        return self.seconds / self.requests


def parse_request_rate(value: bytes) -> RequestRate | None:
    """Parse a value such as `1/5`, `10/10m` or `1/10s 1800-1900`. Return None for anything else.

    The period is in seconds unless `s`, `m`, `h` or `d` follows. Both numbers must be positive.
    """
    rate, _, window_text = value.strip().partition(b" ")
    window = parse_daily_window(window_text.strip()) if window_text.strip() else None
    if window_text.strip() and window is None:
        return None
    requests, slash, period = rate.partition(b"/")
    unit = _UNIT_SECONDS.get(period[-1:].lower())
    number = period[:-1] if unit is not None else period
    if not slash or not all(part.isdigit() and len(part) <= _MAX_DIGITS for part in (requests, number)):
        return None
    seconds = int(number) * (unit or 1)
    return RequestRate(int(requests), seconds, window) if int(requests) and seconds else None
