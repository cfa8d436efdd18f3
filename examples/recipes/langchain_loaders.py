"""Load web pages with LangChain's loaders, and send only requests that robots.txt allows.

python langchain_loaders.py [--concurrently] URL...
"""

import asyncio
import sys
from collections.abc import Sequence

import requests
from langchain_community.document_loaders import WebBaseLoader

from canfetch.integrations.aiohttp import RobotsMiddleware
from canfetch.integrations.requests import DisallowedRequest, RobotsAdapter

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


def load(urls: Sequence[str]) -> None:
    """Load pages one after the other: `load` and `lazy_load` use the session."""
    session = requests.Session()
    session.headers["User-Agent"] = USER_AGENT
    adapter = RobotsAdapter(user_agent=USER_AGENT)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    with session:
        for url in urls:
            try:
                for document in WebBaseLoader(url, session=session).lazy_load():
                    print("fetched", document.metadata["source"])
            except DisallowedRequest as error:
                print("skipped", error)


async def load_concurrently(urls: Sequence[str]) -> None:
    """Load pages concurrently: `alazy_load` opens sessions of its own, and passes the keyword arguments to them."""
    async with RobotsMiddleware(user_agent=USER_AGENT) as robots:
        loader = WebBaseLoader(
            urls,
            header_template={"User-Agent": USER_AGENT},
            requests_kwargs={"middlewares": [robots]},
            continue_on_failure=True,
        )
        async for document in loader.alazy_load():
            print("fetched" if document.page_content else "skipped", document.metadata["source"])


if __name__ == "__main__":
    if sys.argv[1] == "--concurrently":
        asyncio.run(load_concurrently(sys.argv[2:]))
    else:
        load(sys.argv[1:])
