"""Crawl-delay: seconds that a crawler is asked to leave between two requests.

No standard defines it, and crawlers read it differently or not at all; this gives the number.

Source: Bing's and Yandex's documents.
"""

from typing import Final, NamedTuple

KEY: Final = b"crawl-delay"
_LONGEST_VALUE_OCTETS: Final = 32


class CrawlDelay(NamedTuple):
    """Seconds between two requests."""

    seconds: float


def parse_crawl_delay(value: bytes) -> float | None:
    """Read a value: a decimal number that is not negative, with `.` or, leniently, `,` as its point.

    Returns: seconds, or None where the value is anything else, such as `5s`, `1e3` or `-1`.
    """
    digits = value.replace(b",", b".", 1)
    whole, _, fraction = digits.partition(b".")
    if not (whole or fraction).isdigit() or (fraction and not fraction.isdigit()) or (whole and not whole.isdigit()):
        return None
    return float(digits) if len(digits) <= _LONGEST_VALUE_OCTETS else None
