"""Characters that look like others, or like nothing, or that end a line for some parsers, in UTF-8."""

from typing import Final

CURLY_QUOTES: Final = tuple(quote.encode() for quote in "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u00ab\u00bb")
LONG_DASHES: Final = tuple(dash.encode() for dash in "\u2010\u2011\u2012\u2013\u2014\u2212")
# Control characters at which some parsers, such as Python's robotparser, end a line.
LINE_BREAK_CONTROLS: Final = b"\v\f\x1c\x1d\x1e"
LONG_LINE_BREAKS: Final = tuple(character.encode() for character in "\x85\u2028\u2029")

# Invisible characters and blanks, with their names.
INVISIBLE: Final = {
    "\u200b".encode(): "zero-width space",
    "\u200c".encode(): "zero-width non-joiner",
    "\u200d".encode(): "zero-width joiner",
    "\u2060".encode(): "word joiner",
    "\ufeff".encode(): "byte order mark",
    "\u00ad".encode(): "soft hyphen",
    "\u200e".encode(): "left-to-right mark",
    "\u200f".encode(): "right-to-left mark",
    "\u202a".encode(): "bidirectional mark",
    "\u202b".encode(): "bidirectional mark",
    "\u202c".encode(): "bidirectional mark",
    "\u202d".encode(): "bidirectional mark",
    "\u202e".encode(): "bidirectional mark",
    "\u2066".encode(): "bidirectional mark",
    "\u2067".encode(): "bidirectional mark",
    "\u2068".encode(): "bidirectional mark",
    "\u2069".encode(): "bidirectional mark",
    "\u2028".encode(): "line separator",
    "\u2029".encode(): "paragraph separator",
}
BLANKS: Final = {
    "\u00a0".encode(): "no-break space",
    "\u2007".encode(): "figure space",
    "\u202f".encode(): "narrow no-break space",
    "\u3000".encode(): "ideographic space",
}
# The invisible characters that occur in keys of real files.
INVISIBLE_IN_KEYS: Final = tuple(
    character.encode() for character in "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u00a0\u3000"
)


def has_text_line_break(content: bytes) -> bool:
    """Return whether some parsers split a line at a character other than CR and LF.

    Cost: O(bytes).
    """
    if len(content.translate(None, LINE_BREAK_CONTROLS)) != len(content):
        return True
    return not content.isascii() and any(line_break in content for line_break in LONG_LINE_BREAKS)
