"""A rule without effect, because other rules decide alike."""

from collections.abc import Iterator
from functools import partial

from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.ineffective_rules import Cause, IneffectiveRule, ineffective_rules
from canfetch.lint.analysis.rule_fixes import remove_line
from canfetch.lint.analysis.winning_rules import winners_as_text
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find rules without which several others, or those of another group of the crawler, decide alike."""
    for ineffective in ineffective_rules(file, Cause.REDUNDANT):
        yield LineOccurrence(ineffective.rule.line, partial(_occurrence, file, ineffective))


def _occurrence(file: LintedFile, ineffective: IneffectiveRule) -> Occurrence:
    rule = ineffective.rule
    return Occurrence(
        file.text_span(rule.record),
        {"pattern": file.text(rule.value), **winners_as_text(file, ineffective.winners)},
        query_for(rule.value, contrast_only=True),
        partial(_fix, file, ineffective),
    )


def _fix(file: LintedFile, ineffective: IneffectiveRule) -> Fix | None:
    rule = ineffective.rule
    if not ineffective.in_whole_group:
        return remove_line(rule.record, changes_verdicts=True)
    group = file.groups[rule.group]
    if group.others:
        return None
    # Without its last rule, the group would be merged with the next one.
    records = [*[token.record for token in group.tokens], *[one.record for one in group.rules]]
    spans = sorted(record.span for record in records)
    return Fix(tuple(Edit(*span, b"") for span in spans), changes_verdicts=True)


CHECK = Check(
    code="CF427",
    name="redundant-rule",
    severities=everywhere(Severity.INFO),
    title="A rule that other rules make redundant",
    message="`{pattern}` has no effect, because of {rules} (line {lines})",
    why="Without the rule, each URL that it matches has the same verdict: several other rules together match these "
    "URLs, or a rule in another group for the same crawler does. Crawlers combine their groups. Only parsers that use "
    "the first matching rule or the first group may see a difference.",
    how_to_fix="Remove the rule, or the whole group if none of its rules has an effect.",
    source="RFC 9309 sections 2.2.1 and 2.2.2",
    bad=LintInput(b"User-agent: *\nDisallow: /print\nDisallow: /*/print\nDisallow: */print/\n"),
    good=LintInput(b"User-agent: *\nDisallow: /print\nDisallow: /*/print\n"),
    find=find,
    fixable=True,
    removes_redundant_lines=True,
)
