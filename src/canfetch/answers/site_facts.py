"""The whole contract of a site: what its robots.txt states, for each crawler and for all of them.

Without requested agents, there is a row for the crawlers that the file names, one for all others, and one for the known
crawlers that ignore the groups for `*`. Crawlers for which the file states the same share a row.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from canfetch.agents import REGISTRY, Crawler
from canfetch.agents.crawl_delays import ignores_crawl_delay, reads_delay_as_window
from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import with_notes
from canfetch.answers.statements import CrawlerStatements, crawler_statements, usages_json
from canfetch.client.origin_state import OriginState
from canfetch.compare.budget import steps_for
from canfetch.compare.coverage import CoverageKind, coverage
from canfetch.consent.purposes import is_control_token
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.document_urls import SitemapURL
from canfetch.core.extensions.host import HostName
from canfetch.core.extensions.record import Extension, ExtensionScope
from canfetch.core.text import display_text, printable_text
from canfetch.core.verdict import AccessInfo, Effect, GroupChoice, Rule
from canfetch.errors import InvalidProductToken, Undecided

FACTS_SCHEMA: Final = "canfetch.facts/1"
MAX_ROWS: Final = 100
"""The number of rows of a file. A file can have thousands of different groups."""
# Of a row, for the decision whether it may fetch everything, something or nothing.
_MICROSECONDS: Final = 20_000
# Of the rules of a row in JSON.
_MAX_RULES: Final = 100
# These match a URL in every profile.
_PLAIN_PATH: Final = re.compile(rb"/[0-9A-Za-z_/-]*")
# The number of other rules of a row for which it is proved that they match a URL, and the limit of each proof.
_PROVED_RULES: Final = 50
_PROOF_MICROSECONDS: Final = 500
# Crawlers with these purposes are listed first, because most files are about them. Tokens that never fetch are last.
_MAIN_PURPOSES: Final = frozenset({"search-index", "training"})
# No file names this agent.
_UNNAMED: Final = Agent("~~")
_STAR: Final = "*"
# The records that rows, `sitemaps` and `hosts` show.
_SHOWN: Final = frozenset(
    {
        *("sitemap", "host", "crawl-delay", "request-rate", "visit-time", "license"),
        *("content-signal", "content-usage", "disallowaitraining", "allowaitraining"),
    }
)
# Of the records that nothing else shows, in JSON.
_MAX_RECORDS: Final = 100

MayFetch = Literal["all", "some", "none", "undecided"]
"""The URLs that a crawler may fetch, apart from robots.txt itself."""

RowKind = Literal["requested", "named", "others", "ignoring-star"]
"""Whose row it is: of a requested agent, of crawlers that the file names, of all others, or of crawlers that ignore the
groups for `*` and that the file does not name."""


class CrawlerFacts(NamedTuple):
    """What a file states for some crawlers.

    Attributes:
        kind: Whose row it is.
        names: The product tokens that select the row: as the file writes them, or as requested.
        lines: Their user-agent lines.
        choice: How the groups were selected.
        may_fetch: Whether the crawlers may fetch all URLs, some, or none.
        rules: The rules of their groups.
        matching: Whether each of these rules matches some URL.
        statements: The pace, the preferences for `/`, and the licenses.
        known: The crawlers of the registry for which the row applies although the file does not name them.
        ignoring_delay: The crawlers of the row that are known to ignore its Crawl-delay.
        window_delay: Those that are known to read it as a window with one request.
        control_tokens: Those of the names that are control tokens, which fetch nothing.
    """

    kind: RowKind
    names: tuple[str, ...]
    lines: tuple[int, ...]
    choice: GroupChoice
    may_fetch: MayFetch
    rules: tuple[Rule, ...]
    matching: tuple[bool, ...]
    statements: CrawlerStatements
    known: tuple[str, ...]
    ignoring_delay: tuple[str, ...]
    window_delay: tuple[str, ...]
    control_tokens: tuple[str, ...]

    @property
    def fetches_nothing(self) -> bool:
        """Whether all of them are control tokens, so that `may_fetch` is about the URLs whose use is permitted."""
        return bool(self.names) and not self.known and self.control_tokens == self.names

    def patterns(self, *, allow: bool) -> list[str]:
        """Return the patterns of the rules of one type that match some URL."""
        return [
            display_text(rule.pattern)
            for rule, matches in zip(self.rules, self.matching, strict=True)
            if rule.allow is allow and matches
        ]

    def to_json(self, now: float) -> dict[str, Any]:
        """Return the row as JSON.

        Args: now: The time of the facts.
        """
        return {
            "kind": self.kind,
            "names": list(self.names),
            "lines": list(self.lines),
            "group": str(self.choice),
            "may_fetch": self.may_fetch,
            "rules": [
                {**rule.to_json(), "matches": matches}
                for rule, matches in zip(self.rules[:_MAX_RULES], self.matching, strict=False)
            ],
            "rule_count": len(self.rules),
            "pace": self.statements.pace.to_json(now),
            "ignoring_crawl_delay": list(self.ignoring_delay),
            "crawl_delay_as_window": list(self.window_delay),
            "usage": usages_json(self.statements.usages),
            "licenses": [record.to_json() for record in self.statements.licenses],
            "known_crawlers": list(self.known),
            "control_tokens": list(self.control_tokens),
            "fetches_nothing": self.fetches_nothing,
        }


class SiteFacts(NamedTuple):
    """What the robots.txt of a site states.

    Attributes:
        robots: The file. It is empty if no file applies.
        access: How the file was obtained, or None if it was not fetched.
        now: The time of the facts, in seconds since the epoch.
        agents: The requested agents.
        crawlers: A row for each requested agent, or for each crawler that the file distinguishes.
        truncated: Whether rows were left out.
    """

    robots: RobotsTxt
    access: AccessInfo | None
    now: float
    agents: Sequence[RequestedAgent]
    crawlers: Sequence[CrawlerFacts]
    truncated: bool

    @property
    def sitemaps(self) -> tuple[Extension[SitemapURL], ...]:
        """The sitemap records."""
        return self.robots.extensions.of_type(SitemapURL)

    @property
    def hosts(self) -> tuple[Extension[HostName], ...]:
        """The Host records: the preferred mirror. No crawler is known to read them since 2018."""
        return self.robots.extensions.of_type(HostName)

    @property
    def other_records(self) -> tuple[Extension[Any], ...]:
        """The records that nothing else here shows: of other kinds, unreadable, or outside of all groups."""
        return tuple(
            record
            for record in self.robots.extensions
            if record.name not in _SHOWN or record.parsed is None or record.scope is ExtensionScope.NONE
        )

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON, with notes about agents that are not known."""
        answer = {
            "schema": FACTS_SCHEMA,
            "profile": self.robots.profile,
            "access": None if self.access is None else self.access.to_json(),
            "bytes_read": len(self.robots.content),
            "robots_truncated": bool(self.robots.tail),
            "crawlers": (row.to_json(self.now) for row in self.crawlers),
            "truncated": self.truncated,
            "sitemaps": [_file_record(record, record.parsed.url) for record in self.sitemaps],
            "hosts": [_file_record(record, host_text(record.parsed)) for record in self.hosts],
            "other_records": [record.to_json() for record in self.other_records[:_MAX_RECORDS]],
        }
        return with_notes(answer, self.agents, self.robots)


