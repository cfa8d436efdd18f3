"""A blank line within a group."""

from collections.abc import Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile, LintedGroup
from canfetch.lint.severity import Severities, Severity

_RULES = (RecordKind.ALLOW, RecordKind.DISALLOW)


class _SplitGroup(NamedTuple):
    """A group with blank lines in it, and the rules after them that a crawler might ignore."""

    group: int
    blanks: list[Record]
    lost: list[Record]


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find groups with rules after a blank line."""
    if file_is_markup(file):
        return
    for split in _split_groups(file):
        group = file.groups[split.group]
        first = split.blanks[0]
        edits = tuple(Edit(*blank.span, b"") for blank in split.blanks)
        query = None
        example = next((record for record in split.lost if file.value(record).startswith(b"/")), None)
        if example is not None and group.names & {"*", "yandex", "yandexbot"}:
            query = query_for(file.value(example), example.line)
        details = {"token": group.first_token, "count": str(len(split.lost))}
        fix = Fix(edits, changes_verdicts=True)
        harmless = not _is_read_by_yandex(file, group)
        yield Occurrence((first.span[0], first.span[0]), details, query, fix, harmless=harmless)


def _is_read_by_yandex(file: LintedFile, group: LintedGroup) -> bool:
    # With a group for all its crawlers, Yandex does not read the `*` group.
    has_own = bool(file.groups_named("yandex"))
    return ("*" in group.names and not has_own) or any(name.startswith("yandex") for name in group.names)


def _split_groups(file: LintedFile) -> Iterator[_SplitGroup]:
    current = _SplitGroup(-1, [], [])
    # The lines without a key between records that neither start nor continue the group.
    pending: list[range] = []
    before: Record | None = None
    kind: RecordKind | None = None
    for record in _in_interrupted_groups(file):
        if before is not None and record.line > before.line + 1:
            pending.append(range(before.line, record.line - 1))
        if record.group is not None:
            if record.group != current.group:
                if current.blanks:
                    yield current
                current = _SplitGroup(record.group, [], [])
                pending.clear()
            if pending or current.blanks:
                _add(file, current, record, kind, pending)
            kind = record.kind
        before = record
    if current.blanks:
        yield current


def _in_interrupted_groups(file: LintedFile) -> Iterator[Record]:
    """Yield the lines with a key in groups that have other lines between them."""
    records = file.records
    gaps = [(before, after) for before, after in pairwise(records.keyed) if after > before + 1]
    interrupted = {records.group(after) for before, after in gaps if records.group(before) == records.group(after)}
    interrupted.discard(None)
    if interrupted:
        yield from (records[index] for index in records.keyed if records.group(index) in interrupted)


def _add(
    file: LintedFile, current: _SplitGroup, record: Record, before: RecordKind | None, pending: list[range]
) -> None:
    is_rule = record.kind in _RULES
    is_agent = record.kind is RecordKind.USER_AGENT
    # After any other record, a user-agent line may be meant to start a group, which another check reports.
    if is_rule or (is_agent and before is RecordKind.USER_AGENT):
        lines = map(file.records.__getitem__, chain.from_iterable(pending))
        current.blanks.extend(line for line in lines if line.group is not None and file.is_blank(line))
    if is_rule and current.blanks:
        current.lost.append(record)
    if is_rule or is_agent:
        pending.clear()


CHECK = Check(
    code="CF305",
    name="blank-line-in-group",
    severities=Severities(rfc=Severity.INFO, yandex=Severity.WARNING),
    title="A blank line within a group",
    message="some crawlers end the group of `{token}` at this blank line, and ignore {count|rule|rules} after it",
    why="RFC 9309 and Google ignore blank lines. For Yandex, and for parsers that follow the 1994 and 1996 standards, "
    "the group ends there: the rules after the blank line apply to no crawler.",
    how_to_fix="Remove the blank lines between the first `User-agent` line of a group and its last rule, or write `#` "
    "on them.",
    source="Yandex Webmaster, robots.txt; A Standard for Robot Exclusion, 1994; RFC 9309 section 2.2",
    bad=LintInput(b"User-agent: *\nDisallow: /a/\n\nDisallow: /b/\n"),
    good=LintInput(b"User-agent: *\nDisallow: /a/\nDisallow: /b/\n"),
    find=find,
    fixable=True,
)
