"""Bytes that are not UTF-8."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.lint.analysis.content_kinds import file_is_binary, file_is_markup
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_NOT_ASCII: Final = re.compile(rb"[\x80-\xff]")
_LATIN_SPACE: Final = b"\xa0 \t"
_ESCAPES: Final = tuple(b"%%%02X" % byte for byte in range(0x100))
_new_tuple: Final = tuple.__new__
_RULES: Final = (RecordKind.ALLOW, RecordKind.DISALLOW)


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find values that are not UTF-8, and the first line that is not UTF-8 elsewhere."""
    if file.content.isascii() or _is_utf8(file.content) or file_is_markup(file) or file_is_binary(file):
        return
    for record in file.records_with(Note.NOT_UTF8):
        if record.value is not None:
            yield Occurrence(
                _span(file, record.value), fix=partial(_escape, file, record) if record.kind in _RULES else None
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


def _escape(file: LintedFile, record: Record) -> Fix | None:
    # The fix keeps the bytes as they are. Whether the site's URLs contain these bytes is unknown.
    if record.value is None:
        return None
    start, _ = record.value
    value = file.value(record)
    bare = value.strip(_LATIN_SPACE)
    if _is_utf8(bare):
        # A Latin-1 no-break space at the start or end of the value is a mistake.
        bare_start = start + value.find(bare)
        trims = (Edit(start, bare_start, b""), Edit(bare_start + len(bare), start + len(value), b""))
        return Fix(tuple(edit for edit in trims if edit.end > edit.start), changes_verdicts=True)
    # A line can have half a million of them.
    edits = [
        _new_tuple(Edit, (place, place + 1, _ESCAPES[byte])) for place, byte in enumerate(value, start) if byte > 0x7F
    ]
    return Fix(tuple(edits), changes_verdicts=True)


CHECK = Check(
    code="CF107",
    name="not-utf8",
    severities=Severities(
        rfc=Severity.ERROR, google=Severity.WARNING, bing=Severity.WARNING, yandex=Severity.WARNING, lighthouse=None
    ),
    title="Bytes that are not UTF-8",
    message="these bytes are not UTF-8: the file was saved in another encoding",
    why="A robots.txt must be UTF-8. Google may drop other characters. Such a rule usually does not match the "
    "intended URLs, because they contain other bytes.",
    how_to_fix="Save the file as UTF-8, and percent-encode the non-ASCII characters of paths, such as `%C3%A9`.",
    source="RFC 9309 section 2.3; Google, file format",
    bad=LintInput(b"User-agent: *\nDisallow: /caf\xe9/\n"),
    good=LintInput(b"User-agent: *\nDisallow: /caf%C3%A9/\n"),
    find=find,
    needs=(Trait.NON_ASCII,),
    fixable=True,
)
