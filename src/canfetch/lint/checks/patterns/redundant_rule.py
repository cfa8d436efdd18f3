"""A rule without effect, because other rules result in the same verdicts."""

from collections.abc import Iterator

from canfetch.lint.analysis.ineffective_rules import Cause, IneffectiveRule, ineffective_occurrences
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, LineOccurrence, Variant
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find rules without which every verdict stays the same, because of several rules or of another group."""
    return ineffective_occurrences(file, Cause.REDUNDANT, _remove_group)


def _remove_group(file: LintedFile, ineffective: IneffectiveRule) -> Fix | None:
    group = file.groups[ineffective.rule.group]
    if group.others:
        return None
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
    variants={
        "other-group": Variant(
            "`{pattern}` has no effect, because of {rules} (line {lines}), also in other groups of the same crawler"
        )
    },
    source="RFC 9309 sections 2.2.1 and 2.2.2",
    bad=b"User-agent: *\nDisallow: /print\nDisallow: /*/print\nDisallow: */print/\n",
    good=b"User-agent: *\nDisallow: /print\nDisallow: /*/print\n",
    find=find,
    needs=(Trait.SEVERAL_RULES,),
    fixable=True,
    removes_redundant_lines=True,
)
