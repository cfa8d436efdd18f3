"""A file that could not be fetched."""

from collections.abc import Iterator

from canfetch.access.outcomes import Access
from canfetch.access.responses import FailureKind
from canfetch.lint.analysis.deliveries import READ_DIFFERENTLY, answered, unanswered
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Look at the outcome of fetching."""
    entry = file.given.delivery
    if entry is None or entry.outcome.access is not Access.UNREACHABLE or entry.status in READ_DIFFERENTLY:
        return
    yield Found((0, 0), {"detail": entry.outcome.detail})


CHECK = Check(
    code="CF801",
    name="unreachable",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A file that cannot be fetched",
    message="the file could not be fetched ({detail})",
    why="As long as the server fails, crawlers of the standard fetch nothing of the site. Google stops for 12 hours, "
    "then reads its last copy for up to 30 days.",
    mend="Let the server answer with the file, or with status 404 where there is none.",
    source="RFC 9309 section 2.3.1.4; Google, handling of errors and HTTP status codes; Lighthouse, robots-txt",
    bad=Given(b"", url="https://example.com/robots.txt", delivery=unanswered(FailureKind.TIMEOUT, "30 seconds")),
    good=Given(b"User-agent: *\nDisallow:\n", url="https://example.com/robots.txt", delivery=answered()),
    find=find,
)
