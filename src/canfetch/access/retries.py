"""When to retry an unreachable origin: exponential backoff with jitter, and `Retry-After`.

Source: RFC 9110 section 10.2.3 for Retry-After. No source specifies the delays.
"""

import random
from typing import Final

from canfetch.access.freshness import parse_http_date
from canfetch.access.responses import Response

FIRST_RETRY_DELAY: Final = 60.0
MAX_RETRY_DELAY: Final = 3600.0
# The longest Retry-After that is honoured.
MAX_RETRY_AFTER: Final = 86400.0
_MAX_DOUBLINGS: Final = 16


def retry_delay(response: Response | None, failures: int, *, now: float, seed: int | str) -> float:
    """Return the number of seconds to wait after a failure.

    The delay starts at one minute, doubles up to one hour, and is shortened by up to 50 % at random, so that the
    workers of a fleet do not retry at the same time.

    A longer `Retry-After`, up to one day, replaces this delay. A shorter one does not: it is the shortest time that a
    client should wait, and from a server that always sends a small value it would defeat the backoff.

    Args:
        failures: The number of consecutive failures, including this one.
        seed: Seed of the jitter.
    """
    retry_after = None if response is None else parse_retry_after(response.first_header("retry-after"), now=now)
    delay = min(FIRST_RETRY_DELAY * float(1 << min(failures - 1, _MAX_DOUBLINGS)), MAX_RETRY_DELAY)
    jitter = random.Random(f"{seed}:{failures}").random()  # noqa: S311 - not used for security
    return max(delay * (1 - jitter / 2), min(retry_after or 0.0, MAX_RETRY_AFTER))


def parse_retry_after(value: str | None, *, now: float) -> float | None:
    """Parse a `Retry-After` header as seconds from now, or return None if it is missing or invalid."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    at = parse_http_date(text)
    return None if at is None else max(0.0, at - now)
