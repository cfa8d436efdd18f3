"""The interface of urllib.robotparser, for programs that import `RobotFileParser` from this module instead.

Source: CPython 3.11, Lib/urllib/robotparser.py.
"""

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from canfetch import __version__
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.crawl_delay import parse_crawl_delay
from canfetch.core.extensions.request_rate import parse_request_rate
from canfetch.core.groups import Group
from canfetch.core.text import display_text
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Effect
from canfetch.errors import InvalidURL
from canfetch.integrations.directly_below import values_directly_below
from canfetch.integrations.lenient_answers import LenientAnswers, agent_from
from canfetch.integrations.original_types import OriginalType, PicklableInstance
from canfetch.repository import default_user_agent

if TYPE_CHECKING:
    from canfetch.client.sync_client import Client

__all__ = ["RequestRate", "RobotFileParser"]


class _RequestRateFields(NamedTuple):
    requests: int
    seconds: int


class RequestRate(_RequestRateFields):
    """At most `requests` requests in `seconds` seconds."""

    __slots__ = ()
    __class__ = OriginalType("urllib.robotparser", "RequestRate")

    def __reduce__(self) -> tuple[object, ...]:
        return RequestRate, tuple(self)


class RuleLine(NamedTuple):
    """A rule. An empty disallow rule is shown as one that allows everything."""

    path: str
    allowance: bool

    def __str__(self) -> str:
        return f"{'Allow' if self.allowance else 'Disallow'}: {self.path}"


class Entry(NamedTuple):
    """User-agent lines with the rules and limits below them."""

    useragents: list[str]
    rulelines: list[RuleLine]
    delay: float | None
    req_rate: RequestRate | None

    def __str__(self) -> str:
        lines = [f"User-agent: {name}" for name in self.useragents]
        if self.delay is not None:
            lines.append(f"Crawl-delay: {self.delay}")
        if self.req_rate is not None:
            lines.append(f"Request-rate: {self.req_rate.requests}/{self.req_rate.seconds}")
        return "\n".join([*lines, *map(str, self.rulelines)])


def list_entries(robots: RobotsTxt) -> list[Entry]:
    """Return the groups of a file as entries, in file order.

    Cost: O(bytes of the file).
    """
    delays: dict[int, list[bytes]] = {}
    rates: dict[int, list[bytes]] = {}
    for record in robots.extensions:
        if record.group is not None and record.name in {"crawl-delay", "request-rate"}:
            values = delays if record.name == "crawl-delay" else rates
            values.setdefault(record.group, []).append(record.value)
    return [
        Entry(
            list(group.tokens),
            list(_rule_lines(group)),
            _read_delay(delays.get(index, ())),
            read_rate(rates.get(index, ())),
        )
        for index, group in enumerate(robots.groups)
    ]


def _read_delay(values: Iterable[bytes]) -> float | None:
    """Return the delay of several Crawl-delay records: the longest.

    A delay without a fraction is an int, as in urllib.robotparser.
    """
    delay = max((delay for delay in map(parse_crawl_delay, values) if delay is not None), default=None)
    return as_plain_number(delay)


def as_plain_number(delay: float | None) -> float | None:
    """Return a delay as an int if it has no fraction."""
    return int(delay) if delay is not None and delay.is_integer() else delay


def read_rate(values: Iterable[bytes]) -> RequestRate | None:
    """Return the rate of several Request-rate records: the slowest.

    Rates with a time of day are left out, because `RequestRate` has none.
    """
    rates = [rate for rate in map(parse_request_rate, values) if rate is not None and rate.window is None]
    slowest = max(rates, key=lambda rate: rate.interval, default=None)
    return None if slowest is None else RequestRate(slowest.requests, slowest.seconds)


def _rule_lines(group: Group) -> Iterator[RuleLine]:
    for rule in group.rules:
        yield RuleLine(display_text(rule.pattern), rule.allow or not rule.pattern)


