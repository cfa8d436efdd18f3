# ruff: noqa: RUF001 - letters of other scripts, and marks that look like those of ASCII, are what is looked for
"""Lines that are no records, or records that nobody knows: what they seem to be.

Each line seems to be one thing, so that one check speaks of it.
"""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from canfetch.core.extensions.known import known_record
from canfetch.core.extensions.page_rule import PAGE_RULES
from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.records import Note, Record
from canfetch.core.text import WHITE_SPACE
from canfetch.lint.analysis.content_kinds import file_is_binary, is_markup
from canfetch.lint.analysis.key_names import CORE_NAMES, CORE_SPELLINGS, PREFIXES, suggest_key, translate_key
from canfetch.lint.analysis.template_marks import has_template_mark
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
    MISSING_COLON = auto()  # a known key and white space, before a URL or the value of a record beyond the RFC
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
_DECORATIONS: Final = b"*_-+>`~|\"'0123456789.() \t" + "•·–—●▪".encode()
_UNSEEN: Final = tuple(
    character.encode() for character in "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u00a0\u3000"
)
_QUOTES: Final = tuple(character.encode() for character in "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u00ab\u00bb")
_DASHES: Final = tuple(character.encode() for character in "\u2010\u2011\u2012\u2013\u2014\u2212")
_LONGEST_KEY: Final = 40
_LONGEST_LOOK: Final = 128
_VALUE_STARTS: Final = (b"/", b"*", b"http://", b"https://")
# Before a URL, a license is a record all the same.
_WORDS: Final = frozenset({"comment", "license"})
_URL_SCHEMES: Final = (b"http", b"https")


def odd_lines(file: LintedFile, oddity: Oddity) -> Sequence[OddLine]:
    """Give the lines that seem to be that; none where a page stands in place of the file."""
    return file.compute_once(_by_oddity).get(oddity, ())


def _by_oddity(file: LintedFile) -> dict[Oddity, list[OddLine]]:
    found: dict[Oddity, list[OddLine]] = {oddity: [] for oddity in Oddity}
    if is_markup(file.content) or file_is_binary(file):
        return found
    octets = file.content
    by_key: dict[bytes, tuple[Oddity, bytes | None]] = {}
    for record in file.records_with(Note.NOT_A_RECORD):
        line = _odd_text(octets, record)
        found[line.oddity].append(line)
    for record in file.records_with(Note.UNKNOWN_KEY):
        key = octets[slice(*record.key)].lower() if record.key is not None else b""
        of_key = by_key.get(key)
        if of_key is None:
            of_key = by_key[key] = _of_key(key)
        if of_key[0] is not Oddity.KNOWN:
            line = _odd_record(file, record, key, *of_key)
            found[line.oddity].append(line)
        elif Note.MISSING_COLON in record.notes:
            line = _known_without_colon(file, record, key)
            found[line.oddity].append(line)
    return found


def _odd_text(octets: bytes, record: Record) -> OddLine:
    start, end = record.span
    content = octets[start:end].partition(b"#")[0]
    text = content.lstrip()
    start += len(content) - len(text)
    text = text.rstrip()
    if has_template_mark(text):
        return OddLine(record, Oddity.TEMPLATE)
    if text.startswith(_LINE_COMMENTS) or (text.startswith(b"/*") and text.endswith(b"*/")):
        return OddLine(record, Oddity.FOREIGN_COMMENT)
    return _with_foreign_colon(record, text, start) or OddLine(record, Oddity.TEXT)


def _with_foreign_colon(record: Record, text: bytes, start: int) -> OddLine | None:
    head = text[:_LONGEST_LOOK]
    if head.isascii() and b"=" not in head and b";" not in head and b">" not in head:
        return None
    place, colon = min(((head.find(mark), mark) for mark in FOREIGN_COLONS if mark in head), default=(-1, b""))
    if place < 0 or b":" in head[:place]:
        return None
    key = head[:place].rstrip()
    name = _known_name(key.lower()) or (translate_key(key) if not key.isascii() else None)
    if name is None:
        return None
    rest = text[place + len(colon) :]
    value_start = start + place + len(colon) + len(rest) - len(rest.lstrip())
    return OddLine(record, Oddity.FOREIGN_COLON, name, (start, start + len(key)), value_start)


