"""What an audit of one origin finds, as values with one JSON form.

The JSON form is stable: within one `schema`, keys are added but never renamed. The reports for people are made from it,
so that a report that was written to a file can be shown later.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from canfetch.audit.findings import AuditFinding, AuditKind
from canfetch.consent.verdict import UseVerdict
from canfetch.core.text import printable_text
from canfetch.core.times import optional_rfc3339, rfc3339
from canfetch.core.verdict import AccessInfo
from canfetch.lint.severity import Severity

AUDIT_SCHEMA: Final = "canfetch.audit/1"
ReportJson = Mapping[str, Any]
"""The JSON form of a report."""
MAX_LINES: Final = 100
"""The number of lines that the JSON form lists for crawlers with the same access."""


class HostCheck(NamedTuple):
    """The robots.txt of another address of the site.

    Attributes:
        origin: The address.
        access: How its robots.txt was obtained, or None if no request could be sent.
        is_same: Whether it decides as that of the site, or None if that is unknown.
    """

    origin: str
    access: AccessInfo | None
    is_same: bool | None

    def to_json(self) -> dict[str, Any]:
        """Return the check as plain values."""
        access = None if self.access is None else self.access.to_json()
        return {"origin": self.origin, "access": access, "same": self.is_same}


class CrawlerAccess(NamedTuple):
    """Crawlers for which the rules are the same.

    Attributes:
        may_fetch: `all`, `some`, `none`, or `undecided`.
        names: The crawlers.
        lines: The lines that select their rules, and the line that decides about the home page.
        token_only: Whether they are control tokens, which fetch nothing. `may_fetch` is then the part of the site whose
            use they permit.
    """

    may_fetch: str
    names: tuple[str, ...]
    lines: tuple[int, ...]
    token_only: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the crawlers as plain values, with the first lines and the number of all lines."""
        lines = {"lines": list(self.lines[:MAX_LINES]), "line_count": len(self.lines)}
        names = {"token_only": self.token_only, "crawlers": list(self.names)}
        return {"may_fetch": self.may_fetch, **names, **lines}


class PurposeAccess(NamedTuple):
    """Who may fetch the site for one purpose, and what the site states on the use of its content.

    Attributes:
        name: The purpose, as in the registry of crawlers.
        title: The purpose in words.
        crawlers: The known crawlers with this purpose.
        use: What all statements of the site permit on the home page, or None if no use belongs to the purpose.
    """

    name: str
    title: str
    crawlers: tuple[CrawlerAccess, ...]
    use: UseVerdict | None

    def to_json(self) -> dict[str, Any]:
        """Return the purpose as plain values."""
        return {
            "name": self.name,
            "title": self.title,
            "crawlers": [one.to_json() for one in self.crawlers],
            "use": None if self.use is None else self.use.to_json(),
        }


