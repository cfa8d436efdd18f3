"""A rule for robots.txt itself."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.line_fixes import count_nonempty_rules, remove_line
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import rules_matching
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_ROBOTS: Final = re.compile(rb"\n/robots\.txt[$*]?\n")
_ROBOTS_PATTERNS: Final = frozenset({b"/robots.txt", b"/robots.txt$", b"/robots.txt*"})


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules that match only robots.txt."""
    groups = dict.fromkeys(rule.group for rule in rules_matching(file, _ROBOTS))
    for group in map(file.groups.__getitem__, groups):
        matching = [rule for rule in group.rules if rule.value in _ROBOTS_PATTERNS]
        others = count_nonempty_rules(group) > len(matching)
        for rule in matching:
            yield Occurrence(
                file.text_span(rule.record),
                {"pattern": file.text(rule.value)},
                fix=remove_line(rule.record, changes_verdicts=True) if others else None,
            )


CHECK = Check(
    code="CF418",
    name="robots-txt-disallowed",
    severities=everywhere(Severity.INFO),
    title="A rule for robots.txt itself",
    message="a rule for `{pattern}` has no effect",
    why="Crawlers fetch robots.txt before they know any rule, and RFC 9309 always allows it.",
    how_to_fix="Remove the line. If a group is left without rules, write an empty `Disallow:` there.",
    source="RFC 9309 section 2.2.2",
    bad=b"User-agent: *\nDisallow: /robots.txt\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(InRule(b"/robots.txt"),),
    fixable=True,
    removes_redundant_lines=True,
)
