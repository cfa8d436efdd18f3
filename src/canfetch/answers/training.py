"""Which crawlers may collect the pages of a site to train models."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from typing import Final, Literal, NamedTuple

from canfetch.agents import REGISTRY
from canfetch.agents.crawler import Crawler
from canfetch.core.agent import Agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.preference import Preference
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Rule

Permission = Literal["disallowed", "opted_out", "partly", "allowed"]
PERMISSIONS: Final[tuple[Permission, ...]] = ("disallowed", "opted_out", "partly", "allowed")
# Paths that represent all pages that no rule names.
_PAGES: Final = ("/", "/canfetch-sample", "/canfetch-sample/page.html", "/canfetch-sample?page=1")
# Bounds the time for a file with thousands of rules.
_MAX_EXCEPTIONS: Final = 200
_UNNAMED: Final = Agent("*")


class TrainingAccess(NamedTuple):
    """The known training crawlers, by the permission that a site gives them.

    Attributes:
        crawlers: The names by permission: they may not fetch the site, the site asks them not to train, they may fetch
            parts of the site, or everything.
        deciding: The rules that decide about the home page, each with the names of the crawlers. The rule for most
            crawlers is first.
        page: A page that a crawler without a group of its own may fetch. The preferences for it are those of the site.
    """

    crawlers: Mapping[Permission, Sequence[str]]
    deciding: Sequence[tuple[Rule, Sequence[str]]]
    page: AnyURL


def training_access(robots: RobotsTxt | None, home_page: str, *, without_rules: Permission) -> TrainingAccess:
    """Return what a site permits the known training crawlers.

    Args:
        robots: The file whose rules apply, or None if there is none.
        without_rules: The permission of all crawlers if there is no file.
    Cost: A few decisions for each selection of groups.
    """
    names: dict[Permission, list[str]] = {permission: [] for permission in PERMISSIONS}
    if robots is None:
        names[without_rules] += (crawler.name for crawler in training_crawlers())
        return TrainingAccess(names, (), home_page)
    deciding: dict[Rule, list[str]] = {}
    # Most crawlers have the same groups.
    known: dict[tuple[int, ...], Permission] = {}
    for crawler in training_crawlers():
        rules = robots.rules_for(crawler.agent)
        groups = tuple(rules.group_indices)
        permission = known.get(groups) or known.setdefault(groups, _permission(robots, rules))
        names[permission].append(crawler.name)
        rule = rules.decide(home_page).rule
        if rule is not None:
            deciding.setdefault(rule, []).append(crawler.name)
    page = _readable_page(robots, robots.rules_for(_UNNAMED)) or home_page
    return TrainingAccess(names, sorted(deciding.items(), key=lambda item: -len(item[1])), page)


@cache
def training_crawlers() -> tuple[Crawler, ...]:
    """Return the known crawlers and tokens that collect pages to train models."""
    return tuple(one for one in REGISTRY.crawlers if "training" in one.purposes and not one.retired)


def _permission(robots: RobotsTxt, rules: AgentRules) -> Permission:
    page = _readable_page(robots, rules)
    if page is None:
        return "disallowed"
    if robots.usage(page, agent=rules.agent, purpose="training").preference is Preference.DISALLOW:
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
