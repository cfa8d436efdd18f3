"""A control character."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.content_kinds import file_is_binary, file_is_markup
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_CONTROLS: Final = bytes(set(range(0x20)) - set(b"\0\t\n\r")) + b"\x7f"
# Readers of text, as Python's robotparser is, end a line at these.
_LINE_ENDS_OF_TEXT: Final = b"\v\f\x1c\x1d\x1e"
_MOST_IN_LINE: Final = 64


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Look at lines with a control character other than TAB and NUL."""
    if (
        len(file.content.translate(None, _CONTROLS)) == len(file.content)
        or file_is_markup(file)
        or file_is_binary(file)
    ):
        return
    for record in file.records:
        start, end = record.span
        content = file.content[start:end]
        if len(content.translate(None, _CONTROLS)) == len(content):
            continue
        places = [at for at, octet in enumerate(content) if octet in _CONTROLS]
        fix = None
        if len(places) <= _MOST_IN_LINE and b"\0" not in content:
            is_comment = content.lstrip(b" \t").startswith(b"#")
            is_kept = is_comment and len(content.translate(None, _LINE_ENDS_OF_TEXT)) == len(content)
            edits = tuple(Edit(start + at, start + at + 1, b"") for at in places)
            fix = Fix(edits, changes_verdicts=not is_kept)
        yield Occurrence((start + places[0], start + places[0] + 1), {"octet": f"0x{content[places[0]]:02X}"}, fix=fix)


CHECK = Check(
    code="CF111",
    name="control-character",
    severities=everywhere(Severity.WARNING),
    title="A control character",
    message="the line contains a control character: {octet}",
    why="The character is invisible, and is not part of any URL. A rule that contains it matches nothing, and some "
    "parsers end the line there.",
    how_to_fix="Remove the character.",
    source="RFC 9309 section 2.2",
    bad=LintInput(b"User-agent: *\nDisallow: /private\x08/\n"),
    good=LintInput(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
