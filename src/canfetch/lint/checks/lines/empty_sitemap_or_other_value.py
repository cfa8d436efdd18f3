"""A line without a value."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.extensions.known_records import is_known_key
from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_KINDS: Final = (RecordKind.SITEMAP, RecordKind.OTHER)


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find sitemaps and known extensions without a value."""
    records = file.records
    indices = [index for index in records.with_note(Note.EMPTY_VALUE) if records.kind(index) in _KINDS]
    for index, key in zip(indices, file.keys(indices), strict=True):
        if records.kind(index) is RecordKind.SITEMAP or _needs_value(key.lower()):
            record = records[index]
            fix = replace_span(*record.span, b"", changes_verdicts=True)
            yield Occurrence(file.text_span(record), {"key": file.text(key)}, fix=fix)


def _needs_value(key: bytes) -> bool:
    # A comment may be empty.
    return is_known_key(key) and key != b"comment"


CHECK = Check(
    code="CF219",
    name="empty-sitemap-or-other-value",
    severities=everywhere(Severity.WARNING),
    title="A line without a value",
    message="`{key}` has no value",
    why="Without a value, the line has no effect. Checkers report some of these lines as errors.",
    how_to_fix="Write the value, or remove the line.",
    source="Lighthouse, robots-txt; Yandex Webmaster, robots.txt analysis",
    bad=b"User-agent: *\nDisallow: /private/\n\nSitemap:\n",
    good=b"User-agent: *\nDisallow: /private/\n\nSitemap: https://example.com/sitemap.xml\n",
    find=find,
    needs=(Note.EMPTY_VALUE,),
    fixable=True,
    supersedes=("CF601",),
)
