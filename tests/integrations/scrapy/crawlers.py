"""Crawlers of Scrapy without a crawl, for tests of single components."""

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import signals
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager
from scrapy.statscollectors import MemoryStatsCollector

SINCE_2_18 = hasattr(signals, "robots_parsed")
# Earlier releases have no signal `robots_parsed`, and need a reactor where later ones need only an event loop.
since_2_18 = pytest.mark.skipif(not SINCE_2_18, reason="requires Scrapy 2.18")


def make_crawler(settings: dict[str, Any] | None = None, *, spider: Any = None) -> Any:
    """Return the parts of a crawler that components use. Its engine has no slots yet."""
    crawler: Any = SimpleNamespace(
        settings=Settings(settings or {}),
        spider=spider,
        signals=None,
        engine=SimpleNamespace(downloader=SimpleNamespace(slots={})),
    )
    crawler.signals = SignalManager(crawler)
    crawler.stats = MemoryStatsCollector(crawler)
    return crawler
