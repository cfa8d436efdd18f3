"""A `Cache-delay`, which no crawler documents."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Find `Cache-delay` lines."""
    for extension, record, _ in records_named(file, "cache-delay"):
        yield Found(file.content_span(record), {"value": file.text(extension.value)})


CHECK = Check(
    code="CF618",
    name="cache-delay-not-read",
    severities=Severities(rfc=Severity.INFO),
    title="A `Cache-delay`, which no crawler documents",
    message="no crawler is known to read `Cache-delay: {value}`",
    why="Some libraries read `Cache-delay`, but no crawler documents it.",
    mend="Remove the line. Some crawlers read `Crawl-delay` instead.",
    source="the documentation of libraries that read it",
    bad=Given(b"User-agent: *\nCache-delay: 10\nDisallow: /private/\n"),
    good=Given(b"User-agent: *\nCrawl-delay: 10\nDisallow: /private/\n"),
    find=find,
)
