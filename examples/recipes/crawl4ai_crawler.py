"""Crawl pages with crawl4ai, and let its browser send only requests that robots.txt allows.

python crawl4ai_crawler.py URL...
"""

import asyncio
import sys

from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncPlaywrightCrawlerStrategy
from playwright.async_api import Browser
from playwright_browser import USER_AGENT, check_requests

import canfetch


async def main(urls: list[str]) -> None:
    """Crawl the URLs concurrently."""
    async with canfetch.AsyncClient(user_agent=USER_AGENT) as robots:

        async def on_browser_created(browser: Browser, **_arguments: object) -> Browser:
            await check_requests(browser, robots)
            return browser

        config = BrowserConfig(user_agent=USER_AGENT, extra_args=[f"--user-agent={USER_AGENT}"], verbose=False)
        strategy = AsyncPlaywrightCrawlerStrategy(config)
        strategy.set_hook("on_browser_created", on_browser_created)
        async with AsyncWebCrawler(crawler_strategy=strategy) as crawler:
            for result in await crawler.arun_many(urls, CrawlerRunConfig(cache_mode=CacheMode.BYPASS)):
                print("fetched" if result.success else "skipped", result.url)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
