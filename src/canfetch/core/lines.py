"""The physical lines of a file.

1. A line ends with LF, CR, CRLF or the end of the file, and with nothing else.
2. The byte order mark and the lines, with their line ends, add up to the file.

Source: RFC 9309 section 2.2 (NL); google/robotstxt for the partial byte order mark, the limit and NUL.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.core.profiles import Profile

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A physical line.

    Attributes:
        number: The line number, from 1.
        start: The offset of the first byte. The first line starts after a byte order mark.
        content_end: The offset after the content, without the line end.
        end: The offset after the line end.
    """

    number: int
    start: int
    content_end: int
    end: int


def byte_order_mark_length(content: bytes, profile: Profile) -> int:
    """Return the length of the byte order mark: 0 or 3, or 1 or 2 if the profile skips parts of one."""
    if content.startswith(BYTE_ORDER_MARK):
        return 3
    if profile.partial_bom:
        if content.startswith(BYTE_ORDER_MARK[:2]):
            return 2
        if content.startswith(BYTE_ORDER_MARK[:1]):
            return 1
    return 0


def iter_lines(content: bytes, profile: Profile) -> Iterator[Line]:
    """Yield the physical lines.

    Cost: O(bytes).
    """
    start = byte_order_mark_length(content, profile)
    for number, line in enumerate(content[start:].splitlines(keepends=True), 1):
        end = start + len(line)
        yield Line(number, start, start + len(line.rstrip(b"\r\n")), end)
        start = end


def readable_part(content: bytes, profile: Profile) -> bytes:
    """Return the part of a line that the profile reads: up to its length limit, and up to the first NUL."""
    if profile.max_line_bytes:
        content = content[: profile.max_line_bytes]
    if profile.nul_ends_line:
        content = content.partition(b"\0")[0]
    return content