def _odd_record(file: LintedFile, record: Record, key: bytes, oddity: Oddity, name: bytes | None) -> OddLine:
    line = _odd_text(file.content, record)
    if line.oddity is not Oddity.TEXT or record.key is None or record.value is None:
        return line
    if oddity is Oddity.MISSING_COLON:
        word = key.split(None, 1)
        return OddLine(
            record, oddity, name, (record.key[0], record.key[0] + len(word[0])), record.key[1] - len(word[1])
        )
    # Two words may be any words: only what looks like a value makes the first of them a key.
    if Note.MISSING_COLON in record.notes and (name is None or not file.value(record).startswith(_VALUE_STARTS)):
        return line
    if oddity is Oddity.UNKNOWN and file.content.startswith(b"://", record.key[1]):
        return line
    return OddLine(record, oddity, name, record.key, record.value[0])


def _known_without_colon(file: LintedFile, record: Record, key: bytes) -> OddLine:
    """Say what two words seem to be of which the first is the name of a record beyond the RFC."""
    name = _known_name(key)
    value = file.value(record)
    is_meant = _has_form_of_value(known_record(key).name, value)
    if name is None or not is_meant or record.key is None or record.value is None:
        return _odd_text(file.content, record)
    return OddLine(record, Oddity.MISSING_COLON, name, record.key, record.value[0])


def _has_form_of_value(name: str, value: bytes) -> bool:
    # Where the name is a word of its language, the value must look like one.
    if name == "host":
        return b"." in value.strip(b".") or b":" in value
    if name in PAGE_RULES:
        return value.startswith((b"/", b"*"))
    return name not in _WORDS


def _of_key(key: bytes) -> tuple[Oddity, bytes | None]:
    """Say what a key in lower case seems to be, and which name is meant."""
    if ExtensionNote.UNKNOWN_RECORD not in known_record(key).notes:
        return (Oddity.KNOWN, None) if _prefix(key) is None else (Oddity.PREFIX, None)
    words = key.split(None, 2)
    if len(words) == 2 and words[1] in _URL_SCHEMES and words[0] != b"comment":
        name = _known_name(words[0])
        if name is not None:
            return Oddity.MISSING_COLON, name
    named = _named(key) if len(key) <= _LONGEST_KEY else None
    if named is not None:
        return named
    if len(words) > 1 and words[0] in CORE_NAMES and key.rsplit(None, 1)[-1] in CORE_NAMES:
        return Oddity.JOINED, None
    is_word = len(words) == 1 and len(key) <= _LONGEST_KEY and key.isascii()
    is_key = is_word and key.replace(b"-", b"").replace(b"_", b"").replace(b".", b"").isalnum()
    return Oddity.UNKNOWN if is_key else Oddity.TEXT, None


def _named(key: bytes) -> tuple[Oddity, bytes | None] | None:
    name = translate_key(key)
    if name is not None:
        return Oddity.TRANSLATED, name
    if not key.isascii():
        name = _known_name(_without_odd_characters(key))
        if name is not None:
            return Oddity.CHARACTERS, name
    bare = key.strip(_DECORATIONS)
    name = _known_name(bare) if bare != key else None
    if name is not None:
        return Oddity.DECORATED, name
    name = suggest_key(key)
    if _prefix(key) is not None:
        return Oddity.PREFIX, name
    return None if name is None else (Oddity.NEAR, name)


def _without_odd_characters(key: bytes) -> bytes:
    for unseen in _UNSEEN:
        key = key.replace(unseen, b"")
    for quote in _QUOTES:
        key = key.replace(quote, b"")
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
