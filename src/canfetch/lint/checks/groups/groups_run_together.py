"""Groups without a blank line between them."""

from collections.abc import Iterator
from itertools import takewhile

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
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
    has_breaks = has_text_line_break(file.content)
    records = file.records
    for index in records.of_kinds(RecordKind.USER_AGENT):
        if _is_directly_below_rule(file, index):
            record = records[index]
            read_by_all = not record.notes & _AMBIGUOUS_AGENT and _follows_read_rule(file, index, has_breaks=has_breaks)
            yield _start_with_comments(file, index), record, read_by_all


def _is_directly_below_rule(file: LintedFile, index: int) -> bool:
    """Return whether a rule is above a line, with neither a blank line nor a user-agent line between them."""
    records = file.records
    for above in range(index - 1, -1, -1):
        kind = records.kind(above)
        if kind in _RULES:
            return True
        if kind is RecordKind.USER_AGENT or (kind is None and file.is_blank(records[above])):
            return False
    return False


def _follows_read_rule(file: LintedFile, end: int, *, has_breaks: bool) -> bool:
    """Return whether every parser reads a rule of the group above a line.

    A parser that ignores the last rules of a group would merge its user-agent lines with the next ones.
    """
    for index in range(end - 1, -1, -1):
        record = file.records[index]
        if record.kind is RecordKind.USER_AGENT or (has_breaks and _is_broken_comment(file, record)):
            return False
        if (
            record.kind is RecordKind.DISALLOW
            and record.group is not None
            and (record.notes is Note.NONE or not record.notes & _AMBIGUOUS_RULE)
        ):
            return True
    return False


def _is_comment(record: Record) -> bool:
    return record.kind is None and (record.notes is Note.NONE or Note.NOT_A_RECORD not in record.notes)


def _is_broken_comment(file: LintedFile, record: Record) -> bool:
    return _is_comment(record) and has_text_line_break(file.line_content(record))


def _start_with_comments(file: LintedFile, index: int) -> int:
    # Comments directly above a group belong to it.
    records = file.records
    above = takewhile(_is_comment, map(records.__getitem__, range(index - 1, -1, -1)))
    return min((line.span[0] for line in above), default=records[index].span[0])


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
