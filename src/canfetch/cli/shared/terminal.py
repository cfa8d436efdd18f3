"""What a terminal shows: colours, widths, and text that can do no harm there."""

import os
import sys
from typing import Final, TextIO

from canfetch.core.text import encode_text

_RESET: Final = "\x1b[0m"


def shown(text: str) -> str:
    """Make a text safe to print on one line: what is not printable becomes its escape, `%1B`.

    A site wrote it, and a terminal obeys what is written to it. In a URL, a pattern or a target the escape
    means the same as the octet.

    Cost: O(characters).
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "".join(f"%{octet:02X}" for octet in encode_text(c)) for c in text)


def columns(text: str) -> int:
    """Count the columns that a printable text takes.

    Cost: O(characters).
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - only beyond ASCII

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, width: int) -> str:
    """Fill a text up to `width` columns."""
    return text + " " * (width - columns(text))


def is_terminal(stream: TextIO | None) -> bool:
    """Say whether a person reads the stream; nobody reads one that was closed from the start."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def terminal_columns() -> int:
    """Give the width of the terminal, or of COLUMNS where that is set."""
    from shutil import get_terminal_size  # noqa: PLC0415 - only on a terminal

    return get_terminal_size().columns


def wants_color(*, no_color: bool) -> bool:
    """Say whether standard output gets colours: on a terminal, unless somebody does not want them.

    `--no-color` and NO_COLOR go before FORCE_COLOR, and that before what the stream is.
    """
    if no_color or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb"


class Palette:
    """Colours by what they mean, or none."""

    __slots__ = ("on",)

    def __init__(self, *, on: bool) -> None:
        self.on = on

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}{_RESET}" if self.on else text

    def good(self, text: str) -> str:
        """Allowed."""
        return self._in("32", text)

    def bad(self, text: str) -> str:
        """Disallowed."""
        return self._in("31", text)

    def odd(self, text: str) -> str:
        """Not computed."""
        return self._in("33", text)

    def faint(self, text: str) -> str:
        """Beside the answer."""
        return self._in("2", text)

    def strong(self, text: str) -> str:
        """The answer itself, or a heading."""
        return self._in("1", text)
