"""Crawlee for Python: a crawler with `respect_robots_txt_file`.

A page is disallowed if the crawler skips the request for it. It is allowed if it is requested, with any result.
"""

import asyncio
import logging
from datetime import timedelta

from crawlee import ConcurrencySettings, Request
from crawlee.crawlers import HttpCrawler, HttpCrawlingContext
from crawlee.http_clients import ImpitHttpClient
from crawlee.storage_clients import MemoryStorageClient
from questions import Clock, KeptClient, Question, answer_questions

logging.disable()
# Crawlers keep robots.txt without a clock. If a later version reads `time.time`, it reads this one.
clock = Clock()
clock.replace_time()


class Crawl:
    """A crawler that is run for one page after another."""

    def __init__(self, _question: Question) -> None:
        self._runner = asyncio.Runner()
        self._skipped = False
        self._crawler = self._runner.run(self._create())

    async def _create(self) -> HttpCrawler:
        crawler = HttpCrawler(
            respect_robots_txt_file=True,
            http_client=ImpitHttpClient(timeout=10),
            storage_client=MemoryStorageClient(),
            max_request_retries=0,
            concurrency_settings=ConcurrencySettings(desired_concurrency=1, max_concurrency=1),
            configure_logging=False,
            request_handler_timeout=timedelta(seconds=60),
        )
        crawler.router.default_handler(self._handle)
        crawler.on_skipped_request(self._record_skip)
        return crawler

    async def _handle(self, _context: HttpCrawlingContext) -> None:
        """Do nothing with the page."""

    async def _record_skip(self, _url: str, _reason: str) -> None:
        self._skipped = True

    def is_allowed(self, question: Question) -> bool:
        """Run the crawler for the page of a question."""
        self._skipped = False
        self._runner.run(self._crawler.run([Request.from_url(question.url, always_enqueue=True)]))
        return not self._skipped

    def close(self) -> None:
        """Close the event loop."""
        self._runner.close()


kept = KeptClient(Crawl, Crawl.close)


def decide(question: Question) -> bool:
    """Decide with a crawler."""
    clock.hours = question.hours
    return kept.for_question(question).is_allowed(question)


answer_questions(decide)
