"""The comparison of two versions of a file by their verdicts."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import with_notes
from canfetch.answers.verdicts import verdict_json
from canfetch.compare import Change, diff
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.text import printable_text
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, Undecided
from canfetch.lint.verdict_changes import VerdictChanges

COMPARISON_SCHEMA: Final = "canfetch.comparison/1"
_MAX_EXAMPLES: Final = 20


class ChangedVerdict(NamedTuple):
    """A verdict that differs between two versions."""

    url: str
    agent: RequestedAgent
    old: Verdict
    new: Verdict

    def to_json(self) -> dict[str, Any]:
        """Return the verdicts as JSON."""
        return {
            "url": printable_text(self.url),
            "agent_name": printable_text(self.agent.name),
            "old": verdict_json(self.url, self.agent, self.old),
            "new": verdict_json(self.url, self.agent, self.new),
        }


class FileComparison(NamedTuple):
    """Two versions of a file, compared by their verdicts.

    Attributes:
        before, after: The versions.
        agents: The agents that were compared.
        compared: The number of verdicts that were compared.
        changed: Those that differ.
        errors: The URLs that are not valid, each with the reason.
        changed_profiles: The profiles in which a verdict changes for any agent and any URL, or may change because this
            cannot be decided within the limits. In all others, all verdicts are proved equal.
        changes: What the agents gain and lose, for all URLs. None if this cannot be decided within the limits.
    """

    before: RobotsTxt
    after: RobotsTxt
    agents: Sequence[RequestedAgent]
    compared: int
    changed: Sequence[ChangedVerdict]
    errors: Sequence[tuple[str, str]]
    changed_profiles: Sequence[str]
    changes: Sequence[Change] | None

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON, with at most 20 examples of the URLs of a change."""
        answer = {
            "schema": COMPARISON_SCHEMA,
            "profile": self.before.profile,
            "compared": self.compared,
            "changed": [one.to_json() for one in self.changed],
            "errors": [{"url": printable_text(url), "error": printable_text(error)} for url, error in self.errors],
            "changed_profiles": list(self.changed_profiles),
            "all_urls": {
                "changes": [self._change_json(change) for change in self.changes or ()],
                "undecided": self.changes is None,
            },
        }
        return with_notes(answer, self.agents, self.before, self.after)

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
    changed: list[ChangedVerdict] = []
    errors: list[tuple[str, str]] = []
    for url in urls:
        try:
            changed += _changed_verdicts(before, after, url, agents)
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


def _changed_verdicts(
    before: RobotsTxt, after: RobotsTxt, url: str, agents: Sequence[RequestedAgent]
) -> list[ChangedVerdict]:
    verdicts = [
        ChangedVerdict(url, agent, before.decide(url, agent=agent.agent), after.decide(url, agent=agent.agent))
        for agent in agents
    ]
    return [one for one in verdicts if one.old.allowed is not one.new.allowed]
