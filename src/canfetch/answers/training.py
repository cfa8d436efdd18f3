"""Which crawlers may collect the pages of a site to train models."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, Final, Literal, NamedTuple

from canfetch.agents import REGISTRY
from canfetch.agents.crawler import Crawler
from canfetch.client.use import UseQuestion, UseReading
from canfetch.consent.license_terms import stated_terms
from canfetch.consent.purposes import control_tokens
from canfetch.consent.rsl import RSLDocument, parse_rsl
from canfetch.consent.sources import MissingSource
from canfetch.consent.statements import states_use
from canfetch.consent.verdict import ROBOTS, SourceState, UseSource, UseVerdict
from canfetch.core.agent import Agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.extensions.record import Extension
from canfetch.core.extensions.usage_records import statements_of
from canfetch.core.origin import find_origin
from canfetch.core.verdict import Rule
from canfetch.pages.tdm import parse_tdm_file

Permission = Literal["disallowed", "opted_out", "partly", "allowed"]
PERMISSIONS: Final[tuple[Permission, ...]] = ("disallowed", "opted_out", "partly", "allowed")
_TRAINING: Final = UsagePurpose.TRAINING
_SAMPLE: Final = "canfetch-sample"
# The home page, and pages that represent all pages that no rule names.
_PAGES: Final = ("/$", "/*", "/*/page.html$", "/*?page=1$")
# Bounds the time for a file with thousands of rules.
_MAX_EXCEPTIONS: Final = 200
# The statements of each kind whose paths are tried for a crawler. Usually, the first one restricts it.
_MAX_PARTS: Final = 3
_MAX_URL: Final = 2000
_UNNAMED: Final = Agent("*")


class TrainingAccess(NamedTuple):
    """The known training crawlers, by the permission that a site gives them.

    Attributes:
        crawlers: The names by permission: they may not fetch the site; the site asks them not to train, or sets
            conditions; they may fetch, or train on, parts of the site only; they may fetch everything.
        deciding: The lines of robots.txt that decide, each with the names of the crawlers: the statement that
            restricts training, or else the rule for the home page. The line for most crawlers is first.
        use: Whether a crawler without a group of its own may train on a page that it may fetch.
        use_in_parts: The same for a part of the site that is restricted although `use` is not refused, or None.
        unread: The sources that were not read, for any of the crawlers.
    """

    crawlers: Mapping[Permission, Sequence[str]]
    deciding: Sequence[tuple[int, Sequence[str]]]
    use: UseVerdict
    use_in_parts: UseVerdict | None
    unread: Sequence[UseSource]


def training_access(reading: UseReading, now: float) -> TrainingAccess:
    """Return what a site permits the known training crawlers.

    Args:
        reading: The files of the site, with the absolute URL of its home page.
        now: Seconds since the epoch.
    Cost: For each selection of groups, as `may_use` for a few pages, and for three paths of each kind of statements.
        Once for each content of a license and each entry of tdmrep.json.
    """
    names: dict[Permission, list[str]] = {permission: [] for permission in PERMISSIONS}
    robots = reading.robots
    if isinstance(robots, MissingSource):
        if robots.state is not SourceState.ABSENT:
            names["disallowed"] += (crawler.name for crawler in training_crawlers())
            use = reading.decide(UseQuestion(_TRAINING, _UNNAMED, now))
            return TrainingAccess(names, (), use, None, use.unread)
        robots = parse(b"")
    site = _Site(reading, robots, now)
    unnamed = site.access(_UNNAMED)
    deciding: dict[int, list[str]] = {}
    # Most crawlers have the same groups, and no control token.
    known: dict[tuple[tuple[int, ...], tuple[str, ...]], _Access] = {}
    for crawler in training_crawlers():
        tokens = tuple(token.name for token in control_tokens(crawler.agent, _TRAINING))
        key = tuple(robots.rules_for(crawler.agent).group_indices), tokens
        found = known.get(key) or known.setdefault(key, site.access(crawler.agent))
        names[found.permission].append(crawler.name)
        if found.line is not None:
            deciding.setdefault(found.line, []).append(crawler.name)
    return TrainingAccess(
        names,
        sorted(deciding.items(), key=lambda item: -len(item[1])),
        unnamed.use,
        unnamed.use_in_parts,
        tuple(dict.fromkeys(chain.from_iterable(one.use.unread for one in (unnamed, *known.values())))),
    )


def training_licenses(reading: UseReading, now: float) -> list[str]:
    """Return the absolute URLs of the RSL documents that a site names for the known training crawlers, each once."""
    robots, sources = reading.robots, reading.sources(now)
    if isinstance(robots, MissingSource):
        return []
    everyone = (*(crawler.agent for crawler in training_crawlers()), _UNNAMED)
    agents = {tuple(robots.rules_for(agent).group_indices): agent for agent in everyone}
    return list(dict.fromkeys(chain.from_iterable(map(sources.license_urls, agents.values()))))


@cache
def training_crawlers() -> tuple[Crawler, ...]:
    """Return the known crawlers and tokens that collect pages to train models."""
    return tuple(one for one in REGISTRY.crawlers if "training" in one.purposes and not one.retired)


class _Access(NamedTuple):
    """What a site permits one crawler, as in `TrainingAccess`, and the line of robots.txt that decides, or None."""

    permission: Permission
    use: UseVerdict
    use_in_parts: UseVerdict | None
    line: int | None


class _Site:
    """The pages that represent the parts of a site, and the answers about them."""

    def __init__(self, reading: UseReading, robots: RobotsTxt, now: float) -> None:
        self._reading, self._robots = reading._replace(robots=robots), robots
        self._sources = cache(lambda page: self._reading._replace(url=page).sources(now))
        # Those of tdmrep.json and of a license are the same for all crawlers.
        self._reserved_pages = cache(lambda: tuple(islice(self._find_reserved(), _MAX_PARTS)))
        self._license_pages = cache(lambda url: tuple(islice(self._find_licensed(url), _MAX_PARTS)))
        self._paths = defaultdict[int | None, list[bytes]](list)
        for record in robots.extensions:
            if states_use(record, _TRAINING) and _restricts(record):
                self._paths[record.group].append(record.parsed.path or b"/")

    def access(self, agent: Agent) -> _Access:
        """Return what the site permits a crawler."""
        rules, home_page = self._robots.rules_for(agent), self._reading.url
        home_line = rules.decide(home_page).line
        # Preferences do not apply to pages that the crawler may not fetch.
        pages = list(filter(rules.allows, self._pages(_PAGES)))
        pages = pages or list(islice(filter(rules.allows, self._exceptions(rules)), 1))
        if not pages:
            return _Access("disallowed", self._use(home_page, agent), None, home_line)
        uses = (self._use(page, agent) for page in pages)
        use, in_parts = next(uses), None
        if use.is_refused:
            use, in_parts = next((one for one in uses if not one.is_refused), use), use
            if use.is_refused:
                return _Access("opted_out", use, None, _stated_line(use))
        else:
            parts = (self._use(page, agent) for page in self._restricted_pages(agent) if rules.allows(page))
            in_parts = next((one for one in parts if one.is_refused), None)
        if in_parts is not None:
            return _Access("partly", use, in_parts, _stated_line(in_parts))
        is_partly = any(not rule.allow and rule.pattern for rule in self._rules(rules))
        return _Access("partly" if is_partly else "allowed", use, None, home_line)

    def _use(self, page: str, agent: Agent) -> UseVerdict:
        return self._reading.decide_purposes(self._sources(page), agent, [_TRAINING])[_TRAINING]

    def _rules(self, rules: AgentRules) -> Iterator[Rule]:
        return (rule for index in rules.group_indices for rule in self._robots.groups[index].rules)

    def _pages(self, patterns: Iterable[str | bytes]) -> Iterator[str]:
        """Yield a URL of the site for each pattern of paths or URLs, unless it is long."""
        home_page, origin = self._reading.url, find_origin(self._reading.url)
        for pattern in patterns:
            text = pattern if isinstance(pattern, str) else pattern.decode("utf-8", "surrogateescape")
            # The exact path can be an exception.
            text += "" if text.endswith(("$", "*")) else "*"
            path = text.removesuffix("$").replace("*", _SAMPLE)
            url = home_page + path.removeprefix("/") if find_origin(path) is None else path
            if len(url) <= _MAX_URL and find_origin(url) == origin:
                yield url

    def _exceptions(self, rules: AgentRules) -> Iterator[str]:
        """Yield a page for each of the first allow rules, except rules for single files such as `/ads.txt`."""
        allowing = islice((rule.pattern for rule in self._rules(rules) if rule.allow), _MAX_EXCEPTIONS)
        return self._pages(one for one in allowing if b"." not in one.partition(b"?")[0].rpartition(b"/")[2])

    def _restricted_pages(self, agent: Agent) -> Iterator[str]:
        """Yield a page for each of the first paths for which something besides the rules for a crawler restricts it."""
        groups = (*self._robots.rules_for(agent).group_indices, None)
        yield from self._pages(islice(chain.from_iterable(self._paths.get(one, ()) for one in groups), _MAX_PARTS))
        for token in control_tokens(agent, _TRAINING):
            rules = self._rules(self._robots.rules_for(token.agent))
            yield from self._pages(islice((rule.pattern for rule in rules if not rule.allow), _MAX_PARTS))
        yield from self._reserved_pages()
        yield from chain.from_iterable(map(self._license_pages, self._sources(self._reading.url).license_urls(agent)))

    def _find_reserved(self) -> Iterator[str]:
        """Yield a page for each entry of tdmrep.json that reserves the rights."""
        tdm = self._reading.tdm
        entries = () if isinstance(tdm, MissingSource) else parse_tdm_file(tdm).entries
        return self._pages(one.location or "" for one in entries if one.reserved)

    def _find_licensed(self, url: str) -> Iterator[str]:
        """Yield a page for each content of a license that does not permit training on it, or only on conditions."""
        document = self._reading.licenses.get(url, b"")
        contents = () if isinstance(document, MissingSource) else parse_rsl(document).contents
        for one in contents:
            for page in self._pages([one.url]):
                terms = stated_terms(RSLDocument((one,)), page, _TRAINING, is_scope=False)
                if any(term.is_conditional or term.preference is Preference.DISALLOW for term in terms):
                    yield page


def _restricts(record: Extension[Any]) -> bool:
    stated = statements_of(record, _TRAINING)
    return any(one.usage_preference.preference is Preference.DISALLOW for one in stated)


def _stated_line(verdict: UseVerdict) -> int | None:
    """Return the first line of robots.txt that decides about a use, or None."""
    return next((one.line for one in verdict.decided_by if one.source == ROBOTS and one.line is not None), None)
