"""Parts of a finding that several formats show: its location, its line, its message, and the page of its check.

Locations are as editors count them: lines and columns from 1, columns in characters.
"""

from typing import NamedTuple

from canfetch.core.text import display_text, encode_text
from canfetch.lint.catalogue import Catalogue
from canfetch.lint.check import Check
from canfetch.lint.finding import Finding, Position
from canfetch.lint.linted_file import LintedFile
from canfetch.repository import DOCUMENTATION


class Location(NamedTuple):
    """A half-open range. Lines and columns count from 1, columns in code points."""

    line: int
    column: int
    end_line: int
    end_column: int


def locate(file: LintedFile, finding: Finding) -> Location:
    """Return the location of a finding.

    Cost: O(bytes of its first and last line).
    """
    start, end = finding.start, finding.end
    return Location(start.line, _column(file, start), end.line, _column(file, end))


def _column(file: LintedFile, position: Position) -> int:
    start = file.line_starts[position.line - 1]
    # Editors show an invalid byte as one character.
    return len(file.content[start : start + position.column].decode("utf-8", "surrogateescape")) + 1


def quoted_line(file: LintedFile, finding: Finding) -> tuple[bytes, bytes, bytes]:
    """Return the first line of a finding in three parts: before, inside and after its span.

    A finding at the size limit is about the first line past it.
    """
    starts, line = file.line_starts, finding.line
    start = starts[line - 1]
    if start == len(file.content):
        return b"", file.first_line_past_limit, b""
    content = file.content[start : starts[line] if line < len(starts) else len(file.content)].rstrip(b"\r\n")
    first, last = (min(max(offset - start, 0), len(content)) for offset in finding.span)
    return content[:first], content[first:last], content[last:]


def full_message(finding: Finding, catalogue: Catalogue) -> str:
    """Return the message, followed by the proof in parentheses if there is one."""
    effect = finding.effect(catalogue)
    message = finding.message(catalogue)
    return f"{message} ({effect})" if effect else message


def printable(text: str) -> str:
    """Return text that can be encoded as UTF-8. Undecodable bytes of file names are escaped."""
    return display_text(encode_text(text))


def check_page(check: Check, documentation: str | None = DOCUMENTATION) -> str | None:
    """Return the URL of the page of a check, or None while the documentation has no address."""
    return None if documentation is None else f"{documentation}/checks/{check.code}.html"
