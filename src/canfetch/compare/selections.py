"""All selections of groups that some agent may make in a file."""

from collections.abc import Iterator

from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.profiles import get_profile
from canfetch.errors import InvalidProductToken

# No file names this agent.
_UNNAMED = Agent("~~")


def selecting_agents(robots: RobotsTxt) -> Iterator[Agent]:
    """Yield an agent for each non-empty selection of groups that a name of the file makes, and for that of `*`.

    Cost: A binding for each name in the file.
    """
    seen: set[tuple[int, ...]] = {()}
    names = dict.fromkeys(token for group in robots.groups for token in group.tokens)
    for agent in (_UNNAMED, *filter(None, map(_agent, names))):
        indices = tuple(robots.rules_for(agent).group_indices)
        if indices not in seen:
            seen.add(indices)
            yield agent


def selections(robots: RobotsTxt) -> Iterator[tuple[int, ...]]:
    """Yield each non-empty selection of groups, by index, that some agent makes.

    Cost: As `selecting_agents`.
    """
    profile = get_profile(robots.profile)
    seen: set[tuple[int, ...]] = set()
    for agent in selecting_agents(robots):
        indices = tuple(robots.rules_for(agent).group_indices)
        seen.add(indices)
        yield indices
    if profile.first_group_only:
        # An agent whose name contains a later name, but none of an earlier group.
        yield from ((index,) for index in range(len(robots.groups)) if (index,) not in seen)


def _agent(name: str) -> Agent | None:
    try:
        return Agent(name)
    except InvalidProductToken:
        # No agent selects the group by this name.
        return None