def site_facts(
    robots: RobotsTxt, agents: Sequence[RequestedAgent] = (), *, now: float, access: AccessInfo | None = None
) -> SiteFacts:
    """Return what a file states.

    Args:
        agents: The agents to answer for. Without any, the rows are those of the crawlers that the file distinguishes.
        now: The time in seconds since the epoch, on which daily windows depend.
        access: How the file was obtained, or None if it was not fetched.
    Cost: O(bytes of the file), and for each of at most 100 rows the cost of `compare.coverage` within a limit, and
        O(records other than rules and user-agent lines).
    """
    is_closed = access is not None and access.effect is Effect.FULL_DISALLOW
    found = [_requested(robots, agent) for agent in agents] if agents else list(_Distinguished(robots).rows())
    is_truncated = not agents and len(found) > MAX_ROWS
    if is_truncated:
        # The others are the last row, and the most important one.
        found = [*found[: MAX_ROWS - 1], found[-1]]
    rows = [_row(robots, crawlers, now) for crawlers in found]
    if is_closed:
        rows = [row._replace(may_fetch="none") for row in rows]
    return SiteFacts(robots, access, now, agents, rows, is_truncated)


def site_facts_of(
    state: OriginState, agents: Sequence[RequestedAgent] = (), *, now: float, profile: str | None = None
) -> SiteFacts:
    """Return what the robots.txt of an origin states. See `site_facts`.

    Args: profile: The parsing profile, or None for that of the client.
    Raises: UnknownProfile.
    """
    if profile is not None and profile != state.options.profile.name:
        state = state.with_profile(profile)
    copy = state.effective_access(now).copy
    robots = parse(b"", profile=state.options.profile.name) if copy is None else state.parse_copy(copy)
    return site_facts(robots, agents, now=now, access=state.access_info(now))


