"""Groups: user-agent lines and the rules below them.

Source: RFC 9309 section 2.1.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from canfetch.core.patterns import specificity
from canfetch.core.profiles import Profile
from canfetch.core.text import display_text
from canfetch.core.tokens import token_matches
from canfetch.core.verdict import Rule

_new_tuple: Final = tuple.__new__

if TYPE_CHECKING:
    from canfetch.core.contract import CompiledFile


class UserAgentLine(NamedTuple):
    """A user-agent line.

    Attributes:
        token: The product token as written, or an empty string if the line has none.
        line: The line number, from 1.
    """

    token: str
    line: int


class Group(NamedTuple):
    """User-agent lines and the rules below them, in file order.

    Rules that cannot match by themselves are included, with specificity 0.
    """

    user_agents: tuple[UserAgentLine, ...]
    rules: tuple[Rule, ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The product tokens of the group, as written."""
        return tuple(user_agent.token for user_agent in self.user_agents if user_agent.token)


class TokenLines:
    """The user-agent lines of a file, by group. They are read from the compiled file on first use.

    It holds the compiled file but not the `RobotsTxt`: a reference cycle with the rules of an agent would delay
    freeing the memory.
    """

    __slots__ = ("_compiled", "_profile", "_user_agents")

    def __init__(self, compiled: "CompiledFile", profile: Profile) -> None:
        self._compiled = compiled
        self._profile = profile
        self._user_agents: list[list[tuple[bytes, int]]] | None = None

    def lines_for(self, token: bytes, groups: Iterable[int]) -> tuple[int, ...]:
        """Return the line numbers of the user-agent lines in these groups that apply to `token`.

        Cost: O(user-agent lines of the groups), and O(rules and user-agent lines of the file) at the first call.
        """
        if self._user_agents is None:
            self._user_agents = [user_agents for user_agents, _ in self._compiled.group_table()]
        return tuple(
            line
            for index in groups
            for named, line in self._user_agents[index]
            if token_matches(named, token, self._profile)
        )


def build_group(user_agents: list[tuple[bytes, int]], rules: list[tuple[bool, bytes, int]], profile: Profile) -> Group:
    """Return the group that consists of an engine's rows.

    Cost: O(bytes of its rules).
    """
    lines = [_new_tuple(UserAgentLine, (display_text(token), line)) for token, line in user_agents]
    own = [_new_tuple(Rule, (allow, value, line, specificity(value, profile))) for allow, value, line in rules]
    return _new_tuple(Group, (tuple(lines), tuple(own)))
