"""Crawlers: names that become agents, and the entries of the registry."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from canfetch.agents import REGISTRY, get_crawler
from canfetch.agents.requested import is_named, requested_agent, unknown_agent_note
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.text import printable_text


class NamedAgent(NamedTuple):
    """An agent, the name that the caller used for it, and a note if it probably refers to others."""

    name: str
    agent: Agent
    note: str | None = None

    @property
    def shown_name(self) -> str:
        """The name as JSON shows it."""
        return printable_text(self.name)


def named_agent(name: str, *, exact: bool = False) -> NamedAgent:
    """Return the agent of a product token.

    Args: exact: Use the token alone, without the fallback tokens of the registry.
    Raises: InvalidProductToken.
    """
    requested = requested_agent(name, exact=exact)
    return NamedAgent(name, requested.agent, unknown_agent_note(requested))


def named_agents(names: Sequence[str], *, exact: bool = False) -> list[NamedAgent]:
    """Return the agents of several product tokens, each once.

    Raises: InvalidProductToken.
    """
    return [named_agent(name, exact=exact) for name in dict.fromkeys(names)]


def with_notes(answer: dict[str, Any], agents: Iterable[NamedAgent], *files: RobotsTxt) -> dict[str, Any]:
    """Return the JSON of an answer about agents, with `agent_notes` about unknown names.

    Args: files: A name in a user-agent line of one of these files needs no note.
    """
    notes = [
        printable_text(agent.note)
        for agent in agents
        if agent.note is not None and not any(is_named(agent.name, file) for file in files)
    ]
    return {**answer, "agent_notes": notes} if notes else answer


def crawlers_json(
    purposes: Collection[str] = (), operators: Collection[str] = (), obeys: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Return the registry's entries that match all filters. An empty filter matches every entry."""
    wanted_operators = {operator.lower() for operator in operators}
    return [
        crawler.to_json()
        for crawler in REGISTRY.crawlers
        if (not purposes or not set(purposes).isdisjoint(crawler.purposes))
        and (not wanted_operators or crawler.operator.lower() in wanted_operators)
        and (not obeys or crawler.obeys in obeys)
    ]


def crawler_json(name: str) -> dict[str, Any] | None:
    """Return the entry with a product token, ignoring case, or None."""
    crawler = get_crawler(name)
    return None if crawler is None else crawler.to_json()


def found_crawler_json(user_agent: str) -> dict[str, Any]:
    """Return the crawler that a User-Agent header identifies, in the form of `canfetch agents find`."""
    crawler = REGISTRY.find_crawler(user_agent)
    return {
        "user_agent": printable_text(user_agent),
        "crawler": None if crawler is None else crawler.to_json(),
    }
