"""Sites that misbehave in scripted ways, and the transport that serves them in virtual time."""

import asyncio
import random
from collections.abc import Callable
from typing import Final, NamedTuple

import canfetch
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import TransportRequest
from simulation.virtual_time import virtual_now

HOUR: Final = 3600.0
_OPEN: Final = b"User-agent: *\nDisallow: /private/\n"
_CLOSED: Final = b"User-agent: *\nDisallow: /\n"
_SLOW_CRAWL: Final = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 20\n"
# Links that no frontier may take, and that must not keep a crawl open.
JUNK: Final = (
    "mailto:fish@example.com",
    "whatsapp://send?text=x",
    "android-app://com.example/http/a",
    "javascript:void(0)",
    "https://a.example:0/",
    "https:///nowhere",
)


class Site(NamedTuple):
    """A site.

    Attributes:
        origin: Its origin.
        robots: Returns what a request for its robots.txt receives at a time: a file, a status without a file, or a
            failure. A site whose answers are only failures of this machine was never asked.
        seconds: The seconds until then.
        pages: The number of its pages.
        page_failures: The share of requests for a page that fail.
        retry_after: The Retry-After header with every tenth page, in seconds, or None.
    """

    origin: str
    robots: Callable[[float], bytes | int | FailureKind]
    seconds: float
    pages: int
    page_failures: float
    retry_after: int | None


def make_site(number: int, chance: random.Random) -> Site:
    """Return a site of a random kind."""
    until = chance.choice((60.0, 20 * 60.0, 5 * HOUR))
    share = chance.choice((0.2, 0.8))
    kinds: tuple[Callable[[float], bytes | int | FailureKind], ...] = (
        lambda _: _OPEN,
        lambda _: _SLOW_CRAWL,
        lambda _: 404,
        lambda _: _CLOSED,
        lambda now: FailureKind.CONNECT if now < until else _OPEN,
        lambda _: FailureKind.DNS,
        lambda now: 503 if now < until else _OPEN,
        lambda now: FailureKind.LOCAL if now < until else _OPEN,
        lambda now: _OPEN if now < until else _CLOSED,
        lambda now: _CLOSED if now < until else _OPEN,
        lambda _: FailureKind.TIMEOUT if chance.random() < share else _OPEN,
    )
    return Site(
        f"https://site{number}.example",
        chance.choice(kinds),
        chance.choice((0.0, 0.0, 0.3, 20.0)),
        chance.choice((1, 1, 3, 12)),
        chance.choice((0.0, 0.0, 0.3, 1.0)),
        chance.choice((None, None, 90)),
    )


class Network:
    """The transport of all sites.

    Attributes:
        sites: The sites, by origin.
        known: What the robots.txt of an origin was when it was last delivered, or None for one that does not exist.
        failed: The origins that have failed to answer at least once.
        asked: Called at each request.
    """

    def __init__(self, sites: list[Site], asked: Callable[[], object]) -> None:
        self.sites = {site.origin: site for site in sites}
        self.known: dict[str, canfetch.RobotsTxt | None] = {}
        self.failed: set[str] = set()
        self._asked = asked

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Answer a request for a robots.txt."""
        self._asked()
        origin = request.url.removesuffix("/robots.txt")
        site = self.sites.get(origin)
        if site is None:
            self.failed.add(origin)
            return Failure(request.url, FailureKind.DNS, "no such site")
        await asyncio.sleep(site.seconds)
        answer = site.robots(virtual_now())
        if isinstance(answer, FailureKind):
            if answer is not FailureKind.LOCAL:
                self.failed.add(origin)
            return Failure(request.url, answer, "scripted")
        if isinstance(answer, bytes):
            self.known[origin] = canfetch.parse(answer)
            return Response(request.url, 200, (), answer)
        if answer == 404:
            self.known[origin] = None
        else:
            self.failed.add(origin)
        return Response(request.url, answer, (), b"")

    async def close(self) -> None:
        """Do nothing."""
