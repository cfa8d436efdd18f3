"""The delays of the downloader's slots, with the slots of Scrapy and files in memory."""

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, signals
from scrapy.core.downloader import Slot
from scrapy.http import Response as ScrapyResponse
from tests.integrations.scrapy.crawlers import make_crawler

from canfetch import AsyncClient
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import TransportRequest
from canfetch.integrations.scrapy import slot_pacing
from canfetch.integrations.scrapy.agents import RequestAgents
from canfetch.integrations.scrapy.crawl_settings import CrawlSettings
from canfetch.integrations.scrapy.slot_pacing import SlotPacing

HOST = "example.com"
MIDNIGHT = 1_800_000_000.0 // 86_400 * 86_400
USER_AGENT = "ExampleBot/1.0"


class FilesTransport:
    """Answers with the files of a mapping from origins to contents."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)

    async def send(self, request: TransportRequest) -> Response | Failure:
        content = self.files.get(request.url.removesuffix("/robots.txt"))
        if content is None:
            return Failure(request.url, FailureKind.CONNECT, "refused")
        return Response(request.url, 200, (("Content-Type", "text/plain"),), content.encode())

    async def close(self) -> None:
        pass


class Crawl:
    """A crawl whose requests reach the downloader without being sent."""

    def __init__(
        self,
        files: Mapping[str, str] | str,
        settings: dict[str, Any] | None = None,
        *,
        delay: float = 0.0,
        jitter: float = 0.5,
        slot: Any = None,
    ) -> None:
        self.now = MIDNIGHT
        self.crawler = make_crawler({"USER_AGENT": USER_AGENT, **(settings or {})})
        self.slot = Slot(8, delay, jitter) if slot is None else slot
        self.slots = self.crawler.engine.downloader.slots
        self.slots[HOST] = self.slot
        self.transport = FilesTransport({f"https://{HOST}": files} if isinstance(files, str) else files)
        self.client = AsyncClient(user_agent=USER_AGENT, transport=self.transport, clock=lambda: self.now)
        values = CrawlSettings.from_crawler(self.crawler)
        agents = RequestAgents(values.agent, values.user_agent)
        self.pacing = SlotPacing(self.crawler, self.client, agents, values, clock=lambda: self.now)

    def fetch(self, url: str = f"https://{HOST}/", *, refresh: bool = False) -> None:
        asyncio.run(self._fetch(url, refresh=refresh))

    async def _fetch(self, url: str, *, refresh: bool) -> None:
        await self.client.origin_state(url, refresh=refresh)

    def reach(self, url: str = f"https://{HOST}/page", **arguments: Any) -> tuple[float, float]:
        """Let a request reach the downloader, and return the delay and the jitter of the slot."""
        request = self._request(url, arguments)
        self.crawler.signals.send_catch_log(signals.request_reached_downloader, request=request, spider=None)
        slot = self.slots[HOST]
        # Scrapy before 2.19 has no jitter.
        jitter = slot.jitter if hasattr(slot, "jitter") else 0.5 * bool(slot.randomize_delay)
        return slot.delay, jitter

    def respond(self) -> None:
        request = self._request(f"https://{HOST}/page", {})
        response = ScrapyResponse(request.url)
        self.crawler.signals.send_catch_log(
            signals.response_downloaded, response=response, request=request, spider=None
        )

    @staticmethod
    def _request(url: str, arguments: dict[str, Any]) -> Request:
        request = Request(url, **arguments)
        request.meta.setdefault("download_slot", HOST)
        return request


DELAY = "User-agent: *\nCrawl-delay: 10\n"


def test_crawl_delay_is_kept_without_variation() -> None:
    crawl = Crawl(DELAY)
    crawl.fetch()
    assert crawl.reach() == (10, 0)


def test_delay_of_the_agent_counts() -> None:
    crawl = Crawl(f"{DELAY}Disallow:\n\nUser-agent: ExampleBot\nCrawl-delay: 3\n")
    crawl.fetch()
    assert crawl.reach() == (3, 0)
    assert crawl.reach(headers={"User-Agent": "OtherBot/1.0"}) == (10, 0)


@pytest.mark.parametrize("delay, seconds", [(0.0, 10), (25.0, 25)], ids=["declared", "longer"])
def test_documents_wait_and_count_for_the_next_page(
    monkeypatch: pytest.MonkeyPatch, delay: float, seconds: float
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    crawl = Crawl(DELAY, delay=delay, jitter=0)
    crawl.fetch()
    crawl.reach()
    crawl.slot.lastseen = 1_000.0
    monkeypatch.setattr(slot_pacing, "_slot_clock", lambda: 1_004.0)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    state = crawl.client.cached_state(f"https://{HOST}/")
    assert state is not None
    for _ in range(2):
        asyncio.run(crawl.pacing.start_turn(state))
    assert slept == [seconds - 4, 2 * seconds - 4]
    assert crawl.slot.lastseen == 1_000 + 2 * seconds
    del crawl.slots[HOST]
    asyncio.run(crawl.pacing.start_turn(state))
    assert len(slept) == 2


def test_longer_delay_of_the_crawl_stays() -> None:
    crawl = Crawl(DELAY, delay=20)
    crawl.fetch()
    assert crawl.reach() == (20, 0.5)


def test_variation_below_the_crawl_delay_is_removed() -> None:
    crawl = Crawl(DELAY, delay=15)
    crawl.fetch()
    assert crawl.reach() == (15, 0)


def test_without_a_declared_delay_the_slot_is_not_changed() -> None:
    crawl = Crawl("User-agent: *\nDisallow: /private\n", delay=1)
    assert crawl.reach() == (1, 0.5)
    crawl.fetch()
    assert crawl.reach() == (1, 0.5)


@pytest.mark.parametrize(
    "settings, delay",
    [
        ({"CANFETCH_MAX_DELAY": 4}, 4),
        ({"CANFETCH_MIN_DELAY": 12}, 12),
        ({"CANFETCH_PROCESSES": 3}, 30),
    ],
    ids=["maximum", "minimum", "processes"],
)
def test_bounds(settings: dict[str, Any], delay: float) -> None:
    crawl = Crawl(DELAY, settings)
    crawl.fetch()
    assert crawl.reach() == (delay, 0)


def test_request_rate_applies_in_its_window() -> None:
    crawl = Crawl("User-agent: *\nRequest-rate: 1/20 0000-0600\nRequest-rate: 1/5\n")
    crawl.fetch()
    assert crawl.reach() == (20, 0)
    crawl.now += 7 * 3600
    assert crawl.reach() == (5, 0)


def test_slot_keeps_the_longest_delay_of_its_origins() -> None:
    crawl = Crawl({f"https://{HOST}": DELAY, f"http://{HOST}": "User-agent: *\nCrawl-delay: 2\n"})
    crawl.fetch(f"http://{HOST}/")
    assert crawl.reach(f"http://{HOST}/page") == (2, 0)
    crawl.fetch()
    assert crawl.reach() == (10, 0)
    assert crawl.reach(f"http://{HOST}/page") == (10, 0)


def test_delay_ends_with_its_record() -> None:
    crawl = Crawl(DELAY, delay=1)
    crawl.fetch()
    assert crawl.reach() == (10, 0)
    crawl.transport.files[f"https://{HOST}"] = ""
    crawl.now += 1
    crawl.fetch(refresh=True)
    assert crawl.reach() == (1, 0.5)


def test_delay_of_an_unreachable_origin_still_counts() -> None:
    crawl = Crawl(DELAY)
    crawl.fetch()
    crawl.transport.files.clear()
    crawl.now += 1
    crawl.fetch(refresh=True)
    assert crawl.reach() == (10, 0)


def test_delay_that_another_extension_lowers_is_raised_again() -> None:
    crawl = Crawl(DELAY)
    crawl.fetch()
    crawl.reach()
    crawl.slot.delay = 0.2
    crawl.respond()
    assert crawl.slot.delay == 10
    crawl.slot.delay = 25
    crawl.respond()
    assert crawl.slot.delay == 25


def test_new_slot_of_the_same_host() -> None:
    crawl = Crawl(DELAY)
    crawl.fetch()
    crawl.reach()
    crawl.slots[HOST] = Slot(8, 0.0, 0.5)
    crawl.respond()
    assert crawl.slots[HOST].delay == 0
    assert crawl.reach() == (10, 0)


def test_removed_slots_are_forgotten() -> None:
    crawl = Crawl(DELAY)
    crawl.fetch()
    for number in range(300):
        name = f"slot {number}"
        crawl.slots[name] = Slot(8, 0.0, 0.5)
        crawl.reach(meta={"download_slot": name})
        del crawl.slots[name]
    assert len(crawl.pacing._paced) < 110


def test_opted_out_and_unknown_requests_do_not_change_the_slot() -> None:
    crawl = Crawl(DELAY)
    crawl.fetch()
    assert crawl.reach(meta={"dont_obey_robotstxt": True}) == (0, 0.5)
    assert crawl.reach("data:text/plain,hello") == (0, 0.5)
    assert crawl.reach("https://example.org/") == (0, 0.5)
    assert crawl.reach(meta={"download_slot": "removed"}) == (0, 0.5)


@pytest.mark.slow
def test_slots_of_earlier_releases() -> None:
    slot: Any = SimpleNamespace(delay=0.0, randomize_delay=True)
    crawl = Crawl(DELAY, slot=slot)
    crawl.fetch()
    crawl.reach()
    assert (slot.delay, slot.randomize_delay) == (10, False)
    crawl.transport.files[f"https://{HOST}"] = ""
    crawl.now += 1
    crawl.fetch(refresh=True)
    crawl.reach()
    assert (slot.delay, slot.randomize_delay) == (0, True)
