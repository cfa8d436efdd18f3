"""Placeholders that a template engine should have replaced."""

import re
from typing import Final

from canfetch.core.text import HEX_DIGITS

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
