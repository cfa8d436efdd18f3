"""A file's rules bound to one agent."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from canfetch.core.agent import Agent
from canfetch.core.file_facts import FileFacts
from canfetch.core.quoting import quoted
from canfetch.core.text import display_text
from canfetch.core.tokens import STAR
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import GroupChoice, GroupSelection, Reason, Rule, Verdict

if TYPE_CHECKING:
    from canfetch.core.contract import BoundRules


# A function and its arguments that create the same rules again, also in another process.
Reconstruction = tuple[Callable[..., "AgentRules"], tuple[object, ...]]

_REASONS: Final = {str(reason): reason for reason in Reason}
# A verdict is a named tuple, whose own constructor takes twice as long.
_new_tuple: Final = tuple.__new__


class AgentRules:
    """A file's rules bound to one agent. Returned by `RobotsTxt.rules_for`; safe to share between threads.

    `allows` is a bound method of the engine, so that calls have no overhead.
    """

    __slots__ = ("_bound", "_facts", "_group", "_notes", "_profile", "_reconstruction", "agent", "allows")

    agent: Agent
    allows: Callable[[AnyURL], bool]
    """Return whether the agent may fetch a URL.

    Args: url: An absolute URL, `//host/path` or a path. It is normalised, and its fragment is ignored.
    Raises: InvalidURL; OriginMismatch: the file governs another origin.
    Cost: O(bytes of the URL) in general, and never more than bytes of the rules times bytes of the target.
    """

    def __init__(
        self,
        agent: Agent,
        bound: "BoundRules",
        profile: str,
        facts: FileFacts,
        reconstruction: Reconstruction,
    ) -> None:
        self._bound = bound
        self._facts = facts
        self._reconstruction = reconstruction
        self._profile = profile
        self._group: GroupSelection | None = None
        # Set with the group.
        self._notes: tuple[str, ...] = ()
        self.agent = agent
        self.allows = bound.allows

    def allows_many(self, urls: Iterable[AnyURL]) -> list[bool]:
        """Return whether the agent may fetch each of many URLs, in order.

        Args: urls: An iterable of URLs, but not a single URL.
        Raises: InvalidURL, OriginMismatch, each with the `index` of the URL; TypeError: `urls` is a str or bytes, or
            contains another type.
        Cost: As `allows` for each URL. The native engine releases the interpreter's lock.
        """
        if isinstance(urls, str | bytes):
            raise TypeError(f"invalid urls {quoted(urls)}: expected an iterable of URLs, such as [{quoted(urls)}]")
        return self._bound.allows_many(urls)

    def decide(self, url: AnyURL) -> Verdict:
        """Decide whether the agent may fetch `url`, and return the rule that decides.

        The most specific matching rule wins. If an allow and a disallow rule are equally specific, the allow rule
        wins.

        Args:
            url: An absolute URL, `//host/path` or a path. It is normalised, and its fragment is ignored.
        Returns: The verdict with its reason, the deciding rule if there is one, and the other rules that match.
        Raises: InvalidURL; OriginMismatch: the file governs another origin.
        Cost: O(bytes of the target) plus the matching rules, and never more than bytes of the rules times bytes of
            the target.
        Source: RFC 9309 sections 2.2.1 to 2.2.3.
        """
        allowed, reason, rule, also_matched, target = self._bound.decide(url)
        group = self._group
        if group is None:
            group = self.group
        return _new_tuple(
            Verdict,
            (
                allowed,
                _REASONS[reason],
                rule,
                also_matched,
                group,
                self.agent,
                target,
                self._profile,
                self._notes,
                None,
            ),
        )

    @property
    def group(self) -> GroupSelection:
        """The groups that apply to the agent, and how they were selected.

        Cost: O(user-agent lines of the file) at the first call, and O(bytes) if no group applies.
        """
        if self._group is None:
            choice = GroupChoice(self._bound.choice)
            if choice is GroupChoice.NONE:
                self._notes = self._facts.content_notes
                self._group = GroupSelection(choice, None, ())
            else:
                token = STAR if choice is GroupChoice.STAR else self.agent.encoded_tokens[self._bound.token_index]
                lines = self._facts.lines_for(token, self.group_indices)
                self._group = GroupSelection(choice, display_text(token), lines)
        return self._group

    @property
    def group_indices(self) -> list[int]:
        """The indices of the selected groups in `RobotsTxt.groups`, in file order."""
        return self._bound.group_indices

    def __reduce__(self) -> Reconstruction:
        return self._reconstruction

    def __repr__(self) -> str:
        return f"<AgentRules of {self.agent!r}, profile {self._profile}>"


def find_deciding_rule(rules: AgentRules, url: AnyURL) -> tuple[bool, Rule | None]:
    """Return whether the agent of `rules` may fetch `url`, and the deciding rule.

    Faster than `AgentRules.decide` if many rules match, because the others are not collected.

    Raises: InvalidURL, OriginMismatch.
    Cost: as `AgentRules.allows`.
    """
    return rules._bound.deciding_rule(url)  # noqa: SLF001 - part of the same module


def find_matching_rules(rules: AgentRules, url: AnyURL) -> tuple[bool, Rule | None, tuple[Rule, ...]]:
    """Return whether the agent of `rules` may fetch `url`, the deciding rule, and the others in order of precedence.

    Faster than `AgentRules.decide`, because no verdict is created.

    Raises: InvalidURL, OriginMismatch.
    Cost: as `AgentRules.decide`.
    """
    allowed, _, rule, also_matched, _ = rules._bound.decide(url)  # noqa: SLF001 - part of the same module
    return allowed, rule, also_matched
