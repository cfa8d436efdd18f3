"""The lines of a CSV file as text, many at once within a quoted cell."""

import csv
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, Self

# `peek` may return more or fewer bytes.
_PEEK_BYTES: Final = 1 << 16
# Two quotes are one quote of the cell.
_QUOTED: Final = re.compile(rb'[^"]*(?:""[^"]*)*')
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


class LongLine(csv.Error):
    """Raised within a row whose line is too long. `row` of the lines has its first part."""


class TextLines:
    """Lines as text, some of which can be read again. A line that is too long is in parts.

    Within a row that was started, all lines before the end of a quoted cell are returned at once, because only such a
    cell has several lines. So the time for a cell hardly depends on its number of lines.

    Args:
        lines: The lines of the stream. Only the last part of a line has its end.
        stream: A stream with `peek`, at the end of the last of these lines.
        advance: Called with the number of bytes that were read from the stream.

    Attributes:
        number: The number of the last line, from 1.
        row: The text of the row that was started, as far as it has been read. The first text is its first line.
        is_ended: Whether the last line has an end.
        is_open: Whether the last text is not the end of its line.
        quotes: The number of quotes in the last line that was in parts.
        is_read: Whether all lines have been read.
    """

    def __init__(self, lines: Iterator[bytes], stream: Any, advance: Callable[[int], None]) -> None:
        self._lines = lines
        self._stream = stream
        self._advance = advance
        self._again: list[str] = []
        self.number = 0
        self.row: list[str] = []
        self._keeps_row = False
        self.is_ended = True
        self.is_open = False
        self.quotes = 0
        self.is_read = False

    def start_row(self) -> None:
        """Keep the lines that follow."""
        self.row, self._keeps_row = [], True

    def take_row(self) -> list[str]:
        """Return the text of the row, and keep no more of it: a cell without an end has all lines of a file."""
        row, self.row, self._keeps_row = self.row, [], False
        return row

    def read_again(self, texts: list[str]) -> None:
        """Read the last lines again, before those that follow."""
        self._again += reversed(texts)
        self.number -= sum(text.count("\n") for text in texts) + (self.is_open and bool(texts))
        self.is_read = self.is_open = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        text = self._next_block() if self.row else ""
        text = text or self._next_line()
        if self._keeps_row:
            self.row.append(text)
            if self.is_open and (self._again or self._stream.peek(1)):
                raise LongLine
        return text

    def next_of_cell(self) -> str:
        """Return the next line, or all lines of a quoted cell before that of its end; nothing at the end."""
        return self._next_block() or next(self, "")

    def skip_line(self) -> None:
        """Skip the rest of a line."""
        while self.is_open and next(self, ""):
            pass

    def _next_line(self) -> str:
        if self._again:
            text = self._again.pop()
            if "\n" in text[:-1]:
                self._again += reversed(_LINE.findall(text))
                text = self._again.pop()
        else:
            encoded = next(self._lines, None)
            if encoded is None:
                self.is_read = True
                raise StopIteration
            text = _decode(encoded)
        return self._count(text)

    def _next_block(self) -> str:
        """Return the next complete lines of a quoted cell, or nothing if its end or a long line comes next."""
        if self._again:
            return ""
        start = self._stream.peek(_PEEK_BYTES)
        found = _QUOTED.match(start)
        encoded = self._stream.read(start.rfind(b"\n", 0, 0 if found is None else found.end()) + 1)
        self._advance(len(encoded))
        return self._count(_decode(encoded)) if encoded else ""

    def _count(self, text: str) -> str:
        was_open, self.is_open = self.is_open, not text.endswith("\n")
        self.number += text.count("\n") + self.is_open - was_open
        if was_open or self.is_open:
            self.quotes = self.quotes * was_open + text.count('"')
        self.is_ended = text.endswith(("\n", "\r"))
        return text


def _decode(encoded: bytes) -> str:
    return encoded.decode("utf-8", "surrogateescape")
