"""Visit-time: when of the day a crawler is asked to come, in universal time.

Source: "An Extended Standard for Robot Exclusion" (Conner, 1996).
"""

from typing import Final

from canfetch.core.extensions.windows import DailyWindow, parse_daily_window

KEY: Final = b"visit-time"


def parse_visit_time(value: bytes) -> DailyWindow | None:
    """Read a value such as `0600-0845`, or None where it is anything else."""
    return parse_daily_window(value)
