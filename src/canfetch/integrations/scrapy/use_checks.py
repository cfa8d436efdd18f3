"""What a site states on the use of its content, checked for each response."""

import logging
from typing import TYPE_CHECKING, Final

from canfetch.client.async_client import AsyncClient
from canfetch.consent import PageResponse
from canfetch.integrations.scrapy.agents import RequestAgents
from canfetch.integrations.scrapy.crawl_settings import CrawlSettings, parse_purpose
from canfetch.integrations.scrapy.exceptions import DisallowedUse

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

USE_VERDICT_KEY: Final = "canfetch_use_verdict"
PURPOSE_KEY: Final = "canfetch_purpose"
_LOGGER: Final = logging.getLogger(__name__)


class UseChecks:
    """Decides whether content may be used for the purpose of the crawl.

    Args:
        crawler: The crawl.
        client: Fetches what the site states outside the page.
        agents: The agents of the requests.
        settings: The settings of the crawl.
    """

    def __init__(self, crawler: "Crawler", client: AsyncClient, agents: RequestAgents, settings: CrawlSettings) -> None:
        self._crawler = crawler
        self._client = client
        self._agents = agents
        self._settings = settings

    async def check(self, request: "Request", response: "Response") -> None:
        """Store the verdict in the meta of the request, if it or the crawl has a purpose.

        Raises: DisallowedUse: The site disallows the use, and responses are not only marked; InvalidOption: The purpose
            in the meta is unknown.
        """
        asked = request.meta.get(PURPOSE_KEY)
        purpose = self._settings.purpose if asked is None else parse_purpose(PURPOSE_KEY, asked)
        if purpose is None:
            return
        headers = [(name, value) for name, values in response.headers.items() for value in values]
        page = PageResponse(response.status, headers, response.body)
        agent = self._agents.find(request)
        verdict = await self._client.may_use(response.url, purpose=purpose, agent=agent, response=page)
        request.meta[USE_VERDICT_KEY] = verdict
        if verdict.allowed is False:
            self._report(request, str(purpose), verdict.explanation)
            if not self._settings.mark_uses:
                raise DisallowedUse(verdict)

    def _report(self, request: "Request", purpose: str, explanation: str) -> None:
        stats = self._crawler.stats
        assert stats is not None
        stats.inc_value("robotstxt/use_forbidden")
        _LOGGER.debug(
            "Forbidden for %(purpose)s: %(request)s: %(explanation)s",
            {"purpose": purpose, "request": request, "explanation": explanation},
            extra={"spider": self._crawler.spider},
        )
