"""The lossless view of a file: every line, with its record, its spans, and a note on all that is odd.

1. The byte order mark and the lines, in order, are the octets that were read; with the tail, the file.
2. Nothing is judged here but by the profile: a note says what it did with the line, or that others differ.

Engines do not need it: it is made when somebody asks.
"""

from collections.abc import Iterator
from enum import Flag, auto
from typing import Final, NamedTuple

from canfetch.core.abnf import WS, is_comment, is_pattern, is_product_token
from canfetch.core.fields import field_of
from canfetch.core.keys import NAMES, SPELLINGS, RecordKind, kind_of
from canfetch.core.lines import Line, byte_order_mark_octets, lines_of, readable_part
from canfetch.core.octets import HEX_DIGITS
from canfetch.core.patterns import is_void
from canfetch.core.profiles import Profile
from canfetch.core.tokens import token_of


class Note(Flag):
    """What is odd about a line."""

    NONE = 0
    BYTE_ORDER_MARK = auto()  # the line stands behind one
    NO_RECORD = auto()  # text that is neither blank, a comment nor a record
    MISSING_COLON = auto()  # white space stands for the colon
    MISSPELT_KEY = auto()  # a spelling other than the record's name was accepted
    KEY_PREFIX = auto()  # only the beginning of the key was accepted
    UNKNOWN_KEY = auto()  # neither a rule, a user-agent line nor a sitemap
    OUTSIDE_GROUP = auto()  # a rule that stands in no group, such as one before the first user-agent line
    OUTSIDE_GRAMMAR = auto()  # a user-agent line or rule that the grammar of the RFC has not
    EMPTY_VALUE = auto()  # nothing behind the separator
    TOKEN_CUT = auto()  # only a part of a user-agent line's value is its product token
    NAMES_NOBODY = auto()  # a user-agent line without a product token
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


def records_of(octets: bytes, profile: Profile) -> Iterator[Record]:
    """Yield a record for every line, blank ones and comments too.

    Cost: O(octets).
    """
    mark = byte_order_mark_octets(octets, profile)
    group = -1
    in_group = in_user_agents = False
    for line in lines_of(octets, profile):
        record = _record_of(octets, line, profile)
        notes = record.notes
        if mark and line.number == 1:
            notes |= Note.BYTE_ORDER_MARK
        ignored = profile.abnf_only and Note.OUTSIDE_GRAMMAR in notes
        if record.kind is RecordKind.USER_AGENT:
            if not in_user_agents:
                group += 1
            in_group = in_user_agents = True
        elif record.kind in _RULES and not ignored:
            in_user_agents = False
            if not in_group:
                notes |= Note.OUTSIDE_GROUP
        elif profile.blank_line_ends_group and record.kind is None and not _read(octets, line, profile).strip():
            in_group = in_user_agents = False
        yield record._replace(group=group if in_group else None, notes=notes)


def _read(octets: bytes, line: Line, profile: Profile) -> bytes:
    return readable_part(octets[line.start : line.content_end], profile)


def _record_of(octets: bytes, line: Line, profile: Profile) -> Record:
    content = octets[line.start : line.content_end]
    read = readable_part(content, profile)
    notes = Note.LINE_CUT if len(read) != len(content) else Note.NONE
    if b"\0" in content:
        notes |= Note.NUL
    field = field_of(read, profile)
    if field is None:
        if read.partition(b"#")[0].strip():
            notes |= Note.NO_RECORD
        return Record(line.number, (line.start, line.end), None, None, None, None, notes)
    key = read[field.key_start : field.key_end]
    value = read[field.value_start : field.value_end]
    kind = kind_of(key, profile)
    notes |= _key_notes(key, kind) | _octet_notes(value)
    if not field.has_colon:
        notes |= Note.MISSING_COLON
    in_grammar = _in_grammar(read, kind)
    if kind >= RecordKind.USER_AGENT and not in_grammar:
        notes |= Note.OUTSIDE_GRAMMAR
    if kind is RecordKind.USER_AGENT:
        notes |= _token_notes(value, token_of(value, profile) if in_grammar or not profile.abnf_only else b"")
    elif kind in _RULES:
        notes |= _pattern_notes(value, profile)
    start = line.start
    return Record(
        line.number,
        (start, line.end),
        kind,
        (start + field.key_start, start + field.key_end),
        (start + field.value_start, start + field.value_end),
        None,
        notes,
    )


def _key_notes(key: bytes, kind: RecordKind) -> Note:
    if kind is RecordKind.OTHER:
        return Note.UNKNOWN_KEY
    folded = key.lower()
    if folded == NAMES[kind]:
        return Note.NONE
    return Note.MISSPELT_KEY if folded in dict(SPELLINGS)[kind] else Note.KEY_PREFIX


def _octet_notes(value: bytes) -> Note:
    notes = Note.NONE
    if not value:
        notes |= Note.EMPTY_VALUE
    if any(octet < 0x20 and octet not in b"\0\t" for octet in value):
        notes |= Note.CONTROL
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        notes |= Note.NOT_UTF8
    return notes


def _token_notes(value: bytes, token: bytes) -> Note:
    if not token:
        return Note.NAMES_NOBODY
    return Note.NONE if token == value else Note.TOKEN_CUT


def _pattern_notes(value: bytes, profile: Profile) -> Note:
    notes = Note.NONE
    if is_void(value, profile):
        notes |= Note.VOID_RULE
    if b" " in value or b"\t" in value:
        notes |= Note.WHITE_SPACE_IN_VALUE
    if b"$" in value[:-1]:
        notes |= Note.DOLLAR_INSIDE
    if not value.isascii():
        notes |= Note.NOT_ASCII
    for part in value.split(b"%")[1:]:
        if len(part) < 2 or part[:2].translate(None, HEX_DIGITS):
            notes |= Note.BAD_ESCAPE
    return notes


def _in_grammar(read: bytes, kind: RecordKind) -> bool:
    body, mark, comment = read.partition(b"#")
    key, colon, value = body.partition(b":")
    if not colon or key.strip(WS).lower() != NAMES.get(kind) or not is_comment(mark + comment):
        return False
    value = value.strip(WS)
    return is_product_token(value) if kind is RecordKind.USER_AGENT else is_pattern(value)
