"""The names in user-agent lines that are in the registry."""

from collections.abc import Iterator
from typing import NamedTuple

from canfetch.agents import REGISTRY, Crawler
from canfetch.lint.analysis.agent_names import NamedAgent, named_agents
from canfetch.lint.linted_file import LintedFile


class KnownAgent(NamedTuple):
    """A name in a user-agent line, its registry entry, and whether its group disallows anything."""

    agent: NamedAgent
    crawler: Crawler
    is_restricted: bool


def known_agents(file: LintedFile) -> tuple[KnownAgent, ...]:
    """Return the names that are in the registry, in file order.

    Cost: O(bytes of user-agent lines + rules) at the first call.
    """
    return file.compute_once(_known_agents)


def _known_agents(file: LintedFile) -> tuple[KnownAgent, ...]:
    return tuple(_iter_known(file))


def _iter_known(file: LintedFile) -> Iterator[KnownAgent]:
    restricted = [any(rule.specificity for rule in group.rules if not rule.allow) for group in file.groups]
    for agent in named_agents(file):
        # A product token ends at a `*`.
        crawler = REGISTRY.get_crawler(agent.text.rstrip("*"))
        group = None if crawler is None else file.records.group(agent.line - 1)
        if crawler is not None and group is not None:
            yield KnownAgent(agent, crawler, group < len(restricted) and restricted[group])
