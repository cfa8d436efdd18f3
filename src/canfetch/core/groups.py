"""A group: the user-agent lines and the rules under them.

Source: RFC 9309 section 2.1.
"""

from typing import NamedTuple

from canfetch.core.octets import text_of
from canfetch.core.patterns import is_void, texts_of
from canfetch.core.profiles import Profile
from canfetch.core.verdict import Rule


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

    def lines_naming(self, token: str, *, case_sensitive: bool) -> tuple[int, ...]:
        """Give the numbers of the user-agent lines that name `token`."""
        return tuple(
            user_agent.line
            for user_agent in self.user_agents
            if user_agent.token == token or (not case_sensitive and _folded(user_agent.token) == _folded(token))
        )


def _folded(token: str) -> bytes:
    # Only ASCII letters have a case here: bytes.lower() knows no other.
    return token.encode("utf-8", "surrogatepass").lower()


def group_of(
    user_agents: list[tuple[bytes, int]], rules: list[tuple[bool, bytes, int]], profile: Profile
) -> Group:
    """Make a group of an engine's rows.

    Cost: O(octets of its rules).
    """
    return Group(
        tuple(UserAgentLine(text_of(token), line) for token, line in user_agents),
        tuple(Rule(allow, value, line, _specificity(value, allow=allow, profile=profile)) for allow, value, line in rules),
    )


def _specificity(value: bytes, *, allow: bool, profile: Profile) -> int:
    return 0 if is_void(value, profile) else texts_of(value, allow=allow, profile=profile)[0].specificity
