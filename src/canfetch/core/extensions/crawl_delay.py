"""Crawl-delay: the number of seconds that a crawler should leave between two requests.

No standard defines it, and crawlers interpret it differently or ignore it. This module only parses the number.
Cache-delay is the same for crawlers that fill a cache. No crawler documents it.

Source: Bing's and Yandex's documentation; for Cache-delay, the libraries that read it.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from canfetch.core.extensions.record import ExtensionNote

DelayT = TypeVar("DelayT")

KEY: Final = b"crawl-delay"
# Bounds the time and the result. 32 digits are longer than any delay.
_MAX_DIGITS: Final = 32


class CrawlDelay(NamedTuple):
    """Seconds between two requests."""

    seconds: float


class CacheDelay(NamedTuple):
    """Seconds between two requests that fill a cache."""

    seconds: float


def parse_crawl_delay(value: bytes) -> float | None:
    """Parse a value: a non-negative decimal number, with `.` or, leniently, `,` as the decimal point.

    A longer number is cut after 32 digits, leading zeros not counted, so that a huge number stays a huge delay.

    Returns: The seconds, or None for anything else, such as `5s`, `1e3` or `-1`.
    """
    digits = value.replace(b",", b".", 1)
    whole, _, fraction = digits.partition(b".")
    if not (whole or fraction).isdigit() or (fraction and not fraction.isdigit()) or (whole and not whole.isdigit()):
        return None
    return float(b"0" + digits.lstrip(b"0")[:_MAX_DIGITS])


def parse_delay_record(kind: Callable[[float], DelayT], value: bytes) -> tuple[DelayT | None, ExtensionNote]:
    """Parse a value as `parse_crawl_delay` does, and note a decimal comma.

    Args: kind: `CrawlDelay` or `CacheDelay`.
    """
    seconds = parse_crawl_delay(value)
    if seconds is None:
        return None, ExtensionNote.UNREADABLE
    return kind(seconds), ExtensionNote.DECIMAL_COMMA if b"," in value else ExtensionNote.NONE
