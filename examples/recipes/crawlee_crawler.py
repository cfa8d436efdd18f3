"""Crawl a site with Crawlee, and send only requests that robots.txt allows.

python crawlee_crawler.py URL
"""

import asyncio
import sys

import httpx2
from crawlee.crawlers import BeautifulSoupCrawler, BeautifulSoupCrawlingContext
from crawlee.http_clients import HttpxHttpClient

import canfetch

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
robots = canfetch.AsyncClient(user_agent=USER_AGENT)


class CheckedCrawler(BeautifulSoupCrawler):
    """Use canfetch where Crawlee uses its own parser: for each request, and for links to enqueue."""

    async def _is_allowed_based_on_robots_txt_file(self, url: str) -> bool:
        return await robots.allows(url)


async def check_redirect(request: httpx2.Request) -> None:
    """Check each request before it is sent, because Crawlee's HTTP client follows redirects itself."""
    verdict = await robots.decide(str(request.url))
    if not verdict.allowed:
        raise PermissionError(f"{request.url}: {verdict}")


async def main(url: str) -> None:
    """Crawl all pages of the host that links lead to."""
    crawler = CheckedCrawler(
        http_client=HttpxHttpClient(
            headers={"User-Agent": USER_AGENT}, header_generator=None, event_hooks={"request": [check_redirect]}
        ),
        max_request_retries=0,
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle_page(context: BeautifulSoupCrawlingContext) -> None:
        print("fetched", context.request.loaded_url)
        await context.enqueue_links()

    @crawler.on_skipped_request
    async def report_skipped(url: str, _reason: str) -> None:
        print("skipped", url, "-", await robots.decide(url))

    @crawler.failed_request_handler
    async def report_failed(_context: object, error: Exception) -> None:
        print("failed", error)

    async with robots:
        await crawler.run([url])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