class ListedPages(NamedTuple):
    """The pages that the sitemaps list.

    Attributes:
        sitemaps: The number of sitemaps that were read.
        urls: The number of URLs that they list.
        requested: The number of pages of the sample that were requested.
        disallowed: The number of pages of the sample that robots.txt does not let the audit request.
    """

    sitemaps: int = 0
    urls: int = 0
    requested: int = 0
    disallowed: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the numbers."""
        return self._asdict()


class EdgeAnswer(NamedTuple):
    """What a request with the header of one crawler gets.

    Attributes:
        crawler: The crawler, or `browser` for the control request.
        user_agent: The header that was sent.
        answer: The kind of the answer.
        status: The status, or None without a response.
        detail: The answer in words, such as a price.
    """

    crawler: str
    user_agent: str
    answer: str
    status: int | None
    detail: str

    def to_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return {**self._asdict(), "detail": printable_text(self.detail)}


class LogRecords(NamedTuple):
    """What was read of access logs.

    Attributes:
        number: The number of logs.
        lines: Their lines that are not blank.
        bad_lines: The lines that could not be read.
        crawlers: The number of crawlers, by name.
        crawler_requests: Requests of crawlers.
        other_requests: Requests of browsers and other programs.
        other_host_requests: Requests for other hosts, which were left out.
        first: When the first request was made, in seconds since the epoch, or None.
        last: When the last one was made.
        by_history: Whether requests were compared with the robots.txt of their time, and not with that of today.
        unusable_requests: Requests of crawlers that are not for a URL, such as `OPTIONS *`.
        not_judged: Requests of crawlers whose rules are not known.
    """

    number: int
    lines: int
    bad_lines: int
    crawlers: int
    crawler_requests: int
    other_requests: int
    other_host_requests: int
    first: float | None
    last: float | None
    by_history: bool
    unusable_requests: int = 0
    not_judged: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return {**self._asdict(), "first": optional_rfc3339(self.first), "last": optional_rfc3339(self.last)}


class SkipRecords(NamedTuple):
    """What was read of skip reports.

    Attributes:
        number: The number of reports.
        skips: Their skipped URLs. A URL counts as often as a report has it.
        agreeing: Those that the rules of today treat alike: skipped by robots.txt and disallowed, or neither.
        differing: The others, which are in findings.
        other_origins: URLs of other sites.
        not_judged: URLs that are invalid or cut, or that have no rules of today.
        damaged_lines: Lines that could not be read.
    """

    number: int = 0
    skips: int = 0
    agreeing: int = 0
    differing: int = 0
    other_origins: int = 0
    not_judged: int = 0
    damaged_lines: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the numbers."""
        return self._asdict()


class AuditReport(NamedTuple):
    """What a site states, serves and does.

    Attributes:
        origin: The origin.
        checked_at: When the audit started, in seconds since the epoch.
        access: How robots.txt was obtained, or None if no request could be sent.
        hosts: The other addresses of the site.
        purposes: Who may fetch the site for each purpose.
        listed: The pages that the sitemaps list.
        edge: The answers to requests with the headers of crawlers, after that to the control request.
        findings: The findings. Those that do the most to access are first: of the whole site, of crawlers, of pages.
            Notes are last.
        counts: The number of findings of each kind, also of those that are not listed.
        requests: The number of requests that were sent. A robots.txt counts as one, with its redirects.
        max_requests: The largest number that was permitted.
        rules: A digest of the rules. Sites with the same digest have the same rules. None if the site has no rules.
        error: Why the site could not be audited, or an empty string.
        logs: What was read of access logs, or None without logs.
        skips: What was read of skip reports, or None without skip reports.
        environment: The environment of the policy whose file is the intended one, or None.
    """

    origin: str
    checked_at: float
    access: AccessInfo | None
    hosts: tuple[HostCheck, ...]
    purposes: tuple[PurposeAccess, ...]
    listed: ListedPages
    edge: tuple[EdgeAnswer, ...]
    findings: tuple[AuditFinding, ...]
    counts: dict[AuditKind, int]
    requests: int
    max_requests: int
    rules: str | None = None
    error: str = ""
    logs: LogRecords | None = None
    skips: SkipRecords | None = None
    environment: str | None = None

    def at_least(self, severity: Severity) -> list[AuditFinding]:
        """Return the findings at or above a severity."""
        return [one for one in self.findings if one.severity >= severity]

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "schema": AUDIT_SCHEMA,
            "origin": self.origin,
            "checked_at": rfc3339(self.checked_at),
            "error": printable_text(self.error),
            "environment": self.environment,
            "access": None if self.access is None else self.access.to_json(),
            "hosts": [host.to_json() for host in self.hosts],
            "purposes": [purpose.to_json() for purpose in self.purposes],
            "listed": self.listed.to_json(),
            "edge": [answer.to_json() for answer in self.edge],
            "logs": None if self.logs is None else self.logs.to_json(),
            "skips": None if self.skips is None else self.skips.to_json(),
            "findings": [one.to_json() for one in self.findings],
            "counts": {str(kind): number for kind, number in self.counts.items()},
            "requests": self.requests,
            "max_requests": self.max_requests,
            "rules": self.rules,
        }
