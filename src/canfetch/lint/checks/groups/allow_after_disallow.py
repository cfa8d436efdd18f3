"""An `Allow` after the `Disallow` that covers it."""

from bisect import bisect_right, insort
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

from canfetch.core.records import Record
from canfetch.lint.analysis.line_ends import line_end
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule
from canfetch.lint.severity import Severities, Severity

# Names with more groups are rare, and each group takes a search.
_MAX_EARLIER_GROUPS: Final = 8


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find allow rules that start with the value of a disallow rule above them in the same group."""
    all_prefixes: dict[int, _Prefixes] = {}
    for group in file.groups:
        pairs, all_prefixes[group.index] = _covered_allows(group)
        first = [pair for pair in pairs if not _is_decided_before(file, group, file.value(pair[0]), all_prefixes)]
        yield from _in_group(file, first)


class _Prefixes:
    """The rules of a group that parsers of the first match compare as prefixes. Of equal values, the first counts."""

    def __init__(self) -> None:
        self._rules: dict[bytes, LintedRule] = {}
        self._lengths: list[int] = []
        self._known_lengths: set[int] = set()

    def add(self, rule: LintedRule) -> None:
        value = rule.value
        self._rules.setdefault(value, rule)
        if len(value) not in self._known_lengths:
            self._known_lengths.add(len(value))
            insort(self._lengths, len(value))

    def first_match(self, value: bytes) -> LintedRule | None:
        """Return the first rule whose value starts `value`."""
        possible = self._lengths[: bisect_right(self._lengths, len(value))]
        found = (self._rules.get(value[:length]) for length in possible)
        return min((rule for rule in found if rule is not None), key=lambda rule: rule.line, default=None)


class _CoveredAllows(NamedTuple):
    """The allow rules of a group that start with a disallow rule above them, each with that rule, and all prefixes."""

    pairs: list[tuple[Record, Record]]
    prefixes: _Prefixes


def _in_group(file: LintedFile, pairs: list[tuple[Record, Record]]) -> Iterator[Occurrence]:
    by_covering: dict[int, list[tuple[Record, Record]]] = {}
    for allowed, covering in pairs:
        by_covering.setdefault(covering.line, []).append((allowed, covering))
    for same in by_covering.values():
        # One fix moves all of them to the same place.
        fix: Fix | None = _move(file, [allowed for allowed, _ in same], same[0][1])
        for allowed, covering in same:
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


def _covered_allows(group: LintedGroup) -> _CoveredAllows:
    pairs: list[tuple[Record, Record]] = []
    prefixes = _Prefixes()
    for rule in group.rules:
        # Parsers that use the first match read `*` and `$` as plain characters.
        if rule.value[:1] != b"/" or b"*" in rule.value or b"$" in rule.value or b" " in rule.value:
            continue
        first = prefixes.first_match(rule.value) if rule.allow else None
        if first is not None and not first.allow:
            pairs.append((rule.record, first.record))
        prefixes.add(rule)
    return _CoveredAllows(pairs, prefixes)


def _is_decided_before(file: LintedFile, group: LintedGroup, value: bytes, prefixes: Mapping[int, _Prefixes]) -> bool:
    """Return whether parsers that use the first match find another rule for a value in an earlier group."""
    earlier = (other for other in file.groups_named(group.first_token) if other.index < group.index)
    return any(prefixes[other.index].first_match(value) is not None for other in islice(earlier, _MAX_EARLIER_GROUPS))


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
