# ruff: noqa: RUF001 - the tables hold characters of other scripts, some of which look like ASCII
"""Lines that are not records, or that have an unknown key, classified by their probable cause.

Each line has exactly one cause, so that exactly one check reports it.
"""

from collections.abc import Collection, Iterator
from enum import Enum, auto
from typing import Final, NamedTuple

from canfetch.core.extensions.known_records import KNOWN_RECORDS, is_known_key, known_record
from canfetch.core.extensions.path_rules import PAGE_RULES
from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.core.text import WHITE_SPACE
from canfetch.lint.analysis.characters import CURLY_QUOTES, INVISIBLE_IN_KEYS, LONG_DASHES
from canfetch.lint.analysis.content_kinds import file_is_binary, file_is_markup
from canfetch.lint.analysis.foreign_syntax import has_template_mark
from canfetch.lint.analysis.key_names import (
    CORE_NAMES,
    CORE_SPELLINGS,
    PREFIXES,
    TRANSLATED_KEYS,
    suggest_key,
    translate_key,
)
from canfetch.lint.linted_file import LintedFile


class Oddity(Enum):
    """The probable cause of an odd line."""

    KNOWN = auto()  # a known record that RFC 9309 does not define
    TEMPLATE = auto()  # a placeholder of a template engine
    FOREIGN_COMMENT = auto()  # a comment in the syntax of another language
    FOREIGN_COLON = auto()  # a known key with another character in place of the colon
    CHARACTERS = auto()  # a known key with invisible characters, curly quotes or long dashes
    DECORATED = auto()  # a known key with list bullets or emphasis marks
    JOINED = auto()  # two records on a line
    MISSING_COLON = auto()  # a known key, white space, and a value that fits the key
    TRANSLATED = auto()  # a key in another language
    PREFIX = auto()  # a key that only starts with a known key, which is enough for Google's parser
    NEAR = auto()  # a misspelt key
    TEXT = auto()  # prose
    UNKNOWN = auto()  # an unknown key


class OddLine(NamedTuple):
    """An odd line.

    Attributes:
        record: The line.
        oddity: Its probable cause.
        name: The intended key in its usual spelling, or None if unknown.
        key: The span that a fix replaces with `name`.
        value_start: The offset of the value.
    """

    record: Record
    oddity: Oddity
    name: bytes | None = None
    key: tuple[int, int] = (0, 0)
    value_start: int = 0


_LINE_COMMENTS: Final = (b"//", b";", b"<!--", b"--")
# Colons of other scripts, and separators of configuration and programming languages.
FOREIGN_COLONS: Final = ("：".encode(), "﹕".encode(), "∶".encode(), b"->", b"=", b";")
_DECORATIONS: Final = b"*_-+>`~|\"'0123456789.() \t" + "•·–—●▪".encode()
# A line of these bytes is none of the oddities that marks show, unless it starts with `/` or `-`.
_PLAIN_TEXT: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/.,:?&* \t"
_MARK_STARTS: Final = (b"/", b"-")
# Keys that have a meaning.
_KNOWN_WORDS: Final = frozenset(KNOWN_RECORDS).union(key.encode() for key in TRANSLATED_KEYS)
_PREFIX_SPELLINGS: Final = tuple(spelling for spelling, _ in PREFIXES)
_MAX_KEY_LENGTH: Final = 40
_MAX_HEAD_LENGTH: Final = 128
_VALUE_STARTS: Final = (b"/", b"*", b"http://", b"https://")
# Words of prose that are also keys. Before a URL, `license` counts as a key.
_WORDS: Final = frozenset({"comment", "license"})
_ODD_NOTES: Final = (Note.NOT_A_RECORD, Note.UNKNOWN_KEY)
_URL_SCHEMES: Final = (b"http", b"https")


