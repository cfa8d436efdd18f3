"""An `Allow` after the `Disallow` that covers it."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.analysis.line_fixes import line_end
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule
from canfetch.lint.severity import Severities, Severity

# Names with more groups are rare, and each group takes a search.
_MAX_EARLIER_GROUPS: Final = 8
_SPECIAL: Final = b"*$ "


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find allow rules that start with the value of a disallow rule above them in the same group."""
    all_prefixes: list[_Prefixes] = []
    for group in file.groups:
        all_prefixes.append(_Prefixes(group))
        if not _has_allow_below_disallow(group):
            continue
        pairs = _covered_allows(all_prefixes[-1])
        first = [pair for pair in pairs if not _is_decided_before(file, group, file.value(pair[0]), all_prefixes)]
        yield from _in_group(file, first)


def _has_allow_below_disallow(group: LintedGroup) -> bool:
    decisions = [rule.allow for rule in group.rules]
    return False in decisions and True in decisions[decisions.index(False) :]


class _Prefixes:
    """The rules of a group that parsers of the first match compare as prefixes. Of equal values, the first counts."""

    def __init__(self, group: LintedGroup) -> None:
        self._group = group

    @cached_property
    def rules(self) -> list[LintedRule]:
        return [rule for rule in self._group.rules if _is_prefix(rule.value)]

    @cached_property
    def _first(self) -> dict[bytes, LintedRule]:
        return {rule.value: rule for rule in reversed(self.rules)}

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted(set(map(len, self._first)))

    def first_match(self, value: bytes) -> LintedRule | None:
        """Return the first rule whose value starts `value`."""
        first, best = self._first, None
        for length in self._lengths[: bisect_right(self._lengths, len(value))]:
            rule = first.get(value[:length])
            if rule is not None and (best is None or rule.line < best.line):
                best = rule
        return best


def _is_prefix(value: bytes) -> bool:
    # Parsers that use the first match read `*` and `$` as plain characters.
    return value[:1] == b"/" and len(value.translate(None, _SPECIAL)) == len(value)


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
            yield Occurrence(file.text_span(allowed), details, fix=fix, lines=(covering.line,))
            fix = None


def _move(file: LintedFile, allowed: list[Record], covering: Record) -> Fix:
    start = covering.span[0]
    lines = b"".join(file.line_content(record).strip() + line_end(file) for record in allowed)
    return Fix((Edit(start, start, lines), *(Edit(*record.span, b"") for record in allowed)), changes_verdicts=True)


def _covered_allows(prefixes: _Prefixes) -> list[tuple[Record, Record]]:
    """Return the allow rules of a group that start with a disallow rule above them, each with that rule."""
    possible = _allowed_below_disallowed(prefixes.rules)
    covered = (rule for rule in prefixes.rules if possible and rule.allow and rule.value in possible)
    firsts = ((rule, prefixes.first_match(rule.value)) for rule in covered)
    return [(rule.record, first.record) for rule, first in firsts if first is not None and not first.allow]


def _allowed_below_disallowed(rules: list[LintedRule]) -> set[bytes]:
    """Return the values of the allow rules that start with the value of any of the disallow rules."""
    allowed = [rule.value for rule in rules if rule.allow]
    if not allowed or len(allowed) == len(rules):
        return set()
    # Without the values that start with another one, only the last value before a path can be the start of it.
    shortest: list[bytes] = []
    for value in sorted([rule.value for rule in rules if not rule.allow]):
        if not shortest or not value.startswith(shortest[-1]):
            shortest.append(value)
    places = ((value, bisect_right(shortest, value)) for value in allowed)
    return {value for value, place in places if place and value.startswith(shortest[place - 1])}


def _is_decided_before(file: LintedFile, group: LintedGroup, value: bytes, prefixes: list[_Prefixes]) -> bool:
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
    why="In RFC 9309, the longest match decides, whatever its position in the file. Parsers that follow the 1996 "
    "draft, and for many years Python's robotparser, use the first rule that matches.",
    how_to_fix="Write the `Allow` above the `Disallow`, so that all crawlers read it alike.",
    source="draft-koster-robots-00 section 3.2.2; RFC 9309 section 2.2.2",
    bad=b"User-agent: *\nDisallow: /private/\nAllow: /private/open/\n",
    good=b"User-agent: *\nAllow: /private/open/\nDisallow: /private/\n",
    find=find,
    needs=(RecordKind.ALLOW,),
    fixable=True,
)
