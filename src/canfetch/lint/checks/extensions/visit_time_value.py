"""A Visit-time that cannot be read."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look for values that are no times."""
    for read in records_named(file, "visit-time"):
        if read.has(ExtensionNote.UNREADABLE):
            yield Found(read.span, {"value": file.text(read.extension.value)})


CHECK = Check(
    code="CF608",
    name="visit-time-value",
    severities=Severities(rfc=Severity.WARNING),
    title="A Visit-time that cannot be read",
    message="`{value}` is no span of the day",
    why="The few crawlers that read the record want two times of the day in universal time, such as `0600-0845`, and "
    "ignore what is anything else.",
    mend="Write it such as `0600-0845`.",
    source="An Extended Standard for Robot Exclusion, 1996",
    bad=Given(b"User-agent: *\nVisit-time: 6am-8am\nDisallow: /private/\n"),
    good=Given(b"User-agent: *\nVisit-time: 0600-0800\nDisallow: /private/\n"),
    find=find,
)
