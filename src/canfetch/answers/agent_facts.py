"""What a robots.txt states for an agent, whatever the URL is: the facts of `check`, `explain` and `matrix`.

A new fact is a field of `AgentFacts`, with its keys in `to_json` and its lines in `lines`.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.pace import NO_PACE, StatedPace, stated_paces
from canfetch.core.document import RobotsTxt
from canfetch.core.text import printable_text


class AgentFacts(NamedTuple):
    """The facts for one agent.

    Attributes:
        name: The agent as typed.
        pace: The pace.
        now: The time of the facts, in seconds since the epoch.
    """

    name: str
    pace: StatedPace
    now: float

    def to_json(self) -> dict[str, Any]:
        """Return the keys that are added to a verdict: `pace`, if the file states one."""
        facts: dict[str, Any] = {}
        if self.pace.is_stated:
            facts["pace"] = self.pace.to_json(self.now)
        return facts

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the lines that `explain` shows, each as a label and a text. A line that goes on has no label."""
        if self.pace.is_stated:
            from canfetch.answers.pace_text import facts_for  # noqa: PLC0415 - only for files with a pace

            yield from facts_for(printable_text(self.name), self.pace, self.now)


def agent_facts(robots: RobotsTxt, agents: Iterable[RequestedAgent], now: float) -> dict[str, AgentFacts]:
    """Return what a file states for each agent, by the names of the agents.

    Args: now: The time in seconds since the epoch.
    Cost: O(bytes of the file), and for files with a pace O(records other than rules and user-agent lines) per agent.
    """
    asked = list(agents)
    paces = stated_paces(robots, asked, now)
    return {
        agent.name: AgentFacts(
            name=agent.name,
            pace=paces.get(agent.name, NO_PACE),
            now=now,
        )
        for agent in asked
    }
