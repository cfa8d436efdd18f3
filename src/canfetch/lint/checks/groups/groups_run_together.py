"""Groups without a blank line between them."""

from collections.abc import Iterator
from itertools import takewhile

from canfetch.core.keys import RecordKind
from canfetch.core.records import Note, Record
from canfetch.lint.analysis.line_ends import has_text_line_break, line_end
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_RULES = (RecordKind.ALLOW, RecordKind.DISALLOW)
_AMBIGUOUS_RULE = (
    Note.OUTSIDE_GRAMMAR | Note.MISSPELT_KEY | Note.MISSING_COLON | Note.NUL | Note.CONTROL | Note.NOT_UTF8
)
_AMBIGUOUS_AGENT = Note.MISSPELT_KEY | Note.MISSING_COLON | Note.NUL | Note.CONTROL


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find groups that start without a blank line before them, and report the first."""
    starts = list(_group_starts(file))
    if not starts:
        return
    blank = line_end(file)
    # After a CR, an LF would only complete the line end.
    edits = tuple(
        Edit(start, start, b"\r\n" if blank == b"\n" and file.content[start - 1 : start] == b"\r" else blank)
        for start, _, _ in starts
    )
    is_harmless = all(read_by_all for _, _, read_by_all in starts)
    yield Occurrence(
        file.text_span(starts[0][1]), {"count": str(len(starts))}, fix=Fix(edits, changes_verdicts=not is_harmless)
    )


def _group_starts(file: LintedFile) -> Iterator[tuple[int, Record, bool]]:
    """Yield where a blank line belongs, the line that starts the group, and whether all parsers start a group there."""
    after_rule = read_by_all = False
    has_breaks = has_text_line_break(file.content)
    previous = 0
    for record in file.keyed_records:
        between = range(previous, record.line - 1)
        previous = record.line
        if between:
            lines = map(file.records.__getitem__, between)
            after_rule = after_rule and not any(map(file.is_blank, lines))
            read_by_all = read_by_all and not (has_breaks and _has_broken_comment(file, between))
        if record.kind is RecordKind.USER_AGENT:
            if after_rule:
                start = _start_with_comments(file, record, between)
                yield start, record, read_by_all and not record.notes & _AMBIGUOUS_AGENT
            after_rule = read_by_all = False
        elif record.kind in _RULES:
            # A parser that ignores the last rules of a group would merge its user-agent lines with the next ones.
            after_rule = True
            read_by_all = read_by_all or (
                record.kind is RecordKind.DISALLOW
                and record.group is not None
                and (record.notes is Note.NONE or not record.notes & _AMBIGUOUS_RULE)
            )


def _is_comment(record: Record) -> bool:
    return record.notes is Note.NONE or Note.NOT_A_RECORD not in record.notes


def _has_broken_comment(file: LintedFile, lines: range) -> bool:
    records = filter(_is_comment, map(file.records.__getitem__, lines))
    return any(has_text_line_break(file.line_content(record)) for record in records)


def _start_with_comments(file: LintedFile, record: Record, lines: range) -> int:
    # Comments directly above a group belong to it.
    above = takewhile(_is_comment, map(file.records.__getitem__, reversed(lines)))
    return min((line.span[0] for line in above), default=record.span[0])


CHECK = Check(
    code="CF306",
    name="groups-run-together",
    severities=Severities(rfc=Severity.INFO, yandex=Severity.INFO),
    title="Groups without a blank line between them",
    message="{count|group has|groups have} no blank line before the first `User-agent` line",
    why="In RFC 9309, a `User-agent` line after a rule starts a new group. In the 1994 and 1996 standards, blank "
    "lines separate groups, and Yandex expects them.",
    how_to_fix="Leave a blank line before each group.",
    source="A Standard for Robot Exclusion, 1994; Yandex Webmaster, robots.txt",
    bad=LintInput(b"User-agent: FooBot\nDisallow: /a/\nUser-agent: BarBot\nDisallow: /b/\n"),
    good=LintInput(b"User-agent: FooBot\nDisallow: /a/\n\nUser-agent: BarBot\nDisallow: /b/\n"),
    find=find,
    fixable=True,
)
