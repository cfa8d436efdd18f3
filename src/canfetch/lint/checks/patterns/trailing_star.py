"""A `*` at the end of a pattern."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_neighbours import rewrite_unopposed
from canfetch.lint.analysis.rule_values import rule_records_matching
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# Not a lone `*`.
_AT_END: Final = re.compile(rb"\*(?<!\n\*)\n")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find patterns that end with `*` and contain something else."""
    for record in rule_records_matching(file, _AT_END):
        value = file.value(record)
        bare = value.rstrip(b"*")
        if not bare or record.value is None:
            continue
        yield Occurrence(
            (record.value[0] + len(bare), record.value[1]),
            {"pattern": file.text(value), "better": file.text(bare)},
            query_for(bare, contrast_only=True),
            rewrite_unopposed(file, record, bare),
        )


CHECK = Check(
    code="CF403",
    name="trailing-star",
    severities=everywhere(Severity.INFO),
    title="A `*` at the end of a pattern",
    message="`{pattern}` matches the same URLs as `{better}`",
    why="A pattern already matches every URL that starts with it, so a final `*` adds nothing. It still counts as a "
    "character when rules of different lengths compete, and parsers from 1994 look for a literal `*`.",
    how_to_fix="Remove the `*` at the end.",
    source="RFC 9309 sections 2.2.2 and 2.2.3; Google, URL matching based on path values",
    bad=b"User-agent: *\nDisallow: /private/*\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(InRule(b"*"),),
    fixable=True,
)
