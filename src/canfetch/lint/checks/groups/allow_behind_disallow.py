"""An allow that stands behind the disallow which covers it."""

from collections.abc import Iterator

from canfetch.core.records import Record
from canfetch.lint.check import Check, Found
from canfetch.lint.checks.lines.line_ends import line_end
from canfetch.lint.fixing import Edit, Fix
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile, LintedGroup
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look for allow rules whose beginning is the whole of a disallow rule above them in the same group."""
    for group in file.groups:
        yield from _found(file, group)


def _found(file: LintedFile, group: LintedGroup) -> Iterator[Found]:
    above: dict[bytes, Record] = {}
    lengths: list[int] = []
    for rule in group.rules:
        if not rule.value.startswith(b"/"):
            continue
        if not rule.allow:
            # `*` and `$` are characters to those who obey the first match.
            if not any(mark in rule.value for mark in b"*$ ") and rule.value not in above:
                above[rule.value] = rule.record
                if len(rule.value) not in lengths:
                    lengths.append(len(rule.value))
            continue
        covering = _covering(rule.value, above, lengths)
        if covering is None or any(mark in rule.value for mark in b"*$ "):
            continue
        content = file.content(rule.record)
        moved = Edit(covering.span[0], covering.span[0], content.strip() + line_end(file))
        yield Found(
            file.content_span(rule.record),
            {"value": file.text(rule.value), "line": str(covering.line), "other": file.text(file.value(covering))},
            fix=Fix((moved, Edit(*rule.record.span, b"")), changes_verdicts=True),
        )


def _covering(value: bytes, above: dict[bytes, Record], lengths: list[int]) -> Record | None:
    found = [above[value[:length]] for length in lengths if length <= len(value) and value[:length] in above]
    return min(found, key=lambda record: record.line, default=None)


CHECK = Check(
    code="CF311",
    name="allow-behind-disallow",
    severities=Severities(rfc=Severity.INFO),
    title="An allow behind the disallow that covers it",
    message="crawlers that obey the first match never come to `{value}`, since `{other}` on line {line} matches before",
    why="In the standard the longest match decides, wherever it stands. Readers of the draft of 1996, and Python's "
    "robotparser for many years, obey the first rule that matches.",
    mend="Write the allow above the disallow: then all read it alike.",
    source="draft-koster-robots-00 section 3.2.2; RFC 9309 section 2.2.2",
    bad=Given(b"User-agent: *\nDisallow: /private/\nAllow: /private/open/\n"),
    good=Given(b"User-agent: *\nAllow: /private/open/\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
