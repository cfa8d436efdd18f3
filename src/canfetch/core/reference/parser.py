"""Parser: one pass over a file that finds its groups, its rules and the positions of all other records.

1. A user-agent line joins the current group until a rule follows. The next one then starts a new group.
2. Only rules end a run of user-agent lines. Other records and invalid lines never do, blank lines in some profiles.
3. Rules outside a group are ignored.

Source: RFC 9309 sections 2.1 and 2.2.1 to 2.2.4.
"""

from typing import Final, NamedTuple

from canfetch.core.abnf import is_comment, is_pattern, is_product_token
from canfetch.core.contract import OtherRow
from canfetch.core.fields import parse_field
from canfetch.core.keys import RecordKind, record_kind
from canfetch.core.lines import physical_lines, readable_part
from canfetch.core.profiles import Profile
from canfetch.core.tokens import extract_token

# Looking a member up in its enumeration takes longer than reading the rest of a line.
_USER_AGENT: Final = RecordKind.USER_AGENT
_ALLOW: Final = RecordKind.ALLOW
_DISALLOW: Final = RecordKind.DISALLOW


class GroupLines(NamedTuple):
    """A group: its user-agent lines as (token, line) and its rules as (allow, value, line)."""

    user_agents: list[tuple[bytes, int]]
    rules: list[tuple[bool, bytes, int]]


class ParsedFile(NamedTuple):
    """The result of parsing."""

    groups: list[GroupLines]
    others: list[OtherRow]


class LineReader:
    """Reads lines one at a time and builds the groups."""

    __slots__ = ("groups", "in_group", "in_user_agents", "others", "profile")

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.groups: list[GroupLines] = []
        self.others: list[OtherRow] = []
        self.in_group = False
        self.in_user_agents = False

    def user_agent(self, token: bytes, line: int) -> None:
        """Add a user-agent line."""
        if not self.in_user_agents:
            self.groups.append(GroupLines([], []))
            self.in_group = self.in_user_agents = True
        self.groups[-1].user_agents.append((token, line))

    def rule(self, allow: bool, value: bytes, line: int) -> None:  # noqa: FBT001
        """Add an allow or disallow line."""
        if self.in_group:
            self.groups[-1].rules.append((allow, value, line))
            self.in_user_agents = False

    def blank_line(self) -> None:
        """End the group, in profiles in which a blank line does."""
        self.in_group = self.in_user_agents = False

    @property
    def group(self) -> int:
        """The index of the current group, or -1."""
        return len(self.groups) - 1 if self.in_group else -1

    def read(self, content: bytes, line: int, start: int) -> None:
        """Read a line without its line break; `start` is its offset in the file."""
        profile = self.profile
        content = readable_part(content, profile)
        field = parse_field(content, profile)
        if field is None:
            if profile.blank_line_ends_group and not content.strip():
                self.blank_line()
            return
        key_start, key_end, value_start, value_end, _ = field
        kind = record_kind(content[key_start:key_end], profile)
        value = content[value_start:value_end]
        if kind is _USER_AGENT:
            if profile.abnf_only:
                token = value if is_product_token(value) and _comment_is_valid(content) else b""
            else:
                token = extract_token(value, profile)
            self.user_agent(token, line)
        elif kind is _ALLOW or kind is _DISALLOW:
            if not profile.abnf_only or (is_pattern(value) and _comment_is_valid(content)):
                self.rule(kind is _ALLOW, value, line)
        else:
            spans = (start + key_start, start + key_end, start + value_start, start + value_end)
            self.others.append((line, kind, *spans, self.group))


def _comment_is_valid(content: bytes) -> bool:
    return is_comment(b"".join(content.partition(b"#")[1:]))


def parse_file(content: bytes, profile: Profile) -> ParsedFile:
    """Parse a file.

    Cost: O(bytes).
    """
    reader = LineReader(profile)
    start, lines = physical_lines(content, profile)
    for number, line in enumerate(lines, 1):
        reader.read(line.rstrip(b"\r\n"), number, start)
        start += len(line)
    return ParsedFile(reader.groups, reader.others)
