"""Byte offsets of elements: before parsing, each start tag of interest gets an attribute with its offset.

lxml does not report the position of an element. So `<meta` becomes `<meta data-canfetch-offset=17 ` before the page is
parsed. In a tag, the marker is the first attribute, so a later attribute of the same name does not replace it. In text,
comments and scripts, the marker stays text. It contains no quotation mark, so it never ends an attribute value that
it is inserted into.
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

OFFSET_ATTRIBUTE: Final = "data-canfetch-offset"
_ENCODED_ATTRIBUTE: Final = OFFSET_ATTRIBUTE.encode()
_NAME_ENDS: Final = frozenset(b"\t\n\f\r />")


def mark_start_tags(html: bytes, names: Iterable[bytes]) -> bytes:
    """Insert the offset attribute into every start tag with one of these names.

    Args:
        html: A page in an encoding that is a superset of ASCII.
        names: Element names, in lower case.
    Cost: O(bytes times names).
    """
    lower = html.lower()
    tags = sorted(tag for name in names for tag in _start_tags(lower, b"<" + name))
    pieces: list[bytes] = []
    start = 0
    for tag_start, name_end in tags:
        pieces += (html[start:name_end], b" %b=%d " % (_ENCODED_ATTRIBUTE, tag_start))
        start = name_end
    pieces.append(html[start:])
    return b"".join(pieces)


def remove_markers(text: str) -> str:
    """Return the text of a script as written, without the markers that it may contain.

    Cost: O(characters).
    """
    first, *rest = text.split(f" {OFFSET_ATTRIBUTE}=")
    return first + "".join(part.lstrip("0123456789")[1:] for part in rest)


def _start_tags(lower: bytes, tag: bytes) -> Iterable[tuple[int, int]]:
    """Yield the start and the end of each `<name` that is not the beginning of a longer name."""
    length, total = len(tag), len(lower)
    start = lower.find(tag)
    while start >= 0:
        end = start + length
        if end < total and lower[end] in _NAME_ENDS:
            yield start, end
        start = lower.find(tag, end)


class LineIndex:
    """The lines of a page, which end with CR LF, CR or LF.

    Cost: O(bytes) to build.
    """

    def __init__(self, html: bytes) -> None:
        self._ends = _line_ends(html)

    def line_at(self, offset: int) -> int:
        """Return the number of the line that contains a byte offset, from 1."""
        return 1 + bisect_right(self._ends, offset)


def _line_ends(html: bytes) -> list[int]:
    """Return the offsets after each line end, in order."""
    ends = []
    offset = 0
    for line in html.splitlines(keepends=True):
        # Unlike str, bytes are split at CR LF, CR and LF only.
        offset += len(line)
        ends.append(offset)
    if html[-1:] not in {b"\r", b"\n"} and ends:
        ends.pop()
    return ends
