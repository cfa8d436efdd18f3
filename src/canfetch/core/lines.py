"""Octets become physical lines.

1. A line ends by LF, CR, CRLF or the end of the octets, and by nothing else.
2. The lines of a file, ends and byte order mark included, are its octets.

Source: RFC 9309 section 2.2 (NL); google/robotstxt for the partial byte order mark, the limit and NUL.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.core.profiles import Profile

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A physical line: its number from 1, its span, and where its content ends.

    `start` and `end` are octet offsets, half open, with the line end included; the content is
    `start` to `content_end`. The first line starts behind a byte order mark.
    """

    number: int
    start: int
    content_end: int
    end: int


def byte_order_mark_length(octets: bytes, profile: Profile) -> int:
    """Count the octets of a byte order mark at the start: 0 or 3, or 1 and 2 where parts of one are skipped."""
    if octets.startswith(BYTE_ORDER_MARK):
        return 3
    if profile.partial_bom:
        if octets.startswith(BYTE_ORDER_MARK[:2]):
            return 2
        if octets.startswith(BYTE_ORDER_MARK[:1]):
            return 1
    return 0


def iter_lines(octets: bytes, profile: Profile) -> Iterator[Line]:
    """Yield the physical lines.

    Cost: O(octets).
    """
    start = byte_order_mark_length(octets, profile)
    for number, line in enumerate(octets[start:].splitlines(keepends=True), 1):
        end = start + len(line)
        yield Line(number, start, start + len(line.rstrip(b"\r\n")), end)
        start = end


def readable_part(content: bytes, profile: Profile) -> bytes:
    """Cut what the profile does not read of a line: octets over its limit, and from the first NUL on."""
    if profile.max_line_bytes:
        content = content[: profile.max_line_bytes]
    if profile.nul_ends_line:
        content = content.partition(b"\0")[0]
    return content
