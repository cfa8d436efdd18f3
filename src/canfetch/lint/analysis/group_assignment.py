"""Check that a fix can assign a group to a crawler without side effects."""

from typing import Final

from canfetch.agents import REGISTRY
from canfetch.core.records import Record
from canfetch.lint.analysis.asset_patterns import blocked_asset
from canfetch.lint.analysis.canonical_rules import canonical_form
from canfetch.lint.analysis.engine_verdicts import STAR
from canfetch.lint.linted_file import LintedFile, LintedGroup

# Larger files are left to their author.
_MAX_RULES: Final = 200
_MAX_AGENTS: Final = 500
# Other checks examine the groups of these operators' crawlers.
_EXAMINED: Final = frozenset({"Apple", "DuckDuckGo", "Google", "Microsoft", "Yandex"})


def can_assign_group(file: LintedFile, record: Record, token: str) -> bool:
    """Return whether a fix may make the group of a user-agent line apply to a crawler.

    It may not if the crawler has a group of its own, because the two would be merged. It may not if a search engine
    would lose the site, its scripts and styles, or its sitemaps: that is the author's decision.

    Cost: O(records), with a limit, for crawlers of search engines. One look-up for the others.
    """
    if file.groups_named(token) or record.group is None or record.group >= len(file.groups):
        return False
    crawler = REGISTRY.get_crawler(token)
    if token != STAR and (crawler is None or crawler.operator not in _EXAMINED):
        return True
    group = file.groups[record.group]
    if len(group.rules) > _MAX_RULES or len(file.user_agents) > _MAX_AGENTS:
        return False
    tokens = () if crawler is None else crawler.tokens
    has_family = any(file.groups_named(name) for name in tokens[1:]) or any(
        token in other.tokens[1:] and file.groups_named(other.name) for other in REGISTRY.crawlers
    )
    return not (has_family or group.others or file.robots.sitemaps or _blocks_site_or_assets(group))


def _blocks_site_or_assets(group: LintedGroup) -> bool:
    disallowed = (rule.value for rule in group.rules if not rule.allow and rule.specificity)
    return any(canonical_form(value) in {b"/", b"/$"} or blocked_asset(value) is not None for value in disallowed)
