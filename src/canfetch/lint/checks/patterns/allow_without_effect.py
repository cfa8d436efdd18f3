"""An `Allow` without which its URLs are allowed as well."""

from collections.abc import Iterator
from functools import partial

from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.ineffective_rules import Cause, IneffectiveRule, ineffective_rules
from canfetch.lint.analysis.rule_fixes import remove_line
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find allow rules without which no URL has another verdict."""
    for ineffective in ineffective_rules(file, Cause.ALLOWED):
        yield LineOccurrence(ineffective.rule.line, partial(_occurrence, file, ineffective))


def _occurrence(file: LintedFile, ineffective: IneffectiveRule) -> Occurrence:
    rule = ineffective.rule
    return Occurrence(
        file.text_span(rule.record),
        {"pattern": file.text(rule.value)},
        query_for(rule.value, contrast_only=True),
        # Without its last rule, the group would be merged with the next one.
        None if ineffective.in_whole_group else partial(remove_line, rule.record, changes_verdicts=True),
    )


CHECK = Check(
    code="CF428",
    name="allow-without-effect",
    severities=everywhere(Severity.INFO),
    title="An `Allow` that changes nothing",
    message="`{pattern}` has no effect: crawlers may fetch the same URLs without this `Allow`",
    why="Everything is allowed unless a rule disallows it. An `Allow` only makes an exception from a shorter "
    "`Disallow` that matches some of its URLs. Only parsers that use the first matching rule may see a difference.",
    how_to_fix="Remove the rule. If its URLs should be the only ones that are allowed, add `Disallow: /`.",
    source="RFC 9309 section 2.2.2; Google, Disallow and Allow",
    bad=LintInput(b"User-agent: *\nAllow: /shop/\nDisallow: /private/\n"),
    good=LintInput(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
    removes_redundant_lines=True,
)
