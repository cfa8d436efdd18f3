"""A path that is both allowed and disallowed."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from canfetch.core.escapes import canonical
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile, LintedRule
from canfetch.lint.severity import Severity, everywhere

# A disallow rule is compared with the allow rules of at most this many other groups.
_MAX_GROUPS: Final = 64


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find disallow rules with the same pattern as an allow rule for the same crawler."""
    allowed: dict[bytes, dict[int, LintedRule]] = {}
    for rule in file.rules:
        if rule.allow and rule.specificity:
            allowed.setdefault(canonical(rule.value), {}).setdefault(rule.group, rule)
    if not allowed:
        return
    groups = _CommonNames(file)
    disallowed = [rule for rule in file.rules if not rule.allow and rule.specificity]
    for rule, form in zip(disallowed, map(canonical, [rule.value for rule in disallowed]), strict=True):
        if form not in allowed:
            continue
        other = _conflicting(groups, rule, allowed[form])
        if other is not None:
            yield Occurrence(
                file.text_span(rule.record),
                {"value": file.text(rule.value), "line": str(other.line)},
                query_for(rule.value, other.line, rule.line),
            )


def _conflicting(groups: "_CommonNames", rule: LintedRule, others: dict[int, LintedRule]) -> LintedRule | None:
    """Return the first of some rules that a crawler reads together with a rule, by group."""
    found = others.get(rule.group)
    for group, other in islice(others.items(), _MAX_GROUPS):
        if found is not None and group >= rule.group:
            break
        if groups.have_common_name(group, rule.group):
            return other
    return found


class _CommonNames:
    """Whether two groups have a product token in common."""

    def __init__(self, file: LintedFile) -> None:
        self._names = [group.names for group in file.groups]
        self._found: dict[tuple[int, int], bool] = {}

    def have_common_name(self, one: int, other: int) -> bool:
        """Return whether two groups have a product token in common."""
        pair = one, other
        if pair not in self._found:
            self._found[pair] = not self._names[one].isdisjoint(self._names[other])
        return self._found[pair]


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
    supersedes=("CF426",),
)
