"""Crawl pages with crawl4ai and without a browser, and send only requests that robots.txt allows.

python crawl4ai_http.py URL...
"""

import asyncio
import sys
from typing import Any

from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig, HTTPCrawlerConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy

from canfetch.integrations.aiohttp import RobotsMiddleware

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


async def main(urls: list[str]) -> None:
    """Crawl the URLs concurrently."""
    async with RobotsMiddleware(user_agent=USER_AGENT) as robots:

        def before_request(_url: str, arguments: dict[str, Any]) -> None:
            arguments["middlewares"] = [robots]

        strategy = AsyncHTTPCrawlerStrategy(HTTPCrawlerConfig(headers={"User-Agent": USER_AGENT}))
        strategy.set_hook("before_request", before_request)
        async with AsyncWebCrawler(crawler_strategy=strategy) as crawler:
            for result in await crawler.arun_many(urls, CrawlerRunConfig(cache_mode=CacheMode.BYPASS)):
                print("fetched" if result.success else "skipped", result.url, result.error_message or "")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
