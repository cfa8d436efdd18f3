"""A pattern that is only `*`."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_neighbours import rewrite_unopposed
from canfetch.lint.analysis.rule_values import rule_records_matching
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_ONLY: Final = re.compile(rb"\n\*+\n")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find patterns of stars alone."""
    for record in rule_records_matching(file, _ONLY):
        if record.value is not None:
            yield Occurrence(
                record.value,
                {"pattern": file.text(file.value(record))},
                VerdictQuery("/", contrast_only=True),
                rewrite_unopposed(file, record, b"/"),
            )


CHECK = Check(
    code="CF411",
    name="only-star",
    severities=everywhere(Severity.INFO),
    title="A pattern that is only `*`",
    message="`{pattern}` should be written as `/`, which every crawler understands",
    why="Crawlers that support `*` apply the rule to every path. RFC 9309 requires a slash first, and for parsers "
    "without wildcards the rule matches nothing.",
    how_to_fix="Write `/`.",
    source="RFC 9309 section 2.2.2",
    bad=b"User-agent: ExampleBot\nDisallow: *\n",
    good=b"User-agent: ExampleBot\nDisallow: /\n",
    find=find,
    needs=(InRule(b"*"),),
    fixable=True,
)
