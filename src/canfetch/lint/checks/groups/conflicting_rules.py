"""A path that is both allowed and disallowed."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from canfetch.core.escapes import canonical, encode_reserved_data
from canfetch.core.keys import RecordKind
from canfetch.core.patterns import matches
from canfetch.lint.analysis.canonical_rules import with_forms
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.merged_rules import merged_rules
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile, LintedRule
from canfetch.lint.severity import Severity, everywhere

# A disallow rule is compared with the allow rules of at most this many other groups.
_MAX_GROUPS: Final = 64
# The limit of all searches for longer rules: each examined rule counts as one, and each comparison as more. Past
# the limit, a rule that longer ones may override is not reported.
_MAX_WORK: Final = 200_000
_WORK_OF_COMPARISON: Final = 20
# Stands for `*`, and for the rest of a URL. Few other patterns match it.
_UNUSUAL: Final = b"~~"


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find disallow rules that lose to an allow rule with the same pattern, for each crawler that reads them."""
    allowed: dict[bytes, dict[int, LintedRule]] = {}
    for rule in file.rules:
        if rule.allow and rule.specificity:
            allowed.setdefault(canonical(rule.value), {}).setdefault(rule.group, rule)
    if not allowed:
        return
    groups = _CommonNames(file)
    longer = _LongerRules(file)
    disallowed = [rule for rule in file.rules if not rule.allow and rule.specificity]
    for rule, form in zip(disallowed, map(canonical, [rule.value for rule in disallowed]), strict=True):
        other = groups.overriding(rule, allowed[form]) if form in allowed else None
        if other is not None and not longer.may_override(rule):
            yield Occurrence(
                file.text_span(rule.record),
                {"value": file.text(rule.value), "line": str(other.line)},
                query_for(rule.value, other.line, rule.line),
            )


class _CommonNames:
    """The product tokens that groups have in common."""

    def __init__(self, file: LintedFile) -> None:
        self._names = [group.names for group in file.groups]
        self._bits: dict[int, dict[str, int]] = {}
        self._found: dict[tuple[int, int], int] = {}

    def overriding(self, rule: LintedRule, others: dict[int, LintedRule]) -> LintedRule | None:
        """Return the first of some rules by group, if each crawler that reads a rule also reads one of these."""
        group = rule.group
        if group in others:
            return others[group]
        missing = len(self._names[group])
        first: LintedRule | None = None
        found = 0
        for index, other in islice(others.items(), _MAX_GROUPS):
            common = self._common(group, index)
            if common and first is None:
                first = other
            found |= common
            if found.bit_count() == missing:
                return first
        return None

    def _common(self, group: int, other: int) -> int:
        """Return the names of a group that another one also has, as a set of bits."""
        pair = group, other
        if pair not in self._found:
            common = self._names[group] & self._names[other]
            bits = self._bits_of(group)
            self._found[pair] = sum(1 << bits[name] for name in common)
        return self._found[pair]

    def _bits_of(self, group: int) -> dict[str, int]:
        bits = self._bits.get(group)
        if bits is None:
            bits = self._bits[group] = {name: bit for bit, name in enumerate(self._names[group])}
        return bits


class _LongerRules:
    """Whether longer disallow rules may decide about all URLs of a pattern."""

    def __init__(self, file: LintedFile) -> None:
        self._file = file
        self._merged = merged_rules(file)
        self._work = _MAX_WORK

    def may_override(self, rule: LintedRule) -> bool:
        """Return whether a longer disallow rule matches a URL that few rules match besides this one."""
        forms = with_forms(self._file, [rule])
        if not forms:
            # The pattern matches no URL, or is very long.
            return True
        form = forms[0].form
        target = form.removesuffix(b"$").replace(b"*", _UNUSUAL) + (b"" if form.endswith(b"$") else _UNUSUAL)
        if not target.startswith(b"/"):
            target = b"/" + target
        targets = {target, encode_reserved_data(target)}
        for other in self._merged.of(rule.group, allow=False).with_heads_of(target):
            is_longer = other.rule.specificity > rule.specificity
            self._work -= _WORK_OF_COMPARISON if is_longer else 1
            if self._work < 0 or (is_longer and any(matches(other.form, each) for each in targets)):
                return True
        return False


CHECK = Check(
    code="CF312",
    name="conflicting-rules",
    severities=everywhere(Severity.WARNING),
    title="A path that is both allowed and disallowed",
    message="`{value}` is also allowed on line {line}: crawlers that read both as the same path follow the `Allow`",
    why="Of two rules with the same length, the `Allow` wins. Parsers that use the first matching rule may decide "
    "differently. For Google's parser, a needlessly encoded character, such as `%7E`, is not the same as the "
    "character itself.",
    how_to_fix="Remove one of the two rules. If a group is left without rules, write an empty `Disallow:` there.",
    source="RFC 9309 section 2.2.2; Google, order of precedence for rules",
    bad=b"User-agent: *\nAllow: /shop/\nDisallow: /shop/\n",
    good=b"User-agent: *\nAllow: /shop/\nDisallow: /shop/cart/\n",
    find=find,
    needs=(RecordKind.ALLOW,),
    supersedes=("CF311", "CF405", "CF406", "CF426", "CF427"),
)
