"""White space before a colon."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_SPACE_BEFORE_COLON: Final = re.compile(rb"[ \t]:")
# Google's parser cuts longer lines, so a fix would move the cut.
_MAX_LINE_BYTES: Final = 16_000


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find colons after white space, and report the first."""
    if file_is_markup(file):
        return
    edits = tuple(
        Edit(record.key[1], colon, b"")
        for record in file.lines_matching(_SPACE_BEFORE_COLON)
        if record.key is not None and _is_read(record) and (colon := _colon(file, record.key[1])) > record.key[1]
    )
    if edits:
        yield Occurrence(edits[0][:2], {"count": str(len(edits))}, fix=Fix(edits))


def _is_read(record: Record) -> bool:
    is_short = record.span[1] - record.span[0] < _MAX_LINE_BYTES
    return is_short and record.kind is not RecordKind.OTHER and Note.MISSING_COLON not in record.notes


def _colon(file: LintedFile, key_end: int) -> int:
    if file.content[key_end] == 0x3A:
        return key_end
    colon = file.content.find(b":", key_end)
    return colon if not file.content[key_end:colon].strip(b" \t") else key_end


CHECK = Check(
    code="CF209",
    name="space-before-colon",
    severities=Severities(rfc=Severity.INFO),
    title="White space before a colon",
    message="{count|key has|keys have} white space before the colon",
    why="RFC 9309 allows white space before the colon, but some simple parsers read it as part of the key.",
    how_to_fix="Write the colon directly after the key.",
    source="RFC 9309 section 2.2",
    bad=b"User-agent : *\nDisallow : /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(b" :", b"\t:"),
    fixable=True,
)
