"""The findings of an audit: what is wrong, what it means for the owner, and what to do."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum, StrEnum
from typing import Any, Final, NamedTuple

from canfetch.core.lines import line_text
from canfetch.core.origin import Origin
from canfetch.core.redaction import redacted_url
from canfetch.core.text import counted, cut_text, printable_text
from canfetch.core.verdict import Verdict
from canfetch.lint.check import Category, Check
from canfetch.lint.severity import Severity

MAX_FINDINGS: Final = 50_000
"""The number of findings of one kind that a report lists. Their number is always exact."""
# A message can quote patterns, which sites choose.
_MAX_MESSAGE: Final = 2_000
_MAX_LINE_BYTES: Final = 200


class _Kind(NamedTuple):
    """A kind of finding: its severity, what it means for the owner, and what to do."""

    severity: Severity
    meaning: str
    advice: str


class AuditKind(StrEnum):
    """What is wrong, or worth knowing."""

    SITE_UNREACHABLE = "site-unreachable"
    ROBOTS_UNREACHABLE = "robots-unreachable"
    ROBOTS_REFUSED = "robots-refused"
    ROBOTS_MISSING = "robots-missing"
    NOT_ROBOTS = "not-robots"
    SITE_CLOSED = "site-closed"
    LINT = "lint"
    LINT_NOTES = "lint-notes"
    SERVED_DIFFERS = "served-differs"
    ADDED_LINES = "added-lines"
    USAGE_DIFFERS = "usage-differs"
    UNKNOWN_ENVIRONMENT = "unknown-environment"
    STALE_CACHE = "stale-cache"
    HOST_DIFFERS = "host-differs"
    HOST_UNREACHABLE = "host-unreachable"
    UNDECIDED = "undecided"
    STATED_ONLY = "stated-only"
    HOME_BLOCKED = "home-blocked"
    HOME_FAILING = "home-failing"
    HOME_NOINDEX = "home-noindex"
    SITEMAP_FAULT = "sitemap-fault"
    SITEMAP_BLOCKED = "sitemap-blocked"
    LISTED_BLOCKED = "listed-blocked"
    LISTED_NOINDEX = "listed-noindex"
    LISTED_REDIRECTED = "listed-redirected"
    LISTED_MISSING = "listed-missing"
    LISTED_FAILING = "listed-failing"
    RESOURCE_BLOCKED = "resource-blocked"
    EDGE_REFUSES = "edge-refuses"
    EDGE_ADMITS = "edge-admits"
    EDGE_ROBOTS = "edge-robots-differs"
    EDGE_UNKNOWN = "edge-unknown"
    CRAWLER_DISOBEYS = "crawler-disobeys"
    CRAWLER_REFUSED = "crawler-refused"
    CRAWLER_UNREAD = "crawler-unread-rules"
    SKIPPED_ALLOWED = "skipped-allowed"
    SKIPPED_DISALLOWED = "skipped-disallowed"
    RULES_UNKNOWN = "rules-unknown"
    CLIENTS_UNNAMED = "clients-unnamed"
    RECORDS_DAMAGED = "records-damaged"
    NOT_ALLOWED = "audit-not-allowed"
    SLOWED_DOWN = "slowed-down"
    LIMIT_REACHED = "limit-reached"

    @property
    def severity(self) -> Severity:
        """The severity of a finding, if the finding has none of its own."""
        return _KINDS[self].severity

    @property
    def is_of_whole_site(self) -> bool:
        """Whether it concerns the whole site, and not single pages, files or lines."""
        return self in _OF_WHOLE_SITES

    @property
    def meaning(self) -> str:
        """What it means for the owner, in one sentence."""
        return _KINDS[self].meaning

    @property
    def advice(self) -> str:
        """What to do."""
        return _KINDS[self].advice


_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
_KINDS: Final = {
    AuditKind.SITE_UNREACHABLE: _Kind(
        _ERROR,
        "No server answers at this address.",
        "Check the address, its DNS entry, its certificate, and the network from which the audit runs.",
    ),
    AuditKind.ROBOTS_UNREACHABLE: _Kind(
        _ERROR,
        "robots.txt cannot be fetched, so crawlers treat the whole site as disallowed.",
        "Serve robots.txt with status 200 and as a complete response, or respond with 404 if there is none.",
    ),
    AuditKind.ROBOTS_REFUSED: _Kind(
        _WARNING,
        "The server has no robots.txt for the audit, which crawlers take for a site without rules.",
        "If the site has a robots.txt, let every client read it. A firewall may refuse this one.",
    ),
    AuditKind.ROBOTS_MISSING: _Kind(
        _INFO,
        "No robots.txt is served, so every crawler may fetch everything.",
        "Nothing has to be done if that is intended.",
    ),
    AuditKind.NOT_ROBOTS: _Kind(
        _ERROR,
        "The file at /robots.txt is not a robots.txt, so no rule applies.",
        "Serve robots.txt as plain text, before the pages of the application.",
    ),
    AuditKind.SITE_CLOSED: _Kind(
        _ERROR,
        "Search engines may fetch nothing.",
        "Remove `Disallow: /` from the groups of search engines, unless the site should stay out of search results.",
    ),
    # Findings of the linter have the title and the advice of their check.
    AuditKind.LINT: _Kind(_WARNING, "A line of robots.txt is wrong or unclear.", "Correct the line."),
    AuditKind.LINT_NOTES: _Kind(
        _INFO,
        "The linter has notes about lines that work, but could be simpler or clearer.",
        "Nothing has to be done. The linter shows the lines.",
    ),
    AuditKind.SERVED_DIFFERS: _Kind(
        _ERROR,
        "The served robots.txt decides differently from the intended one.",
        "Publish the intended file, and purge it from caches.",
    ),
    AuditKind.ADDED_LINES: _Kind(
        _WARNING,
        "Something between the server and the crawlers adds lines to robots.txt.",
        "Turn off the managed robots.txt of the network in front of the site, or add its lines to the intended file.",
    ),
    AuditKind.USAGE_DIFFERS: _Kind(
        _WARNING,
        "The served robots.txt states another preference on the use of content.",
        "Decide which preference is intended, and publish it in one place.",
    ),
    AuditKind.UNKNOWN_ENVIRONMENT: _Kind(
        _WARNING,
        "The policy does not know this host, so the intended file disallows everything.",
        "Add the host to an environment of the policy, or audit with --environment.",
    ),
    AuditKind.STALE_CACHE: _Kind(
        _WARNING,
        "The server has another robots.txt for a request that no cache can answer.",
        "Compare /robots.txt with the file at the address with the query, and purge it from the cache. If there is no "
        "cache, publish the same file on all servers.",
    ),
    AuditKind.HOST_DIFFERS: _Kind(
        _WARNING,
        "Another address of the site has other rules.",
        "Redirect all addresses to one, or serve the same robots.txt.",
    ),
    AuditKind.HOST_UNREACHABLE: _Kind(
        _WARNING,
        "Another address of the site does not serve robots.txt, so crawlers treat it as disallowed.",
        "Redirect the address to the site.",
    ),
    AuditKind.UNDECIDED: _Kind(
        _INFO, "The rules are too large to be compared for all URLs.", "Compare the files for single crawlers."
    ),
    AuditKind.STATED_ONLY: _Kind(
        _INFO,
        "The site objects to a use, but lets crawlers of that purpose fetch pages.",
        "Disallow these crawlers as well if they should not fetch the pages. A preference depends on their operators.",
    ),
    AuditKind.HOME_BLOCKED: _Kind(
        _ERROR,
        "Search engines may not fetch the home page.",
        "Allow the home page, and each page that it redirects to, for search engines.",
    ),
    AuditKind.HOME_FAILING: _Kind(
        _ERROR,
        "The home page cannot be fetched.",
        "Find out why the server does not deliver the page. With --edge, the audit shows whether a browser gets it.",
    ),
    AuditKind.HOME_NOINDEX: _Kind(
        _ERROR,
        "The home page must not appear in search results (noindex).",
        "Remove the noindex of the page, unless the site should stay out of search results.",
    ),
    AuditKind.SITEMAP_FAULT: _Kind(_WARNING, "A sitemap has a fault.", "Correct or remove the sitemap."),
    AuditKind.SITEMAP_BLOCKED: _Kind(
        _WARNING,
        "Search engines may not fetch a sitemap.",
        "Allow the sitemap for search engines, or move it to a path that is allowed.",
    ),
    AuditKind.LISTED_BLOCKED: _Kind(
        _WARNING,
        "A sitemap lists a page that robots.txt disallows for search engines.",
        "Remove the page from the sitemap, or allow it.",
    ),
    AuditKind.LISTED_NOINDEX: _Kind(
        _WARNING,
        "A sitemap lists a page that must not appear in search results (noindex).",
        "Remove the page from the sitemap, or remove its noindex.",
    ),
    AuditKind.LISTED_REDIRECTED: _Kind(
        _WARNING,
        "A sitemap lists an address that redirects.",
        "List the page where it is now. If the redirect leads to a login or to another page, remove the address.",
    ),
    AuditKind.LISTED_MISSING: _Kind(
        _WARNING, "A sitemap lists a page that does not exist.", "Remove the page from the sitemap."
    ),
    AuditKind.LISTED_FAILING: _Kind(
        _WARNING, "A page that a sitemap lists cannot be fetched.", "Find out why the server does not deliver the page."
    ),
    AuditKind.RESOURCE_BLOCKED: _Kind(
        _WARNING,
        "Search engines may not fetch a script or style of a page, so they may not see the page as visitors do.",
        "Allow the scripts and styles that pages need.",
    ),
    AuditKind.EDGE_REFUSES: _Kind(
        _ERROR,
        "A crawler that robots.txt allows does not get the page that a browser gets.",
        "Check the rules for bots of the firewall or of the network in front of the site.",
    ),
    AuditKind.EDGE_ADMITS: _Kind(
        _INFO,
        "A request with the name of a crawler that robots.txt disallows gets the page.",
        "Nothing has to be done if robots.txt is enough. It is a request, and not a lock.",
    ),
    AuditKind.EDGE_ROBOTS: _Kind(
        _WARNING,
        "A request with the name of a crawler gets another robots.txt, so other rules apply to the crawler.",
        "Serve the same robots.txt to every client, and write rules for one crawler in a group of its own. Check the "
        "rules for bots of the network in front of the site.",
    ),
    AuditKind.EDGE_UNKNOWN: _Kind(
        _INFO,
        "The test of the edge has no result.",
        "Repeat the test later, or from another network.",
    ),
    AuditKind.CRAWLER_DISOBEYS: _Kind(
        _WARNING,
        "A crawler requested URLs that robots.txt disallows.",
        "Check that the rules were served at that time. If they were, write to the operator of the crawler, or refuse "
        "it on your server: robots.txt is a request, and not a lock.",
    ),
    AuditKind.CRAWLER_REFUSED: _Kind(
        _WARNING,
        "A crawler that robots.txt allows was refused with status 403 or 429.",
        "Check the rules for bots and the limits of requests of the firewall, or disallow the crawler in robots.txt.",
    ),
    AuditKind.CRAWLER_UNREAD: _Kind(
        _INFO,
        "A crawler requested pages, and never robots.txt.",
        "Do not rely on robots.txt for this crawler, unless a cache in front of the server answers without a line in "
        "the log.",
    ),
    AuditKind.SKIPPED_ALLOWED: _Kind(
        _INFO,
        "A crawl skipped URLs because of robots.txt that robots.txt allows now.",
        "Repeat the crawl if these URLs should be in it.",
    ),
    AuditKind.SKIPPED_DISALLOWED: _Kind(
        _INFO,
        "A crawl skipped URLs for another reason that robots.txt disallows now.",
        "Nothing has to be done. A crawl with other limits would not fetch these URLs either.",
    ),
    AuditKind.RULES_UNKNOWN: _Kind(
        _INFO,
        "The rules for a part of the requests in the logs are not known, so they were not compared.",
        "Add the robots.txt files that were served at that time and on the day before to the folder of --history, or "
        "compare without it.",
    ),
    AuditKind.CLIENTS_UNNAMED: _Kind(
        _WARNING,
        "A log has no User-Agent headers, so it shows no crawlers.",
        "Write the log in the combined format, or in another one with the User-Agent header.",
    ),
    AuditKind.RECORDS_DAMAGED: _Kind(
        _WARNING,
        "A log or a skip report could not be read as a whole, or has nothing about the site.",
        "Check that the file is complete, and that it is an access log or a skip report of this site.",
    ),
    AuditKind.NOT_ALLOWED: _Kind(
        _WARNING,
        "robots.txt does not let the audit request this.",
        "Allow the product token of the audit, or audit with another --user-agent.",
    ),
    AuditKind.SLOWED_DOWN: _Kind(
        _INFO, "The site asks for fewer requests.", "Repeat the audit later, with a longer delay."
    ),
    AuditKind.LIMIT_REACHED: _Kind(
        _INFO, "Not everything was requested.", "Repeat the audit with a higher limit of requests."
    ),
}


_OF_WHOLE_SITES: Final = frozenset(
    {
        AuditKind.SITE_UNREACHABLE,
        AuditKind.ROBOTS_UNREACHABLE,
        AuditKind.NOT_ROBOTS,
        AuditKind.SITE_CLOSED,
        AuditKind.HOME_BLOCKED,
        AuditKind.HOME_FAILING,
        AuditKind.HOME_NOINDEX,
    }
)


_OF_CRAWLERS: Final = frozenset(
    {
        AuditKind.ROBOTS_REFUSED,
        AuditKind.SERVED_DIFFERS,
        AuditKind.ADDED_LINES,
        AuditKind.UNKNOWN_ENVIRONMENT,
        AuditKind.STALE_CACHE,
        AuditKind.HOST_DIFFERS,
        AuditKind.HOST_UNREACHABLE,
        AuditKind.EDGE_REFUSES,
        AuditKind.EDGE_ROBOTS,
        AuditKind.CRAWLER_REFUSED,
        AuditKind.CRAWLER_DISOBEYS,
    }
)
_OF_PAGES: Final = frozenset({AuditKind.RESOURCE_BLOCKED, AuditKind.LISTED_BLOCKED, AuditKind.SITEMAP_BLOCKED})


class _Scope(IntEnum):
    """What a finding is about: the less, the more it does to access."""

    SITE = 1
    CRAWLERS = 2
    PAGES = 3
    OTHER = 4


_SCOPES_OF_CHECKS: Final = {
    Category.FILE: _Scope.PAGES,
    Category.LINES: _Scope.PAGES,
    Category.GROUPS: _Scope.CRAWLERS,
    Category.PATTERNS: _Scope.PAGES,
    Category.AGENTS: _Scope.CRAWLERS,
    Category.POLICY: _Scope.CRAWLERS,
}


class AuditFinding(NamedTuple):
    """One finding, with its evidence.

    Attributes:
        kind: What is wrong.
        message: What was seen.
        severity: How severe it is.
        url: The URL that shows it, or None.
        line: The line of the robots.txt of that URL, or None.
        status: The status of a response, or None.
        text: The text of that line, cut after 200 characters, or None.
        check: The check of the linter that found it, or None.
        how_to_fix: What to do, if that is not the advice of the kind, or None.
    """

    kind: AuditKind
    message: str
    severity: Severity
    url: str | None = None
    line: int | None = None
    status: int | None = None
    text: str | None = None
    check: Check | None = None
    how_to_fix: str | None = None

    @property
    def meaning(self) -> str:
        """What it means for the owner, in one sentence."""
        return self.kind.meaning if self.check is None else f"{self.check.title}."

    @property
    def advice(self) -> str:
        """What to do."""
        return self.kind.advice if self.how_to_fix is None else self.how_to_fix

    @property
    def rank(self) -> tuple[bool, int, int, bool]:
        """The place among other findings: notes last, and before them, what does more to access first."""
        if self.check is not None:
            scope = _SCOPES_OF_CHECKS.get(self.check.category, _Scope.OTHER)
        elif self.kind.is_of_whole_site:
            scope = _Scope.SITE
        elif self.kind in _OF_CRAWLERS:
            scope = _Scope.CRAWLERS
        else:
            scope = _Scope.PAGES if self.kind in _OF_PAGES else _Scope.OTHER
        return self.severity is Severity.INFO, scope, -self.severity, self.kind is AuditKind.LINT

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain values."""
        return {
            "kind": str(self.kind),
            "severity": self.severity.label,
            "meaning": self.meaning,
            "advice": self.advice,
            "message": cut_text(printable_text(self.message), _MAX_MESSAGE),
            "url": None if self.url is None else printable_text(redacted_url(self.url)),
            "line": self.line,
            "status": self.status,
            "text": self.text,
        }


