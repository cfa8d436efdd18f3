"""Lines that were probably meant as user-agent lines, but that crawlers do not read as user-agent lines.

With such a line in a file, it is unclear where groups begin. Two rules that look like duplicates may belong to
different crawlers.
"""

from canfetch.core.records import Note
from canfetch.lint.analysis.key_names import USER_AGENT
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.linted_file import LintedFile

_WORD = b"agent"
_NOT_LETTERS = bytes(byte for byte in range(256) if byte not in b"abcdefghijklmnopqrstuvwxyz")


def unread_agent_lines(file: LintedFile) -> frozenset[int]:
    """Return the numbers of the lines that were probably meant as user-agent lines."""
    return file.compute_once(_lines)


def _lines(file: LintedFile) -> frozenset[int]:
    lines = {odd.record.line for oddity in Oddity for odd in odd_lines(file, oddity) if odd.name == USER_AGENT}
    for note in (Note.NOT_A_RECORD, Note.UNKNOWN_KEY):
        for record in file.records_with(note):
            # Only letters count, so that invisible characters and odd dashes do not split the word.
            if _WORD in file.line_content(record).partition(b"#")[0].lower().translate(None, _NOT_LETTERS):
                lines.add(record.line)
    return frozenset(lines)
