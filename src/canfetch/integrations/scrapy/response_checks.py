"""Checks of responses: page-level rules, and what a site states on the use of its content.

Page-level rules are those in X-Robots-Tag headers and, if selected, in robots meta elements.
"""

import time
from typing import TYPE_CHECKING, Final

from scrapy import signals
from scrapy.http import HtmlResponse

from canfetch.access.redirects import REDIRECTS
from canfetch.client.async_client import AsyncClient
from canfetch.consent import PageResponse
from canfetch.consent.decision import with_redirects
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.integrations.page_bodies import content_codings, has_html, page_response
from canfetch.integrations.scrapy.agents import RequestAgents
from canfetch.integrations.scrapy.crawl_settings import CrawlSettings, parse_purpose, parse_uses
from canfetch.integrations.scrapy.refusals import DisallowedPage, DisallowedUse, report_refusal
from canfetch.integrations.scrapy.transport import is_cross_origin
from canfetch.pages import PageVerdict, parse_page
from canfetch.pages.headers import page_headers

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

PAGE_VERDICT_KEY: Final = "canfetch_page_verdict"
REQUIRED_USES_KEY: Final = "canfetch_required_uses"
USE_VERDICT_KEY: Final = "canfetch_use_verdict"
PURPOSE_KEY: Final = "canfetch_purpose"
# The headers with statements of each of `redirect_urls`. Scrapy copies the meta of a request to that of the next one.
_REDIRECTS_KEY: Final = "canfetch_redirects"
_FOUND: Final = 302


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
        headers = _headers(response)
        html = response.body if self._settings.page_rules == "html" else None
        return parse_page(html, headers=headers).decide(agent=self._agents.find(request), now=time.time())


def _headers(response: "Response") -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, values in response.headers.items() for value in values]


def _page_response(request: "Request", response: "Response") -> PageResponse:
    """Return a response as a source of statements."""
    headers = _headers(response)
    if isinstance(response, HtmlResponse) and not has_html(response.status, headers):
        # Scrapy found HTML in the URL, another header or the body.
        media_type = f"text/html; charset={response.encoding}"
        headers = [header for header in headers if header[0].lower() != b"content-type"]
        headers.append((b"Content-Type", media_type.encode("latin-1", "replace")))
    is_read = request.method != "HEAD" and not content_codings(headers)
    return page_response(response.status, headers, response.body if is_read else None)


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
        # The middlewares do not see a response that one of them replaces by the next request.
        crawler.signals.connect(self._keep_redirect, signal=signals.response_downloaded)

    async def check(self, request: "Request", response: "Response") -> None:
        """Store the verdict in the meta of the request, if it or the crawl has a purpose.

        The sites of redirects on the way to the response count, too.

        Raises: DisallowedUse: The site disallows the use or sets conditions, and responses are not only marked;
            InvalidOption: The purpose in the meta is unknown.
        """
        purpose = self._purpose(request)
        if purpose is None:
            return
        agent = self._agents.find(request)
        kept = request.meta.get(_REDIRECTS_KEY, {})
        responses = [(response.url, _page_response(request, response))]
        # A page with a refresh is not a redirect, and a response from Scrapy's cache is not downloaded.
        responses += [(url, PageResponse(_FOUND, kept.get(url))) for url in request.meta.get("redirect_urls", ())]
        verdict, *earlier = [
            await self._client.may_use(
                url, purpose=purpose, agent=agent, response=page, cross_origin=is_cross_origin(request, url)
            )
            for url, page in responses
        ]
        verdict = with_redirects(verdict, earlier)
        request.meta[USE_VERDICT_KEY] = verdict
        if verdict.is_refused:
            report_refusal(self._crawler, request, f"for {purpose}", ("use_forbidden",), verdict.explanation)
            if not self._settings.mark_uses:
                raise DisallowedUse(verdict)

    def _purpose(self, request: "Request") -> UsagePurpose | None:
        asked = request.meta.get(PURPOSE_KEY)
        return self._settings.purpose if asked is None else parse_purpose(PURPOSE_KEY, asked)

    def _keep_redirect(self, response: "Response", request: "Request") -> None:
        """Keep the statements in the headers of a redirect for the response at the end."""
        if response.status not in REDIRECTS or not (self._settings.purpose or request.meta.get(PURPOSE_KEY)):
            return
        meta = request.meta
        kept, urls = meta.get(_REDIRECTS_KEY, {}), meta.get("redirect_urls", ())
        earlier = {url: kept[url] for url in urls if url in kept}
        meta[_REDIRECTS_KEY] = {**earlier, request.url: list(page_headers(_headers(response)))}
