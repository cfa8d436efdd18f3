"""An invisible character."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.records import Record
from canfetch.core.text import WHITE_SPACE
from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# Each with its name; those that are blanks may stand for a space.
_UNSEEN: Final = {
    "\u200b".encode(): "zero-width space",
    "\u200c".encode(): "zero-width non-joiner",
    "\u200d".encode(): "zero-width joiner",
    "\u2060".encode(): "word joiner",
    "\ufeff".encode(): "byte order mark",
    "\u00ad".encode(): "soft hyphen",
    "\u200e".encode(): "left-to-right mark",
    "\u200f".encode(): "right-to-left mark",
    "\u202a".encode(): "bidirectional mark",
    "\u202b".encode(): "bidirectional mark",
    "\u202c".encode(): "bidirectional mark",
    "\u202d".encode(): "bidirectional mark",
    "\u202e".encode(): "bidirectional mark",
    "\u2066".encode(): "bidirectional mark",
    "\u2067".encode(): "bidirectional mark",
    "\u2068".encode(): "bidirectional mark",
    "\u2069".encode(): "bidirectional mark",
    "\u2028".encode(): "line separator",
    "\u2029".encode(): "paragraph separator",
}
_BLANKS: Final = {
    "\u00a0".encode(): "no-break space",
    "\u2007".encode(): "figure space",
    "\u202f".encode(): "narrow no-break space",
    "\u3000".encode(): "ideographic space",
}
_ALL: Final = {**_UNSEEN, **_BLANKS}
_MOST_IN_LINE: Final = 64


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Look at what stands before the comment of each line."""
    present = [mark for mark in _ALL if mark in file.content]
    if not present or file_is_markup(file):
        return
    for record in file.records:
        start, end = record.span
        line = file.content[start:end]
        if line.isascii():
            continue
        content = line.partition(b"#")[0]
        places = sorted((at, mark) for mark in present for at in _places(content, mark))
        if places:
            at, mark = places[0]
            yield Occurrence(
                (start + at, start + at + len(mark)),
                {"name": _ALL[mark]},
                fix=_fix(file, record, content, places),
            )


def _places(content: bytes, mark: bytes) -> Iterator[int]:
    place = content.find(mark)
    while place >= 0:
        yield place
        place = content.find(mark, place + len(mark))


def _fix(file: LintedFile, record: Record, content: bytes, places: list[tuple[int, bytes]]) -> Fix | None:
    start, end = record.span
    if len(places) > _MOST_IN_LINE or file.content[start:end].startswith(b"#"):
        return None
    edges = _edges(content)
    if any(mark in _BLANKS and edges[0] < at < edges[1] and not _at_colon(content, at, mark) for at, mark in places):
        return None  # within a path, a space may be meant
    return Fix(tuple(Edit(start + at, start + at + len(mark), b"") for at, mark in places), changes_verdicts=True)


def _edges(content: bytes) -> tuple[int, int]:
    """Give where what can be seen begins and ends."""
    left, right = content, content
    marks = tuple(_ALL)
    while True:
        bare = left.lstrip(WHITE_SPACE)
        mark = next((mark for mark in marks if bare.startswith(mark)), b"")
        left = bare[len(mark) :]
        if not mark:
            break
    while True:
        bare = right.rstrip(WHITE_SPACE)
        mark = next((mark for mark in marks if bare.endswith(mark)), b"")
        right = bare[: len(bare) - len(mark)]
        if not mark:
            break
    return len(content) - len(left) - 1, len(right)


def _at_colon(content: bytes, at: int, mark: bytes) -> bool:
    before = content[:at].rstrip(WHITE_SPACE)
    return before.endswith(b":") or content[at + len(mark) :].lstrip(WHITE_SPACE).startswith(b":")


CHECK = Check(
    code="CF112",
    name="invisible-character",
    severities=everywhere(Severity.ERROR),
    title="An invisible character",
    message="the line contains an invisible character: {name}",
    why="Such characters often come from text that was copied from a web page. A key that contains one is unknown, "
    "and a path that contains one matches nothing.",
    how_to_fix="Remove the character, or type the line again.",
    source="RFC 9309 section 2.2",
    bad=LintInput("User-agent: *\n\u200bDisallow: /private/\n".encode()),
    good=LintInput(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
