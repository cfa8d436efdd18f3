"""What `str(parser)` and the attributes `entries` and `default_entry` of a `RobotFileParser` contain."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.crawl_delay import parse_crawl_delay
from canfetch.core.extensions.request_rate import parse_request_rate
from canfetch.core.groups import Group
from canfetch.core.profiles import Profile
from canfetch.core.text import display_text
from canfetch.core.verdict import Rule
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


def list_entries(robots: RobotsTxt, profile: Profile) -> list[Entry]:
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
            list(_rule_lines(group, profile)),
            read_delay(delays.get(index, ()), profile),
            read_rate(rates.get(index, ()), profile),
        )
        for index, group in enumerate(robots.groups)
    ]


def read_delay(values: Iterable[bytes], profile: Profile) -> float | None:
    """Return the delay of several Crawl-delay records: the last integer for robotparser, or else the longest.

    A delay without a fraction is an int, as in urllib.robotparser.
    """
    if profile.robotparser:
        return next((int(value) for value in reversed([*map(display_text, values)]) if value.isdecimal()), None)
    delay = max((delay for delay in map(parse_crawl_delay, values) if delay is not None), default=None)
    return as_plain_number(delay)


def as_plain_number(delay: float | None) -> float | None:
    """Return a delay as an int if it has no fraction."""
    return int(delay) if delay is not None and delay.is_integer() else delay


def read_rate(values: Iterable[bytes], profile: Profile) -> RequestRate | None:
    """Return the rate of several Request-rate records: the last one for robotparser, or else the slowest.

    Rates with a time of day are left out, because `RequestRate` has none.
    """
    if profile.robotparser:
        pairs = [[part.strip() for part in display_text(value).split("/")] for value in values]
        valid = [pair for pair in pairs if len(pair) == 2 and all(map(str.isdecimal, pair))]
        return RequestRate(int(valid[-1][0]), int(valid[-1][1])) if valid else None
    rates = [rate for rate in map(parse_request_rate, values) if rate is not None and rate.window is None]
    slowest = max(rates, key=lambda rate: rate.interval, default=None)
    return None if slowest is None else RequestRate(slowest.requests, slowest.seconds)


def _rule_lines(group: Group, profile: Profile) -> Iterator[RuleLine]:
    for rule in group.rules:
        path = _path(rule, profile)
        if path is not None:
            yield RuleLine(path, rule.allow or not rule.pattern)


def _path(rule: Rule, profile: Profile) -> str | None:
    written = display_text(rule.pattern)
    if not profile.robotparser:
        return written
    from canfetch.core.reference.robotparser.paths import old_path, rewritten_path  # noqa: PLC0415 - rarely needed

    path = (rewritten_path if profile.robotparser_rewritten else old_path)(written)
    return None if path is None else "*".join(path.parts) + "$" * path.anchored
