"""Placeholders that a template engine should have replaced."""

from typing import Final

# Start and end marks of Jinja, Twig, Liquid and Mustache; PHP; ERB, ASP and JSP; shells and scripts.
_PAIRS: Final = ((b"{{", b"}}"), (b"{%", b"%}"), (b"<?", b"?>"), (b"<%", b"%>"), (b"${", b"}"))
_OPEN_ENDED: Final = (b"<?php", b"<?=")
_PERCENTS: Final = b"%%"
MARKS: Final = (*(start for start, _ in _PAIRS), _PERCENTS)


def has_template_mark(text: bytes) -> bool:
    """Return whether a text has a placeholder.

    Cost: O(bytes).
    """
    return template_mark(text) is not None


def template_mark(text: bytes) -> tuple[int, int] | None:
    """Return the span of the first placeholder in a text, or None.

    Cost: O(bytes).
    """
    if b"{" not in text and b"<" not in text and _PERCENTS not in text:
        return None
    for begin, end in _PAIRS:
        start = text.find(begin)
        if start >= 0:
            stop = text.find(end, start + len(begin))
            if stop >= 0:
                return start, stop + len(end)
            if text.startswith(_OPEN_ENDED, start):
                return start, len(text)
    start = text.find(_PERCENTS)
    if start >= 0:
        stop = text.find(_PERCENTS, start + 2)
        name = text[start + 2 : stop]
        if stop >= 0 and name.replace(b"_", b"").isalpha():
            return start, stop + 2
    return None
