"""A comment that does not start with `#`."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.core.notes import Note
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.line_ends import has_text_line_break
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.analysis.rule_values import rule_records_matching
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_MARKS: Final = (b"<!--", b"//", b"--", b";", b"/*")
_INSIDE: Final = re.compile(rb"[ \t](?:// |<!--)| (?:--|;) ")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find comment marks of other languages at the start of a line or after a value."""
    for line in odd_lines(file, Oddity.FOREIGN_COMMENT):
        start, end = file.text_span(line.record)
        mark = next(mark for mark in _MARKS if file.content.startswith(mark, start))
        content = file.line_content(line.record)
        is_read = Note.NOT_A_RECORD not in line.record.notes
        changes = is_read or Note.NUL in line.record.notes or has_text_line_break(content)
        yield Occurrence(
            (start, end), {"mark": file.text(mark)}, fix=replace_span(start, start, b"# ", changes_verdicts=changes)
        )
    if not file.records.with_note(Note.WHITE_SPACE_IN_VALUE):
        return
    for record in rule_records_matching(file, _INSIDE):
        value = file.value(record)
        match = _INSIDE.search(value)
        if match is None or record.value is None:
            continue
        start = record.value[0] + match.start() + 1
        mark = next((mark for mark in _MARKS if file.content.startswith(mark, start)), b"")
        path = value[: match.start()].rstrip()
        yield Occurrence(
            (start, record.value[1]),
            {"mark": file.text(mark)},
            partial(query_for, path) if record.group is not None and b" " not in path else None,
            replace_span(start, start, b"# ", changes_verdicts=True),
        )


CHECK = Check(
    code="CF215",
    name="foreign-comment",
    severities=everywhere(Severity.WARNING),
    title="A comment that does not start with `#`",
    message="`{mark}` does not start a comment",
    why="Only `#` starts a comment. After a path, the text becomes part of the path, which then matches no page.",
    how_to_fix="Start the comment with `#`.",
    source="RFC 9309 section 2.2; Lighthouse, robots-txt",
    bad=LintInput(b"User-agent: *\nDisallow: /private/ // for members\n"),
    good=LintInput(b"User-agent: *\nDisallow: /private/ # for members\n"),
    find=find,
    fixable=True,
    supersedes=("CF218", "CF4"),
)
