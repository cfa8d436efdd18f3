"""An `Allow` after the `Disallow` that covers it."""

from bisect import bisect_right, insort
from collections.abc import Iterator

from canfetch.core.records import Record
from canfetch.lint.analysis.line_ends import line_end
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile, LintedGroup
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find allow rules that start with the value of a disallow rule above them in the same group."""
    for group in file.groups:
        yield from _in_group(file, group)


def _in_group(file: LintedFile, group: LintedGroup) -> Iterator[Occurrence]:
    by_covering: dict[int, list[tuple[Record, Record]]] = {}
    for allowed, covering in _covered_allows(group):
        by_covering.setdefault(covering.line, []).append((allowed, covering))
    for pairs in by_covering.values():
        # One fix moves all of them to the same place.
        fix: Fix | None = _move(file, [allowed for allowed, _ in pairs], pairs[0][1])
        for allowed, covering in pairs:
            details = {
                "value": file.text(file.value(allowed)),
                "line": str(covering.line),
                "other": file.text(file.value(covering)),
            }
            yield Occurrence(file.text_span(allowed), details, fix=fix)
            fix = None


def _move(file: LintedFile, allowed: list[Record], covering: Record) -> Fix:
    start = covering.span[0]
    lines = b"".join(file.line_content(record).strip() + line_end(file) for record in allowed)
    return Fix((Edit(start, start, lines), *(Edit(*record.span, b"") for record in allowed)), changes_verdicts=True)


def _covered_allows(group: LintedGroup) -> Iterator[tuple[Record, Record]]:
    above: dict[bytes, Record] = {}
    lengths: list[int] = []
    known_lengths: set[int] = set()
    for rule in group.rules:
        # Parsers that use the first match read `*` and `$` as plain characters.
        if rule.value[:1] != b"/" or b"*" in rule.value or b"$" in rule.value or b" " in rule.value:
            continue
        if not rule.allow:
            above.setdefault(rule.value, rule.record)
            if len(rule.value) not in known_lengths:
                known_lengths.add(len(rule.value))
                insort(lengths, len(rule.value))
            continue
        covering = _covering(rule.value, above, lengths)
        if covering is not None:
            yield rule.record, covering


def _covering(value: bytes, above: dict[bytes, Record], lengths: list[int]) -> Record | None:
    possible = lengths[: bisect_right(lengths, len(value))]
    covering = [above[value[:length]] for length in possible if value[:length] in above]
    return min(covering, key=lambda record: record.line, default=None)


CHECK = Check(
    code="CF311",
    name="allow-after-disallow",
    severities=Severities(rfc=Severity.INFO),
    title="An `Allow` after the `Disallow` that covers it",
    message="crawlers that use the first matching rule never reach `{value}`, because `{other}` on line {line} "
    "matches first",
    why="In RFC 9309, the longest match decides, wherever it is in the file. Parsers that follow the 1996 draft, and "
    "for many years Python's robotparser, use the first rule that matches.",
    how_to_fix="Write the `Allow` above the `Disallow`, so that all crawlers read it alike.",
    source="draft-koster-robots-00 section 3.2.2; RFC 9309 section 2.2.2",
    bad=LintInput(b"User-agent: *\nDisallow: /private/\nAllow: /private/open/\n"),
    good=LintInput(b"User-agent: *\nAllow: /private/open/\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
