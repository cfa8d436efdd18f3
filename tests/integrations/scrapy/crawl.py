"""Run one crawl in a process of its own: python -m tests.integrations.scrapy.crawl < PLAN > RESULT.

The plan and the result are JSON, see `CrawlPlan` and `CrawlResult`. A process can run only one event loop of Scrapy.
"""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import scrapy
from scrapy import signals
from scrapy.crawler import CrawlerProcess

ROOT = Path(__file__).parents[3]
SECONDS = 600


class Page(NamedTuple):
    """What became of a request: the status of its response, or the name of the exception and its message."""

    status: int | None
    error: str
    message: str
    meta: dict[str, str]


class CrawlResult(NamedTuple):
    """The pages by the URL that was requested first, the items, the statistics and the log of a crawl."""

    pages: dict[str, Page]
    items: list[dict[str, Any]]
    stats: dict[str, Any]
    log: str
    signalled: list[str]


class CrawlPlan(NamedTuple):
    """A crawl.

    Attributes:
        requests: The arguments of the requests.
        settings: The settings of Scrapy.
        one_by_one: Whether each request waits for the end of the previous one.
        crawls: The number of such crawls in the process, at the same time. The statistics are those of one.
    """

    requests: Sequence[Mapping[str, Any]]
    settings: Mapping[str, Any]
    one_by_one: bool = False
    crawls: int = 1

    def start(self) -> "subprocess.Popen[str]":
        """Start the crawl in a process. `finish` waits for its end."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.integrations.scrapy.crawl"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(self._asdict()))
        process.stdin.close()
        process.stdin = None
        return process

    def run(self) -> CrawlResult:
        """Run the crawl in a process."""
        return finish(self.start())


def finish(process: "subprocess.Popen[str]") -> CrawlResult:
    """Wait for the end of a crawl."""
    with process:
        try:
            output, errors = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
    assert process.returncode == 0, errors
    result = json.loads(output.splitlines()[-1])
    pages = {url: Page(**page) for url, page in result.pop("pages").items()}
    return CrawlResult(pages=pages, **result, log=errors)


class PlannedSpider(scrapy.Spider):
    """Requests the URLs of a plan."""

    name = "planned"

    def __init__(self, plan: dict[str, Any], result: dict[str, Any]) -> None:
        super().__init__()
        self._plan = plan
        self._result = result
        self._pending = [dict(request) for request in plan["requests"]]

    async def start(self) -> AsyncIterator[Any]:
        """Yield the first request, or all."""
        for request in self._next(len(self._pending) if not self._plan["one_by_one"] else 1):
            yield request

    def answered(self, response: scrapy.http.Response) -> Iterator[Any]:
        """Record a response."""
        verdict = response.meta.get("canfetch_page_verdict", response.meta.get("canfetch_use_verdict"))
        meta = {} if verdict is None else {"page": str(verdict)}
        self._record(response.meta["first_url"], response.status, meta={**meta, **signatures(response.request)})
        if files := response.meta.get("file_urls"):
            yield {"file_urls": files}
        if self._plan["one_by_one"]:
            yield from self._next(1)

    def failed(self, failure: Any) -> Iterator[Any]:
        """Record a dropped request."""
        error = failure.value
        meta = signatures(failure.request)
        self._record(failure.request.meta["first_url"], None, type(error).__name__, str(error), meta)
        if self._plan["one_by_one"]:
            yield from self._next(1)

    def _next(self, count: int) -> Iterator[scrapy.Request]:
        for _ in range(min(count, len(self._pending))):
            arguments = self._pending.pop(0)
            meta = {"first_url": arguments["url"], **arguments.pop("meta", {})}
            yield scrapy.Request(**arguments, meta=meta, callback=self.answered, errback=self.failed, dont_filter=True)

    def _record(
        self,
        url: str,
        status: int | None,
        error: str = "",
        message: str = "",
        meta: dict[str, str] | None = None,
    ) -> None:
        self._result["pages"][url] = Page(status, error, message, meta or {})._asdict()


def signatures(request: Any) -> dict[str, str]:
    """Return the headers of a request that belong to a signature."""
    names = ("Signature", "Signature-Input", "Signature-Agent")
    return {name: request.headers[name].decode() for name in names if name in request.headers}


def main() -> None:
    """Run the crawl of standard input."""
    plan = json.load(sys.stdin)
    process = CrawlerProcess({"TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False, **plan["settings"]})
    crawler = process.create_crawler(PlannedSpider)
    result: dict[str, Any] = {"pages": {}, "items": [], "signalled": []}

    def robots_parsed(robotparser: Any, request: scrapy.Request) -> None:
        result["signalled"].append(f"{request.url} {robotparser.crawl_delay('ExampleBot')}")

    def item_scraped(item: dict[str, Any]) -> None:
        result["items"].append(item)

    if hasattr(signals, "robots_parsed"):
        crawler.signals.connect(robots_parsed, signal=signals.robots_parsed, weak=False)
    crawler.signals.connect(item_scraped, signal=signals.item_scraped, weak=False)
    # Errors are logged.
    _ = process.crawl(crawler, plan=plan, result=result)
    for _ in range(1, plan["crawls"]):
        _ = process.crawl(PlannedSpider, plan=plan, result=result)
    process.start()
    assert crawler.stats is not None
    result["stats"] = crawler.stats.get_stats()
    sys.stdout.write(json.dumps(result, default=str))


if __name__ == "__main__":
    main()
