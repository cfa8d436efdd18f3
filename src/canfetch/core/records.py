"""The lossless view of a file: every line, with its record, its spans and its peculiarities.

1. The byte order mark and the lines, in order, are the bytes that were parsed; with the tail, they are the file.
2. Notes depend on the profile only. A note reports what the profile did with a line, or that parsers differ on it.

Engines do not need this view. It is created on first use.
"""

from collections.abc import Iterator
from enum import Enum, Flag, auto
from typing import Final, NamedTuple

from canfetch.core.abnf import WS, is_comment, is_pattern, is_product_token
from canfetch.core.fields import parse_field
from canfetch.core.keys import NAMES, SPELLINGS, RecordKind, record_kind
from canfetch.core.lines import byte_order_mark_length, iter_lines, readable_part
from canfetch.core.patterns import is_void
from canfetch.core.profiles import Profile
from canfetch.core.text import HEX_DIGITS, UNRESERVED
from canfetch.core.tokens import extract_token


class Note(Flag):
    """Peculiarities of a line."""

    NONE = 0
    BYTE_ORDER_MARK = auto()  # the line follows a byte order mark
    NOT_A_RECORD = auto()  # text that is neither blank, a comment nor a record
    MISSING_COLON = auto()  # white space in place of the colon
    MISSPELT_KEY = auto()  # a spelling other than the record's name was accepted
    KEY_PREFIX = auto()  # only the beginning of the key was accepted
    UNKNOWN_KEY = auto()  # neither a rule, a user-agent line nor a sitemap
    OUTSIDE_GROUP = auto()  # a rule outside groups, such as one before the first user-agent line
    OUTSIDE_GRAMMAR = auto()  # a user-agent line or rule that does not match the grammar of the RFC
    EMPTY_VALUE = auto()  # nothing after the separator
    TOKEN_CUT = auto()  # only a part of a user-agent line's value is its product token
    NO_TOKEN = auto()  # a user-agent line without a product token
    VOID_RULE = auto()  # a rule that cannot match by itself
    LINE_CUT = auto()  # bytes past the line's limit, or past a NUL, are ignored
    NUL = auto()  # a NUL byte
    CONTROL = auto()  # a control character other than TAB and NUL
    NOT_UTF8 = auto()  # bytes that are not valid UTF-8
    NOT_ASCII = auto()  # bytes beyond ASCII in a rule, which should be percent-encoded
    WHITE_SPACE_IN_VALUE = auto()  # white space within the value of a rule
    BAD_ESCAPE = auto()  # a `%` in a rule without two hexadecimal digits after it
    DOLLAR_INSIDE = auto()  # a `$` in a rule before its end, where it is a plain character


class Record(NamedTuple):
    """A line of a file and its record.

    Spans are half-open byte offsets into `RobotsTxt.content`.

    Attributes:
        line: The line number, from 1.
        span: The span of the line, with its line end.
        kind: The kind of the record, or None for a line without a record.
        key: The span of the key, or None for a line without a record.
        value: The span of the value, or None for a line without a record.
        group: The index in `RobotsTxt.groups` of the group that contains the line, or None.
        notes: Peculiarities of the line.
    """

    line: int
    span: tuple[int, int]
    kind: RecordKind | None
    key: tuple[int, int] | None
    value: tuple[int, int] | None
    group: int | None
    notes: Note


_RULES: Final = (RecordKind.ALLOW, RecordKind.DISALLOW)
_OUTSIDE_GRAMMAR: Final = Note.OUTSIDE_GRAMMAR.value
_OUTSIDE_GROUP: Final = Note.OUTSIDE_GROUP.value
# Real files repeat lines, and a hostile one may contain nothing else, so that each text is parsed once.
_CACHED_LINES_LIMIT: Final = 4096
_CONTROLS: Final = bytes(byte for byte in range(0x20) if byte not in b"\0\t")
# A rule's value of these bytes, and a `$` at its end, has no notes, except that it may be empty or void.
_UNREMARKABLE: Final = UNRESERVED + b"/*?=&+,;:@!'()"
_new_tuple: Final = tuple.__new__