class _Crawlers(NamedTuple):
    """Crawlers for which a file states the same.

    Attributes:
        agent: One of them.
        groups: The indices of the groups that they select.
        names: Their names in the file, or as requested.
        known: The known crawlers among them that the file does not name.
    """

    kind: RowKind
    agent: Agent
    groups: set[int]
    names: list[str]
    known: list[str]


class _Distinguished:
    """The crawlers that a file distinguishes."""

    def __init__(self, robots: RobotsTxt) -> None:
        self._robots = robots
        self._groups = robots.groups
        self._with_records = {record.group for record in robots.extensions if record.scope is ExtensionScope.GROUP}
        self._rows: dict[object, _Crawlers] = {}
        self._named: set[str] = set()
        star = robots.rules_for(_UNNAMED).group_indices
        self._others = _Crawlers("others", _UNNAMED, set(star), [_STAR], [])
        self._ignoring = _Crawlers("ignoring-star", Agent("~~", star_applies=False), set(), [], [])
        for name in dict.fromkeys(token for group in self._groups for token in group.tokens):
            self._add_name(name)
        for crawler in sorted(REGISTRY.crawlers, key=_rank):
            self._add_known(crawler)

    def rows(self) -> Iterator[_Crawlers]:
        """Yield those that the file names, those that ignore the groups for `*`, and all others."""
        yield from self._rows.values()
        if self._others.groups and self._ignoring.known:
            yield self._ignoring
        yield self._others

    def _add_name(self, name: str) -> None:
        agent = _agent(name)
        # The groups for `*` are those of all others. Other names may be tokens that no crawler can have.
        if agent is None or name == _STAR or name.lower() in self._named:
            return
        indices = self._robots.rules_for(agent).group_indices
        if indices:
            self._named.add(name.lower())
            row = self._rows.setdefault(self._key_of(indices), _Crawlers("named", agent, set(), [], []))
            row.groups.update(indices)
            row.names.append(name)

    def _add_known(self, crawler: Crawler) -> None:
        if crawler.retired or crawler.name.lower() in self._named:
            return
        indices = self._robots.rules_for(crawler.agent).group_indices
        if set(indices) == self._others.groups and crawler.star_applies:
            self._others.known.append(crawler.name)
        elif not indices:
            self._ignoring.known.append(crawler.name)
        elif (row := self._rows.get(self._key_of(indices))) is not None:
            row.known.append(crawler.name)

    def _key_of(self, indices: Sequence[int]) -> object:
        if self._with_records.isdisjoint(indices):
            return frozenset((rule.allow, rule.pattern) for index in indices for rule in self._groups[index].rules)
        # The lines of records are shown, so that they are those of one group.
        return tuple(indices)


