"""Input files and standard input, read with limits."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Final, NamedTuple

from canfetch.cli.shared.command_errors import CommandError
from canfetch.core.content_formats import MARKUP, foreign_format
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.lines import BYTE_ORDER_MARK
from canfetch.core.quoting import quoted
from canfetch.core.source import UTF_16_MARKS

STANDARD_INPUT: Final = "-"
# Longer than any URL that a server accepts. A file without line ends must not fill the memory.
_MAX_LINE_BYTES: Final = 1 << 20
_LONG_LINE_PREFIX_BYTES: Final = 1024


class InputLine(NamedTuple):
    """A line of a list that is not blank: its text, the list, its number from 1, and its bytes in the list.

    A line over 1 MiB is cut.
    """

    text: str
    source: str
    number: int
    size: int
    too_long: bool

    @property
    def location(self) -> str:
        """The prefix of messages about the line."""
        return f"{self.source}:{self.number}: "


def check_standard_input(inputs: Iterable[tuple[str, str | None]]) -> None:
    """Check that at most one input is standard input.

    Args: inputs: Pairs of an option and its file name.
    Raises: CommandError: Standard input is used more than once.
    """
    options = [option for option, name in inputs if name == STANDARD_INPUT]
    if len(options) > 1:
        users = " and ".join(options) if all(options) else "several arguments"
        raise CommandError(f"standard input can be read only once, but is used by {users}")


def open_input(name: str, option: str = "") -> BinaryIO:
    """Open a file, or standard input if `name` is `-`.

    Args: option: The option that names the file, for messages; empty for an argument.
    Raises: CommandError: The file does not exist, is a directory, or cannot be read.
    """
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise CommandError(f"cannot read {_label(name, option)}: standard input is closed")
        return sys.stdin.buffer
    try:
        # pathlib would import urllib.parse, which takes 5 ms. Windows reports a directory as a permission error.
        if os.path.isdir(name):  # noqa: PTH112
            raise CommandError(f"cannot read {_label(name, option)}: is a directory, expected a file")
        return open(name, "rb")  # noqa: PTH123 - `close_input` closes it
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot read {_label(name, option)}: {reading_problem(name, error)}") from None


def reading_problem(name: str, error: Exception, kind: str = "file") -> str:
    """Return why a file or a directory cannot be opened, with what is expected.

    Args:
        name: The name as typed.
        error: The error.
        kind: What is expected, `file` or `directory`.
    """
    if isinstance(error, FileNotFoundError):
        return f"expected a {kind}, not a URL" if "://" in name else f"no such {kind}"
    if isinstance(error, IsADirectoryError):
        return f"is a directory, expected a {kind}"
    if isinstance(error, NotADirectoryError) and os.path.isfile(name):  # noqa: PTH113 - see `open_input`
        return f"is a file, expected a {kind}"
    return _reason(error)


def close_input(stream: BinaryIO) -> None:
    """Close a file that `open_input` opened. Standard input stays open."""
    if sys.stdin is None or stream is not sys.stdin.buffer:
        stream.close()


def read_input(name: str, option: str = "", *, max_bytes: int) -> bytes:
    """Read at most `max_bytes` of a file or of standard input; the rest is ignored.

    Raises: CommandError: The file cannot be read.
    """
    stream = open_input(name, option)
    try:
        return stream.read(max_bytes)
    except OSError as error:
        raise CommandError(f"cannot read {_label(name, option)}: {_reason(error)}") from None
    finally:
        close_input(stream)


def read_whole_input(name: str, option: str = "", *, max_bytes: int) -> bytes:
    """Read a file or standard input to its end.

    Raises: CommandError: The file cannot be read, or is larger than `max_bytes`.
    """
    content = read_input(name, option, max_bytes=max_bytes + 1)
    if len(content) > max_bytes:
        raise CommandError(f"{_label(name, option)} is too large: expected at most {max_bytes} bytes")
    return content


def read_robots(name: str, option: str = "--robots", *, max_bytes: int = DEFAULT_MAX_BYTES) -> bytes:
    """Read as much of a robots.txt as a parser with this limit needs.

    Raises: CommandError: The file cannot be read.
    """
    # The parser needs one byte past the limit.
    return read_input(name, option, max_bytes=max_bytes + 1)


def warn_about_content(content: bytes, name: str, option: str = "--robots", *, warn: Callable[[str], None]) -> None:
    """Print a warning if content is in another format without any record of a robots.txt, such as HTML, or in UTF-16.

    Args:
        content: The content as it was read. Some profiles transcode UTF-16, and then no longer show it.
        warn: Writes a line to standard error.
    Cost: O(1) for content that starts like text, otherwise O(bytes).
    """
    detected = foreign_format(content)
    if detected is not None:
        warn(f"canfetch: warning: {_label(name, option)} is {detected}, not a robots.txt")
    elif content.startswith(UTF_16_MARKS):
        warn(f"canfetch: warning: {_label(name, option)} is UTF-16, which most crawlers do not read: save it as UTF-8")


def warn_about_html(content: bytes, name: str, option: str, *, warn: Callable[[str], None]) -> None:
    """Print a warning if content is in another format than HTML, such as PDF, or has no element.

    Args: warn: Writes a line to standard error.
    Cost: O(bytes).
    """
    detected = foreign_format(content)
    if detected is None and content.strip() and b"<" not in content:
        detected = "text without an element"
    if detected not in {None, MARKUP}:
        warn(f"canfetch: warning: {_label(name, option)} is {detected}, not HTML")


def read_lines(stream: BinaryIO, name: str) -> Iterator[InputLine]:
    """Yield the lines of a list, stripped and without blank lines.

    Raises: CommandError: The list is UTF-16, or reading fails.
    Cost: O(bytes); one line is in memory, and at most 1 MiB of it.
    """
    source = "standard input" if name == STANDARD_INPUT else name
    number = 0
    while True:
        number += 1
        try:
            line = stream.readline(_MAX_LINE_BYTES + 1)
            size = len(line)
            too_long = size > _MAX_LINE_BYTES and line[-1:] != b"\n"
            part = line
            while too_long and part and part[-1:] != b"\n":
                part = stream.readline(_MAX_LINE_BYTES)
                size += len(part)
        except OSError as error:
            raise CommandError(f"cannot read {source}: {_reason(error)}") from None
        if not line:
            return
        if number == 1:
            if line.startswith(UTF_16_MARKS):
                raise CommandError(f"{source} is UTF-16: expected UTF-8")
            line = line.removeprefix(BYTE_ORDER_MARK)
        if too_long:
            line = line[:_LONG_LINE_PREFIX_BYTES]
        text = line.strip().decode("utf-8", "surrogateescape")
        if text:
            yield InputLine(text, source, number, size, too_long)


def read_list(name: str, option: str, *, comments: bool) -> Iterator[InputLine]:
    """Yield the lines of a list, and close it at the end.

    Args: comments: Whether # starts a comment, so that a line of a comment alone is skipped.
    Raises: CommandError: The list cannot be read.
    """
    stream = open_input(name, option)
    try:
        for line in read_lines(stream, name):
            text = line.text.partition("#")[0].strip() if comments else line.text
            if text:
                yield line._replace(text=text)
    finally:
        close_input(stream)


def _label(name: str, option: str) -> str:
    label = name if name == STANDARD_INPUT else quoted(name)
    return f"{option} {label}" if option else label


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
