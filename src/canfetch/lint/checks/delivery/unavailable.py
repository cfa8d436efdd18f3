"""A file that is not there."""

from collections.abc import Iterator

from canfetch.lint.analysis.deliveries import READ_DIFFERENTLY, answered
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look at the status."""
    entry = file.given.delivery
    if entry is None or entry.status is None or entry.status in READ_DIFFERENTLY or not 400 <= entry.status < 500:
        return
    yield Found((0, 0), {"status": str(entry.status)})


CHECK = Check(
    code="CF802",
    name="unavailable",
    severities=Severities(rfc=Severity.INFO, google=Severity.INFO, bing=Severity.INFO, yandex=Severity.INFO),
    title="A file that is not there",
    message="there is no file (status {status}): everything is allowed",
    why="Crawlers take a status of 400 to 499 for a site without a robots.txt, and may fetch everything.",
    mend="Serve a file, if something is not to be fetched.",
    source="RFC 9309 section 2.3.1.3; Google, handling of errors and HTTP status codes",
    bad=Given(b"", url="https://example.com/robots.txt", delivery=answered(404)),
    good=Given(b"User-agent: *\nDisallow:\n", url="https://example.com/robots.txt", delivery=answered()),
    find=find,
)
