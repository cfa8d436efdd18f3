"""White space in a path."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.lint.analysis.engine_verdicts import try_allows
from canfetch.lint.analysis.example_paths import example_path, query_for
from canfetch.lint.analysis.value_lists import split_paths
from canfetch.lint.analysis.written_rules import has_written_rule
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.checks.lines import foreign_comment, quoted_value, two_records_on_a_line
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# Each one costs the time of a decision.
_MAX_VERDICTS: Final = 200


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules whose value is one path with white space in it."""
    others = file.compute_once(_lines_of_other_checks)
    for number, record in enumerate(file.records_with(Note.WHITE_SPACE_IN_VALUE)):
        value = file.value(record)
        if record.value is None or record.line in others or len(split_paths(value)) > 1:
            continue
        start = record.value[0]
        edits = tuple(
            Edit(start + place, start + place + 1, b"%%%02X" % byte)
            for place, byte in enumerate(value)
            if byte in b" \t"
        )
        # Only for a path, and not for a path that a sentence follows.
        is_path = value.startswith((b"/", b"*")) and (len(edits) == 1 or value.endswith((b"/", b"*", b"$")))
        fix = Fix(edits, changes_verdicts=True) if is_path else None
        encoded = value.replace(b" ", b"%20").replace(b"\t", b"%09")
        yield Occurrence(
            (edits[0].start, edits[0].start + 1),
            {"value": file.text(value)},
            partial(query_for, encoded),
            fix,
            # The author wrote both spellings, or a shorter rule.
            harmless=has_written_rule(file, record, encoded)
            or (number < _MAX_VERDICTS and _is_decided_otherwise(file, record, encoded)),
        )


def _is_decided_otherwise(file: LintedFile, record: Record, pattern: bytes) -> bool:
    """Return whether Google, for which such a rule matches no page, gets the intended verdict from other rules."""
    path, group = example_path(pattern), file.group_of(record)
    if path is None or group is None:
        return False
    return try_allows(file, path, "googlebot", group.first_token) is (record.kind is RecordKind.ALLOW)


def _lines_of_other_checks(file: LintedFile) -> frozenset[int]:
    """Return the lines that more specific checks report."""
    starts = {record.span[0]: record for record in file.records_with(Note.WHITE_SPACE_IN_VALUE)}
    lines: set[int] = set()
    if not starts:
        return frozenset()
    spans = [
        occurrence.span[0]
        for check in (foreign_comment, quoted_value, two_records_on_a_line)
        for occurrence in check.find(file)
    ]
    records: list[Record] = sorted(starts.values(), key=lambda record: record.span)
    index = 0
    for offset in sorted(spans):
        while index < len(records) and records[index].span[1] <= offset:
            index += 1
        if index < len(records) and records[index].span[0] <= offset:
            lines.add(records[index].line)
    return frozenset(lines)


CHECK = Check(
    code="CF218",
    name="white-space-in-value",
    severities=everywhere(Severity.WARNING),
    title="White space in a path",
    message="`{value}` contains white space, which URL paths never contain",
    why="In a URL, a space is written as `%20`. Some parsers treat the two as equal, but strict ones, such as "
    "Google's, do not. For them, the rule matches no page.",
    how_to_fix="Write `%20` for a space in a path, and `#` before a comment.",
    source="RFC 9309 section 2.2; google/robotstxt, MaybeEscapePattern",
    bad=LintInput(b"User-agent: *\nDisallow: /my files/\n"),
    good=LintInput(b"User-agent: *\nDisallow: /my%20files/\n"),
    find=find,
    fixable=True,
)
