"""Places as editors and forges count them: lines and columns from 1, in characters."""

from typing import NamedTuple

from canfetch.core.text import display_text, encode_text
from canfetch.lint.catalogue import Catalogue
from canfetch.lint.finding import Finding, Position
from canfetch.lint.linted_file import LintedFile


class Location(NamedTuple):
    """A place, half open: lines and columns from 1, columns in characters (code points)."""

    line: int
    column: int
    end_line: int
    end_column: int


def locate(file: LintedFile, finding: Finding) -> Location:
    """Give the place of a finding.

    Cost: O(octets of its first and last line).
    """
    start, end = finding.start, finding.end
    return Location(start.line, _column(file, start), end.line, _column(file, end))


def _column(file: LintedFile, position: Position) -> int:
    start = file.line_starts[position.line - 1]
    # An octet that is no UTF-8 is one character to an editor, as it is here.
    return len(file.content[start : start + position.column].decode("utf-8", "surrogateescape")) + 1


def quoted_line(file: LintedFile, finding: Finding) -> tuple[bytes, bytes, bytes]:
    """Give the line on which a finding begins, without its end: what is before it, what it is about, what is behind."""
    starts, line = file.line_starts, finding.line
    start = starts[line - 1]
    content = file.content[start : starts[line] if line < len(starts) else len(file.content)].rstrip(b"\r\n")
    first, last = (min(max(offset - start, 0), len(content)) for offset in finding.span)
    return content[:first], content[first:last], content[last:]


def full_message(finding: Finding, catalogue: Catalogue) -> str:
    """Give the message with what crawlers do, as one text."""
    effect = finding.effect(catalogue)
    message = finding.message(catalogue)
    return f"{message}: {effect}" if effect else message


def printable(text: str) -> str:
    """Make a text that UTF-8 has: octets of a file's name that are none become escapes."""
    return display_text(encode_text(text))
