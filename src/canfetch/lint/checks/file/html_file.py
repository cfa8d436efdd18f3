"""A web page instead of a robots.txt."""

from collections.abc import Iterator

from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find a file that starts like HTML or XML."""
    if not file_is_markup(file):
        return
    first = file.first_text
    span = (0, 0) if first is None else file.text_span(first)
    # Findings about the size of the file are after its last line.
    yield Occurrence(span, lines=tuple(range(1, len(file.records) + 2)))


CHECK = Check(
    code="CF108",
    name="html-file",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A web page instead of a robots.txt",
    message="this is an HTML or XML page, not a robots.txt",
    why="Crawlers skip the lines that they cannot read, find no rules, and fetch everything.",
    how_to_fix="Serve the file as plain text. If the site does not have one, return status 404 instead of a page.",
    source="Google, file format; Lighthouse, robots-txt",
    bad=b"<!DOCTYPE html>\n<html><head><title>Not found</title></head></html>\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    supersedes=("CF103", "CF104", "CF105", "CF6"),
)
