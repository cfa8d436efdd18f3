"""A NUL byte."""

from collections.abc import Iterator

from canfetch.core.notes import Note
from canfetch.lint.analysis.content_kinds import file_is_binary, file_is_markup, file_is_wide
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_MAX_IN_LINE = 64


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find lines with a NUL byte."""
    if b"\0" not in file.content or file_is_markup(file) or file_is_wide(file):
        return
    if file_is_binary(file):
        # One finding is enough for an image or another binary file.
        first = file.content.index(b"\0")
        yield Occurrence((first, first + 1))
        return
    for record in file.records_with(Note.NUL):
        start, end = record.span
        content = file.content[start:end]
        first = content.index(b"\0")
        fix = None
        if content.count(b"\0") <= _MAX_IN_LINE:
            edits = tuple(Edit(start + at, start + at + 1, b"") for at, byte in enumerate(content) if byte == 0)
            is_comment = content.lstrip(b" \t").startswith(b"#")
            fix = Fix(edits, changes_verdicts=not is_comment)
        yield Occurrence((start + first, start + first + 1), fix=fix)


CHECK = Check(
    code="CF110",
    name="nul-byte",
    severities=everywhere(Severity.ERROR),
    title="A NUL byte",
    message="the line contains a NUL byte",
    why="Google's parser stops reading a line at a NUL byte, so a rule becomes shorter and matches more. Other "
    "parsers ignore the rule. NUL bytes come from files in UTF-16, and from files that are not text.",
    how_to_fix="Remove the NUL byte, and save the file as UTF-8.",
    source="google/robotstxt; RFC 9309 section 2.2",
    bad=b"User-agent: *\nDisallow: /private\0/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(b"\0",),
    fixable=True,
)
