"""Text outside a comment."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.core.notes import Note
from canfetch.lint.analysis.characters import has_text_line_break
from canfetch.lint.analysis.key_names import CORE_SPELLINGS
from canfetch.lint.analysis.odd_lines import Oddity, OddLine, odd_lines
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_MAX_QUOTE: Final = 60
# A line that starts like a value or a record may lack its key or colon, so it is not turned into a comment.
_RECORD_STARTS: Final = (b"/", b"*", b"http://", b"https://", b"<", *CORE_SPELLINGS)
# The checks of the file report these characters.
_REPORTED_BY_OTHERS: Final = Note.NUL | Note.CONTROL
_CONTROLS: Final = bytes(set(range(0x20)) - set(b"\t\r\n"))


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find lines of prose that are not comments."""
    for line in odd_lines(file, Oddity.TEXT, without=_REPORTED_BY_OTHERS):
        yield LineOccurrence(line.record.line, partial(_occurrence, file, line))


def _occurrence(file: LintedFile, line: OddLine) -> Occurrence:
    start, end = file.text_span(line.record)
    text = file.content[start:end]
    fix = None
    if not _may_be_record(text) and _is_plain(file.line_content(line.record)):
        # Some crawlers may read the line as a record. The fix changes that.
        fix = replace_span(start, start, b"# ", changes_verdicts=Note.NOT_A_RECORD not in line.record.notes)
    shown = file.text(text[:_MAX_QUOTE])
    return Occurrence((start, end), {"text": shown + "…" if len(text) > _MAX_QUOTE else shown}, fix=fix)


def _is_plain(content: bytes) -> bool:
    return len(content.translate(None, _CONTROLS)) == len(content) and not has_text_line_break(content)


def _may_be_record(text: bytes) -> bool:
    head = text[:_MAX_QUOTE].lower()
    return head.startswith(_RECORD_STARTS) or head.partition(b":")[0].rstrip().endswith(tuple(CORE_SPELLINGS))


CHECK = Check(
    code="CF207",
    name="text-outside-comment",
    severities=Severities(
        rfc=Severity.WARNING,
        google=Severity.INFO,
        bing=Severity.WARNING,
        yandex=Severity.WARNING,
        lighthouse=Severity.ERROR,
    ),
    title="Text outside a comment",
    message="`{text}` is neither a key with a value nor a comment",
    why="Crawlers ignore lines that they cannot read. Google's parser reads two words as a key and its value.",
    how_to_fix="Write `#` before a comment, or a colon between a key and its value.",
    source="RFC 9309 section 2.2; Lighthouse, robots-txt; Yandex Webmaster, robots.txt analysis",
    bad=b"Rules for all of our crawlers\nUser-agent: *\nDisallow: /private/\n",
    good=b"# Rules for all of our crawlers\nUser-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Oddity.TEXT,),
    fixable=True,
)
