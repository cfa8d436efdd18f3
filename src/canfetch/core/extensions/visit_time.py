"""Visit-time: the time of day at which crawlers should visit, in UTC.

Source: "An Extended Standard for Robot Exclusion" (Conner, 1996).
"""

from typing import Final

from canfetch.core.extensions.windows import DailyWindow, parse_daily_window

KEY: Final = b"visit-time"


def parse_visit_time(value: bytes) -> DailyWindow | None:
    """Parse a value such as `0600-0845`. Return None for anything else."""
    return parse_daily_window(value)