class _Effect(Enum):
    """What a line does to the current group."""

    NONE = auto()
    USER_AGENT = auto()  # it starts a group, or adds a name to one
    RULE = auto()  # it belongs to the group, and ends its user-agent lines
    END = auto()  # it ends the group


class _ParsedLine(NamedTuple):
    """A line without its position. Spans are offsets from its start, and notes are the value of the flag."""

    kind: RecordKind | None
    key: tuple[int, int]
    value: tuple[int, int]
    notes: int
    effect: _Effect


class _RuleKey(NamedTuple):
    """The text before the colon of a rule, with what is known about every line that starts with it."""

    kind: RecordKind
    span: tuple[int, int]
    notes: int
    in_grammar: bool


def iter_records(content: bytes, profile: Profile) -> Iterator[Record]:
    """Yield a record for every line, including blank lines and comments.

    Cost: O(bytes).
    """
    reader = _LineReader(profile)
    parsed_lines = reader.parsed_lines
    # Creating a flag is slow, and few combinations occur.
    flags: dict[int, Note] = {}
    extra = Note.BYTE_ORDER_MARK.value if byte_order_mark_length(content, profile) else 0
    last_group = -1
    group: int | None = None
    in_user_agents = False
    for number, (text, start, end) in enumerate(iter_lines(content, profile), 1):
        kind, key, value, notes, effect = parsed_lines.get(text) or reader.parse(text)
        if effect is not _Effect.NONE:
            if effect is _Effect.USER_AGENT:
                if not in_user_agents:
                    last_group += 1
                group = last_group
            elif effect is _Effect.END:
                group = None
            elif group is None:
                notes |= _OUTSIDE_GROUP
            in_user_agents = effect is _Effect.USER_AGENT
        if extra:
            notes |= extra
            extra = 0
        note = flags.get(notes)
        if note is None:
            note = flags[notes] = Note(notes)
        span = start, end
        if kind is None:
            yield _new_tuple(Record, (number, span, None, None, None, group, note))
        else:
            key = start + key[0], start + key[1]
            value = start + value[0], start + value[1]
            yield _new_tuple(Record, (number, span, kind, key, value, group, note))


class _LineReader:
    """Parses lines, each text once. Most lines are rules with one of a few keys and a plain value."""

    __slots__ = ("_profile", "_rule_keys", "parsed_lines")

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._rule_keys: dict[bytes, _RuleKey] = {}
        self.parsed_lines: dict[bytes, _ParsedLine] = {}

    def parse(self, content: bytes) -> _ParsedLine:
        """Parse a line, and store the result in `parsed_lines`."""
        line = self._plain_rule(content) or _parse_line(content, self._profile)
        if len(self.parsed_lines) >= _CACHED_LINES_LIMIT:
            self.parsed_lines.clear()
        self.parsed_lines[content] = line
        if line.kind in _RULES:
            self._add_key(content, line)
        return line

    def _add_key(self, content: bytes, line: _ParsedLine) -> None:
        before, colon, _ = content.partition(b":")
        is_whole = colon and b"#" not in before and b"\0" not in before and not line.notes & Note.MISSING_COLON.value
        if is_whole and before not in self._rule_keys:
            key = before[slice(*line.key)]
            kind = record_kind(key, self._profile)
            in_grammar = before.strip(WS).lower() == NAMES[kind]
            self._rule_keys[before] = _RuleKey(kind, line.key, _key_notes(key, kind), in_grammar)

    def _plain_rule(self, content: bytes) -> _ParsedLine | None:
        """Parse a rule whose key has occurred before and whose value has no peculiar bytes; None for other lines."""
        before, colon, rest = content.partition(b":")
        known = self._rule_keys.get(before) if colon else None
        if known is None:
            return None
        value = rest.strip(WS)
        profile = self._profile
        peculiar = value.translate(None, _UNREMARKABLE)
        if peculiar and not (peculiar == b"$" and value.endswith(b"$")):
            return None
        if len(content) > (profile.max_line_bytes or len(content)):
            return None
        kind, key, notes, in_grammar = known
        if not value:
            notes |= Note.EMPTY_VALUE.value
        if not in_grammar or (value and value[:1] != b"/"):
            notes |= _OUTSIDE_GRAMMAR
        if is_void(value, profile):
            notes |= Note.VOID_RULE.value
        start = len(content) - len(rest.lstrip(WS))
        effect = _Effect.NONE if profile.abnf_only and notes & _OUTSIDE_GRAMMAR else _Effect.RULE
        return _new_tuple(_ParsedLine, (kind, key, (start, start + len(value)), notes, effect))