def finding(
    kind: AuditKind,
    message: str,
    *,
    severity: Severity | None = None,
    url: str | None = None,
    line: int | None = None,
    status: int | None = None,
    text: str | None = None,
) -> AuditFinding:
    """Return a finding with the severity of its kind, unless another one is passed."""
    return AuditFinding(kind, message, kind.severity if severity is None else severity, url, line, status, text)


def blocked_finding(
    kind: AuditKind, url: str, verdicts: Iterable[tuple[str, Verdict]], place: str | None
) -> AuditFinding:
    """Return the finding of a URL that some crawlers may not fetch.

    Args:
        kind: The kind.
        url: The URL.
        verdicts: The names of crawlers with the verdicts, at least one of which disallows the URL.
        place: Where the URL is named, or None.
    """
    blocked = [(name, verdict) for name, verdict in verdicts if not verdict.allowed]
    reasons = by_reason((verdict.explanation, name) for name, verdict in blocked)
    return finding(kind, reasons if place is None else f"{reasons}; {place}", url=url, line=blocked[0][1].line)


def by_reason(names: Iterable[tuple[str, str]]) -> str:
    """Return the reasons, each with its crawlers.

    Args: names: Each crawler after its reason.
    """
    found: dict[str, list[str]] = {}
    for reason, name in names:
        found.setdefault(reason, []).append(name)
    return "; ".join(f"{reason}, for {', '.join(names)}" for reason, names in found.items())


