"""A last line without an end."""

from collections.abc import Iterator

from canfetch.lint.analysis.content_kinds import file_is_page
from canfetch.lint.analysis.line_ends import line_end
from canfetch.lint.check import Check, Found
from canfetch.lint.fixing import replacing
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look at the last octet."""
    end = len(file.octets)
    if not end or file.robots.tail or file.octets.endswith((b"\n", b"\r")) or file_is_page(file):
        return
    yield Found((end, end), fix=replacing(end, end, line_end(file)))


CHECK = Check(
    code="CF114",
    name="no-final-line-end",
    severities=Severities(rfc=Severity.INFO),
    title="A last line without an end",
    message="the last line has no line end",
    why="The grammar wants one. Crawlers do without, but what a program appends to the file joins the last line, and "
    "then both are read as one.",
    mend="End the last line.",
    source="RFC 9309 section 2.2",
    bad=Given(b"User-agent: *\nDisallow: /private/"),
    good=Given(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
