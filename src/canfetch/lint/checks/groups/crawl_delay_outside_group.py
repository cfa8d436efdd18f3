"""A `Crawl-delay` or a similar line before the first `User-agent` line."""

from collections.abc import Iterator
from itertools import takewhile

from canfetch.core.extensions.known_records import known_record
from canfetch.core.extensions.record import ExtensionScope
from canfetch.core.keys import RecordKind
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find extensions that belong in a group before the first user-agent line."""
    records = file.records
    first_group = file.user_agents[0] if file.user_agents else len(records)
    indices = list(takewhile(first_group.__gt__, records.of_kinds(RecordKind.OTHER)))
    for index, key in zip(indices, file.keys(indices), strict=True):
        if known_record(key.lower()).scope is ExtensionScope.GROUP:
            yield Occurrence(file.text_span(records[index]), {"key": file.text(key)})


CHECK = Check(
    code="CF309",
    name="crawl-delay-outside-group",
    severities=everywhere(Severity.WARNING),
    title="A `Crawl-delay` or a similar line before the first `User-agent` line",
    message="`{key}` belongs to no group, because it comes before the first `User-agent` line",
    why="Crawlers that support this line look for it in their own group, and do not find it there.",
    how_to_fix="Move the line into the group to which it should apply.",
    source="Bing Webmaster, crawl delay; An Extended Standard for Robot Exclusion, 1996",
    bad=b"Crawl-delay: 10\n\nUser-agent: *\nDisallow: /private/\n",
    good=b"User-agent: *\nCrawl-delay: 10\nDisallow: /private/\n",
    find=find,
    needs=(RecordKind.OTHER,),
)