def odd_lines(file: LintedFile, oddity: Oddity, *, without: Note = Note.NONE) -> Iterator[OddLine]:
    """Yield the lines with this cause. A file of markup or binary data has none.

    Args: without: Lines with one of these notes are left out.
    """
    records = file.records
    found = file.compute_once(_by_oddity).get(oddity, [])
    if without is not Note.NONE:
        left_out = {index for notes, indices in records.by_notes.items() if notes & without for index in indices}
        found = [one for one in found if (one.record.line - 1 if isinstance(one, OddLine) else one) not in left_out]
    return (line if isinstance(line, OddLine) else OddLine(records[line], oddity) for line in found)


def found_oddities(file: LintedFile) -> Collection[Oddity]:
    """Return the causes that lines have."""
    return file.compute_once(_by_oddity)


def lines_meant_as(file: LintedFile, name: bytes) -> list[int]:
    """Return the numbers of the odd lines for which this key is intended."""
    by_oddity = file.compute_once(_by_oddity)
    repaired = (line for lines in by_oddity.values() for line in lines if isinstance(line, OddLine))
    return [line.record.line for line in repaired if line.name == name]


def _by_oddity(file: LintedFile) -> dict[Oddity, list[OddLine | int]]:
    """Return the lines by cause. A line without a key to replace is an index, because there can be very many."""
    records = file.records
    odd = [indices for note in _ODD_NOTES if (indices := records.with_note(note))]
    if not odd or file_is_markup(file) or file_is_binary(file):
        return {}
    found: dict[Oddity, list[OddLine | int]] = {oddity: [] for oddity in Oddity}
    by_key: dict[bytes, tuple[Oddity, bytes | None]] = {}
    # The lists for lines without a key to replace. Real files repeat them, and hostile ones contain nothing else.
    by_text: dict[bytes, list[OddLine | int]] = {}
    for indices in odd:
        for index, text in zip(indices, file.lines(indices), strict=True):
            own = by_text.get(text)
            if own is None:
                oddity = _plain_oddity(text)
                if oddity is None:
                    line = _odd_line(file, records[index], by_key)
                    oddity = line.oddity
                    if line.name is not None or oddity is Oddity.PREFIX:
                        found[oddity].append(line)
                        continue
                own = by_text[text] = found[oddity]
            own.append(index)
    del found[Oddity.KNOWN]
    return {oddity: lines for oddity, lines in found.items() if lines}


def _plain_oddity(line: bytes) -> Oddity | None:
    """Return the cause of an odd line if it is obvious: a known record, prose, or an unknown key that is one word."""
    head, colon, rest = line.partition(b":")
    if not colon:
        text = line.strip()
        if text[:1] in _MARK_STARTS or text.translate(None, _PLAIN_TEXT):
            return None
        # Two words can be a record without a colon.
        return Oddity.TEXT if len(text.split(None, 2)) != 2 else None
    key = head.strip().lower()
    if is_known_key(key):
        # Parsers may cut off the rest of a long line.
        return Oddity.KNOWN if len(line) <= _MAX_HEAD_LENGTH and _prefix(key) is None else None
    if not head.lstrip().isalpha() or len(key) > _MAX_KEY_LENGTH or rest[:2] == b"//":
        return None
    if rest.rstrip().translate(None, _PLAIN_TEXT) or key in _KNOWN_WORDS or key.startswith(_PREFIX_SPELLINGS):
        return None
    return None if suggest_key(key) else Oddity.UNKNOWN


def _odd_line(file: LintedFile, record: Record, by_key: dict[bytes, tuple[Oddity, bytes | None]]) -> OddLine:
    if record.key is None:
        return _odd_text(file.content, record)
    key = file.key(record).lower()
    of_key = by_key.get(key)
    if of_key is None:
        of_key = by_key[key] = _of_key(key)
    if of_key[0] is not Oddity.KNOWN:
        return _odd_record(file, record, key, *of_key)
    if Note.MISSING_COLON in record.notes:
        return _known_without_colon(file, record, key)
    return OddLine(record, Oddity.KNOWN)


