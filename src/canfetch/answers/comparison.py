"""The comparison of two versions of a file by their verdicts."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import with_notes
from canfetch.answers.verdicts import verdict_json
from canfetch.compare import diff
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.text import printable_text
from canfetch.errors import CanfetchError, Undecided
from canfetch.lint.verdict_changes import VerdictChanges

COMPARISON_SCHEMA: Final = "canfetch.comparison/1"
_MAX_EXAMPLES: Final = 20


def compare_verdicts(
    old: bytes, new: bytes, urls: Sequence[str], agents: Sequence[RequestedAgent], *, profile: str = "rfc9309"
) -> dict[str, Any]:
    """Compare two versions of a file by their verdicts.

    `changed_profiles` is exact and does not depend on `urls`: in every other profile, all verdicts are equal for every
    agent and every URL. A profile in which this cannot be decided within the limits is listed, too.

    `all_urls` is the exact comparison in `profile`: which of the agents gain and lose which URLs.

    Cost: A parse of both versions in each profile, two decisions for each URL and agent, and `canfetch.compare.diff`.
    """
    before, after = parse(old, profile=profile), parse(new, profile=profile)
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


def _exact_comparison(before: RobotsTxt, after: RobotsTxt, agents: Sequence[RequestedAgent]) -> dict[str, Any]:
    """Return what changes for which agents, for all URLs."""
    try:
        changes = diff(before, after, agents=[agent.agent for agent in agents])
    except Undecided:
        return {"changes": [], "undecided": True}
    return {
        "changes": [
            {
                "agents": [printable_text(agent.name) for agent in agents if agent.agent in change.agents],
                "newly_disallowed": change.newly_disallowed.to_dict(max_examples=_MAX_EXAMPLES),
                "newly_allowed": change.newly_allowed.to_dict(max_examples=_MAX_EXAMPLES),
            }
            for change in changes
        ],
        "undecided": False,
    }


def _differences(
    before: RobotsTxt, after: RobotsTxt, url: str, agents: Sequence[RequestedAgent]
) -> Iterator[dict[str, Any]]:
    for agent in agents:
        old, new = before.decide(url, agent=agent.agent), after.decide(url, agent=agent.agent)
        if old.allowed is not new.allowed:
            yield {
                "url": printable_text(url),
                "agent_name": printable_text(agent.name),
                "old": verdict_json(url, agent, old),
                "new": verdict_json(url, agent, new),
            }
