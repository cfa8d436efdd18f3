"""Unified diffs of robots.txt files."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.cli.linting.line_diff import Change, find_changes
from canfetch.cli.shared.terminal import printable
from canfetch.core.text import display_text

# The unchanged lines around each change.
_CONTEXT: Final = 3
_NO_LINE_END: Final = "\\ No newline at end of file\n"


class _Line(NamedTuple):
    """A line without its line end, and whether it has one."""

    text: bytes
    has_end: bool


def diff_lines(name: str, before: bytes, after: bytes) -> Iterator[str]:
    """Yield the lines of a unified diff, each with a line end, with as few changed lines as possible.

    Line ends that are replaced by others are not shown.

    Cost: As `find_changes`.
    """
    old, new = _split(before), _split(after)
    changes = find_changes(old, new)
    if changes:
        yield f"--- {printable(name)}\n"
        yield f"+++ {printable(name)}\n"
    for hunk in _hunks(changes):
        old_start, new_start = max(hunk[0].old_start - _CONTEXT, 0), max(hunk[0].new_start - _CONTEXT, 0)
        old_end = min(hunk[-1].old_end + _CONTEXT, len(old))
        new_end = min(hunk[-1].new_end + _CONTEXT, len(new))
        yield f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@\n"
        line = old_start
        for change in hunk:
            yield from _marked(" ", old[line : change.old_start])
            yield from _marked("-", old[change.old_start : change.old_end])
            yield from _marked("+", new[change.new_start : change.new_end])
            line = change.old_end
        yield from _marked(" ", old[line:old_end])


def _split(content: bytes) -> list[_Line]:
    lines = [_Line(text, has_end=True) for text in content.splitlines()]
    if lines and not content.endswith((b"\n", b"\r")):
        lines[-1] = lines[-1]._replace(has_end=False)
    return lines


def _hunks(changes: list[Change]) -> Iterator[list[Change]]:
    """Yield the changes whose context lines touch or overlap together."""
    hunk: list[Change] = []
    for change in changes:
        if hunk and change.old_start - hunk[-1].old_end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _range(start: int, end: int) -> str:
    # An empty range is after the line with the given number.
    length = end - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def _marked(mark: str, lines: list[_Line]) -> Iterator[str]:
    for text, has_end in lines:
        yield f"{mark}{printable(display_text(text))}\n"
        if not has_end:
            yield _NO_LINE_END
