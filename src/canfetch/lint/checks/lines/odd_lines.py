# ruff: noqa: RUF001 - letters of other scripts, and marks that look like those of ASCII, are what is looked for
"""Lines that are no records, or records that nobody knows: what they seem to be.

Each line seems to be one thing, so that one check speaks of it.
"""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from canfetch.core.extensions.known import known_record
from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.octets import WHITE_SPACE
from canfetch.core.records import Note, Record
from canfetch.lint.checks.lines.names import CORE_NAMES, CORE_SPELLINGS, PREFIXES, nearly, translated
from canfetch.lint.checks.lines.pages import file_is_binary, is_page
from canfetch.lint.checks.lines.template_marks import has_template_mark
from canfetch.lint.linted_file import LintedFile


class Oddity(Enum):
    """What an odd line seems to be."""

    KNOWN = auto()  # a record beyond the RFC that somebody defined
    TEMPLATE = auto()  # a mark of a template
    FOREIGN_COMMENT = auto()  # a comment as other languages write it
    FOREIGN_COLON = auto()  # a known key, and something else in place of the colon
    CHARACTERS = auto()  # a known key among characters that nobody sees, or that a word processor wrote
    DECORATED = auto()  # a known key in the marks of a list or of bold text
    JOINED = auto()  # two records
    MISSING_COLON = auto()  # a known key, white space and a URL
    TRANSLATED = auto()  # a key in another language
    PREFIX = auto()  # a key that begins with the name of a rule
    NEAR = auto()  # a key that is nearly a name
    TEXT = auto()  # words for people
    UNKNOWN = auto()  # a key of nobody


class OddLine(NamedTuple):
    """An odd line: what it seems to be, the name that is meant, written well, and what else its check needs.

    `key` is the span that the name takes the place of; `value_start` where the value begins.
    """

    record: Record
    oddity: Oddity
    name: bytes | None = None
    key: tuple[int, int] = (0, 0)
    value_start: int = 0


_LINE_COMMENTS: Final = (b"//", b";", b"<!--", b"--")
# Written by keyboards of other scripts and by programming languages.
FOREIGN_COLONS: Final = ("：".encode(), "﹕".encode(), "∶".encode(), b"->", b"=", b";")
_DECORATIONS: Final = b"*_-+>`~|\"'0123456789.() \t" + "•·–—●▪“”‘’«»".encode()
_UNSEEN: Final = tuple(
    character.encode() for character in "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u00a0\u3000"
)
_DASHES: Final = tuple(character.encode() for character in "\u2010\u2011\u2012\u2013\u2014\u2212")
_LONGEST_KEY: Final = 40
_LONGEST_LOOK: Final = 128
_RULE_NAMES: Final = frozenset([b"Allow", b"Disallow"])


def odd_lines(file: LintedFile, oddity: Oddity) -> Sequence[OddLine]:
    """Give the lines that seem to be that; none where a page stands in place of the file."""
    return file.found_once(_by_oddity).get(oddity, ())


def _by_oddity(file: LintedFile) -> dict[Oddity, list[OddLine]]:
    found: dict[Oddity, list[OddLine]] = {}
    if is_page(file.octets) or file_is_binary(file):
        return found
    known: dict[bytes, bool] = {}
    for record in file.records:
        if Note.UNKNOWN_KEY in record.notes:
            key = file.key(record).lower()
            if key not in known:
                known[key] = ExtensionNote.UNKNOWN_RECORD not in known_record(key).notes and _prefix(key) is None
            if known[key]:
                continue
        elif Note.NO_RECORD not in record.notes:
            continue
        line = _odd_line(file, record)
        found.setdefault(line.oddity, []).append(line)
    return found


def _odd_line(file: LintedFile, record: Record) -> OddLine:
    start, end = record.span
    content = file.octets[start:end].partition(b"#")[0]
    start += len(content) - len(content.lstrip())
    text = content.strip()
    if has_template_mark(text):
        return OddLine(record, Oddity.TEMPLATE)
    if text.startswith(_LINE_COMMENTS) or (text.startswith(b"/*") and text.endswith(b"*/")):
        return OddLine(record, Oddity.FOREIGN_COMMENT)
    return _with_foreign_colon(record, text, start) or _with_key(file, record, text)


