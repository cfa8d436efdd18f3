"""The key and the value of a line.

Source: RFC 9309 section 2.2; google/robotstxt, GetKeyAndValueFrom, for a missing colon.
"""

from typing import Final, NamedTuple

from canfetch.core.profiles import Profile

_new_tuple: Final = tuple.__new__


class Field(NamedTuple):
    """The spans of the key and the value, without surrounding white space, as offsets from the start of the line."""

    key_start: int
    key_end: int
    value_start: int
    value_end: int
    has_colon: bool


def parse_field(content: bytes, profile: Profile) -> Field | None:
    """Return the key and the value in the readable part of a line, or None if it has no key or no separator.

    Cost: O(bytes of the line).
    """
    white_space = b" \t" if profile.abnf_only else None
    comment = content.find(b"#")
    end = len(content) if comment < 0 else comment
    if not end:
        return None
    separator = content.find(b":", 0, end)
    has_colon = separator >= 0
    if not has_colon:
        if not profile.missing_colon:
            return None
        separator = _white_space_separator(content[:end])
        if separator < 0:
            return None
    key_start, key_end = strip_span(content, 0, separator, white_space)
    if key_start == key_end:
        return None
    value_start, value_end = strip_span(content, separator + 1, end, white_space)
    return _new_tuple(Field, (key_start, key_end, value_start, value_end, has_colon))


def _white_space_separator(content: bytes) -> int:
    # Only a line of exactly two words, because a sentence is not a record.
    words = content.strip()
    start = len(content) - len(content.lstrip())
    first = len(words.replace(b"\t", b" ").partition(b" ")[0])
    rest = words[first:].lstrip(b" \t")
    if not rest or b" " in rest or b"\t" in rest:
        return -1
    return start + first


def strip_span(content: bytes, start: int, end: int, white_space: bytes | None) -> tuple[int, int]:
    """Return the span without surrounding white space. A span of white space becomes an empty span at its end."""
    part = content[start:end]
    left = part.lstrip(white_space)
    start += len(part) - len(left)
    return start, start + len(left.rstrip(white_space))
