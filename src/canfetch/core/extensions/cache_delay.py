"""Cache-delay: Crawl-delay for those who fetch for a cache.

Source: none but the libraries that read it; no crawler documents it.
"""

from typing import NamedTuple

from canfetch.core.extensions.crawl_delay import parse_crawl_delay
from canfetch.core.extensions.record import ExtensionNote


class CacheDelay(NamedTuple):
    """Seconds between two requests for a cache."""

    seconds: float


def parse_cache_delay(value: bytes) -> tuple[CacheDelay | None, ExtensionNote]:
    """Read a value: a number, as that of Crawl-delay."""
    seconds = parse_crawl_delay(value)
    if seconds is None:
        return None, ExtensionNote.UNREADABLE
    return CacheDelay(seconds), ExtensionNote.DECIMAL_COMMA if b"," in value else ExtensionNote.NONE
