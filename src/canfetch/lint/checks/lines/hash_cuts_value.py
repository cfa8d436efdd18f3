"""A `#` that cuts off a path."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.records import Record
from canfetch.core.text import WHITE_SPACE
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.crawler_verdicts import example_path
from canfetch.lint.fixes import replace_span
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_HASH: Final = ord("#")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Look for rules whose value touches the `#` behind it."""
    if b"#" not in file.content:
        return
    for record in file.rule_records:
        if record.value is None or record.value[0] == record.value[1]:
            continue
        place = record.value[1]
        if place < record.span[1] and file.content[place] == _HASH:
            value = file.value(record)
            yield Occurrence(
                (place, place + 1),
                {"value": file.text(value)},
                VerdictQuery(example_path(value)) if record.group is not None else None,
                replace_span(place, place + 1, b"%23", changes_verdicts=True)
                if _goes_on(file, record, place)
                else None,
            )


def _goes_on(file: LintedFile, record: Record, place: int) -> bool:
    # What stands behind it is one word, or nothing but a comment that is set apart: a path that goes on.
    rest = file.content[place + 1 : record.span[1]].rstrip()
    return rest != b"" and not any(octet in rest for octet in WHITE_SPACE) and b"#" not in rest


CHECK = Check(
    code="CF210",
    name="hash-cuts-value",
    severities=everywhere(Severity.WARNING),
    title="A `#` that cuts off a path",
    message="`#` starts a comment, so the path is only `{value}`",
    why="A `#` starts a comment wherever it appears, so the rule matches more than intended. For example, `Disallow: "
    "/#x` blocks the whole site.",
    how_to_fix="Write `%23` for a literal `#`, and white space before a comment.",
    source="RFC 9309 section 2.2; google/robotstxt, GetKeyAndValueFrom",
    bad=LintInput(b"User-agent: *\nDisallow: /#admin\n"),
    good=LintInput(b"User-agent: *\nDisallow: /%23admin\n"),
    find=find,
    fixable=True,
)
