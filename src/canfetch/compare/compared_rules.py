"""The rules of one agent in one file, and URLs that the engine confirms."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from canfetch.compare.budget import Budget
from canfetch.compare.domains import to_url_path
from canfetch.compare.patterns import deciding_patterns, ranked_patterns
from canfetch.compare.rankings import RankedSide, Ranking
from canfetch.core.agent import Agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.document import RobotsTxt
from canfetch.core.profiles import Profile, get_profile
from canfetch.core.verdict import Rule

# No URL of a file without an origin depends on it.
_ANY_ORIGIN = "https://example.com"


class ComparedRules(NamedTuple):
    """The rules of one agent.

    Attributes:
        robots: The file.
        profile: Its profile.
        bound: The rules bound to the agent, to confirm verdicts.
        rules: The rules in file order.
    """

    robots: RobotsTxt
    profile: Profile
    bound: AgentRules
    rules: tuple[Rule, ...]

    def side(self, budget: Budget) -> RankedSide:
        """Return the decisions of the rules.

        Cost: O(bytes of the rules).
        """
        patterns = deciding_patterns(ranked_patterns(self.rules, self.profile), self.profile)
        return RankedSide(Ranking(patterns, budget))

    def url_of(self, target: bytes) -> str:
        """Return a URL with this target: a path, or an absolute URL if the path is empty or starts with `//`."""
        path = to_url_path(target, self.profile).decode("utf-8", "surrogateescape")
        if path[:1] == "/" and path[1:2] != "/":
            return path
        return (str(self.robots.origin) if self.robots.origin else _ANY_ORIGIN) + path

    def allows(self, target: bytes) -> bool:
        """Return the engine's verdict about a target."""
        return self.bound.allows(self.url_of(target))

    def decisions(self, other: "ComparedRules", target: bytes) -> tuple[bool, bool]:
        """Return the engine's verdicts of two agents about a target."""
        return self.allows(target), other.allows(target)

    def decisions_of_all(self, other: "ComparedRules", targets: Sequence[bytes]) -> Iterable[tuple[bool, bool]]:
        """Return the same for several targets."""
        urls = list(map(self.url_of, targets))
        same = self.profile is other.profile and self.robots.origin == other.robots.origin
        other_urls = urls if same else list(map(other.url_of, targets))
        return zip(self.bound.allows_many(urls), other.bound.allows_many(other_urls), strict=True)

    @property
    def rules_as_written(self) -> tuple[tuple[bool, bytes], ...]:
        """The rules without their lines. Agents with the same ones have the same verdicts."""
        return tuple((rule.allow, rule.pattern) for rule in self.rules)

    def decides_alike(self, other: "ComparedRules") -> bool:
        """Return whether the rules are the same, apart from their lines. Rules that are not may still be equivalent."""
        return self.profile is other.profile and self.rules_as_written == other.rules_as_written


def check_file(name: str, robots: object) -> None:
    """Reject the content of a file in the place of a file.

    Raises: TypeError: `robots` is not a `RobotsTxt`.
    """
    if not isinstance(robots, RobotsTxt):
        raise TypeError(f"{name} must be a RobotsTxt, not {type(robots).__name__}: pass canfetch.parse(content)")


def compared_rules(robots: RobotsTxt, agent: str | Agent, *, name: str = "robots") -> ComparedRules:
    """Return the rules that apply to an agent.

    Args: name: The name of the argument that has the file, for messages.
    Raises: InvalidProductToken; TypeError: `robots` is not a `RobotsTxt`.
    Cost: O(rules of the file) for the first agent.
    """
    check_file(name, robots)
    bound = robots.rules_for(agent)
    groups = robots.groups
    rules = tuple(rule for index in bound.group_indices for rule in groups[index].rules)
    return ComparedRules(robots, get_profile(robots.profile), bound, rules)
