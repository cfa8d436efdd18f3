"""The lossless view of a file: every line, with its record, its spans, and a note on all that is odd.

1. The byte order mark and the lines, in order, are the octets that were read; with the tail, the file.
2. Nothing is judged here but by the profile: a note says what it did with the line, or that others differ.

Engines do not need it: it is made when somebody asks.
"""

from collections.abc import Iterator
from enum import Flag, auto
from typing import Final, NamedTuple

from canfetch.core.abnf import WS, is_comment, is_pattern, is_product_token
from canfetch.core.fields import parse_field
from canfetch.core.keys import NAMES, SPELLINGS, RecordKind, record_kind
from canfetch.core.lines import byte_order_mark_length, iter_lines, readable_part
from canfetch.core.patterns import is_void
from canfetch.core.profiles import Profile
from canfetch.core.text import HEX_DIGITS
from canfetch.core.tokens import extract_token


class Note(Flag):
    """What is odd about a line."""

    NONE = 0
    BYTE_ORDER_MARK = auto()  # the line stands behind one
    NOT_A_RECORD = auto()  # text that is neither blank, a comment nor a record
    MISSING_COLON = auto()  # white space stands for the colon
    MISSPELT_KEY = auto()  # a spelling other than the record's name was accepted
    KEY_PREFIX = auto()  # only the beginning of the key was accepted
    UNKNOWN_KEY = auto()  # neither a rule, a user-agent line nor a sitemap
    OUTSIDE_GROUP = auto()  # a rule that stands in no group, such as one before the first user-agent line
    OUTSIDE_GRAMMAR = auto()  # a user-agent line or rule that the grammar of the RFC has not
    EMPTY_VALUE = auto()  # nothing behind the separator
    TOKEN_CUT = auto()  # only a part of a user-agent line's value is its product token
    NO_TOKEN = auto()  # a user-agent line without a product token
    VOID_RULE = auto()  # a rule that can match nothing by itself
    LINE_CUT = auto()  # octets past the line's limit, or past a NUL, are not read
    NUL = auto()  # a NUL octet
    CONTROL = auto()  # a control character other than TAB and NUL
    NOT_UTF8 = auto()  # octets that are no UTF-8
    NOT_ASCII = auto()  # octets beyond ASCII in a rule: better written as escapes
    WHITE_SPACE_IN_VALUE = auto()  # white space within a rule's value
    BAD_ESCAPE = auto()  # a `%` in a rule that two hex digits do not follow
    DOLLAR_INSIDE = auto()  # a `$` in a rule that is not at its end, and so is a character


class Record(NamedTuple):
    """One line of a file.

    `line` counts from 1; `span` covers the line with its end; `key` and `value` are spans too, or None
    for a line without a record. Spans are octet offsets into `RobotsTxt.octets`, half open. `group` is the
    index of the group that it stands in, or None.
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
# Files repeat themselves, and a stranger's may do nothing else: what a line is, is found out once.
_MOST_REMEMBERED: Final = 4096
_CONTROLS: Final = bytes(octet for octet in range(0x20) if octet not in b"\0\t")


class _LineReading(NamedTuple):
    """What a line is, wherever it stands: spans are offsets from its start, notes are the value of their flag."""

    kind: RecordKind | None
    key: tuple[int, int]
    value: tuple[int, int]
    notes: int
    is_blank: bool


def iter_records(octets: bytes, profile: Profile) -> Iterator[Record]:
    """Yield a record for every line, blank ones and comments too.

    Cost: O(octets).
    """
    mark = byte_order_mark_length(octets, profile)
    groups = _Groups(profile)
    readings: dict[bytes, _LineReading] = {}
    notes_of: dict[int, Note] = {}
    for number, start, content_end, end in iter_lines(octets, profile):
        content = octets[start:content_end]
        reading = readings.get(content)
        if reading is None:
            reading = _reading_of(content, profile)
            if len(readings) >= _MOST_REMEMBERED:
                readings.clear()
            readings[content] = reading
        kind, key, value, notes, _ = reading
        group, more = groups.of_line(reading)
        notes |= more
        if mark and number == 1:
            notes |= Note.BYTE_ORDER_MARK.value
        note = notes_of.get(notes)
        if note is None:
            note = notes_of[notes] = Note(notes)
        yield Record(
            number,
            (start, end),
            kind,
            None if kind is None else (start + key[0], start + key[1]),
            None if kind is None else (start + value[0], start + value[1]),
            group,
            note,
        )


class _Groups:
    """Which group a line stands in, line after line."""

    __slots__ = ("_group", "_in_group", "_in_user_agents", "_profile")

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._group = -1
        self._in_group = self._in_user_agents = False

    def of_line(self, reading: _LineReading) -> tuple[int | None, int]:
        """Give the index of the next line's group, or None, and the value of what is to be noted about that."""
        notes = 0
        if reading.kind is RecordKind.USER_AGENT:
            if not self._in_user_agents:
                self._group += 1
            self._in_group = self._in_user_agents = True
        elif reading.kind in _RULES and not (self._profile.abnf_only and reading.notes & _OUTSIDE_GRAMMAR):
            self._in_user_agents = False
            if not self._in_group:
                notes = Note.OUTSIDE_GROUP.value
        elif reading.is_blank and self._profile.blank_line_ends_group:
            self._in_group = self._in_user_agents = False
        return (self._group if self._in_group else None), notes


def _reading_of(content: bytes, profile: Profile) -> _LineReading:
    read = readable_part(content, profile)
    notes = Note.LINE_CUT.value if len(read) != len(content) else 0
    if b"\0" in content:
        notes |= Note.NUL.value
    field = parse_field(read, profile)
    if field is None:
        if read.partition(b"#")[0].strip():
            notes |= Note.NOT_A_RECORD.value
        return _LineReading(None, (0, 0), (0, 0), notes, not read.strip())
    key = read[field.key_start : field.key_end]
    value = read[field.value_start : field.value_end]
    kind = record_kind(key, profile)
    notes |= _key_notes(key, kind) | _octet_notes(value)
    if not field.has_colon:
        notes |= Note.MISSING_COLON.value
    in_grammar = _in_grammar(read, kind)
    if kind >= RecordKind.USER_AGENT and not in_grammar:
        notes |= _OUTSIDE_GRAMMAR
    if kind is RecordKind.USER_AGENT:
        notes |= _token_notes(value, extract_token(value, profile) if in_grammar or not profile.abnf_only else b"")
    elif kind in _RULES:
        notes |= _pattern_notes(value, profile)
    return _LineReading(
        kind, (field.key_start, field.key_end), (field.value_start, field.value_end), notes, is_blank=False
    )


def _key_notes(key: bytes, kind: RecordKind) -> int:
    if kind is RecordKind.OTHER:
        return Note.UNKNOWN_KEY.value
    folded = key.lower()
    if folded == NAMES[kind]:
        return 0
    return Note.MISSPELT_KEY.value if folded in dict(SPELLINGS)[kind] else Note.KEY_PREFIX.value


def _octet_notes(value: bytes) -> int:
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