def _rank(crawler: Crawler) -> int:
    return 2 if crawler.token_only else int(crawler.purposes[0] not in _MAIN_PURPOSES)


def _requested(robots: RobotsTxt, agent: RequestedAgent) -> _Crawlers:
    return _Crawlers("requested", agent.agent, set(robots.rules_for(agent.agent).group_indices), [agent.name], [])


def _row(robots: RobotsTxt, crawlers: _Crawlers, now: float) -> CrawlerFacts:
    agent, names, known = crawlers.agent, crawlers.names, crawlers.known
    rules = robots.rules_for(agent)
    statements = crawler_statements(robots, agent, now)
    delayed = (*names, *known) if statements.pace.crawl_delay else ()
    own = tuple(rule for index in rules.group_indices for rule in robots.groups[index].rules)
    return CrawlerFacts(
        kind=crawlers.kind,
        names=tuple(map(printable_text, names)),
        lines=_lines(robots, crawlers) if len(names) > 1 else rules.group.lines,
        choice=rules.group.choice,
        may_fetch=_may_fetch(robots, agent),
        rules=own,
        matching=tuple(_matching(own, robots.profile)),
        statements=statements,
        known=tuple(known),
        ignoring_delay=tuple(printable_text(name) for name in delayed if ignores_crawl_delay(name)),
        window_delay=tuple(printable_text(name) for name in delayed if reads_delay_as_window(name)),
        control_tokens=tuple(printable_text(name) for name in names if is_control_token(name)),
    )


def _lines(robots: RobotsTxt, crawlers: _Crawlers) -> tuple[int, ...]:
    """Return the user-agent lines of several names, which can be in several groups with the same rules."""
    names = {name.lower() for name in crawlers.names}
    agents = (agent for index in sorted(crawlers.groups) for agent in robots.groups[index].user_agents)
    return tuple(agent.line for agent in agents if agent.token.lower() in names)


def _agent(name: str) -> Agent | None:
    try:
        return Agent(name, star_applies=False)
    except InvalidProductToken:
        return None


def _may_fetch(robots: RobotsTxt, agent: Agent) -> MayFetch:
    try:
        kind = coverage(robots, agent=agent, steps=steps_for(_MICROSECONDS)).kind
    except Undecided:
        return "undecided"
    return {CoverageKind.ALL: "all", CoverageKind.SOME: "some", CoverageKind.NONE: "none"}[kind]  # type: ignore[return-value]  # the values are literals


def _matching(rules: Iterable[Rule], profile: str) -> Iterator[bool]:
    """Return whether each rule matches some URL. After many proofs, patterns that start as a path count as matching."""
    proofs = 0
    for rule in rules:
        if _PLAIN_PATH.fullmatch(rule.pattern):
            yield True
        elif proofs < _PROVED_RULES:
            proofs += 1
            yield _matches_some_url(rule.pattern, profile)
        else:
            yield rule.pattern.startswith((b"/", b"*"))


def _matches_some_url(pattern: bytes, profile: str) -> bool:
    alone = parse(b"User-agent: *\nDisallow: " + pattern, profile=profile)
    try:
        return coverage(alone, agent=_UNNAMED, steps=steps_for(_PROOF_MICROSECONDS)).kind is not CoverageKind.ALL
    except Undecided:
        return True


def _file_record(record: Extension[Any], value: str) -> dict[str, Any]:
    return {"value": printable_text(value), "line": record.line}


def host_text(host: HostName) -> str:
    """Return a preferred host as a record writes it."""
    scheme = "" if host.scheme is None else f"{host.scheme}://"
    return f"{scheme}{host.host}{'' if host.port is None else f':{host.port}'}"
