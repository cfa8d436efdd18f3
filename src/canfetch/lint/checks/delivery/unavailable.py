"""A missing robots.txt."""

from collections.abc import Iterator

from canfetch.lint.analysis.deliveries import AMBIGUOUS_STATUSES, example_delivery
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report a status from 400 to 499, except those of CF808."""
    entry = file.input.delivery
    if entry is None or entry.status is None or entry.status in AMBIGUOUS_STATUSES or not 400 <= entry.status < 500:
        return
    yield Occurrence((0, 0), {"status": str(entry.status)})


CHECK = Check(
    code="CF802",
    name="unavailable",
    severities=everywhere(Severity.INFO),
    title="A missing robots.txt",
    message="the file does not exist (status {status}): crawlers may fetch everything",
    why="Crawlers treat a status from 400 to 499 as a site without a robots.txt, and may fetch everything.",
    how_to_fix="Publish a robots.txt if crawlers should not fetch everything.",
    source="RFC 9309 section 2.3.1.3; Google, handling of errors and HTTP status codes",
    bad=lambda: LintInput(b"", url="https://example.com/robots.txt", delivery=example_delivery(404)),
    good=lambda: LintInput(
        b"User-agent: *\nDisallow:\n", url="https://example.com/robots.txt", delivery=example_delivery()
    ),
    find=find,
    requires="delivery",
)
