"""A Request-rate that cannot be read."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look for values that are no rates."""
    for read in records_named(file, "request-rate"):
        if read.has(ExtensionNote.UNREADABLE):
            yield Found(read.span, {"value": file.text(read.extension.value)})


CHECK = Check(
    code="CF607",
    name="request-rate-value",
    severities=Severities(rfc=Severity.WARNING),
    title="A Request-rate that cannot be read",
    message="`{value}` is no rate of requests",
    why="The few crawlers that read the record want requests, a slash and a time, such as `1/10s`, and ignore what is "
    "anything else.",
    mend="Write it such as `1/10s`, or `1/10s 1800-1900` for a part of the day.",
    source="An Extended Standard for Robot Exclusion, 1996; Seznam",
    bad=Given(b"User-agent: SeznamBot\nRequest-rate: 10\n"),
    good=Given(b"User-agent: SeznamBot\nRequest-rate: 1/10s\n"),
    find=find,
)
