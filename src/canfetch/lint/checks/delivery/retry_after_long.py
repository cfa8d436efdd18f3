"""A very long `Retry-After`."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.verdict import Access
from canfetch.lint.analysis.deliveries import example_delivery, header_value
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_DAY_SECONDS: Final = 86_400
_HOUR_SECONDS: Final = 3600


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report a `Retry-After` of more than a day in a response without the file."""
    entry = file.input.delivery
    if entry is None or entry.outcome.access is Access.SUCCESSFUL:
        return
    from canfetch.access.retries import parse_retry_after  # noqa: PLC0415 - only with a delivery

    seconds = parse_retry_after(header_value(entry, "retry-after"), now=entry.fetched_at)
    if seconds is not None and seconds > _DAY_SECONDS:
        yield Occurrence((0, 0), {"hours": str(round(seconds / _HOUR_SECONDS))})


CHECK = Check(
    code="CF812",
    name="retry-after-long",
    severities=everywhere(Severity.INFO),
    title="A very long `Retry-After`",
    message="`Retry-After` keeps crawlers away for {hours} hours",
    why="While robots.txt cannot be fetched, crawlers that follow RFC 9309 fetch nothing from the site.",
    how_to_fix="Set `Retry-After` to minutes or hours, depending on how long the outage lasts.",
    source="RFC 9110 section 10.2.3; RFC 9309 section 2.3.1.4",
    bad=lambda: LintInput(b"", delivery=example_delivery(503, (("retry-after", "604800"),))),
    good=lambda: LintInput(b"", delivery=example_delivery(503, (("retry-after", "600"),))),
    find=find,
    requires="delivery",
)
