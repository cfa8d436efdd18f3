"""A last line without a line end."""

from collections.abc import Iterator

from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.analysis.line_fixes import line_end
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find a last line without a line end."""
    end = len(file.content)
    if not end or file.robots.tail or file.content.endswith((b"\n", b"\r")) or file_is_markup(file):
        return
    yield Occurrence((end, end), fix=replace_span(end, end, line_end(file)))


CHECK = Check(
    code="CF114",
    name="no-final-line-end",
    severities=Severities(rfc=Severity.INFO),
    title="A last line without a line end",
    message="the last line has no line end",
    why="RFC 9309 requires a line end after every line. Crawlers read the last line without it as well. But if a "
    "program appends a line to the file, both lines become one.",
    how_to_fix="End the last line with a line break.",
    source="RFC 9309 section 2.2",
    bad=b"User-agent: *\nDisallow: /private/",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    fixable=True,
)
