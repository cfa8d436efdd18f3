"""One pass over a file: its groups, its rules, and where every other record stands.

1. A user-agent line joins the group in progress until a rule has been seen; then it starts the next one.
2. Only allow and disallow end a run of user-agent lines: other records and invalid lines never do, blank
   lines in few profiles.
3. Rules outside of a group count for nothing.

Source: RFC 9309 sections 2.1 and 2.2.1 to 2.2.4.
"""

from itertools import accumulate
from typing import NamedTuple

from canfetch.core.abnf import is_comment, is_pattern, is_product_token
from canfetch.core.fields import parse_field
from canfetch.core.keys import RecordKind, record_kind
from canfetch.core.lines import byte_order_mark_length, readable_part
from canfetch.core.profiles import Profile
from canfetch.core.tokens import extract_token


class GroupLines(NamedTuple):
    """A group: its user-agent lines as (token, line), its rules as (allow, value, line)."""

    user_agents: list[tuple[bytes, int]]
    rules: list[tuple[bool, bytes, int]]


# A record that is no rule and no user-agent line: its line, its kind, the spans of key and value in the
# file, half open, and the index of its group, -1 before the first. A plain tuple: files are full of them.
OtherRecord = tuple[int, int, int, int, int, int, int]


class FileReading(NamedTuple):
    """What one pass finds."""

    groups: list[GroupLines]
    others: list[OtherRecord]


class LineReader:
    """Reads one line at a time in one profile, and knows the groups so far."""

    __slots__ = ("groups", "in_group", "in_user_agents", "others", "profile")

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.groups: list[GroupLines] = []
        self.others: list[OtherRecord] = []
        self.in_group = False
        self.in_user_agents = False

    def user_agent(self, token: bytes, line: int) -> None:
        """Take a user-agent line."""
        if not self.in_user_agents:
            self.groups.append(GroupLines([], []))
            self.in_group = self.in_user_agents = True
        self.groups[-1].user_agents.append((token, line))

    def rule(self, allow: bool, value: bytes, line: int) -> None:  # noqa: FBT001
        """Take an allow or disallow line."""
        if self.in_group:
            self.groups[-1].rules.append((allow, value, line))
            self.in_user_agents = False

    def blank_line(self) -> None:
        """Take a line without anything on it, where that ends groups."""
        self.in_group = self.in_user_agents = False

    @property
    def group(self) -> int:
        """The index of the group in progress, or -1."""
        return len(self.groups) - 1 if self.in_group else -1

    def read(self, content: bytes, line: int, start: int) -> None:
        """Read the content of any line; `start` is its offset in the file."""
        profile = self.profile
        content = readable_part(content, profile)
        field = parse_field(content, profile)
        if field is None:
            if profile.blank_line_ends_group and not content.strip():
                self.blank_line()
            return
        kind = record_kind(content[field.key_start : field.key_end], profile)
        value = content[field.value_start : field.value_end]
        if kind is RecordKind.USER_AGENT:
            if profile.abnf_only:
                token = value if is_product_token(value) and _comment_is_valid(content) else b""
            else:
                token = extract_token(value, profile)
            self.user_agent(token, line)
        elif kind >= RecordKind.ALLOW:
            if not profile.abnf_only or (is_pattern(value) and _comment_is_valid(content)):
                self.rule(kind is RecordKind.ALLOW, value, line)
        else:
            key_start, key_end, value_start, value_end = (start + offset for offset in field[:4])
            self.others.append((line, kind, key_start, key_end, value_start, value_end, self.group))


def _comment_is_valid(content: bytes) -> bool:
    return is_comment(b"".join(content.partition(b"#")[1:]))


def read_file(octets: bytes, profile: Profile) -> FileReading:
    """Read a whole file.

    Cost: O(octets).
    """
    reader = LineReader(profile)
    start = byte_order_mark_length(octets, profile)
    lines = octets[start:].splitlines(keepends=True)
    if _reads_lines_whole(octets, lines, profile):
        _read_plain_lines(reader, lines, start)
    else:
        for number, line in enumerate(lines, 1):
            reader.read(line.rstrip(b"\r\n"), number, start)
            start += len(line)
    return FileReading(reader.groups, reader.others)


def _reads_lines_whole(octets: bytes, lines: list[bytes], profile: Profile) -> bool:
    if profile.abnf_only or b"\v" in octets or b"\f" in octets or (profile.nul_ends_line and b"\0" in octets):
        return False
    return not profile.max_line_bytes or max(map(len, lines), default=0) <= profile.max_line_bytes


# The quick reader's choice for a line that only `LineReader.read` can judge.
_LOOK_CLOSER = -1
_USER_AGENT, _ALLOW = int(RecordKind.USER_AGENT), int(RecordKind.ALLOW)
_REMEMBERED_KEYS_LIMIT = 64
_NOTHING_TO_READ = b"#\r\n"


def _read_plain_lines(  # noqa: C901, PLR0912 - one loop without calls, which is what makes it quick
    reader: LineReader, lines: list[bytes], start: int
) -> None:
    # The same as `LineReader.read` for the lines that nearly all files consist of, without its calls.
    profile = reader.profile
    blank_line_ends_group = profile.blank_line_ends_group
    kinds: dict[bytes, int] = {}
    rules: list[tuple[bool, bytes, int]] | None = None
    offsets: list[int] = []
    for number, line in enumerate(lines, 1):
        if blank_line_ends_group and line.isspace():
            reader.blank_line()
            rules = None
            continue
        if line[0] in _NOTHING_TO_READ:
            continue
        written_key, colon, value = line.partition(b":")
        if not colon:
            # A record without a colon is two runs of octets, which a comment may follow.
            if len(line.split(None, 2)) != 2 and b"#" not in line:
                continue
            kind = _LOOK_CLOSER
        elif (known := kinds.get(written_key)) is not None:
            kind = known
        else:
            kind = _LOOK_CLOSER if b"#" in written_key else int(record_kind(written_key.strip(), profile))
            if len(kinds) < _REMEMBERED_KEYS_LIMIT:
                kinds[written_key] = kind
        if kind >= _USER_AGENT:
            if b"#" in value:
                value = value.partition(b"#")[0]
            if kind == _USER_AGENT:
                reader.user_agent(extract_token(value.strip(), profile), number)
                rules = None
                continue
            if rules is None and reader.in_group:
                rules = reader.groups[-1].rules
                reader.in_user_agents = False
            if rules is not None:
                rules.append((kind == _ALLOW, value.strip(), number))
            continue
        if not offsets:
            offsets = list(accumulate(map(len, lines), initial=start))
        offset = offsets[number - 1]
        if kind == _LOOK_CLOSER:
            reader.read(line.rstrip(b"\r\n"), number, offset)
            rules = None
        elif key := written_key.strip():
            key_start = offset + written_key.find(key)
            value = value.rstrip(b"\r\n").partition(b"#")[0]
            value_start = offset + len(written_key) + 1 + len(value) - len(value.lstrip())
            value_end = value_start + len(value.strip())
            key_end = key_start + len(key)
            reader.others.append((number, kind, key_start, key_end, value_start, value_end, reader.group))
