"""Whether a group may come to speak to a crawler, and nothing else comes of it."""

from typing import Final

from canfetch.agents import REGISTRY
from canfetch.core.records import Record
from canfetch.lint.analysis.asset_patterns import blocked_asset
from canfetch.lint.analysis.rule_coverage import canonical_form
from canfetch.lint.linted_file import LintedFile, LintedGroup

_STAR: Final = "*"
# In files that have more, somebody must decide.
_MOST_RULES: Final = 200
_MOST_AGENTS: Final = 500
# What their groups say is looked at by other checks.
_LOOKED_AT: Final = frozenset({"Apple", "DuckDuckGo", "Google", "Microsoft", "Yandex"})


def can_assign_group(file: LintedFile, record: Record, token: str) -> bool:
    """Say whether the group of a user-agent line may be given to a crawler without a second thought.

    Not where that has a group of its own: two would become one. Not where a search engine would lose the site, its
    scripts or its sitemaps: then somebody must decide.

    Cost: O(records), and that is bounded, for crawlers of search engines; a look-up for the others.
    """
    if file.groups_named(token) or record.group is None or record.group >= len(file.groups):
        return False
    crawler = REGISTRY.get_crawler(token)
    if token != _STAR and (crawler is None or crawler.operator not in _LOOKED_AT):
        return True
    group = file.groups[record.group]
    if len(group.rules) > _MOST_RULES or len(file.user_agents) > _MOST_AGENTS:
        return False
    tokens = () if crawler is None else crawler.tokens
    has_family = any(file.groups_named(name) for name in tokens[1:]) or any(
        token in other.tokens[1:] and file.groups_named(other.name) for other in REGISTRY.crawlers
    )
    return not (has_family or group.other_records or file.robots.sitemaps or _bars_what_matters(group))


def _bars_what_matters(group: LintedGroup) -> bool:
    barred = (rule.value for rule in group.rules if not rule.allow and rule.specificity)
    return any(canonical_form(value) in {b"/", b"/$"} or blocked_asset(value) is not None for value in barred)
