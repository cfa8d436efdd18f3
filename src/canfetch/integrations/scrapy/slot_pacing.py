"""Crawl delays, kept by the slots of Scrapy's downloader.

A slot holds the requests to one host name, so it keeps the longest delay of the host's origins. The delay of a slot is
set when a request reaches the downloader, before it is queued.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from scrapy import signals
from scrapy.core import downloader as scrapy_downloader

from canfetch.access.pacing import Pace, request_interval
from canfetch.client.async_client import AsyncClient
from canfetch.client.origin_pace import declared_pace
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.errors import InvalidURL
from canfetch.integrations.scrapy.agents import RequestAgents
from canfetch.integrations.scrapy.crawl_settings import CrawlSettings
from canfetch.integrations.scrapy.transport import ROBOTS_REQUEST_KEY

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

_OriginAgent = tuple[str, Agent]
_MAX_CACHED_PACES: Final = 10_000
# Scrapy removes idle slots. Their delays are removed once there are this many more than slots.
_MAX_IDLE_SLOTS: Final = 100
# The clock of the slots. It is the wall clock in earlier releases than 2.19.
_slot_clock: Final[Callable[[], float]] = getattr(scrapy_downloader, "monotonic", time.time)
# The variation that RANDOMIZE_DOWNLOAD_DELAY has always had.
_DEFAULT_JITTER: Final = 0.5


class SlotPacing:
    """Sets the delays of the downloader's slots.

    Args:
        crawler: The crawl.
        client: The client of the crawl.
        agents: The agents of the requests.
        settings: The settings of the crawl.
        clock: Returns seconds since the epoch.
    """

    def __init__(
        self,
        crawler: "Crawler",
        client: AsyncClient,
        agents: RequestAgents,
        settings: CrawlSettings,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._crawler = crawler
        self._client = client
        self._agents = agents
        self._settings = settings
        self._clock = clock
        self._paced: dict[str, _PacedSlot] = {}
        self._paces: dict[_OriginAgent, tuple[float, Pace]] = {}
        crawler.signals.connect(self._request_reached_downloader, signal=signals.request_reached_downloader)

    async def start_turn(self, state: OriginState) -> AbstractContextManager[object]:
        """Wait until a document, such as tdmrep.json, may be requested from an origin, and count it in the host's slot.

        The request itself has a slot of its own, because the time of a fetch is limited.
        """
        engine: Any = self._crawler.engine
        slot = engine.downloader.slots.get(state.origin.host.strip("[]"))
        if slot is None:
            return nullcontext()
        now = _slot_clock()
        turn = max(now, slot.lastseen + max(slot.delay, self._interval(state, self._agents.default)))
        # The next request of the slot waits from then on.
        slot.lastseen = turn
        await asyncio.sleep(turn - now)
        return nullcontext()

    def _request_reached_downloader(self, request: "Request") -> None:
        name, slot = self._find_slot(request)
        if slot is None:
            return
        if ROBOTS_REQUEST_KEY in request.meta:
            # A retry must not wait for DOWNLOAD_DELAY, because the time of the fetch is limited.
            slot.delay = 0.0
            return
        if request.meta.get("dont_obey_robotstxt"):
            return
        state, agent = self._find_state(request.url), self._agents.find(request)
        interval = 0.0 if state is None else self._interval(state, agent)
        paced = self._paced.get(name)
        if paced is None or paced.slot is not slot:
            if not interval:
                return
            if not self._paced:
                # AutoThrottle is connected before, so it changes the delay first.
                self._crawler.signals.connect(self._response_downloaded, signal=signals.response_downloaded)
            paced = self._paced[name] = _PacedSlot(slot)
            self._forget_removed_slots()
        if state is not None:
            paced.set_interval((str(state.origin), agent), interval)

    def _response_downloaded(self, request: "Request") -> None:
        name, slot = self._find_slot(request)
        paced = self._paced.get(name)
        if paced is not None and paced.slot is slot:
            paced.raise_delay()

    def _find_slot(self, request: "Request") -> tuple[str, Any]:
        name = request.meta.get("download_slot", "")
        engine: Any = self._crawler.engine
        return name, None if engine is None else engine.downloader.slots.get(name)

    def _find_state(self, url: str) -> OriginState | None:
        try:
            # The delay of an expired file still counts.
            find = partial(self._client.cached_state, url, offline=True)
            return find() or find(cross_origin=True)
        except InvalidURL:
            return None

    def _interval(self, state: OriginState, agent: Agent) -> float:
        key = (str(state.origin), agent)
        fetched_at, pace = self._paces.get(key, (None, None))
        if pace is None or fetched_at != state.entry.fetched_at:
            if len(self._paces) >= _MAX_CACHED_PACES:
                self._paces.clear()
            pace = declared_pace(state, agent, self._settings.bounds)
            self._paces[key] = (state.entry.fetched_at, pace)
        return request_interval(pace, now=self._clock()) * self._settings.processes

    def _forget_removed_slots(self) -> None:
        engine: Any = self._crawler.engine
        slots = engine.downloader.slots
        if len(self._paced) > len(slots) + _MAX_IDLE_SLOTS:
            self._paced = {name: paced for name, paced in self._paced.items() if slots.get(name) is paced.slot}


class _PacedSlot:
    """A slot of the downloader, its own delay, and the intervals that the origins of its host require of the agents."""

    def __init__(self, slot: Any) -> None:
        self.slot = slot
        self._own_delay: float = slot.delay
        self._own_jitter = _get_jitter(slot)
        self._intervals: dict[_OriginAgent, float] = {}
        self._required = 0.0

    def set_interval(self, origin_agent: _OriginAgent, interval: float) -> None:
        """Set the interval that an origin requires of an agent."""
        if interval:
            self._intervals[origin_agent] = interval
        else:
            self._intervals.pop(origin_agent, None)
        required = max(self._intervals.values(), default=0.0)
        if required < self._required:
            self.slot.delay = self._own_delay
            _set_jitter(self.slot, self._own_jitter)
        self._required = required
        self.raise_delay()

    def raise_delay(self) -> None:
        """Raise the delay of the slot to the required interval, unless its shortest delay is longer."""
        if self.slot.delay * (1 - _get_jitter(self.slot)) < self._required:
            self.slot.delay = max(self.slot.delay, self._required)
            # A random variation would undercut the interval.
            _set_jitter(self.slot, 0.0)


def _get_jitter(slot: Any) -> float:
    if hasattr(slot, "jitter"):
        return float(slot.jitter)
    # Scrapy before 2.19.
    return _DEFAULT_JITTER if slot.randomize_delay else 0.0


def _set_jitter(slot: Any, jitter: float) -> None:
    if hasattr(slot, "jitter"):
        slot.jitter = jitter
    else:
        slot.randomize_delay = jitter > 0
