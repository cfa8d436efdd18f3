"""Two keys on one line."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.core.keys import NAMES, RecordKind
from canfetch.core.records import Note
from canfetch.lint.analysis.key_names import CORE_SPELLINGS, DISALLOW, TRANSLATED_KEYS, USER_AGENT
from canfetch.lint.analysis.line_ends import line_end
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.crawler_verdicts import example_path
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_NAMES: Final[dict[bytes, bytes]] = {
    **CORE_SPELLINGS,
    b"crawl-delay": b"Crawl-delay",
    b"host": b"Host",
    **{word.encode(): name for word, name in TRANSLATED_KEYS.items()},
}
_LONGEST_NAME: Final = max(map(len, _NAMES))
_MOST_INNER: Final = 64


class _Inner(NamedTuple):
    """A key within a value: the white space before it, its place, and its name written well."""

    gap_start: int
    start: int
    end: int
    name: bytes


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Look at values in which the key of another record and a colon stand behind white space."""
    for record in file.keyed_records:
        if record.value is None or record.kind is None or record.kind is RecordKind.OTHER:
            continue
        value = file.value(record)
        if b":" in value and (b" " in value or b"\t" in value):
            yield from _found(file, NAMES[record.kind].capitalize(), record.value[0], value)
    for line in odd_lines(file, Oddity.TRANSLATED):
        if line.record.value is not None and Note.MISSING_COLON not in line.record.notes:
            yield from _found(file, line.name or b"", line.record.value[0], file.value(line.record))
    for line in odd_lines(file, Oddity.JOINED):
        if line.record.key is not None:
            words = file.key(line.record).split()
            yield Occurrence(line.record.key, {"key": file.text(words[-1])})


def _found(file: LintedFile, outer: bytes, start: int, value: bytes) -> Iterator[Occurrence]:
    inner = _inner_keys(value)
    if not inner:
        return
    end = line_end(file)
    edits = tuple(
        # A group begins behind a rule: a blank line belongs there.
        Edit(start + one.gap_start, start + one.end, (end * 2 if before != one.name == USER_AGENT else end) + one.name)
        for before, one in zip((outer, *(one.name for one in inner)), inner, strict=False)
    )
    first = inner[0]
    path = value[first.end :].partition(b":")[2].strip()
    query = VerdictQuery(example_path(path)) if first.name == DISALLOW and path and b" " not in path else None
    yield Occurrence(
        (start + first.start, start + len(value)),
        {"key": file.text(value[first.start : first.end])},
        query,
        Fix(edits, changes_verdicts=True),
    )


def _inner_keys(value: bytes) -> list[_Inner]:
    found: list[_Inner] = []
    behind = 0
    parts = value.split(b":")
    if len(parts) > _MOST_INNER:
        return found
    for part in parts[:-1]:
        # The key is what ends here, of one or some words, with white space before it.
        text = part.rstrip()
        lower = text[-_LONGEST_NAME:].lower()
        cut = len(text) - len(lower)
        for place in range(len(lower)):
            at_word = (cut + place > 0 and text[cut + place - 1 : cut + place] in b" \t") or (
                cut + place == 0 and behind == 0
            )
            name = _NAMES.get(lower[place:]) if at_word else None
            if name is not None:
                start = behind + cut + place
                gap_start = len(value[:start].rstrip())
                found.append(_Inner(gap_start, start, behind + len(text), name))
                break
        behind += len(part) + 1
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
    bad=LintInput(b"User-agent: * Disallow: /private/\n"),
    good=LintInput(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
