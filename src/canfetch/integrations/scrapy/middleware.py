"""A downloader middleware that obeys robots.txt, in place of Scrapy's, and the add-on that installs it."""

import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from scrapy import signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_asyncio_reactor_installed

from canfetch.client.async_client import AsyncClient
from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.loggers import DECISION_LOGGER
from canfetch.client.origin_state import OriginState
from canfetch.client.skip_report.writer import SkipReport
from canfetch.client.stores.locations import open_store_at
from canfetch.errors import CanfetchError, InvalidOption, InvalidURL, OriginDisallowed
from canfetch.integrations.paced_clients import PacedAsyncClient
from canfetch.integrations.request_guard import replace_signature
from canfetch.integrations.scrapy.agents import RequestAgents
from canfetch.integrations.scrapy.crawl_settings import CrawlSettings
from canfetch.integrations.scrapy.parser import RobotParser
from canfetch.integrations.scrapy.refusals import DisallowedRequest, report_refusal
from canfetch.integrations.scrapy.response_checks import PageChecks, UseChecks
from canfetch.integrations.scrapy.slot_pacing import SlotPacing
from canfetch.integrations.scrapy.transport import DownloaderTransport, is_cross_origin

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from canfetch.client.identity import SigningIdentity

# Other schemes have no robots.txt that Scrapy could download.
_SCHEMES: Final = ("http://", "https://")
# The number of origins for which the signal `robots_parsed` is not repeated.
_MAX_ANNOUNCED: Final = 10_000
_MIDDLEWARES: Final = "DOWNLOADER_MIDDLEWARES"
_SCRAPYS_OWN: Final = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
# The order of Scrapy's own middleware.
_ORDER: Final = 100
_Opened = TypeVar("_Opened")


