"""The pages that the sitemaps of a site list: all with verdicts, and a sample of them as they are served.

The sample is chosen by a hash of the URLs, so that each run requests the same pages, and no page is preferred.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from heapq import heappush, heapreplace
from typing import Any, Final, NamedTuple

from canfetch.access.redirects import REDIRECTS, redirect_target
from canfetch.access.responses import Failure, Response
from canfetch.agents.requested import RequestedAgent
from canfetch.audit.edge import is_challenge
from canfetch.audit.findings import AuditFinding, AuditKind, NotAllowed, blocked_finding, by_reason, finding
from canfetch.audit.page_resources import PageResourcesCheck
from canfetch.audit.report import ListedPages
from canfetch.audit.served import MISSING
from canfetch.audit.site_requests import RequestLimitReached, SiteRequests
from canfetch.client.documents import Document, NotFetched
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.text import counted
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, ClientClosed
from canfetch.lint.severity import Severity
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.page_rules import parse_page
from canfetch.pages.refresh import find_refresh
from canfetch.sitemaps.content import SitemapKind
from canfetch.sitemaps.fetching import read_events
from canfetch.sitemaps.problems import SitemapProblemKind
from canfetch.sitemaps.reading import (
    NamesStep,
    ReadingStep,
    SitemapEntry,
    SitemapFile,
    SitemapSource,
    VerdictsStep,
    sitemap_events,
)

_TOO_MANY: Final = 429
_SUCCESS: Final = 2
# Later than that, it is an ordinary page that is replaced, such as one of a slide show.
_MAX_FORWARD_SECONDS: Final = 10
# Other origins, of listed pages and of the scripts and styles of pages, whose robots.txt is fetched.
MAX_OTHER_ORIGINS: Final = 40
MAX_FOLLOWED: Final = 10
"""The pages that listed addresses redirect to that are requested, too."""
# The audit's own limits can be the reason, and are not faults of a sitemap.
_NOT_READ: Final = (SitemapProblemKind.NOT_FETCHED, SitemapProblemKind.NOT_DECIDED)


def forward_target(url: str, response: Response) -> str | None:
    """Return the URL that a page forwards to by a Refresh header or a meta element within ten seconds, or None."""
    if response.status // 100 != _SUCCESS:
        return None
    content_type, header = response.header("content-type"), response.first_header("refresh")
    found = find_refresh(response.body, url=url, content_type=content_type, header=header)
    return None if found is None or found.seconds > _MAX_FORWARD_SECONDS else found.url


class SampleChoice(NamedTuple):
    """Which listed pages to request.

    Attributes:
        size: The number of pages, or None for all.
        max_sitemaps: The number of sitemaps to read.
        limit: The largest sample in memory.
        on_sample: Called with the number of pages and the seconds between two requests, before the first one.
    """

    size: int | None
    max_sitemaps: int
    limit: int
    on_sample: Callable[[int, float], object]


class ListedPagesCheck:
    """Reads the sitemaps of an origin, and requests a sample of the pages.

    Args:
        requests: Sends the requests.
        origin: The origin.
        home: The URL of the home page, which is requested apart from the others.
        addresses: The other addresses of the site. Pages elsewhere are not requested.
        agents: The search engines.
        choice: Which pages to request.
    """

    def __init__(
        self,
        requests: SiteRequests,
        origin: Origin,
        *,
        home: str,
        addresses: Sequence[Origin],
        agents: Sequence[RequestedAgent],
        choice: SampleChoice,
    ) -> None:
        self._requests = requests
        self._origin = origin
        self._agents = agents
        self._choice = choice
        self._size = choice.limit if choice.size is None else min(choice.size, choice.limit)
        # The pages with the smallest hashes: a heap with the largest of them first.
        self._sample: list[tuple[int, str]] = []
        self._chosen: set[str] = set()
        self._candidates = 0
        self._reported: set[str] = set()
        self._origins = {str(origin)}
        self._own = {origin, *addresses}
        self._resources = PageResourcesCheck(requests, own=self._own, check_origin=self._check_origin)
        self._home = home
        self._followed: set[str] = set()
        self._not_allowed = NotAllowed("listed page")
        # A URL for which the site asked for fewer requests.
        self._slowing: str | None = None
        self._sitemaps = self._urls = self._sent = self._disallowed = 0

    @property
    def counts(self) -> ListedPages:
        """What was read so far."""
        return ListedPages(self._sitemaps, self._urls, self._sent, self._disallowed)

    def home_access_findings(self, start: str, urls: Sequence[str]) -> Iterator[AuditFinding]:
        """Yield which search engines may not fetch the home page.

        Args:
            start: The URL of the home page.
            urls: The URLs to decide about: that one, and those that it redirects to, in turn.
        Raises: RequestLimitReached.
        """
        agents = list(self._agents)
        for url in urls:
            blocked: dict[int | None, list[tuple[RequestedAgent, Verdict]]] = {}
            for agent in agents:
                try:
                    verdict = self._requests.decide(url, agent.agent)
                except (ClientClosed, RequestLimitReached):
                    raise
                except CanfetchError:
                    # Nothing is known about it.
                    continue
                if not verdict.allowed:
                    blocked.setdefault(verdict.line, []).append((agent, verdict))
            for line, pairs in blocked.items():
                names = ", ".join(agent.name for agent, _ in pairs)
                message = f"{pairs[0][1].explanation}, for {names}"
                message += "" if url == start else f"; {start} redirects to it"
                yield finding(AuditKind.HOME_BLOCKED, message, url=url, line=line)
                agents = [agent for agent in agents if agent.name not in {one.name for one, _ in pairs}]

    def home_findings(self, document: Document) -> Iterator[AuditFinding]:
        """Yield what is wrong with the home page."""
        response = document.response
        if response is None:
            # Without a rule, the robots.txt of a redirect's host fails, for search engines as well.
            if document.verdict.rule is not None:
                yield finding(AuditKind.NOT_ALLOWED, document.verdict.explanation, url=document.url)
            return
        if response.status // 100 != _SUCCESS:
            yield finding(AuditKind.HOME_FAILING, f"status {response.status}", url=self._home, status=response.status)
        else:
            yield from self._content_findings(self._home, response)

    def findings(self, sitemaps: Sequence[str]) -> Iterator[AuditFinding]:
        """Read the sitemaps, request the sample, and yield what is wrong.

        Args: sitemaps: The URLs of the sitemaps.
        Cost: The requests, and memory for the sample and for the URLs that are disallowed.
        """
        sources = dict.fromkeys(SitemapSource(url, self._origin) for url in sitemaps)
        events = sitemap_events(sources, max_sitemaps=self._choice.max_sitemaps, with_verdicts=True)
        for event in read_events(events, self._perform):
            if isinstance(event, SitemapFile):
                self._sitemaps += event.kind is not None
                yield from self._sitemap_findings(event)
            else:
                self._urls += 1
                yield from self._listed(event)
        yield from self._sampled()
        yield from self._not_allowed.findings()
        yield from self._resources.not_allowed.findings()

    def _perform(self, step: ReadingStep) -> Any:
        if isinstance(step, VerdictsStep | NamesStep):
            self._check_origin(step.url)
        if isinstance(step, VerdictsStep):
            return [self._requests.decide(step.url, agent.agent) for agent in self._agents]
        if isinstance(step, NamesStep):
            return self._requests.state(step.url).sitemaps(self._requests.clock())
        return self._requests.perform(step)

    def _listed(self, entry: SitemapEntry) -> Iterator[AuditFinding]:
        if not entry.verdicts:
            return
        if entry.is_blocked:
            if entry.url not in self._reported:
                self._reported.add(entry.url)
                place = f"in {redacted_url(entry.sitemap)}"
                yield blocked_finding(AuditKind.LISTED_BLOCKED, entry.url, self._named(entry.verdicts), place)
            if not any(verdict.allowed for verdict in entry.verdicts):
                return
        if entry.url == self._home or Origin.from_url(entry.url) not in self._own:
            return
        self._candidates += 1
        digest = -int.from_bytes(blake2b(entry.url.encode("utf-8", "surrogatepass"), digest_size=8).digest())
        if entry.url in self._chosen:
            self._candidates -= 1
        elif len(self._sample) < self._size:
            self._chosen.add(entry.url)
            heappush(self._sample, (digest, entry.url))
        elif self._sample and digest > self._sample[0][0]:
            self._chosen.add(entry.url)
            self._chosen.discard(heapreplace(self._sample, (digest, entry.url))[1])

    def _named(self, verdicts: Iterable[Verdict]) -> list[tuple[str, Verdict]]:
        return [(agent.name, one) for agent, one in zip(self._agents, verdicts, strict=True)]

    def _sampled(self) -> Iterator[AuditFinding]:
        pages = sorted(self._sample, reverse=True)
        # The sample is smaller if the limit of requests is.
        wanted = self._candidates if self._choice.size is None else min(self._choice.size, self._candidates)
        if pages:
            self._choice.on_sample(len(pages), self._requests.interval(str(self._origin)))
        for number, (_, url) in enumerate(pages):
            sent = self._sent
            try:
                yield from self._sampled_page(url)
            except RequestLimitReached as error:
                left = counted(wanted - number - (self._sent - sent), "page")
                yield finding(AuditKind.LIMIT_REACHED, f"{error}: {left} not requested")
                return
            if self._slowing is not None:
                left = counted(wanted - number - 1, "page")
                message = f"the site asks for fewer requests: {left} not requested"
                yield finding(AuditKind.SLOWED_DOWN, message, url=self._slowing, status=_TOO_MANY)
                return
        if wanted > len(pages):
            left = counted(wanted - len(pages), "page")
            yield finding(AuditKind.LIMIT_REACHED, f"the limit of requests is reached: {left} not requested")

    def _sampled_page(self, url: str) -> Iterator[AuditFinding]:
        sent = self._requests.sent
        try:
            verdict = self._requests.decide(url)
            if not verdict.allowed:
                self._disallowed += 1
                self._not_allowed.add(url, verdict)
                return
            sent = self._requests.sent
            response = self._requests.confirmed_fetch(url, max_bytes=DEFAULT_MAX_PAGE_BYTES)
        except (ClientClosed, RequestLimitReached):
            raise
        except CanfetchError as error:
            yield finding(AuditKind.LISTED_FAILING, str(error), url=url)
            return
        finally:
            # A page of which only the second request was over the limit was requested.
            self._sent += self._requests.sent > sent
        yield from self._page_findings(url, response)

    def _page_findings(self, url: str, response: Response | Failure) -> Iterator[AuditFinding]:
        if isinstance(response, Failure):
            yield finding(AuditKind.LISTED_FAILING, f"{response.kind}: {response.detail}", url=url)
            return
        status = response.status
        if status == _TOO_MANY:
            self._slowing = url
        elif status in REDIRECTS:
            target = redirect_target(url, response)
            leads = "nowhere" if target is None else f"to {quoted(redacted_url(target))}"
            leads = "to itself" if target == url else leads
            yield finding(AuditKind.LISTED_REDIRECTED, f"status {status} leads {leads}", url=url, status=status)
            if target is not None:
                yield from self._target_findings(url, target)
        elif status in MISSING:
            yield finding(AuditKind.LISTED_MISSING, f"status {status}", url=url, status=status)
        elif status // 100 != _SUCCESS:
            yield finding(AuditKind.LISTED_FAILING, f"status {status}", url=url, status=status)
        else:
            forward = forward_target(url, response)
            if forward is not None:
                leads = quoted(redacted_url(forward))
                message = f"a Refresh header or a meta element leads to {leads}"
                yield finding(AuditKind.LISTED_REDIRECTED, message, url=url, status=status)
                yield from self._target_findings(url, forward)
            yield from self._content_findings(url, response)

    def _target_findings(self, url: str, target: str) -> Iterator[AuditFinding]:
        """Yield what is wrong with the page that a listed address redirects to, unless it is listed or elsewhere.

        Raises: RequestLimitReached.
        """
        if target == url or Origin.from_url(target) not in self._own:
            return
        verdicts = [self._requests.decide(target, agent.agent) for agent in self._agents]
        if target not in self._reported and not all(verdict.allowed for verdict in verdicts):
            self._reported.add(target)
            place = f"{redacted_url(url)} redirects to it"
            yield blocked_finding(AuditKind.LISTED_BLOCKED, target, self._named(verdicts), place)
        known = {self._home, *self._followed, *(listed for _, listed in self._sample)}
        if target in known or len(self._followed) >= MAX_FOLLOWED or not any(one.allowed for one in verdicts):
            return
        self._followed.add(target)
        if not self._requests.decide(target).allowed:
            return
        response = self._requests.confirmed_fetch(target, max_bytes=DEFAULT_MAX_PAGE_BYTES)
        if isinstance(response, Response) and response.status == _TOO_MANY:
            self._slowing = target
        # A further redirect, or a failure, is not named: the list should have neither address.
        if isinstance(response, Response) and response.status // 100 == _SUCCESS:
            for one in self._content_findings(target, response):
                yield one._replace(message=f"{one.message}; {redacted_url(url)} redirects to it")

    def _content_findings(self, url: str, response: Response) -> Iterator[AuditFinding]:
        if is_challenge(response):
            kind = AuditKind.HOME_FAILING if url == self._home else AuditKind.LISTED_FAILING
            yield finding(kind, "a page that checks for a browser replaces it", url=url, status=response.status)
            return
        rules = parse_page(response.body, headers=response.headers, url=url)
        now = self._requests.clock()
        # Those that may not fetch the page do not see what it states. If none may, it is what they would see.
        agents = [agent for agent in self._agents if self._requests.decide(url, agent.agent).allowed]
        decisions = [(agent, rules.decide(agent=agent.agent, now=now).may_index) for agent in agents or self._agents]
        hidden = [(agent.name, one) for agent, one in decisions if not one.allowed]
        if hidden:
            message = by_reason((one.explanation, name) for name, one in hidden)
            kind = AuditKind.HOME_NOINDEX if url == self._home else AuditKind.LISTED_NOINDEX
            yield finding(kind, message, url=url, status=response.status)
        if agents:
            yield from self._resources.findings(url, response, agents)

    def _check_origin(self, url: str) -> None:
        """Check that the robots.txt of an origin may be fetched. A sitemap can list thousands of origins.

        Raises: NotFetched: There are too many.
        """
        origin = str(Origin.from_url(url))
        if origin not in self._origins and len(self._origins) > MAX_OTHER_ORIGINS:
            raise NotFetched(f"the robots.txt of more than {MAX_OTHER_ORIGINS} other origins is not fetched")
        self._origins.add(origin)

    def _sitemap_findings(self, file: SitemapFile) -> Iterator[AuditFinding]:
        blocked = self._blocked_sitemap(file.url)
        if blocked is not None:
            yield blocked
        if file.kind is not None and not file.urls and not file.problems:
            is_index = file.kind is SitemapKind.INDEX
            content = "the sitemap index lists no sitemaps" if is_index else "the sitemap lists no URLs"
            message = content if file.bytes else "the sitemap is empty (0 bytes)"
            yield finding(AuditKind.SITEMAP_FAULT, message, url=file.url)
        for problem in file.problems:
            kind, severity = AuditKind.SITEMAP_FAULT, Severity.ERROR if problem.is_unreadable else None
            message = str(problem)
            if problem.kind in _NOT_READ and self._is_limited:
                kind, severity = AuditKind.LIMIT_REACHED, None
            elif problem.kind is SitemapProblemKind.NOT_FETCHED:
                message = f"the sitemap cannot be fetched: {problem}"
                refusal = self._find_refusal(file.url)
                if refusal is not None and refusal.rule is not None:
                    if blocked is not None:
                        # The audit is one more client that may not read it.
                        continue
                    kind, severity = AuditKind.NOT_ALLOWED, None
                elif refusal is not None:
                    # No rule disallows it: the host does not answer, or its robots.txt fails.
                    message = f"the sitemap cannot be fetched: {refusal.explanation}"
            yield finding(kind, message, severity=severity, url=file.url)

    @property
    def _is_limited(self) -> bool:
        return self._requests.is_exhausted or len(self._origins) > MAX_OTHER_ORIGINS

    def _blocked_sitemap(self, url: str) -> AuditFinding | None:
        """Return that search engines may not fetch a sitemap, apart from those that may not fetch the home page."""
        try:
            verdicts = [
                (agent.name, self._requests.decide(url, agent.agent))
                for agent in self._agents
                if self._requests.decide(self._home, agent.agent).allowed
            ]
        except ClientClosed:
            raise
        except CanfetchError:
            # Nothing is known about it, or its URL is not valid.
            return None
        if any(not one.allowed and one.rule is not None for _, one in verdicts):
            return blocked_finding(AuditKind.SITEMAP_BLOCKED, url, verdicts, None)
        return None

    def _find_refusal(self, url: str) -> Verdict | None:
        """Return the verdict because of which the audit does not request a URL, or None."""
        try:
            verdict = self._requests.decide(url)
        except ClientClosed:
            raise
        except CanfetchError:
            return None
        return None if verdict.allowed else verdict
