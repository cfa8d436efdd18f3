"""A path that is both allowed and disallowed."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.escapes import canonical
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile, LintedRule
from canfetch.lint.severity import Severity, everywhere

# A disallow rule is compared with at most this many allow rules of the same pattern.
_MAX_COMPARED: Final = 8


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find disallow rules with the same pattern as an allow rule for the same crawler."""
    allowed: dict[bytes, list[LintedRule]] = {}
    for rule in file.rules:
        if rule.allow and rule.specificity:
            allowed.setdefault(canonical(rule.value), []).append(rule)
    if not allowed:
        return
    names = [group.names for group in file.groups]
    disallowed = [rule for rule in file.rules if not rule.allow and rule.specificity]
    for rule, form in zip(disallowed, map(canonical, [rule.value for rule in disallowed]), strict=True):
        if form not in allowed:
            continue
        other = _conflicting(names, rule, allowed[form])
        if other is not None:
            yield Occurrence(
                file.text_span(rule.record),
                {"value": file.text(rule.value), "line": str(other.line)},
                query_for(rule.value, other.line, rule.line),
            )


def _conflicting(names: list[frozenset[str]], rule: LintedRule, others: list[LintedRule]) -> LintedRule | None:
    for other in others[:_MAX_COMPARED]:
        if other.group == rule.group or not names[other.group].isdisjoint(names[rule.group]):
            return other
    return None


CHECK = Check(
    code="CF312",
    name="conflicting-rules",
    severities=everywhere(Severity.WARNING),
    title="A path that is both allowed and disallowed",
    message="`{value}` is also allowed on line {line}: crawlers that read both as the same path follow the `Allow`",
    why="Of two rules with the same length, the `Allow` wins. Parsers that use the first matching rule may decide "
    "differently. For Google's parser, a needlessly encoded character, such as `%7E`, is not the same as the "
    "character itself.",
    how_to_fix="Remove one of the two rules.",
    source="RFC 9309 section 2.2.2; Google, order of precedence for rules",
    bad=LintInput(b"User-agent: *\nAllow: /shop/\nDisallow: /shop/\n"),
    good=LintInput(b"User-agent: *\nAllow: /shop/\nDisallow: /shop/cart/\n"),
    find=find,
)
