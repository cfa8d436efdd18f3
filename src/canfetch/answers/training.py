"""Which crawlers may collect the pages of a site to train models."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from typing import Final, Literal, NamedTuple

from canfetch.agents import REGISTRY
from canfetch.agents.crawler import Crawler
from canfetch.consent.decision import may_use, read_sources
from canfetch.consent.purposes import control_tokens
from canfetch.consent.sources import MissingSource
from canfetch.consent.verdict import SourceState, UseVerdict
from canfetch.core.agent import Agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Rule

Permission = Literal["disallowed", "opted_out", "partly", "allowed"]
PERMISSIONS: Final[tuple[Permission, ...]] = ("disallowed", "opted_out", "partly", "allowed")
# Paths that represent all pages that no rule names.
_PAGES: Final = ("/", "/canfetch-sample", "/canfetch-sample/page.html", "/canfetch-sample?page=1")
# Bounds the time for a file with thousands of rules.
_MAX_EXCEPTIONS: Final = 200
_UNNAMED: Final = Agent("*")


class SiteTerms(NamedTuple):
    """What a site states on training outside of robots.txt.

    Attributes:
        tdm: The TDM file of the origin.
        licenses: The RSL documents that its robots.txt names, by URL.
    """

    tdm: bytes | str | MissingSource
    licenses: Mapping[str, bytes | str | MissingSource]


class TrainingAccess(NamedTuple):
    """The known training crawlers, by the permission that a site gives them.

    Attributes:
        crawlers: The names by permission: they may not fetch the site, the site asks them not to train or sets
            conditions, they may fetch parts of the site, or everything.
        deciding: The rules that decide about the home page, each with the names of the crawlers. The rule for most
            crawlers is first.
        use: Whether a crawler without a group of its own may train on a page that it may fetch.
    """

    crawlers: Mapping[Permission, Sequence[str]]
    deciding: Sequence[tuple[Rule, Sequence[str]]]
    use: UseVerdict


def training_access(
    robots: RobotsTxt | MissingSource, home_page: str, *, terms: SiteTerms, now: float
) -> TrainingAccess:
    """Return what a site permits the known training crawlers.

    Args:
        robots: The file whose rules apply, or why there is none.
        home_page: The absolute URL of the home page.
        terms: What else the site states.
        now: Seconds since the epoch.
    Cost: A few decisions for each selection of groups, and as `may_use`.
    """
    names: dict[Permission, list[str]] = {permission: [] for permission in PERMISSIONS}

    def use(page: AnyURL, agent: Agent) -> UseVerdict:
        return may_use(
            _absolute(home_page, page),
            purpose=UsagePurpose.TRAINING,
            agent=agent,
            robots=robots,
            tdm=terms.tdm,
            license=terms.licenses,
            now=now,
        )

    if isinstance(robots, MissingSource):
        unnamed = use(_PAGES[0], _UNNAMED)
        without_rules: Permission = "disallowed"
        if robots.state is SourceState.ABSENT:
            without_rules = "opted_out" if unnamed.is_refused else "allowed"
        names[without_rules] += (crawler.name for crawler in training_crawlers())
        return TrainingAccess(names, (), unnamed)
    deciding: dict[Rule, list[str]] = {}
    # Most crawlers have the same groups, and no control token.
    known: dict[tuple[tuple[int, ...], tuple[str, ...]], Permission] = {}
    for crawler in training_crawlers():
        rules = robots.rules_for(crawler.agent)
        tokens = tuple(token.name for token in control_tokens(crawler.agent, UsagePurpose.TRAINING))
        key = tuple(rules.group_indices), tokens
        permission = known.get(key) or known.setdefault(key, _permission(robots, rules, use))
        names[permission].append(crawler.name)
        rule = rules.decide(home_page).rule
        if rule is not None:
            deciding.setdefault(rule, []).append(crawler.name)
    page = _readable_page(robots, robots.rules_for(_UNNAMED)) or _PAGES[0]
    return TrainingAccess(names, sorted(deciding.items(), key=lambda item: -len(item[1])), use(page, _UNNAMED))


def training_licenses(robots: RobotsTxt, home_page: str) -> list[str]:
    """Return the absolute URLs of the RSL documents that a file names for the known training crawlers, each once."""
    sources = read_sources(home_page, robots=robots)
    agents = {tuple(robots.rules_for(agent).group_indices): agent for agent in (*_training_agents(), _UNNAMED)}
    return list(dict.fromkeys(chain.from_iterable(map(sources.license_urls, agents.values()))))


def _training_agents() -> Iterator[Agent]:
    return (crawler.agent for crawler in training_crawlers())


def _absolute(home_page: str, page: AnyURL) -> AnyURL:
    path = page if isinstance(page, bytes) else str(page).encode()
    return home_page.removesuffix("/").encode() + path


@cache
def training_crawlers() -> tuple[Crawler, ...]:
    """Return the known crawlers and tokens that collect pages to train models."""
    return tuple(one for one in REGISTRY.crawlers if "training" in one.purposes and not one.retired)


def _permission(robots: RobotsTxt, rules: AgentRules, use: Callable[[AnyURL, Agent], UseVerdict]) -> Permission:
    page = _readable_page(robots, rules)
    if page is None:
        return "disallowed"
    if use(page, rules.agent).is_refused:
        return "opted_out"
    return "partly" if any(not rule.allow and rule.pattern for rule in _rules(robots, rules)) else "allowed"


def _readable_page(robots: RobotsTxt, rules: AgentRules) -> AnyURL | None:
    """Return a page that a crawler may fetch, or None. Preferences do not apply to the others."""
    pages: Iterator[AnyURL] = chain(_PAGES, _exceptions(robots, rules))
    return next((page for page in pages if rules.allows(page)), None)


def _rules(robots: RobotsTxt, rules: AgentRules) -> Iterator[Rule]:
    return (rule for index in rules.group_indices for rule in robots.groups[index].rules)


def _exceptions(robots: RobotsTxt, rules: AgentRules) -> Iterator[bytes]:
    """Yield a target for each of the first allow rules, except rules for single files such as `/ads.txt`."""
    for rule in islice((rule for rule in _rules(robots, rules) if rule.allow), _MAX_EXCEPTIONS):
        path = rule.pattern.removesuffix(b"$").replace(b"*", b"canfetch-sample")
        if path.startswith(b"/") and b"." not in path.partition(b"?")[0].rpartition(b"/")[2]:
            yield path
