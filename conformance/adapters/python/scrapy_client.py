"""Scrapy's RobotsTxtMiddleware, in a crawl with the default settings and `ROBOTSTXT_OBEY`.

A page is disallowed if the middleware ignores the request for it. It is allowed if it is requested, with any result.
"""

from threading import Thread

from scrapy.utils.reactor import install_reactor

install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

from collections.abc import AsyncIterator  # noqa: E402 - the reactor must be installed first
from typing import Any  # noqa: E402

from questions import Question, answer_questions  # noqa: E402
from scrapy import Request, Spider  # noqa: E402
from scrapy.crawler import CrawlerRunner  # noqa: E402
from scrapy.exceptions import IgnoreRequest  # noqa: E402
from twisted.internet import reactor  # noqa: E402
from twisted.internet.threads import blockingCallFromThread  # noqa: E402


class OnePage(Spider):
    """Request one page, and record whether the middleware ignores the request."""

    name = "one-page"
    page = ""
    outcome: dict[str, bool]

    async def start(self) -> AsyncIterator[Any]:
        """Request the page."""
        yield Request(self.page, callback=self.parse, errback=self.record_failure)

    def parse(self, *_response: Any) -> None:
        """Record that the page was fetched."""
        self.outcome["allowed"] = True

    def record_failure(self, failure: Any) -> None:
        """Record a failure, which is that of the page unless the request was ignored."""
        self.outcome["allowed"] = failure.check(IgnoreRequest) is None


def decide(question: Question) -> bool:
    """Run a crawl of one page."""
    outcome: dict[str, bool] = {}
    settings = {"ROBOTSTXT_OBEY": True, "USER_AGENT": f"{question.agent}/1.0", "DOWNLOAD_TIMEOUT": 10}
    runner = CrawlerRunner({**settings, "LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False})
    blockingCallFromThread(reactor, runner.crawl, OnePage, page=question.url, outcome=outcome)
    return outcome["allowed"]


Thread(target=reactor.run, kwargs={"installSignalHandlers": False}, daemon=True).start()
answer_questions(decide)
