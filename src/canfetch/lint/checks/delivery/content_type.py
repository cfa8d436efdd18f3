"""A robots.txt that is not served as plain text."""

from collections.abc import Iterator

from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.analysis.deliveries import example_delivery, media_type, successful_delivery
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report a content type other than `text/plain`. CF809 reports a page, and FTP has no content types."""
    entry = successful_delivery(file)
    if entry is None or entry.url.startswith("ftp:") or file_is_markup(file):
        return
    declared = media_type(entry)
    if declared != "text/plain":
        yield Occurrence((0, 0), {"type": declared or "-"})


CHECK = Check(
    code="CF803",
    name="content-type",
    severities=Severities(rfc=Severity.WARNING, google=Severity.INFO, bing=Severity.WARNING, yandex=Severity.WARNING),
    title="A robots.txt that is not served as plain text",
    message="the response has the content type `{type}` instead of `text/plain`",
    why="RFC 9309 requires `text/plain`. Google reads the file all the same, but other crawlers may not.",
    how_to_fix="Serve the file as `text/plain; charset=utf-8`.",
    source="RFC 9309 section 2.3; Yandex Webmaster, robots.txt",
    bad=lambda: LintInput(
        b"User-agent: *\nDisallow:\n",
        delivery=example_delivery(headers=(("content-type", "application/octet-stream"),)),
    ),
    good=lambda: LintInput(b"User-agent: *\nDisallow:\n", delivery=example_delivery()),
    find=find,
    requires="delivery",
)
