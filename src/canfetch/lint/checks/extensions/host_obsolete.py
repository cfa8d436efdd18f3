"""A Host record, which nobody reads any more."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look for such records."""
    for extension, record, _ in records_named(file, "host"):
        yield Found(file.content_span(record), {"host": file.text(extension.value)})


CHECK = Check(
    code="CF609",
    name="host-obsolete",
    severities=Severities(rfc=Severity.INFO, yandex=Severity.WARNING),
    title="A Host record, which nobody reads any more",
    message="nobody reads which host is preferred: `{host}`",
    why="Only Yandex ever read it, and no more since March 2018: redirects tell it which of a site's mirrors is meant.",
    mend="Remove the line, and redirect the other hosts.",
    source="Yandex Webmaster, March 2018",
    bad=Given(b"User-agent: *\nDisallow:\n\nHost: example.com\n"),
    good=Given(b"User-agent: *\nDisallow:\n"),
    find=find,
)
