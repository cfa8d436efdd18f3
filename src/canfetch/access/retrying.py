"""When an unreachable origin is asked again: later each time, not all at once, and not before it says.

Source: RFC 9110 section 10.2.3 for Retry-After; the delays are ours.
"""

import random
from typing import Final

from canfetch.access.freshness import parse_http_date
from canfetch.access.responses import Response

FIRST_DELAY_SECONDS: Final = 60.0
LONGEST_DELAY_SECONDS: Final = 3600.0
# An origin may ask to be left alone for a day, not for ever.
MAX_RETRY_AFTER: Final = 86400.0
_DOUBLINGS: Final = 16


def retry_delay(response: Response | None, failures: int, *, now: float, seed: int | str) -> float:
    """Say in how many seconds to ask again after so many failures in a row, this one included.

    Args:
        failures: 1 or more.
        seed: makes the jitter; the same seed, the same delay.
    Returns: Retry-After where the origin gives one, within a day; else a doubling delay within an hour,
        shortened by up to a half by chance, so that a fleet does not come back at once.
    """
    asked = None if response is None else parse_retry_after(response.header("retry-after"), now=now)
    if asked is not None:
        return min(max(asked, FIRST_DELAY_SECONDS), MAX_RETRY_AFTER)
    delay = min(FIRST_DELAY_SECONDS * float(1 << min(failures - 1, _DOUBLINGS)), LONGEST_DELAY_SECONDS)
    jitter = random.Random(f"{seed}:{failures}").random()  # noqa: S311 - spreads load, guards nothing
    return delay * (1 - jitter / 2)


def parse_retry_after(value: str | None, *, now: float) -> float | None:
    """Read Retry-After: seconds from now, or None where there is none or it is neither number nor date."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    at = parse_http_date(text)
    return None if at is None else max(0.0, at - now)
