"""Byte offsets of elements: each start tag that is looked for gets an attribute with its offset before parsing."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

OFFSET_ATTRIBUTE: Final = "data-canfetch-offset"
_OFFSET_ATTRIBUTE_BYTES: Final = OFFSET_ATTRIBUTE.encode()
_NAME_ENDS: Final = frozenset(b"\t\n\f\r />")


def marked(octets: bytes, names: Iterable[bytes]) -> bytes:
    """Mark the start tags of these names.

    Args:
        octets: a page in an encoding above ASCII.
        names: of elements, in lower case.
    Cost: O(octets times names).
    """
    lower = octets.lower()
    places = sorted(place for name in names for place in _start_tags(lower, b"<" + name))
    pieces: list[bytes] = []
    start = 0
    for tag_start, name_end in places:
        pieces += (octets[start:name_end], b" %b=%d " % (_OFFSET_ATTRIBUTE_BYTES, tag_start))
        start = name_end
    pieces.append(octets[start:])
    return b"".join(pieces)


def _start_tags(lower: bytes, tag: bytes) -> Iterable[tuple[int, int]]:
    """Yield where each `<name` begins and ends that is no beginning of a longer name."""
    length, octets = len(tag), len(lower)
    place = lower.find(tag)
    while place >= 0:
        end = place + length
        if end < octets and lower[end] in _NAME_ENDS:
            yield place, end
        place = lower.find(tag, end)


class Lines:
    """The lines of a page: CR LF, CR and LF end one.

    Cost: O(octets) to make.
    """

    def __init__(self, octets: bytes) -> None:
        self._ends = _ends(octets)

    def line_of(self, octet: int) -> int:
        """Give the line that an octet stands in, from 1."""
        return 1 + bisect_right(self._ends, octet)


def _ends(octets: bytes) -> list[int]:
    """Give the places behind line ends, in order."""
    ends = []
    position = 0
    for line in octets.splitlines(keepends=True):
        # Unlike str, bytes end lines at CR LF, CR and LF alone.
        position += len(line)
        ends.append(position)
    if octets[-1:] not in {b"\r", b"\n"} and ends:
        ends.pop()
    return ends
