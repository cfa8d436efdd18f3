"""A refused request for robots.txt."""

from collections.abc import Iterator

from canfetch.lint.analysis.deliveries import AMBIGUOUS_STATUSES, example_delivery
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report a status that crawlers interpret in different ways."""
    entry = file.input.delivery
    if entry is not None and entry.status in AMBIGUOUS_STATUSES:
        yield Occurrence((0, 0), {"status": str(entry.status)})


CHECK = Check(
    code="CF808",
    name="forbidden-or-limited",
    severities=everywhere(Severity.WARNING),
    title="A refused request for robots.txt",
    message="crawlers interpret status {status} in different ways",
    why="After 401 and 403, RFC 9309 and Google allow everything, and parsers that follow the 1996 draft allow "
    "nothing. After 429, Google stops crawling as after a server error, and RFC 9309 permits "
    "crawlers to treat the file as missing.",
    how_to_fix="Let every client fetch `/robots.txt`, and exclude it from rate limits.",
    source="RFC 9309 section 2.3.1.3; Google, handling of errors and HTTP status codes; draft-koster-robots-00",
    bad=lambda: LintInput(b"", url="https://example.com/robots.txt", delivery=example_delivery(403)),
    good=lambda: LintInput(
        b"User-agent: *\nDisallow:\n", url="https://example.com/robots.txt", delivery=example_delivery()
    ),
    find=find,
    requires="delivery",
)
