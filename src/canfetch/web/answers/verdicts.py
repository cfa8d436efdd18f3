"""Verdicts on one file: single ones, lists, the matrix, explanations, and the comparison of two versions.

Objects have the forms of `canfetch check`, `canfetch matrix` and docs/verdict-json.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from canfetch.compare import diff
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.profiles import PROFILES
from canfetch.core.text import printable_text
from canfetch.core.verdict import GroupChoice, Verdict
from canfetch.errors import CanfetchError, Undecided
from canfetch.lint.verdict_changes import VerdictChanges
from canfetch.web.answers.crawlers import NamedAgent, with_notes

EXPLANATION_SCHEMA: Final = "canfetch.explanation/1"
COMPARISON_SCHEMA: Final = "canfetch.comparison/1"
_MAX_EXAMPLES: Final = 20


class Decider(Protocol):
    """Decides about URLs: a file, or an origin whose file was fetched."""

    def decide(self, url: str, *, agent: Agent) -> Verdict:
        """Return the verdict on a URL."""
        ...


def parse_content(content: bytes, *, robots_url: str | None = None, profile: str = "rfc9309") -> RobotsTxt:
    """Parse a file as the API does: without a URL, it answers for the URLs of any origin.

    Raises: InvalidRobotsURL, UnknownProfile.
    """
    return parse(content, url=robots_url, profile=profile)


def verdict_json(url: str, agent: NamedAgent, verdict: Verdict) -> dict[str, Any]:
    """Return a verdict in the form of `canfetch check --format ndjson`."""
    return {"url": printable_text(url), "agent_name": agent.shown_name, **verdict.to_json()}


def with_agent_note(answer: dict[str, Any], agent: NamedAgent, verdict: Verdict) -> dict[str, Any]:
    """Return the JSON of an answer about one verdict. A name in a user-agent line of the file has no note."""
    return answer if verdict.group.choice is GroupChoice.OWN_TOKEN else with_notes(answer, [agent])


def error_json(url: str, agent_name: str, error: CanfetchError) -> dict[str, Any]:
    """Return the object for a verdict that cannot be computed."""
    return {
        "url": printable_text(url),
        "agent_name": printable_text(agent_name),
        "allowed": None,
        "error": printable_text(str(error)),
    }


def verdicts(decider: Decider, urls: Iterable[str], agents: Sequence[NamedAgent]) -> Iterator[dict[str, Any]]:
    """Yield the verdict on each URL for each agent. A URL that is not valid yields an object with `error`."""
    for url in urls:
        for agent in agents:
            try:
                yield verdict_json(url, agent, decider.decide(url, agent=agent.agent))
            except CanfetchError as error:
                yield error_json(url, agent.name, error)


def matrix(decider: Decider, urls: Iterable[str], agents: Sequence[NamedAgent]) -> Iterator[dict[str, Any]]:
    """Yield a row for each URL, in the form of `canfetch matrix --format json`."""
    for url in urls:
        shown = printable_text(url)
        try:
            cells = {agent.shown_name: _cell(decider.decide(url, agent=agent.agent)) for agent in agents}
        except CanfetchError as error:
            yield {"url": shown, "error": printable_text(str(error))}
        else:
            yield {"url": shown, "verdicts": cells}


def _cell(verdict: Verdict) -> dict[str, Any]:
    return {"allowed": verdict.allowed, "reason": str(verdict.reason), "line": verdict.line}


def explanation(robots: RobotsTxt, url: str, agent: NamedAgent) -> dict[str, Any]:
    """Explain a verdict: the deciding rule, the rules that lose, the group, and what each profile decides.

    Raises: InvalidURL, OriginMismatch.
    Cost: A parse in each profile.
    """
    verdict = robots.decide(url, agent=agent.agent)
    others = {name: robots.with_profile(name).decide(url, agent=agent.agent) for name in PROFILES}
    return explanation_json(url, agent, verdict, others)


def explanation_json(
    url: str, agent: NamedAgent, verdict: Verdict, by_profile: Mapping[str, Verdict]
) -> dict[str, Any]:
    """Return the object of an explanation.

    Args: by_profile: The verdict in each profile.
    """
    answer = {
        "schema": EXPLANATION_SCHEMA,
        "verdict": verdict_json(url, agent, verdict),
        "explanation": printable_text(verdict.explanation),
        "profiles": [
            {
                "profile": name,
                "allowed": other.allowed,
                "reason": str(other.reason),
                "rule": None if other.rule is None else other.rule.to_json(),
                "group": other.group.to_json(),
                "explanation": printable_text(other.explanation),
                "differs": other.allowed is not verdict.allowed,
            }
            for name, other in by_profile.items()
        ],
    }
    return with_agent_note(answer, agent, verdict)


def comparison(
    old: bytes, new: bytes, urls: Sequence[str], agents: Sequence[NamedAgent], *, profile: str = "rfc9309"
) -> dict[str, Any]:
    """Compare two versions of a file by their verdicts.

    `changed_profiles` is exact and does not depend on `urls`: in every other profile, all verdicts are equal for every
    agent and every URL. A profile in which this cannot be decided within the limits is listed, too.

    `all_urls` is the exact comparison in `profile`: which of the agents gain and lose which URLs.

    Cost: A parse of both versions in each profile, two decisions for each URL and agent, and `canfetch.compare.diff`.
    """
    before, after = parse_content(old, profile=profile), parse_content(new, profile=profile)
    differences: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    for url in urls:
        try:
            differences.extend(_differences(before, after, url, agents))
        except CanfetchError as error:
            errors.append({"url": printable_text(url), "error": printable_text(str(error))})
    answer = {
        "schema": COMPARISON_SCHEMA,
        "profile": profile,
        "compared": (len(urls) - len(errors)) * len(agents),
        "changed": differences,
        "errors": errors,
        "changed_profiles": list(VerdictChanges(old).changed_profiles(new)) if old != new else [],
        "all_urls": _exact_comparison(before, after, agents),
    }
    return with_notes(answer, agents, before, after)


def _exact_comparison(before: RobotsTxt, after: RobotsTxt, agents: Sequence[NamedAgent]) -> dict[str, Any]:
    """Return what changes for which agents, for all URLs."""
    try:
        changes = diff(before, after, agents=[agent.agent for agent in agents])
    except Undecided:
        return {"changes": [], "undecided": True}
    return {
        "changes": [
            {
                "agents": [agent.shown_name for agent in agents if agent.agent in change.agents],
                "newly_disallowed": change.newly_disallowed.to_dict(max_examples=_MAX_EXAMPLES),
                "newly_allowed": change.newly_allowed.to_dict(max_examples=_MAX_EXAMPLES),
            }
            for change in changes
        ],
        "undecided": False,
    }


def _differences(
    before: RobotsTxt, after: RobotsTxt, url: str, agents: Sequence[NamedAgent]
) -> Iterator[dict[str, Any]]:
    for agent in agents:
        old, new = before.decide(url, agent=agent.agent), after.decide(url, agent=agent.agent)
        if old.allowed is not new.allowed:
            yield {
                "url": printable_text(url),
                "agent_name": agent.shown_name,
                "old": verdict_json(url, agent, old),
                "new": verdict_json(url, agent, new),
            }
