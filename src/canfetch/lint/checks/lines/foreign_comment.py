"""A comment that does not start with `#`."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.lint.analysis.characters import has_text_line_break
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.analysis.rule_values import rule_records_matching
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_MARKS: Final = (b"<!--", b"//", b"--", b";", b"/*")
_INSIDE: Final = re.compile(rb"[ \t](?:// |<!--)| (?:--|;) ")


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find comment marks of other languages at the start of a line or after a value."""
    for line in odd_lines(file, Oddity.FOREIGN_COMMENT):
        yield LineOccurrence(line.record.line, partial(_at_start, file, line.record))
    if not file.records.with_note(Note.WHITE_SPACE_IN_VALUE):
        return
    for record in rule_records_matching(file, _INSIDE):
        match = _INSIDE.search(file.value(record))
        if match is not None:
            yield LineOccurrence(record.line, partial(_after_value, file, record, match.start()))


def _at_start(file: LintedFile, record: Record) -> Occurrence:
    start, end = file.text_span(record)
    is_read = Note.NOT_A_RECORD not in record.notes
    changes = is_read or Note.NUL in record.notes or has_text_line_break(file.line_content(record))
    fix = replace_span(start, start, b"# ", changes_verdicts=changes)
    return Occurrence((start, end), {"mark": file.text(_mark_at(file, start))}, fix=fix)


def _after_value(file: LintedFile, record: Record, length: int) -> Occurrence:
    value_start, end = record.value or record.span
    start = value_start + length + 1
    path = file.content[value_start : start - 1].rstrip()
    return Occurrence(
        (start, end),
        {"mark": file.text(_mark_at(file, start))},
        query_for(path) if record.group is not None and b" " not in path else None,
        replace_span(start, start, b"# ", changes_verdicts=True),
    )


def _mark_at(file: LintedFile, start: int) -> bytes:
    return next((mark for mark in _MARKS if file.content.startswith(mark, start)), b"")


CHECK = Check(
    code="CF215",
    name="foreign-comment",
    severities=everywhere(Severity.WARNING),
    title="A comment that does not start with `#`",
    message="`{mark}` does not start a comment",
    why="Only `#` starts a comment. After a path, the text becomes part of the path, which then matches no page.",
    how_to_fix="Start the comment with `#`.",
    source="RFC 9309 section 2.2; Lighthouse, robots-txt",
    bad=b"User-agent: *\nDisallow: /private/ // for members\n",
    good=b"User-agent: *\nDisallow: /private/ # for members\n",
    find=find,
    needs=(Oddity.FOREIGN_COMMENT, Note.WHITE_SPACE_IN_VALUE),
    fixable=True,
    supersedes=("CF218", "CF4"),
)
