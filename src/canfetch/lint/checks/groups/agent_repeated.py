"""A crawler named twice in one group."""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.analysis.characters import has_text_line_break
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find product tokens that the same group already has."""
    for group in file.groups:
        if len(group.tokens) < 2:
            continue
        first: dict[str, Record] = {}
        for token in group.tokens:
            if not token.token:
                continue
            before = first.setdefault(token.token.lower(), token.record)
            if before is token.record:
                continue
            fix = None
            if not _has_blank_between(file, before, token.record):
                is_harmless = _is_copy(file, before, token.record)
                fix = replace_span(*token.record.span, b"", changes_verdicts=not is_harmless)
            yield Occurrence(file.text_span(token.record), {"token": token.token, "line": str(before.line)}, fix=fix)


def _is_copy(file: LintedFile, before: Record, record: Record) -> bool:
    # Equal lines, with only comments and user-agent lines between them.
    is_equal = (
        file.key(before).lower() == file.key(record).lower()
        and file.value(before) == file.value(record)
        and before.notes == record.notes
    )
    # If the line were removed, the CR before it and the LF after it would become one line end.
    start, end = record.span
    joins = file.content[start - 1 : start] == b"\r" and file.content[end : end + 1] == b"\n"
    others = file.compute_once(_count_other)
    return is_equal and not joins and others[record.line - 1] == others[before.line]


def _has_blank_between(file: LintedFile, before: Record, record: Record) -> bool:
    blank = file.blank_lines
    return bisect_left(blank, before.line) != bisect_left(blank, record.line - 1)


def _count_other(file: LintedFile) -> list[int]:
    """Return the number of lines up to each line that are neither user-agent lines nor comments."""
    return list(
        accumulate(
            (
                has_text_line_break(file.line_content(record))
                or (
                    record.kind is not RecordKind.USER_AGENT
                    and not file.line_content(record).lstrip(b" \t").startswith(b"#")
                )
                for record in file.records
            ),
            initial=0,
        )
    )


CHECK = Check(
    code="CF304",
    name="agent-repeated",
    severities=everywhere(Severity.INFO),
    title="A crawler named twice in one group",
    message="`{token}` is already named on line {line}",
    why="The second line has no effect. Often, another crawler was intended.",
    how_to_fix="Remove the line, or name the intended crawler.",
    source="RFC 9309 section 2.2.1",
    bad=b"User-agent: FooBot\nUser-agent: FooBot\nDisallow: /private/\n",
    good=b"User-agent: FooBot\nDisallow: /private/\n",
    find=find,
    needs=(Trait.SEVERAL_AGENTS,),
    fixable=True,
)
