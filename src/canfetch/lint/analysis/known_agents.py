"""The names in a file that the registry knows, with what their groups say."""

from collections.abc import Iterator
from typing import NamedTuple

from canfetch.agents import REGISTRY, Crawler
from canfetch.lint.analysis.agent_names import NamedAgent, named_agents
from canfetch.lint.linted_file import LintedFile


class KnownAgent(NamedTuple):
    """A name, its entry, and whether its group bars anything."""

    agent: NamedAgent
    crawler: Crawler
    bars: bool


def known_agents(file: LintedFile) -> Iterator[KnownAgent]:
    """Give the names that the registry knows, in file order.

    Cost: O(octets of user-agent lines + rules).
    """
    bars = [any(rule.specificity for rule in group.rules if not rule.allow) for group in file.groups]
    for agent in named_agents(file):
        # A name ends at its star.
        crawler = REGISTRY.get_crawler(agent.text.rstrip("*"))
        if crawler is not None and agent.record.group is not None:
            yield KnownAgent(agent, crawler, agent.record.group < len(bars) and bars[agent.record.group])
