"""The line ends of a file, so that inserted lines end like the others."""

from canfetch.lint.analysis.characters import LINE_BREAK_CONTROLS, LONG_LINE_BREAKS
from canfetch.lint.linted_file import LintedFile


def has_text_line_break(content: bytes) -> bool:
    """Return whether some parsers split a line at a character other than CR and LF.

    Cost: O(bytes).
    """
    if len(content.translate(None, LINE_BREAK_CONTROLS)) != len(content):
        return True
    return not content.isascii() and any(line_break in content for line_break in LONG_LINE_BREAKS)


def line_end(file: LintedFile) -> bytes:
    """Return the most frequent line end of a file, or LF if it has no line end."""
    return file.compute_once(_line_end)


def _line_end(file: LintedFile) -> bytes:
    pairs = file.content.count(b"\r\n")
    feeds = file.content.count(b"\n") - pairs
    returns = file.content.count(b"\r") - pairs
    if pairs > feeds and pairs >= returns:
        return b"\r\n"
    return b"\r" if returns > feeds else b"\n"
