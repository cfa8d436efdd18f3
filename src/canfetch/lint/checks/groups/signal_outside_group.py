"""A `Content-Signal` before the first `User-agent` line."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find content signals outside of groups."""
    for _, record, _ in extensions_named(file, "content-signal"):
        if record.group is None:
            yield Occurrence(file.text_span(record), {"key": file.text(file.key(record))})


CHECK = Check(
    code="CF315",
    name="signal-outside-group",
    severities=everywhere(Severity.WARNING),
    title="A `Content-Signal` before the first `User-agent` line",
    message="`{key}` belongs to no group, because it comes before the first `User-agent` line",
    why="A signal applies to the crawlers of its group. Crawlers that look for it in their group do not find it here.",
    how_to_fix="Move the line into the group of `User-agent: *`, and repeat it in the groups of other crawlers.",
    source="contentsignals.org; Cloudflare, content signals policy",
    bad=b"Content-Signal: ai-train=no\n\nUser-agent: *\nDisallow: /private/\n",
    good=b"User-agent: *\nContent-Signal: ai-train=no\nDisallow: /private/\n",
    find=find,
    needs=("content-signal",),
)
