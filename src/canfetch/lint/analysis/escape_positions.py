"""The percent-escapes in a value."""

from collections.abc import Iterator

from canfetch.core.text import HEX_DIGITS


def find_escapes(value: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the offset of each `%` that two hex digits follow, and these digits.

    Cost: O(bytes).
    """
    start = value.find(b"%")
    while start >= 0:
        digits = value[start + 1 : start + 3]
        is_escape = len(digits) == 2 and not digits.translate(None, HEX_DIGITS)
        if is_escape:
            yield start, digits
        start = value.find(b"%", start + (3 if is_escape else 1))
