"""Escapes in a value: where they are, and which octet each stands for."""

from collections.abc import Iterator

from canfetch.core.text import HEX_DIGITS


def find_escapes(value: bytes) -> Iterator[tuple[int, bytes]]:
    """Give the place of each `%` that two hex digits follow, and these.

    Cost: O(octets).
    """
    place = value.find(b"%")
    while place >= 0:
        digits = value[place + 1 : place + 3]
        is_escape = len(digits) == 2 and not digits.translate(None, HEX_DIGITS)
        if is_escape:
            yield place, digits
        place = value.find(b"%", place + (3 if is_escape else 1))
