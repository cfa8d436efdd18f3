"""A user-agent line without a name."""

from collections.abc import Iterator

from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Look for such lines."""
    for record in file.user_agents:
        if not file.value(record):
            yield Found(file.content_span(record))


CHECK = Check(
    code="CF510",
    name="empty-agent",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A user-agent line without a name",
    message="the line names nobody",
    why="No crawler is named so: if no other line names one, the rules below are nobody's.",
    mend="Write the crawler's product token, or `*` for all that have no group of their own.",
    source="RFC 9309 section 2.2.1; Lighthouse, robots-txt",
    bad=Given(b"User-agent:\nDisallow: /private/\n"),
    good=Given(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
)
