"""Edits that turn the text of a document into another one, as small as possible.

Small edits keep the cursor, the marks and the undo history of the editor.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from canfetch.core.text import encode_text
from canfetch.lsp.open_document import Snapshot, Span, split_lines

# More lines than this are replaced as one block, because a comparison takes quadratic time.
_MAX_COMPARED_LINES: Final = 1000


class NewText(NamedTuple):
    """Replaces a range of the document."""

    span: Span
    text: str


class _Hunk(NamedTuple):
    """Lines from `start` to `end` of the document, and the lines that replace them."""

    start: int
    end: int
    new: Sequence[str]


def replace_bytes(snapshot: Snapshot, start: int, end: int, replacement: bytes) -> NewText | None:
    """Return the edit that replaces a span of bytes, or None if editors cannot represent the replacement.

    Positions between CR and LF do not exist, so that such a span is extended.
    """
    content = snapshot.content
    if start and content[start - 1 : start + 1] == b"\r\n":
        start -= 1
        replacement = b"\r" + replacement
    if end and content[end - 1 : end + 1] == b"\r\n":
        end += 1
        replacement += b"\n"
    try:
        return NewText(snapshot.span(start, end), replacement.decode())
    except UnicodeDecodeError:
        return None


def line_edits(snapshot: Snapshot, text: str, *, keep_line_ends: bool = False) -> list[NewText] | None:
    """Return the edits that turn a document into `text`, or None if editors cannot represent one of them.

    Args:
        snapshot: The document.
        text: The new text.
        keep_line_ends: Use the line end of the document for all lines, if it has only one kind.
    Cost: O(characters), and O(lines squared) for up to a thousand lines that are not in the same order.
    """
    new = split_lines(text)
    if keep_line_ends:
        new = _with_line_ends(new, snapshot.lines)
    edits = [edit for hunk in _hunks(snapshot.lines, new) for edit in _hunk_edits(snapshot, hunk)]
    return None if any(_has_surrogates(edit.text) for edit in edits) else edits


def _has_surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def line_end_of(line: str) -> str:
    """Return the line end of a line, or an empty string."""
    return line[len(line.rstrip("\r\n")) :]


def _with_line_ends(new: list[str], old: Sequence[str]) -> list[str]:
    ends = {line_end_of(line) for line in old[:-1]}
    if len(ends) != 1:
        return new
    (end,) = ends
    return [line.rstrip("\r\n") + (end if line_end_of(line) else "") for line in new]


def _is_blank(line: str) -> bool:
    return not line.strip(" \t\r\n")


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[_Hunk]:
    old_full = [index for index, line in enumerate(old) if not _is_blank(line)]
    new_full = [index for index, line in enumerate(new) if not _is_blank(line)]
    if len(old_full) != len(new_full):
        yield from _compared(old, new)
        return
    # The usual case: the same lines in the same order, perhaps written differently, and other blank lines.
    last_old = last_new = 0
    for old_index, new_index in zip(old_full, new_full, strict=True):
        yield _Hunk(last_old, old_index, new[last_new:new_index])
        yield _Hunk(old_index, old_index + 1, new[new_index : new_index + 1])
        last_old, last_new = old_index + 1, new_index + 1
    yield _Hunk(last_old, len(old), new[last_new:])


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[_Hunk]:
    limit = min(len(old), len(new))
    head = next((index for index in range(limit) if old[index] != new[index]), limit)
    limit -= head
    tail = next((index for index in range(limit) if old[-1 - index] != new[-1 - index]), limit)
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(middle_old), len(middle_new)) > _MAX_COMPARED_LINES:
        yield _Hunk(head, head + len(middle_old), middle_new)
        return
    matcher = SequenceMatcher(a=middle_old, b=middle_new, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag != "equal":
            yield _Hunk(head + start, head + end, middle_new[new_start:new_end])


def _hunk_edits(snapshot: Snapshot, hunk: _Hunk) -> Iterator[NewText]:
    old = snapshot.lines[hunk.start : hunk.end]
    if list(old) == list(hunk.new):
        return
    if len(old) != len(hunk.new):
        start = snapshot.line_start(hunk.start)
        end = snapshot.line_start(hunk.end)
        yield NewText(snapshot.span(start, end), "".join(hunk.new))
        return
    for number, (before, after) in enumerate(zip(old, hunk.new, strict=True), hunk.start):
        if before != after:
            yield _line_edit(snapshot, number, before, after)


def _line_edit(snapshot: Snapshot, number: int, before: str, after: str) -> NewText:
    same_end = line_end_of(before) == line_end_of(after)
    if same_end:
        before, after = before.rstrip("\r\n"), after.rstrip("\r\n")
    limit = min(len(before.rstrip("\r\n")), len(after.rstrip("\r\n")))
    head = next((index for index in range(limit) if before[index] != after[index]), limit)
    limit = limit - head if same_end else 0
    tail = next((index for index in range(limit) if before[-1 - index] != after[-1 - index]), limit)
    start = snapshot.line_start(number)
    span = snapshot.span(
        start + len(encode_text(before[:head])), start + len(encode_text(before[: len(before) - tail]))
    )
    return NewText(span, after[head : len(after) - tail])
