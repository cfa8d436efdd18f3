"""Mixed line ends."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.analysis.line_fixes import line_end
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_FEED: Final = b"\n"
_PAIR: Final = b"\r\n"


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find line ends that differ from most, and report the first."""
    pairs = file.content.count(b"\r\n")
    returns = file.content.count(b"\r") - pairs
    feeds = file.content.count(b"\n") - pairs
    if (returns == 0 and (pairs == 0 or feeds == 0)) or file_is_markup(file):
        return
    wanted = line_end(file)
    if wanted == b"\r":
        wanted = _FEED  # few current programs support CR
    edits = tuple(_edits(file, wanted))
    if edits and not file.robots.tail:
        yield Occurrence(edits[0][:2], {"count": str(len(edits))}, fix=Fix(edits))


def _edits(file: LintedFile, wanted: bytes) -> Iterator[Edit]:
    content = file.content
    for end in file.line_starts[1:]:
        own = content[max(end - 2, 0) : end]
        if own != _PAIR:
            own = own[-1:]
        if own != wanted:
            yield Edit(end - len(own), end, wanted)


CHECK = Check(
    code="CF115",
    name="mixed-line-ends",
    severities=Severities(rfc=Severity.INFO),
    title="Mixed line ends",
    message="{count|line ends|lines end} differently from most lines, or with CR only",
    why="Crawlers support LF, CR and CRLF. Programs that support only one of them may show, join or compare lines "
    "incorrectly.",
    how_to_fix="End all lines with LF, or all with CRLF.",
    source="RFC 9309 section 2.2",
    bad=b"User-agent: *\r\nDisallow: /a/\nDisallow: /b/\n",
    good=b"User-agent: *\nDisallow: /a/\nDisallow: /b/\n",
    find=find,
    needs=(b"\r",),
    fixable=True,
)
