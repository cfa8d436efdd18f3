"""Groups: user-agent lines and the rules below them.

Source: RFC 9309 section 2.1.
"""

from typing import Final, NamedTuple

from canfetch.core.patterns import specificity
from canfetch.core.profiles import Profile
from canfetch.core.text import display_text
from canfetch.core.verdict import Rule

_new_tuple: Final = tuple.__new__


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


def build_group(user_agents: list[tuple[bytes, int]], rules: list[tuple[bool, bytes, int]], profile: Profile) -> Group:
    """Return the group that consists of an engine's rows.

    Cost: O(bytes of its rules).
    """
    lines = [_new_tuple(UserAgentLine, (display_text(token), line)) for token, line in user_agents]
    own = [_new_tuple(Rule, (allow, value, line, specificity(value, profile))) for allow, value, line in rules]
    return _new_tuple(Group, (tuple(lines), tuple(own)))
