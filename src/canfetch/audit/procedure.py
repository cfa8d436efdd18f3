"""The audit of one origin: what its robots.txt states, what it serves, and what its edge does."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from canfetch.agents.requested import requested_agent
from canfetch.audit.crawls import CrawlRecords, CrawlsCheck
from canfetch.audit.edge import REQUESTS_OF_A_PAGE, EdgeTest, edge_crawlers
from canfetch.audit.edge_files import REQUESTS_OF_A_CRAWLER, check_edge_files
from canfetch.audit.findings import AuditFinding, AuditKind, Findings, finding, quoted_line
from canfetch.audit.intended import IntendedFiles, is_closed
from canfetch.audit.listed_pages import (
    MAX_FOLLOWED,
    MAX_OTHER_ORIGINS,
    ListedPagesCheck,
    SampleChoice,
    forward_target,
)
from canfetch.audit.page_resources import MAX_LOADED
from canfetch.audit.purposes import check_purposes, purpose_findings
from canfetch.audit.report import (
    AuditReport,
    EdgeAnswer,
    HostCheck,
    ListedPages,
    LogRecords,
    PurposeAccess,
    SkipRecords,
)
from canfetch.audit.served import (
    LOCKED,
    FreshFile,
    ServedFile,
    check_cache,
    check_file,
    check_hosts,
    compare_with_source,
    file_lines,
    file_past_cache,
    has_answered,
    host_addresses,
    network_lines,
    rules_digest,
    served_file,
)
from canfetch.audit.site_requests import RequestLimitReached, SiteRequests
from canfetch.author import SitePolicy
from canfetch.client.argument_checks import check_count, check_durations
from canfetch.client.documents import (
    DISALLOWED,
    DecideStep,
    Document,
    Hop,
    NotFetched,
    Step,
    fetch_document,
    run_steps,
)
from canfetch.client.sync_client import Client
from canfetch.consent.sources import MissingSource
from canfetch.consent.verdict import SourceState
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.document_urls import SitemapURL
from canfetch.core.lists import check_list
from canfetch.core.origin import Origin, find_origin
from canfetch.core.quoting import quoted
from canfetch.core.verdict import AccessInfo
from canfetch.errors import CanfetchError, ClientClosed, InvalidOption, InvalidURL, MissingExtra
from canfetch.lint.severity import Severity
from canfetch.logs.formats import create_format
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.page_rules import parse_page

DEFAULT_SAMPLE: Final = 20
"""The number of listed pages that are requested by default."""
DEFAULT_MAX_SITEMAPS: Final = 50
"""The number of sitemaps that are read by default."""
DEFAULT_DELAY: Final = 0.5
"""The shortest time between two requests to an origin by default, in seconds."""
MAX_SAMPLE: Final = 50_000
"""The number of pages of a sample of all pages, unless `max_requests` is passed."""
SEARCH_ENGINES: Final = ("Googlebot", "bingbot")
"""The crawlers for which listed pages are decided about."""
# robots.txt past the cache, the home page with its redirects and what it forwards to, tdmrep.json, three licenses, each
# with their robots.txt.
_OTHER_REQUESTS: Final = 25
# On a site that is meant to be closed, these are not faults.
_OF_CLOSED_SITES: Final = frozenset(
    {
        AuditKind.NOT_ALLOWED,
        AuditKind.HOME_NOINDEX,
        AuditKind.LISTED_NOINDEX,
        AuditKind.LISTED_BLOCKED,
        AuditKind.RESOURCE_BLOCKED,
        AuditKind.SITEMAP_BLOCKED,
    }
)
# Nor are these, with a status that refuses the request.
_OF_LOCKED_SITES: Final = frozenset({AuditKind.ROBOTS_REFUSED, AuditKind.HOME_FAILING, AuditKind.LISTED_FAILING})
_ADMIT_THE_AUDIT: Final = "Admit the User-Agent header of the audit, or audit with another --user-agent."
# The pages that a home page forwards to, one after another.
_MAX_FORWARDS: Final = 3
# A page or a crawler is requested again after an accident.
_ATTEMPTS: Final = 2


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """What to check, and with how many requests.

    Attributes:
        sample: The number of listed pages to request, or None for all.
        edge: The names of the crawlers for the test of the edge.
        hosts: Further addresses of the site.
        max_sitemaps: The number of sitemaps to read.
        delay: The shortest time between two requests to an origin, in seconds. A Crawl-delay can be longer.
        limit: The largest number of requests, or None to compute it from the rest.
        environment: The environment of the policy, or None for that of the host.
    Raises: InvalidOption, InvalidURL.
    """

    sample: int | None = DEFAULT_SAMPLE
    edge: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    max_sitemaps: int = DEFAULT_MAX_SITEMAPS
    delay: float = DEFAULT_DELAY
    limit: int | None = None
    environment: str | None = None

    def __post_init__(self) -> None:
        """Check the values: a plan is right before a run begins."""
        # No page at all is a sample, too.
        check_count("sample", 1 if self.sample in {None, 0} else self.sample)
        check_count("max_sitemaps", self.max_sitemaps)
        check_count("limit", 1 if self.limit is None else self.limit)
        check_durations(delay=self.delay)
        check_list("edge", self.edge)
        edge_crawlers(self.edge)
        check_list("hosts", self.hosts)
        for host in self.hosts:
            web_origin(host)

    @property
    def max_requests(self) -> int:
        """The largest number of requests of one audit. A robots.txt counts as one, with its redirects."""
        if self.limit is not None:
            return self.limit
        pages = MAX_SAMPLE if self.sample is None else self.sample
        repeated = pages + (2 + REQUESTS_OF_A_PAGE * len(self.edge) if self.edge else 0)
        # The site has four addresses.
        repeated += 4 + len(self.hosts) + self.max_sitemaps + (MAX_FOLLOWED if pages else 0)
        # The page that a crawler is redirected to may be on another host, with a robots.txt.
        others = _OTHER_REQUESTS + MAX_OTHER_ORIGINS + MAX_LOADED + (REQUESTS_OF_A_CRAWLER + 1) * len(self.edge)
        return others + _ATTEMPTS * repeated


def audit(
    client: Client,
    origin: str,
    *,
    source: bytes | SitePolicy | None = None,
    plan: AuditPlan | None = None,
    records: CrawlRecords = CrawlRecords(),  # noqa: B008 - immutable
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], object] | None = None,
    on_sample: Callable[[int, float], object] = lambda _pages, _seconds: None,
) -> AuditReport:
    """Audit one origin: its robots.txt, its other addresses, its purposes, its sitemaps, and on request its edge.

    One request is sent at a time. Pages are requested as the robots.txt of the site allows the client, and not faster
    than its Crawl-delay, up to a minute. A site that fails is described by the report.

    Args:
        client: The client. Its robots.txt of the origin is fetched again, even if it has a fresh copy.
        origin: A URL of the site. Its path is ignored.
        source: The intended robots.txt, or the policy from which it is made. If the policy has environments, that of
            the host applies.
        plan: What to check, and with how many requests. Default: `AuditPlan()`.
        records: Access logs and skip reports, which are compared with the rules. They are read and not closed.
        clock: Returns seconds since the epoch.
        sleep: Blocks for a number of seconds. Default: a sleep that Ctrl-C ends.
        on_sample: Called before the listed pages are requested, with their number and the seconds between two requests,
            which the site can declare.
    Raises: InvalidURL, InvalidOption, ClientClosed; InvalidDraft, InvalidSitePolicy: The policy cannot be written as a
        robots.txt. MissingExtra: lxml is not installed, or no library for logs compressed with zstd.
    Cost: At most `plan.max_requests` requests, and O(bytes of the records) in bounded memory.
    """
    site = web_origin(origin)
    plan = AuditPlan() if plan is None else plan
    hosts = [web_origin(host) for host in plan.hosts]
    # A missing library is the fault of the caller, and is raised before the first request.
    parse_page(b"<html>")
    requests = SiteRequests(
        client, [site, *hosts], max_requests=plan.max_requests, delay=plan.delay, clock=clock, sleep=sleep
    )
    # So is an unknown token or format.
    requested_agent(records.skip_agent)
    if records.log_format is not None or records.fields:
        create_format(records.log_format or "json", records.fields)
    intended = IntendedFiles(source, plan.environment, client.options.profile.name)
    run = _Audit(requests, site, plan, records, intended, on_sample=on_sample)
    try:
        run.run(intended.file_for(site), hosts)
    except (ClientClosed, InvalidOption, MissingExtra):
        raise
    except CanfetchError as error:
        run.error = str(error)
    return run.report()


def web_origin(url: str) -> Origin:
    """Return the origin of a URL that an audit can request.

    Raises: InvalidURL.
    """
    origin = Origin.from_url(url)
    if origin.scheme not in {"http", "https"}:
        raise InvalidURL(f"invalid origin {quoted(url)}: expected one such as https://example.com")
    return origin


class _Audit:
    """The parts of an audit, in their order. What was found stays if a later part fails."""

    def __init__(
        self,
        requests: SiteRequests,
        origin: Origin,
        plan: AuditPlan,
        records: CrawlRecords,
        intended: IntendedFiles,
        *,
        on_sample: Callable[[int, float], object],
    ) -> None:
        self.error = ""
        self._on_sample = on_sample
        self._requests = requests
        self._origin = origin
        self._plan = plan
        self._records = records
        self._intended = intended
        # Then it is not a fault that crawlers, and the audit, may fetch nothing.
        self._is_meant_closed = False
        self._started_at = requests.clock()
        self._findings = Findings()
        self._access: AccessInfo | None = None
        self._rules: str | None = None
        self._hosts: list[HostCheck] = []
        self._purposes: tuple[PurposeAccess, ...] = ()
        self._listed = ListedPages()
        self._edge: list[EdgeAnswer] = []
        # The lines of each robots.txt that a finding quotes, by origin.
        self._lines: dict[str, list[bytes]] = {}
        self._logs: LogRecords | None = None
        self._skips: SkipRecords | None = None
        # Where the home page is, after redirects, and all URLs of the way.
        self._page_url = f"{origin}/"
        self._home_urls = (self._page_url,)

    def run(self, source: RobotsTxt | None, hosts: Sequence[Origin]) -> None:
        """Run all parts.

        Raises: CanfetchError: The site cannot be requested at all.
        """
        requests, origin = self._requests, self._origin
        now = self._started_at
        served = served_file(requests.state(f"{origin}/", refresh=True), now)
        self._access = served.state.access_info(now)
        self._is_meant_closed = is_closed(source)
        fresh = self._past_cache(served)
        added = [] if source is None or served.robots is None else network_lines(source, served.robots, fresh)
        self._add(check_file(served, now, source=source, added=added))
        if not has_answered(served.state):
            self.error = self._access.explanation
            return
        if served.robots is not None:
            self._rules = rules_digest(served.robots)
        for unknown in filter(self._intended.is_unknown, dict.fromkeys([origin, *hosts])):
            message = f"no environment of the policy has the host of {unknown}"
            self._add([finding(AuditKind.UNKNOWN_ENVIRONMENT, message, url=unknown.robots_url)])
        others = self._other_files(hosts, hosts)
        crawls = CrawlsCheck(self._records, origin, [one for one in hosts if one not in others], served, now)
        self._add(crawls.findings())
        self._logs, self._skips = crawls.logs, crawls.skips
        if fresh is not None:
            self._add(check_cache(fresh, served, origin))
        addresses = host_addresses(origin, hosts)
        others = self._other_files(addresses, hosts)
        self._hosts, found = check_hosts(requests, served, addresses, hosts, others, source=source)
        self._add(found)
        home = self._home_page()
        if source is not None and not (self._is_meant_closed and _is_locked(served, home)):
            self._add(compare_with_source(source, served, fresh, origin, added))
        self._purposes = check_purposes(requests, served.state, home, now)
        if served.robots is not None:
            of_purposes = purpose_findings(self._purposes, origin)
            self._add(one for one in of_purposes if not (self._is_meant_closed and one.kind is AuditKind.SITE_CLOSED))
        self._check_pages(served, addresses, home)
        if self._plan.edge:
            crawlers = edge_crawlers(self._plan.edge)
            self._add(check_edge_files(requests, served, fresh, crawlers))
            failing = [one for one in self._findings if one.kind is AuditKind.HOME_FAILING and one.status is not None]
            is_failing = any(one.url == self._page_url for one in failing)
            test = EdgeTest(requests)
            test.run(self._page_url, crawlers, with_own_name=is_failing)
            self._edge = test.answers
            self._add(test.findings)
            if test.refuses_own_name:
                self._findings.revise(AuditKind.HOME_FAILING, self._refused_home_page)

    def report(self) -> AuditReport:
        """Return what was found."""
        return AuditReport(
            origin=str(self._origin),
            checked_at=self._started_at,
            access=self._access,
            hosts=tuple(self._hosts),
            purposes=self._purposes,
            listed=self._listed,
            edge=tuple(self._edge),
            findings=tuple(self._findings),
            counts=dict(self._findings.counts),
            requests=self._requests.sent,
            max_requests=self._plan.max_requests,
            rules=self._rules,
            error=self.error,
            logs=self._logs,
            skips=self._skips,
            environment=self._intended.environment_of(self._origin),
        )

    def _other_files(self, addresses: Sequence[Origin], named: Sequence[Origin]) -> dict[Origin, RobotsTxt]:
        """Return the intended files of the addresses that belong to another environment than the site.

        An address that the caller named belongs to one, or the policy closes it.
        """
        own = self._intended.environment_of(self._origin)
        files = {}
        for address in addresses:
            file = self._intended.file_for(address)
            environment = self._intended.environment_of(address)
            is_known = environment is not None or (address in named and self._intended.is_unknown(address))
            if file is not None and is_known and environment != own:
                files[address] = file
        return files

    def _add(self, found: Iterable[AuditFinding]) -> None:
        """Add the findings of a part, which ends if the limit of requests is reached."""
        try:
            self._findings.extend(self._with_line(self._weighed(one)) for one in found)
        except RequestLimitReached as error:
            self._findings.extend([finding(AuditKind.LIMIT_REACHED, str(error))])

    def _with_line(self, one: AuditFinding) -> AuditFinding:
        """Return a finding with the text of its line of robots.txt."""
        if one.line is None or one.url is None or one.text is not None:
            return one
        origin = str(Origin.from_url(one.url))
        if origin not in self._lines:
            self._lines[origin] = file_lines(self._requests.state(one.url), self._started_at)
        lines = self._lines[origin]
        return one._replace(text=quoted_line(lines[one.line - 1])) if one.line <= len(lines) else one

    def _reported_sitemaps(self, served: ServedFile) -> set[str]:
        """Return the values of sitemap records that are not valid URLs, and which the linter reports."""
        lines = {one.line for one in self._findings if one.kind is AuditKind.LINT}
        records = [] if served.robots is None else served.robots.extensions
        values = (one.parsed.url for one in records if isinstance(one.parsed, SitemapURL) and one.line in lines)
        return {value for value in values if find_origin(value) is None}

    def _past_cache(self, served: ServedFile) -> FreshFile | None:
        """Return the robots.txt that the server sends past caches, or None."""
        try:
            return file_past_cache(self._requests, served, self._origin)
        except RequestLimitReached as error:
            self._add([finding(AuditKind.LIMIT_REACHED, str(error))])
            return None

    def _weighed(self, one: AuditFinding) -> AuditFinding:
        is_of_locked = one.kind in _OF_LOCKED_SITES and one.status in LOCKED
        is_expected = self._is_meant_closed and (one.kind in _OF_CLOSED_SITES or is_of_locked)
        return one._replace(severity=Severity.INFO) if is_expected else one

    def _home_page(self) -> Document | MissingSource:
        home = self._document(self._page_url)
        for _ in range(_MAX_FORWARDS):
            response = home.response if isinstance(home, Document) else None
            target = None if response is None else forward_target(self._page_url, response)
            if target is None or target in self._home_urls:
                break
            home = self._document(target)
        return home

    def _refused_home_page(self, one: AuditFinding) -> AuditFinding:
        """Return the finding of a home page that a browser gets, and that only the audit was refused."""
        if one.url != self._page_url or one.status is None:
            return one
        message = f"{one.message}, but a browser gets the page: the server refuses the name of the audit"
        severity = min(one.severity, Severity.WARNING)
        return one._replace(message=message, severity=severity, how_to_fix=_ADMIT_THE_AUDIT)

    def _document(self, url: str) -> Document | MissingSource:
        """Fetch the home page, or the page that it forwards to."""
        steps = fetch_document(url, max_bytes=DEFAULT_MAX_PAGE_BYTES)
        try:
            page = run_steps(steps, self._perform_for_home)
        except RequestLimitReached as error:
            self._set_home_urls(error.hops, error.url)
            self._add([finding(AuditKind.LIMIT_REACHED, str(error), url=url)])
        except NotFetched as error:
            self._set_home_urls(error.hops, error.url)
            if error.reason != DISALLOWED:
                self._add([finding(AuditKind.HOME_FAILING, str(error), url=url)])
                return MissingSource(SourceState.UNREACHABLE, error.reason)
        else:
            self._set_home_urls(page.hops, page.url)
            self._page_url = page.url
            return page
        return MissingSource(SourceState.NOT_READ)

    def _perform_for_home(self, step: Step) -> Any:
        if isinstance(step, DecideStep):
            # The failure of a host that the home page redirects to is a fault of the site, so it is confirmed.
            self._requests.state(step.url, refresh=True)
        return self._requests.perform(step)

    def _set_home_urls(self, hops: Sequence[Hop], last: str | None) -> None:
        urls = [*self._home_urls, *(hop.url for hop in hops), *(() if last is None else (last,))]
        self._home_urls = tuple(dict.fromkeys(urls))

    def _check_pages(self, served: ServedFile, addresses: Sequence[Origin], home: Document | MissingSource) -> None:
        plan = self._plan
        limit = max(0, plan.max_requests - self._requests.sent)
        choice = SampleChoice(plan.sample, plan.max_sitemaps, limit, self._on_sample)
        agents = [requested_agent(name) for name in SEARCH_ENGINES]
        check = ListedPagesCheck(
            self._requests, self._origin, home=self._page_url, addresses=addresses, agents=agents, choice=choice
        )
        reported = self._reported_sitemaps(served)
        sitemaps = [url for url in served.state.sitemaps(self._requests.clock()) if url not in reported]
        if not self._is_meant_closed:
            # A fault of the whole site is reported once.
            is_closed = served.robots is None or self._findings.counts[AuditKind.SITE_CLOSED] > 0
            own = self._origin
            urls = [url for url in self._home_urls if not (is_closed and Origin.from_url(url) == own)]
            self._add(check.home_access_findings(f"{own}/", urls))
        # Without a robots.txt nothing may be requested, which another finding says.
        if isinstance(home, Document) and served.robots is not None:
            self._add(check.home_findings(home))
        try:
            self._add(check.findings(sitemaps))
        finally:
            self._listed = check.counts


def _is_locked(served: ServedFile, home: Document | MissingSource) -> bool:
    """Return whether a server refuses both robots.txt and the home page, as a site with a password does."""
    response = home.response if isinstance(home, Document) else None
    return served.state.entry.status in LOCKED and response is not None and response.status in LOCKED