def _parse_line(content: bytes, profile: Profile) -> _ParsedLine:
    read = readable_part(content, profile)
    notes = Note.LINE_CUT.value if len(read) != len(content) else 0
    if b"\0" in content:
        notes |= Note.NUL.value
    field = parse_field(read, profile)
    if field is None:
        if read.partition(b"#")[0].strip():
            notes |= Note.NOT_A_RECORD.value
        is_end = profile.blank_line_ends_group and not read.strip()
        return _ParsedLine(None, (0, 0), (0, 0), notes, _Effect.END if is_end else _Effect.NONE)
    key = read[field.key_start : field.key_end]
    value = read[field.value_start : field.value_end]
    kind = record_kind(key, profile)
    notes |= _key_notes(key, kind) | _byte_notes(value)
    if not field.has_colon:
        notes |= Note.MISSING_COLON.value
    in_grammar = _in_grammar(read, kind)
    if kind >= RecordKind.USER_AGENT and not in_grammar:
        notes |= _OUTSIDE_GRAMMAR
    if kind is RecordKind.USER_AGENT:
        notes |= _token_notes(value, extract_token(value, profile) if in_grammar or not profile.abnf_only else b"")
    elif kind in _RULES:
        notes |= _pattern_notes(value, profile)
    effect = _Effect.USER_AGENT if kind is RecordKind.USER_AGENT else _Effect.NONE
    if kind in _RULES and not (profile.abnf_only and notes & _OUTSIDE_GRAMMAR):
        effect = _Effect.RULE
    return _ParsedLine(kind, (field.key_start, field.key_end), (field.value_start, field.value_end), notes, effect)


def _key_notes(key: bytes, kind: RecordKind) -> int:
    if kind is RecordKind.OTHER:
        return Note.UNKNOWN_KEY.value
    folded = key.lower()
    if folded == NAMES[kind]:
        return 0
    return Note.MISSPELT_KEY.value if folded in dict(SPELLINGS)[kind] else Note.KEY_PREFIX.value


def _byte_notes(value: bytes) -> int:
    if not value:
        return Note.EMPTY_VALUE.value
    notes = 0
    if len(value.translate(None, _CONTROLS)) != len(value):
        notes |= Note.CONTROL.value
    if not value.isascii():
        try:
            value.decode("utf-8")
        except UnicodeDecodeError:
            notes |= Note.NOT_UTF8.value
    return notes


def _token_notes(value: bytes, token: bytes) -> int:
    if not token:
        return Note.NO_TOKEN.value
    return 0 if token == value else Note.TOKEN_CUT.value


def _pattern_notes(value: bytes, profile: Profile) -> int:
    notes = 0
    if is_void(value, profile):
        notes |= Note.VOID_RULE.value
    if b" " in value or b"\t" in value:
        notes |= Note.WHITE_SPACE_IN_VALUE.value
    if b"$" in value[:-1]:
        notes |= Note.DOLLAR_INSIDE.value
    if not value.isascii():
        notes |= Note.NOT_ASCII.value
    if b"%" in value:
        for part in value.split(b"%")[1:]:
            if len(part) < 2 or part[:2].translate(None, HEX_DIGITS):
                notes |= Note.BAD_ESCAPE.value
    return notes


def _in_grammar(read: bytes, kind: RecordKind) -> bool:
    body, mark, comment = read.partition(b"#")
    key, colon, value = body.partition(b":")
    if not colon or key.strip(WS).lower() != NAMES.get(kind) or not is_comment(mark + comment):
        return False
    value = value.strip(WS)
    return is_product_token(value) if kind is RecordKind.USER_AGENT else is_pattern(value)
