"""A missing colon."""

from collections.abc import Iterator

from canfetch.core.keys import NAMES, RecordKind
from canfetch.core.notes import Note
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find records with only white space between key and value."""
    disallows = any(rule.specificity and not rule.allow for rule in file.rules)
    records = file.records
    for record in (records[index] for index in records.with_note(Note.MISSING_COLON) if records.kind(index) in NAMES):
        if record.key is None or record.value is None:
            continue
        key = file.text(file.key(record))
        is_rule = record.kind in (RecordKind.ALLOW, RecordKind.DISALLOW)
        yield Occurrence(
            (record.key[0], record.value[1]),
            {"key": key},
            query_for(file.value(record)) if is_rule else None,
            replace_span(record.key[1], record.value[0], b": ", changes_verdicts=True),
            # Everything is allowed anyway.
            harmless=record.kind is RecordKind.ALLOW and not disallows,
        )
    for line in odd_lines(file, Oddity.MISSING_COLON):
        start, end = line.key
        yield Occurrence(
            (start, file.text_span(line.record)[1]),
            {"key": file.text(file.content[start:end])},
            fix=replace_span(end, line.value_start, b": ", changes_verdicts=True),
        )


CHECK = Check(
    code="CF201",
    name="missing-colon",
    severities=Severities(
        rfc=Severity.ERROR,
        google=Severity.WARNING,
        bing=Severity.ERROR,
        yandex=Severity.ERROR,
        lighthouse=Severity.ERROR,
    ),
    title="A missing colon",
    message="the colon after `{key}` is missing",
    why="RFC 9309 requires a colon. Google's parser accepts white space instead if the line has exactly two words. "
    "Other parsers ignore the line.",
    how_to_fix="Write a colon after the key.",
    source="RFC 9309 section 2.2; google/robotstxt, GetKeyAndValueFrom; Lighthouse, robots-txt",
    bad=b"User-agent: *\nDisallow /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Note.MISSING_COLON, Oddity.MISSING_COLON),
    fixable=True,
    supersedes=("CF302",),
)
