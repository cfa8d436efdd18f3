"""The units in which an editor counts columns: bytes of UTF-8, code units of UTF-16, or code points.

Bytes that are not valid UTF-8 are surrogates from U+DC80 to U+DCFF in text, as in `canfetch.core.text`. Each counts as
one unit in every encoding, which is how editors count them.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import Final

from canfetch.core.text import encode_text

UTF_16: Final = "utf-16"
UTF_32: Final = "utf-32"
_FIRST_BYTE: Final = "\udc80"
_LAST_BYTE: Final = "\udcff"


def character_units(character: str, encoding: str) -> int:
    """Return the number of units of one character."""
    if encoding == UTF_32 or _FIRST_BYTE <= character <= _LAST_BYTE:
        return 1
    if encoding == UTF_16:
        return 2 if character > "\uffff" else 1
    return len(encode_text(character))


def index_at_column(line: str, column: int, encoding: str) -> int:
    """Return the index of the character at a column.

    A column past the end is the end of the line, before its line break. A column inside a character is its start.

    Cost: O(characters), or O(1) if the line is ASCII.
    """
    end = len(line.rstrip("\r\n"))
    if encoding == UTF_32 or line.isascii():
        return min(max(column, 0), end)
    units = 0
    for index in range(end):
        units += character_units(line[index], encoding)
        if units > column:
            return index
    return end


class LineColumns:
    """The columns of one line at the byte offsets of its characters."""

    __slots__ = ("_bytes", "_units")

    def __init__(self, line: str, encoding: str) -> None:
        if line.isascii():
            self._bytes: list[int] | None = None
            self._units: list[int] | None = None
        else:
            # Computed once, because a long line can have many findings.
            self._bytes = [0, *accumulate(len(encode_text(character)) for character in line)]
            self._units = [0, *accumulate(character_units(character, encoding) for character in line)]

    def column_at(self, offset: int) -> int:
        """Return the column of the character that contains the byte at an offset from the start of the line."""
        if self._bytes is None or self._units is None:
            return offset
        return self._units[max(bisect_right(self._bytes, offset) - 1, 0)]
