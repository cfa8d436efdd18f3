"""Reads access logs and counts what each crawler did."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from math import inf, isfinite
from typing import BinaryIO, Final, NamedTuple

from canfetch.agents import REGISTRY, Crawler, Registry
from canfetch.agents.identity import Identity, IdentityStatus, SignedRequest
from canfetch.agents.other_clients import declared_names, is_browser
from canfetch.agents.registry import names_to_look_up
from canfetch.core.agent import Agent
from canfetch.core.text import display_text
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidOption, InvalidProductToken
from canfetch.logs.activity import DEFAULT_GRACE, Activity, Shared
from canfetch.logs.bounded_memory import Recent, SignatureCounts
from canfetch.logs.formats import LogFormat, create_format, detect_format
from canfetch.logs.history import RobotsHistory
from canfetch.logs.log_blocks import Block, Row, read_blocks
from canfetch.logs.report import BadLine, CrawlerReport, LogReport

ADDRESS_LIMIT: Final = 200_000
# The rows up to which names that clients make up get one. Names that only a robots.txt has get one up to twice as many.
CRAWLER_LIMIT: Final = 2_000
_BAD_LINES_SHOWN: Final = 10
_BAD_LINE_BYTES: Final = 120
# The headers whose crawlers are remembered.
_USER_AGENTS: Final = 10_000
_LONGEST_REMEMBERED_BYTES: Final = 512
_IDENTITIES: Final = 50_000
# The hosts for which it is remembered whether they are counted.
_HOSTS: Final = 10_000
# Parts of User-Agent headers of programs that declare to be crawlers.
_DECLARATIONS: Final = ("bot", "crawl", "spider", "fetcher", "scrap", "archiver", "+http")
_TOO_MANY: Final = "(others)"
# How logs write that a request has no User-Agent header.
_NAMELESS: Final = (b"", b"-")

Identify = Callable[[Crawler, str], Identity]
"""Whether a client address is the crawler's, such as `IdentityVerifier().verify`."""
IdentifySigned = Callable[[SignedRequest, Crawler | None, str, float], Identity]
"""Who sent a signed request, such as `IdentityVerifier(signatures=...).verify_recorded`."""
# A busy server logs many lines a second, so most times are found here.
_TIMES_LIMIT: Final = 50_000
_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"), start=1
    )
}
# The units of numbers without one. A number of seconds with this size is in the year 5138.
_LARGEST_SECONDS: Final = 1e11
_LARGEST_NUMBER: Final = 1e21


class _Declared(NamedTuple):
    """The crawler that a User-Agent header declares.

    Attributes:
        crawler: Its entry in the registry, or None.
        is_named: Whether only a robots.txt names it.
    """

    name: str
    crawler: Crawler | None
    agent: Agent
    is_named: bool = False


class _Sender(NamedTuple):
    """What is known about a User-Agent header.

    Attributes:
        declared: The crawler that it declares.
        add: Counts a request, or None if that depends on the address.
    """

    declared: _Declared
    add: Callable[[bytes, float, bytes, bytes, bytes], bool] | None


class LogTimes:
    """Reads the times of a log, and remembers the last ones."""

    __slots__ = ("_cache",)

    def __init__(self) -> None:
        self._cache: dict[bytes, float | None] = {}

    def read(self, text: bytes) -> float | None:
        """Return Unix seconds, or None if `text` is not a time.

        Args: text: `22/Nov/2026:12:00:00 +0000`, a time of ISO 8601, or a Unix time in seconds, milliseconds,
            microseconds or nanoseconds. A time without a zone is UTC.
        Cost: A dictionary lookup if the time was read before.
        """
        try:
            return self._cache[text]
        except KeyError:
            pass
        if len(self._cache) >= _TIMES_LIMIT:
            self._cache.clear()
        seconds = self._cache[text] = _read_time(text)
        return seconds


def _read_time(text: bytes) -> float | None:
    try:
        if text[2:3] == b"/":
            return _read_common_time(text)
        if text[4:5] == b"-":
            moment = datetime.fromisoformat(text.decode("ascii"))
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        return _read_unix_time(text)
    except (ValueError, KeyError, OverflowError):
        return None


