"""What a change of a robots.txt means: which agents gain and lose which URLs, for all URLs and not for samples."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from canfetch.client.watch.observations import Observation
from canfetch.compare import Change, diff
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.times import rfc3339
from canfetch.errors import InvalidProductToken, Undecided

CHANGE_SCHEMA: Final = "canfetch.change/1"
# A token that no file names. It represents all crawlers without a group of their own.
_OTHERS: Final = Agent("*")
_MAX_AGENTS: Final = 1_000
_MAX_EXAMPLES: Final = 10


class BehaviourChange(NamedTuple):
    """The result of comparing two observations.

    Attributes:
        changes: What changes for which agents. Empty if nothing does.
        undecided: Why the files could not be compared, or None.
    """

    changes: tuple[Change, ...]
    undecided: str | None = None

    def __bool__(self) -> bool:
        return bool(self.changes) or self.undecided is not None


def compare(before: Observation, after: Observation, *, agents: Sequence[Agent], profile: str) -> BehaviourChange:
    """Return what changed for some agents.

    Args: agents: The agents. Without any, all that one of the files names, and one that neither names.
    Cost: As `canfetch.compare.diff`.
    """
    old, new = before.robots(profile), after.robots(profile)
    try:
        return BehaviourChange(tuple(diff(old, new, agents=agents or _named_agents(old, new))))
    except Undecided as error:
        return BehaviourChange((), str(error))


def _named_agents(*files: RobotsTxt) -> list[Agent]:
    agents = {_OTHERS: None}
    for robots in files:
        for group in robots.groups:
            for token in group.tokens:
                if len(agents) == _MAX_AGENTS:
                    return list(agents)
                try:
                    agents.setdefault(Agent(token))
                except InvalidProductToken:
                    # No crawler has such a name.
                    continue
    return list(agents)


def change_json(before: Observation, after: Observation, change: BehaviourChange) -> dict[str, Any]:
    """Return a change with schema `canfetch.change/1`."""
    return {
        "schema": CHANGE_SCHEMA,
        "origin": after.origin,
        "at": rfc3339(int(after.at)),
        "before": _observation_json(before),
        "after": _observation_json(after),
        "changes": [
            {
                "agents": [name_of(agent) for agent in one.agents],
                "newly_disallowed": one.newly_disallowed.to_dict(max_examples=_MAX_EXAMPLES),
                "newly_allowed": one.newly_allowed.to_dict(max_examples=_MAX_EXAMPLES),
            }
            for one in change.changes
        ],
        "undecided": change.undecided,
    }


def name_of(agent: Agent) -> str:
    """Return the name of an agent in reports."""
    return agent.tokens[0]


def _observation_json(observation: Observation) -> dict[str, Any]:
    return {
        "at": rfc3339(int(observation.at)),
        "effect": str(observation.effect),
        "status": observation.status,
        "explanation": observation.explanation,
        "sha256": observation.sha256,
    }
