"""Scrapy's RobotsTxtMiddleware, in a crawl with the default settings and `ROBOTSTXT_OBEY`.

A page is disallowed if the middleware ignores the request for it. It is allowed if it is requested, with any result.
"""

from threading import Thread

from scrapy.utils.reactor import install_reactor

install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

import asyncio  # noqa: E402 - the reactor must be installed first
from collections.abc import AsyncIterator  # noqa: E402
from concurrent.futures import Future  # noqa: E402
from typing import Any, NamedTuple  # noqa: E402

from questions import Clock, KeptClient, Question, answer_questions  # noqa: E402
from scrapy import Request, Spider  # noqa: E402
from scrapy.crawler import CrawlerRunner  # noqa: E402
from scrapy.exceptions import IgnoreRequest  # noqa: E402
from twisted.internet import reactor  # noqa: E402

SETTINGS = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_TIMEOUT": 10, "LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False}
# The middleware has no clock. If a later version reads `time.time`, it reads this one.
clock = Clock()
clock.replace_time()


class Page(NamedTuple):
    """A page to request."""

    url: str
    user_agent: str
    allowed: "Future[bool]"


class OnePageAtATime(Spider):
    """Request pages as they are asked about, and record whether the middleware ignores the requests."""

    name = "one-page-at-a-time"
    pages: "asyncio.Queue[Page | None]"

    async def start(self) -> AsyncIterator[Any]:
        """Request the pages, until the crawl ends."""
        while (page := await self.pages.get()) is not None:
            yield Request(
                page.url,
                headers={"User-Agent": page.user_agent},
                meta={"allowed": page.allowed},
                callback=self.parse,
                errback=self.record_failure,
                dont_filter=True,
            )

    def parse(self, response: Any) -> None:
        """Record that the page was fetched."""
        response.meta["allowed"].set_result(True)

    def record_failure(self, failure: Any) -> None:
        """Record a failure, which is that of the page unless the request was ignored."""
        failure.request.meta["allowed"].set_result(failure.check(IgnoreRequest) is None)


class Crawl:
    """A crawl that waits for the next page."""

    def __init__(self, question: Question) -> None:
        self._pages: asyncio.Queue[Page | None] = asyncio.Queue()
        runner = CrawlerRunner({**SETTINGS, "USER_AGENT": f"{question.agent}/1.0"})
        reactor.callFromThread(runner.crawl, OnePageAtATime, pages=self._pages)

    def is_allowed(self, question: Question) -> bool:
        """Request the page of a question."""
        page = Page(question.url, f"{question.agent}/1.0", Future())
        reactor.callFromThread(self._pages.put_nowait, page)
        return page.allowed.result()

    def close(self) -> None:
        """End the crawl."""
        reactor.callFromThread(self._pages.put_nowait, None)


kept = KeptClient(Crawl, Crawl.close)


def decide(question: Question) -> bool:
    """Decide in a crawl."""
    clock.hours = question.hours
    return kept.for_question(question).is_allowed(question)


Thread(target=reactor.run, kwargs={"installSignalHandlers": False}, daemon=True).start()
answer_questions(decide)
