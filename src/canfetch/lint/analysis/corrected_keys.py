"""Keys that crawlers ignore, each with the known key that it probably means."""

from collections.abc import Iterator
from functools import partial

from canfetch.core.notes import Note
from canfetch.lint.analysis.odd_lines import Oddity, OddLine, odd_lines
from canfetch.lint.analysis.unread_agents import query_for_unread
from canfetch.lint.check import LineOccurrence, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile


def corrected_keys(file: LintedFile, oddity: Oddity) -> Iterator[LineOccurrence]:
    """Yield the keys with this oddity, each with a fix that writes the known key."""
    for line in odd_lines(file, oddity):
        if line.name is not None:
            yield LineOccurrence(line.record.line, partial(_occurrence, file, line, line.name))


def _occurrence(file: LintedFile, line: OddLine, name: bytes) -> Occurrence:
    record = line.record
    if Note.MISSING_COLON in record.notes:
        fix = replace_span(line.key[0], line.value_start, name + b": ", changes_verdicts=True)
    else:
        fix = replace_span(*line.key, name, changes_verdicts=True)
    return Occurrence(
        line.key,
        {"key": file.text(file.key(record)), "name": file.text(name)},
        query_for_unread(file, record, name, file.value(record)),
        fix,
    )
