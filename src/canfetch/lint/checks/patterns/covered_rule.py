"""A rule that a shorter rule already covers."""

from collections.abc import Iterator
from functools import partial

from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.repeated_rules import repeated_rules
from canfetch.lint.analysis.rule_coverage import CoveredRule, covered_rules
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile, LintedRule
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find rules that have no effect, because a shorter rule of the same kind matches the same URLs."""
    # Another check reports all rules with the same form but one.
    repeated: frozenset[int] | None = None
    for covered in covered_rules(file):
        rule = covered.rule
        if len(covered.equal) > 1:
            repeated = frozenset(one.line for one, _ in repeated_rules(file)) if repeated is None else repeated
            rule = next(one for one in covered.equal if one.line not in repeated)
        yield LineOccurrence(rule.line, partial(_occurrence, file, covered._replace(rule=rule)))


def _occurrence(file: LintedFile, covered: CoveredRule) -> Occurrence:
    rule, covering, equal = covered
    return Occurrence(
        file.text_span(rule.record),
        {"pattern": file.text(rule.value), "by": file.text(covering.value), "line": str(covering.line)},
        query_for(rule.value, contrast_only=True),
        partial(_fix, equal),
    )


def _fix(equal: tuple[LintedRule, ...]) -> Fix:
    return Fix(tuple(Edit(*rule.record.span, b"") for rule in equal), changes_verdicts=True)


CHECK = Check(
    code="CF406",
    name="covered-rule",
    severities=everywhere(Severity.INFO),
    title="A rule that a shorter rule already covers",
    message="`{pattern}` has no effect: `{by}` on line {line} already matches the same URLs",
    why="A pattern matches every URL that starts with it. No opposite rule overrides the shorter one for these URLs, "
    "so the longer one never decides. Only parsers that use the first matching rule may see a difference.",
    how_to_fix="Remove the longer rule, or the shorter one if it matches too much.",
    source="RFC 9309 section 2.2.2",
    bad=b"User-agent: *\nDisallow: /shop/\nDisallow: /shop/cart/\n",
    good=b"User-agent: *\nDisallow: /shop/\n",
    find=find,
    needs=(Trait.SEVERAL_RULES,),
    fixable=True,
    removes_redundant_lines=True,
)
