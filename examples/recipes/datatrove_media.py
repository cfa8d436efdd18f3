"""Fetch the media of documents with datatrove, and send only requests that robots.txt allows.

python datatrove_media.py URL...
"""

import sys
from typing import Any

import requests
from datatrove.data import Document, DocumentsPipeline, Media, MediaType
from datatrove.pipeline.media.readers.http_fetch import HTTPFetchReader

import canfetch
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.integrations.requests import RobotsAdapter

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


class CheckedFetchReader(HTTPFetchReader):
    """Check URLs and the targets of redirects. All workers on a machine share one cache of robots.txt files."""

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Fetch the media of the documents."""
        # Created here, and not in `__init__`, because datatrove pickles the step for each worker.
        self.adapter = RobotsAdapter(user_agent=self.custom_agent, store=SQLiteStore("robots.sqlite3"))
        try:
            yield from super().run(data, rank, world_size)
        finally:
            self.adapter.close()

    @property
    def scraper(self) -> requests.Session:
        """The session of the current thread."""
        session: requests.Session = super().scraper
        session.mount("https://", self.adapter)
        session.mount("http://", self.adapter)
        return session

    def check_robots_txt(self, url: str) -> bool:
        """Return whether a URL may be fetched."""
        try:
            return self.adapter.robots.client.allows(url)
        except canfetch.InvalidURL:
            return False


def main(urls: list[str]) -> None:
    """Fetch the URLs, each as the only medium of a document."""
    media = (Media(id=url, type=MediaType.IMAGE, url=url) for url in urls)
    documents = (Document(text="", id=medium.id, media=[medium]) for medium in media)
    for document in CheckedFetchReader(custom_agent=USER_AGENT).run(documents):
        fetched: Any = document.media[0]
        if fetched.media_bytes is not None:
            print("fetched", fetched.url)
        else:
            print("skipped", fetched.url, "-", fetched.metadata["fetch_response"]["reason"])


if __name__ == "__main__":
    main(sys.argv[1:])
