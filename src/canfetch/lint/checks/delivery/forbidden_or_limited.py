"""A status that crawlers do not read alike."""

from collections.abc import Iterator

from canfetch.lint.analysis.deliveries import READ_DIFFERENTLY, answered
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look at the status."""
    entry = file.given.delivery
    if entry is not None and entry.status in READ_DIFFERENTLY:
        yield Found((0, 0), {"status": str(entry.status)})


CHECK = Check(
    code="CF808",
    name="forbidden-or-limited",
    severities=Severities(
        rfc=Severity.WARNING, google=Severity.WARNING, bing=Severity.WARNING, yandex=Severity.WARNING
    ),
    title="A file that is refused",
    message="the answer has status {status}, which crawlers do not read alike",
    why="With 401 and 403 the standard and Google allow everything, and readers of the draft of 1996 nothing. 429 is "
    "to Google a failure of the server, which stops crawling, and to the standard a missing file.",
    mend="Let everybody fetch `/robots.txt`, and leave it out of limits of rate.",
    source="RFC 9309 section 2.3.1.3; Google, handling of errors and HTTP status codes; draft-koster-robots-00",
    bad=Given(b"", url="https://example.com/robots.txt", delivery=answered(403)),
    good=Given(b"User-agent: *\nDisallow:\n", url="https://example.com/robots.txt", delivery=answered()),
    find=find,
)
