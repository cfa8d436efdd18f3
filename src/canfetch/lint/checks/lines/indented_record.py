"""Indented lines."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

# Google's parser cuts longer lines, so a fix would move the cut.
_MAX_LINE_BYTES: Final = 16_000


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find indented records, and report the first."""
    if file_is_markup(file):
        return
    records = file.records
    indented = [index for index in records.keyed if records.is_indented(index)]
    edits = tuple(
        Edit(start, key_start, b"")
        for (start, end), (key_start, _) in zip(records.spans(indented), records.key_spans(indented), strict=True)
        if not file.content[start:key_start].strip(b" \t") and end - start < _MAX_LINE_BYTES
    )
    if edits:
        yield Occurrence(edits[0][:2], {"count": str(len(edits))}, fix=Fix(edits))


CHECK = Check(
    code="CF208",
    name="indented-record",
    severities=Severities(rfc=Severity.INFO),
    title="Indented lines",
    message="{count|line has|lines have} white space before the key",
    why="RFC 9309 allows white space before a key, and gives it no meaning: an indented line does not belong to the "
    "line above it. Some simple parsers do not find an indented key.",
    how_to_fix="Remove the white space at the start of these lines.",
    source="RFC 9309 section 2.2",
    bad=b"User-agent: *\n  Disallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    fixable=True,
)
