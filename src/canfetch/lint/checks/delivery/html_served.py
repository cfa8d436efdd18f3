"""A page where the file should be."""

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
    """Look at the media type, and at how the file begins."""
    entry = answer_of(file)
    if entry is not None and (media_type(entry) in HTML_TYPES or file_is_page(file)):
        yield Found((0, 0), {"type": media_type(entry) or "-", "status": str(entry.status)})


CHECK = Check(
    code="CF809",
    name="html-served",
    severities=everywhere(Severity.ERROR),
    title="A page where the file should be",
    message="the answer, of status {status} and type `{type}`, is a page or says that it is one",
    why="Many sites answer with a page of their own for what is missing. Crawlers take it for the file, find no rule "
    "in it, and fetch everything.",
    mend="Serve the file as `text/plain`; where there is none, answer with status 404.",
    source="RFC 9309 section 2.3; Google, file format",
    bad=Given(
        b"<!DOCTYPE html>\n<html><head><title>Home</title></head></html>\n",
        delivery=answered(headers=(("content-type", "text/html; charset=utf-8"),)),
    ),
    good=Given(b"User-agent: *\nDisallow:\n", delivery=answered()),
    find=find,
)
