"""Who may fetch a site for which purpose, by which line, and what the site states on the use of its content."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final, NamedTuple

from canfetch.agents import REGISTRY, Crawler
from canfetch.agents.requested import RequestedAgent
from canfetch.answers.site_facts import CrawlerFacts, site_facts_of
from canfetch.audit.findings import AuditFinding, AuditKind, finding
from canfetch.audit.report import CrawlerAccess, PurposeAccess
from canfetch.audit.site_requests import SiteRequests
from canfetch.client.documents import Document, run_steps
from canfetch.client.origin_state import OriginState
from canfetch.client.use import read_use
from canfetch.consent.purposes import is_control_token
from canfetch.consent.sources import MissingSource, PageResponse
from canfetch.consent.verdict import ROBOTS, SourceState, UseVerdict
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.origin import Origin
from canfetch.core.text import abbreviated

_TITLES: Final[Mapping[str, tuple[str, UsagePurpose | None]]] = {
    "search-index": ("Search engines", UsagePurpose.SEARCH),
    "training": ("Training of AI models", UsagePurpose.TRAINING),
    "answers": ("Answers of AI", UsagePurpose.AI_USE),
    "user-triggered": ("Requests of users and their assistants", None),
    "archive": ("Archives", None),
}
_SEARCH: Final = "search-index"
_ANYBODY: Final = Agent("*")
_MAX_NAMES: Final = 4
_UNKNOWN: Final = "unknown"


def check_purposes(
    requests: SiteRequests, state: OriginState, page: Document | MissingSource, now: float
) -> tuple[PurposeAccess, ...]:
    """Return who may fetch a site for each purpose.

    Args:
        page: The home page, or why it was not fetched.
    """
    states = {requests.state_for(state, crawler) for crawler in REGISTRY.crawlers}
    rows = {one: _Rows.of(one, now) for one in states}
    uses = _uses(requests, state.origin, page, now)
    return tuple(
        PurposeAccess(name, title, tuple(_access(name, requests, rows, state, now)), None if use is None else uses[use])
        for name, (title, use) in _TITLES.items()
    )


def purpose_findings(purposes: tuple[PurposeAccess, ...], origin: Origin) -> Iterator[AuditFinding]:
    """Yield contradictions between what crawlers may fetch and what the site states."""
    for purpose in purposes:
        closed = {one.may_fetch: one for one in purpose.crawlers if not one.token_only}
        if purpose.name == _SEARCH and set(closed) == {"none"}:
            line = max(closed["none"].lines, default=None)
            yield finding(
                AuditKind.SITE_CLOSED, "no search engine may fetch any page", url=origin.robots_url, line=line
            )
        if purpose.use is not None and purpose.use.allowed is False and (opened := closed.get("all")):
            statement = purpose.use.decided_by[0]
            yield finding(
                AuditKind.STATED_ONLY,
                f"{statement}; but {abbreviated(opened.names, _MAX_NAMES)} may fetch all pages",
                url=origin.robots_url,
                line=statement.line if statement.source == ROBOTS else None,
            )


class _Rows(NamedTuple):
    """What the file of an origin states for each crawler.

    Attributes:
        robots: The file.
        by_name: The row of each crawler that the file names or that the registry knows, by its name in lower case.
    """

    robots: RobotsTxt
    by_name: Mapping[str, CrawlerFacts]

    @classmethod
    def of(cls, state: OriginState, now: float) -> "_Rows":
        facts = site_facts_of(state, now=now)
        if facts.truncated:
            agents = [RequestedAgent(one.name, one.agent, one) for one in REGISTRY.crawlers]
            facts = site_facts_of(state, agents, now=now)
        return cls(facts.robots, {name.lower(): row for row in facts.crawlers for name in (*row.names, *row.known)})


def _access(
    purpose: str,
    requests: SiteRequests,
    rows_of: Mapping[OriginState, _Rows],
    state: OriginState,
    now: float,
) -> Iterator[CrawlerAccess]:
    home = f"{state.origin}/"
    found: dict[tuple[str, bool], dict[str, set[int]]] = {}
    for crawler in REGISTRY.crawlers:
        if crawler.retired or not _has_purpose(crawler, purpose):
            continue
        own = requests.state_for(state, crawler)
        rows = rows_of[own]
        row = rows.by_name.get(crawler.name.lower(), rows.by_name.get("*"))
        verdict = own.decide(home, crawler.agent, now)
        # A row can have the lines of other crawlers, too.
        lines = {*rows.robots.rules_for(crawler.agent).group.lines, *(() if verdict.line is None else (verdict.line,))}
        key = _UNKNOWN if row is None else row.may_fetch, is_control_token(crawler.name)
        found.setdefault(key, {})[crawler.name] = lines
    for token_only, may_fetch in product((False, True), ("all", "some", "none", "undecided", _UNKNOWN)):
        names = found.get((may_fetch, token_only))
        if names:
            yield CrawlerAccess(may_fetch, tuple(names), tuple(sorted(set().union(*names.values()))), token_only)


def _has_purpose(crawler: Crawler, purpose: str) -> bool:
    return purpose == crawler.purposes[0] if purpose == _SEARCH else purpose in crawler.purposes


def _uses(
    requests: SiteRequests, origin: Origin, page: Document | MissingSource, now: float
) -> dict[UsagePurpose, UseVerdict]:
    url = f"{origin}/"
    response: PageResponse | MissingSource
    if isinstance(page, MissingSource):
        response = page
    elif page.response is None:
        response = MissingSource(SourceState.NOT_READ, "robots.txt disallows it")
    else:
        answer, url = page.response, page.url
        response = PageResponse(answer.status, answer.headers, answer.body)
    reading, sources = run_steps(read_use(url, _ANYBODY, response, now), requests.perform)
    return reading.decide_purposes(sources, _ANYBODY, UsagePurpose)
