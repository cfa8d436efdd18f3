"""Where rows of CSV start again after a broken row.

After a row that is not valid, there are two explanations: its first line is broken and rows start on the next line, or
the cell in which the error was found continues. Both are followed until they agree on the start of a row, or until one
of them is contradicted.
"""

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from canfetch.bulk.reading.csv_lines import TextLines

# Two quotes are one quote of the cell.
_QUOTED: Final = re.compile('[^"]*(?:""[^"]*)*')


class _State(Enum):
    START = 0  # of a cell
    PLAIN = 1
    QUOTED = 2
    QUOTE = 3  # in or after a quoted cell


class _Explanation:
    """Follows the lines of a table, and finds where rows start.

    Args:
        delimiter: The byte between cells.
        cells: The number of cells of each row.
        is_quoted: Whether the first line starts within a quoted cell, of a row that had any number of cells before.
    """

    def __init__(self, delimiter: str, cells: int, *, is_quoted: bool) -> None:
        self._delimiter = delimiter
        self._cells = cells
        self._count = 1
        self._is_first = self.is_quoted = is_quoted
        self._state = _State.QUOTED if is_quoted else _State.START
        self._end_of_plain = re.compile(f"[{re.escape(delimiter)}\n]")
        # Complete rows without quotes, and blank lines.
        cell = f'[^{re.escape(delimiter)}"\n]*'
        self._plain_rows = re.compile(f"(?:\n|{cell}(?:{re.escape(delimiter)}{cell}){{{cells - 1}}}\n)+")
        self.is_valid = True

    @property
    def is_row_start(self) -> bool:
        """Whether a row starts after the last line."""
        return self._state is _State.START and self._count == 1 and not self._is_first

    @property
    def is_in_quotes(self) -> bool:
        """Whether the next line is in a quoted cell."""
        return self._state is _State.QUOTED

    def follow(self, line: str) -> int:
        """Follow a line with its end, or the rest of one, and return the number of characters that are valid."""
        index = 0
        while index < len(line) and self.is_valid:
            # Most characters of a cell change nothing.
            if self._state is _State.QUOTED:
                found = _QUOTED.match(line, index)
                index = len(line) if found is None else found.end()
            elif self._state is _State.PLAIN:
                found = self._end_of_plain.search(line, index)
                index = -1 if found is None else found.start()
            elif self.is_row_start and (found := self._plain_rows.match(line, index)) is not None:
                index = found.end()
                continue
            if index < 0 or index == len(line):
                break
            self._follow(line[index])
            index += 1
        return len(line) if self.is_valid else index - 1

    def _follow(self, character: str) -> None:
        state = self._state
        if state is _State.QUOTED:
            self._state = _State.QUOTE if character == '"' else state
        elif character == self._delimiter:
            self._count += 1
            self._state = _State.START
        elif character == "\n":
            self._end_row()
        elif character == '"' and state is not _State.PLAIN:
            self._state = _State.QUOTED
        elif state is _State.QUOTE and character != "\r":
            self.is_valid = False
        elif state is _State.START:
            self._state = _State.PLAIN

    def _end_row(self) -> None:
        is_blank = self._count == 1 and self._state is _State.START
        expected = self._count <= self._cells if self._is_first else self._count == self._cells
        self.is_valid = is_blank or expected
        self._count, self._state, self._is_first = 1, _State.START, False


def has_row_end(row: Sequence[str], following: TextLines, delimiter: str, cells: int) -> bool | None:
    """Return whether the end of a row with a line that is too long was found; None if the table ends before.

    Args: row, following, delimiter, cells: As for `lines_to_read_again`.
    """
    explanation = _Explanation(delimiter, cells, is_quoted=False)
    for text in row:
        explanation.follow(text)
    while explanation.is_valid and not explanation.is_row_start:
        text = following.next_of_cell() if explanation.is_in_quotes else next(following, "")
        if not text:
            return None
        explanation.follow(text)
    # A row with the wrong number of cells has ended, too.
    return explanation.is_row_start


def lines_to_read_again(
    row: Sequence[str], following: TextLines, delimiter: str, cells: int, max_size: int
) -> list[str] | None:
    """Return the text after the first line of a broken row that is rows, or None if the table ends before.

    The other lines of the row are not rows, and neither are those that are taken from `following`.

    Args:
        row: The text of the row. The first item is its first line, and others may be several lines.
        following: The lines after them.
        delimiter: The byte between cells.
        cells: The number of cells of each row.
        max_size: The largest number of characters of a cell.
    """
    rows = _Explanation(delimiter, cells, is_quoted=False)
    again = list(row[1:])
    for line in again:
        rows.follow(line)
    rest = _after_error(row, delimiter, cells)
    # A row with the wrong number of cells has ended.
    cell = _Explanation(delimiter, cells, is_quoted=rest != "\n")
    cell.follow(rest if cell.is_quoted else "")
    size = sum(map(len, again))
    while not _is_decided(rows, cell):
        if not (rows.is_valid or cell.is_valid):
            following.skip_line()
            rows, cell = _Explanation(delimiter, cells, is_quoted=False), _Explanation(delimiter, cells, is_quoted=True)
            again, size = [], 0
        line = following.next_of_cell() if cell.is_valid and cell.is_in_quotes else next(following, "")
        size += len(line)
        if not line or size > max_size:
            again.append(line)
            # The quotes of a single line are in pairs, so that it is likely that no cell continues.
            is_likely = rows.is_valid and rows.is_row_start and len(row) == 1 and row[0].count('"') % 2 == 0
            if is_likely or not line:
                return again if is_likely and not (cell.is_valid and cell.is_row_start) else None
            rows.is_valid, again, size = False, [], 0
        if rows.is_valid:
            again.append(line)
            rows.follow(line)
        cell.follow(line)
    return again if rows.is_valid and not cell.is_valid else []


def _is_decided(rows: _Explanation, cell: _Explanation) -> bool:
    """Return whether the start of a row is known: both agree, or one is contradicted."""
    if not cell.is_valid:
        return rows.is_valid
    return cell.is_row_start and (not rows.is_valid or rows.is_row_start)


def _after_error(row: Sequence[str], delimiter: str, cells: int) -> str:
    """Return the rest of the line in which a row is not valid: that of a cell, if a quote in it is not its end."""
    explanation = _Explanation(delimiter, cells, is_quoted=False)
    for line in row:
        valid = explanation.follow(line)
        if not explanation.is_valid:
            return line[valid:]
    return ""
