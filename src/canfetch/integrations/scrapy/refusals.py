"""The exceptions of dropped requests, and what is counted and logged about them.

Spiders receive the exceptions in their errbacks, as `failure.value`.
"""

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from scrapy.exceptions import IgnoreRequest

from canfetch.consent import UseVerdict
from canfetch.core.verdict import ClientVerdict
from canfetch.pages import PageVerdict

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

_LOGGER: Final = logging.getLogger(__package__)


# Not a subclass of OSError, because Scrapy retries a request after an OSError.
class DisallowedRequest(IgnoreRequest):
    """Raised when a request is dropped because of robots.txt.

    Attributes:
        verdict: The verdict, with its reason and the deciding rule.
        retry_at: When the robots.txt is fetched again, in seconds since the epoch. If the reason is `unreachable`, the
            request can succeed after this time.
    """

    def __init__(self, verdict: ClientVerdict, retry_at: float) -> None:
        super().__init__(f"Forbidden by robots.txt: {verdict.explanation}")
        self.verdict = verdict
        self.retry_at = retry_at


class DisallowedPage(IgnoreRequest):
    """Raised when a response is dropped because the page forbids a use that the crawl requires.

    Attributes:
        use: The use, such as `may_index`.
        verdict: The verdict for the page.
    """

    def __init__(self, use: str, verdict: PageVerdict) -> None:
        super().__init__(f"Forbidden by the page: {use}: {getattr(verdict, use).explanation}")
        self.use = use
        self.verdict = verdict


class DisallowedUse(IgnoreRequest):
    """Raised when a response is dropped because its site disallows the use that the crawl is for, or sets conditions.

    Attributes: verdict: The verdict, with the statements that decide, or with `conditions`.
    """

    def __init__(self, verdict: UseVerdict) -> None:
        super().__init__(f"Forbidden for {verdict.purpose}: {verdict.explanation}")
        self.verdict = verdict


def report_refusal(
    crawler: "Crawler", request: "Request", reason: str, counters: Iterable[str], explanation: str = ""
) -> None:
    """Count and log a request or response that is dropped.

    Args:
        crawler: The crawl.
        request: The request.
        reason: The rest of `Forbidden ...` in the log.
        counters: The names of the counters, without `robotstxt/`.
        explanation: The explanation of the verdict, if it has one.
    """
    stats = crawler.stats
    assert stats is not None
    for counter in counters:
        stats.inc_value(f"robotstxt/{counter}")
    _LOGGER.debug(
        "Forbidden %(reason)s: %(request)s%(explanation)s",
        {"reason": reason, "request": request, "explanation": explanation and f": {explanation}"},
        extra={"spider": crawler.spider},
    )
