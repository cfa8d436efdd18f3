"""An HTML page instead of a robots.txt."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.content_kinds import file_is_page
from canfetch.lint.analysis.deliveries import answer_of, answered, media_type
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

HTML_TYPES: Final = frozenset(["text/html", "application/xhtml+xml"])


def find(file: LintedFile) -> Iterator[Found]:
    """Report a content type of HTML, or a body that starts like a page."""
    entry = answer_of(file)
    if entry is not None and (media_type(entry) in HTML_TYPES or file_is_page(file)):
        yield Found((0, 0), {"type": media_type(entry) or "-", "status": str(entry.status)})


CHECK = Check(
    code="CF809",
    name="html-served",
    severities=everywhere(Severity.ERROR),
    title="An HTML page instead of a robots.txt",
    message="the response (status {status}, type `{type}`) is an HTML page, or is declared as one",
    why="Many sites return a page of their own when a file is missing. Crawlers read it as the robots.txt, find no "
    "rules in it, and fetch everything.",
    mend="Serve the file as `text/plain`, or return status 404 if the site does not have one.",
    source="RFC 9309 section 2.3; Google, file format",
    bad=Given(
        b"<!DOCTYPE html>\n<html><head><title>Home</title></head></html>\n",
        delivery=answered(headers=(("content-type", "text/html; charset=utf-8"),)),
    ),
    good=Given(b"User-agent: *\nDisallow:\n", delivery=answered()),
    find=find,
)
