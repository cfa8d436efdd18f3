"""A rule that never decides, because opposite rules always win."""

from collections.abc import Iterator
from functools import partial

from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.ineffective_rules import Cause, IneffectiveRule, ineffective_rules
from canfetch.lint.analysis.rule_fixes import remove_line
from canfetch.lint.analysis.winning_rules import winners_as_text
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find rules that lose to an opposite rule for each URL that they match."""
    for ineffective in ineffective_rules(file, Cause.OVERRIDDEN):
        yield LineOccurrence(ineffective.rule.line, partial(_occurrence, file, ineffective))


def _occurrence(file: LintedFile, ineffective: IneffectiveRule) -> Occurrence:
    rule = ineffective.rule
    return Occurrence(
        file.text_span(rule.record),
        {"pattern": file.text(rule.value), **winners_as_text(file, ineffective.winners)},
        query_for(rule.value, contrast_only=True),
        # Without its last rule, the group would be merged with the next one.
        None if ineffective.in_whole_group else partial(remove_line, rule.record, changes_verdicts=True),
    )


CHECK = Check(
    code="CF426",
    name="overridden-rule",
    severities=everywhere(Severity.WARNING),
    title="A rule that opposite rules always override",
    message="`{pattern}` never decides, because of {rules} (line {lines})",
    why="For each URL that the rule matches, an opposite rule matches too, and is longer, or is an `Allow` of the same "
    "length. So crawlers act as if the rule did not exist. Parsers that use the first matching rule may decide "
    "differently.",
    how_to_fix="Remove the rule, or the one that wins. To make an exception, write a longer pattern.",
    source="RFC 9309 section 2.2.2; Google, order of precedence for rules",
    bad=LintInput(b"User-agent: *\nAllow: /grid/\nDisallow: /grid/*\n"),
    good=LintInput(b"User-agent: *\nDisallow: /grid/*\n"),
    find=find,
    fixable=True,
    removes_redundant_lines=True,
)
