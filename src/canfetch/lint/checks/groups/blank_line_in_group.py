"""A blank line within a group."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple

from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile, LintedGroup
from canfetch.lint.severity import Severities, Severity

_RULES = (RecordKind.ALLOW, RecordKind.DISALLOW)
_READ_BY_YANDEX: Final = frozenset({"*", "yandex", "yandexbot"})


class _SplitGroup(NamedTuple):
    """A group with blank lines in it, and the indices of the rules after them that a crawler might ignore."""

    group: int
    blanks: list[Record]
    lost: list[int]


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find groups with rules after a blank line."""
    if file_is_markup(file):
        return
    for split in _split_groups(file):
        group = file.groups[split.group]
        first = split.blanks[0]
        edits = tuple(Edit(*blank.span, b"") for blank in split.blanks)
        query = None
        if not group.names.isdisjoint(_READ_BY_YANDEX):
            lost = map(file.records.__getitem__, split.lost)
            example = next((record for record in lost if file.value(record).startswith(b"/")), None)
            query = None if example is None else query_for(file.value(example), example.line)
        details = {"token": group.first_token, "count": str(len(split.lost))}
        fix = Fix(edits, changes_verdicts=True)
        harmless = not _is_read_by_yandex(file, group)
        yield Occurrence((first.span[0], first.span[0]), details, query, fix, harmless=harmless)


def _is_read_by_yandex(file: LintedFile, group: LintedGroup) -> bool:
    # With a group for all its crawlers, Yandex does not read the `*` group.
    has_own = bool(file.groups_named("yandex"))
    return ("*" in group.names and not has_own) or any(name.startswith("yandex") for name in group.names)


def _split_groups(file: LintedFile) -> Iterator[_SplitGroup]:
    for group, indices in _interrupted_groups(file):
        split = _split_group(file, group, indices)
        if split.lost:
            yield split


def _interrupted_groups(file: LintedFile) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield the groups with other lines between those with a key, and the indices of the lines with a key."""
    records, keyed = file.records, file.records.keyed
    end = 0
    for before, after in [(before, after) for before, after in pairwise(keyed) if after > before + 1]:
        group = records.group(after)
        if before >= end and group is not None and group == records.group(before):
            lines = records.group_range(after)
            end = lines.stop
            yield group, keyed[bisect_left(keyed, lines.start) : bisect_left(keyed, end)]


def _split_group(file: LintedFile, group: int, indices: Sequence[int]) -> _SplitGroup:
    records = file.records
    split = _SplitGroup(group, [], [])
    # The lines without a key between records that neither start nor continue the group.
    pending: list[range] = []
    before = indices[0]
    for index in indices:
        if index > before + 1:
            pending.append(range(before + 1, index))
        if pending or split.blanks:
            kind = records.kind(index)
            is_rule = kind in _RULES
            is_agent = kind is RecordKind.USER_AGENT
            # After any other record, a user-agent line may be meant to start a group, which another check reports.
            if pending and (is_rule or (is_agent and records.kind(before) is RecordKind.USER_AGENT)):
                blanks = filter(file.is_blank, chain.from_iterable(pending))
                split.blanks.extend(map(records.__getitem__, blanks))
            if is_rule and split.blanks:
                split.lost.append(index)
            if is_rule or is_agent:
                pending.clear()
        before = index
    return split


CHECK = Check(
    code="CF305",
    name="blank-line-in-group",
    severities=Severities(rfc=Severity.INFO, yandex=Severity.WARNING),
    title="A blank line within a group",
    message="some crawlers end the group of `{token}` at this blank line, and ignore {count|rule|rules} after it",
    why="RFC 9309 and Google ignore blank lines. For Yandex, and for parsers that follow the 1994 standard or the 1996 "
    "draft, the group ends there, and its crawlers do not follow the rules after the blank line.",
    how_to_fix="Remove the blank lines between the first `User-agent` line of a group and its last rule, or write `#` "
    "on them.",
    source="Yandex Webmaster, robots.txt; A Standard for Robot Exclusion, 1994; RFC 9309 section 2.2",
    bad=b"User-agent: *\nDisallow: /a/\n\nDisallow: /b/\n",
    good=b"User-agent: *\nDisallow: /a/\nDisallow: /b/\n",
    find=find,
    fixable=True,
)
