"""Two `*` in a row."""

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

_IN_A_ROW: Final = re.compile(rb"\*\*")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find runs of `*` that something else follows."""
    for record in rule_records_matching(file, _IN_A_ROW):
        value = file.value(record)
        bare = value.rstrip(b"*")
        if b"**" not in bare or record.value is None:
            continue
        first, *rest = bare.split(b"*")
        better = first + b"".join(b"*" + part for part in rest if part)
        start = record.value[0] + bare.index(b"**")
        yield Occurrence(
            (start, start + 2),
            {"pattern": file.text(value), "better": file.text(better)},
            query_for(better, contrast_only=True),
            rewrite_unopposed(file, record, better + value[len(bare) :]),
        )


CHECK = Check(
    code="CF404",
    name="double-star",
    severities=everywhere(Severity.INFO),
    title="Two `*` in a row",
    message="`{pattern}` matches the same URLs as `{better}`",
    why="A single `*` already matches any characters, including slashes, so a second one adds nothing. Unlike in glob "
    "patterns, `**` has no special meaning for nested folders.",
    how_to_fix="Write a single `*`.",
    source="RFC 9309 section 2.2.3",
    bad=b"User-agent: *\nDisallow: /**/drafts/\n",
    good=b"User-agent: *\nDisallow: /*/drafts/\n",
    find=find,
    needs=(InRule(b"**"),),
    fixable=True,
)
