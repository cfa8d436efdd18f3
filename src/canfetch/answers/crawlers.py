"""Agents that a question names, and crawlers of the registry."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from canfetch.agents import REGISTRY, Crawler, Registry
from canfetch.agents.requested import RequestedAgent, requested_agent, unknown_agent_notes
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.redaction import redacted_url
from canfetch.core.text import printable_text
from canfetch.errors import InvalidProductToken

# No file names this agent.
UNNAMED: Final = RequestedAgent("any other agent", Agent("~~"), None)


def requested_agents(names: Sequence[str], *, exact: bool = False) -> list[RequestedAgent]:
    """Return the agents of several product tokens, each once.

    Args: exact: Use the tokens alone, without the fallback tokens of the registry.
    Raises: InvalidProductToken.
    """
    return [requested_agent(name, exact=exact) for name in dict.fromkeys(names)]


def shown_name(token: str) -> str:
    """Return the name of a crawler for people: `Screaming` is the product token of Screaming Frog."""
    crawler = REGISTRY.get_crawler(token)
    return crawler.operator if crawler and crawler.operator.startswith(f"{token} ") else token


def names_json(url: str | None, agent: RequestedAgent) -> dict[str, Any]:
    """Return the URL and the agent of an answer as JSON."""
    return {"url": None if url is None else redacted_url(url), "agent_name": printable_text(agent.name)}


def with_notes(answer: dict[str, Any], agents: Iterable[RequestedAgent], *files: RobotsTxt) -> dict[str, Any]:
    """Return the JSON of an answer about agents, with `agent_notes` about unknown names.

    Args: files: A name in a user-agent line of one of these files needs no note.
    """
    notes = [printable_text(note) for note in unknown_agent_notes(agents, files=files)]
    return {**answer, "agent_notes": notes} if notes else answer


def all_agents(files: Iterable[RobotsTxt], registry: Registry) -> list[RequestedAgent]:
    """Return the agents that may be treated differently: those that the files name, all crawlers, and any other one."""
    names = dict.fromkeys(token for robots in files for group in robots.groups for token in group.tokens)
    agents = {
        crawler.name.lower(): RequestedAgent(crawler.name, crawler.agent, crawler) for crawler in registry.crawlers
    }
    for agent in _named_agents(names, registry):
        agents.setdefault(agent.name.lower(), agent)
    return [UNNAMED, *agents.values()]


def _named_agents(names: Iterable[str], registry: Registry) -> Iterator[RequestedAgent]:
    for name in names:
        if name == "*":
            continue
        try:
            yield RequestedAgent(name, registry.agent(name), registry.get_crawler(name))
        except InvalidProductToken:
            # No agent can have this name.
            continue


def compliance_text(crawler: Crawler) -> str:
    """Return whether a crawler obeys robots.txt, as the part of a sentence after its name."""
    if crawler.obeys == "not-documented":
        return "is not documented to obey robots.txt"
    verb = {"yes": "obeys", "might-ignore": "might ignore", "no": "ignores"}[crawler.obeys]
    return f"{verb} robots.txt, according to {'its operator' if crawler.source_kind == 'operator' else 'a third party'}"


def token_only_text(crawler: Crawler) -> str:
    """Return what a token is for that is only used in robots.txt files, as the part of a sentence after its name."""
    # Imported for these tokens only: `canfetch check` starts fast.
    from canfetch.consent.purposes import is_control_token  # noqa: PLC0415

    if is_control_token(crawler.name):
        return f"fetches nothing: other crawlers of {crawler.operator} look for this token"
    return (
        f"is a name for all crawlers of {crawler.operator}: each obeys the group of this name if it has none of its own"
    )


def crawler_sentences(crawler: Crawler) -> Iterator[str]:
    """Yield sentences about a crawler: whether it obeys robots.txt, and what else its user-agent line depends on."""
    yield f"It {compliance_text(crawler)}."
    if crawler.token_only:
        yield f"It {token_only_text(crawler)}."
    if not crawler.star_applies:
        yield "Groups for `*` do not apply to it."
    if crawler.retired:
        yield "It is retired."


def find_crawlers(
    purposes: Collection[str] = (), operators: Collection[str] = (), obeys: Collection[str] = ()
) -> list[Crawler]:
    """Return the registry's entries that match all filters. An empty filter matches every entry."""
    wanted_operators = {operator.lower() for operator in operators}
    return [
        crawler
        for crawler in REGISTRY.crawlers
        if (not purposes or not set(purposes).isdisjoint(crawler.purposes))
        and (not wanted_operators or crawler.operator.lower() in wanted_operators)
        and (not obeys or crawler.obeys in obeys)
    ]


class UserAgentMatch(NamedTuple):
    """A User-Agent header, and the crawler that it identifies, or None."""

    user_agent: str
    crawler: Crawler | None

    def to_json(self) -> dict[str, Any]:
        """Return the match as JSON."""
        return {
            "user_agent": printable_text(self.user_agent),
            "crawler": None if self.crawler is None else self.crawler.to_json(),
        }


def match_user_agent(user_agent: str) -> UserAgentMatch:
    """Return the crawler that a User-Agent header identifies. Anyone can send any header."""
    return UserAgentMatch(user_agent, REGISTRY.find_crawler(user_agent))
