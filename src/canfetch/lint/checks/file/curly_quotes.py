"""Quotes or dashes from a word processor."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.lint.analysis.characters import CURLY_QUOTES, LONG_DASHES
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.analysis.unread_lines import EXPLAINED_CHECKS, query_for_unread
from canfetch.lint.check import AnyOccurrence, Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_QUOTE: Final = re.compile(b"|".join(CURLY_QUOTES))


def find(file: LintedFile) -> Iterator[AnyOccurrence]:
    """Find keys with curly quotes or long dashes, and values that start or end with a curly quote."""
    if file.content.isascii():
        return
    yield from _in_keys(file)
    for record in file.lines_matching(_QUOTE):
        if record.value is None or record.kind is RecordKind.OTHER:
            continue
        value = file.value(record)
        if value.startswith(CURLY_QUOTES) or value.endswith(CURLY_QUOTES):
            yield LineOccurrence(record.line, partial(_around_value, file, record.value, value))


def _around_value(file: LintedFile, span: tuple[int, int], value: bytes) -> Occurrence:
    return Occurrence(span, {"text": file.text(value)}, fix=_without_quotes(span, value))


def _without_quotes(span: tuple[int, int], value: bytes) -> Fix:
    start, end = span
    edits = []
    if value.startswith(CURLY_QUOTES):
        edits.append(Edit(start, start + _quote_length(value, first=True), b""))
    if value.endswith(CURLY_QUOTES) and (not edits or edits[0].end < end):
        edits.append(Edit(end - _quote_length(value, first=False), end, b""))
    return Fix(tuple(edits), changes_verdicts=True)


def _in_keys(file: LintedFile) -> Iterator[Occurrence]:
    for line in odd_lines(file, Oddity.CHARACTERS):
        key = file.content[slice(*line.key)]
        if line.name is not None and any(mark in key for mark in (*CURLY_QUOTES, *LONG_DASHES)):
            colon = b": " if Note.MISSING_COLON in line.record.notes else b""
            end = line.value_start if colon else line.key[1]
            edits = [Edit(line.key[0], end, line.name + colon)]
            value = file.value(line.record)
            if line.record.value is not None and value.endswith(CURLY_QUOTES):
                value_end = line.record.value[1]
                edits.append(Edit(value_end - _quote_length(value, first=False), value_end, b""))
            query = query_for_unread(file, line.record, line.name, value)
            yield Occurrence(line.key, {"text": file.text(key)}, query, Fix(tuple(edits), changes_verdicts=True))


def _quote_length(value: bytes, *, first: bool) -> int:
    return next(len(quote) for quote in CURLY_QUOTES if (value.startswith(quote) if first else value.endswith(quote)))


CHECK = Check(
    code="CF109",
    name="curly-quotes",
    severities=everywhere(Severity.ERROR),
    title="Quotes or dashes from a word processor",
    message="a word processor changed quotes or dashes in `{text}`",
    why="Word processors replace plain quotes and hyphens with other characters. A key that contains these is "
    "unknown, and a path that contains them matches nothing.",
    how_to_fix="Write the file with a text editor, with plain hyphens and without quotes.",
    source="Google, create a robots.txt file",
    bad="User-agent: *\nDisallow: \u201c/private/\u201d\n".encode(),
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Trait.NON_ASCII,),
    fixable=True,
    supersedes=("CF2", "CF4", "CF5", "CF6", *EXPLAINED_CHECKS),
)
