"""Sites that misbehave in scripted ways, and the transports that serve them in simulated time."""

import asyncio
import gzip
import random
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import canfetch
from canfetch.access.responses import Failure, FailureKind, Headers, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.response_body import ResponseBuilder
from simulation.processes import PROCESS, Killed, Process

HOUR: Final = 3600.0
# When a site changes its mind at the latest.
LONGEST_CHANGE: Final = 5 * HOUR
AGENT: Final = "SimBot"
OPEN: Final = b"User-agent: *\nDisallow: /private/\n"
_CLOSED: Final = b"User-agent: *\nDisallow: /\n"
_SLOW_CRAWL: Final = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 20\n"
# Above the limit of 500 KiB, in lines that cost little. The last rule does not count.
_LARGE: Final = OPEN + (b"#" * 1023 + b"\n") * 500 + b"Disallow: /\n"
_PAGE: Final = b"<!DOCTYPE html><html><title>Just a moment...</title></html>"
# Links that no frontier may take, and that must not keep a crawl open.
JUNK: Final = (
    "mailto:fish@example.com",
    "whatsapp://send?text=x",
    "android-app://com.example/http/a",
    "javascript:void(0)",
    "https://a.example:0/",
    "https:///nowhere",
)
# A link of a page, which no frontier may take either.
OVERSIZED: Final = f"https://a.example/{'x' * 65_536}"
# The end of a link that HTTP libraries cannot encode.
UNENCODABLE: Final = "#\ud800"


class Reply(NamedTuple):
    """A response.

    Attributes:
        status: The status.
        headers: The header fields.
        body: The body as it is sent.
        is_cut: Whether the connection ends in the middle of the body.
    """

    status: int
    headers: Headers = ()
    body: bytes = b""
    is_cut: bool = False


# What a request receives at a time. A site whose answers are only failures of this machine was never asked.
Answer = Reply | FailureKind
Script = Callable[[float], Answer]


class Site(NamedTuple):
    """A site.

    Attributes:
        origin: Its origin.
        kind: The name of its kind.
        robots: Returns what a request for its robots.txt receives at a time.
        seconds: The seconds until then.
        pages: The number of its pages.
        page_failures: The share of requests for a page that fail.
        retry_after: The Retry-After header with every tenth page, in seconds, or None.
    """

    origin: str
    kind: str
    robots: Script
    seconds: float
    pages: int
    page_failures: float
    retry_after: int | None


def _file(content: bytes = OPEN, *headers: tuple[str, str]) -> Reply:
    return Reply(200, headers, content)


def _redirect(location: str) -> Reply:
    return Reply(301, (("Location", location),))


class _Circumstances(NamedTuple):
    """What the behaviour of a site depends on besides its kind."""

    chance: random.Random
    origin: str
    other: str
    until: float
    share: float


def _changes(before: Answer, after: Answer) -> Callable[[_Circumstances], Script]:
    """Return a kind whose sites answer in one way until some time, and in another one after it."""
    return lambda site: lambda now: before if now < site.until else after


def _always(answer: Answer) -> Callable[[_Circumstances], Script]:
    return lambda _: lambda _: answer


KINDS: Final[dict[str, Callable[[_Circumstances], Script]]] = {
    "open": _always(_file()),
    "slow": _always(_file(_SLOW_CRAWL)),
    "missing": _always(Reply(404)),
    "closed": _always(_file(_CLOSED)),
    "forbidden": _always(Reply(403)),
    "empty": _always(_file(b"")),
    "page": _always(_file(_PAGE)),
    "gzip": _always(_file(gzip.compress(OPEN, mtime=0), ("Content-Encoding", "gzip"))),
    "invented coding": _always(_file(OPEN, ("Content-Encoding", "aws-chunked"))),
    "large": _always(_file(_LARGE)),
    "no such host": _always(FailureKind.DNS),
    "refuses, then open": _changes(FailureKind.CONNECT, _file()),
    "503, then open": _changes(Reply(503), _file()),
    "429, then open": _changes(Reply(429, (("Retry-After", "1800"),)), _file()),
    "not sent, then open": _changes(FailureKind.LOCAL, _file()),
    "cut, then closed": _changes(Reply(200, (), OPEN, is_cut=True), _file(_CLOSED)),
    "wrong coding, then open": _changes(_file(OPEN, ("Content-Encoding", "gzip")), _file()),
    "open, then closed": _changes(_file(), _file(_CLOSED)),
    "closed, then open": _changes(_file(_CLOSED, ("Cache-Control", "max-age=600")), _file()),
    "open, then 503": _changes(_file(OPEN, ("Cache-Control", "max-age=600")), Reply(503)),
    "flaky": lambda site: lambda _: FailureKind.TIMEOUT if site.chance.random() < site.share else _file(),
    "redirects to itself": lambda site: lambda _: _redirect(f"{site.origin}/robots.txt"),
    "redirects to another path": lambda site: lambda _: _redirect(f"{site.origin}/a/robots.txt"),
    "redirects to another site": lambda site: lambda _: _redirect(f"{site.other}/robots.txt"),
    "redirects to nowhere": lambda _: lambda _: _redirect("https:"),
}


def default_origins(sites: int) -> list[str]:
    """Return the origins of sites with a host each."""
    return [f"https://site{number}.example" for number in range(sites)]


