"""A value in quotes."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.core.keys import NAMES, RecordKind
from canfetch.core.records import Record
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_QUOTES: Final = (b'"', b"'", b"`")


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find values that start and end with the same quote."""
    for record in file.records_containing(_QUOTES, *NAMES):
        if record.value is None:
            continue
        start, end = record.value
        quote = file.content[start : start + 1]
        if quote not in _QUOTES or end - start < 3 or file.content[end - 1 : end] != quote:
            continue
        inner = file.content[start + 1 : end - 1]
        if inner == inner.strip() and quote not in inner:
            yield LineOccurrence(record.line, partial(_occurrence, file, record, inner, start, end))


def _occurrence(file: LintedFile, record: Record, inner: bytes, start: int, end: int) -> Occurrence:
    is_rule = record.kind in (RecordKind.ALLOW, RecordKind.DISALLOW) and record.group is not None
    return Occurrence(
        (start, end),
        {"value": file.text(file.value(record))},
        query_for(inner) if is_rule else None,
        Fix((Edit(start, start + 1, b""), Edit(end - 1, end, b"")), changes_verdicts=True),
    )


CHECK = Check(
    code="CF212",
    name="quoted-value",
    severities=everywhere(Severity.ERROR),
    title="A value in quotes",
    message="the quotes in `{value}` are part of the value",
    why="Values in robots.txt are not quoted. A path that starts with a quote matches nothing.",
    how_to_fix="Remove the quotes.",
    source="RFC 9309 section 2.2",
    bad=b'User-agent: *\nDisallow: "/private/"\n',
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=_QUOTES,
    fixable=True,
    supersedes=("CF218", "CF4", "CF5", "CF6"),
)
