"""Two keys on one line."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from canfetch.core.keys import NAMES, RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.key_names import CORE_SPELLINGS, DISALLOW, TRANSLATED_KEYS, USER_AGENT
from canfetch.lint.analysis.line_fixes import line_end
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.analysis.rule_values import rule_values
from canfetch.lint.check import Check, LineOccurrence, Occurrence, VerdictQuery
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_NAMES: Final[dict[bytes, bytes]] = {
    **CORE_SPELLINGS,
    b"crawl-delay": b"Crawl-delay",
    b"host": b"Host",
    **{word.encode(): name for word, name in TRANSLATED_KEYS.items()},
}
_MAX_NAME_LENGTH: Final = max(map(len, _NAMES))
_COLON: Final = re.compile(rb":")
_MAX_INNER_KEYS: Final = 64
# The line break after `Disallow: /` is missing. No real path contains this with a colon.
_GLUED: Final = b"/user-agent"
# Copies of pages can lose line breaks and spaces: `user-agent: adisallow: /cuser-agent: b`. No token has a colon.
_GLUED_AFTER_TOKENS: Final = frozenset((USER_AGENT, DISALLOW))


class _InnerKey(NamedTuple):
    """A key inside a value.

    `gap_start` is the start of the white space before it, and `name` its usual spelling.
    """

    gap_start: int
    start: int
    end: int
    name: bytes


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find values that contain another key and a colon."""
    # Another check uses the lines, too.
    yield from file.compute_once(_found)


def _found(file: LintedFile) -> list[LineOccurrence]:
    found: list[LineOccurrence] = []
    indices, agents = _with_colon(file), frozenset(file.user_agents)
    for index, value in zip(indices, file.values(indices), strict=True):
        if _may_have_inner_key(value) and (inner := _inner_keys(value, after_token=index in agents)):
            found.append(LineOccurrence(index + 1, partial(_occurrence, file, index, inner)))
    for line in odd_lines(file, Oddity.TRANSLATED):
        record = line.record
        if Note.MISSING_COLON not in record.notes and (inner := _inner_keys(file.value(record))):
            found.append(LineOccurrence(record.line, partial(_occurrence, file, record.line - 1, inner, line.name)))
    joined = (line.record for line in odd_lines(file, Oddity.JOINED))
    found += (LineOccurrence(record.line, partial(_in_key, file, record)) for record in joined)
    return found


def _may_have_inner_key(value: bytes) -> bool:
    return b":" in value and (b" " in value or b"\t" in value or _GLUED in value.lower())


def _in_key(file: LintedFile, record: Record) -> Occurrence:
    return Occurrence(record.key or record.span, {"key": file.text(file.key(record).split()[-1])})


def _with_colon(file: LintedFile) -> list[int]:
    """Return the indices of the rules with a colon in the value, all sitemaps and all user-agent lines."""
    rules = rule_values(file).matching(_COLON)
    return sorted((*rules, *file.records.of_kinds(RecordKind.SITEMAP), *file.user_agents))


def _occurrence(file: LintedFile, index: int, inner: list[_InnerKey], name: bytes | None = None) -> Occurrence:
    record = file.records[index]
    outer = name or NAMES.get(record.kind or RecordKind.OTHER, b"").capitalize()
    start, end = record.value or record.span
    value, first = file.content[start:end], inner[0]
    return Occurrence(
        (start + first.start, end),
        {"key": file.text(value[first.start : first.end])},
        _query(inner, value),
        partial(_fix, line_end(file), outer, inner, start),
    )


def _query(inner: list[_InnerKey], value: bytes) -> VerdictQuery | None:
    first = inner[0]
    value_end = inner[1].gap_start if len(inner) > 1 else len(value)
    path = value[first.end : value_end].partition(b":")[2].strip()
    return query_for(path) if first.name == DISALLOW and path and b" " not in path else None


def _fix(end: bytes, outer: bytes, inner: list[_InnerKey], start: int) -> Fix:
    edits = tuple(
        # A group that starts after a rule gets a blank line before it.
        Edit(start + one.gap_start, start + one.end, (end * 2 if before != one.name == USER_AGENT else end) + one.name)
        for before, one in zip((outer, *(one.name for one in inner)), inner, strict=False)
    )
    return Fix(edits, changes_verdicts=True)


def _inner_keys(value: bytes, *, after_token: bool = False) -> list[_InnerKey]:
    found: list[_InnerKey] = []
    part_start = 0
    parts = value.split(b":")
    if len(parts) > _MAX_INNER_KEYS:
        return found
    for part in parts[:-1]:
        # The key is the end of the text before the colon: one or more words after white space.
        text = part.rstrip()
        lower = text[-_MAX_NAME_LENGTH:].lower()
        cut = len(text) - len(lower)
        for place in range(len(lower)):
            at_word = (cut + place > 0 and text[cut + place - 1 : cut + place] in b" \t") or (
                cut + place == 0 and part_start == 0
            )
            name = _NAMES.get(lower[place:])
            is_glued = after_token and name in _GLUED_AFTER_TOKENS
            if name is not None and (at_word or is_glued or lower[place - 1 :] == _GLUED):
                start = part_start + cut + place
                gap_start = len(value[:start].rstrip())
                found.append(_InnerKey(gap_start, start, part_start + len(text), name))
                break
        part_start += len(part) + 1
    return found


CHECK = Check(
    code="CF216",
    name="two-records-on-a-line",
    severities=everywhere(Severity.ERROR),
    title="Two keys on one line",
    message="`{key}` belongs on its own line",
    why="Crawlers read the text after the first colon as one value, so they do not see the second key.",
    how_to_fix="Write each key with its value on its own line.",
    source="RFC 9309 section 2.2",
    bad=b"User-agent: * Disallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    fixable=True,
    supersedes=("CF302", "CF4", "CF5"),
)
