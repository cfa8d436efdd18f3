"""An invalid `Request-rate`."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import extensions_noted
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find values that are not request rates."""
    for placed in extensions_noted(file, "request-rate", ExtensionNote.UNREADABLE):
        yield Occurrence(placed.span, {"value": file.text(placed.extension.value)})


CHECK = Check(
    code="CF607",
    name="request-rate-value",
    severities=Severities(rfc=Severity.WARNING),
    title="An invalid `Request-rate`",
    message="`{value}` is not a request rate",
    why="The few crawlers that support `Request-rate` expect a number of requests, a slash and a period, such as "
    "`1/10s`. They ignore any other value.",
    how_to_fix="Write a rate such as `1/10s`, or `1/10s 1800-1900` for a part of the day.",
    source="An Extended Standard for Robot Exclusion, 1996; Seznam",
    bad=b"User-agent: SeznamBot\nRequest-rate: 10\n",
    good=b"User-agent: SeznamBot\nRequest-rate: 1/10s\n",
    find=find,
    needs=("request-rate",),
)
