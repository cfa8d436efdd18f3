"""A robots.txt that is not served as plain text."""

from collections.abc import Iterator

from canfetch.lint.analysis.deliveries import answer_of, answered, media_type
from canfetch.lint.check import Check, Found
from canfetch.lint.checks.delivery.html_served import HTML_TYPES
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Report a content type other than `text/plain`, except those of CF809."""
    entry = answer_of(file)
    if entry is None:
        return
    declared = media_type(entry)
    if declared != "text/plain" and declared not in HTML_TYPES:
        yield Found((0, 0), {"type": declared or "-"})


CHECK = Check(
    code="CF803",
    name="content-type",
    severities=Severities(rfc=Severity.WARNING, google=Severity.INFO, bing=Severity.WARNING, yandex=Severity.WARNING),
    title="A robots.txt that is not served as plain text",
    message="the response has the content type `{type}` instead of `text/plain`",
    why="RFC 9309 requires `text/plain`. Google reads the file all the same, but other crawlers may not.",
    mend="Serve the file as `text/plain; charset=utf-8`.",
    source="RFC 9309 section 2.3; Yandex Webmaster, robots.txt",
    bad=Given(
        b"User-agent: *\nDisallow:\n", delivery=answered(headers=(("content-type", "application/octet-stream"),))
    ),
    good=Given(b"User-agent: *\nDisallow:\n", delivery=answered()),
    find=find,
)
