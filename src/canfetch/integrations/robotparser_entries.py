"""What `str(parser)` and the attributes `entries` and `default_entry` of a `RobotFileParser` contain."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.crawl_delay import parse_crawl_delay
from canfetch.core.extensions.request_rate import parse_request_rate
from canfetch.core.groups import Group
from canfetch.core.text import display_text
from canfetch.integrations.original_types import OriginalType


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
