"""A `#` that cuts off a path."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.rule_values import has_written_rule, rule_values
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_HASH: Final = b"#"


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules whose value is directly followed by `#`."""
    if b"#" not in file.content:
        return
    for index in _before_hash(file):
        record = file.records[index]
        value = file.value(record)
        if value and record.value is not None:
            end = record.value[1]
            yield Occurrence(
                (end, end + 1),
                {"value": file.text(value)},
                query_for(value) if record.group is not None else None,
                # The rule repeats another one.
                harmless=has_written_rule(file, record, value),
            )


def _before_hash(file: LintedFile) -> list[int]:
    """Return the indices of the rules whose value a `#` follows."""
    content, values = file.content, rule_values(file)
    return [index for index, end in zip(values.indices, values.ends, strict=True) if content[end : end + 1] == _HASH]


CHECK = Check(
    code="CF210",
    name="hash-cuts-value",
    severities=everywhere(Severity.WARNING),
    title="A `#` that cuts off a path",
    message="`#` starts a comment, so the path is only `{value}`",
    why="A `#` starts a comment wherever it appears, so the rule matches more than intended. For example, `Disallow: "
    "/#x` blocks the whole site.",
    how_to_fix="Remove the `#` and the rest if it is the part of a URL that browsers do not send. Write `%23` for a "
    "literal `#`, and white space before a comment.",
    source="RFC 9309 section 2.2; google/robotstxt, GetKeyAndValueFrom",
    bad=b"User-agent: *\nDisallow: /#admin\n",
    good=b"User-agent: *\nDisallow: /%23admin\n",
    find=find,
    needs=(b"#",),
)
