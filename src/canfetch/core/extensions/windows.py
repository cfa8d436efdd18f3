"""A span of the day in universal time, `HHMM-HHMM`: the part that Visit-time and Request-rate share.

Source: "An Extended Standard for Robot Exclusion" (Conner, 1996). That a window may run over midnight is
our reading; the text does not say.
"""

from typing import Final, NamedTuple

DAY_SECONDS: Final = 86400
_TIME_DIGITS: Final = 4


class DailyWindow(NamedTuple):
    """A span of every day, from second to second after midnight in universal time, half open.

    Where `end_seconds` is not after `start_seconds` the window runs over midnight; where both are equal
    it is the whole day.
    """

    start_seconds: int
    end_seconds: int

    def seconds_until(self, now: float) -> float:
        """Say in how many seconds the window is open; 0 where it is now.

        Args: now: seconds since the epoch.
        """
        past_midnight = now % DAY_SECONDS
        length = (self.end_seconds - self.start_seconds) % DAY_SECONDS or DAY_SECONDS
        into = (past_midnight - self.start_seconds) % DAY_SECONDS
        return 0.0 if into < length else DAY_SECONDS - into


def parse_daily_window(value: bytes) -> DailyWindow | None:
    """Read `HHMM-HHMM`, or None where it is anything else; 2400 is the end of the day."""
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