def _with_foreign_colon(record: Record, text: bytes, start: int) -> OddLine | None:
    head = text[:_LONGEST_LOOK]
    place, colon = min(((head.find(mark), mark) for mark in FOREIGN_COLONS if mark in head), default=(-1, b""))
    if place < 0 or b":" in head[:place]:
        return None
    key = head[:place].rstrip()
    name = _known_name(key.lower()) or (translated(key) if not key.isascii() else None)
    if name is None:
        return None
    rest = text[place + len(colon) :]
    value_start = start + place + len(colon) + len(rest) - len(rest.lstrip())
    return OddLine(record, Oddity.FOREIGN_COLON, name, (start, start + len(key)), value_start)


def _with_key(file: LintedFile, record: Record, text: bytes) -> OddLine:
    if record.key is None or record.value is None:
        return OddLine(record, Oddity.TEXT)
    key = file.key(record)
    lower = key.lower()
    value_start = record.value[0]
    missing_colon = Note.MISSING_COLON in record.notes
    words = lower.split(None, 1)
    if len(words) > 1 and words[1] in (b"http", b"https") and words[0] in CORE_SPELLINGS:
        key_end = record.key[0] + len(words[0])
        return OddLine(
            record,
            Oddity.MISSING_COLON,
            CORE_SPELLINGS[words[0]],
            (record.key[0], key_end),
            record.key[1] - len(words[1]),
        )
    if len(key) <= _LONGEST_KEY:
        oddity, name = _of_key(lower)
        # Two words may be any words: only what looks like a value makes the first of them a key.
        if missing_colon and (name is None or not _looks_like_value(file.value(record))):
            return OddLine(record, Oddity.TEXT)
        if name is not None or oddity is Oddity.PREFIX:
            return OddLine(record, oddity, name, record.key, value_start)
    if missing_colon:
        return OddLine(record, Oddity.TEXT)
    if _is_joined(lower):
        return OddLine(record, Oddity.JOINED)
    is_sentence = len(key.split()) > 1 or len(key) > _LONGEST_KEY or not key.isascii()
    is_url = text[len(key) :].startswith(b"://")
    has_marks = not key.replace(b"-", b"").replace(b"_", b"").replace(b".", b"").isalnum()
    return OddLine(record, Oddity.TEXT if is_sentence or is_url or has_marks else Oddity.UNKNOWN)


def _of_key(key: bytes) -> tuple[Oddity, bytes | None]:
    name = translated(key)
    if name is not None:
        return Oddity.TRANSLATED, name
    if not key.isascii():
        name = _known_name(_without_odd_characters(key))
        if name is not None:
            return Oddity.CHARACTERS, name
    name = _known_name(key.strip(_DECORATIONS))
    if name is not None and key != key.strip(_DECORATIONS):
        return Oddity.DECORATED, name
    if _prefix(key) is not None:
        return Oddity.PREFIX, nearly(key)
    return Oddity.NEAR, nearly(key)


def _without_odd_characters(key: bytes) -> bytes:
    for unseen in _UNSEEN:
        key = key.replace(unseen, b"")
    for dash in _DASHES:
        key = key.replace(dash, b"-")
    return key.strip(WHITE_SPACE)


def _known_name(key: bytes) -> bytes | None:
    if key in CORE_SPELLINGS:
        return CORE_SPELLINGS[key]
    if ExtensionNote.UNKNOWN_RECORD not in known_record(key).notes:
        return key.capitalize()
    return None


def _prefix(key: bytes) -> bytes | None:
    """Give the name of the record that Google's parser reads, where a key only begins with it."""
    if key in CORE_SPELLINGS:
        return None
    return next((name for spelling, name in PREFIXES if key.startswith(spelling)), None)


def prefix_name(key: bytes) -> bytes:
    """Give the name of the record that Google's parser makes of a key that begins with it."""
    return _prefix(key.lower()) or b""


def _looks_like_value(value: bytes) -> bool:
    return value.startswith((b"/", b"*", b"http://", b"https://"))


def _is_joined(key: bytes) -> bool:
    words = key.split()
    return len(words) > 1 and words[0] in CORE_NAMES and words[-1] in CORE_NAMES