class RobotsMiddleware:
    """Drop the requests that robots.txt disallows, and keep the delays that it declares.

    In the settings::

        DOWNLOADER_MIDDLEWARES = {
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
            "canfetch.integrations.scrapy.RobotsMiddleware": 100,
        }

    Like Scrapy's middleware, it is enabled by ROBOTSTXT_OBEY, and a request with `dont_obey_robotstxt` in its meta is
    not checked. `docs/scrapy.md` lists the settings.

    Raises: NotConfigured: ROBOTSTXT_OBEY is False; InvalidOption: A setting is invalid, or the reactor is not
        asyncio's.
    """

    def __init__(self, crawler: "Crawler") -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        _check_event_loop()
        self._crawler = crawler
        settings = CrawlSettings.from_crawler(crawler)
        if DECISION_LOGGER.level == logging.NOTSET:
            # Scrapy enables all levels of all loggers, so each decision would be formatted and logged.
            DECISION_LOGGER.setLevel(logging.INFO)
        self._agents = RequestAgents(settings.agent, settings.user_agent)
        self._evidence = _opened("CANFETCH_EVIDENCE", settings.evidence, EvidenceRecorder)
        self._identity = _opened("CANFETCH_IDENTITY", settings.identity, _open_identity)
        self._skip_report = _opened("CANFETCH_SKIP_REPORT", settings.skip_report, SkipReport)
        self._client = PacedAsyncClient(
            user_agent=settings.user_agent,
            agent=self._agents.default,
            transport=DownloaderTransport(crawler),
            store=_opened("CANFETCH_STORE", settings.store, open_store_at),
            evidence=self._evidence,
            identity=self._identity,
            policy=settings.policy,
            profile=settings.profile,
            timeout=settings.timeout,
        )
        self._page_checks = PageChecks(crawler, self._agents, settings)
        self._use_checks = UseChecks(crawler, self._client, self._agents, settings)
        self._announced: OrderedDict[str, float] = OrderedDict()
        if settings.obey_delay:
            self._pacing = SlotPacing(crawler, self._client, self._agents, settings)
            self._client.start_turn = self._pacing.start_turn
        if self._identity is not None:
            crawler.signals.connect(self._sign_downloads, signal=signals.spider_opened)
        crawler.signals.connect(self._spider_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        """Create the middleware of a crawl."""
        return cls(crawler)

    @property
    def client(self) -> AsyncClient:
        """The client that fetches and decides. Spiders can use it, for example for `await client.sitemaps(url)`."""
        return self._client

    async def process_request(self, request: "Request", spider: "Spider | None" = None) -> None:  # noqa: ARG002 - the signature of Scrapy
        """Check a request, and fetch the robots.txt of its origin if that is due.

        Raises: DisallowedRequest, IgnoreRequest, SkipReportError.
        """
        if not request.url.startswith(_SCHEMES):
            return
        if not request.meta.get("dont_obey_robotstxt"):
            await self._check(request)
        if self._identity is not None:
            # The client has signed its requests for robots.txt, which are signed again when they are sent.
            replace_signature(request.headers, ())

    def _sign_downloads(self) -> None:
        """Sign requests immediately before they are downloaded, and remove the signature afterwards.

        Caches, queues and other middlewares see requests before and after that, and a request can wait for its turn
        longer than a signature is valid.
        """
        engine: Any = self._crawler.engine
        handlers = engine.downloader.handlers
        # Scrapy before 2.14 has only the second one, which returns a Deferred.
        is_async = hasattr(handlers, "download_request_async")
        name = "download_request_async" if is_async else "download_request"
        download = getattr(handlers, name)

        async def send(request: "Request", *arguments: Any) -> Any:
            self._sign(request)
            try:
                result = download(request, *arguments)
                return await (result if is_async else maybe_deferred_to_future(result))
            finally:
                replace_signature(request.headers, ())

        setattr(handlers, name, send if is_async else lambda *arguments: deferred_from_coro(send(*arguments)))

    def _sign(self, request: "Request") -> None:
        if self._identity is None or not request.url.startswith(_SCHEMES):
            return
        try:
            signature = self._identity.headers(request.method, request.url)
        except InvalidURL as error:
            raise IgnoreRequest(f"Forbidden because it cannot be signed: {error}") from None
        replace_signature(request.headers, signature)

    async def _check(self, request: "Request") -> None:
        try:
            cross_origin = is_cross_origin(request, request.url)
            state = self._client.cached_state(request.url, cross_origin=cross_origin)
            state = state or await self._obtain_state(request, cross_origin=cross_origin)
            agent = self._agents.find(request)
            if self._evidence is None and not cross_origin and await self._client.allows(request.url, agent=agent):
                return
            verdict = await self._client.decide(request.url, agent=agent, cross_origin=cross_origin)
        except InvalidURL as error:
            raise IgnoreRequest(f"Forbidden because it has no robots.txt: {error}") from None
        if not verdict.allowed:
            counters = ("forbidden", f"forbidden_reason_count/{verdict.reason}")
            report_refusal(self._crawler, request, "by robots.txt", counters, verdict.explanation)
            if self._skip_report is not None:
                self._skip_report.record(request.url, verdict, depth=_depth(request))
            raise DisallowedRequest(verdict, state.next_fetch_at)

    async def process_response(
        self,
        request: "Request",
        response: "Response",
        spider: "Spider | None" = None,  # noqa: ARG002 - the signature of Scrapy
    ) -> "Response":
        """Check the page-level rules of a response and the use of its content, if settings or the request select that.

        Raises: DisallowedPage, DisallowedUse.
        """
        if not request.meta.get("dont_obey_robotstxt"):
            self._page_checks.check(request, response)
            if request.url.startswith(_SCHEMES):
                await self._use_checks.check(request, response)
        return response

    async def _obtain_state(self, request: "Request", *, cross_origin: bool) -> OriginState:
        state = await self._client.origin_state(request.url, cross_origin=cross_origin)
        await self._announce(request, state)
        return state

    async def _announce(self, request: "Request", state: OriginState) -> None:
        """Send the signal `robots_parsed` once for each fetched file."""
        signal = getattr(signals, "robots_parsed", None)
        origin, fetched_at = str(state.origin), state.entry.fetched_at
        # Scrapy before 2.18 has no such signal.
        if signal is None or self._announced.get(origin) == fetched_at:
            return
        self._announced[origin] = fetched_at
        if len(self._announced) > _MAX_ANNOUNCED:
            self._announced.popitem(last=False)
        try:
            robots = state.robots(fetched_at)
        except OriginDisallowed:
            return
        parser = RobotParser(robots)
        await self._crawler.signals.send_catch_log_async(signal=signal, robotparser=parser, request=request)

    async def _spider_closed(self) -> None:
        stats, counts = self._crawler.stats, self._client.stats
        assert stats is not None
        stats.set_value("robotstxt/fetch_count", counts.fetches)
        stats.set_value("robotstxt/store_hit_count", counts.store_hits)
        for reason, count in counts.failures.items():
            stats.set_value(f"robotstxt/failure_count/{reason}", count)
        await self._client.close()
        if self._evidence is not None:
            self._evidence.close()
        if self._skip_report is not None:
            self._skip_report.close()


class Addon:
    """Obey robots.txt with canfetch.

        ADDONS = {"canfetch.integrations.scrapy.Addon": 100}

    It replaces Scrapy's middleware and parser and sets ROBOTSTXT_OBEY. A project that sets ROBOTSTXT_OBEY to False
    still overrides it.
    """

    def update_settings(self, settings: "BaseSettings") -> None:
        """Change the settings of a crawl."""
        settings.set("ROBOTSTXT_OBEY", True, "addon")
        settings.set("ROBOTSTXT_PARSER", RobotParser, "addon")
        order = _ORDER
        middlewares = settings.getdict(_MIDDLEWARES)
        for key in list(middlewares):
            if load_object(key) in {RobotsTxtMiddleware, RobotsMiddleware}:
                order = middlewares.pop(key) or order
        # With a string as key, every release of Scrapy finds its own middleware.
        middlewares.update({_SCRAPYS_OWN: None, RobotsMiddleware: order})
        settings.set(_MIDDLEWARES, middlewares, settings.getpriority(_MIDDLEWARES) or 0)


def _depth(request: "Request") -> int | None:
    """Return the number of links from a start request, or None if Scrapy does not count them."""
    if request.meta.get("is_start_request"):
        return 0
    depth = request.meta.get("depth")
    return depth if isinstance(depth, int) else None


def _opened(setting: str, location: str | None, open_at: Callable[[str], _Opened]) -> _Opened | None:
    """Open what a setting names, or return None if it names nothing.

    Raises: InvalidOption: It cannot be opened.
    """
    try:
        return None if location is None else open_at(location)
    except (CanfetchError, OSError) as error:
        raise InvalidOption(f"invalid {setting}: {error}") from None


def _open_identity(folder: str) -> "SigningIdentity":
    from canfetch.client.identity import SigningIdentity  # noqa: PLC0415 - needs an extra

    return SigningIdentity(folder)


def _check_event_loop() -> None:
    """Check that Scrapy runs on an asyncio event loop.

    Raises: InvalidOption: It runs on another reactor of Twisted.
    """
    try:
        from scrapy.utils.asyncio import is_asyncio_available as is_available  # noqa: PLC0415 - since Scrapy 2.14
    except ImportError:
        is_available = is_asyncio_reactor_installed
    if not is_available():
        raise InvalidOption(
            "canfetch requires asyncio: remove TWISTED_REACTOR, or set it to "
            "'twisted.internet.asyncioreactor.AsyncioSelectorReactor'"
        )
