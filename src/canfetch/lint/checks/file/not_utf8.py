"""Bytes that are not UTF-8."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final
from urllib.parse import quote

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.lint.analysis.content_kinds import file_is_binary, file_is_markup
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.fixes import Fix, replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_NOT_ASCII: Final = re.compile(rb"[\x80-\xff]")
_LATIN_SPACE: Final = b"\xa0 \t"
_LATIN: Final = "cp1252"
# Bytes that are not UTF-8, as `surrogateescape` decodes them.
_UNDECODED: Final = re.compile("[\udc80-\udcff]+")
# In Western European words, such letters are next to other ones, and more than two, or two capital letters, hardly ever
# follow each other. In Cyrillic, Greek and Asian encodings, all letters of a word are such bytes.
_MAX_LETTERS: Final = 2
_ALONE: Final = re.compile("(?<![A-Za-z\udc80-\udcff])[\udc80-\udcff]+(?![A-Za-z\udc80-\udcff])")
_NOT_ASCII_TEXT: Final = re.compile(r"[^\x00-\x7f]+")
_RULES: Final = (RecordKind.ALLOW, RecordKind.DISALLOW)


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find values that are not UTF-8, and the first line that is not UTF-8 elsewhere."""
    if file.content.isascii() or _is_utf8(file.content) or file_is_markup(file) or file_is_binary(file):
        return
    for record in file.records_with(Note.NOT_UTF8):
        if record.value is not None:
            is_rule = record.kind in _RULES
            yield Occurrence(
                _span(file, record.value),
                query=partial(_query, file, record) if is_rule else None,
                fix=partial(_correct, file, record) if is_rule else None,
            )
    reported = set(file.records.with_note(Note.NOT_UTF8))
    for record in file.lines_matching(_NOT_ASCII):
        if record.line - 1 not in reported and not _is_utf8(file.line_content(record)):
            # A comment does no harm, and neither does a line that crawlers do not read.
            yield Occurrence(_span(file, record.span), harmless=True)
            return


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return False
    return True


def _span(file: LintedFile, span: tuple[int, int]) -> tuple[int, int]:
    try:
        file.content[slice(*span)].decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        return span[0] + error.start, span[0] + error.end
    return span


def _correct(file: LintedFile, record: Record) -> Fix | None:
    value = _corrected(file, record)
    return None if value is None or record.value is None else replace_span(*record.value, value, changes_verdicts=True)


def _query(file: LintedFile, record: Record) -> VerdictQuery | None:
    value = _corrected(file, record)
    return None if value is None else query_for(value)


def _corrected(file: LintedFile, record: Record) -> bytes | None:
    """Return the value in UTF-8, with escapes, or None if its encoding is not known."""
    # A Latin-1 no-break space at the start or end of the value is a mistake.
    value = file.value(record).strip(_LATIN_SPACE)
    if _is_utf8(value):
        return value
    text = value.decode("utf-8", "surrogateescape")
    if _ALONE.search(text) or not _UNDECODED.sub("", text).isascii() or not file.compute_once(_is_latin_file):
        return None
    text = _UNDECODED.sub(lambda found: _as_latin(found.group()), text)
    return _NOT_ASCII_TEXT.sub(lambda found: quote(found.group()), text).encode("ascii")


def _is_latin_file(file: LintedFile) -> bool:
    text = file.content.replace(_LATIN_SPACE[:1], b" ").decode("utf-8", "surrogateescape")
    return all(map(_is_latin, _UNDECODED.findall(text)))


def _is_latin(undecoded: str) -> bool:
    if len(undecoded) > _MAX_LETTERS:
        return False
    try:
        characters = _as_latin(undecoded)
    except UnicodeDecodeError:
        return False
    # Two signs are the start of a longer character in UTF-8, or one of another encoding.
    return characters.isprintable() if len(characters) == 1 else characters.isalpha() and min(characters) >= "ß"


def _as_latin(undecoded: str) -> str:
    return undecoded.encode("utf-8", "surrogateescape").decode(_LATIN)


CHECK = Check(
    code="CF107",
    name="not-utf8",
    severities=Severities(rfc=Severity.ERROR, google=Severity.WARNING, bing=Severity.WARNING, yandex=Severity.WARNING),
    title="Bytes that are not UTF-8",
    message="these bytes are not UTF-8: the file was saved in another encoding",
    why="A robots.txt must be UTF-8. Google may drop other characters. Such a rule usually does not match the "
    "intended URLs, because they contain other bytes. The fix takes the bytes for Windows-1252, which includes "
    "Latin-1, and is only offered where they look like it.",
    how_to_fix="Save the file as UTF-8, and percent-encode the non-ASCII characters of paths, such as `%C3%A9`.",
    source="RFC 9309 section 2.3; Google, file format",
    bad=b"User-agent: *\nDisallow: /caf\xe9/\n",
    good=b"User-agent: *\nDisallow: /caf%C3%A9/\n",
    find=find,
    needs=(Trait.NON_ASCII,),
    fixable=True,
    supersedes=("CF409",),
)
