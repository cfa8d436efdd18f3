"""A comment as other languages write it."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.records import Note
from canfetch.lint.analysis.line_ends import has_end_of_text_line
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.crawler_verdicts import witness_path
from canfetch.lint.fixing import replacing
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_MARKS: Final = (b"<!--", b"//", b"--", b";", b"/*")
_INSIDE: Final = (b" // ", b"\t// ", b" <!--", b"\t<!--", b" -- ", b" ; ")


def find(file: LintedFile) -> Iterator[Found]:
    """Look at lines that begin with such a mark, and at rules with one behind their value."""
    for line in odd_lines(file, Oddity.FOREIGN_COMMENT):
        start, end = file.content_span(line.record)
        mark = next(mark for mark in _MARKS if file.octets.startswith(mark, start))
        content = file.content(line.record)
        odd = Note.NUL in line.record.notes or has_end_of_text_line(content)
        changes = odd or Note.NO_RECORD not in line.record.notes
        yield Found(
            (start, end), {"mark": file.text(mark)}, fix=replacing(start, start, b"# ", changes_verdicts=changes)
        )
    for record in file.noted(Note.WHITE_SPACE_IN_VALUE):
        value = file.value(record)
        place = min((found for mark in _INSIDE if (found := value.find(mark)) > 0), default=-1)
        if place < 0 or record.value is None:
            continue
        start = record.value[0] + place + 1
        mark = next((mark for mark in _MARKS if file.octets.startswith(mark, start)), b"")
        path = value[:place].rstrip()
        yield Found(
            (start, record.value[1]),
            {"mark": file.text(mark)},
            Probe(witness_path(path)) if record.group is not None and b" " not in path else None,
            replacing(start, start, b"# ", changes_verdicts=True),
        )


CHECK = Check(
    code="CF215",
    name="foreign-comment",
    severities=everywhere(Severity.WARNING),
    title="A comment that does not begin with `#`",
    message="`{mark}` does not begin a comment",
    why="Only `#` begins a comment. Behind a path, the text becomes part of the path, which then matches no page.",
    mend="Begin the comment with `#`.",
    source="RFC 9309 section 2.2; Lighthouse, robots-txt",
    bad=Given(b"User-agent: *\nDisallow: /private/ // for members\n"),
    good=Given(b"User-agent: *\nDisallow: /private/ # for members\n"),
    find=find,
    fixable=True,
)
