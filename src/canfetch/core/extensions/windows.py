"""A time of day in UTC, `HHMM-HHMM`: the value of Visit-time, when crawlers should visit, and a part of Request-rate.

Source: "An Extended Standard for Robot Exclusion" (Conner, 1996). The text does not define windows that cross
midnight; they are supported here.
"""

from typing import Final, NamedTuple

VISIT_TIME: Final = b"visit-time"
DAY_SECONDS: Final = 86400
_TIME_DIGITS: Final = 4


class DailyWindow(NamedTuple):
    """A period of each day, in seconds after midnight UTC, half open.

    If `end_seconds` is before `start_seconds`, the window crosses midnight. If both are equal, it is the whole day.
    """

    start_seconds: int
    end_seconds: int

    def seconds_until(self, now: float) -> float:
        """Return the seconds until the window opens, or 0 if it is open.

        Args: now: Seconds since the epoch.
        """
        past_midnight = now % DAY_SECONDS
        length = (self.end_seconds - self.start_seconds) % DAY_SECONDS or DAY_SECONDS
        since_start = (past_midnight - self.start_seconds) % DAY_SECONDS
        return 0.0 if since_start < length else DAY_SECONDS - since_start


def parse_daily_window(value: bytes) -> DailyWindow | None:
    """Parse `HHMM-HHMM`, where 2400 is the end of the day. Return None for anything else."""
    start, dash, end = value.replace(b" ", b"").partition(b"-")
    start_seconds, end_seconds = _seconds(start), _seconds(end)
    if not dash or start_seconds is None or end_seconds is None:
        return None
    return DailyWindow(start_seconds % DAY_SECONDS, end_seconds)


def _seconds(digits: bytes) -> int | None:
    if len(digits) != _TIME_DIGITS or not digits.isdigit():
        return None
    hours, minutes = int(digits[:2]), int(digits[2:])
    seconds = hours * 3600 + minutes * 60
    return seconds if minutes < 60 and seconds <= DAY_SECONDS else None