def make_site(number: int, origins: list[str], chance: random.Random, kind: str) -> Site:
    """Return a site.

    Args: origins: The origins of all sites.
    """
    origin, other = origins[number], origins[(number + 1) % len(origins)]
    until, share = chance.choice((60.0, 20 * 60.0, LONGEST_CHANGE)), chance.choice((0.2, 0.8))
    # Whether a robots.txt is delivered must not depend on how often other sites are asked.
    own_chance = random.Random(chance.random())
    return Site(
        origin,
        kind,
        KINDS[kind](_Circumstances(own_chance, origin, other, until, share)),
        chance.choice((0.0, 0.0, 0.3, 20.0)),
        chance.choice((1, 1, 3, 12)),
        chance.choice((0.0, 0.0, 0.3, 1.0)),
        chance.choice((None, None, 90)),
    )


class Delivery(NamedTuple):
    """What a process has learned of the robots.txt of an origin.

    Attributes:
        at: When, in true time.
        process: The process.
        robots: The file, or None if there is none and everything is allowed.
        other: The origin whose robots.txt counts instead, or None.
    """

    at: float
    process: Process | None
    robots: canfetch.RobotsTxt | None
    other: str | None = None


class Network:
    """All sites.

    Attributes:
        sites: The sites, by origin.
        delivered: What was delivered for each origin, in order. Failures are left out.
        failed: The origins that have failed to answer at least once.
        requests: The number of requests.

    Args:
        sites: The sites.
        now: Returns the true time.
        note: Called with each event.
    """

    def __init__(self, sites: list[Site], now: Callable[[], float], note: Callable[..., object]) -> None:
        self.sites = {site.origin: site for site in sites}
        self.delivered: dict[str, list[Delivery]] = {}
        self.failed: set[str] = set()
        self.requests = 0
        self._parsed: dict[bytes, canfetch.RobotsTxt] = {}
        self._now = now
        self._note = note

    def seconds(self, request: TransportRequest) -> float:
        """Count a request, and return how long its answer takes."""
        self.requests += 1
        self._note("request", request.url)
        site = self.sites.get(origin_of(request.url))
        return 0.0 if site is None else site.seconds

    def answer(self, request: TransportRequest) -> Response | Failure:
        """Answer a request for a robots.txt."""
        origin = origin_of(request.url)
        site = self.sites.get(origin)
        if site is None:
            answer: Answer = FailureKind.DNS
        elif request.url.endswith("/a/robots.txt"):
            answer = _file()
        else:
            answer = site.robots(self._now())
        self._note("answer", request.url, answer if isinstance(answer, FailureKind) else answer[0])
        if site is not None and site.seconds >= request.timeout:
            answer = FailureKind.TIMEOUT
        result = _receive(request, answer)
        self._learn(origin, result)
        return result

    def last_known(self, origin: str, depth: int = 0) -> Iterator[Delivery]:
        """Yield what may apply to an origin: the last delivery, and earlier ones if those after them are lost.

        What was delivered to a process that died may be lost, and what was delivered to another one may not be known.
        """
        for delivery in reversed(self.delivered.get(origin, ())):
            if delivery.other is not None and depth < 6:
                yield from self.last_known(delivery.other, depth + 1)
            else:
                yield delivery
            if delivery.process in (None, PROCESS.get()):
                return

    def _learn(self, origin: str, result: Response | Failure) -> None:
        if isinstance(result, Failure):
            if result.kind is not FailureKind.LOCAL:
                self.failed.add(origin)
            return
        if 300 <= result.status < 400:
            # The file of the target counts, which may fail.
            self.failed.add(origin)
            target = origin_of(result.header("location") or "")
            if target != origin:
                self._add(origin, None, target)
            elif (result.header("location") or "").endswith("/a/robots.txt"):
                return
            else:
                self._add(origin, None)
        elif 200 <= result.status < 300:
            robots = self._parsed.get(result.body)
            if robots is None:
                robots = self._parsed[result.body] = canfetch.parse(result.body)
            self._add(origin, robots)
        elif 400 <= result.status < 500 and result.status != 429:
            self._add(origin, None)
        else:
            self.failed.add(origin)

    def _add(self, origin: str, robots: canfetch.RobotsTxt | None, other: str | None = None) -> None:
        deliveries = self.delivered.setdefault(origin, [])
        deliveries.append(Delivery(self._now(), PROCESS.get(), robots, other))
        # Memory does not grow with the length of a crawl.
        del deliveries[:-20]


def _receive(request: TransportRequest, answer: Answer) -> Response | Failure:
    """Return what a transport makes of an answer."""
    if isinstance(answer, FailureKind):
        return Failure(request.url, answer, "scripted")
    if answer.is_cut:
        return Failure(request.url, FailureKind.INCOMPLETE, "scripted")
    try:
        return ResponseBuilder(request, answer.status, answer.headers).read(iter((answer.body,)))
    except TransportError as error:
        return Failure(request.url, error.kind, str(error))


def origin_of(url: str) -> str:
    """Return the origin of a URL."""
    return "/".join(url.split("/", 3)[:3])


class AsyncNetwork:
    """The transport of asynchronous clients."""

    def __init__(self, network: Network) -> None:
        self._network = network

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Answer a request."""
        await asyncio.sleep(min(self._network.seconds(request), request.timeout))
        return self._network.answer(request)

    async def close(self) -> None:
        """Do nothing."""


class BlockingNetwork:
    """The transport of synchronous clients.

    Args: sleep: Lets time pass.
    """

    def __init__(self, network: Network, sleep: Callable[[float], None]) -> None:
        self._network = network
        self._sleep = sleep

    def send(self, request: TransportRequest) -> Response | Failure:
        """Answer a request. A process may die while it waits.

        Raises: Killed.
        """
        process = PROCESS.get()
        if process is not None and not process.happens("step"):
            raise Killed
        self._sleep(min(self._network.seconds(request), request.timeout))
        if process is not None and not process.happens("step"):
            raise Killed
        return self._network.answer(request)

    def close(self) -> None:
        """Do nothing."""
