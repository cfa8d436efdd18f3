"""The physical lines of a file.

1. A line ends with LF, CR, CRLF or the end of the file, and with nothing else.
2. The byte order mark and the lines, with their line ends, add up to the file.

Source: RFC 9309 section 2.2 (NL); google/robotstxt for the partial byte order mark, the limit and NUL.
"""

from typing import Final

from canfetch.core.profiles import Profile
from canfetch.core.text import bounded_text, display_text

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


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


def physical_lines(content: bytes, profile: Profile) -> tuple[int, list[bytes]]:
    """Return the offset of the first line, which is after a byte order mark, and all lines with their line ends.

    Cost: O(bytes).
    """
    start = byte_order_mark_length(content, profile)
    return start, content[start:].splitlines(keepends=True)


def line_text(line: bytes, max_bytes: int | None = None) -> str:
    """Return a line or a part of one for display. Tabs become spaces.

    Args: max_bytes: The limit of the text in bytes of UTF-8. A longer text is cut and ends in `…`. Default: no limit.
    """
    start = line if max_bytes is None else line[: max_bytes + 1]
    text = display_text(start.replace(b"\t", b" "))
    return text if max_bytes is None else bounded_text(text, max_bytes)


def readable_part(content: bytes, profile: Profile) -> bytes:
    """Return the part of a line that the profile reads: up to its length limit, and up to the first NUL."""
    if profile.max_line_bytes:
        content = content[: profile.max_line_bytes]
    if profile.nul_ends_line:
        content = content.partition(b"\0")[0]
    return content
