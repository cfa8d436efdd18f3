"""A `$` after a final `*`."""

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

_AT_END: Final = re.compile(rb"\*\$\n")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find patterns that end with `*$`."""
    for record in rule_records_matching(file, _AT_END):
        value = file.value(record)
        if record.value is None:
            continue
        better = value[:-1].rstrip(b"*") or b"/"
        yield Occurrence(
            (record.value[1] - 2, record.value[1]),
            {"pattern": file.text(value), "better": file.text(better)},
            query_for(better, contrast_only=True),
            rewrite_unopposed(file, record, better),
        )


CHECK = Check(
    code="CF420",
    name="dollar-after-star",
    severities=everywhere(Severity.INFO),
    title="A `$` after a final `*`",
    message="`{pattern}` matches the same URLs as `{better}`: after a `*`, a final `$` has no effect",
    why="The `*` matches any characters up to the end of the URL, so the `$` excludes nothing.",
    how_to_fix="Remove both, or put the `$` where the URL should end.",
    source="RFC 9309 section 2.2.3",
    bad=b"User-agent: *\nDisallow: /print/*$\n",
    good=b"User-agent: *\nDisallow: /print/\n",
    find=find,
    needs=(InRule(b"*$"),),
    fixable=True,
)
