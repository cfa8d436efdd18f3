"""A `Cache-delay`, which no crawler documents."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find `Cache-delay` lines."""
    for extension, record, _ in extensions_named(file, "cache-delay"):
        yield Occurrence(file.text_span(record), {"value": file.text(extension.value)})


CHECK = Check(
    code="CF618",
    name="cache-delay-not-read",
    severities=Severities(rfc=Severity.INFO),
    title="A `Cache-delay`, which no crawler documents",
    message="no crawler is known to read `Cache-delay: {value}`",
    why="Some libraries read `Cache-delay`, but no crawler documents it.",
    how_to_fix="Remove the line. Some crawlers read `Crawl-delay` instead.",
    source="the documentation of libraries that read it",
    bad=b"User-agent: *\nCache-delay: 10\nDisallow: /private/\n",
    good=b"User-agent: *\nCrawl-delay: 10\nDisallow: /private/\n",
    find=find,
    needs=("cache-delay",),
)
