"""Verdicts on URLs: single ones, those of several agents, and explanations."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import with_notes
from canfetch.answers.reasons import reason_text
from canfetch.core.agent import Agent
from canfetch.core.profiles import PROFILES
from canfetch.core.text import printable_text
from canfetch.core.verdict import GroupChoice, Verdict
from canfetch.errors import CanfetchError

EXPLANATION_SCHEMA: Final = "canfetch.explanation/1"


class Decider(Protocol):
    """Decides about URLs: a file, or an origin whose file was fetched."""

    def decide(self, url: str, *, agent: Agent) -> Verdict:
        """Return the verdict on a URL."""
        ...


class ProfileDecider(Decider, Protocol):
    """Decides about URLs with any profile."""

    def with_profile(self, profile: str) -> Decider:
        """Return a decider with another profile."""
        ...


class URLVerdicts(NamedTuple):
    """The verdicts on one URL, one for each agent in order. Without verdicts, `error` is the reason."""

    url: str
    agents: Sequence[RequestedAgent]
    verdicts: tuple[Verdict, ...]
    error: str = ""

    def to_json(self) -> list[dict[str, Any]]:
        """Return an object for each agent, with the keys of `verdict_json` or `error_json`."""
        if not self.verdicts:
            return [error_json(self.url, agent.name, self.error) for agent in self.agents]
        pairs = zip(self.agents, self.verdicts, strict=True)
        return [verdict_json(self.url, agent, verdict) for agent, verdict in pairs]

    def to_matrix_row(self) -> dict[str, Any]:
        """Return one object with a cell for each agent, in the form of `canfetch matrix --format json`."""
        if not self.verdicts:
            return _error_row(self.url, self.error)
        return _matrix_row(self.url, zip(self.agents, self.verdicts, strict=True))


def matrix_row(decider: Decider, url: str, agents: Iterable[RequestedAgent]) -> dict[str, Any]:
    """Return the object of `URLVerdicts.to_matrix_row`. Only one verdict is in memory at a time."""
    try:
        return _matrix_row(url, ((agent, decider.decide(url, agent=agent.agent)) for agent in agents))
    except CanfetchError as error:
        return _error_row(url, str(error))


def _matrix_row(url: str, verdicts: Iterable[tuple[RequestedAgent, Verdict]]) -> dict[str, Any]:
    return {"url": printable_text(url), "verdicts": matrix_cells(verdicts)}


def matrix_cells(verdicts: Iterable[tuple[RequestedAgent, Verdict]]) -> dict[str, Any]:
    """Return the verdicts on one URL by the names of the agents."""
    return {
        printable_text(agent.name): {"allowed": verdict.allowed, "reason": str(verdict.reason), "line": verdict.line}
        for agent, verdict in verdicts
    }


def _error_row(url: str, error: str) -> dict[str, Any]:
    return {"url": printable_text(url), "error": printable_text(error)}


def verdict_json(url: str, agent: RequestedAgent, verdict: Verdict) -> dict[str, Any]:
    """Return a verdict with the URL and the agent as written, in the form of `canfetch check --format ndjson`."""
    return {"url": printable_text(url), "agent_name": printable_text(agent.name), **verdict.to_json()}


def error_json(url: str, agent_name: str, error: str) -> dict[str, Any]:
    """Return the object for a verdict that cannot be computed."""
    return {
        "url": printable_text(url),
        "agent_name": printable_text(agent_name),
        "allowed": None,
        "error": printable_text(error),
    }


def with_agent_note(answer: dict[str, Any], agent: RequestedAgent, verdict: Verdict) -> dict[str, Any]:
    """Return the JSON of an answer about one verdict. A name in a user-agent line of the file has no note."""
    return answer if verdict.group.choice is GroupChoice.OWN_TOKEN else with_notes(answer, [agent])


class Explanation(NamedTuple):
    """A verdict, and the verdicts of other profiles on the same URL and agent, by profile."""

    url: str
    agent: RequestedAgent
    verdict: Verdict
    by_profile: Mapping[str, Verdict]

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as JSON."""
        answer = {
            "schema": EXPLANATION_SCHEMA,
            "verdict": verdict_json(self.url, self.agent, self.verdict),
            "explanation": printable_text(self.verdict.explanation),
            "why": reason_text(self.verdict),
            "profiles": [
                {
                    "profile": name,
                    "allowed": other.allowed,
                    "reason": str(other.reason),
                    "rule": None if other.rule is None else other.rule.to_json(),
                    "group": other.group.to_json(),
                    "explanation": printable_text(other.explanation),
                    "why": reason_text(other),
                    "differs": other.allowed is not self.verdict.allowed,
                }
                for name, other in self.by_profile.items()
            ],
        }
        return with_agent_note(answer, self.agent, self.verdict)


def explain_url(decider: ProfileDecider, url: str, agent: RequestedAgent) -> Explanation:
    """Explain a verdict: the deciding rule, the rules that lose, the group, and what each profile decides.

    Raises: InvalidURL, OriginMismatch.
    Cost: A parse in each profile.
    """
    verdict = decider.decide(url, agent=agent.agent)
    others = {name: decider.with_profile(name).decide(url, agent=agent.agent) for name in PROFILES}
    return Explanation(url, agent, verdict, others)


def differing_profiles(verdict: Verdict, others: Iterable[Verdict]) -> list[str]:
    """Return the profiles of the verdicts whose answer differs from that of `verdict`."""
    return [other.profile for other in others if other.allowed is not verdict.allowed]
