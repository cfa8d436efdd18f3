"""The comparison of two versions of a file by their verdicts."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import with_notes
from canfetch.answers.verdicts import verdict_json
from canfetch.compare import Change, diff
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.text import printable_text
from canfetch.errors import CanfetchError, Undecided
from canfetch.lint.verdict_changes import VerdictChanges

COMPARISON_SCHEMA: Final = "canfetch.comparison/1"
_MAX_EXAMPLES: Final = 20


class FileComparison(NamedTuple):
    """Two versions of a file, compared by their verdicts.

    Attributes:
        before, after: The versions.
        agents: The agents that were compared.
        compared: The number of verdicts that were compared.
        changed: The URLs and agents whose verdicts differ.
        errors: The URLs that are not valid, each with the reason.
        changed_profiles: The profiles in which a verdict changes for any agent and any URL, or may change because this
            cannot be decided within the limits. In all others, all verdicts are proved equal.
        changes: What the agents gain and lose, for all URLs. None if this cannot be decided within the limits.
    """

    before: RobotsTxt
    after: RobotsTxt
    agents: Sequence[RequestedAgent]
    compared: int
    changed: Sequence[tuple[str, RequestedAgent]]
    errors: Sequence[tuple[str, str]]
    changed_profiles: Sequence[str]
    changes: Sequence[Change] | None

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON, with at most 20 examples of the URLs of a change.

        The member `changed` is an iterator, because its verdicts can be many, and each names all rules that matched.
        """
        answer = {
            "schema": COMPARISON_SCHEMA,
            "profile": self.before.profile,
            "compared": self.compared,
            "changed": (self._changed_json(url, agent) for url, agent in self.changed),
            "errors": [{"url": printable_text(url), "error": printable_text(error)} for url, error in self.errors],
            "changed_profiles": list(self.changed_profiles),
            "all_urls": {
                "changes": [self._change_json(change) for change in self.changes or ()],
                "undecided": self.changes is None,
            },
        }
        return with_notes(answer, self.agents, self.before, self.after)

    def _changed_json(self, url: str, agent: RequestedAgent) -> dict[str, Any]:
        old, new = (robots.decide(url, agent=agent.agent) for robots in (self.before, self.after))
        return {
            "url": printable_text(url),
            "agent_name": printable_text(agent.name),
            "old": verdict_json(url, agent, old),
            "new": verdict_json(url, agent, new),
        }

    def _change_json(self, change: Change) -> dict[str, Any]:
        return {
            "agents": [printable_text(agent.name) for agent in self.agents if agent.agent in change.agents],
            "newly_disallowed": change.newly_disallowed.to_dict(max_examples=_MAX_EXAMPLES),
            "newly_allowed": change.newly_allowed.to_dict(max_examples=_MAX_EXAMPLES),
        }


def compare_verdicts(
    old: bytes, new: bytes, urls: Sequence[str], agents: Sequence[RequestedAgent], *, profile: str = "rfc9309"
) -> FileComparison:
    """Compare two versions of a file by their verdicts, for some URLs and exactly for all.

    Cost: A parse of both versions in each profile, two decisions for each URL and agent, and `canfetch.compare.diff`.
    """
    before, after = parse(old, profile=profile), parse(new, profile=profile)
    changed: list[tuple[str, RequestedAgent]] = []
    errors: list[tuple[str, str]] = []
    for url in urls:
        try:
            changed += [
                (url, agent)
                for agent in agents
                if before.allows(url, agent=agent.agent) is not after.allows(url, agent=agent.agent)
            ]
        except CanfetchError as error:
            errors.append((url, str(error)))
    return FileComparison(
        before,
        after,
        agents,
        (len(urls) - len(errors)) * len(agents),
        changed,
        errors,
        VerdictChanges(old).changed_profiles(new) if old != new else (),
        _exact_changes(before, after, agents),
    )


def _exact_changes(before: RobotsTxt, after: RobotsTxt, agents: Sequence[RequestedAgent]) -> Sequence[Change] | None:
    try:
        return diff(before, after, agents=[agent.agent for agent in agents])
    except Undecided:
        return None
