"""A group: the user-agent lines and the rules under them.

Source: RFC 9309 section 2.1.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from canfetch.core.patterns import is_void, texts_of
from canfetch.core.profiles import Profile
from canfetch.core.text import display_text
from canfetch.core.tokens import token_matches
from canfetch.core.verdict import Rule

if TYPE_CHECKING:
    from canfetch.core.contract import CompiledFile


class UserAgentLine(NamedTuple):
    """A user-agent line: its product token as written, empty where it names nobody, and its number from 1."""

    token: str
    line: int


class Group(NamedTuple):
    """User-agent lines and the rules under them, in file order; void and empty rules stay, with 0 octets."""

    user_agents: tuple[UserAgentLine, ...]
    rules: tuple[Rule, ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The product tokens that the group names, as written."""
        return tuple(user_agent.token for user_agent in self.user_agents if user_agent.token)


class TokenLines:
    """Which lines name a token; read of a compiled file when somebody asks, and only then.

    It knows the compiled file and not the `RobotsTxt`, so that no rules bound to an agent keep alive
    what keeps them: a file that nobody holds is freed at once.
    """

    __slots__ = ("_compiled", "_profile", "_user_agents")

    def __init__(self, compiled: "CompiledFile", profile: Profile) -> None:
        self._compiled = compiled
        self._profile = profile
        self._user_agents: list[list[tuple[bytes, int]]] | None = None

    def lines_for(self, token: bytes, groups: Iterable[int]) -> tuple[int, ...]:
        """Give the numbers of the lines of those groups that name `token`.

        Cost: O(user-agent lines of the groups), at the first call O(rules and user-agent lines of the file).
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
    """Make a group of an engine's rows.

    Cost: O(octets of its rules).
    """
    return Group(
        tuple(UserAgentLine(display_text(token), line) for token, line in user_agents),
        tuple(
            Rule(allow, value, line, _specificity(value, allow=allow, profile=profile)) for allow, value, line in rules
        ),
    )


def _specificity(value: bytes, *, allow: bool, profile: Profile) -> int:
    return 0 if is_void(value, profile) else texts_of(value, allow=allow, profile=profile)[0].specificity
