"""A product token that one group names twice."""

from collections.abc import Iterator

from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.check import Check, Found
from canfetch.lint.fixing import replacing
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Look for user-agent lines that name what a line above them in the same group names."""
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
            between = file.records[before.line : token.record.line - 1]
            fix = None
            if not any(map(file.is_blank, between)):
                says_nothing = _says_nothing(file, before, token.record)
                fix = replacing(*token.record.span, b"", changes_verdicts=not says_nothing)
            yield Found(file.content_span(token.record), {"token": token.token, "line": str(before.line)}, fix=fix)


def _says_nothing(file: LintedFile, before: Record, record: Record) -> bool:
    # Written alike, with nothing between but lines that nobody stops at.
    alike = (
        file.key(before).lower() == file.key(record).lower()
        and file.value(before) == file.value(record)
        and before.notes == record.notes
    )
    return alike and all(
        between.kind is RecordKind.USER_AGENT or file.content(between).lstrip(b" \t").startswith(b"#")
        for between in file.records[before.line : record.line - 1]
    )


CHECK = Check(
    code="CF304",
    name="agent-repeated",
    severities=everywhere(Severity.INFO),
    title="A crawler named twice in one group",
    message="`{token}` is named already, on line {line}",
    why="The second line says nothing more; often another crawler was meant.",
    mend="Remove the line, or name the crawler that is meant.",
    source="RFC 9309 section 2.2.1",
    bad=Given(b"User-agent: FooBot\nUser-agent: FooBot\nDisallow: /private/\n"),
    good=Given(b"User-agent: FooBot\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
