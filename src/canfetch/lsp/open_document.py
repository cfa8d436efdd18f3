"""Documents that an editor has open: their text, kept up to date by incremental changes, and snapshots of it.

Lines end with LF, CR or CRLF, as in the Language Server Protocol and in robots.txt files. Other characters that Python
treats as line ends, such as U+2028 and form feed, are part of a line.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final, NamedTuple

from canfetch.core.text import encode_text
from canfetch.lsp.position_encoding import LineColumns, index_at_column

# With the line end. The last match is empty if the text is empty or ends with a line end.
_LINES: Final = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")


class Place(NamedTuple):
    """A position as editors count: line and column from 0, the column in the units of the position encoding."""

    line: int
    column: int


class Span(NamedTuple):
    """A half-open range of positions."""

    start: Place
    end: Place


class Snapshot:
    """The text of a document at one moment, and its positions. Immutable, and safe to use in another thread.

    Attributes:
        uri: The document's URI.
        version: The version that the editor assigned.
        revision: A number that grows with each change on the server.
        lines: The lines, with their line ends. The last one has none, and may be empty.
        encoding: The position encoding.
    """

    def __init__(self, uri: str, version: int, revision: int, lines: Sequence[str], encoding: str) -> None:
        self.uri = uri
        self.version = version
        self.revision = revision
        self.lines = tuple(lines)
        self.encoding = encoding
        self._columns: dict[int, LineColumns] = {}

    @cached_property
    def text(self) -> str:
        """The text of the document."""
        return "".join(self.lines)

    @cached_property
    def content(self) -> bytes:
        """The text as bytes."""
        return encode_text(self.text)

    @cached_property
    def _line_starts(self) -> list[int]:
        lengths = map(len, self.lines) if self.text.isascii() else (len(encode_text(line)) for line in self.lines)
        return [0, *accumulate(lengths)][:-1]

    def place(self, offset: int) -> Place:
        """Return the position of a byte offset of `content`."""
        starts = self._line_starts
        line = max(bisect_right(starts, offset) - 1, 0)
        text = self.lines[line]
        columns = self._columns.get(line)
        if columns is None:
            columns = self._columns[line] = LineColumns(text.rstrip("\r\n"), self.encoding)
        content_bytes = len(text.rstrip("\r\n")) if text.isascii() else len(encode_text(text.rstrip("\r\n")))
        # Positions inside a line break do not exist.
        return Place(line, columns.column_at(min(offset - starts[line], content_bytes)))

    def span(self, start: int, end: int) -> Span:
        """Return the range of a half-open span of bytes.

        A span that includes a line break ends at the start of the next line.
        """
        return Span(self.place(start), self.place(end))

    def offset(self, line: int, column: int) -> int:
        """Return the byte offset of a position. A position outside the document is the nearest one inside."""
        if line < 0:
            return 0
        if line >= len(self.lines):
            return len(self.content)
        text = self.lines[line]
        index = index_at_column(text, column, self.encoding)
        return self._line_starts[line] + (index if text.isascii() else len(encode_text(text[:index])))

    def column(self, line: int, index: int) -> int:
        """Return the column of the character at an index of a line."""
        return self.place(self._line_starts[line] + len(encode_text(self.lines[line][:index]))).column

    def line_start(self, line: int) -> int:
        """Return the byte offset of the start of a line, or the end of the document. Lines count from 0."""
        return self._line_starts[line] if line < len(self.lines) else len(self.content)

    def line_span(self, line: int) -> Span:
        """Return the range of a line without its line end. Lines count from 0."""
        start = self.line_start(line)
        return self.span(start, start + len(encode_text(self.lines[line].rstrip("\r\n"))))


class OpenDocument:
    """A document that is open in an editor.

    Args:
        uri: The document's URI.
        language_id: The editor's name for the language.
        version: The version that the editor assigned.
        text: The text.
    """

    def __init__(self, uri: str, language_id: str, version: int, text: str) -> None:
        self.uri = uri
        self.language_id = language_id
        self.version = version
        self.revision = 0
        self._lines = split_lines(text)

    def replace_all(self, text: str) -> None:
        """Replace the whole text."""
        self._lines = split_lines(text)
        self.revision += 1

    def replace(self, start: Place, end: Place, text: str, encoding: str) -> None:
        """Replace a range. Positions outside the document are the nearest ones inside.

        Cost: O(lines) to move the lines behind, and O(characters) of the changed lines.
        """
        first, before = self._position(start, encoding)
        last, after = self._position(max(start, end), encoding)
        new = self._lines[first][:before] + text + self._lines[last][after:]
        # A CR and an LF that become neighbours are one line end.
        if first and new.startswith("\n") and self._lines[first - 1].endswith("\r"):
            first -= 1
            new = self._lines[first] + new
        if last + 1 < len(self._lines) and new.endswith("\r") and self._lines[last + 1].startswith("\n"):
            last += 1
            new += self._lines[last]
        lines = split_lines(new)
        # The line after these has its own text.
        if last + 1 < len(self._lines) and not lines[-1]:
            lines.pop()
        self._lines[first : last + 1] = lines
        self.revision += 1

    def _position(self, place: Place, encoding: str) -> tuple[int, int]:
        if place.line < 0:
            return 0, 0
        if place.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        return place.line, index_at_column(self._lines[place.line], place.column, encoding)

    @property
    def length(self) -> int:
        """The number of characters.

        Cost: O(lines).
        """
        return sum(map(len, self._lines))

    def snapshot(self, encoding: str) -> Snapshot:
        """Return the current text.

        Cost: O(lines).
        """
        return Snapshot(self.uri, self.version, self.revision, self._lines, encoding)


def split_lines(text: str) -> list[str]:
    """Return the lines with their line ends. The last line has none, and may be empty.

    Cost: O(characters).
    """
    lines = _LINES.findall(text)
    # After a last line without a line end, the expression also matches the empty rest.
    if len(lines) > 1 and not lines[-1] and not lines[-2].endswith(("\r", "\n")):
        lines.pop()
    return lines
