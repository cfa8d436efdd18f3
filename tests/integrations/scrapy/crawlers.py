"""Crawlers of Scrapy without a crawl, for tests of single components."""

from types import SimpleNamespace
from typing import Any

from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager
from scrapy.statscollectors import MemoryStatsCollector


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
