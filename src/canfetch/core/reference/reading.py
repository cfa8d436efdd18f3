"""One pass over a file: its groups, its rules, and where every other record stands.

1. A user-agent line joins the group in progress until a rule has been seen; then it starts the next one.
2. Only allow and disallow end a run of user-agent lines: other records, blank and invalid lines never do.
3. Rules before the first group count for nothing.

Source: RFC 9309 sections 2.1 and 2.2.1 to 2.2.4.
"""

from typing import NamedTuple

from canfetch.core.abnf import is_comment, is_pattern, is_product_token
from canfetch.core.fields import field_of
from canfetch.core.keys import EXACT_KINDS, RecordKind, kind_of
from canfetch.core.lines import byte_order_mark_octets, readable_part
from canfetch.core.profiles import Profile
from canfetch.core.tokens import token_of

class GroupLines(NamedTuple):
    """A group: its user-agent lines as (token, line), its rules as (allow, value, line)."""

    user_agents: list[tuple[bytes, int]]
    rules: list[tuple[bool, bytes, int]]


class OtherRecord(NamedTuple):
    """A record that is no rule and no user-agent line: spans in the file, half open; group -1 before the first."""

    line: int
    kind: int
    key_start: int
    key_end: int
    value_start: int
    value_end: int
    group: int


class FileReading(NamedTuple):
    """What one pass finds."""

    groups: list[GroupLines]
    others: list[OtherRecord]


class LineReader:
    """Reads one line at a time in one profile, and knows the groups so far."""

    __slots__ = ("groups", "in_user_agents", "others", "profile")

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.groups: list[GroupLines] = []
        self.others: list[OtherRecord] = []
        self.in_user_agents = False

    def user_agent(self, token: bytes, line: int) -> None:
        """Take a user-agent line."""
        if not self.in_user_agents:
            self.groups.append(GroupLines([], []))
            self.in_user_agents = True
        self.groups[-1].user_agents.append((token, line))

    def rule(self, allow: bool, value: bytes, line: int) -> None:  # noqa: FBT001
        """Take an allow or disallow line."""
        if self.groups:
            self.groups[-1].rules.append((allow, value, line))
            self.in_user_agents = False

    def read(self, content: bytes, line: int, start: int) -> None:
        """Read the content of any line; `start` is its offset in the file."""
        profile = self.profile
        content = readable_part(content, profile)
        field = field_of(content, profile)
        if field is None:
            return
        kind = kind_of(content[field.key_start : field.key_end], profile)
        value = content[field.value_start : field.value_end]
        if kind is RecordKind.USER_AGENT:
            if profile.abnf_only:
                token = value if is_product_token(value) and _comment_is_valid(content) else b""
            else:
                token = token_of(value, profile)
            self.user_agent(token, line)
        elif kind >= RecordKind.ALLOW:
            if not profile.abnf_only or (is_pattern(value) and _comment_is_valid(content)):
                self.rule(kind is RecordKind.ALLOW, value, line)
        else:
            spans = (start + offset for offset in field[:4])
            self.others.append(OtherRecord(line, kind, *spans, len(self.groups) - 1))


def _comment_is_valid(content: bytes) -> bool:
    return is_comment(b"".join(content.partition(b"#")[1:]))


def read_file(octets: bytes, profile: Profile) -> FileReading:
    """Read a whole file.

    Cost: O(octets).
    """
    reader = LineReader(profile)
    start = byte_order_mark_octets(octets, profile)
    lines = octets[start:].splitlines(keepends=True)
    if profile.abnf_only:
        for number, line in enumerate(lines, 1):
            reader.read(line.rstrip(b"\r\n"), number, start)
            start += len(line)
    else:
        _read_plain_lines(reader, lines, start)
    return FileReading(reader.groups, reader.others)


def _read_plain_lines(reader: LineReader, lines: list[bytes], start: int) -> None:
    # The same as `LineReader.read` for the lines that nearly all files consist of, without its calls.
    profile = reader.profile
    kinds = EXACT_KINDS[profile.name]
    seen_kinds: dict[bytes, RecordKind] = {}
    limit = profile.line_limit_octets or len(b"".join(lines)) + 1
    nul = profile.nul_ends_line
    for number, line in enumerate(lines, 1):
        written_key, colon, value = line.partition(b":")
        kind = seen_kinds.get(written_key)
        if kind is None:
            kind = kinds.get(written_key.strip().lower(), RecordKind.OTHER)
            if b"#" not in written_key and b"\0" not in written_key and len(seen_kinds) < 64:
                seen_kinds[written_key] = kind
        if (
            kind < RecordKind.USER_AGENT
            or not colon
            or len(line) > limit
            or (nul and b"\0" in line)
            or b"#" in written_key
        ):
            if line[:1] not in b"#\r\n":
                reader.read(line.rstrip(b"\r\n"), number, start)
        else:
            if b"#" in value:
                value = value.partition(b"#")[0]
            value = value.strip()
            if kind is RecordKind.USER_AGENT:
                reader.user_agent(token_of(value, profile), number)
            elif reader.groups:
                reader.groups[-1].rules.append((kind is RecordKind.ALLOW, value, number))
                reader.in_user_agents = False
        start += len(line)
