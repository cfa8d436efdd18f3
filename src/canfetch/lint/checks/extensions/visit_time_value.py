"""An invalid `Visit-time`."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import extensions_noted
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find values that are not time ranges."""
    for placed in extensions_noted(file, "visit-time", ExtensionNote.UNREADABLE):
        yield Occurrence(placed.span, {"value": file.text(placed.extension.value)})


CHECK = Check(
    code="CF608",
    name="visit-time-value",
    severities=Severities(rfc=Severity.WARNING),
    title="An invalid `Visit-time`",
    message="`{value}` is not a time range",
    why="The few crawlers that support `Visit-time` expect two times of day in UTC, such as `0600-0845`. They ignore "
    "any other value.",
    how_to_fix="Write a time range such as `0600-0845`.",
    source="An Extended Standard for Robot Exclusion, 1996",
    bad=b"User-agent: *\nVisit-time: 6am-8am\nDisallow: /private/\n",
    good=b"User-agent: *\nVisit-time: 0600-0800\nDisallow: /private/\n",
    find=find,
    needs=("visit-time",),
)
