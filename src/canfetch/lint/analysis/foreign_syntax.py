"""Values in the syntax of other programs: regular expressions, placeholders of templates, words for missing values."""

import re
from typing import Final

from canfetch.core.text import HEX_DIGITS

# Parts of regular expressions that are unlikely in a path.
_REGEX_PARTS: Final = (
    *(b"\\.", b"\\/", b"\\?", b"\\-"),
    *(b"[0-9", b"[a-z", b"[A-Z", b"[^", b"(.*", b"(.+", b".*)", b"(?:", b"(?!", b"(?i", b"]+", b"]*", b"]{"),
)
_REGEX_CHARACTERS: Final = b"\\[]()^"
# A class of characters, and not the start of a folder in a Windows path, such as `\\win`.
_REGEX_CLASS: Final = re.compile(rb"\\[dws](?![0-9A-Za-z_-])")
# Each value that looks like a regular expression has a match. The reverse does not hold.
_POSSIBLE_REGEX: Final = re.compile(rb"[\\\[\]()^]|/\.[*+]")
# In a text without the characters, this one is enough, and many times faster.
_POSSIBLE_REGEX_ENDING: Final = re.compile(rb"/\.[*+]")
# After a folder, `.*` is intended as "anything", but as a pattern it matches names that start with a dot.
_REGEX_ENDINGS: Final = (b"/.*", b"/.*$", b"/.+", b"/.+$")

# Start and end marks of Jinja, Twig, Liquid and Mustache; PHP; ERB, ASP and JSP; shells and scripts.
_PAIRS: Final = ((b"{{", b"}}"), (b"{%", b"%}"), (b"<?", b"?>"), (b"<%", b"%>"), (b"${", b"}"))
_OPEN_ENDED: Final = (b"<?php", b"<?=")
# Batch files and some deployment tools write `%NAME%`, others `%%NAME%%`.
_PERCENT: Final = b"%"
# What documentation writes for a name that the reader has to choose.
_BRACKETS: Final = ((b"<", b">"), (b"[", b"]"), (b"{", b"}"))
_YOUR: Final = (b"your-", b"your_", b"your ", b"insert-", b"insert_", b"insert ")
_MAX_WORDS_LENGTH: Final = 64
# Each placeholder contains a match. The reverse does not hold.
_WORDS: Final = rb"(?i:your|insert)[-_ ]"
POSSIBLE_MARK: Final = re.compile(rb"\{(?:[{%%]|%b)|<(?:[?%%]|%b)|\[%b|\$\{|%%[A-Z_a-z]+%%" % (_WORDS, _WORDS, _WORDS))

# JavaScript, JSON and Java. Python's `None` is missing, because people write `none` for an empty rule.
UNSET: Final = frozenset({b"undefined", b"null", b"nan", b"[object object]", b"[object%20object]"})


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
    return _POSSIBLE_REGEX if len(text.translate(None, _REGEX_CHARACTERS)) != len(text) else _POSSIBLE_REGEX_ENDING


def has_template_mark(text: bytes) -> bool:
    """Return whether a text has a placeholder.

    Cost: O(bytes).
    """
    return template_mark(text) is not None


def template_mark(text: bytes) -> tuple[int, int] | None:
    """Return the span of the first placeholder in a text, or None.

    Cost: O(bytes).
    """
    if not any(byte in text for byte in (b"{", b"<", b"[", _PERCENT)):
        return None
    for begin, end in _PAIRS:
        start = text.find(begin)
        if start >= 0:
            stop = text.find(end, start + len(begin))
            if stop >= 0:
                return start, stop + len(end)
            if text.startswith(_OPEN_ENDED, start):
                return start, len(text)
    return _percent_mark(text) or words_to_replace(text)


def _percent_mark(text: bytes) -> tuple[int, int] | None:
    place = 0
    before, *parts = text.split(_PERCENT)
    for number, name in enumerate(parts[:-1]):
        start = len(before) + place
        is_double = 0 < number < len(parts) - 2 and not parts[number - 1] and not parts[number + 1]
        letters = name.replace(b"_", b"")
        if is_double and letters.isalpha():
            return start - 1, start + len(name) + 3
        # Two hex digits after the `%` are a percent-encoding.
        if letters.isalpha() and letters.isupper() and len(name) > 1 and name[:2].translate(None, HEX_DIGITS):
            return start, start + len(name) + 2
        place += len(name) + 1
    return None


def words_to_replace(text: bytes) -> tuple[int, int] | None:
    """Return the span of the first words in brackets that the author of a file should have replaced, or None.

    An example is `<your-folder>`.

    Cost: O(bytes).
    """
    folded = text.lower()
    for begin, end in _BRACKETS:
        start = next((place for word in _YOUR if (place := folded.find(begin + word)) >= 0), -1)
        stop = folded.find(end, start, start + _MAX_WORDS_LENGTH) if start >= 0 else -1
        if stop >= 0:
            return start, stop + 1
    return None


def is_unset(value: bytes) -> bool:
    """Return whether a value is a word for a missing value."""
    return value.lower() in UNSET


def unset_part(url: bytes) -> bytes | None:
    """Return the word for a missing value in place of a URL or of its scheme, host or first folder, or None."""
    for part in url.split(b"/", 4)[:4]:
        if is_unset(part):
            return part
    return None
