"""White space in a path."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.lint.analysis.engine_verdicts import try_allows
from canfetch.lint.analysis.example_paths import example_path, query_for
from canfetch.lint.analysis.rule_values import has_written_rule
from canfetch.lint.analysis.value_lists import path_lists
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.checks.lines import foreign_comment, quoted_value, two_records_on_a_line
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# Each one costs the time of a decision.
_MAX_VERDICTS: Final = 200
_BLANK: Final = re.compile(rb"[ \t]")


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find rules whose value is one path with white space in it."""
    others = file.compute_once(_lines_of_other_checks)
    lists = path_lists(file)
    for number, index in enumerate(file.records.with_note(Note.WHITE_SPACE_IN_VALUE)):
        if index + 1 in others or index + 1 in lists:
            continue
        yield LineOccurrence(index + 1, partial(_occurrence, file, file.records[index], number))


def _occurrence(file: LintedFile, record: Record, number: int) -> Occurrence:
    start, end = record.value or record.span
    value = file.content[start:end]
    blank = start + next(match.start() for match in _BLANK.finditer(value))
    encoded = value.replace(b" ", b"%20").replace(b"\t", b"%09")
    return Occurrence(
        (blank, blank + 1),
        {"value": file.text(value)},
        query_for(encoded),
        _fix(start, value),
        harmless=partial(_is_harmless, file, record, encoded, number),
    )


def _fix(start: int, value: bytes) -> Fix | None:
    blanks = [match.start() for match in _BLANK.finditer(value)]
    # Only for a path, and not for a path that a sentence follows.
    if not value.startswith((b"/", b"*")) or (len(blanks) > 1 and not value.endswith((b"/", b"*", b"$"))):
        return None
    # Machine translation puts spaces around the slashes of a path, where no real path has any.
    edits = (
        Edit(
            start + place, start + place + 1, b"" if b"/" in value[place - 1 : place + 2] else b"%%%02X" % value[place]
        )
        for place in blanks
    )
    return Fix(tuple(edits), changes_verdicts=True)


def _is_harmless(file: LintedFile, record: Record, pattern: bytes, number: int) -> bool:
    # The author wrote both spellings, or a shorter rule.
    return has_written_rule(file, record, pattern) or (
        number < _MAX_VERDICTS and _is_decided_otherwise(file, record, pattern)
    )


def _is_decided_otherwise(file: LintedFile, record: Record, pattern: bytes) -> bool:
    """Return whether Google, for which such a rule matches no page, gets the intended verdict from other rules."""
    path, group = example_path(pattern), file.group_of(record)
    if path is None or group is None:
        return False
    return try_allows(file, path, "googlebot", group.first_token) is (record.kind is RecordKind.ALLOW)


def _lines_of_other_checks(file: LintedFile) -> frozenset[int]:
    """Return the lines that more specific checks report."""
    if not file.records.with_note(Note.WHITE_SPACE_IN_VALUE):
        return frozenset()
    return frozenset(
        occurrence.line
        for check in (foreign_comment, quoted_value, two_records_on_a_line)
        for occurrence in check.find(file)
    )


CHECK = Check(
    code="CF218",
    name="white-space-in-value",
    severities=everywhere(Severity.WARNING),
    title="White space in a path",
    message="`{value}` contains white space, which URL paths never contain",
    why="In a URL, a space is written as `%20`. Some parsers treat the two as equal, but strict ones, such as "
    "Google's, do not. For them, the rule matches no page.",
    how_to_fix="Remove spaces next to a slash. Write `%20` for other spaces in a path, and `#` before a comment.",
    source="RFC 9309 section 2.2; google/robotstxt, MaybeEscapePattern",
    bad=b"User-agent: *\nDisallow: /my files/\n",
    good=b"User-agent: *\nDisallow: /my%20files/\n",
    find=find,
    needs=(Note.WHITE_SPACE_IN_VALUE,),
    fixable=True,
)
