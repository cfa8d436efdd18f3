"""Values that look like regular expressions."""

import re
from typing import Final

# Parts of regular expressions that are unlikely in a path.
_REGEX_PARTS: Final = (
    *(b"\\.", b"\\/", b"\\?", b"\\-"),
    *(b"[0-9", b"[a-z", b"[A-Z", b"[^", b"(.*", b"(.+", b".*)", b"(?:", b"(?!", b"(?i", b"]+", b"]*", b"]{"),
)
_REGEX_CHARACTERS: Final = b"\\[]()^"
# A class of characters, and not the start of a folder in a Windows path, such as `\\win`.
_REGEX_CLASS: Final = re.compile(rb"\\[dws](?![0-9A-Za-z_-])")
# Each value that looks like a regular expression has a match. The reverse does not hold.
_POSSIBLE: Final = re.compile(rb"[\\\[\]()^]|/\.[*+]")
# In a text without the characters, this one is enough, and many times faster.
_POSSIBLE_ENDING: Final = re.compile(rb"/\.[*+]")
# After a folder, `.*` is intended as "anything", but as a pattern it matches names that start with a dot.
_REGEX_ENDINGS: Final = (b"/.*", b"/.*$", b"/.+", b"/.+$")


def looks_like_regex(value: bytes) -> bool:
    """Return whether a value looks like a regular expression.

    Cost: O(bytes).
    """
    if len(value.translate(None, _REGEX_CHARACTERS)) == len(value) and b"/." not in value:
        return False  # the common case
    if value[:1] == b"^" or value[:2] == b"/^" or any(part in value for part in _REGEX_PARTS):
        return True
    if _REGEX_CLASS.search(value):
        return True
    if (value.endswith(_REGEX_ENDINGS) and value.count(b"/") > 1) or b"/.*/" in value:
        return True
    _, opening, rest = value.partition(b"(")
    inside, closing, _ = rest.partition(b")")
    return bool(opening and closing) and b"|" in inside


def possible_regex(text: bytes) -> re.Pattern[bytes]:
    """Return an expression that matches in each part of a text that looks like a regular expression."""
    return _POSSIBLE if len(text.translate(None, _REGEX_CHARACTERS)) != len(text) else _POSSIBLE_ENDING
