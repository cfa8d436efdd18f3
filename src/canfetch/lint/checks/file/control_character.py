"""A control character."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.characters import LINE_BREAK_CONTROLS
from canfetch.lint.analysis.content_kinds import file_is_binary, file_is_markup
from canfetch.lint.analysis.needs import CONTROLS, Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_CONTROL: Final = re.compile(b"[%s]" % re.escape(CONTROLS))
_MAX_IN_LINE: Final = 64


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find lines with a control character other than TAB and NUL."""
    if len(file.content.translate(None, CONTROLS)) == len(file.content) or file_is_markup(file) or file_is_binary(file):
        return
    for record in file.lines_matching(_CONTROL):
        start, end = record.span
        content = file.content[start:end]
        offsets = [offset for offset, byte in enumerate(content) if byte in CONTROLS]
        fix = None
        if len(offsets) <= _MAX_IN_LINE and b"\0" not in content:
            is_comment = content.lstrip(b" \t").startswith(b"#")
            is_harmless = is_comment and len(content.translate(None, LINE_BREAK_CONTROLS)) == len(content)
            edits = tuple(Edit(start + offset, start + offset + 1, b"") for offset in offsets)
            fix = Fix(edits, changes_verdicts=not is_harmless)
        yield Occurrence(
            (start + offsets[0], start + offsets[0] + 1), {"byte": f"0x{content[offsets[0]]:02X}"}, fix=fix
        )


CHECK = Check(
    code="CF111",
    name="control-character",
    severities=everywhere(Severity.WARNING),
    title="A control character",
    message="the line contains a control character: {byte}",
    why="The character is invisible, and is not part of any URL. A rule that contains it matches nothing, and some "
    "parsers end the line there.",
    how_to_fix="Remove the character.",
    source="RFC 9309 section 2.2",
    bad=b"User-agent: *\nDisallow: /private\x08/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Trait.CONTROL,),
    fixable=True,
)
