"""A repeated rule."""

from bisect import bisect_left
from collections.abc import Iterator
from functools import partial

from canfetch.core.notes import Note
from canfetch.lint.analysis.line_fixes import remove_line
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.repeated_rules import repeated_rules
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import Fix
from canfetch.lint.linted_file import LintedFile, LintedRule
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find rules of one group and kind that match the same URLs."""
    for rule, other in repeated_rules(file):
        yield LineOccurrence(rule.line, partial(_occurrence, file, rule, other))


def _occurrence(file: LintedFile, rule: LintedRule, other: LintedRule) -> Occurrence:
    details = {"pattern": file.text(rule.value), "earlier": file.text(other.value), "line": str(other.line)}
    return Occurrence(file.text_span(rule.record), details, fix=partial(_fix, file, rule, other))


def _fix(file: LintedFile, rule: LintedRule, other: LintedRule) -> Fix:
    # Only some parsers read a misspelt key as a rule.
    same = (
        rule.value == other.value
        and not rule.record.notes & (Note.MISSPELT_KEY | Note.KEY_PREFIX | Note.MISSING_COLON)
        and rule.record.notes == other.record.notes
        and file.key(rule.record).lower() == file.key(other.record).lower()
    )
    # Parsers from 1994 ignore allow lines, and end a group at a blank line.
    separated = bisect_left(file.blank_lines, other.line) != bisect_left(file.blank_lines, rule.line)
    return remove_line(rule.record, changes_verdicts=not same or (rule.allow and separated))


CHECK = Check(
    code="CF405",
    name="duplicate-rule",
    severities=everywhere(Severity.INFO),
    title="A repeated rule",
    message="`{pattern}` matches the same URLs as `{earlier}` on line {line}",
    why="A rule counts once, however often its group contains it, and the order of rules does not matter. If you "
    "later remove or change only one of the two rules, the other one still applies.",
    how_to_fix="Remove one of the two rules.",
    source="RFC 9309 section 2.2.2",
    bad=b"User-agent: *\nDisallow: /private/\nDisallow: /tmp/\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\nDisallow: /tmp/\n",
    find=find,
    needs=(Trait.SEVERAL_RULES,),
    fixable=True,
    removes_redundant_lines=True,
)
