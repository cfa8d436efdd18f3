"""Whether a robots.txt closes a site: decided by verdicts, and not by how the file is written."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from canfetch.agents.registry import REGISTRY
from canfetch.core.agent import Agent, as_agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.document import RobotsTxt
from canfetch.core.verdict import Rule

# Paths that no rule names: the home page, and pages that represent all others.
_PAGES: Final = ("/", "/canfetch-sample", "/canfetch-sample/page.html", "/canfetch-sample?page=1")


def find_closing_rule(robots: RobotsTxt) -> Rule | None:
    """Return the rule that closes the site to crawlers that the file does not name, or None if the site is open.

    Cost: A few decisions for each search engine, and one for each of its allow rules.
    """
    unnamed = robots.rules_for("*")
    verdict = unnamed.decide(_PAGES[1])
    if verdict.allowed or _is_open(robots, unnamed):
        return None
    # Most search engines share the groups for `*`.
    rules = {tuple(rules.group_indices): rules for rules in map(robots.rules_for, _search_engines())}
    return None if any(_is_open(robots, one) for one in rules.values()) else verdict.rule


@cache
def _search_engines() -> tuple[Agent, ...]:
    return tuple(
        as_agent(crawler.agent)
        for crawler in REGISTRY.crawlers
        if crawler.purposes[0] == "search-index" and not crawler.retired and not crawler.token_only
    )


def _is_open(robots: RobotsTxt, rules: AgentRules) -> bool:
    return any(map(rules.allows, _PAGES)) or any(map(rules.allows, _exceptions(robots, rules)))


def _exceptions(robots: RobotsTxt, rules: AgentRules) -> Iterator[bytes]:
    """Yield a target for each allow rule, except rules for single files."""
    for index in rules.group_indices:
        for rule in robots.groups[index].rules:
            path = rule.pattern.removesuffix(b"$").replace(b"*", b"canfetch-sample")
            name = path.partition(b"?")[0].rpartition(b"/")[2]
            if rule.allow and path.startswith(b"/") and b"." not in name:
                yield path
