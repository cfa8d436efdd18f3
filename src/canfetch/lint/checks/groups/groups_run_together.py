"""Groups without a blank line between them."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.lint.analysis.characters import has_text_line_break
from canfetch.lint.analysis.line_fixes import line_end
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_RULES = (RecordKind.ALLOW, RecordKind.DISALLOW)
_AMBIGUOUS_RULE = (
    Note.OUTSIDE_GRAMMAR | Note.MISSPELT_KEY | Note.MISSING_COLON | Note.NUL | Note.CONTROL | Note.NOT_UTF8
)
_AMBIGUOUS_AGENT = Note.MISSPELT_KEY | Note.MISSING_COLON | Note.NUL | Note.CONTROL
_CR: Final = 0x0D
# A file can have tens of thousands of groups.
_new_tuple: Final = tuple.__new__


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find groups that start without a blank line before them, and report the first."""
    starts = [index for index in file.user_agents if _is_directly_below_rule(file, index)]
    if not starts:
        return
    blank = line_end(file)
    places = [_start_with_comments(file, index) for index in starts]
    # After a CR, an LF would only complete the line end.
    after_cr = b"\r\n" if blank == b"\n" else blank
    edits = [(place, place, after_cr if file.content[place - 1] == _CR else blank) for place in places]
    is_harmless = _all_read_by_all(file, starts)
    yield Occurrence(
        file.text_span(file.records[starts[0]]),
        {"count": str(len(starts))},
        fix=Fix(tuple([_new_tuple(Edit, edit) for edit in edits]), changes_verdicts=not is_harmless),
    )


def _all_read_by_all(file: LintedFile, starts: list[int]) -> bool:
    """Return whether all parsers start a group at each of these user-agent lines."""
    has_breaks = has_text_line_break(file.content)
    return all(
        not _has_note(file, index, _AMBIGUOUS_AGENT) and _follows_read_rule(file, index, has_breaks=has_breaks)
        for index in starts
    )


def _has_note(file: LintedFile, index: int, notes: Note) -> bool:
    found = file.records.notes(index)
    # The truth value of a flag is slow, and most lines have no notes.
    return found is not Note.NONE and bool(found & notes)


def _is_directly_below_rule(file: LintedFile, index: int) -> bool:
    """Return whether a rule is above a line, with neither a blank line nor a user-agent line between them."""
    records = file.records
    for above in range(index - 1, -1, -1):
        kind = records.kind(above)
        if kind in _RULES:
            return True
        if kind is RecordKind.USER_AGENT or (kind is None and file.is_blank(above)):
            return False
    return False


def _follows_read_rule(file: LintedFile, end: int, *, has_breaks: bool) -> bool:
    """Return whether every parser reads a rule of the group above a line.

    A parser that ignores the last rules of a group would merge its user-agent lines with the next ones.
    """
    records = file.records
    for index in range(end - 1, -1, -1):
        kind = records.kind(index)
        if kind is RecordKind.USER_AGENT or (has_breaks and _is_broken_comment(file, index)):
            return False
        if (
            kind is RecordKind.DISALLOW
            and not _has_note(file, index, _AMBIGUOUS_RULE)
            and records.group(index) is not None
        ):
            return True
    return False


def _is_comment(file: LintedFile, index: int) -> bool:
    return file.records.kind(index) is None and not _has_note(file, index, Note.NOT_A_RECORD)


def _is_broken_comment(file: LintedFile, index: int) -> bool:
    return _is_comment(file, index) and has_text_line_break(file.line_content(file.records[index]))


def _start_with_comments(file: LintedFile, index: int) -> int:
    # Comments directly above a group belong to it.
    first = index
    while first > 0 and _is_comment(file, first - 1):
        first -= 1
    return file.records.starts[first]


CHECK = Check(
    code="CF306",
    name="groups-run-together",
    severities=Severities(rfc=Severity.INFO, yandex=Severity.INFO),
    title="Groups without a blank line between them",
    message="{count|group has|groups have} no blank line before the first `User-agent` line",
    why="In RFC 9309, a `User-agent` line after a rule starts a new group. In the 1994 standard and the 1996 draft, "
    "blank lines separate groups, and Yandex expects them.",
    how_to_fix="Leave a blank line before each group.",
    source="A Standard for Robot Exclusion, 1994; Yandex Webmaster, robots.txt",
    bad=b"User-agent: FooBot\nDisallow: /a/\nUser-agent: BarBot\nDisallow: /b/\n",
    good=b"User-agent: FooBot\nDisallow: /a/\n\nUser-agent: BarBot\nDisallow: /b/\n",
    find=find,
    fixable=True,
)
