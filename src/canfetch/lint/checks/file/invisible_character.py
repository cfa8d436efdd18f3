"""An invisible character."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.agents import REGISTRY
from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.core.text import WHITE_SPACE
from canfetch.lint.analysis.characters import BLANKS, INVISIBLE
from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.analysis.unread_lines import EXPLAINED_CHECKS, query_below, query_for_unread
from canfetch.lint.check import Check, LineOccurrence, Occurrence, VerdictQuery
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_ALL: Final = {**INVISIBLE, **BLANKS}
_ASCII: Final = bytes(range(0x80))
_MAX_IN_LINE: Final = 64


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find invisible characters and odd blanks outside of comments."""
    not_ascii = file.content.translate(None, _ASCII)
    present = [character for character in _ALL if character in not_ascii]
    if not present or file_is_markup(file):
        return
    pattern = re.compile(b"|".join(map(re.escape, present)))
    meant = {odd.record.line: odd.name for odd in odd_lines(file, Oddity.CHARACTERS)}
    for record in file.lines_matching(pattern):
        start, end = record.span
        match = pattern.search(file.content[start:end].partition(b"#")[0])
        if match is not None:
            make = partial(_occurrence, file, record, match, pattern, present, meant.get(record.line))
            yield LineOccurrence(record.line, make)


def _occurrence(  # noqa: PLR0917 - called in one place
    file: LintedFile,
    record: Record,
    match: re.Match[bytes],
    pattern: re.Pattern[bytes],
    present: list[bytes],
    meant: bytes | None,
) -> Occurrence:
    start = record.span[0]
    fix = _fix(file, record, pattern, present)
    query = None if fix is None else _query(file, record, meant, present)
    return Occurrence((start + match.start(), start + match.end()), {"name": _ALL[match[0]]}, query, fix)


def _fix(file: LintedFile, record: Record, pattern: re.Pattern[bytes], present: list[bytes]) -> Fix | None:
    start, end = record.span
    content = file.content[start:end].partition(b"#")[0]
    found = [(match.start(), match[0]) for match in pattern.finditer(content)]
    if len(found) > _MAX_IN_LINE:
        return None
    first, last = _visible_span(content, present)
    if any(mark in BLANKS and first < at < last and not _is_at_colon(content, at, mark) for at, mark in found):
        return None  # a space inside of a path may be intended
    return Fix(tuple(Edit(start + at, start + at + len(mark), b"") for at, mark in found), changes_verdicts=True)


def _query(file: LintedFile, record: Record, meant: bytes | None, present: list[bytes]) -> VerdictQuery | None:
    value = file.value(record)
    for mark in present:
        value = value.replace(mark, b"")
    if record.kind is RecordKind.USER_AGENT:
        # Some parsers end a name at the character, and find the crawler.
        crawler = REGISTRY.get_crawler(file.text(value))
        return query_below(file, record.line, crawlers=() if crawler is None else (crawler.name,))
    if record.kind in (RecordKind.ALLOW, RecordKind.DISALLOW):
        return None if record.group is None else query_for(value, record.line)
    return None if meant is None else query_for_unread(file, record, meant, value)


def _visible_span(content: bytes, present: list[bytes]) -> tuple[int, int]:
    """Return the offsets around the visible part of a line, both exclusive."""
    left, right = content, content
    while True:
        bare = left.lstrip(WHITE_SPACE)
        mark = next((mark for mark in present if bare.startswith(mark)), b"")
        left = bare[len(mark) :]
        if not mark:
            break
    while True:
        bare = right.rstrip(WHITE_SPACE)
        mark = next((mark for mark in present if bare.endswith(mark)), b"")
        right = bare[: len(bare) - len(mark)]
        if not mark:
            break
    return len(content) - len(left) - 1, len(right)


def _is_at_colon(content: bytes, at: int, mark: bytes) -> bool:
    before = content[:at].rstrip(WHITE_SPACE)
    return before.endswith(b":") or content[at + len(mark) :].lstrip(WHITE_SPACE).startswith(b":")


CHECK = Check(
    code="CF112",
    name="invisible-character",
    severities=everywhere(Severity.ERROR),
    title="An invisible character",
    message="the line contains an invisible character: {name}",
    why="Such characters often come from text that was copied from a web page. A key that contains one is unknown, "
    "and a path that contains one matches nothing.",
    how_to_fix="Remove the character, or type the line again.",
    source="RFC 9309 section 2.2",
    bad="User-agent: *\n\u200bDisallow: /private/\n".encode(),
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Trait.NON_ASCII,),
    fixable=True,
    supersedes=("CF105", "CF218", "CF4", "CF5", "CF6", *EXPLAINED_CHECKS),
)
