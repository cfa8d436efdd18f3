"""Pages and sitemaps that the API fetches."""

from functools import partial
from typing import Any, Final

from canfetch.access.responses import Failure, Response
from canfetch.agents.requested import RequestedAgent
from canfetch.answers.documents import DecideStep, Step, run_steps_async
from canfetch.answers.pages import PageTable, decide_page, fetch_page
from canfetch.answers.sitemaps import FetchedSitemap, fetch_sitemap
from canfetch.client.transports import TransportRequest
from canfetch.core.agent import Agent
from canfetch.core.tokens import product_token
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.web.origins import Origins, check_web_url

_TIMEOUT: Final = 20.0
_MAX_WAIT: Final = 10.0


class DocumentFetcher:
    """Fetches documents for one request of the API, each URL once.

    Args: origins: The origins, whose transport and rules apply.
    """

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._responses: dict[str, Response | Failure] = {}

    async def page(self, url: str, agents: list[RequestedAgent], *, dialect: str | None = None) -> PageTable:
        """Fetch a page, and return what each crawler may do with it.

        Raises: InvalidURL, InvalidOption, TooManyFetches, NotFetched.
        """
        check_web_url(url)
        rows = []
        for agent in agents:
            view = await run_steps_async(
                fetch_page(url, max_bytes=DEFAULT_MAX_PAGE_BYTES), partial(self._perform, agent.agent)
            )
            rows.append(decide_page(url, agent, view, now=self._origins.clock(), dialect=dialect))
        return PageTable(rows)

    async def sitemap(self, url: str, *, max_urls: int) -> FetchedSitemap:
        """Fetch one sitemap.

        Raises: InvalidURL, TooManyFetches, NotFetched.
        """
        check_web_url(url)
        own_agent = Agent(product_token(self._origins.user_agent))
        return await run_steps_async(fetch_sitemap(url, max_urls=max_urls), partial(self._perform, own_agent))

    async def _perform(self, agent: Agent, step: Step) -> Any:
        if isinstance(step, DecideStep):
            return await self._origins.verdict(step.url, agent)
        response = self._responses.get(step.url)
        if response is None:
            async with self._origins.fetch_slot():
                response = await self._origins.transport.send(
                    TransportRequest(
                        url=step.url,
                        headers=(("User-Agent", self._origins.user_agent), ("Accept", "text/html, */*;q=0.5")),
                        max_bytes=step.max_bytes,
                        connect_timeout=_MAX_WAIT,
                        read_timeout=_MAX_WAIT,
                        timeout=_TIMEOUT,
                        allow_private=self._origins.allow_private,
                    )
                )
            # Failures are stored as well, so that the next agent does not wait for the same timeout.
            self._responses[step.url] = response
        return response
