"""What crawlers did, beside what the rules allow: access logs of the site, and skip reports of crawls.

A log shows what was requested with the name of a crawler, and a skip report what a crawl did not request. Logs are
analysed as by `canfetch logs`. Both are read once, and memory does not grow with their size.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO, Final, NamedTuple

from canfetch.agents.identity import IdentityStatus
from canfetch.agents.requested import requested_agent
from canfetch.audit.findings import AuditFinding, AuditKind, finding
from canfetch.audit.report import LogRecords, SkipRecords
from canfetch.audit.served import ServedFile
from canfetch.client.skip_report import DamagedLine, SkippedPage, SkipReason, read_skip_report
from canfetch.core.agent import Agent
from canfetch.core.document import parse
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.text import counted, display_text
from canfetch.core.times import rfc3339
from canfetch.core.urls import split_url, url_bytes
from canfetch.errors import CanfetchError, InvalidURL
from canfetch.lint.severity import Severity
from canfetch.logs import CrawlerReport, LogAnalysis, LogReport, RobotsHistory
from canfetch.logs.activity import DEFAULT_GRACE
from canfetch.logs.analysis import Identify, IdentifySigned
from canfetch.logs.log_blocks import decompressed

BROWSERTRIX: Final = "Browsertrix"
"""The product token for which Browsertrix reads robots.txt, unless `--robotsAgent` sets another one."""
_MAX_GROUPS: Final = 1_000
_MAX_AGENTS: Final = 1_000
_OTHERS: Final = "(others)"
_MAX_PROBLEMS: Final = 3
_MAX_EXPLANATION: Final = 500
_WHO: Final = {
    IdentityStatus.VERIFIED: "{} (verified)",
    IdentityStatus.IMPOSTOR: "an impostor with the name {}",
    IdentityStatus.UNDECIDED: "{} (by name, not verified)",
}


class CrawlRecords(NamedTuple):
    """Records of crawls, which an audit compares with the rules of the site.

    Attributes:
        logs: Access logs, open for reading bytes, with the names in their attribute `name`.
        skip_reports: Skip reports of canfetch or Browsertrix, in the same form.
        history: The versions of the robots.txt with which logs are compared. By default, the served file.
        identify: Verifies the addresses of crawlers, as for `canfetch.logs.analyze`. By default, none is verified.
        identify_signed: Verifies signed requests of logs in JSON, as for `LogAnalysis`. By default, none is verified.
        log_format: The format of the logs. By default, it is detected.
        fields: The names of the fields of logs in JSON.
        skip_agent: The product token of crawls whose report does not name one, as that of Browsertrix.
    """

    logs: tuple[BinaryIO, ...] = ()
    skip_reports: tuple[BinaryIO, ...] = ()
    history: RobotsHistory | None = None
    identify: Identify | None = None
    identify_signed: IdentifySigned | None = None
    log_format: str | None = None
    fields: Mapping[str, str] | None = None
    skip_agent: str = BROWSERTRIX


class CrawlsCheck:
    """Compares the records of crawls with the rules of a site.

    Args:
        records: The records.
        origin: The origin of the site.
        hosts: Further addresses of the site, for which a log may have requests.
        served: Its robots.txt.
        now: When the audit started, in seconds since the epoch.

    Attributes:
        logs: What was read of the logs, after `findings`, or None without logs.
        skips: What was read of the skip reports, after `findings`, or None without skip reports.
    """

    def __init__(
        self, records: CrawlRecords, origin: Origin, hosts: Iterable[Origin], served: ServedFile, now: float
    ) -> None:
        self.logs: LogRecords | None = None
        self.skips: SkipRecords | None = None
        self._records = records
        self._origin = origin
        self._addresses = (origin, *hosts)
        self._served = served
        self._now = now

    def findings(self) -> Iterator[AuditFinding]:
        """Read all records, and yield what they show.

        Raises: InvalidOption: The format or the fields of the logs are invalid. MissingExtra: No library for zstd is
            installed.
        Cost: O(bytes), in bounded memory.
        """
        if self._records.logs:
            yield from self._log_findings()
        if self._records.skip_reports:
            yield from self._skip_findings()

    def _log_findings(self) -> Iterator[AuditFinding]:
        records, robots = self._records, self._served.robots
        history = records.history
        if history is None:
            # Without rules of today, no request can be judged. A file with a URL decides about no other address.
            file = None if robots is None else parse(robots.content, profile=robots.profile, max_bytes=robots.max_bytes)
            history = RobotsHistory() if file is None else RobotsHistory.from_file(file)
        # A log without hosts is taken for one of the site.
        history = history.with_host(str(self._origin).partition("://")[2])
        analysis = LogAnalysis(
            history,
            identify=records.identify,
            identify_signed=records.identify_signed,
            grace=DEFAULT_GRACE,
            includes_host=_host_check(self._addresses),
        )
        is_cut = False
        report = analysis.report()
        for log in records.logs:
            name = _name(log)
            try:
                analysis.add_log(log, name=name, format=records.log_format, fields=records.fields)
            except OSError as error:
                is_cut = True
                message = f"{name} cannot be read to its end: {error.strerror or error}"
                yield finding(AuditKind.RECORDS_DAMAGED, message)
            before, report = report, analysis.report()
            yield from _unnamed_finding(name, before, report)
        rules = "today's robots.txt" if records.history is None else "the robots.txt of that time"
        self.logs = _log_records(report, len(records.logs), is_by_history=records.history is not None)
        yield from _damaged_log_findings(report, self._origin, is_cut=is_cut)
        if records.history is not None and self.logs.not_judged:
            number, total = self.logs.not_judged, counted(self.logs.crawler_requests, "request")
            message = f"{number:,} of {total} of crawlers were made when no rules of --history are known"
            severity = Severity.WARNING if number == self.logs.crawler_requests else None
            yield finding(AuditKind.RULES_UNKNOWN, message, severity=severity)
        readers = {one.name for one in report.crawlers if one.robots_txt_requests and not _is_impostor(one)}
        for crawler in report.crawlers:
            yield from self._crawler_findings(crawler, rules)
            if crawler.name not in readers and not _is_impostor(crawler):
                yield _unread_finding(crawler, self._origin)

    def _crawler_findings(self, crawler: CrawlerReport, rules: str) -> Iterator[AuditFinding]:
        who, total = _who(crawler), counted(crawler.requests, "request")
        if crawler.disallowed_requests:
            target, line = crawler.examples[0]
            when = _period(crawler.first_disallowed, crawler.last_disallowed)
            message = f"{who}: {crawler.disallowed_requests:,} of {total} for URLs that {rules} disallows, {when}"
            # The line is one of the file of that time.
            text = crawler.first_line_text or ""
            yield finding(AuditKind.CRAWLER_DISOBEYS, message, url=_url(self._origin, target), line=line, text=text)
        # A network should refuse impostors.
        if crawler.refused_requests and not _is_impostor(crawler):
            target, status = crawler.refused_examples[0]
            when = _period(crawler.first_refused, crawler.last_refused)
            message = f"{who}: {crawler.refused_requests:,} of {total} refused, for URLs that {rules} allows, {when}"
            yield finding(AuditKind.CRAWLER_REFUSED, message, url=_url(self._origin, target), status=status)

    def _skip_findings(self) -> Iterator[AuditFinding]:
        groups = _SkipGroups(self._records.skip_agent)
        counts = dict.fromkeys(SkipRecords._fields, 0)
        counts["number"] = len(self._records.skip_reports)
        for stream in self._records.skip_reports:
            yield from self._read_skips(stream, groups, counts)
        self.skips = SkipRecords(**counts)
        yield from groups.findings()

    def _read_skips(self, stream: BinaryIO, groups: "_SkipGroups", counts: dict[str, int]) -> Iterator[AuditFinding]:
        name = _name(stream)
        pages = others = 0
        is_whole = True
        damaged: list[DamagedLine] = []
        number_damaged = 0
        try:
            opened = decompressed(stream)
            if not opened.peek(1):
                yield finding(AuditKind.RECORDS_DAMAGED, f"{name} is empty: a skip report has a header")
            for page in read_skip_report(opened):
                if isinstance(page, DamagedLine):
                    number_damaged += 1
                    if len(damaged) < _MAX_PROBLEMS:
                        damaged.append(page)
                else:
                    pages += 1
                    result = self._judge(page, groups)
                    counts[result] += 1
                    others += result == "other_origins"
        except OSError as error:
            is_whole = False
            yield finding(AuditKind.RECORDS_DAMAGED, f"{name} cannot be read to its end: {error.strerror or error}")
        counts["skips"] += pages
        counts["damaged_lines"] += number_damaged
        if number_damaged:
            lines = "; ".join(f"line {one.line}, {one.problem}" for one in damaged)
            number = counted(number_damaged, "line")
            what = f"{number} of {name} cannot be read" if pages else f"{name} is not a skip report"
            yield finding(AuditKind.RECORDS_DAMAGED, f"{what}: {lines}")
        if others and others == pages and is_whole:
            message = f"{name} has no URL of {self._origin}, and {others:,} of other sites"
            yield finding(AuditKind.RECORDS_DAMAGED, message)

    def _judge(self, page: SkippedPage, groups: "_SkipGroups") -> str:
        """Compare a skipped URL with the rules of today, and return what it is counted as."""
        if page.is_cut or self._served.robots is None:
            return "not_judged"
        try:
            if Origin.from_url(page.url) != self._origin:
                return "other_origins"
            agent, names = groups.find_agent(page.agent)
            verdict = self._served.state.decide(page.url, agent, self._now)
        except CanfetchError:
            # An invalid URL, or a name that no group can have.
            return "not_judged"
        is_by_rules = page.reason == SkipReason.ROBOTS_TXT
        if is_by_rules is not verdict.allowed:
            return "agreeing"
        kind = AuditKind.SKIPPED_ALLOWED if is_by_rules else AuditKind.SKIPPED_DISALLOWED
        groups.add(kind, names, page, verdict.line)
        return "differing"


class _Group:
    """Skips of one crawl for one reason that the rules of today do not explain."""

    __slots__ = ("first", "last", "line", "number", "page")

    def __init__(self, page: SkippedPage, line: int | None) -> None:
        self.page = page
        self.line = line
        self.number = 0
        self.first: float | None = None
        self.last: float | None = None

    def add(self, at: float | None) -> None:
        self.number += 1
        if at is not None:
            self.first = at if self.first is None else min(self.first, at)
            self.last = at if self.last is None else max(self.last, at)


class _SkipGroups:
    """The skips that differ from the rules of today, by kind, agent and reason.

    Args: default: The product token of pages without one.
    """

    def __init__(self, default: str) -> None:
        self._default = default
        self._agents: dict[str | None, tuple[Agent, str]] = {}
        self._groups: dict[tuple[AuditKind, str, str], _Group] = {}

    def find_agent(self, names: str | None) -> tuple[Agent, str]:
        """Return the agent of a page, and its name for messages.

        Raises: InvalidProductToken.
        """
        known = self._agents.get(names)
        if known is None:
            if len(self._agents) >= _MAX_AGENTS:
                self._agents.clear()
            known = self._agents[names] = self._parse_agent(names)
        return known

    def _parse_agent(self, names: str | None) -> tuple[Agent, str]:
        if names is None:
            name = f"a crawl without a name (taken for {self._default})"
            return requested_agent(self._default).agent, name
        # canfetch writes the tokens that it decided for.
        tokens = names.split(" ")
        return Agent(tokens), ", ".join(tokens)

    def add(self, kind: AuditKind, names: str, page: SkippedPage, line: int | None) -> None:
        """Count a skip."""
        key = (kind, names, page.reason)
        if key not in self._groups and len(self._groups) >= _MAX_GROUPS:
            key = (kind, _OTHERS, "")
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(page, line)
        group.add(page.at)

    def findings(self) -> Iterator[AuditFinding]:
        """Yield a finding for each group."""
        for (kind, names, reason), group in self._groups.items():
            then = group.page.explanation if kind is AuditKind.SKIPPED_ALLOWED else None
            message = f"{names}: {counted(group.number, 'skip')}"
            message += f" with the reason {quoted(reason)}" if reason else " with other reasons"
            message += f", {_period(group.first, group.last)}"
            message += "" if then is None else f"; the first one because of: {then[:_MAX_EXPLANATION]}"
            yield finding(kind, message, url=group.page.url, line=group.line)


def _host_check(addresses: Sequence[Origin]) -> Callable[[str], bool]:
    """Return whether a host of a log, with or without a port, is that of an address of the site."""
    names = {one.host for one in addresses}
    ports = {(one.host, one.port) for one in addresses}

    def is_own(host: str) -> bool:
        try:
            found = Origin.from_url(f"{addresses[0].scheme}://{host}")
        except InvalidURL:
            return False
        has_port = ":" in host.rpartition("]")[2]
        return (found.host, found.port) in ports if has_port else found.host in names

    return is_own


def _log_records(report: LogReport, number: int, *, is_by_history: bool) -> LogRecords:
    return LogRecords(
        number=number,
        lines=report.lines,
        bad_lines=report.bad_lines,
        crawlers=len({crawler.name for crawler in report.crawlers}),
        crawler_requests=report.crawler_requests,
        other_requests=report.other_requests,
        other_host_requests=report.other_host_requests,
        first=report.first,
        last=report.last,
        by_history=is_by_history,
        unusable_requests=report.unusable_requests,
        not_judged=report.crawler_requests - sum(crawler.judged_requests for crawler in report.crawlers),
    )


def _unnamed_finding(name: str, before: LogReport, after: LogReport) -> Iterator[AuditFinding]:
    """Yield that a log has no User-Agent headers. Single requests never have one."""
    requests = after.crawler_requests + after.other_requests + after.unusable_requests
    requests -= before.crawler_requests + before.other_requests + before.unusable_requests
    if requests and after.nameless_requests - before.nameless_requests == requests:
        message = f"{name}: none of {counted(requests, 'request')} has a User-Agent header"
        yield finding(AuditKind.CLIENTS_UNNAMED, message)


def _damaged_log_findings(report: LogReport, origin: Origin, *, is_cut: bool) -> Iterator[AuditFinding]:
    if not report.lines and not is_cut:
        yield finding(AuditKind.RECORDS_DAMAGED, "the logs have no lines")
    if report.bad_lines:
        lines = "; ".join(f"{bad.file}, line {bad.line}" for bad in report.first_bad_lines[:_MAX_PROBLEMS])
        what = "no line is one of an access log" if report.bad_lines == report.lines else "lines cannot be read"
        yield finding(AuditKind.RECORDS_DAMAGED, f"{what}, {report.bad_lines:,} of {report.lines:,}: {lines}")
    if report.other_host_requests and report.other_host_requests == report.lines - report.bad_lines:
        message = f"the logs have no request for {origin.host}, and {report.other_host_requests:,} for other hosts"
        yield finding(AuditKind.RECORDS_DAMAGED, message)


def _unread_finding(crawler: CrawlerReport, origin: Origin) -> AuditFinding:
    requests = counted(crawler.requests, "request")
    message = f"{_who(crawler)}: {requests}, {_period(crawler.first, crawler.last)}, and none for robots.txt"
    if not crawler.unchecked_requests:
        message += "; the logs start less than a day before, so it may know the file from earlier"
    return finding(AuditKind.CRAWLER_UNREAD, message, url=origin.robots_url)


def _is_impostor(crawler: CrawlerReport) -> bool:
    return crawler.identity is IdentityStatus.IMPOSTOR


def _who(crawler: CrawlerReport) -> str:
    return _WHO[crawler.identity or IdentityStatus.UNDECIDED].format(crawler.name)


def _period(first: float | None, last: float | None) -> str:
    if first is None or last is None:
        return "at an unknown time"
    return f"at {rfc3339(first)}" if first == last else f"from {rfc3339(first)} to {rfc3339(last)}"


def _url(origin: Origin, target: str) -> str:
    """Return the URL of a target on the site, which may be a URL of another address of the site."""
    encoded = url_bytes(target)
    split = None if target.startswith("/") else split_url(encoded)
    path = target if split is None else display_text(encoded[split.rest_start :])
    return f"{origin}{path}" if path.startswith("/") else f"{origin}/{path}"


def _name(stream: BinaryIO) -> str:
    name = getattr(stream, "name", "")
    return quoted(name) if isinstance(name, str) and name else "a stream"
