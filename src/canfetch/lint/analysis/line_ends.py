"""How the lines of a file end, so that what is put in ends alike."""

from typing import Final

from canfetch.lint.linted_file import LintedFile

# Readers of text, as Python's robotparser is, end a line at these, too.
_ENDS_OF_TEXT: Final = b"\v\f\x1c\x1d\x1e"
_LONG_ENDS_OF_TEXT: Final = tuple(character.encode() for character in "\x85\u2028\u2029")


def has_text_line_break(octets: bytes) -> bool:
    """Say whether some readers see more than one line in one.

    Cost: O(octets).
    """
    if len(octets.translate(None, _ENDS_OF_TEXT)) != len(octets):
        return True
    return not octets.isascii() and any(end in octets for end in _LONG_ENDS_OF_TEXT)


def line_end(file: LintedFile) -> bytes:
    """Give the end that most lines have; LF where there is none."""
    return file.compute_once(_line_end)


def _line_end(file: LintedFile) -> bytes:
    pairs = file.content.count(b"\r\n")
    feeds = file.content.count(b"\n") - pairs
    returns = file.content.count(b"\r") - pairs
    if pairs > feeds and pairs >= returns:
        return b"\r\n"
    return b"\r" if returns > feeds else b"\n"
