"""Lines that nobody reads as user-agent lines, and that were probably meant as such.

While one stands in a file, it is not known where groups begin: what seems to be said twice may be said to two crawlers.
"""

from canfetch.core.keys import NAMES, RecordKind
from canfetch.core.records import Note
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.linted_file import LintedFile

_WORD = b"agent"
_NAME = NAMES[RecordKind.USER_AGENT]
_NO_LETTERS = bytes(octet for octet in range(256) if octet not in b"abcdefghijklmnopqrstuvwxyz")


def unread_agent_lines(file: LintedFile) -> frozenset[int]:
    """Give the numbers of these lines."""
    return file.compute_once(_lines)


def _lines(file: LintedFile) -> frozenset[int]:
    lines = {odd.record.line for oddity in Oddity for odd in odd_lines(file, oddity) if odd.name == _NAME}
    for note in (Note.NOT_A_RECORD, Note.UNKNOWN_KEY):
        for record in file.records_with(note):
            # What is not seen, or looks like a letter or a dash, does not part the word.
            if _WORD in file.line_content(record).partition(b"#")[0].lower().translate(None, _NO_LETTERS):
                lines.add(record.line)
    return frozenset(lines)
