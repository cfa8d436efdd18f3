"""What checks report about rules without effect."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from canfetch.core.verdict import Rule
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.ineffective_rules import Cause, IneffectiveRule, ineffective_rules
from canfetch.lint.analysis.rule_fixes import remove_line
from canfetch.lint.check import LineOccurrence, Occurrence
from canfetch.lint.fixes import Fix
from canfetch.lint.linted_file import LintedFile

# The rules that a message names.
_MAX_NAMED: Final = 3

FixOfGroup = Callable[[LintedFile, IneffectiveRule], Fix | None]
"""Returns the fix for a rule whose whole group has no effect."""


def _keep_group(_: LintedFile, __: IneffectiveRule) -> None:
    """Return no fix: without its last rule, the group would be merged with the next one."""


def ineffective_occurrences(
    file: LintedFile, cause: Cause, fix_of_group: FixOfGroup = _keep_group
) -> Iterator[LineOccurrence]:
    """Yield a place for each rule that has no effect for one cause."""
    for ineffective in ineffective_rules(file, cause):
        yield LineOccurrence(ineffective.rule.line, partial(_occurrence, file, ineffective, fix_of_group))


def _occurrence(file: LintedFile, ineffective: IneffectiveRule, fix_of_group: FixOfGroup) -> Occurrence:
    rule, winners = ineffective.rule, ineffective.winners
    fix: Callable[[], Fix | None]
    if ineffective.in_whole_group:
        fix = partial(fix_of_group, file, ineffective)
    else:
        fix = partial(remove_line, rule.record, changes_verdicts=True)
    named = _as_text(file, winners) if winners else {}
    query = query_for(rule.value, contrast_only=True)
    return Occurrence(file.text_span(rule.record), {"pattern": file.text(rule.value), **named}, query, fix)


def _as_text(file: LintedFile, winners: Sequence[Rule]) -> dict[str, str]:
    """Return the patterns and the lines of the first winners, for a message."""
    more = ["…"] if len(winners) > _MAX_NAMED else []
    named = winners[:_MAX_NAMED]
    return {
        "rules": ", ".join([f"`{file.text(rule.pattern)}`" for rule in named] + more),
        "lines": ", ".join([str(rule.line) for rule in named] + more),
    }