def _read_common_time(text: bytes) -> float:
    """Read the time of the common log format."""
    zone = text[21:26]
    if len(text) != len(b"22/Nov/2026:12:00:00 +0000") or zone[:1] not in (b"+", b"-"):
        raise ValueError
    moment = datetime(
        int(text[7:11]),
        _MONTHS[text[3:6]],
        int(text[:2]),
        int(text[12:14]),
        int(text[15:17]),
        # A leap second.
        min(int(text[18:20]), 59),
        tzinfo=UTC,
    )
    offset = int(zone[1:3]) * 3600 + int(zone[3:]) * 60
    return moment.timestamp() - (offset if zone[:1] == b"+" else -offset)


def _read_unix_time(text: bytes) -> float:
    number = float(text)
    if not isfinite(number) or not 0 <= number < _LARGEST_NUMBER:
        raise ValueError
    while number >= _LARGEST_SECONDS:
        number /= 1000
    return number


class LogAnalysis:
    """Counts the requests of crawlers in one or more logs.

    Args:
        history: The versions of the robots.txt.
        registry: The known crawlers.
        identify: Verifies the addresses of crawlers. By default, none is verified.
        identify_signed: Verifies requests whose signature a log in JSON has. By default, none is verified.
        grace: For how many seconds after a change crawlers may use the previous robots.txt.
        includes_host: Whether requests for a host, as the log has it, are counted. By default, all are. Requests
            in logs without hosts are always counted.
    Raises: InvalidOption: `grace` is negative or not finite.
    """

    def __init__(
        self,
        history: RobotsHistory,
        *,
        registry: Registry = REGISTRY,
        identify: Identify | None = None,
        identify_signed: IdentifySigned | None = None,
        grace: float = DEFAULT_GRACE,
        includes_host: Callable[[str], bool] | None = None,
    ) -> None:
        if not 0 <= grace < inf:
            raise InvalidOption(f"invalid grace {grace}: expected a number of seconds, 0 or more")
        self._registry = registry
        self._identify = identify
        self._identify_signed = identify_signed
        self._tokens = history.named_tokens()
        self._shared = Shared(history, grace=grace, addresses=ADDRESS_LIMIT)
        # None for headers that declare no crawler.
        self._senders: dict[bytes, _Sender | None] = {}
        self._identities: Recent[tuple[str, bytes], IdentityStatus] = Recent(_IDENTITIES)
        self._activities: dict[tuple[str, IdentityStatus | None], tuple[_Declared, Activity]] = {}
        self._includes_host = includes_host
        # Whether requests for a host are counted, for the last hosts.
        self._hosts: dict[bytes, bool] = {b"": True}
        self._times = LogTimes()
        self._other_hosts = 0
        self._lines = self._others = self._nameless = self._unusable = self._bad = 0
        self._first_bad: list[BadLine] = []
        self._first, self._last = inf, -inf
        self._truncated = False
        self._signed = 0
        self._other_signatures = SignatureCounts()

    def add_log(
        self,
        stream: BinaryIO,
        *,
        name: str = "",
        format: str | None = None,  # noqa: A002 - the common name
        fields: Mapping[str, str] | None = None,
        advance: Callable[[], None] | None = None,
    ) -> None:
        """Read a log to its end and count its requests.

        Args:
            stream: The log, which may be compressed with gzip or zstd.
            name: What it is called in messages.
            format: One of `LOG_FORMATS`. By default, it is detected from the first lines that have one.
            fields: The names of the fields of JSON, by `JSON_FIELDS`.
            advance: Called after each block of lines.
        Raises: InvalidOption: `format` or `fields` is invalid. OSError: The log cannot be read to its end; what was
            read before is counted. MissingExtra: No library for zstd is installed.
        Cost: O(bytes), in bounded memory.
        """
        detected = "json" if format is None and fields else format
        # Without a format, each line is a bad line.
        log_format = create_format(detected or "combined", fields)
        number = 1
        for block in read_blocks(stream):
            if detected is None:
                detected = detect_format(block.lines)
                log_format = create_format(detected or "combined")
            number += self._add_block(block, log_format, name, number)
            if advance is not None:
                advance()

    def report(self) -> LogReport:
        """Return what was counted so far."""
        reports: list[CrawlerReport] = []
        for (_, identity), (declared, activity) in self._activities.items():
            crawler = declared.crawler
            counted = activity.report(
                declared.name,
                "" if crawler is None else crawler.operator,
                () if crawler is None else crawler.purposes,
                identity,
            )
            if counted is not None:
                reports.append(counted)
        reports.sort(key=lambda report: (-report.requests, report.name.lower(), report.identity or ""))
        has_requests = self._first != inf
        return LogReport(
            crawlers=tuple(reports),
            crawler_requests=sum(report.requests for report in reports),
            lines=self._lines,
            other_requests=self._others,
            unusable_requests=self._unusable,
            bad_lines=self._bad,
            first_bad_lines=tuple(self._first_bad),
            first=self._first if has_requests else None,
            last=self._last if has_requests else None,
            truncated=self._truncated,
            other_host_requests=self._other_hosts,
            nameless_requests=self._nameless,
            signed_requests=self._signed,
            other_signatures=self._other_signatures.report(),
            addresses_truncated=self._shared.addresses_truncated,
        )

    def _add_block(self, block: Block, log_format: LogFormat, name: str, first: int) -> int:
        """Count the requests of a block, and return the number of its lines.

        Args: first: The number of the first line.
        """
        if block.too_long:
            self._lines += 1
            self._add_bad_line(name, first, block.lines)
            return 1
        senders = self._senders
        includes_host = None if self._includes_host is None else self._is_included
        blank = others = nameless = 0
        rows: list[Row] = log_format.rows(block.lines)
        at: float | None = None
        previous = b""
        for index, (host, client, when, target, status, user_agent, bad, signed) in enumerate(rows):
            # Most lines have the time of the line before.
            if when != previous:
                at, previous = self._read_time(when), when
            if at is None:
                if when or bad:
                    self._add_bad_line(name, first + index, bad or b"invalid time: " + when)
                else:
                    blank += 1
                continue
            if includes_host is not None and not includes_host(_target_host(target) or host):
                self._other_hosts += 1
                continue
            try:
                sender = senders[user_agent]
            except KeyError:
                sender = self._add_sender(user_agent)
            add = signed and self._find_signed(sender, client, signed, at)
            if sender is None:
                others += 1
                nameless += user_agent in _NAMELESS
                continue
            add = add or sender.add or self._find_activity(sender.declared, client).add
            if not (target and add(client, at, target, host, status)):
                self._unusable += 1
        self._lines += len(rows) - blank
        self._others += others
        self._nameless += nameless
        return len(rows)

    def _is_included(self, host: bytes) -> bool:
        known = self._hosts.get(host)
        if known is None:
            assert self._includes_host is not None
            if len(self._hosts) >= _HOSTS:
                self._hosts = {b"": True}
            known = self._hosts[host] = self._includes_host(display_text(host))
        return known

    def _read_time(self, when: bytes) -> float | None:
        at = self._times.read(when) if when else None
        if at is not None:
            if self._shared.log_start is None:
                self._shared.log_start = at
            # Not with min() and max(), whose calls take longer.
            if at > self._last:  # noqa: PLR1730
                self._last = at
            if at < self._first:  # noqa: PLR1730
                self._first = at
        return at

    def _add_bad_line(self, name: str, number: int, line: bytes) -> None:
        self._bad += 1
        if len(self._first_bad) < _BAD_LINES_SHOWN:
            self._first_bad.append(BadLine(name, number, display_text(line[:_BAD_LINE_BYTES])))

    def _add_sender(self, user_agent: bytes) -> _Sender | None:
        declared = self._find_declared(user_agent)
        sender = None
        if declared is not None:
            is_one_activity = self._identify is None or declared.crawler is None
            sender = _Sender(declared, self._activity(declared, None).add if is_one_activity else None)
        if len(user_agent) <= _LONGEST_REMEMBERED_BYTES:
            if len(self._senders) >= _USER_AGENTS:
                self._senders.clear()
            self._senders[user_agent] = sender
        return sender

    def _find_declared(self, user_agent: bytes) -> _Declared | None:
        # Not as it is displayed: in `Foo%09ExampleBot`, the escape of the tab would be part of a name.
        header = user_agent.decode("utf-8", "surrogateescape")
        crawler = self._registry.find_crawler(header)
        if crawler is not None:
            return _Declared(crawler.name, crawler, crawler.agent)
        named = self._find_named(header) if self._tokens else None
        if named is not None:
            return _Declared(named, None, Agent(named), is_named=True)
        # The name is displayed.
        displayed = display_text(user_agent.replace(b"\t", b" "))
        lower = displayed.lower()
        if not any(part in lower for part in _DECLARATIONS):
            return None
        try:
            name = product_token(displayed)
        except InvalidProductToken:
            return None
        if not _is_declared(lower, name.lower()):
            return None
        return _Declared(name, None, Agent(name))

    def _find_named(self, user_agent: str) -> str | None:
        """Return the token of the robots.txt that a header declares, or None."""
        # Few headers have one, and each word costs less here than in `declared_names`.
        if self._tokens.keys().isdisjoint(names_to_look_up(user_agent)):
            return None
        found = next(filter(self._tokens.__contains__, declared_names(user_agent)), None)
        return None if found is None else self._tokens[found]

    def _find_activity(self, declared: _Declared, client: bytes) -> Activity:
        key = (declared.name, client)
        identity = self._identities.get(key)
        if identity is None:
            assert self._identify is not None
            assert declared.crawler is not None
            identity = self._identify(declared.crawler, display_text(client)).status
            self._identities.set(key, identity)
        return self._activity(declared, identity)

    def _find_signed(
        self, sender: _Sender | None, client: bytes, request: SignedRequest, at: float
    ) -> Callable[[bytes, float, bytes, bytes, bytes], bool] | None:
        self._signed += 1
        if self._identify_signed is None:
            return None
        crawler = None if sender is None else sender.declared.crawler
        status, _, signature = self._identify_signed(request, crawler, display_text(client), at)
        if sender is None:
            self._other_signatures.add(signature)
            return None
        declared = sender.declared
        is_decided = declared.crawler is not None and (self._identify is not None or status != IdentityStatus.UNDECIDED)
        activity = self._activity(declared, status if is_decided else None)
        activity.signatures.add(signature)
        return activity.add

    def _activity(self, declared: _Declared, identity: IdentityStatus | None) -> Activity:
        found = self._activities.get((declared.name, identity))
        limit = 2 * CRAWLER_LIMIT if declared.is_named else CRAWLER_LIMIT
        if found is None and len(self._activities) >= limit and declared.crawler is None:
            self._truncated = True
            declared = _Declared(_TOO_MANY, None, Agent("*"))
            found = self._activities.get((_TOO_MANY, identity))
        if found is None:
            found = self._activities[declared.name, identity] = (declared, Activity(declared.agent, self._shared))
        return found[1]


