"""An empty `Disallow` next to other rules."""

from collections.abc import Iterator

from canfetch.core.notes import Note
from canfetch.lint.analysis.line_fixes import count_nonempty_rules, remove_line
from canfetch.lint.analysis.rule_values import EMPTY_VALUE, rules_matching
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find empty disallow rules in groups with other rules."""
    has_others: dict[int, bool] = {}
    for rule in rules_matching(file, EMPTY_VALUE):
        if rule.group not in has_others:
            has_others[rule.group] = count_nonempty_rules(file.groups[rule.group]) > 0
        if not rule.allow and has_others[rule.group]:
            yield Occurrence(file.text_span(rule.record), fix=remove_line(rule.record, changes_verdicts=True))


CHECK = Check(
    code="CF414",
    name="disallow-empty-among-rules",
    severities=everywhere(Severity.INFO),
    title="An empty `Disallow` next to other rules",
    message="an empty `Disallow` has no effect next to other rules",
    why="On its own in a group, an empty `Disallow` allows everything. Next to other rules, crawlers ignore it. "
    "Parsers that use the first matching rule may stop there and miss the rules below.",
    how_to_fix="Remove the line.",
    source="RFC 9309 section 2.2; Google, Disallow and Allow",
    bad=b"User-agent: *\nDisallow:\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Note.EMPTY_VALUE,),
    fixable=True,
    removes_redundant_lines=True,
)
