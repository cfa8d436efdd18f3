"""A word such as `all` or `none` where a path belongs."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.rule_values import rule_records_matching
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Fix, replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_WORD: Final = re.compile(rb"\n(?i:all|any|everything|none|nothing)\n")
_NOTHING: Final = frozenset({b"none", b"nothing"})


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules whose whole value is such a word."""
    for record in rule_records_matching(file, _WORD):
        if record.value is None:
            continue
        value = file.value(record)
        start, end = record.value
        fix: Fix | None = None
        # What closes a site is for its owner to write.
        if record.kind is RecordKind.ALLOW and value.lower() not in _NOTHING:
            fix = replace_span(start, end, b"/", changes_verdicts=True)
        elif record.kind is RecordKind.DISALLOW and value.lower() in _NOTHING:
            fix = replace_span(len(file.content[:start].rstrip(b" \t")), end, b"", changes_verdicts=True)
        yield Occurrence(record.value, {"pattern": file.text(value)}, fix=fix)


CHECK = Check(
    code="CF429",
    name="word-as-pattern",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A word where a path belongs",
    message="`{pattern}` is a word, not a path, so the rule matches nothing",
    why="The value of a rule is the start of a path. Crawlers know no words for the whole site or for nothing.",
    how_to_fix="Write `/` for the whole site. To allow everything, write an empty `Disallow:`.",
    source="RFC 9309 section 2.2.2; A Standard for Robot Exclusion, 1994; Lighthouse, robots-txt",
    bad=b"User-agent: *\nDisallow: none\n",
    good=b"User-agent: *\nDisallow:\n",
    find=find,
    needs=(Trait.OTHER_START,),
    fixable=True,
    supersedes=("CF401",),
)
