"""The key and the value of a line.

Source: RFC 9309 section 2.2; google/robotstxt, GetKeyAndValueFrom, for a missing colon.
"""

from canfetch.core.profiles import Profile

Field = tuple[int, int, int, int, bool]
"""Key start, key end, value start, value end, and whether the line has a colon.

The spans exclude surrounding white space, and are offsets from the start of the line. A plain tuple, because each line
has one.
"""


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
    key = content[:separator].lstrip(white_space)
    key_start = separator - len(key)
    key_end = key_start + len(key.rstrip(white_space))
    if key_start == key_end:
        return None
    value = content[separator + 1 : end].lstrip(white_space)
    value_start = end - len(value)
    value_end = value_start + len(value.rstrip(white_space))
    return key_start, key_end, value_start, value_end, has_colon


def _white_space_separator(content: bytes) -> int:
    # Only a line of exactly two words, because a sentence is not a record.
    words = content.strip()
    start = len(content) - len(content.lstrip())
    first = len(words.replace(b"\t", b" ").partition(b" ")[0])
    rest = words[first:].lstrip(b" \t")
    if not rest or b" " in rest or b"\t" in rest:
        return -1
    return start + first