def _target_host(target: bytes) -> bytes:
    """Return the host of a target that is a URL, as requests to a proxy have it, or nothing."""
    if target[:4].lower() != b"http" or b"://" not in target[:8]:
        return b""
    return target.partition(b"://")[2].partition(b"/")[0].rpartition(b"@")[2]


def _is_declared(user_agent: str, name: str) -> bool:
    """Return whether a header in lower case declares a crawler with a name. A browser may be on a CUBOT phone."""
    if not user_agent.startswith("mozilla/") or "compatible" in user_agent or "+http" in user_agent:
        return True
    return any(part in name for part in _DECLARATIONS) and not is_browser(user_agent, [name])


def analyze(
    logs: Iterable[BinaryIO],
    history: RobotsHistory,
    *,
    registry: Registry = REGISTRY,
    identify: Identify | None = None,
    grace: float = DEFAULT_GRACE,
    format: str | None = None,  # noqa: A002 - the common name
    fields: Mapping[str, str] | None = None,
) -> LogReport:
    """Read access logs and report what each crawler did.

    Args:
        logs: The logs, open for reading bytes. They may be compressed with gzip or zstd.
        history: The versions of the robots.txt, such as `RobotsHistory.from_file(robots)`.
        registry: The known crawlers.
        identify: Verifies the addresses of crawlers. By default, no address is verified.
        grace: For how many seconds after a change crawlers may use the previous robots.txt.
        format: One of `LOG_FORMATS`. By default, it is detected for each log from its first lines.
        fields: The names of the fields of JSON, by `JSON_FIELDS`.
    Raises: InvalidOption: `grace`, `format` or `fields` is invalid. OSError: A log cannot be read to its end.
        MissingExtra: No library for zstd is installed.
    Cost: O(bytes), in bounded memory.
    """
    analysis = LogAnalysis(history, registry=registry, identify=identify, grace=grace)
    for log in logs:
        analysis.add_log(log, name=str(getattr(log, "name", "")), format=format, fields=fields)
    return analysis.report()
