"""Fetch the media of documents with datatrove, and send only requests that robots.txt allows.

python datatrove_media.py URL...
"""

import sys
from typing import Any

import requests
from datatrove.data import Document, DocumentsPipeline, Media, MediaType
from datatrove.executor import LocalPipelineExecutor
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
    """Fetch the URLs in two processes, each as the only medium of a document."""

    def read_urls(_data: DocumentsPipeline, rank: int, world_size: int) -> DocumentsPipeline:
        for url in urls[rank::world_size]:
            yield Document(text="", id=url, media=[Media(id=url, type=MediaType.IMAGE, url=url)])

    def print_results(data: DocumentsPipeline, _rank: int, _world_size: int) -> DocumentsPipeline:
        for document in data:
            fetched: Any = document.media[0]
            if fetched.media_bytes is not None:
                print("fetched", fetched.url, flush=True)
            else:
                print("skipped", fetched.url, "-", fetched.metadata["fetch_response"]["reason"], flush=True)
            yield document

    pipeline = [read_urls, CheckedFetchReader(custom_agent=USER_AGENT), print_results]
    LocalPipelineExecutor(pipeline, tasks=2, workers=2, logging_dir="logs").run()


if __name__ == "__main__":
    main(sys.argv[1:])
