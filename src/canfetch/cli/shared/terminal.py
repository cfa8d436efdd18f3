"""Terminal output: colours, widths, and escaping of text that a site wrote."""

import os
import sys
from collections.abc import Iterable
from typing import Final, TextIO

import click

from canfetch.core.text import encode_text

_RESET: Final = "\x1b[0m"
_MAX_MESSAGE_CHARACTERS: Final = 600
_MESSAGE_END_CHARACTERS: Final = 290
_ZERO_WIDTH_JOINERS: Final = "\u200c\u200d"


def printable(text: str) -> str:
    """Make `text` safe to print on one line: unprintable characters become percent escapes, such as `%1B`.

    Text from a site may contain terminal control sequences. In a URL, a pattern or a target, the escape
    means the same as the byte.

    Cost: O(characters).
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "".join(f"%{byte:02X}" for byte in encode_text(c)) for c in text)


def printable_lines(text: str) -> str:
    """Make the lines of `text` safe to print. Line ends and tabs are preserved, and CRLF becomes LF.

    Zero-width joiners and non-joiners are preserved as well where words and emoji have them.

    Cost: O(characters).
    """
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join("\t".join(map(_printable_words, line.split("\t"))) for line in lines)


def _printable_words(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if _joins(text, index) else printable(c) for index, c in enumerate(text))


def _joins(text: str, index: int) -> bool:
    """Return whether a character joins or separates two letters, marks or emoji, as in Persian words.

    In ASCII, a joiner has no purpose except to hide a difference.
    """
    if text[index] not in _ZERO_WIDTH_JOINERS or not 0 < index < len(text) - 1:
        return False
    from unicodedata import category  # noqa: PLC0415 - only for such characters

    return all(not c.isascii() and category(c)[0] in "LMS" for c in (text[index - 1], text[index + 1]))


def shorten_message(text: str) -> str:
    """Cut the middle out of a message that quotes a very long URL."""
    if len(text) <= _MAX_MESSAGE_CHARACTERS:
        return text
    return f"{text[:_MESSAGE_END_CHARACTERS]} ... {text[-_MESSAGE_END_CHARACTERS:]}"


def print_message(line: str) -> None:
    """Print a line to standard error. It may quote arguments, or text that a site wrote."""
    click.echo(printable(line), err=True)


def print_message_lines(text: str) -> None:
    """Print several lines to standard error. Each of them may quote what `print_message` may quote."""
    click.echo(printable_lines(text), err=True)


def print_error(text: str) -> None:
    """Print an error to standard error, after what was written to standard output before."""
    sys.stdout.flush()
    print_message(f"canfetch: {shorten_message(text)}")


def print_notes(notes: Iterable[str]) -> None:
    """Print different notes on standard error, each once."""
    for note in dict.fromkeys(notes):
        print_message(f"canfetch: note: {note}")


def display_width(text: str) -> int:
    """Return the number of terminal columns that a printable text takes.

    Cost: O(characters).
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - only beyond ASCII

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, width: int) -> str:
    """Pad `text` with spaces to `width` columns."""
    return text + " " * (width - display_width(text))


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether `stream` is a terminal. A closed stream is not."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def terminal_width() -> int:
    """Return the width of the terminal, or COLUMNS if that is set."""
    from shutil import get_terminal_size  # noqa: PLC0415 - only on a terminal

    return get_terminal_size().columns


def use_color(*, no_color: bool) -> bool:
    """Return whether standard output gets colours.

    `--no-color` and NO_COLOR override FORCE_COLOR, which overrides the detection of a terminal.
    """
    if no_color or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb"


class Palette:
    """Colours by meaning. With `enabled=False`, text is returned unchanged."""

    __slots__ = ("enabled",)

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}{_RESET}" if self.enabled else text

    def good(self, text: str) -> str:
        """Paint a positive answer green, such as `allowed`."""
        return self._paint("32", text)

    def bad(self, text: str) -> str:
        """Paint a negative answer red, such as `disallowed`."""
        return self._paint("31", text)

    def warning(self, text: str) -> str:
        """Paint a warning, or an answer that could not be computed, yellow."""
        return self._paint("33", text)

    def faint(self, text: str) -> str:
        """Dim secondary text."""
        return self._paint("2", text)

    def strong(self, text: str) -> str:
        """Make a heading or an important word bold."""
        return self._paint("1", text)


def output_palette(*, no_color: bool) -> Palette:
    """Return the colours of standard output. See `use_color`."""
    return Palette(enabled=use_color(no_color=no_color))
