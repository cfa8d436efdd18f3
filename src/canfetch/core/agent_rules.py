"""A file's rules bound to one agent."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from canfetch.core.agent import Agent
from canfetch.core.groups import TokenLines
from canfetch.core.text import display_text
from canfetch.core.tokens import STAR
from canfetch.core.verdict import GroupChoice, GroupSelection, Reason, Rule, Verdict

if TYPE_CHECKING:
    from canfetch.core.contract import BoundRules


# A function and its arguments that make the same rules again, in another process, too.
MadeBy = tuple[Callable[..., "AgentRules"], tuple[object, ...]]


class AgentRules:
    """A file's rules bound to one agent; made by `RobotsTxt.rules_for`, and safe to share among threads.

    `allows` and `allows_many` are the engine's own bound methods: nothing stands between the caller and
    the match.
    """

    __slots__ = ("_bound", "_group", "_made_by", "_profile", "_token_lines", "agent", "allows", "allows_many")

    agent: Agent
    allows: Callable[[str | bytes], bool]
    """Say whether the agent may fetch a URL.

    Args: url: absolute URL, `//host/path` or a path, as str or bytes; a fragment is dropped.
    Raises: InvalidURL; OriginMismatch: the file's URL is known and rules over another origin.
    Cost: O(octets of the URL) as a rule; never more than octets of rules times octets of the target.
    """
    allows_many: Callable[[Iterable[str | bytes]], list[bool]]
    """Say it of each of many URLs, in order: a list, a tuple or any iterable of str and bytes.

    Raises: InvalidURL, OriginMismatch, each with the `index` of the URL; nothing is answered then.
    Cost: as `allows` for each; the native engine works without the interpreter's lock.
    """

    def __init__(
        self, agent: Agent, bound: "BoundRules", profile: str, token_lines: TokenLines, made_by: "MadeBy"
    ) -> None:
        self._bound = bound
        self._made_by = made_by
        self._profile = profile
        self._token_lines = token_lines
        self._group: GroupSelection | None = None
        self.agent = agent
        self.allows = bound.allows
        self.allows_many = bound.allows_many

    def decide(self, url: str | bytes) -> Verdict:
        """Say whether the agent may fetch `url`, and which rule says so.

        The matching rule with the most octets wins; between an allow and a disallow of equal length, allow.

        Args:
            url: absolute URL, `//host/path` or a path; normalised here, a fragment is dropped.
        Returns: the verdict, with the deciding rule, or no rule and the reason, and the rules that lost.
        Raises: InvalidURL; OriginMismatch: the file's URL is known and rules over another origin.
        Cost: O(octets of the target) plus the rules that match; never more than rules times target.
        Source: RFC 9309 sections 2.2.1 to 2.2.3.
        """
        allowed, reason, row, target = self._bound.decide(url)
        rule = None if row is None else Rule(*row)
        matched = [Rule(*matched_row) for matched_row in self._bound.matched(url)]
        return Verdict(
            allowed=allowed,
            reason=Reason(reason),
            rule=rule,
            also_matched=tuple(other for other in matched if rule is None or other.line != rule.line),
            group=self.group,
            agent=self.agent,
            target=target,
            profile=self._profile,
        )

    def deciding(self, url: str | bytes) -> tuple[bool, Rule | None]:
        """Say whether the agent may fetch `url`, and by which rule: `decide` without the rules that lost.

        Args: url: as that of `decide`.
        Raises: InvalidURL, OriginMismatch.
        Cost: as `allows`.
        Source: RFC 9309 sections 2.2.1 to 2.2.3.
        """
        allowed, _, row, _ = self._bound.decide(url)
        return allowed, None if row is None else Rule(*row)

    @property
    def group(self) -> GroupSelection:
        """Which groups were chosen for the agent, and why.

        Cost: O(user-agent lines of the file) at the first call.
        """
        if self._group is None:
            self._group = self._group_chosen()
        return self._group

    def _group_chosen(self) -> GroupSelection:
        choice = GroupChoice(self._bound.choice)
        if choice is GroupChoice.NONE:
            return GroupSelection(choice, None, ())
        token = STAR if choice is GroupChoice.STAR else self.agent.encoded_tokens[self._bound.token_index]
        return GroupSelection(choice, display_text(token), self._token_lines.naming(token, self.group_indices))

    @property
    def group_indices(self) -> list[int]:
        """Which of `RobotsTxt.groups` were chosen, in file order."""
        return self._bound.group_indices

    def __reduce__(self) -> MadeBy:
        return self._made_by

    def __repr__(self) -> str:
        return f"<AgentRules of {self.agent!r}, profile {self._profile}>"
