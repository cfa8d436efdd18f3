"""Cache-delay: a Crawl-delay for crawlers that fill a cache.

Source: only the libraries that read it; no crawler documents it.
"""

from typing import NamedTuple

from canfetch.core.extensions.crawl_delay import parse_crawl_delay
from canfetch.core.extensions.record import ExtensionNote


class CacheDelay(NamedTuple):
    """Seconds between two requests that fill a cache."""

    seconds: float


def parse_cache_delay(value: bytes) -> tuple[CacheDelay | None, ExtensionNote]:
    """Parse a value: a number, as in Crawl-delay."""
    seconds = parse_crawl_delay(value)
    if seconds is None:
        return None, ExtensionNote.UNREADABLE
    return CacheDelay(seconds), ExtensionNote.DECIMAL_COMMA if b"," in value else ExtensionNote.NONE