class NotAllowed:
    """URLs that the audit does not request because of rules, counted for each deciding rule.

    Args: noun: What they are, in the singular.
    """

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._found: dict[tuple[str, str], tuple[str, Verdict]] = {}
        self._numbers: Counter[tuple[str, str]] = Counter()

    def add(self, url: str, verdict: Verdict) -> None:
        """Count a URL. Without a rule, robots.txt cannot be fetched, which is another finding."""
        if verdict.rule is not None:
            key = (str(Origin.from_url(url)), verdict.explanation)
            self._found.setdefault(key, (url, verdict))
            self._numbers[key] += 1

    def findings(self) -> Iterator[AuditFinding]:
        """Yield a finding for each rule, with the first URL."""
        for key, (url, verdict) in self._found.items():
            message = f"{verdict.explanation}: {counted(self._numbers[key], self._noun)} not requested"
            yield finding(AuditKind.NOT_ALLOWED, message, url=url, line=verdict.line)


def quoted_line(line: bytes) -> str:
    """Return the text of a line of robots.txt for a finding, cut after 200 bytes."""
    return line_text(line.strip(), _MAX_LINE_BYTES)


class Findings:
    """Collects findings within the limit of each kind, and counts all of them."""

    def __init__(self) -> None:
        self._kept: list[AuditFinding] = []
        self.counts: Counter[AuditKind] = Counter()

    def extend(self, found: Iterable[AuditFinding]) -> None:
        """Add findings."""
        for one in found:
            self.counts[one.kind] += 1
            if self.counts[one.kind] <= MAX_FINDINGS:
                self._kept.append(one)

    def revise(self, kind: AuditKind, change: Callable[[AuditFinding], AuditFinding]) -> None:
        """Change the findings of a kind after what a later part has shown."""
        self._kept = [change(one) if one.kind is kind else one for one in self._kept]

    def __iter__(self) -> Iterator[AuditFinding]:
        return iter(sorted(self._kept, key=lambda one: one.rank))
