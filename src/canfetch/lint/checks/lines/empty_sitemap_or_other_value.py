"""A line without a value."""

from collections.abc import Iterator

from canfetch.core.extensions.known_records import is_known_key
from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find sitemaps and known extensions without a value."""
    for record in file.records_with(Note.EMPTY_VALUE):
        if record.kind not in (RecordKind.SITEMAP, RecordKind.OTHER):
            continue
        key = file.key(record)
        # A comment may be empty.
        if record.kind is RecordKind.OTHER and (not is_known_key(key.lower()) or key.lower() == b"comment"):
            continue
        fix = replace_span(*record.span, b"", changes_verdicts=True)
        yield Occurrence(file.text_span(record), {"key": file.text(key)}, fix=fix)


CHECK = Check(
    code="CF219",
    name="empty-sitemap-or-other-value",
    severities=everywhere(Severity.WARNING),
    title="A line without a value",
    message="`{key}` has no value",
    why="Without a value, the line has no effect. Checkers report some of these lines as errors.",
    how_to_fix="Write the value, or remove the line.",
    source="Lighthouse, robots-txt; Yandex Webmaster, robots.txt analysis",
    bad=LintInput(b"User-agent: *\nDisallow: /private/\n\nSitemap:\n"),
    good=LintInput(b"User-agent: *\nDisallow: /private/\n\nSitemap: https://example.com/sitemap.xml\n"),
    find=find,
    fixable=True,
)
