"""Recognition of files that are not a robots.txt, before a program rewrites them."""

from typing import Final, NamedTuple

from canfetch.core.content_formats import foreign_format
from canfetch.core.document import parse
from canfetch.core.extensions.known_records import KNOWN_RECORDS
from canfetch.core.keys import RecordKind
from canfetch.core.records import Record

# At least this share of the lines of every known robots.txt are known records, and of nearly no other file.
_MIN_KNOWN_SHARE: Final = 1 / 3


class _LineCounts(NamedTuple):
    """The number of lines that are neither blank nor comments, and of those that are known records."""

    lines: int
    known: int


def refusal_to_rewrite(content: bytes, rewritten: bytes | None = None) -> str | None:
    """Return why a file is not a robots.txt and should not be rewritten, or None.

    Files without any line except for comments are accepted.

    Args:
        content: The file.
        rewritten: The file as it would be written, if rewriting can turn other lines into records.
    Cost: That of parsing both.
    """
    foreign = foreign_format(content)
    if foreign is not None:
        return f"the content is {foreign}, not a robots.txt"
    before = _count_lines(content)
    known = before.known if rewritten is None else max(before.known, _count_lines(rewritten).known)
    if known < before.lines * _MIN_KNOWN_SHARE:
        return f"not a robots.txt: {known} of {before.lines} lines are known records"
    return None


def _count_lines(content: bytes) -> _LineCounts:
    robots = parse(content)
    lines = known = 0
    for record in robots.records:
        line = robots.content[slice(*record.span)].strip()
        if line and not line.startswith(b"#"):
            lines += 1
            known += _is_known(record, robots.content)
    return _LineCounts(lines, known)


def _is_known(record: Record, content: bytes) -> bool:
    if record.key is None:
        return False
    return record.kind is not RecordKind.OTHER or content[slice(*record.key)].lower() in KNOWN_RECORDS
