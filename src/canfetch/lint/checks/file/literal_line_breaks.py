"""A backslash and `n` instead of line breaks."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.core.records import Record
from canfetch.lint.analysis.key_names import CORE_SPELLINGS
from canfetch.lint.analysis.line_fixes import line_end
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_BREAK: Final = b"\\n"
_WINDOWS_BREAK: Final = b"\\r\\n"
_POSSIBLE_BREAK: Final = re.compile(re.escape(_BREAK))
_MAX_KEY_LENGTH: Final = 40


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find lines in which a written line break comes before a key, and report the first."""
    if _BREAK not in file.content:
        return
    possible = file.lines_matching(_POSSIBLE_BREAK)
    records = [record for record in possible if _has_joined_record(file.line_content(record))]
    if not records:
        return
    edits = tuple(edit for record in records for edit in _edits(file, record))
    yield Occurrence(
        file.text_span(records[0]), fix=Fix(edits, changes_verdicts=True), lines=tuple(one.line for one in records)
    )


def _has_joined_record(line: bytes) -> bool:
    place = line.find(_BREAK)
    while place >= 0:
        key, colon, _ = line[place + len(_BREAK) : place + len(_BREAK) + _MAX_KEY_LENGTH].partition(b":")
        if colon and key.strip().lower() in CORE_SPELLINGS:
            return True
        place = line.find(_BREAK, place + 1)
    return False


def _edits(file: LintedFile, record: Record) -> Iterator[Edit]:
    line, offset = file.line_content(record), record.span[0]
    place = line.find(_BREAK)
    while place >= 0:
        end = place + len(_BREAK)
        start = end - len(_WINDOWS_BREAK) if line[:end].endswith(_WINDOWS_BREAK) else place
        # At the end of a line, the line break already exists.
        yield Edit(offset + start, offset + end, line_end(file) if line[end:].strip() else b"")
        place = line.find(_BREAK, end)


CHECK = Check(
    code="CF120",
    name="literal-line-breaks",
    severities=everywhere(Severity.ERROR),
    title="The characters `\\n` instead of line breaks",
    message="`\\n` is not a line break here: crawlers read all of this as one line",
    why="A program wrote the line breaks as a backslash and a letter. Crawlers see a single record with a very long "
    "value, or a comment, and ignore everything after its first key.",
    how_to_fix="Write real line breaks. In most programming languages, `\\n` is a line break only in double quotes.",
    source="RFC 9309 section 2.2",
    bad=b"User-agent: *\\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(_BREAK,),
    fixable=True,
    supersedes=("CF11", "CF2", "CF3", "CF4", "CF5", "CF6", "CF7"),
)
