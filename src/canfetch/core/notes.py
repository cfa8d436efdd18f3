"""Peculiarities of a line, as notes on its record."""

from enum import Flag, auto
from typing import Final

from canfetch.core.abnf import WS, is_comment, is_pattern, is_product_token
from canfetch.core.keys import NAMES, SPELLINGS, RecordKind
from canfetch.core.patterns import is_void
from canfetch.core.profiles import Profile
from canfetch.core.text import HEX_DIGITS

_CONTROLS: Final = bytes(byte for byte in range(0x20) if byte not in b"\0\t")


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


def notes_on_key(key: bytes, kind: RecordKind) -> int:
    """Return the notes on a key that marks a record of `kind`."""
    if kind is RecordKind.OTHER:
        return Note.UNKNOWN_KEY.value
    folded = key.lower()
    if folded == NAMES[kind]:
        return 0
    return Note.MISSPELT_KEY.value if folded in dict(SPELLINGS)[kind] else Note.KEY_PREFIX.value


def notes_on_bytes(value: bytes) -> int:
    """Return the notes on the bytes of a value."""
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


def notes_on_token(value: bytes, token: bytes) -> int:
    """Return the notes on the value of a user-agent line, of which the profile reads `token`."""
    if not token:
        return Note.NO_TOKEN.value
    return 0 if token == value else Note.TOKEN_CUT.value


def notes_on_pattern(value: bytes, profile: Profile) -> int:
    """Return the notes on the value of a rule, except those on its bytes."""
    notes = 0
    if is_void(value, profile):
        notes |= Note.VOID_RULE.value
    if b" " in value or b"\t" in value:
        notes |= Note.WHITE_SPACE_IN_VALUE.value
    if b"$" in value[:-1]:
        notes |= Note.DOLLAR_INSIDE.value
    if not value.isascii():
        notes |= Note.NOT_ASCII.value
    if b"%" in value and has_bad_escape(value):
        notes |= Note.BAD_ESCAPE.value
    return notes


def has_bad_escape(value: bytes) -> bool:
    """Return whether a value has a `%` without two hexadecimal digits after it."""
    return any(len(part) < 2 or part[:2].translate(None, HEX_DIGITS) for part in value.split(b"%")[1:])


def is_in_grammar(read: bytes, kind: RecordKind) -> bool:
    """Return whether the readable part of a user-agent line or a rule matches the grammar of the RFC."""
    body, mark, comment = read.partition(b"#")
    key, colon, value = body.partition(b":")
    if not colon or key.strip(WS).lower() != NAMES.get(kind) or not is_comment(mark + comment):
        return False
    value = value.strip(WS)
    return is_product_token(value) if kind is RecordKind.USER_AGENT else is_pattern(value)
