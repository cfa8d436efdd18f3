"""Load pages in Chromium with Playwright, and let the browser send only requests that robots.txt allows.

python playwright_browser.py URL...
"""

import asyncio
import os
import sys
from typing import Any

from playwright.async_api import Browser, Error, async_playwright

import canfetch

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


async def check_requests(browser: Browser, robots: canfetch.AsyncClient) -> None:
    """Check every HTTP request of all pages: documents, resources, and the targets of redirects."""
    session = await browser.new_browser_cdp_session()

    async def check(event: dict[str, Any]) -> None:
        url = event["request"]["url"]
        request = {"requestId": event["requestId"]}
        try:
            verdict = await robots.decide(url)
        except canfetch.CanfetchError as error:
            allowed, reason = False, str(error)
        else:
            allowed, reason = verdict.allowed, str(verdict)
        try:
            if allowed:
                await session.send("Fetch.continueRequest", request)
            else:
                print("blocked", event["resourceType"], url, "-", reason)
                await session.send("Fetch.failRequest", {**request, "errorReason": "BlockedByClient"})
        except Error:
            pass  # the page was closed in the meantime

    session.on("Fetch.requestPaused", check)
    await session.send("Fetch.enable", {"patterns": [{"urlPattern": "http*"}]})


async def main(urls: list[str]) -> None:
    """Load the URLs one after the other."""
    async with canfetch.AsyncClient(user_agent=USER_AGENT) as robots, async_playwright() as playwright:
        # An option of the browser and not of a page, because Chromium requests icons by itself.
        arguments = [f"--user-agent={USER_AGENT}"]
        browser = await playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=arguments)
        await check_requests(browser, robots)
        for url in urls:
            # The error page of a blocked navigation would interrupt the next one.
            page = await browser.new_page()
            try:
                await page.goto(url)
            except Error as error:
                print("failed", url, "-", error.message.partition(" at ")[0])
            else:
                print("loaded", page.url)
            await page.close()
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
