"""Page-level rules of responses: X-Robots-Tag headers and, if selected, robots meta elements."""

import time
from typing import TYPE_CHECKING, Final

from canfetch.integrations.scrapy.agents import RequestAgents
from canfetch.integrations.scrapy.crawl_settings import CrawlSettings, parse_uses
from canfetch.integrations.scrapy.refusals import DisallowedPage, report_refusal
from canfetch.pages import PageVerdict, parse_page

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

PAGE_VERDICT_KEY: Final = "canfetch_page_verdict"
REQUIRED_USES_KEY: Final = "canfetch_required_uses"


class PageChecks:
    """Decides what the agent of a request may do with the page.

    Args:
        crawler: The crawl.
        agents: The agents of the requests.
        settings: The settings of the crawl.
    """

    def __init__(self, crawler: "Crawler", agents: RequestAgents, settings: CrawlSettings) -> None:
        self._crawler = crawler
        self._agents = agents
        self._settings = settings

    def check(self, request: "Request", response: "Response") -> None:
        """Store the verdict for a page in the meta of its request, and check the required uses.

        Raises: DisallowedPage: The page forbids a required use; InvalidOption: A use in the meta does not exist.
        """
        required = request.meta.get(REQUIRED_USES_KEY)
        uses = self._settings.required_uses if required is None else parse_uses(REQUIRED_USES_KEY, required)
        if self._settings.page_rules is None and not uses:
            return
        verdict = self._decide(request, response)
        request.meta[PAGE_VERDICT_KEY] = verdict
        for use in uses:
            if not getattr(verdict, use).allowed:
                counters = ("page_forbidden", f"page_forbidden_use_count/{use}")
                report_refusal(self._crawler, request, f"by the page ({use})", counters)
                raise DisallowedPage(use, verdict)

    def _decide(self, request: "Request", response: "Response") -> PageVerdict:
        headers = [(name, value) for name, values in response.headers.items() for value in values]
        html = response.body if self._settings.page_rules == "html" else None
        return parse_page(html, headers=headers).decide(agent=self._agents.find(request), now=time.time())