class RobotFileParser(PicklableInstance):
    """A robots.txt parser with the interface of `urllib.robotparser.RobotFileParser`.

    Verdicts are those of `canfetch.parse`. User agents can be product tokens, whole User-Agent headers, or a
    `canfetch.Agent`.

    Attributes:
        url, host, path: The URL of the file, its host and its path.
        allow_all, disallow_all: Whether everything is allowed or disallowed, whatever the file contains. Callers may
            set them.
        last_checked: When the file was read, in seconds since the epoch, or 0. While it is 0, nothing may be fetched.
        robots: The file, for everything that urllib.robotparser does not have, such as `robots.decide`.

    Args:
        url: The URL of the robots.txt.
        profile: The parsing profile, a name in `canfetch.PROFILES`.
        client: The client that `read` uses. Default: a new client for each call of `read`.
    Raises: UnknownProfile.
    """

    __class__ = OriginalType("urllib.robotparser", "RobotFileParser")

    def __init__(self, url: str = "", *, profile: str = "rfc9309", client: "Client | None" = None) -> None:
        self._profile = profile
        self._client = client
        self.disallow_all = False
        self.allow_all = False
        self.last_checked: float = 0
        self.set_url(url)
        self._use(parse(b"", profile=profile))

    def mtime(self) -> float:
        """Return when the file was read, in seconds since the epoch, or 0."""
        return self.last_checked

    def modified(self) -> None:
        """Set the time when the file was read to the current time."""
        self.last_checked = time.time()

    def set_url(self, url: str) -> None:
        """Set the URL of the robots.txt. It is not fetched."""
        from urllib.parse import urlparse  # noqa: PLC0415 - many programs only parse

        self.url = url
        self.host, self.path = urlparse(url)[1:3]

    def read(self) -> None:
        """Fetch the robots.txt of the origin of `url`, and parse it.

        A network error raises no exception: it disallows everything, as the access policy of the client specifies.

        Raises: InvalidURL: `url` is not an absolute http or https URL; ClientClosed.
        """
        if self._client is not None:
            self._read_with(self._client)
            return
        from canfetch.client.sync_client import Client  # noqa: PLC0415 - many programs only parse

        with Client(user_agent=default_user_agent(__version__)) as client:
            self._read_with(client)

    def _read_with(self, client: "Client") -> None:
        access = client.access(self.url)
        self.allow_all = access.effect is Effect.FULL_ALLOW
        self.disallow_all = access.effect is Effect.FULL_DISALLOW
        if access.effect is Effect.CONDITIONAL_ALLOW:
            self._use(parse(client.robots(self.url).content, profile=self._profile))
            self.last_checked = time.time() if access.fetched_at is None else access.fetched_at

    def parse(self, lines: Iterable[str]) -> None:
        """Parse the lines of a robots.txt, with or without line ends. They replace what was parsed before.

        Args: lines: The lines. A str is the text of a whole file.
        Raises: TypeError: A line is not a str.
        Cost: O(characters).
        """
        text = lines if isinstance(lines, str) else "\n".join(line.rstrip("\r\n") for line in lines)
        self._use(parse(text, profile=self._profile))
        self.modified()

    def can_fetch(self, useragent: str | Agent, url: AnyURL) -> bool:
        """Return whether `useragent` may fetch `url`. Nothing may be fetched before the file is read or parsed.

        Raises: TypeError; ValueError: `url` cannot be split.
        Cost: As `RobotsTxt.allows`.
        """
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        if not self.last_checked:
            return False
        try:
            return self._answers.by_user_agent[useragent](url)
        except (KeyError, TypeError, InvalidURL):
            # Slow path: the user agent is new, or an argument is unusual or invalid.
            return self._answers.allows(url, useragent)

    def crawl_delay(self, useragent: str | Agent) -> float | None:
        """Return the Crawl-delay for `useragent` in seconds, or None. The longest of several counts.

        Raises: TypeError.
        """
        if not self.mtime():
            return None
        agent = agent_from(useragent)
        return as_plain_number(self.robots.crawl_delay(agent=agent))

    def request_rate(self, useragent: str | Agent) -> RequestRate | None:
        """Return the Request-rate directly below the user-agent lines for `useragent`, or None.

        The slowest of several counts.

        Raises: TypeError.
        """
        if not self.mtime():
            return None
        agent = agent_from(useragent)
        return read_rate(values_directly_below(self.robots, agent, "request-rate"))

    def site_maps(self) -> list[str] | None:
        """Return the values of the sitemap records in file order, or None if there are none."""
        return self.sitemaps or None

    @property
    def sitemaps(self) -> list[str]:
        """The values of the sitemap records in file order."""
        return list(self.robots.sitemaps)

    @property
    def entries(self) -> list[Entry]:
        """The groups of the file, without those for `*`.

        Cost: O(bytes of the file).
        """
        return [entry for entry in list_entries(self.robots) if "*" not in entry.useragents]

    @property
    def default_entry(self) -> Entry | None:
        """The first group for `*`, or None.

        Cost: O(bytes of the file).
        """
        return next((entry for entry in list_entries(self.robots) if "*" in entry.useragents), None)

    def __str__(self) -> str:
        default = self.default_entry
        return "\n\n".join(map(str, self.entries if default is None else [*self.entries, default]))

    def _use(self, robots: RobotsTxt) -> None:
        self.robots = robots
        self._answers = LenientAnswers(robots)
