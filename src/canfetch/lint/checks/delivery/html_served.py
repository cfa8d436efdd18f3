"""An HTML page instead of a robots.txt."""

from collections.abc import Iterator

from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.analysis.deliveries import HTML_TYPES, example_delivery, media_type, successful_delivery
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report a content type of HTML, or a body that starts like a page."""
    entry = successful_delivery(file)
    if entry is not None and (media_type(entry) in HTML_TYPES or file_is_markup(file)):
        yield Occurrence((0, 0), {"type": media_type(entry) or "-", "status": str(entry.status)})


CHECK = Check(
    code="CF809",
    name="html-served",
    severities=everywhere(Severity.ERROR),
    title="An HTML page instead of a robots.txt",
    message="the response (status {status}, type `{type}`) is an HTML page, or is declared as one",
    why="Many sites return a page of their own when a file is missing. Crawlers read it as the robots.txt, find no "
    "rules in it, and fetch everything.",
    how_to_fix="Serve the file as `text/plain`, or return status 404 if the site does not have one.",
    source="RFC 9309 section 2.3; Google, file format",
    bad=LintInput(
        b"<!DOCTYPE html>\n<html><head><title>Home</title></head></html>\n",
        delivery=example_delivery(headers=(("content-type", "text/html; charset=utf-8"),)),
    ),
    good=LintInput(b"User-agent: *\nDisallow:\n", delivery=example_delivery()),
    find=find,
)