def _odd_text(content: bytes, record: Record) -> OddLine:
    start, end = record.span
    line = content[start:end].partition(b"#")[0]
    text = line.lstrip()
    start += len(line) - len(text)
    text = text.rstrip()
    if not text.translate(None, _PLAIN_TEXT) and text[:1] not in (b"/", b"-"):
        return OddLine(record, Oddity.TEXT)
    if has_template_mark(text):
        return OddLine(record, Oddity.TEMPLATE)
    if text.startswith(_LINE_COMMENTS) or (text.startswith(b"/*") and text.endswith(b"*/")):
        return OddLine(record, Oddity.FOREIGN_COMMENT)
    return _with_foreign_colon(record, text, start) or OddLine(record, Oddity.TEXT)


def _with_foreign_colon(record: Record, text: bytes, start: int) -> OddLine | None:
    head = text[:_MAX_HEAD_LENGTH]
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
    # Two words can be prose. The first is a key only if the second looks like a value.
    if Note.MISSING_COLON in record.notes and (name is None or not file.value(record).startswith(_VALUE_STARTS)):
        return line
    if oddity is Oddity.UNKNOWN and file.content.startswith(b"://", record.key[1]):
        return line
    return OddLine(record, oddity, name, record.key, record.value[0])


def _known_without_colon(file: LintedFile, record: Record, key: bytes) -> OddLine:
    """Classify a line without a colon that starts with the key of a known extension."""
    name = _known_name(key)
    value = file.value(record)
    is_record = _looks_like_value(known_record(key).name, value)
    if name is None or not is_record or record.key is None or record.value is None:
        return _odd_text(file.content, record)
    return OddLine(record, Oddity.MISSING_COLON, name, record.key, record.value[0])


def _looks_like_value(name: str, value: bytes) -> bool:
    # If the key is also an ordinary word, the value must have the right form.
    if name == "host":
        return b"." in value.strip(b".") or b":" in value
    if name in PAGE_RULES:
        return value.startswith((b"/", b"*"))
    return name not in _WORDS


def _of_key(key: bytes) -> tuple[Oddity, bytes | None]:
    """Return the cause of an unknown key in lower case, and the intended key."""
    if is_known_key(key):
        return (Oddity.KNOWN, None) if _prefix(key) is None else (Oddity.PREFIX, None)
    words = key.split(None, 2)
    if len(words) == 2 and words[1] in _URL_SCHEMES and words[0] != b"comment":
        name = _known_name(words[0])
        if name is not None:
            return Oddity.MISSING_COLON, name
    named = _named(key) if len(key) <= _MAX_KEY_LENGTH else None
    if named is not None:
        return named
    if len(words) > 1 and words[0] in CORE_NAMES and key.rsplit(None, 1)[-1] in CORE_NAMES:
        return Oddity.JOINED, None
    is_word = len(words) == 1 and len(key) <= _MAX_KEY_LENGTH and key.isascii()
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
    for ignored in (*INVISIBLE_IN_KEYS, *CURLY_QUOTES):
        key = key.replace(ignored, b"")
    for dash in LONG_DASHES:
        key = key.replace(dash, b"-")
    return key.strip(WHITE_SPACE)


def _known_name(key: bytes) -> bytes | None:
    if key in CORE_SPELLINGS:
        return CORE_SPELLINGS[key]
    if is_known_key(key):
        return key.capitalize()
    return None


def _prefix(key: bytes) -> bytes | None:
    """Return the key that Google's parser reads if `key` only starts with it, or None."""
    if key in CORE_SPELLINGS or not key.startswith(_PREFIX_SPELLINGS):
        return None
    return next((name for spelling, name in PREFIXES if key.startswith(spelling)), None)


def has_longer_keys(file: LintedFile) -> bool:
    """Return whether Google's parser may read keys of the file that only start with a key."""
    records = file.records
    if records.with_note(Note.NOT_A_RECORD):
        return True
    return any(map(prefix_name, file.keys(records.of_kinds(RecordKind.OTHER))))


def prefix_name(key: bytes) -> bytes:
    """Return the key that Google's parser reads in a longer key, or an empty value."""
    return _prefix(key.lower()) or b""
